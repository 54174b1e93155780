"""What failed in a run, in sentences: how many evaluations, why, and where."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from suffice.checks import short
from suffice.space import Float, Int, Listed, Parameter
from suffice.study.finding import Finding
from suffice.study.history import History
from suffice.study.trial import Trial
from suffice.types import Coordinate

ALWAYS = 3  # evaluations of one option, or beyond one value, that all failed: fewer may be chance


def failures(trials: Sequence[Trial]) -> str:
    """Such as "27 of 30 evaluations failed (25 raised, 2 timed out); the last: MemoryError"; "" if none failed."""
    failed = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    tried = sum(trial.state in ("done", "failed") for trial in trials)
    causes = Counter(trial.cause for trial in failed)
    split = f" ({', '.join(f'{n} {cause}' for cause, n in causes.most_common())})" if len(causes) > 1 else ""
    return f"{len(failed)} of {tried} evaluations failed{split}; the last: {failed[-1].reason}"


def is_failure(trials: Sequence[Trial]) -> bool:
    """Whether a run is none that one would call a success: it found no value, or more than half of it failed."""
    states = Counter(trial.state for trial in trials)
    return not states["done"] or states["failed"] > states["done"]


def where_it_fails(history: History) -> tuple[Finding, ...]:
    """Options with which, and bounds beyond which, every evaluation failed."""
    space = history.settings.space
    found: list[str] = []
    if not history.failed or not history.done:
        return ()
    for coordinate in space.coordinates:
        parameter = space.params.get(coordinate.name)
        said = _options if isinstance(parameter, Listed) else _sides if isinstance(parameter, Float | Int) else None
        if said is not None and parameter is not None:
            found += said(history, coordinate, parameter)
    remedy = "If it has to be so, leave this part out of the space, or say where it begins by `where=`."
    return tuple(Finding("failures", sentence, remedy) for sentence in found)


def _options(history: History, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """The options of a choice that always failed."""

    def counted(trials: Sequence[Trial]) -> Counter[int]:
        return Counter(id(parameter.from_unit(trial.unit[coordinate.columns])) for trial in trials)  # its very objects

    failed, done = counted(history.failed), counted(history.done)
    for option in getattr(parameter, "options", ()):
        n = failed[id(option)]
        if n >= ALWAYS and not done[id(option)]:
            yield f"All {n} evaluations with {coordinate.name}={short(option)} failed."


def _sides(history: History, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """Whether all failed beyond the largest value that ever worked, or the smallest, and most of the failures did."""
    u, failed = (
        np.array([trial.unit[coordinate.start] for trial in trials]) for trials in (history.done, history.failed)
    )
    for sign, word in ((1.0, "above"), (-1.0, "below")):
        last = u[np.argmax(sign * u)]
        n = int(np.count_nonzero(sign * failed > sign * last))
        if n >= ALWAYS and 2 * n > len(failed):
            value = parameter.from_unit(np.array([last]))
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            yield f"All {n} evaluations with {coordinate.name} {word} {shown} failed; most of the failures were there."
