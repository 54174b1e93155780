"""What a result says of itself in print: the answer, then how far it can be trusted, and what to do about it."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from suffice.markup import short_point, visible
from suffice.study.failures import failures
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.outputs import in_words
from suffice.study.reading.check import stated

LONG = 100  # values of a point that is printed whole
SHOWN = 6  # trials of a front
ANSWER = ("fun", "x")  # which several objectives do not have


def printed(result: Mapping[str, Any]) -> str:
    """A result in lines; "" of one that has nothing."""
    lines = [f"{key:>8}: {value}" for key, value in _rows(result)]
    if "accuracy" in result and result["accuracy"].verdict:
        lines.append(str(result["accuracy"]))
    if "history" in result:
        lines += map(str, stated(result["history"], result["accuracy"]))
    return "\n".join(lines)


def _rows(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    history: History | None = result.get("history")
    several = history is not None and history.settings.several
    for key in ("message", "success", "fun", "x", "nfev", "nit", "seed"):
        if key == "nfev" and history is not None:
            yield from _outputs(history)
        if key in result and not (several and key in ANSWER):
            yield key, short_point(result[key]) if key == "x" and np.size(result[key]) > LONG else result[key]
        if key == "message" and "trials" in result:
            failed = failures(result["trials"])
            if failed and failed not in result["message"]:
                yield "failed", failed


def _outputs(history: History) -> Iterator[tuple[str, str]]:
    """The front of several objectives, what the best point has of the constrained outputs, and how many are allowed."""
    limits, best = history.settings.constraints, history.best
    if history.settings.several:
        front = Front(history)
        yield "front", str(front)
        for trial in front.some(SHOWN):
            yield f"trial {trial.number}", f"{in_words(trial.values)} at {short_point(trial.point)}"
    if best is not None and limits:
        said = (f"{visible(name)} {best.values[name]:.6g}, {limit}" for name, limit in limits.items())
        yield "limits", "; ".join(said)
    if limits and history.done:
        yield "within", f"{len(history.feasible)} of {len(history.done)} evaluated points are within all limits"
