"""What a person wants to see of a study: what is searched, what became of it so far, and how far it can be trusted."""

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from suffice import text as markup
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import paragraph
from suffice.record.history import History
from suffice.record.outputs import in_words
from suffice.record.settings import Opaque, Settings
from suffice.record.trial import Trial
from suffice.result.diagnostics import stated
from suffice.result.feasibility import beyond_limits
from suffice.result.findings import failures, remedies
from suffice.result.front import Front
from suffice.space import AbsentSpace
from suffice.space.constraints import text
from suffice.text import (
    short_point,
    visible,  # others have it from here
)

BEST, LISTED = 5, 10  # best trials and pending ones, parameters beyond a screen: enough to recognize a study
PARAMETERS = 40


def overview(history: History, accuracy: Accuracy) -> str:
    """A study in lines of text, whatever its names and options are."""
    parts = (_space, _settings, _trials, _best, _pending)
    blocks = [block for part in parts if (block := list(part(history)))]
    if accuracy.verdict:
        blocks.append(["Accuracy", str(accuracy), *map(str, remedies(history.settings, accuracy))])
    if history.notes:
        blocks.append(["Notes", *(paragraph(f"- {visible(note, 500)}", "  ") for note in history.notes)])
    return "\n\n".join("\n".join(block) for block in blocks)


def brief(part: Any) -> str:
    """A part with those of its settings that are not the default, or what a file says about it."""
    if isinstance(part, Opaque):
        return f"{visible(part.text, 200)} (not of this library: the file has its text only)"
    return markup.brief(part)


# ---------------------------------------------------------------------- block by block


def _space(history: History) -> Iterator[str]:
    space = history.settings.space
    yield "Space"
    if not space.params:
        absent = f"{space.text}, known by its description only" if isinstance(space, AbsentSpace) else repr(space)
        yield f"  {visible(absent, 400)}"
        return
    width = max(len(visible(name)) for name in space.params)
    for name, parameter in list(space.params.items())[:PARAMETERS]:
        said = repr(parameter) if hasattr(parameter, "options") else brief(parameter)
        yield f"  {visible(name):<{width}}  {visible(said, 200)}"
    if len(space.params) > PARAMETERS:
        yield f"  … and {len(space.params) - PARAMETERS} more"
    for predicate in getattr(space, "where", ()):
        yield f"  where {visible(text(predicate), 200)}"


def _settings(history: History) -> Iterator[str]:
    settings: Settings = history.settings
    yield "Settings"
    senses = ", ".join(
        sense if name == "value" else f"{sense} {visible(name)}" for name, sense in settings.objectives.items()
    )
    yield f"  {'objectives' if settings.several else 'sense':<11}  {senses}"
    for name, limit in settings.constraints.items():
        yield f"  constraint   {visible(name)} {limit}"
    if settings.reference is not None:
        yield f"  reference    {in_words(settings.reference)}"
    yield f"  seed         {settings.seed}"
    yield f"  n_initial    {settings.n_initial}"
    for word in ("model", "acquisition", "solver"):
        yield f"  {word:<11}  {brief(getattr(settings, word))}"
    for word in ("repeat", "certify", "certify_share", "resolution", "audit", "early_stop"):
        value = getattr(settings, word)
        if value not in (None, False):
            yield f"  {word:<11}  {value}"


def _trials(history: History) -> Iterator[str]:
    """How many there are of each state, where their points came from, and why some failed."""
    states: Counter[str] = Counter(trial.state for trial in history.trials)
    origins: Counter[str] = Counter(trial.origin for trial in history.trials)
    yield "Trials"
    if not history.trials:
        yield "  none yet"
        return
    yield f"  {len(history.trials)}: {_counts(states, ('done', 'failed', 'stopped', 'pending', 'cancelled'))}"
    yield f"  points from {_counts(origins, ('model', 'design', 'given', 'foreign'))}"
    if history.settings.constraints and history.done:
        yield f"  within all limits: {len(history.feasible)} of {len(history.done)}"
    if history.failed:
        causes = Counter(trial.cause or "failed" for trial in history.failed)
        last = max(history.failed, key=lambda trial: trial.told or 0)
        yield f"  failures by cause: {', '.join(f'{cause} {count}' for cause, count in causes.most_common())}"
        yield f"  the last one, trial {last.number}: {visible(last.reason or 'no reason given', 200)}"


def _counts(counted: Mapping[str, int], order: Sequence[str]) -> str:
    return ", ".join(f"{word} {counted[word]}" for word in order if counted[word])


def _best(history: History) -> Iterator[str]:
    """The best trials, or some of the front; where none is within all limits, the one that is the least beyond."""
    if history.settings.several and history.feasible:
        front = Front(history)
        some = front.some(BEST)
        yield f"Front: {front}"
        yield from _listed(some, [in_words(trial.values) for trial in some])
    elif history.best is not None:
        sign = history.settings.sign()
        best = heapq.nlargest(BEST, history.feasible, key=lambda t: (sign * (t.value or 0.0), -t.number))
        yield "Best"
        yield from _listed(best, [in_words(trial.values) for trial in best])
    elif beyond := beyond_limits(history):
        yield "Best"
        yield paragraph(f"  {beyond}", "  ")


def _pending(history: History) -> Iterator[str]:
    if history.pending:
        yield f"Pending: {len(history.pending)}, asked and not told"
        yield from _listed(history.pending[:LISTED], [""] * LISTED)
        if len(history.pending) > LISTED:
            yield f"  … and {len(history.pending) - LISTED} more"


def _listed(trials: Sequence[Trial], values: Sequence[str]) -> Iterator[str]:
    wide, high = max(len(str(trial.number)) for trial in trials), max(map(len, values))
    for trial, value in zip(trials, values, strict=False):
        start = f"  trial {trial.number:<{wide}}  {value:<{high}}{'  ' if high else ''}"
        yield paragraph(start + _point(trial.point), " " * len(start))


def _point(point: Any) -> str:
    if isinstance(point, Mapping):
        return ", ".join(f"{visible(name)}={_value(value)}" for name, value in point.items())
    if isinstance(point, np.ndarray) and point.ndim == 1:
        point = point.tolist()
    if isinstance(point, list | tuple):
        return "[" + ", ".join(map(_value, point)) + "]"
    return _value(point)


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else visible(repr(value))


#| -- study.reading.printed: What a result says of itself in print: the answer, then how far it can be trusted, and
#| what to do about it.

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
