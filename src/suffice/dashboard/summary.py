"""A study in a line of a list: how many trials, the best of them, and how the best value came about."""

from typing import Any

import numpy as np

from suffice.dashboard.columns import CANCELLED, DONE, FAILED, PENDING, Columns

SPARK = 60  # values of the best so far that a list shows


def counted(columns: Columns) -> dict[str, Any]:
    """What the trials so far come to."""
    sense = "minimize" if columns.settings is None else columns.settings.sense
    number, best, spark = _progress(columns, sense)
    counts = {"done": DONE, "failed": FAILED, "pending": PENDING, "cancelled": CANCELLED}
    return {
        "sense": sense,
        "best": best,
        "best_number": number,
        "trials": len(columns),
        **{word: columns.counts[state] for word, state in counts.items()},
        "revision": columns.revision,
        "spark": spark,
    }


def _progress(columns: Columns, sense: str) -> tuple[int | None, float | None, list[float]]:
    """The first of the best trials, its value, and the best so far at as many trials as a small picture shows."""
    done = np.flatnonzero(np.array(columns.state, dtype=np.uint8) == DONE)
    if not len(done):
        return None, None, []
    values = np.array(columns.value)[done]
    sign = 1.0 if sense == "maximize" else -1.0
    first = int(np.argmax(sign * values))
    best = sign * np.maximum.accumulate(sign * values)
    shown = np.unique(np.linspace(0, len(best) - 1, min(SPARK, len(best))).round().astype(int))
    return int(done[first]), float(values[first]), best[shown].tolist()
