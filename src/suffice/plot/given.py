"""What the functions of this package are given: results, refused by name where there is nothing to draw."""

import difflib
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from suffice.checks import short
from suffice.errors import NoFinishedTrial
from suffice.study.result import Result
from suffice.study.trial import Trial
from suffice.types import Array


def as_result(given: object, what: str) -> Result:
    """One result with at least one value."""
    if not isinstance(given, Result):
        raise TypeError(f"plot.{what} takes a result, like that of sf.minimize: got {type(given).__name__}")
    if len(given.settings.objectives) > 1:
        raise ValueError(f"plot.{what} draws one objective: the result has {', '.join(given.settings.objectives)}")
    return given


def with_values(given: object, what: str) -> Result:
    """A result in which an evaluation succeeded."""
    result = as_result(given, what)
    if not result.history.done:
        why = (
            f"all {len(result.history.failed)} evaluations failed" if result.history.failed else "nothing was told yet"
        )
        raise NoFinishedTrial(f"plot.{what} draws values, and the result has none: {why}")
    return result


def as_results(given: object, what: str) -> dict[str, Result]:
    """One result, several in a list, or several by label; all of one sense."""
    if isinstance(given, Result):  # which is a dict itself
        return {"": as_result(given, what)}
    if isinstance(given, Mapping):
        named = {str(label): as_result(result, what) for label, result in given.items()}
    elif isinstance(given, Sequence) and not isinstance(given, str):
        named = {f"run {i}": as_result(result, what) for i, result in enumerate(given, start=1)}
    else:
        raise TypeError(
            f"plot.{what} takes a result, a list of results, or a dict of labels and results: "
            f"got {type(given).__name__}"
        )
    if not named:
        raise ValueError(f"plot.{what} takes at least one result: got none")
    senses = {result.settings.sign() for result in named.values()}
    if len(senses) > 1:
        raise ValueError(
            f"plot.{what}: some of the results are of sf.minimize and some of sf.maximize; draw them apart"
        )
    return named


def evaluated(result: Result) -> list[Trial]:
    """The trials that have ended, with or without a value, in the order they did."""
    ended = [trial for trial in result.trials if trial.state in ("done", "failed")]
    return sorted(ended, key=lambda trial: -1 if trial.told is None else trial.told)


def values_of(result: Result) -> Array:
    """Their values, (n,); nan where there is none."""
    return np.array([math.nan if trial.value is None else trial.value for trial in evaluated(result)], dtype=float)


def known_name(name: object, names: Collection[str], what: str) -> str:
    """One of the names of the parameters; another is refused, with the nearest that there is."""
    if not isinstance(name, str):
        raise TypeError(f"plot.{what} takes the name of a parameter: got {short(name)} of type {type(name).__name__}")
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        known = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, list(names)[:20]))}"
        raise ValueError(f"plot.{what}: there is no parameter {short(name)}; {known}")
    return name
