"""What the functions of this package are given: results, refused by name where there is nothing to draw."""

import difflib
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from suffice.checks import short
from suffice.errors import NoFinishedTrial
from suffice.study.reading.predict import as_output
from suffice.study.result import Result
from suffice.study.trial import Trial
from suffice.types import Array


def as_result(given: object, what: str) -> Result:
    """One result, of any number of objectives."""
    if not isinstance(given, Result):
        raise TypeError(f"plot.{what} takes a result, like that of sf.minimize: got {type(given).__name__}")
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


def output_of(result: Result, output: object, what: str) -> str:
    """The output that a figure is about, of which there are values: the one named, or the only objective."""
    try:
        name = as_output(output, result.settings)
    except ValueError as error:
        raise ValueError(f"plot.{what}: {error}") from None
    if not result.history.known(name):
        raise NoFinishedTrial(
            f"plot.{what} draws {name}, of which none of the {len(result.history.done)} evaluations has a value"
        )
    return name


def as_results(given: object, what: str) -> dict[str, Result]:
    """One result, several in a list, or several by label; all with the same objectives and senses."""
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
    aims = [result.settings.objectives for result in named.values()]
    if any(result.settings.several for result in named.values()):
        if any(other != aims[0] for other in aims):
            raise ValueError(f"plot.{what}: the results have different objectives or senses; draw them apart")
    elif len({result.settings.sign() for result in named.values()}) > 1:
        raise ValueError(
            f"plot.{what}: some of the results are of sf.minimize and some of sf.maximize; draw them apart"
        )
    return named


def evaluated(result: Result) -> list[Trial]:
    """The trials that have ended, with or without a value, in the order they did."""
    ended = [trial for trial in result.trials if trial.state in ("done", "failed")]
    return sorted(ended, key=lambda trial: -1 if trial.told is None else trial.told)


def values_of(result: Result, name: str | None = None) -> Array:
    """Their values of an output, by default of the only objective, (n,); nan where there is none."""
    name = result.settings.objective if name is None else name
    return np.array([(trial.values or {}).get(name, math.nan) for trial in evaluated(result)], dtype=float)


def infeasible(result: Result) -> NDArray[np.bool_]:
    """Which of them have values that are beyond a limit, (n,)."""
    return np.array([trial.state == "done" and not trial.feasible for trial in evaluated(result)], dtype=np.bool_)


def known_name(name: object, names: Collection[str], what: str, kind: str = "parameter") -> str:
    """One of the names of the parameters, or of another kind; others are refused, with the nearest that there is."""
    if not isinstance(name, str):
        raise TypeError(f"plot.{what} takes the name of {_a(kind)}: got {short(name)} of type {type(name).__name__}")
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        known = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, list(names)[:20]))}"
        raise ValueError(f"plot.{what}: there is no {kind} {short(name)}; {known}")
    return name


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
