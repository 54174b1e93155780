"""The systems that can be compared, by name. What is installed of them, `installed.py` finds out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from research.compare.native import takes_spaces
from suffice.acquisition import LogEI
from suffice.lab.plan import DEFAULTS

ADAPTERS = Path(__file__).parent / "adapters"


@dataclass(frozen=True)
class System:
    """An optimizer behind an adapter."""

    name: str  # in files and on the command line
    label: str  # in figures and tables
    about: str  # a line
    adapter: Path = field(repr=False)  # a file as `adapters` describes them
    packages: tuple[str, ...]  # the distributions that it needs: the first is its own
    settings: Mapping[str, Any] = field(default_factory=dict)  # given to the adapter
    parts: Mapping[str, Any] = field(default_factory=dict, repr=False)  # what else it is made of, beyond its version

    @property
    def native(self) -> bool:
        """Whether it is given a problem's own space of floats, integers and choices, not only boxes of floats."""
        return takes_spaces(self.adapter)


def _system(name: str, label: str, about: str, adapter: str, *packages: str, **settings: Any) -> System:
    return System(name, label, about, ADAPTERS / f"{adapter}.py", packages, settings)


SUFFICE = System("suffice", "suffice", "As it comes.", ADAPTERS / "suffice.py", ("suffice",), parts=DEFAULTS)
SUFFICE_LOGEI = replace(
    SUFFICE,
    name="suffice_logei",
    label="suffice LogEI",
    about="As it comes, but for its acquisition function.",
    settings={"acquisition": "logei"},
    parts={**DEFAULTS, "acquisition": LogEI()},
)

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        SUFFICE,
        SUFFICE_LOGEI,
        _system(
            "botorch_logei",
            "BoTorch LogEI",
            "SingleTaskGP, refitted at every step; LogEI.",
            "botorch",
            "botorch",
            acquisition="logei",
            restarts=10,
            raw_samples=512,
        ),
        _system(
            "botorch_ucb",
            "BoTorch UCB",
            "SingleTaskGP, refitted at every step; UCB with β = sqrt(log(t + 1)).",
            "botorch",
            "botorch",
            acquisition="ucb",
            restarts=10,
            raw_samples=512,
        ),
        _system("ax", "Ax", "The client and its default strategy.", "ax", "ax-platform"),
        _system("optuna_gp", "Optuna GP", "GPSampler.", "optuna", "optuna", "torch", "scipy", sampler="gp"),
        _system("optuna_tpe", "Optuna TPE", "TPESampler.", "optuna", "optuna", sampler="tpe"),
        _system("hebo", "HEBO", "As it comes.", "hebo", "HEBO"),
        _system("smac", "SMAC3", "The black-box facade.", "smac", "smac"),
        _system("skopt", "scikit-optimize", "A Gaussian process; gp_hedge.", "skopt", "scikit-optimize"),
        _system("bayes_opt", "bayes_opt", "UCB with its default κ.", "bayes_opt", "bayesian-optimization"),
        _system("cma", "CMA-ES", "From the best initial point, σ = ¼ of the box.", "cma", "cma"),
        _system("sobol", "Sobol", "A scrambled Sobol sequence.", "sobol", "scipy"),
        _system("random", "Random", "Uniform points.", "random", "numpy"),
    )
}
