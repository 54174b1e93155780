"""Every default against its alternatives.

    python -m research.benchmarks.defaults [--report] [--seeds N] [--jobs N] [--out DIR]

One part exchanged at a time, everything else as it comes. Defaults are chosen on one half of the registry's functions,
TUNING; --report runs the other half, which no choice has seen, with the default and what it replaced. Budgets are those
of `python -m research.compare`: five initial points for each dimension (ten on the paper's functions) and 60 to 200
iterations.

Printed for each variant, against the default and over the functions: the median ratio of mean cumulative regrets, the
median difference of median log10 simple regrets, on how many functions it is better, and milliseconds a suggestion.
A default changes only if the alternative is better in both medians, by more than the seeds differ. Restartable,
like the experiments.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

import suffice as sf
from research.benchmarks.timing import print_table
from research.compare.contest import task
from suffice.lab.plan import Method, Plan
from suffice.lab.results import Run
from suffice.lab.runner import carry_out
from suffice.paper.presets import exchanged
from suffice.run.progress import display
from suffice.types import Array, Domain

TUNING = (
    *("branin", "goldstein_price", "bukin6", "michalewicz2", "hartmann3", "rastrigin3", "rosenbrock4", "shekel5"),
    *("dixon_price4", "ackley5", "hartmann6", "cosine_mixture8"),
)
REPORTING = (
    *("six_hump_camel", "eggholder", "hartmann4", "hartmann4_rescaled", "shekel7", "shekel10", "powell4"),
    *("styblinski_tang4", "levy5", "michalewicz5", "griewank5", "michalewicz10"),
)
RESOLUTION = 1e-10  # of simple regret: below, rounding decides
SEEDS = 6


@dataclass(frozen=True)
class AndNear:
    """Uniform points, and a fifth of the set around the incumbent."""

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        near = n // 5
        return np.concatenate(
            [
                sf.candidates.uniform(n - near, domain, design=design, rng=rng),
                sf.candidates.local(near, domain, design=design, rng=rng),
            ]
        )


def variant(name: str, **parts: Any) -> Method:
    """A method that exchanges parts of aim="regret", told f as any user would."""
    return Method(name, name, partial(exchanged, **{"acquisition": sf.UCB()} | parts), shifted=False)


def prior(**words: Any) -> sf.GP:
    """The default model with another prior."""
    return sf.GP(prior=sf.gp.Prior(**words))


DEFAULT = variant("default")
WIDE_PRIOR = sf.gp.LogNormal(0.2, 3**0.5)
# What the default was before: no longer to be had is its warp, Yeo and Johnson's for all lam.
BEFORE = variant(
    "paper's β, wide prior", model=prior(lengthscale=WIDE_PRIOR), acquisition=sf.UCB(sf.acquisition.SqrtLog())
)
VARIANTS = (
    DEFAULT,
    BEFORE,
    variant("warp: none", model=sf.GP(warp=False)),
    variant("warp: sd 0.25", model=prior(warp=0.25)),
    variant("warp: sd 1", model=prior(warp=1.0)),
    variant("isotropic", model=sf.GP(ard=False)),
    variant("ell: 0.2 √d, sd √3", model=prior(lengthscale=WIDE_PRIOR)),
    variant("ell: flat", model=prior(lengthscale=None)),
    variant("kernel: RBF", model=sf.GP(kernel=sf.gp.RBF())),
    variant("kernel: Matérn 1.5", model=sf.GP(kernel=sf.gp.Matern(1.5))),
    variant("β: the paper's", acquisition=sf.UCB(sf.acquisition.SqrtLog())),
    variant("β: half, no widening", acquisition=sf.UCB(sf.acquisition.SqrtLog(0.5))),
    variant("β: 0.35, widening to 1", acquisition=sf.UCB(sf.acquisition.Widening(0.35, 1 / 0.35))),
    variant("β: 0.7, widening to 1", acquisition=sf.UCB(sf.acquisition.Widening(0.7, 1 / 0.7))),
    variant("β: half, widening to 2", acquisition=sf.UCB(sf.acquisition.Widening(0.5, 4.0))),
    variant("LogEI", acquisition=sf.LogEI()),
    variant("refit: every step", model=sf.GP(refit=sf.gp.Refit(growth=0.0))),
    variant("refit: + 25 %", model=sf.GP(refit=sf.gp.Refit(growth=0.25))),
    variant("grid 100 t", solver=sf.solvers.Grid()),
    variant("grid 100 t, a fifth near", solver=sf.solvers.Grid(AndNear())),
    variant("grid 100 t, Voronoi", solver=sf.solvers.Grid(sf.candidates.voronoi)),
    variant("grid 100 t, polished", solver=sf.solvers.Polished(sf.solvers.Grid())),
)


def plan(report: bool, seeds: int) -> Plan:
    """The half of the functions, and who runs on it."""
    names, methods = (REPORTING, (DEFAULT, BEFORE)) if report else (TUNING, VARIANTS)
    title = "The defaults against " + ("what they replaced" if report else "their alternatives")
    return Plan("defaults", title, __doc__ or "", tuple(map(task, names)), methods, reps=seeds)


def cells(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    """The runs of each method and problem."""
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        found.setdefault((run.method, run.problem), []).append(run)
    return found


def cumulative(runs: Sequence[Run]) -> float:
    """Mean R_T."""
    return float(np.mean([run.cumulative[-1] for run in runs]))


def simple(runs: Sequence[Run]) -> float:
    """Median log10 simple regret."""
    return float(np.median([np.log10(max(run.simple[-1], RESOLUTION)) for run in runs]))


def row(method: Method, problems: Sequence[str], found: Mapping[tuple[str, str], list[Run]]) -> tuple[str, ...]:
    """A line of the table."""
    own = [found[method.name, problem] for problem in problems]
    base = [found[DEFAULT.name, problem] for problem in problems]
    ratios = np.array([cumulative(a) / cumulative(b) for a, b in zip(own, base, strict=True)])
    steps = np.array([simple(a) - simple(b) for a, b in zip(own, base, strict=True)])
    seconds = [run.seconds / len(run.points) for runs in own for run in runs]
    better = f"{(ratios < 1).sum()} and {(steps < 0).sum()} of {len(ratios)}"
    shown = f"{np.median(ratios):.2f}", f"{np.exp(np.log(ratios).mean()):.2f}", f"{np.median(steps):+.2f}"
    return method.label, *shown, f"{steps.mean():+.2f}", better, f"{1e3 * np.median(seconds):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--report", action="store_true", help="the half of the functions that nothing was chosen on")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out", type=Path, default=Path("defaults"))
    given = parser.parse_args()
    wanted = plan(given.report, given.seeds)
    with display() as progress:
        found = cells(carry_out(wanted, given.out / "results.db", workers=given.jobs, progress=progress)[1])
    problems = [planned.problem for planned in wanted.tasks]
    done = [method for method in wanted.methods if all((method.name, problem) in found for problem in problems)]
    head = ("variant", "R ratio", "geo. mean", "Δ log10 r", "mean", "better in R and r", "ms")
    print_table(wanted.title, head, [row(method, problems, found) for method in done])
    for problem in problems:
        cell = [f"{cumulative(found[m.name, problem]):.3g} / {simple(found[m.name, problem]):.1f}" for m in done[:2]]
        print(f"{problem:20} {'   '.join(cell)}")


if __name__ == "__main__":
    main()
