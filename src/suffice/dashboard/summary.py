"""A study in a line of a list: how many trials, the best of them or their front, and how that came about."""

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from suffice.dashboard.table import (
    CANCELLED,
    DONE,
    FAILED,
    PENDING,
    STATES,
    STOPPED,
    Columns,
    shown,
)
from suffice.record.history import History
from suffice.record.outputs import Limit
from suffice.record.settings import Settings
from suffice.result.front import Front
from suffice.text import visible

#| -- dashboard.fronts: The front of a study of several objectives, from its columns: the same rules as
#| `result.front`, over plain data.
#|
#| V   (n,)   the hypervolume after each evaluation; of it, only the evaluations that raised it are told

# Evaluations of which the volume is followed, by the number of objectives: it takes 0.2 s at most.
FOLLOWED = {2: 5000, 3: 1000, 4: 400, 5: 150}


class Told(NamedTuple):
    """What a front has to know of a trial."""

    number: int
    state: str
    values: dict[str, float]
    feasible: bool


class Suggested(NamedTuple):
    """And of the last suggestion."""

    reference: dict[str, float] | None


@dataclass(frozen=True)
class Record:
    """The history of a study, as far as a front asks for it."""

    settings: Settings
    trials: tuple[Told, ...]
    last: Suggested | None

    @property
    def feasible(self) -> tuple[Told, ...]:
        return tuple(trial for trial in self.trials if trial.feasible)


def front_of(columns: Columns) -> dict[str, Any] | None:
    """The front as JSON; None where there is one objective. The caller holds the lock of the columns.

        {"trials": […], "knee": 7, "reference": [0.4, −139.0], "growth": [[3, 0.5], [7, 1.25]]}

    Numbers of trials by the first objective; `growth` is null where it would take too long.
    """
    settings = columns.settings
    if settings is None or not settings.several:
        return None
    if columns.front is None or columns.front[0] != columns.revision:
        columns.front = columns.revision, _computed(columns, settings)
    return columns.front[1]


def outputs_of(columns: Columns) -> list[dict[str, Any]]:
    """What an evaluation returns: each output with its name as the page has it, its sense, or its limit."""
    settings = columns.settings
    if settings is None:
        return []
    names, found = _distinct([shown(name) for name in settings.outputs]), []
    for name, seen in zip(settings.outputs, names, strict=True):
        limit: Limit | None = settings.constraints.get(name)
        sense = None if limit is not None else settings.objectives[name]
        words = {"name": seen, "sense": sense, "larger": settings.sign(name) > 0}
        found.append(
            {**words, "limit": None if limit is None else limit.limit, "said": None if limit is None else str(limit)}
        )
    return found


def _distinct(names: list[str]) -> list[str]:
    """The same, each with a number where it came before."""
    return [name if name not in names[:i] else f"{name} ({i + 1})" for i, name in enumerate(names)]


def _computed(columns: Columns, settings: Settings) -> dict[str, Any]:
    front = Front(cast("History", _record(columns, settings)))
    trials = front.trials
    reference = front.reference
    found: dict[str, Any] = {
        "trials": [trial.number for trial in trials],
        "knee": front.knee().number if trials else None,
        "reference": None if reference is None else [reference[name] for name in settings.objectives],
        "growth": None,
    }
    if len(front.values) <= FOLLOWED.get(len(settings.objectives), 0):
        evaluated = [i for i, state in enumerate(columns.state) if state in (DONE, FAILED)]
        V = front.hypervolume
        found["growth"] = [[evaluated[i], float(V[i])] for i in np.flatnonzero(np.diff(V, prepend=0.0) > 0.0)]
    return found


def _record(columns: Columns, settings: Settings) -> Record:
    outputs = columns.outputs
    trials = tuple(
        Told(
            i,
            STATES[state],
            {name: column[i] for name, column in outputs.items() if column[i] == column[i]},
            state == DONE and columns.feasible[i] == 1,
        )
        for i, state in enumerate(columns.state)
    )
    return Record(settings, trials, _last(columns))


def _last(columns: Columns) -> Suggested | None:
    """The reference point of the last suggestion that was not cancelled."""
    first = next(iter(columns.reference.values()))
    for i in range(len(columns) - 1, -1, -1):
        if first[i] == first[i] and STATES[columns.state[i]] != "cancelled":
            return Suggested({name: column[i] for name, column in columns.reference.items()})
    return None


AIMS = 200  # letters
SPARK = 60  # values of the best so far that a list shows


def counted(columns: Columns) -> dict[str, Any]:
    """What the trials so far come to."""
    settings = columns.settings
    front = front_of(columns)
    aims = "minimize" if settings is None else settings.aims
    number, best, spark = _progress(columns) if front is None else (front["knee"], None, _growth(front))
    counts = {"done": DONE, "failed": FAILED, "stopped": STOPPED, "pending": PENDING, "cancelled": CANCELLED}
    return {
        "sense": "minimize" if settings is None or settings.several else settings.sense,
        "aims": visible(aims, AIMS),
        "best": best,
        "best_number": number,
        "front": None if front is None else len(front["trials"]),
        "trials": len(columns),
        **{word: columns.counts[state] for word, state in counts.items()},
        "feasible": columns.feasible.count(1) if settings is not None and settings.constraints else None,
        "revision": columns.revision,
        "spark": spark,
    }


def _progress(columns: Columns) -> tuple[int | None, float | None, list[float]]:
    """The first of the best trials, its value, and the best so far at as many trials as a small picture shows.

    Within all limits, if there are some.
    """
    done = np.flatnonzero(np.array(columns.feasible, dtype=np.uint8) == 1)
    done = done[np.array(columns.state, dtype=np.uint8)[done] == DONE]
    if not len(done) or columns.settings is None:
        return None, None, []
    values = np.array(columns.value)[done]
    sign = columns.settings.sign()
    first = int(np.argmax(sign * values))
    best = sign * np.maximum.accumulate(sign * values)
    return int(done[first]), float(values[first]), _thinned(best.tolist())


def _growth(front: dict[str, Any]) -> list[float]:
    """The hypervolume at as many of the evaluations that raised it."""
    return _thinned([volume for _, volume in front["growth"] or []])


def _thinned(values: list[float]) -> list[float]:
    places = np.unique(np.linspace(0, len(values) - 1, min(SPARK, len(values))).round().astype(int))
    return [values[place] for place in places] if values else []
