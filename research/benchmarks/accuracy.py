"""Are the numbers about a search right?

    python -m research.benchmarks.accuracy FILE [--half chosen|reported] [--repeats N]

FILE has frozen scores of real runs with their maxima, found by a search that shares no code with the solvers (see
benchmarks/surfaces.py; `python -m research.benchmarks.surfaces FILE` records it). With S = α* − median of α over
uniform draws:

found         solves whose point is within 0.1 % of S of the maximum
covers        reported limits `upper` that are not below the maximum, nominally 90 %
excess        (upper − α*)/S, median and 90 % quantile
reported      median of the reported relative gap where the true one is below 1e-4
AUC           how often a missed maximum was reported with a larger gap than a found one (1/2: the report tells nothing)
BUDGET        solves that ended at the cap
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
from collections.abc import Callable, Iterable, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.surfaces import Surface, load  # noqa: E402
from suffice.accuracy.estimate import estimate, relative_gap  # noqa: E402
from suffice.solvers import SOLVERS  # noqa: E402
from suffice.types import Solver, Status  # noqa: E402

FOUND = 1e-3
SHARES = (1.0, 0.1, 0.01)
GROUPS: dict[str, Callable[[Surface], bool]] = {
    "UCB, floats": lambda s: s.acquisition == "UCB" and not s.mixed,
    "UCB, mixed": lambda s: s.acquisition == "UCB" and s.mixed,
    "LogEI, floats": lambda s: s.acquisition == "default" and s.kind == "improve" and not s.mixed,
    "LogEI, mixed": lambda s: s.acquisition == "default" and s.kind == "improve" and s.mixed,
    "UCB and LogEI": lambda s: s.acquisition == "UCB" or (s.acquisition == "default" and s.kind == "improve"),
    "Elsewhere": lambda s: s.acquisition == "default" and s.kind != "improve",
}
HEADER = ("scores", "solves", "found", "covers", "excess", "90 %", "reported", "misses", "AUC", "BUDGET", "evaluations")


@dataclass(frozen=True)
class Judged:
    """One solve: what is true about it, and what was said; all gaps in units of the spread."""

    surface: Surface
    gap: float
    reported: float | None
    excess: float | None  # None: there is no limit
    covered: bool
    budget: bool
    evals: int


def judged(surface: Surface, solver: Solver, seed: int) -> Judged:
    """A solve of a surface, judged by the maximum that was found apart from it."""
    rng = np.random.default_rng([seed, 2026])
    solution = solver(surface.alpha, surface.domain, step=surface.step, rng=rng)
    facts = solution.draws, solution.starts, solution.x, solution.value, surface.domain
    found = estimate(*facts, logarithmic=surface.alpha.logarithmic)
    best = max(surface.best, solution.value)
    spread = max(best - surface.median, 1e-300)
    upper = None if found is None else found.upper
    return Judged(
        surface,
        gap=(best - solution.value) / spread,
        reported=None if found is None else relative_gap(solution.value, found.best, surface.median),
        excess=None if upper is None else (upper - best) / spread,
        covered=upper is not None and upper >= best - 1e-12 * abs(best),
        budget=solution.status is Status.BUDGET,
        evals=solution.n_evals,
    )


def auc(rows: Sequence[Judged]) -> float | None:
    """The probability that a miss is reported with a larger gap than a hit; None without one of both."""
    known = [row for row in rows if row.reported is not None]
    miss = np.array([row.gap > FOUND for row in known])
    if not len(known) or miss.all() or not miss.any():
        return None
    said = np.array([row.reported for row in known])
    a, b = said[miss][:, None], said[~miss]
    return float(np.mean((a > b) + 0.5 * (a == b)))


def line(label: str, rows: Sequence[Judged]) -> list[str]:
    """What the solves of one kind come to."""
    limits = [row for row in rows if row.excess is not None]
    excess = [row.excess for row in limits if row.excess is not None]
    exact = [row.reported for row in rows if row.reported is not None and row.gap < 1e-4]
    separated = auc(rows)
    return [
        label,
        str(len(rows)),
        f"{np.mean([row.gap <= FOUND for row in rows]):.3f}",
        f"{np.mean([row.covered for row in limits]):.3f}" if limits else "no limit",
        f"{np.median(excess):.1e}" if excess else "-",
        f"{np.quantile(excess, 0.9):.1e}" if excess else "-",
        f"{np.median(exact):.1e}" if exact else "-",
        str(sum(row.gap > FOUND for row in rows)),
        "-" if separated is None else f"{separated:.2f}",
        f"{np.mean([row.budget for row in rows]):.1%}",
        f"{np.median([row.evals for row in rows]):.0f}",
    ]


def solved(surfaces: Iterable[Surface], solver: Solver, repeats: int) -> list[Judged]:
    return [judged(s, solver, 1000 * repeat + i) for repeat in range(repeats) for i, s in enumerate(surfaces)]


def enough(surfaces: Sequence[Surface], repeats: int) -> None:
    """The default solver, by the kind of score."""
    rows = solved([s for s in surfaces if s.acquisition in ("UCB", "default")], sf.solvers.Adaptive(), repeats)
    groups = {name: [row for row in rows if chosen(row.surface)] for name, chosen in GROUPS.items()}
    print_table("Adaptive", HEADER, [line(name, chosen) for name, chosen in groups.items() if chosen])


def shares(surfaces: Sequence[Surface], repeats: int) -> None:
    """What the share does to effort and accuracy."""
    chosen = [s for s in surfaces if GROUPS["UCB and LogEI"](s)]
    rows = [line(f"share={share:g}", solved(chosen, sf.solvers.Adaptive(share=share), repeats)) for share in SHARES]
    print_table("Adaptive(share=…), UCB and LogEI", HEADER, rows)


def matrix(surfaces: Sequence[Surface], repeats: int) -> None:
    """Every solver with every acquisition: the share of the limits that hold, and of the maxima that are found."""
    names = list(dict.fromkeys(s.acquisition for s in surfaces))
    table = []
    for name, make in SOLVERS.items():
        cells = [name]
        for acquisition in names:
            few = [s for s in surfaces if s.acquisition == acquisition][::2]
            rows = solved(few, make(), repeats)
            limits = [row.covered for row in rows if row.excess is not None]
            held = f"{np.mean(limits):.2f}" if limits else "none"
            cells.append(f"{held} ({np.mean([row.gap <= FOUND for row in rows]):.2f})")
        table.append(cells)
    print_table("Limits that hold (maxima found), every second surface", ["solver", *names], table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Are the numbers about a search right?")
    parser.add_argument("file")
    parser.add_argument("--half", default="reported", choices=("chosen", "reported"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=("enough", "shares", "matrix"))
    given = parser.parse_args()
    surfaces = [s for s in load(given.file) if s.half == given.half]
    functions = len({(s.name, s.domain.dim) for s in surfaces})
    print(f"{len(surfaces)} surfaces of {functions} functions, the {given.half} half")
    for name, show in (("enough", enough), ("shares", shares)):
        if given.only in (None, name):
            show(surfaces, given.repeats)
    if given.only in (None, "matrix"):
        matrix(surfaces, 1)


if __name__ == "__main__":
    main()
