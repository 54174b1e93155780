"""A study as columns of plain data, folded from the rows of its file, for the list and the page of charts.

This is the fold of `record.history` without objects. 5000 trials take a quarter of a second and two megabytes here;
decoded events, trials and reports take five times as long and far more memory. Trials are numbered 0, 1, 2, …; every
event after the first is about one of them.

plain   the value of a parameter in the file (record/encoding.py): a number, a text, a list, {"float": "nan"}, …
part    a parameter, or a named part of the points in a space without parameters
V       (n,)   the hypervolume after each evaluation; the page gets the evaluations that raised it
"""

import math
import secrets
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, get_args

import numpy as np

from suffice.accuracy.verdict import exact_enough
from suffice.exchange.columns import by_name
from suffice.record.encoding import Codec, EventCodec, Plain
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.record.table import EXPLORING
from suffice.record.trial import LONGEST, Defined, Origin, Started, State
from suffice.result.display import DRAWN
from suffice.result.front import Front
from suffice.space import Float, Int, Listed, OpenSpace, OwnPoints, Parameter
from suffice.space.options import key
from suffice.store.sqlite import Fact
from suffice.text import READABLE, visible
from suffice.text import name as shown

# The largest number of evaluations for a hypervolume curve, by the number of objectives: at most 0.2 s.
FOLLOWED = {2: 5000, 3: 1000, 4: 400, 5: 150}

Json = None | bool | int | float | str


class Columns:
    """The trials of a study so far. `add` appends event by event; readers hold the lock of the owner."""

    def __init__(self) -> None:
        self.token = secrets.token_hex(4)  # distinguishes these columns from those of an earlier file
        self.codec = EventCodec()
        self.settings: Settings | None = None
        self.state: list[State] = []
        self.origin: list[Origin] = []
        self.enough: list[bool | None] = []
        self.elsewhere: list[bool] = []
        self.feasible: list[bool | None] = []  # None without values
        self.value, self.seconds, self.noise, self.gap = (array("d") for _ in range(4))
        self.timed = True  # whether the file has times; otherwise the order of events replaces them
        self.begun, self.ended = array("d"), array("d")  # seconds since 1970, or numbers of events
        self.worker: dict[int, str] = {}  # the last worker of the trial in a shared study
        self.noted: dict[int, tuple[str | None, dict[str, Plain]]] = {}  # notes and attributes
        self.outputs: dict[str, array[float]] = {}  # objectives, then constrained outputs; the first one is `value`
        self.reason: dict[int, str] = {}
        self.cause: dict[int, str] = {}
        self.parts: list[Part] = []
        self.touched = array("l")  # the trial that each event is about, −1 for the start: row i + 1 of the file
        self.counts: Counter[State] = Counter()
        self._front: tuple[str, dict[str, Any]] | None = None  # of several objectives, at a revision

    def __len__(self) -> int:
        return len(self.state)

    @property
    def revision(self) -> str:
        """The revision of a reader that has received everything so far."""
        return f"{self.token}.{len(self.touched)}"

    def since(self, revision: str | None) -> list[int] | None:
        """The trials that changed since then, in order; None if the reader has other columns, or none."""
        token, _, count = (revision or "").partition(".")
        if token != self.token or not count.isdecimal() or len(count) > 15 or int(count) > len(self.touched):
            return None
        return sorted({number for number in self.touched[int(count) :] if number >= 0})

    # ------------------------------------------------------------------ the fold

    def add(self, fact: Fact) -> None:
        """Add the next event; ValueError, LookupError or TypeError if it is invalid."""
        kind, data = fact
        if (kind == "started") != (not self.touched):
            raise ValueError("a study starts once, with its first event")
        if kind == "started":
            self._start(data)
            self.touched.append(-1)
            return
        number = data["number"]
        if type(number) is not int or not 0 <= number <= len(self) - (kind != "asked"):
            raise ValueError(f"trial {number!r} has an outcome before it was asked for")
        if kind == "asked":
            if number != len(self):
                raise ValueError(f"trial {len(self)} has the number {number!r}")
            self._ask(data)
        elif kind == "defined":
            self._define(number, data)
        else:
            self._settle(kind, number, data)
        self.touched.append(number)

    def _start(self, data: Plain) -> None:
        started = self.codec.decode({"event": "started", **data})
        assert isinstance(started, Started)
        self.settings = started.settings
        self.parts = [Part(name, given, self.codec.codec) for name, given in self.settings.space.params.items()]
        self.outputs = {name: array("d") for name in self.settings.outputs}
        self.value = self.outputs[self.settings.objective]

    def _define(self, number: int, data: Plain) -> None:
        """Add the parameters that a define-by-run objective has asked for; parameters never leave."""
        assert self.settings is not None
        event = self.codec.decode({"event": "defined", **data})
        assert isinstance(event, Defined)
        if event.space is not None:
            self.settings, before = self.settings.within(event.space), {part.name: part for part in self.parts}
            made = (Part(name, given, self.codec.codec, len(self)) for name, given in event.space.params.items())
            self.parts = [part.after(before.get(part.name)) for part in made]
            self.token = secrets.token_hex(4)  # readers start again
        for part in self.parts:
            part.values[number] = part.read_in(data["point"])

    def _ask(self, data: Plain) -> None:
        report, origin = data["report"], data["origin"]
        if origin not in get_args(Origin):
            raise ValueError(f"trial {len(self)} has the origin {origin!r}")
        gap, enough, elsewhere = (math.nan, None, False) if report is None else _judged(report)
        self._add_point(data["point"])
        self.timed = self.timed and (len(self) > 0 or "clock" in data)
        self.begun.append(self._moment(data))
        self.ended.append(math.nan)
        self.state.append("pending")
        self.counts["pending"] += 1
        self.origin.append(origin)
        self.gap.append(gap)
        self.enough.append(enough)
        self.elsewhere.append(elsewhere)
        self.feasible.append(None)
        for column in (*self.outputs.values(), self.seconds, self.noise):
            column.append(math.nan)

    def _add_point(self, plain: Plain) -> None:
        """Add the value of each part, all or none; new parts may appear in a space without parameters."""
        assert self.settings is not None
        space, rows = self.settings.space, len(self)
        if isinstance(space, OpenSpace):
            for part in self.parts:
                part.values.append(part.read_in(plain))
            return
        if not isinstance(space, OwnPoints):
            if len(plain) != len(self.parts):
                raise ValueError(f"trial {rows} has {len(plain)} values for {len(self.parts)} parameters")
            for part, value in zip(self.parts, plain, strict=True):
                part.add(value)
            return
        point = self.codec.codec.decode(plain)
        found = by_name(point, space.names)
        found = {"point": point} if found is None else found
        known = {part.name for part in self.parts}
        self.parts += [Part(name, None, self.codec.codec, rows) for name in found if name not in known]
        for part in self.parts:
            part.add(found.get(part.name))

    def _moment(self, data: Plain) -> float:
        """The time of the event."""
        return _number(data.get("clock")) if self.timed else float(len(self.touched))

    def _settle(self, kind: str, number: int, data: Plain) -> None:
        if kind == "reported":  # its state stays; the page of the trial reads the file
            return
        if kind == "claimed":
            self.begun[number], self.worker[number] = self._moment(data), visible(data["worker"])
            return
        if kind == "noted":
            self._note(number, data)
            return
        self.ended[number] = self._moment(data)
        self.reason.pop(number, None)
        self.cause.pop(number, None)
        states: dict[str, State] = {"told": "done", "failed": "failed", "stopped": "pruned", "cancelled": "cancelled"}
        if kind not in states:
            raise ValueError(f"there is no event {kind!r}")
        if kind == "told":
            self._tell(number, data["values"])
            self.noise[number] = self._noise(data.get("noise_var"))
        if kind == "cancelled" and self.state[number] == "done":  # its value was withdrawn
            self.feasible[number], self.seconds[number], self.noise[number] = None, math.nan, math.nan
            for column in self.outputs.values():
                column[number] = math.nan
        if kind in ("failed", "cancelled"):
            self.reason[number] = visible(data["reason"], LONGEST)
        if kind == "failed":
            self.cause[number] = visible(data["cause"])
        if kind != "cancelled":
            self.seconds[number] = _number(data.get("seconds"))
        self.counts[self.state[number]] -= 1
        self.counts[states[kind]] += 1
        self.state[number] = states[kind]

    def _note(self, number: int, data: Plain) -> None:
        """The user's note and attributes; the page of the trial reads the file."""
        text, attributes = self.noted.get(number, (None, {}))
        self.noted[number] = text if data["note"] is None else data["note"], attributes | data["attributes"]

    def note(self, row: int) -> str | None:
        """The note and the attributes of a trial in one line."""
        text, attributes = self.noted.get(row, (None, {}))
        said = [] if text is None else [text_of(text)]
        return (
            "; ".join([*said, *(f"{visible(name)} = {text_of(value)}" for name, value in attributes.items())]) or None
        )

    def _tell(self, number: int, values: Plain) -> None:
        """Add the outputs of a trial; if a constraint is violated, others may be missing."""
        assert self.settings is not None
        if not values or not set(values) <= set(self.outputs):
            raise ValueError(f"trial {number} has values of {list(values)!r}, wanted {list(self.outputs)!r}")
        for value in values.values():
            if not math.isfinite(value):  # JSON has no such number, so no list could be sent to a browser
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
        several = {
            "outputs": [_floats(column, rows) for column in self.outputs.values()],
            "feasible": [self.feasible[i] for i in rows],
        }
        return {
            "number": list(rows),
            "state": [self.state[i] for i in rows],
            "value": _floats(self.value, rows),
            "seconds": _floats(self.seconds, rows),
            "gap": _floats(self.gap, rows),
            "enough": [self.enough[i] for i in rows],
            "looked_elsewhere": [self.elsewhere[i] for i in rows],
            "origin": [self.origin[i] for i in rows],
            "reason": [self.reason.get(i) for i in rows],
            "cause": [self.cause.get(i) for i in rows],
            "begun": _floats(self.begun, rows),
            "ended": _floats(self.ended, rows),
            "params": {part["name"]: column for part, column in self.parameters(rows)},
            **(several if len(self.outputs) > 1 else {}),
            **({"worker": [self.worker.get(i) for i in rows]} if self.worker else {}),
            **({"note": [self.note(i) for i in rows]} if self.noted else {}),
        }

    def parameters(self, rows: Sequence[int] = ()) -> list[tuple[dict[str, Any], list[Json]]]:
        """The range of each parameter, under a unique name, and its values in some trials."""
        names = distinct(shown(part.name) for part in self.parts)
        pairs = zip(self.parts, names, strict=True)
        return [({**part.described(), "name": name}, [part.values[i] for i in rows]) for part, name in pairs]

    def summary(self) -> dict[str, Any]:
        """The study as a line of the list: the number of trials, the best one or the front, and the progress."""
        settings, front = self.settings, self.front()
        number, best, spark = self._progress() if front is None else (front["knee"], None, _growth(front))
        return {
            "direction": "minimize" if settings is None or settings.several else settings.direction,
            "aims": visible("minimize" if settings is None else settings.aims, READABLE),
            "best": best,
            "best_number": number,
            "front": None if front is None else len(front["trials"]),
            "trials": len(self),
            **{state: self.counts[state] for state in get_args(State)},
            "feasible": self.feasible.count(True) if settings is not None and settings.constraints else None,
            "revision": self.revision,
            "spark": spark,
        }

    def _progress(self) -> tuple[int | None, float | None, list[float]]:
        """The first of the best feasible trials, its value, and the best so far at some trials for a small chart."""
        done = [i for i, feasible in enumerate(self.feasible) if feasible and self.state[i] == "done"]
        if not done or self.settings is None:
            return None, None, []
        values, sign = np.array(self.value)[done], self.settings.sign()
        first = int(np.argmax(sign * values))
        best = sign * np.maximum.accumulate(sign * values)
        return done[first], float(values[first]), _thinned(best.tolist())

    def front(self) -> dict[str, Any] | None:
        """The front as JSON, computed once for a revision; None with one objective.

            {"trials": […], "knee": 7, "reference": [0.4, −139.0], "growth": [[3, 0.5], [7, 1.25]]}

        Numbers of trials by the first objective; `growth` is null if it would take too long.
        """
        settings = self.settings
        if settings is None or not settings.several:
            return None
        if self._front is None or self._front[0] != self.revision:
            self._front = self.revision, self._computed_front(settings)
        return self._front[1]

    def _computed_front(self, settings: Settings) -> dict[str, Any]:
        known = tuple(
            Known(i, state, self.values_of(i), state == "done" and self.feasible[i] is True)
            for i, state in enumerate(self.state)
        )
        front = Front(cast("History", Record(settings, known)))
        trials, reference = front.trials, front.reference
        growth = None
        if len(front.values) <= FOLLOWED.get(len(settings.objectives), 0):
            evaluated = [i for i, state in enumerate(self.state) if state in ("done", "failed")]
            V = front.hypervolume
            growth = [[evaluated[i], float(V[i])] for i in np.flatnonzero(np.diff(V, prepend=0.0) > 0.0)]
        return {
            "trials": [trial.number for trial in trials],
            "knee": front.knee().number if trials else None,
            "reference": None if reference is None else [reference[name] for name in settings.objectives],
            "growth": growth,
        }

    def values_of(self, row: int) -> dict[str, float]:
        """The known outputs of a trial."""
        return {name: column[row] for name, column in self.outputs.items() if column[row] == column[row]}

    def output_list(self) -> list[dict[str, Any]]:
        """The outputs: each with its name on the page, its direction, or its constraint."""
        settings = self.settings
        if settings is None:
            return []
        found: list[dict[str, Any]] = []
        for name, seen in zip(settings.outputs, distinct(map(shown, settings.outputs)), strict=True):
            limit = settings.constraints.get(name)
            direction = settings.objectives[name] if limit is None else None
            words = {"limit": None, "said": None} if limit is None else {"limit": limit.limit, "said": str(limit)}
            found.append({"name": seen, "direction": direction, "larger": settings.sign(name) > 0, **words})
        return found


class Known(NamedTuple):
    """The data of a trial that a front needs."""

    number: int
    state: State
    values: dict[str, float]
    feasible: bool


@dataclass(frozen=True)
class Record:
    """The part of the history that a front needs."""

    settings: Settings
    trials: tuple[Known, ...]

    @property
    def feasible(self) -> tuple[Known, ...]:
        return tuple(trial for trial in self.trials if trial.feasible)


def _growth(front: dict[str, Any]) -> list[float]:
    """The hypervolume at some of the evaluations that raised it, for a small chart."""
    return _thinned([volume for _, volume in front["growth"] or []])


def _thinned(values: list[float]) -> list[float]:
    places = np.unique(np.linspace(0, len(values) - 1, min(DRAWN, len(values))).round().astype(int))
    return [values[place] for place in places] if values else []


class Judged(NamedTuple):
    """The part of a report that decides whether its search was accurate enough; the whole takes four times as long."""

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


def _judged(report: Plain) -> tuple[float, bool | None, bool]:
    """The relative gap, whether the search was accurate enough, and whether it was an exploration step."""
    told: Any = Judged(*(or_none(_number(report.get(word))) for word in Judged._fields))
    enough = None if told.value is None else exact_enough(told)
    return _number(report.get("relative_gap")), enough, report.get("kind") in EXPLORING


def or_none(number: float) -> float | None:
    """The number; None for nan, because JSON does not have it."""
    return None if number != number else number


def _number(plain: Plain) -> float:
    """A finite number, otherwise nan, because JSON has no others."""
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        return float(plain) if math.isfinite(plain) else math.nan
    if plain is None or isinstance(plain, dict):  # {"float": "inf"}
        return math.nan
    raise ValueError(f"wanted a number: got {plain!r}")


def _floats(column: "array[float]", rows: Sequence[int]) -> list[Json]:
    return [or_none(column[i]) for i in rows]


class Part:
    """One name, and its value in every trial as JSON: a number, the text of an option, or null.

    `parameter` is None if nothing is known about it: numbers stay numbers, and anything else is text.
    """

    def __init__(self, name: str, parameter: Parameter | None, codec: Codec, rows: int = 0) -> None:
        self.name, self.parameter, self._codec = name, parameter, codec
        self.values: list[Json] = [None] * rows
        options = parameter.options if isinstance(parameter, Listed) else ()
        self._options: dict[Json, Any] = dict(zip(texts_of(options), options, strict=True))
        self._texts = {key(option): text for text, option in self._options.items()}

    def add(self, plain: Plain) -> None:
        """Add the value of the next trial; None if the point lacks it."""
        self.values.append(self._read(plain))

    def read_in(self, point: Plain) -> Json:
        """Its value in a point with names; None if it is missing."""
        return self._read(point["dict"][self.name]) if self.name in point["dict"] else None

    def after(self, before: "Part | None") -> "Part":
        """The same part with the values from before its conditions changed."""
        self.values = self.values if before is None else before.values
        return self

    def _read(self, plain: Plain) -> Json:
        return self._text(plain) if isinstance(self.parameter, Listed) else self._number(plain)

    def _text(self, plain: Plain) -> Json:
        assert self.parameter is not None
        if plain is None and self.parameter.when:  # inactive
            return None
        option = key(plain if isinstance(plain, str) else self._codec.decode(plain))
        if option not in self._texts:
            raise ValueError(f"{plain!r} is none of the options of {self.name}")
        return self._texts[option]

    def _number(self, plain: Plain) -> Json:
        if plain is None or (isinstance(plain, int | float) and not isinstance(plain, bool) and math.isfinite(plain)):
            return plain
        if self.parameter is not None:
            raise ValueError(f"the value of {self.name} is {plain!r}")
        return text_of(plain)

    def at(self, row: int) -> Any:
        """The value of a trial as in the space."""
        value = self.values[row]
        return self._options.get(value) if self._options else value

    def described(self) -> dict[str, Any]:
        """The description of the parameter for the page."""
        given = self.parameter
        about: dict[str, Any] = {
            "name": shown(self.name),
            "kind": "other",
            "options": list(self._options),
            "when": None,
        }
        about |= {"low": None, "high": None, "log": False, "step": None}
        if given is None:
            return about
        if isinstance(given, Float | Int):
            about |= {"low": given.low, "high": given.high, "log": given.log, "step": given.step}
            about["options"] = [text_of(given.low)] if given.constant else []
        return {**about, "kind": "constant" if given.constant else given.kind, "when": condition(given)}


def text_of(given: Any) -> str:
    """An option or another value as text in one line."""
    return visible(given if isinstance(given, str) else repr(given))


def texts_of(options: Sequence[Any]) -> list[str]:
    """A unique text for each option: "1" and 1 become "'1'" and "1"."""
    plain = [text_of(option) for option in options]
    often = Counter(plain)
    return distinct(text_of(repr(o)) if often[t] > 1 else t for o, t in zip(options, plain, strict=True))


def distinct(names: Iterable[str]) -> list[str]:
    """The same names, with a number added to repeated ones."""
    found: dict[str, None] = {}  # a set that keeps the order
    for name in names:
        other, again = name, 1
        while other in found:
            again += 1
            other = f"{name} ({again})"
        found[other] = None
    return list(found)


def condition(parameter: Parameter) -> str | None:
    """The condition of the parameter in words."""
    needs = parameter.when or {}
    said = [f"{shown(name)} = {' or '.join(map(text_of, values))}" for name, values in needs.items()]
    return " and ".join(said) or None
