"""The systems that can be compared, by name, those of the user's own among them, and which are installed where."""

import ast
import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from research.compare.peer import LOADING, PeerFailed, hosted
from suffice.acquisition import LogEI
from suffice.errors import SufficeError
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


@dataclass(frozen=True)
class Installed:
    """A system in an interpreter."""

    system: System
    python: str
    versions: Mapping[str, str | None]  # of its packages; None: not installed
    trouble: str = ""  # of the interpreter

    @property
    def version(self) -> str:
        return next(iter(self.versions.values()), None) or ""

    @property
    def why_not(self) -> str:
        """Why it cannot be used, and what to do; "" if it can."""
        if self.trouble:
            return self.trouble
        missing = [package for package in self.system.packages if not self.versions.get(package)]
        if not missing:
            return ""
        names = " ".join(missing)
        return f"{names} not installed: pip install {names}, or --python {self.system.name}=PATH of one that has it"


def look(systems: Iterable[System], pythons: Mapping[str, str]) -> list[Installed]:
    """Each system in its interpreter: `pythons` by name of the system, else the present one. Nothing is imported."""
    chosen = [(system, pythons.get(system.name, sys.executable)) for system in systems]
    packages: dict[str, set[str]] = {}
    for system, python in chosen:
        packages.setdefault(python, set()).update(system.packages)
    asked = {python: _versions(python, sorted(names)) for python, names in packages.items()}
    return [Installed(system, python, _of(system, asked[python][0]), asked[python][1]) for system, python in chosen]


def _of(system: System, versions: Mapping[str, str | None]) -> dict[str, str | None]:
    return {package: versions.get(package) for package in system.packages}


def _versions(python: str, packages: list[str]) -> tuple[dict[str, str | None], str]:
    """The versions in an interpreter, or what is wrong with it."""
    try:
        with hosted(python) as peer:
            return peer.request("versions", LOADING, packages=packages), ""
    except PeerFailed as error:
        return {}, " ".join(str(error).split())


def takes_spaces(adapter: Path) -> bool:
    """Whether the peer of a file is made with `space`, in place of `bounds`; nothing is imported."""
    tree = ast.parse(adapter.read_text(encoding="utf-8"))
    peers = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Peer"]
    return any(isinstance(node, ast.arg) and node.arg == "space" for peer in peers for node in ast.walk(peer))


def own_system(name: str, file: Path) -> System:
    """The system of an adapter: its runs are made again when it, or a file beside it that it imports, changes."""
    if name in SYSTEMS:
        raise SufficeError(f"--adapter {name}={file}: there is a system of that name already, choose another one")
    content = hashlib.sha256(b"".join(path.read_bytes() for path in _needed(file))).hexdigest()[:16]
    return System(name, name, f"Your own, {file.name}.", file.absolute(), (), parts={"content": content})


def _needed(file: Path) -> list[Path]:
    """The file and, sorted by name, what lies beside it and is imported by it or by another of them."""
    found, open_ = {file}, [file]
    while open_:
        for module in _imported(open_.pop()):
            beside = file.parent / f"{module}.py"
            if beside not in found and beside.is_file():
                found.add(beside)
                open_.append(beside)
    return [file, *sorted(found - {file})]


def _imported(file: Path) -> set[str]:
    """The first words of the modules that a file imports; nothing is run."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}}
