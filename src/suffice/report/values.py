"""How the user's names, options and numbers are shown, whatever they are: in bounded length, in one line.

Nothing here is escaped, which `suffice.page` does for every text. Letters that do not print, such as marks that turn
the direction of writing, are spelled out.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.checks import short
from suffice.exchange.own import by_name
from suffice.page.formats import UNKNOWN
from suffice.space import SearchSpace, owns_points
from suffice.space.absent import ADDRESS
from suffice.study.overview import visible
from suffice.study.trial import Trial

NAME, VALUE, SENTENCE = 60, 60, 400  # letters: to recognize a thing by, and to be read
POINT = "point"  # what a point is called that has no parts


def name(text: str) -> str:
    """The name of a parameter or a study; one without letters is quoted, to be seen at all."""
    return visible(text if text.strip() else repr(text), NAME)


def sentence(text: str) -> str:
    """A longer text, such as the reason of a failure or a finding that names options."""
    return visible(text, SENTENCE)


def number(value: float | None) -> str:
    """A number to six digits: best values differ late."""
    return UNKNOWN if value is None or value != value else f"{value + 0.0:.6g}".replace("-", "−")  # 0, not −0


def value(given: Any) -> str:
    """A part of a point: a number, the text of an option, or what else an option is."""
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, str):
        return name(given)
    if isinstance(given, float):
        return number(given)
    if isinstance(given, int) and not isinstance(given, bool):
        return visible(str(given) if abs(given) < 10**15 else short(given), VALUE).replace("-", "−")
    if isinstance(given, np.ndarray):
        given = tuple(given.tolist())
    return visible(ADDRESS.sub("", repr(given)), VALUE)


def is_number(given: Any) -> bool:
    """Whether a part of a point is to be aligned as a number."""
    return isinstance(given, int | float | np.number) and not isinstance(given, bool)


def parts(point: Any, space: SearchSpace) -> dict[str, Any]:
    """A point by the names of its parts, those that are inactive left out; as a whole where it has none."""
    if isinstance(point, Mapping):
        return {str(part): given for part, given in point.items()}
    if space.params:
        return dict(zip(space.names, point.tolist() if isinstance(point, np.ndarray) else point, strict=True))
    named = by_name(space.to_plain(point) if owns_points(space) else point, space.names)
    return {POINT: point} if named is None else named


def columns(trials: tuple[Trial, ...], space: SearchSpace) -> tuple[str, ...]:
    """The names of the parts of points: all parameters, or what the points of these trials have."""
    if space.params:
        return tuple(space.params)
    return tuple(dict.fromkeys(part for trial in trials for part in parts(trial.point, space)))
