"""What the runs of each system come to, on one problem or on all.

r_0       regret of the best initial point                    R_T, r_min  cumulative and simple regret at the end
overhead  seconds in ask and tell, for one suggestion; the first ask is apart, since much is loaded or compiled in it
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from research.compare.ranks import Rank, cumulative, floored, ranks, simple
from research.compare.solved import ALL, Unit
from suffice.lab.report import mean_and_error
from suffice.lab.results import Run
from suffice.types import Array

LAST = 10  # suggestions at the end of a run, where it knows most


@dataclass(frozen=True)
class Standing:
    """A system on a problem, or on all: regrets are then R_T / (T r_0) and r_min / r_0, which have no units."""

    problem: str
    system: str
    problems: int
    runs: int
    iterations: int  # of the longest run
    regret: float  # R_T, mean
    regret_se: float
    log10_simple: float  # log10 r_min, median
    rank: float  # by simple regret, digits beyond the fourth of the typical regret not counted
    rank_se: float
    rank_all_digits: float  # by simple regret as it is
    rank_all_digits_se: float
    rank_cumulative: float
    rank_cumulative_se: float
    overhead: float  # mean, without the first suggestion
    last_overhead: float  # median of the last ten suggestions of all runs
    first_ask: float  # median of the runs


def by_problem(runs: Sequence[Run], units: Mapping[str, Unit]) -> list[Standing]:
    """A row for each problem and system, in the order of the runs."""
    names = dict.fromkeys(run.problem for run in runs)
    return [row for name in names for row in _rows(name, [run for run in runs if run.problem == name], units)]


def overall(runs: Sequence[Run], units: Mapping[str, Unit]) -> list[Standing]:
    """A row for each system, the best rank first."""
    return sorted(_rows(ALL, runs, units), key=lambda row: row.rank)


def overheads(run: Run) -> Array:
    """Seconds in ask and tell, (T,)."""
    both: Array = run.columns["solve"] + run.columns["fit"]
    return both


def slowness(runs: Sequence[Run], reference: str) -> dict[str, float]:
    """How many times as long as the reference a system takes for a suggestion: geometric mean over the shared runs.

    Both are timed up to the shorter horizon, without the first suggestion.
    """
    theirs = {(run.problem, run.seed): overheads(run) for run in runs if run.method == reference}
    logs: dict[str, list[float]] = {}
    for run in runs:
        other = theirs.get((run.problem, run.seed))
        if run.method != reference and other is not None:
            own = overheads(run)
            both = [times[1 : min(len(own), len(other))].sum() for times in (own, other)]
            if min(both) > 0.0:
                logs.setdefault(run.method, []).append(math.log(both[0] / both[1]))
    return {name: math.exp(math.fsum(values) / len(values)) for name, values in logs.items()}


def _rows(problem: str, runs: Sequence[Run], units: Mapping[str, Unit]) -> list[Standing]:
    judged = [ranks(runs, judge) for judge in (floored(units), simple, cumulative)]
    return [
        _row(problem, [run for run in runs if run.method == name], *(found[name] for found in judged))
        for name in judged[0]
    ]


def _row(problem: str, runs: Sequence[Run], by_floored: Rank, by_simple: Rank, by_cumulative: Rank) -> Standing:
    lengths = [len(run.columns["regret"]) for run in runs]
    units = [T * run.initial if problem == ALL else 1.0 for run, T in zip(runs, lengths, strict=True)]
    regret, regret_se = mean_and_error(
        cumulative(run, T) / unit if unit else math.nan for run, T, unit in zip(runs, lengths, units, strict=True)
    )
    logs = [_log10_simple(run, T, run.initial if problem == ALL else 1.0) for run, T in zip(runs, lengths, strict=True)]
    times = [overheads(run) for run in runs]
    return Standing(
        problem=problem,
        system=by_simple.system,
        problems=len({run.problem for run in runs}),
        runs=len(runs),
        iterations=max(lengths),
        regret=regret,
        regret_se=regret_se,
        log10_simple=float(np.median(logs)),
        rank=by_floored.rank,
        rank_se=by_floored.se,
        rank_all_digits=by_simple.rank,
        rank_all_digits_se=by_simple.se,
        rank_cumulative=by_cumulative.rank,
        rank_cumulative_se=by_cumulative.se,
        overhead=mean_and_error(np.concatenate([t[1:] for t in times]))[0],
        last_overhead=float(np.median(np.concatenate([t[-LAST:] for t in times]))),
        first_ask=float(np.median([run.columns["solve"][0] for run in runs])),
    )


def _log10_simple(run: Run, horizon: int, unit: float) -> float:
    """log10 r_min/unit; −inf where the initial design met the optimum exactly, as it can among integers."""
    found = simple(run, horizon)
    return math.log10(found / unit) if found > 0.0 else -math.inf
