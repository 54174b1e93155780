"""Best value against evaluations: suffice, Optuna's Gaussian process, its TPE and random search.

    python -m research.benchmarks.evaluations_figure          # draws the runs in the CSV file and prints the table
    python -m research.benchmarks.evaluations_figure --run    # first adds the runs that the file lacks: 30 minutes

Six problems drawn for each of ten seeds, the odd ones from 101: no default of suffice was chosen on them. Five are
families of functions in research/problems/fresh.py, in 3 to 6 dimensions; one mixes a choice, an integer, a
logarithmic and two real parameters. All methods run with their defaults and start from the same ten Sobol' points.
Optuna's GPSampler needs torch, and greenlet to be as fast as it can be.

regret    (best value so far − minimum) / (median value of random points − minimum): 1 is a random point's
band      between the second and the ninth of the ten seeds; a seed counts as the geometric mean of its six regrets
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
import csv  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterator, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from importlib import import_module  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

from research.compare.entrant import described, design  # noqa: E402
from research.problems.fresh import FRESH  # noqa: E402
from research.problems.typical import typical_regret  # noqa: E402
from suffice.types import Array  # noqa: E402

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "research" / "measurements" / "evaluations.csv"
FIGURE = ROOT / "docs" / "figures" / "evaluations.svg"
PROBLEMS = tuple(
    f"fresh_{family}" for family in ("machine", "bumps3d", "rosenbrock4d", "levy4d", "ackley4d", "ellipsoid6d")
)
SEEDS = range(101, 120, 2)
INITIAL, TRIALS, EVERY = 10, 50, 2  # every second regret is kept
STEPS = tuple(range(INITIAL, TRIALS + 1, EVERY))
NEAR = 0.01  # of a random point's regret: the run has found it
FLOOR = 1e-6  # smaller regrets count as this one: nobody needs more


def peer(adapter: str, **words: Any) -> Callable[..., Any]:
    """What starts a method: adapters of the comparison import their libraries when they are needed."""
    return lambda *given: import_module(f"research.compare.adapters.{adapter}").Peer(*given, **words)


METHODS: dict[str, tuple[str, str, Callable[..., Any]]] = {  # label, colour (Okabe and Ito), how it starts
    "suffice": ("suffice", "#0072B2", peer("suffice")),
    "optuna_gp": ("Optuna GPSampler", "#D55E00", peer("optuna", sampler="gp")),
    "optuna_tpe": ("Optuna TPESampler", "#009E73", peer("optuna", sampler="tpe")),
    "random": ("random search", "#7f7f7f", peer("random")),
}


@dataclass(frozen=True)
class Run:
    """One row of the CSV file."""

    problem: str
    seed: int
    method: str
    milliseconds: float  # of processor time for a suggestion
    found: int | None  # evaluations until within NEAR, None if never
    regrets: tuple[float, ...]  # after STEPS evaluations


# ---------------------------------------------------------------------- runs


def run(name: str, seed: int, method: str) -> Run:
    """One run of one method."""
    problem = FRESH[name](seed)
    points = design(problem, INITIAL, seed).tolist()
    values = [problem(point) for point in points]
    optimizer = METHODS[method][2](described(problem), points, list(values), seed)
    used = 0.0
    for _ in range(TRIALS - INITIAL):
        began = time.process_time()  # what other programs do meanwhile does not count
        point = optimizer.ask()
        used += time.process_time() - began
        values.append(problem([float(x) for x in point]))
        began = time.process_time()
        optimizer.tell(point, values[-1])
        used += time.process_time() - began
    regret = (np.minimum.accumulate(values) - problem.optimum) / typical_regret(problem)
    near = np.flatnonzero(regret <= NEAR)
    found = int(near[0]) + 1 if len(near) else None
    kept = tuple(float(f"{max(regret[step - 1], 0.0):.3g}") for step in STEPS)
    return Run(name, seed, method, 1e3 * used / (TRIALS - INITIAL), found, kept)


def missing(there: Sequence[Run]) -> Iterator[tuple[str, int, str]]:
    """The runs that a file lacks, a seed after the other, so that a part of them is of all problems."""
    done = {(one.problem, one.seed, one.method) for one in there}
    for seed in SEEDS:
        for problem in PROBLEMS:
            yield from ((problem, seed, method) for method in METHODS if (problem, seed, method) not in done)


def read() -> list[Run]:
    """All runs of the file."""
    if not RUNS.exists():
        return []
    with RUNS.open(newline="", encoding="utf-8") as file:
        return [_read(row) for row in list(csv.reader(file))[1:]]


def _read(row: Sequence[str]) -> Run:
    problem, seed, method, milliseconds, found, *regrets = row
    return Run(
        problem, int(seed), method, float(milliseconds), int(found) if found else None, tuple(map(float, regrets))
    )


def add(one: Run) -> None:
    """A row at the end of the file: an interrupted command has lost one run at most."""
    new = not RUNS.exists()
    with RUNS.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(("problem", "seed", "method", "milliseconds", "found", *(f"r{step}" for step in STEPS)))
        shown = f"{one.milliseconds:.3g}", one.found or "", *(f"{regret:.3g}" for regret in one.regrets)
        writer.writerow((one.problem, one.seed, one.method, *shown))


# ---------------------------------------------------------------------- table and figure


def of(runs: Sequence[Run], method: str) -> list[Run]:
    return [one for one in runs if one.method == method]


def by_seed(runs: Sequence[Run]) -> Array:
    """The geometric mean of the regrets over the problems: (seeds, steps)."""
    seeds = sorted({one.seed for one in runs})
    regrets = [[one.regrets for one in runs if one.seed == seed] for seed in seeds]
    return np.array([np.exp(np.log(np.maximum(some, FLOOR)).mean(axis=0)) for some in regrets])


def rows(runs: Sequence[Run]) -> Iterator[tuple[str, ...]]:
    """A line of the table for each method."""
    for method, (label, _, _) in METHODS.items():
        some = of(runs, method)
        middle = float(np.median([np.inf if one.found is None else one.found for one in some]))
        yield (
            label,
            f"{sum(one.found is not None for one in some)} of {len(some)}",
            f"{middle:.0f}" if np.isfinite(middle) else f"> {TRIALS}",
            f"{100 * np.median(by_seed(some)[:, -1]):.2g} %",
            f"{np.median([one.milliseconds for one in some]):.2g}",
        )


HEAD = (
    "",
    "within 1 % of the best",
    "evaluations to 1 % (median)",
    "distance after 50 (median)",
    "CPU ms per suggestion",
)


def duel(runs: Sequence[Run], peer: str = "optuna_gp") -> str:
    """How often a run of suffice ended with a better value than the peer's on the same problem."""
    ends = {(one.problem, one.seed, one.method): one.regrets[-1] for one in runs}
    pairs = [(ends[one.problem, one.seed, "suffice"], one.regrets[-1]) for one in of(runs, peer)]
    better = sum(ours < theirs for ours, theirs in pairs)
    return f"suffice ended with a better value than {METHODS[peer][0]} in {better} of {len(pairs)} runs."


def draw(runs: Sequence[Run]) -> None:
    """Lines are the medians of the seeds."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update({"font.size": 10, "svg.hashsalt": "evaluations", "svg.fonttype": "path"})
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for method, (label, colour, _) in METHODS.items():
        regret = 100.0 * by_seed(of(runs, method))
        low, middle, high = np.quantile(regret, [0.1, 0.5, 0.9], axis=0)
        axes.fill_between(STEPS, low, high, color=colour, alpha=0.18, lw=0)
        axes.plot(STEPS, middle, color=colour, lw=2.4 if method == "suffice" else 1.6)
        axes.annotate(label, (STEPS[-1], middle[-1]), (6, 0), textcoords="offset points", color=colour, va="center")
    axes.set(
        yscale="log",
        xlim=(INITIAL, TRIALS),
        xlabel="evaluations",
        ylabel="distance of the best value from\nthe minimum (100 %: a random point)",
    )
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(alpha=0.25, lw=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(FIGURE, metadata={"Date": None}, facecolor="white")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--run", action="store_true", help="first add the runs that the CSV file lacks")
    given = parser.parse_args()
    for problem, seed, method in missing(read()) if given.run else ():
        one = run(problem, seed, method)
        add(one)
        print(f"{problem} {seed} {method}: {one.found or 'not found'}, {one.milliseconds:.3g} ms", file=sys.stderr)
    runs = read()
    print_table(f"{len(PROBLEMS)} problems, {len(SEEDS)} seeds, {TRIALS} evaluations", HEAD, list(rows(runs)))
    print(f"\n{duel(runs)}")
    draw(runs)


if __name__ == "__main__":
    main()
