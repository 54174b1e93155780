"""A study in a line of a list: how many trials, the best of them or their front, and how that came about."""

from typing import Any

import numpy as np

from suffice.dashboard.columns import CANCELLED, DONE, FAILED, PENDING, STOPPED, Columns
from suffice.dashboard.fronts import front_of
from suffice.markup import visible

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
