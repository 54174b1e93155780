"""A study as columns, folded from the rows of its file: what a list and a page of charts need, and no more.

It is the same fold as `study.history.Fold`, over plain data: no objects are made of trials and reports, so that five
thousand trials take a fifth of a second and half a megabyte. The trials are numbered 0, 1, 2, …; every event after the
first is about one of them.
"""

import math
import secrets
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from suffice.accuracy.verdict import exact_enough
from suffice.exchange.columns import by_name
from suffice.record.encoding import Codec, EventCodec, Plain
from suffice.record.settings import Settings
from suffice.record.trial import LONGEST, Started
from suffice.space import Float, Listed, Parameter, owns_points
from suffice.space.options import key
from suffice.store.book import Fact
from suffice.text import visible

#| -- dashboard.parts: What points are made of, as JSON: parameters, their options as texts, and a column of values
#| for each.
#|
#| plain   the value of a parameter as a file has it (study/codec.py): a number, a text, a list, {"float": "nan"}, …
#| part    a parameter, or what the points of a space without parameters have in common with one: a name

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


PENDING, DONE, FAILED, CANCELLED, STOPPED = range(5)
STATES = ("pending", "done", "failed", "cancelled", "stopped")
ORIGINS = ("given", "design", "model", "foreign")
UNKNOWN = 2  # in a column of yes (1) and no (0)
WHOLE = "point"  # what a point is called that has no parts


class Columns:
    """The trials of a study so far. It grows by `add`, event by event; whoever reads it holds the lock of its owner."""

    def __init__(self) -> None:
        self.token = secrets.token_hex(4)  # tells these columns from those of the file that was here before
        self.codec = EventCodec()
        self.settings: Settings | None = None
        self.state, self.origin, self.enough, self.elsewhere = (bytearray() for _ in range(4))
        self.feasible = bytearray()  # within all limits; unknown without values
        self.value, self.seconds, self.noise, self.gap = (array("d") for _ in range(4))
        self.outputs: dict[str, array[float]] = {}  # objectives, then limited outputs; the first one is `value`
        self.reference: dict[str, array[float]] = {}  # of several objectives: that of each suggestion
        self.reason: dict[int, str] = {}
        self.cause: dict[int, str] = {}
        self.parts: list[Part] = []
        self.touched = array("l")  # the trial that each event is about, −1 for the start: row i + 1 of the file
        self.counts = [0] * len(STATES)
        self.front: tuple[str, dict[str, Any]] | None = None  # of several objectives, at a revision (fronts.py)

    def __len__(self) -> int:
        return len(self.state)

    @property
    def revision(self) -> str:
        """What a reader knows who has seen everything so far."""
        return f"{self.token}.{len(self.touched)}"

    def since(self, revision: str | None) -> list[int] | None:
        """The trials that changed since then, in order; None if the reader knows other columns, or none."""
        token, _, count = (revision or "").partition(".")
        if token != self.token or not count.isdecimal() or len(count) > 15 or int(count) > len(self.touched):
            return None
        return sorted({number for number in self.touched[int(count) :] if number >= 0})

    # ------------------------------------------------------------------ the fold

    def add(self, fact: Fact) -> None:
        """Take in the next event; ValueError, LookupError or TypeError if it can be none."""
        kind, data = fact
        if (kind == "started") != (not self.touched):
            raise ValueError("a study starts once, with its first event")
        if kind == "started":
            self._start(data)
            self.touched.append(-1)
            return
        number = data["number"]
        if type(number) is not int or not 0 <= number <= len(self) - (kind != "asked"):
            raise ValueError(f"trial {number!r} was settled before it was asked for")
        if kind == "asked":
            if number != len(self):
                raise ValueError(f"trial {len(self)} has the number {number!r}")
            self._ask(data)
        else:
            self._settle(kind, number, data)
        self.touched.append(number)

    def _start(self, data: Plain) -> None:
        started = self.codec.decode({"event": "started", **data})
        assert isinstance(started, Started)
        self.settings = started.settings
        self.parts = parts_of(dict(self.settings.space.params), self.codec.codec)
        self.outputs = {name: array("d") for name in self.settings.outputs}
        self.value = self.outputs[self.settings.objective]
        if self.settings.several:
            self.reference = {name: array("d") for name in self.settings.objectives}

    def _ask(self, data: Plain) -> None:
        report, origin = data["report"], ORIGINS.index(data["origin"])
        gap, enough, elsewhere = (math.nan, UNKNOWN, False) if report is None else _judged(report)
        self._add_point(data["point"])
        self.state.append(PENDING)
        self.counts[PENDING] += 1
        self.origin.append(origin)
        self.gap.append(gap)
        self.enough.append(enough)
        self.elsewhere.append(elsewhere)
        self.feasible.append(UNKNOWN)
        for column in (*self.outputs.values(), self.seconds, self.noise):
            column.append(math.nan)
        worst = _by_name(None if report is None else report.get("reference"))
        for name, column in self.reference.items():
            column.append(_number(worst.get(name)))

    def _add_point(self, plain: Plain) -> None:
        """The value of each part, all or none; parts of a space without parameters may come up at any time."""
        assert self.settings is not None
        space, rows = self.settings.space, len(self)
        if not owns_points(space):
            if len(plain) != len(self.parts):
                raise ValueError(f"trial {rows} has {len(plain)} values for {len(self.parts)} parameters")
            for part, value in zip(self.parts, plain, strict=True):
                part.add(value)
            return
        point = self.codec.codec.decode(plain)
        found = by_name(point, space.names)
        found = {WHOLE: point} if found is None else found
        known = {part.name for part in self.parts}
        self.parts += [Other(name, rows) for name in found if name not in known]
        for part in self.parts:
            part.add(found.get(part.name))

    def _settle(self, kind: str, number: int, data: Plain) -> None:
        if kind == "reported":  # it is still pending; the page of the trial reads its reports from the file
            return
        self.reason.pop(number, None)
        self.cause.pop(number, None)
        if kind == "told":
            state = DONE
            self._tell(number, data["values"])
            noise, seconds = self._noise(data.get("noise_var")), _number(data.get("seconds"))
            self.noise[number], self.seconds[number] = noise, seconds
        elif kind == "failed":
            state = FAILED
            self.reason[number], self.cause[number] = visible(data["reason"], LONGEST), visible(data["cause"])
            self.seconds[number] = _number(data.get("seconds"))
        elif kind == "stopped":
            state = STOPPED
            self.seconds[number] = _number(data.get("seconds"))
        elif kind == "cancelled":
            state = CANCELLED
            self.reason[number] = visible(data["reason"], LONGEST)
        else:
            raise ValueError(f"there is no event {kind!r}")
        self.counts[self.state[number]] -= 1
        self.counts[state] += 1
        self.state[number] = state

    def _tell(self, number: int, values: Plain) -> None:
        """The outputs of a trial; where a limit is broken, others may be missing."""
        assert self.settings is not None
        if not values or not set(values) <= set(self.outputs):
            raise ValueError(f"trial {number} has values of {list(values)!r}, wanted {list(self.outputs)!r}")
        for value in values.values():
            if not math.isfinite(value):  # one such number, and no list could be told to a browser
                raise ValueError(f"trial {number} has the value {value!r}")
        for name, column in self.outputs.items():
            column[number] = float(values.get(name, math.nan))
        self.feasible[number] = self.settings.is_allowed(values)

    def _noise(self, plain: Plain) -> float:
        """The known variance of the noise in the first objective."""
        assert self.settings is not None
        return _number(plain.get(self.settings.objective) if isinstance(plain, dict) else plain)

    # ------------------------------------------------------------------ as JSON

    def json(self, rows: Sequence[int]) -> dict[str, Any]:
        """Some trials as columns, with null for what is not known."""
        known: tuple[Json, ...] = (False, True, None)
        return {
            "number": list(rows),
            "state": [STATES[self.state[i]] for i in rows],
            **{word: _floats(getattr(self, word), rows) for word in ("value", "seconds", "gap")},
            "enough": [known[self.enough[i]] for i in rows],
            "looked_elsewhere": [bool(self.elsewhere[i]) for i in rows],
            "origin": [ORIGINS[self.origin[i]] for i in rows],
            "reason": [self.reason.get(i) for i in rows],
            "cause": [self.cause.get(i) for i in rows],
            "params": {part["name"]: column for part, column in self.parameters(rows)},
            **self._several(rows, known),
        }

    def _several(self, rows: Sequence[int], known: tuple[Json, ...]) -> dict[str, Any]:
        """The outputs by their places, and what is within all limits; nothing where the value says it all."""
        if len(self.outputs) < 2:
            return {}
        return {
            "outputs": [_floats(column, rows) for column in self.outputs.values()],
            "feasible": [known[self.feasible[i]] for i in rows],
        }

    def parameters(self, rows: Sequence[int] = ()) -> list[tuple[dict[str, Any], list[Json]]]:
        """What each parameter may be, under a name that no other one has, and its values in some trials."""
        described = [part.described() for part in self.parts]
        seen: set[str] = set()
        for about in described:
            name, again = about["name"], 1
            while about["name"] in seen:
                again += 1
                about["name"] = f"{name} ({again})"
            seen.add(about["name"])
        return [(about, part.at(rows)) for about, part in zip(described, self.parts, strict=True)]


class Judged(NamedTuple):
    """What of a report says whether its search was exact enough: to make a whole one takes four times as long."""

    value: float | None
    relative_gap: float | None
    eta: float | None
    inaccuracy: float | None
    median: float | None
    shift: float | None
    allowance: float | None
    attained: float | None
    audited: float | None

    @property
    def taken(self) -> bool:
        return self.attained is not None


def _judged(report: Plain) -> tuple[float, int, bool]:
    """The relative gap, whether the search was exact enough, and whether it was to look elsewhere."""
    told: Any = Judged(*(_number_or_none(report.get(word)) for word in Judged._fields))
    enough = None if told.value is None else exact_enough(told)
    gap = math.nan if told.relative_gap is None else told.relative_gap
    return gap, UNKNOWN if enough is None else enough, report.get("kind") == "look elsewhere"


def _number_or_none(plain: Plain) -> float | None:
    if plain is None:
        return None
    number = _number(plain)
    return None if number != number else number


def _number(plain: Plain) -> float:
    """A number, nan where there is none that is finite: JSON has no others."""
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        return float(plain) if math.isfinite(plain) else math.nan
    if plain is None or isinstance(plain, dict):  # {"float": "inf"}
        return math.nan
    raise ValueError(f"wanted a number: got {plain!r}")


def _by_name(plain: Plain) -> dict[str, Any]:
    """Numbers by name as a file has them, {"dict": {…}}; none of anything else."""
    found = plain.get("dict") if isinstance(plain, dict) else None
    return found if isinstance(found, dict) else {}


def _floats(column: "array[float]", rows: Sequence[int]) -> list[Json]:
    return [None if column[i] != column[i] else column[i] for i in rows]
