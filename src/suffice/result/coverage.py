"""Which parts of the space a run explored, and which it did not: a pure function of its history.

`coverage` has the findings. `unexplored` returns, for a stopping rule, the choices with options that were tried too
rarely to rule out that one of them is better: an option may need its own values of the k numeric parameters, so it
counts as explored once it was tried 2k − 1 times, and at least once. (With k trials, runs stopped at the wrong one of
five models with three numbers each; with 2k, hardly a run with eight options and one number stopped.) Embedded options
(space/options.py) need one trial: what they have in common lets the model predict those that were never tried.

X     (n, d)  the trials with a value, in the order of observation, rows of the unit cube
y     (n,)    their values                        spread  float  the largest − the smallest of them
K     int     combinations of the options of all choices
"""

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.checks import short
from suffice.record.history import History, rows
from suffice.record.trial import EVALUATED, State
from suffice.result.findings import CHANCE, WORTH, Finding
from suffice.result.front import Front
from suffice.result.predict import point_to_use
from suffice.space import Choice, Float, Listed, Parameter, active_coordinates
from suffice.text import visible
from suffice.types import Array, Coordinate

SAME = 1e-3  # of a parameter's range: a difference that few users would act on
NAMED = 3  # of a list: enough to recognize what is meant


def coverage(history: History, relevant: Collection[str] | None = None) -> tuple[Finding, ...]:
    """The findings about where the run explored.

    relevant    the parameters whose bounds matter; None: all, since nobody knows
    """
    choices = _choices(history)
    if not any(trial.state in EVALUATED for trial in history.trials):
        return ()
    always = [choice for choice in choices if not history.settings.space.params[choice.name].when]
    begun = _choices(history, (*EVALUATED, "pending"))
    found = (*map(_options, begun), _combinations(always), _repeats(history), _bounds(history, relevant))
    return tuple(finding for finding in found if finding is not None)


@dataclass(frozen=True)
class _Options:
    """A choice, and the option, by its position, that each trial had."""

    name: str
    options: tuple[Hashable, ...]
    seen: tuple[int, ...]
    ordered: bool
    related: bool


def _choices(history: History, states: Collection[State] = EVALUATED) -> list[_Options]:
    """The listed parameters; failed and pruned trials count, since they were made."""
    space = history.settings.space
    tried = rows([trial for trial in history.trials if trial.state in states], space.dim)
    active, found = active_coordinates(space, tried), []
    for j, coordinate in enumerate(space.coordinates):
        choice = space.params.get(coordinate.name)
        if isinstance(choice, Listed):
            order = {id(option): i for i, option in enumerate(choice.options)}  # `from_unit` returns these very objects
            seen = (order[id(choice.from_unit(row))] for row in tried[active[:, j], coordinate.columns])
            ordered, related = not isinstance(choice, Choice), coordinate.places is not None
            found.append(_Options(coordinate.name, choice.options, tuple(seen), ordered, related))
    return found


def _options(choice: _Options) -> Finding | None:
    """The options of one choice that no trial had."""
    missing = sorted(set(range(len(choice.options))) - set(choice.seen))
    if not missing:
        return None
    was = "was" if len(missing) == 1 else "were"
    return Finding(
        "options",
        f"{len(missing)} of {len(choice.options)} options of {visible(choice.name)} {was} never evaluated: "
        f"{listed([short(choice.options[j]) for j in missing])}.",
        "It may be better: add a point with it to x0 to find out."
        if len(missing) == 1
        else "One of them may be better: add points with them to x0 to find out.",
        "warning",
        f"{listed([short(choice.options[j]) for j in missing])} of {visible(choice.name)} {was} never evaluated: try "
        f"{'it' if len(missing) == 1 else 'them'}",
    )


def _combinations(choices: Sequence[_Options]) -> Finding | None:
    """How many of the combinations of several choices were tried, if a run of this length could try many."""
    if len(choices) < 2:
        return None
    n, K = len(choices[0].seen), math.prod(len(choice.options) for choice in choices)
    tried = len(set(zip(*(choice.seen for choice in choices), strict=True)))
    if tried == K or K > 10 * n:  # of more combinations, a run that tried another one each time would not see a tenth
        return None
    return Finding(
        "combinations",
        f"{tried} of the {K} combinations of {listed([visible(choice.name) for choice in choices])} "
        f"{'was' if tried == 1 else 'were'} tried in {n} trials.",
        "The model extrapolates to the others: if the choices interact, add points with them to x0.",
        brief=f"{tried} of {K} combinations of {listed([visible(choice.name) for choice in choices])} were tried",
    )


def _repeats(history: History) -> Finding | None:
    """Trials that repeat an earlier point and its values."""
    outputs, fewer = history.settings.outputs, "evaluate each point once"
    Y = np.array([[trial.values.get(name, np.nan) for name in outputs] for trial in history.done], dtype=float)
    X = rows(history.done, history.settings.space.dim)
    Y = Y.reshape(len(X), len(outputs))
    whole = np.hstack((X, Y))[~np.isnan(Y).any(axis=1)]  # a trial that lacks a value repeats nothing
    repeated, n = len(whole) - len({row.tobytes() for row in whole}), len(X)
    if not repeated or repeated < WORTH * n:
        return None
    value, what = "value" if len(outputs) == 1 else "values", "repeats" if repeated == 1 else "repeat"
    return Finding(
        "repeats",
        f"{repeated} of {n} trials {what} an earlier one: the same point and the same {value}.",
        f"Without noise a repeated evaluation adds nothing: {fewer}.",
        brief=f"{repeated} of {n} trials {what} an earlier one: {fewer}",
    )


def _bounds(history: History, relevant: Collection[str] | None) -> Finding | None:
    """The parameters on a bound of which the answer lies: the best point, the recommended one, or the whole front."""
    several, use = history.settings.several, point_to_use(history)
    which = "best" if use is None else use.kind
    answer = Front(history).trials if several else () if use is None else (use.trial,)
    if len(answer) < (CHANCE if several else 1):
        return None
    found = [_bounds_at(history, trial.unit, relevant) for trial in answer]
    bounds = [bound for bound in found[0] if all(bound in other for other in found)]
    if not bounds:
        return None
    widen, limit = ("it", "it is a natural limit") if len(bounds) == 1 else ("them", "they are natural limits")
    return Finding(
        "bounds",
        f"{f'All {len(answer)} points of the front lie' if several else f'The {which} point lies'} on "
        f"{listed(bounds)}.",
        f"The optimum may lie beyond: widen {widen}, unless {limit}, such as 0 or 1 for a fraction.",
        "warning",
        f"{'the whole front' if several else f'{which} point'} on {listed(bounds)}: widen {widen} if possible",
    )


def _bounds_at(history: History, x: Array, relevant: Collection[str] | None) -> list[str]:
    """The bounds of relevant parameters on which a point lies, (d,), in words."""
    space = history.settings.space
    active = active_coordinates(space, x[None])[0]
    return [
        f"the {side} bound of {visible(coordinate.name)} ({bound!r})"
        for coordinate, here in zip(space.coordinates, active.tolist(), strict=True)
        if here
        and (relevant is None or coordinate.name in relevant)
        and (found := _bound(space.params.get(coordinate.name), coordinate, float(x[coordinate.start]))) is not None
        for side, bound in (found,)
    ]


def _bound(parameter: Parameter | None, coordinate: Coordinate, u: float) -> tuple[str, float] | None:
    """Which bound u is at, and what it is; of two numbers both are bounds, which says nothing."""
    if parameter is None or isinstance(parameter, Listed) or parameter.size == 2:
        return None
    lowest, highest = coordinate.ends
    near = SAME if isinstance(parameter, Float) and parameter.smooth else 0.0  # a level next to a bound is not on it
    if u <= lowest + near:
        return "lower", parameter.low
    return ("upper", parameter.from_unit(np.ones(1))) if u >= highest - near else None


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c", "a, b, c and 4 more"."""
    shown = [*words[:NAMED], *([f"{len(words) - NAMED} more"] if len(words) > NAMED else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


@dataclass(frozen=True)
class Unexplored:
    """A choice, how many options it has, and how many of them were tried too rarely."""

    name: str
    options: int
    missing: int
    related: bool  # the options have something in common, from which a model can learn

    def __str__(self) -> str:
        return f"{self.missing} of {self.options} options of {self.name}"


def unexplored(history: History) -> tuple[Unexplored, ...]:
    """The choices with options that were tried too rarely."""
    k = sum(not isinstance(parameter, Choice) for parameter in history.settings.space.params.values())
    found = []
    for choice in _choices(history):
        counts = np.bincount(np.array(choice.seen, dtype=np.intp), minlength=len(choice.options))
        missing = int(np.count_nonzero(counts < (1 if choice.related else max(1, 2 * k - 1))))
        if missing and not choice.ordered:
            found.append(Unexplored(choice.name, len(choice.options), missing, choice.related))
    return tuple(found)
