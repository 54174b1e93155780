"""What points are made of, as JSON: parameters, their options as texts, and a column of values for each.

plain   the value of a parameter as a file has it (study/codec.py): a number, a text, a list, {"float": "nan"}, …
part    a parameter, or what the points of a space without parameters have in common with one: a name
"""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from suffice.markup import visible
from suffice.space import Float, Listed, Parameter
from suffice.space.sameness import key
from suffice.study.spec import Codec, Plain

LETTERS = 60  # of an option or a name: to recognize it by
LISTED = 500  # options that are described; a page shows fewer
LARGEST = 2**53  # whole numbers up to here are exact in JavaScript

Json = None | bool | int | float | str


class Part(Protocol):
    """One name, and its value in every trial."""

    name: str

    def add(self, plain: Plain) -> None:
        """The value of the next trial; None where the point lacks it."""

    def at(self, rows: Sequence[int]) -> list[Json]:
        """The values of some trials, as JSON has them."""

    def described(self) -> dict[str, Any]:
        """What the parameter may be."""

    def value(self, row: int) -> Any:
        """The value of a trial as the space has it."""


class Numbers:
    """A Float or an Int."""

    def __init__(self, name: str, parameter: Parameter) -> None:
        self.name, self.parameter = name, parameter
        self._float = isinstance(parameter, Float)
        self._values: Any = array("d") if self._float else []

    def add(self, plain: Plain) -> None:
        if plain is None:
            self._values.append(math.nan if self._float else None)
        elif isinstance(plain, int | float) and not isinstance(plain, bool) and math.isfinite(plain):
            self._values.append(plain)
        else:
            raise ValueError(f"the value of {self.name} is {plain!r}")

    def at(self, rows: Sequence[int]) -> list[Json]:
        values = self._values
        if self._float:
            return [None if values[i] != values[i] else values[i] for i in rows]
        return [values[i] if values[i] is None or abs(values[i]) <= LARGEST else float(values[i]) for i in rows]

    def value(self, row: int) -> Any:
        found = self._values[row]
        return None if found != found else found

    def described(self) -> dict[str, Any]:
        parameter = self.parameter
        assert not isinstance(parameter, Listed)
        kind = "constant" if parameter.constant else parameter.kind
        options = [text_of(parameter.low)] if parameter.constant else []
        step = getattr(parameter, "step", None)
        words = {"low": parameter.low, "high": parameter.high, "log": parameter.log, "step": step}
        return {"name": shown(self.name), "kind": kind, **words, "options": options, "when": condition(parameter)}


class Options:
    """A Choice or an Ordinal: every trial has the number of its option."""

    def __init__(self, name: str, parameter: Listed, codec: Codec) -> None:
        self.name, self.parameter, self._codec = name, parameter, codec
        self._texts = texts_of(parameter.options)
        self._places = {key(option): i for i, option in enumerate(parameter.options)}
        self._values = array("l")

    def add(self, plain: Plain) -> None:
        if plain is None and self.parameter.when:  # inactive
            self._values.append(-1)
            return
        place = self._places.get(key(plain if isinstance(plain, str) else self._codec.decode(plain)))
        if place is None:
            raise ValueError(f"{plain!r} is none of the options of {self.name}")
        self._values.append(place)

    def at(self, rows: Sequence[int]) -> list[Json]:
        values, texts = self._values, [*self._texts, None]  # −1 is the last
        return [texts[values[i]] for i in rows]

    def value(self, row: int) -> Any:
        return None if self._values[row] < 0 else self.parameter.options[self._values[row]]

    def described(self) -> dict[str, Any]:
        kind = "constant" if self.parameter.constant else self.parameter.kind
        words = {"low": None, "high": None, "log": False, "step": None, "options": self._texts[:LISTED]}
        return {"name": shown(self.name), "kind": kind, **words, "when": condition(self.parameter)}


class Other:
    """What a point has of which nothing is known beforehand: numbers stay numbers, all else is a text."""

    def __init__(self, name: str, rows: int = 0) -> None:
        self.name = name
        self._values: list[Json] = [None] * rows

    def add(self, plain: Plain) -> None:
        number = isinstance(plain, int | float) and not isinstance(plain, bool) and math.isfinite(plain)
        self._values.append(None if plain is None else plain if number else text_of(plain))

    def at(self, rows: Sequence[int]) -> list[Json]:
        return [self._values[i] for i in rows]

    def value(self, row: int) -> Any:
        return self._values[row]

    def described(self) -> dict[str, Any]:
        words: dict[str, Any] = {"low": None, "high": None, "log": False, "step": None, "options": [], "when": None}
        return {"name": shown(self.name), "kind": "other", **words}


def parts_of(params: dict[str, Parameter], codec: Codec) -> list[Part]:
    """A part for each parameter of a space."""
    return [
        Options(name, parameter, codec) if isinstance(parameter, Listed) else Numbers(name, parameter)
        for name, parameter in params.items()
    ]


def shown(name: str) -> str:
    """A name as a page has it; one without letters is quoted, to be seen at all."""
    return visible(name if name.strip() else repr(name), LETTERS)


def text_of(given: Any) -> str:
    """An option, or another value, as a text in one line."""
    return visible(given if isinstance(given, str) else repr(given), LETTERS)


def texts_of(options: Sequence[Any]) -> list[str]:
    """A text for each option, no two of them the same: "1" and 1 are written "'1'" and "1"."""
    plain = [text_of(option) for option in options]
    often = Counter(plain)
    quoted = [text_of(repr(o)) if often[t] > 1 else t for o, t in zip(options, plain, strict=True)]
    seen: dict[str, int] = {}
    found = []
    for text in quoted:
        seen[text] = seen.get(text, 0) + 1
        found.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return found


def condition(parameter: Parameter) -> str | None:
    """When a point has the parameter, in words."""
    needs = parameter.when or {}
    said = [f"{shown(name)} = {' or '.join(map(text_of, values))}" for name, values in needs.items()]
    return " and ".join(said) or None
