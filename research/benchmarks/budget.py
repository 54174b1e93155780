"""What the budget of the default solver does: python -m research.benchmarks.budget [seeds]

Runs of 50 trials with aim="regret", whose scores have the width that the budget is a share of, on functions of one to
fifty columns and on spaces with integers and choices. "fits" are runs whose estimated inaccuracies add up to no more
than the share of their widths, Σĝ ≤ s Σw; "of it used" is the median of Σĝ/(s Σw). "at the cap" is the share of the
suggestions whose search ended with status BUDGET, "gap" the median of their reported relative gaps.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import statistics  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from typing import Any  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import find  # noqa: E402
from suffice.result.result import Result  # noqa: E402
from suffice.types import Status  # noqa: E402

TRIALS, SEEDS, SHARES = 50, 3, (1.0, 0.1, 0.01)
FLOATS = ("levy1", "branin", "rastrigin2", "hartmann3", "levy5", "hartmann6", "ackley8", "rosenbrock12", "levy20")
MIXED = ("which_model7", "reaction_small7", "staircase7", "reaction7", "many_options7")
COLUMNS = (2, 5, 10, 20, 50)
HEADER = ("runs", "fits", "of it used", "suggestions", "at the cap", "evaluations", "gap")


def place(name: str) -> tuple[Callable[[Any], float], Any]:
    problem = find(name)
    return (problem.native.function, problem.native.space) if problem.native else (problem, list(problem.bounds))


def runs(names: Sequence[str], seeds: int, share: float) -> list[Result]:
    return [
        sf.minimize(*place(name), TRIALS, seed=seed, aim="regret", solver=sf.solvers.Adaptive(share=share))
        for name in names
        for seed in range(seeds)
    ]


def row(label: str, found: Sequence[Result], share: float) -> list[object]:
    """What the suggestions of some runs came to."""
    ledgers = [run.accuracy.ledger for run in found]
    used = [ledger.inaccuracies / (share * ledger.widths) for ledger in ledgers]
    reports = [trial.solve for run in found for trial in run.trials if trial.solve is not None]
    capped = statistics.mean(report.status is Status.BUDGET for report in reports)
    evals = statistics.median(report.n_evals for report in reports)
    gap = statistics.median(report.relative_gap for report in reports if report.relative_gap is not None)
    fits = sum(share <= 1.0 for share in used)
    said = [label, f"{fits} of {len(found)}", f"{statistics.median(used):.2f}"]
    return [*said, len(reports), f"{capped:.1%}", f"{evals:.0f}", f"{gap:.1e}"]


if __name__ == "__main__":
    given = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    kinds = {"floats": FLOATS, "mixed": MIXED}
    rows = [
        row(f"{kind}, share={share:g}", runs(names, given, share), share)
        for kind, names in kinds.items()
        for share in SHARES
    ]
    print_table("Σĝ ≤ s Σw", HEADER, rows)
    by_columns = [row(f"{d} columns", runs([f"levy{d}", f"ackley{d}"], given, 0.1), 0.1) for d in COLUMNS]
    print_table("The cap, by the number of columns, share=0.1", HEADER, by_columns)
