"""What the runs of each system come to: who solved what, who beats whom, and where each stands.

Solved    how many runs got to the right place, and after how many evaluations
u         the problem's typical regret: the median regret of a uniform random point
n         points of the initial design, which count as evaluations
r_t       regret of the best point after t evaluations        a run is within 1 % once r_t ≤ u/100

A run that is there after the initial design counts all n. One that never got there counts as more than its budget, so
that the median is of all runs; it is "> budget" if half of them never did. Where the optimum is not known to be
attained, as in AutoML, nobody can say what is solved: such runs are not counted.

Ranks     systems are compared two at a time, since not all of them have the same runs
b(A, B)   the share of the runs of A and B with the same problem and seed that B wins; a tie is half a win
rank(A)   1 + Σ_B b(A, B): the mean rank that A would have if the runs were complete and each pair as it is

A run is judged at the shorter of the two horizons. The standard error is the jackknife's, leaving out one problem at a
time, since runs on one problem do not stand for others; of a single problem, one seed at a time.

Standings
r_0       regret of the best initial point                    R_T, r_min  cumulative and simple regret at the end
overhead  seconds in ask and tell, for one suggestion; the first ask is apart, since much is loaded or compiled in it
"""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from research.problems import find
from research.problems.typical import typical_regret
from suffice.lab.plan import Plan
from suffice.lab.report import mean_and_error
from suffice.lab.results import Run
from suffice.problems.functions import family
from suffice.text import UNKNOWN, digits
from suffice.types import Array

CLOSE, CLOSER = 0.01, 0.001  # of the typical regret
ALL = "all"  # in place of a family's name


@dataclass(frozen=True)
class Unit:
    """What the regrets and evaluations of a problem are counted by."""

    regret: float  # u
    initial: int  # n


@dataclass(frozen=True)
class Solved:
    """A system on the problems of a family, or on all."""

    family: str
    system: str
    runs: int  # that can be counted
    within_1: int  # of them within 1 %
    within_01: int  # of them within 0.1 %
    evaluations: float  # to 1 %, median over the runs; inf: half of them never got there
    budget: int  # evaluations of the shortest run

    @property
    def share(self) -> str:
        """ "8 of 10" """
        return f"{self.within_1} of {self.runs}" if self.runs else UNKNOWN

    @property
    def closer_share(self) -> str:
        return f"{self.within_01} of {self.runs}" if self.runs else UNKNOWN

    @property
    def effort(self) -> str:
        """ "23", or "> 50" """
        if not self.runs:
            return UNKNOWN
        return digits(self.evaluations) if math.isfinite(self.evaluations) else f"> {self.budget}"


def units(plan: Plan) -> dict[str, Unit]:
    """The unit of each problem of a plan whose optimum is known to be attained."""
    known = {task.problem: (_typical(task.problem), task.initial) for task in plan.tasks}
    return {name: Unit(regret, n) for name, (regret, n) in known.items() if regret is not None}


def by_family(runs: Sequence[Run], units: Mapping[str, Unit]) -> list[Solved]:
    """A row for each family and system, in the order of the runs; then one for each system on all problems."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for name in (family, _everything):
        for run in runs:
            groups.setdefault((name(run.problem), run.method), []).append(run)
    return [_counted(*key, [run for run in group if run.problem in units], units) for key, group in groups.items()]


def evaluations(run: Run, unit: Unit, share: float) -> float:
    """How many it took to be within a share of the typical regret; inf: more than there were."""
    if run.initial <= share * unit.regret:
        return unit.initial
    within = np.flatnonzero(run.columns["regret"] <= share * unit.regret)
    return unit.initial + int(within[0]) + 1 if len(within) else math.inf


@cache
def _typical(name: str) -> float | None:
    """A problem's typical regret, None if its optimum is a bound: nobody evaluates 10 000 points twice."""
    problem = find(name)
    return typical_regret(problem) if problem.minimizers else None


def _everything(problem: str) -> str:  # noqa: ARG001  whatever it is
    return ALL


def _counted(name: str, system: str, runs: Sequence[Run], units: Mapping[str, Unit]) -> Solved:
    close, closer = (np.array([evaluations(r, units[r.problem], share) for r in runs]) for share in (CLOSE, CLOSER))
    return Solved(
        family=name,
        system=system,
        runs=len(runs),
        within_1=int(np.isfinite(close).sum()),
        within_01=int(np.isfinite(closer).sum()),
        evaluations=_median(close.tolist()),
        budget=min((units[run.problem].initial + len(run.columns["regret"]) for run in runs), default=0),
    )


def _median(values: Sequence[float]) -> float:
    """The middle one, or the mean of two, of which one may be infinite."""
    return statistics.median(values) if values else math.nan


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
