"""The tables and figures of docs/ideas/libraries.md, from the tables of the study: python -m research.exactness.report

share     of the measured solves whose η is below a level        M_T   Σ(1 − η) over the model-based steps of a run
change    the factor between the regrets of two solvers, a geometric mean over runs that are paired by their seed, with
          a 95 % interval by Student's t; a simple regret counts as 0.01 % of a random point's at least
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from research.benchmarks.timing import print_table
from research.exactness.reference import PROVEN_IN
from research.exactness.runs import INITIAL, Row, balanced, numbers, read
from research.problems import registry  # noqa: F401  # registers and spells the problems
from research.problems.typical import typical_regret
from suffice.problems.functions import find, title
from suffice.types import Array

TABLES = Path(__file__).parent / "tables"
NAMES = {
    "suffice": "suffice",
    "optuna": "Optuna GPSampler",
    "skopt": "scikit-optimize",
    "bayes_opt": "bayes_opt",
    "botorch": "BoTorch",
}
SOLVERS = {
    "own": "BoTorch's own solver",
    "suffice": "our solver",
    "grid 100": "grid of 100 t",
    "grid 1000": "grid of 1000 t",
}
SOLVER_HEAD = ("", "searches", "η < 0.9", "CPU ms per search", "cumulative regret", "simple regret")
MORE = "BoTorch, 20 restarts of 1024"
MIXED = ("two_way", "reaction_small0")
COLUMNS = "cumulative", "simple"
LEVELS = 0.99, 0.9, 0.5
FLOOR = 1e-4
NEAR = 0.9  # what a figure calls a miss


# ---------------------------------------------------------------------- how exactly libraries solve


def etas(rows: Sequence[Row]) -> Array:
    """Of every solve that was measured."""
    return np.array([eta for row in rows for eta in numbers(row, "eta")])


def libraries(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """A line for each library, over all problems that all five of them take; and BoTorch with more restarts."""
    for name, label in NAMES.items():
        if own := [row for row in shared(rows) if row["library"] == name]:
            yield (label, *figures_of(own))


def shared(rows: Sequence[Row]) -> list[Row]:
    """Those of problems that all five libraries take."""
    return [row for row in rows if row["problem"] not in MIXED]


def more(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """The same on Hartmann 6d alone, with BoTorch's larger effort."""
    for name, label in {**NAMES, "botorch more": MORE}.items():
        own = [row for row in rows if row["library"] == name and row["problem"] == "hartmann6"]
        if own:
            yield (label, *figures_of(own))


def figures_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Solves, shares below the levels, M_T of a run and milliseconds."""
    found, steps = etas(rows), int(rows[0]["trials"]) - INITIAL
    shares = (f"{100 * (found < level).mean():.2g} %" for level in LEVELS)
    ms = float(np.median([float(row["ms"]) for row in rows]))
    return (str(len(found)), *shares, f"{steps * (1 - found).mean():.2g}", short(ms))


def short(value: float) -> str:
    """Two digits, or all of those before the point."""
    return f"{value:.2g}" if value < 10.0 else f"{value:.0f}"


HEAD = ("", "searches", *(f"η < {level:g}" for level in LEVELS), "M_T", "CPU ms per search")


def spelled(problem: str) -> str:
    """A problem's title."""
    name, _, noise = problem.partition("+")
    return title(name).partition(", seed")[0] + (", noise" if noise else ", mixed" if name in MIXED else "")


# ---------------------------------------------------------------------- what it costs


@dataclass(frozen=True)
class Change:
    """The factor by which a regret changes, with the ends of its 95 % interval."""

    log: float
    error: float  # half the interval, of the logarithm

    @property
    def ends(self) -> tuple[float, float, float]:
        """The lower end, the factor and the upper end."""
        return math.exp(self.log - self.error), math.exp(self.log), math.exp(self.log + self.error)

    def __str__(self) -> str:
        low, middle, high = map(short, self.ends)
        return f"×{middle} ({low} to {high})"


def change(rows: Sequence[Row], base: Sequence[Row], column: str) -> Change:
    """From runs of the base to those of the same seeds."""
    ours, theirs = ({row["seed"]: _log(row, column) for row in some} for some in (rows, base))
    d = np.array([ours[seed] - theirs[seed] for seed in ours.keys() & theirs.keys()])
    n = len(d)
    error = float(student.ppf(0.975, n - 1)) * float(d.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Change(float(d.mean()), error)


def _log(row: Row, column: str) -> float:
    return math.log(max(float(row[column]), FLOOR * unit(row["problem"])))


@cache
def unit(problem: str) -> float:
    """The regret of a random point."""
    return typical_regret(find(problem))


def pooled(changes: Sequence[Change]) -> Change:
    """The mean over problems."""
    error = math.sqrt(sum(one.error**2 for one in changes)) / len(changes)
    return Change(float(np.mean([one.log for one in changes])), error)


def changes(rows: Sequence[Row], base: str, **only: str) -> dict[tuple[str, str, str], Change]:
    """By problem, solver and column, where the base was run; with "all" for the mean of the problems."""
    by: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if only.items() <= row.items():
            by.setdefault((row["problem"], row["solver"]), []).append(row)
    problems = [problem for problem, solver in by if solver == base]
    found: dict[tuple[str, str, str], Change] = {}
    for solver in dict.fromkeys(solver for _, solver in by if solver != base and problems):
        for column in COLUMNS:
            of = {problem: change(by[problem, solver], by[problem, base], column) for problem in problems}
            found.update({(problem, solver, column): one for problem, one in of.items()})
            found["all", solver, column] = pooled(list(of.values()))
    return dict(sorted(found.items(), key=lambda pair: pair[0][0] == "all"))


def lines(found: dict[tuple[str, str, str], Change]) -> Iterator[tuple[str, ...]]:
    """A line for each problem and solver."""
    for problem, solver in dict.fromkeys((problem, solver) for problem, solver, _ in found):
        both = (str(found[problem, solver, column]) for column in COLUMNS)
        yield (problem if problem == "all" else spelled(problem), solver, *both)


def solvers(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """A line for each solver of one model: how exact it is, how long it takes, and what that changes on average."""
    found = changes(rows, "own")
    for solver, words in SOLVERS.items():
        own = [row for row in rows if row["solver"] == solver]
        missed, ms = (etas(own) < NEAR).mean(), float(np.median([float(row["ms"]) for row in own]))
        changed = ("×1" if solver == "own" else str(found["all", solver, column]) for column in COLUMNS)
        yield (words, str(len(etas(own))), f"{short(100 * missed)} %", short(ms), *changed)


# ---------------------------------------------------------------------- in words


def said_of_members(rows: Sequence[Row]) -> Iterator[str]:
    """Whether the model is too sure, and where a grid ends with a better value than the exact solver."""
    exact = [row for row in rows if row["solver"] == "exact"]
    one, four = (100 * np.mean([float(r["outside"]) for r in exact if r["members"] == count]) for count in ("1", "4"))
    yield (
        f"With one member, {short(one)} % of the values lay outside the interval predicted to contain 90 % of them; "
        f"with four members, {short(four)} % did."
    )
    ends = {(row["members"], row["solver"], row["problem"], row["seed"]): float(row["simple"]) for row in rows}
    for problem in dict.fromkeys(row["problem"] for row in exact):
        seeds = {row["seed"] for row in exact}
        one, four = (
            sum(ends[count, "grid 100", problem, seed] < ends[count, "exact", problem, seed] for seed in seeds)
            for count in ("1", "4")
        )
        yield (
            f"On {spelled(problem)} the grid of 100 t ended with a better value than the exact search in {one} of "
            f"{len(seeds)} runs with one member and in {four} of {len(seeds)} with four."
        )


def said_of_reference(rows: Sequence[Row]) -> Iterator[str]:
    """How reliable the reference is."""
    proven = [row for row in rows if find(row["problem"]).dim <= PROVEN_IN]
    total = {name: sum(int(row[name]) for row in rows) for name in ("solves", "agreed")}
    small = {name: sum(int(row[name]) for row in proven) for name in ("solves", "better", "proven")}
    yield f"Two such searches from different seeds agreed to 1e-6 in {total['agreed']} of {total['solves']} steps."
    yield (
        f"In up to three dimensions branch and bound found a better point in {small['better']} of {small['solves']} "
        f"steps, and proved in {small['proven']} that there is none; in the others it reached its limit of "
        "boxes without an answer."
    )


# ---------------------------------------------------------------------- all of it


def kept(folder: Path) -> dict[str, list[Row]]:
    """The rows of the three parts."""
    return {name: balanced(read(folder / f"{name}.csv")) for name in ("solves", "regret", "members", "reference")}


def show(folder: Path) -> None:
    """Print the tables of a folder, and what is said of them."""
    parts = kept(folder)
    solves, regret, members, reference = parts.values()
    seeds = {name: f"{len({row['seed'] for row in rows})} seeds" for name, rows in parts.items()}
    print_table(f"All problems of real numbers, {seeds['solves']}", HEAD, list(libraries(solves)))
    print_table(f"Hartmann 6d, {seeds['solves']}", HEAD, list(more(solves)))
    print_table(f"One model, {seeds['regret']}", SOLVER_HEAD, list(solvers(regret)))
    head = ("", "solver", *(f"{column} regret" for column in COLUMNS))
    print_table(
        f"BoTorch's model, change from its own solver, {seeds['regret']}", head, list(lines(changes(regret, "own")))
    )
    for count in ("1", "4"):
        words = f"suffice's model with members={count}, change from the exact solver, {seeds['members']}"
        print_table(words, head, list(lines(changes(members, "exact", members=count))))
    print()
    for said in (said_of_members(members), said_of_reference(reference)):
        print(*said, sep="\n")


def main() -> None:
    from research.exactness.figures import draw

    show(TABLES)
    draw(kept(TABLES))


if __name__ == "__main__":
    main()
