"""What failed in a run, in sentences: how many evaluations, why, and where."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from suffice.accuracy.calibration import LEVEL
from suffice.checks import short
from suffice.markup import visible
from suffice.space import Float, Int, Listed, Parameter, active_coordinates
from suffice.study.finding import Finding
from suffice.study.history import History, rows
from suffice.study.trial import EVALUATED, Trial
from suffice.types import Coordinate

Trials: TypeAlias = Sequence[Trial]

REASON = 200  # letters of a reason
ALWAYS = 3  # evaluations of one option, or beyond one value, that all failed: fewer may be chance
TWICE = 2  # evaluations of an option: since the search stays away from what failed, there are often no more


def failures(trials: Trials) -> str:
    """Such as "27 of 30 evaluations failed (25 raised, 2 timed out); the last: MemoryError"; "" if none failed."""
    failed = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    tried = sum(trial.state in EVALUATED for trial in trials)
    causes = Counter(trial.cause for trial in failed)
    split = f" ({', '.join(f'{n} {cause}' for cause, n in causes.most_common())})" if len(causes) > 1 else ""
    last = visible(failed[-1].reason or "no reason given", REASON)
    return f"{len(failed)} of {tried} evaluations failed{split}; the last: {last}"


def is_failure(trials: Trials) -> bool:
    """Whether a run is none that one would call a success: it found no value, or more than half of it failed."""
    states = Counter(trial.state for trial in trials)
    return not states["done"] or states["failed"] > states["done"] + states["stopped"]


def where_it_fails(history: History) -> tuple[Finding, ...]:
    """Options with which, and bounds beyond which, every evaluation failed."""
    space = history.settings.space
    found: list[str] = []
    if not history.failed or not history.done:
        return ()
    active = [active_coordinates(space, rows(trials, space.dim)) for trials in (history.failed, history.done)]
    for i, coordinate in enumerate(space.coordinates):
        parameter = space.params.get(coordinate.name)
        said = _options if isinstance(parameter, Listed) else _sides if isinstance(parameter, Float | Int) else None
        if said is not None and parameter is not None:  # a trial that lacks the parameter says nothing about it
            failed, done = (
                [trial for trial, here in zip(trials, known[:, i].tolist(), strict=True) if here]
                for trials, known in zip((history.failed, history.done), active, strict=True)
            )
            found += said(failed, done, coordinate, parameter)
    remedy = "If it has to be so, leave this part out of the space, or say where it begins by `where=`."
    return tuple(Finding("failures", sentence, remedy) for sentence in found)


def _options(bad: Trials, good: Trials, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """The options of a choice that always failed, by more than chance makes of failures that any option may have."""

    def counted(trials: Trials) -> Counter[int]:
        return Counter(id(parameter.from_unit(trial.unit[coordinate.columns])) for trial in trials)  # its very objects

    failed, done = counted(bad), counted(good)
    options = getattr(parameter, "options", ())
    for option in options:
        n = failed[id(option)]
        if not done[id(option)] and (n >= ALWAYS or (n == TWICE and len(options) * _by_chance(n, bad, good) <= LEVEL)):
            yield f"All {n} evaluations with {visible(coordinate.name)}={short(option)} failed."


def _by_chance(n: int, bad: Trials, good: Trials) -> float:
    """The probability that n given evaluations all failed, if it could have been any."""
    return math.comb(len(bad), n) / math.comb(len(bad) + len(good), n)


def _sides(bad: Trials, good: Trials, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """Whether all failed beyond the largest value that ever worked, or the smallest, and most of the failures did."""
    if not good:
        return
    u, failed = (np.array([trial.unit[coordinate.start] for trial in trials]) for trials in (good, bad))
    for sign, word in ((1.0, "above"), (-1.0, "below")):
        last = u[np.argmax(sign * u)]
        n = int(np.count_nonzero(sign * failed > sign * last))
        if n >= ALWAYS and 2 * n > len(failed):
            value = parameter.from_unit(np.array([last]))
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            name = visible(coordinate.name)
            yield f"All {n} evaluations with {name} {word} {shown} failed; most of the failures were there."
