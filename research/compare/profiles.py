"""Performance profiles: in what share of the runs is a system within a factor of the best? [Dolan and Moré 2002]

The best is the best of a field: systems with the same runs, cut at the same horizons. A system that has runs to itself
would be the best of them for no merit, so a contest with caps falls into several fields.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from research.compare.ranks import Judge, Key, by_system
from suffice.lab.results import Run
from suffice.types import Array


@dataclass(frozen=True)
class Field:
    """Systems with a run on each of the same problems and seeds."""

    runs: dict[str, dict[Key, Run]] = field(repr=False)  # by system, then by problem and seed

    @property
    def size(self) -> int:
        return len(next(iter(self.runs.values())))

    def ratios(self, judge: Judge) -> dict[str, Array]:
        """The regret of each run over the lowest one at the shortest horizon, by system, ascending: 1 is the best."""
        keys = next(iter(self.runs.values()))
        table = np.array([_judged([own[key] for own in self.runs.values()], judge) for key in keys])
        lowest = table.min(axis=1, keepdims=True)
        shares = np.divide(table, lowest, out=np.ones_like(table), where=lowest > 0.0)
        return {name: np.sort(shares[:, column]) for column, name in enumerate(self.runs)}


def fields(runs: Sequence[Run]) -> list[Field]:
    """For each set of runs that some system has, all systems that have these too; the largest field first."""
    found = by_system(runs)
    sets = dict.fromkeys(frozenset(own) for own in found.values())
    made = [Field({name: _only(keys, own) for name, own in found.items() if keys <= own.keys()}) for keys in sets]
    return sorted((one for one in made if len(one.runs) > 1), key=lambda one: -len(one.runs))


def share_within(ratios: Array, factors: Array) -> Array:
    """The share of the ratios, ascending, that are at most each factor, (k,)."""
    share: Array = np.searchsorted(ratios, factors, side="right") / len(ratios)
    return share


def _only(keys: Iterable[Key], runs: Mapping[Key, Run]) -> dict[Key, Run]:
    return {key: runs[key] for key in sorted(keys)}


def _judged(runs: Sequence[Run], judge: Judge) -> list[float]:
    horizon = min(len(run.columns["regret"]) for run in runs)
    return [judge(run, horizon) for run in runs]
