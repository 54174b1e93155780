"""Solved: how many runs got to the right place, and after how many evaluations.

u    the problem's typical regret: the median regret of a uniform random point
n    points of the initial design, which count as evaluations
r_t  regret of the best point after t evaluations        a run is within 1 % once r_t ≤ u/100

A run that is there after the initial design counts all n. One that never got there counts as more than its budget, so
that the median is of all runs; it is "> budget" if half of them never did. Where the optimum is not known to be
attained, as in AutoML, nobody can say what is solved: such runs are not counted.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from research.problems import find
from research.problems.typical import typical_regret
from suffice.lab.plan import Plan
from suffice.lab.results import Run
from suffice.problems.titles import family
from suffice.text import UNKNOWN, digits

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
