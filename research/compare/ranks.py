"""Who beats whom: systems are compared two at a time, since not all of them have the same runs.

b(A, B)   the share of the runs of A and B with the same problem and seed that B wins; a tie is half a win
rank(A)   1 + Σ_B b(A, B): the mean rank that A would have if the runs were complete and each pair as it is

A run is judged at the shorter of the two horizons. The standard error is the jackknife's, leaving out one problem at a
time, since runs on one problem do not stand for others; of a single problem, one seed at a time.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from research.compare.solved import Unit
from suffice.lab.results import Run

FLOOR = 1e-4  # of the typical regret: a hundredth of what counts as solved
RESOLUTION = 1e-9  # of the initial regret: two regrets below are a tie, rounding decides between them

Key = tuple[str, int]  # problem and seed
Judge = Callable[[Run, int], float]  # of a run after so many iterations: lower is better


@dataclass(frozen=True)
class Rank:
    """A mean rank, 1 being the best."""

    system: str
    rank: float
    se: float  # nan: from a single problem and seed
    opponents: int  # that it shares runs with


@dataclass(frozen=True)
class Duel:
    """Two systems on the runs that they share."""

    system: str
    opponent: str
    runs: int
    wins: float  # share of the runs that the system wins


def simple(run: Run, horizon: int) -> float:
    """The best regret after so many iterations, the initial design included."""
    return max(float(run.simple[horizon - 1]), RESOLUTION * run.initial)


def cumulative(run: Run, horizon: int) -> float:
    """R_t of so many iterations."""
    return max(float(run.cumulative[horizon - 1]), RESOLUTION * run.initial)


def floored(units: Mapping[str, Unit]) -> Judge:
    """The best regret, but nobody needs digits beyond the fourth of the typical regret: below, two are a tie."""

    def judge(run: Run, horizon: int) -> float:
        floor = FLOOR * units[run.problem].regret if run.problem in units else 0.0
        return max(simple(run, horizon), floor)

    return judge


def duels(runs: Iterable[Run], judge: Judge) -> list[Duel]:
    """Every system against every other one that it shares runs with."""
    found = by_system(runs)
    tallies = {(a, b): _tally(found[a], found[b], judge) for a in found for b in found if a != b}
    return [
        Duel(a, b, len(tally), sum(1.0 - beaten for beaten in tally.values()) / len(tally))
        for (a, b), tally in tallies.items()
        if tally
    ]


def ranks(runs: Iterable[Run], judge: Judge) -> dict[str, Rank]:
    """The mean rank of each system among those that it shares runs with."""
    everyone = by_system(runs)
    found = {}
    for name, own in everyone.items():
        tallies = [_tally(own, other, judge) for rival, other in everyone.items() if rival != name]
        tallies = [tally for tally in tallies if tally]
        shares = [_share(tally.values()) for tally in tallies]
        found[name] = Rank(name, 1.0 + math.fsum(shares), _jackknife(tallies, shares), len(tallies))
    return found


def by_system(runs: Iterable[Run]) -> dict[str, dict[Key, Run]]:
    """The runs of each system, by problem and seed."""
    found: dict[str, dict[Key, Run]] = {}
    for run in runs:
        found.setdefault(run.method, {})[run.problem, run.seed] = run
    return found


def _tally(first: Mapping[Key, Run], second: Mapping[Key, Run], judge: Judge) -> dict[Key, float]:
    """How far the first is beaten in each shared run: 1, ½ in a tie, 0."""
    return {key: _beaten(run, second[key], judge) for key, run in first.items() if key in second}


def _beaten(first: Run, second: Run, judge: Judge) -> float:
    horizon = min(len(first.columns["regret"]), len(second.columns["regret"]))
    mine, theirs = judge(first, horizon), judge(second, horizon)
    return 0.5 + 0.5 * float(np.sign(mine - theirs))


def _share(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known)


def _jackknife(tallies: Sequence[Mapping[Key, float]], shares: Sequence[float]) -> float:
    """√((m − 1)/m · Σ (θ_i − θ̄)²), θ_i being Σ b without block i of m; a pair that block i is all of stays as it is."""
    place = 0 if len({key[0] for tally in tallies for key in tally}) > 1 else 1
    blocks = {key[place] for tally in tallies for key in tally}
    if len(blocks) < 2:
        return math.nan
    thetas = []
    for block in blocks:
        kept = [[beaten for key, beaten in tally.items() if key[place] != block] for tally in tallies]
        thetas.append(math.fsum(_share(rest) if rest else share for rest, share in zip(kept, shares, strict=True)))
    return math.sqrt((len(blocks) - 1) * float(np.var(thetas)))
