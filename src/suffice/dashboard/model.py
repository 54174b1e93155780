"""The answers that need the whole record or a fitted model: the lines of `print(result)`, the recommended point,
importance, and the prediction along each parameter and over two of them.

`sf.Result` and its figures compute all of these. A thread calls them, one study at a time and only on request. An
answer is valid until the study changes, and the page shows the older one meanwhile.

wish    (x, y, output): a contour over two parameters, "" for the most important ones; None: everything else
"""

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from suffice.dashboard.follow import Watched
from suffice.dashboard.table import Columns, Json, texts_of
from suffice.errors import SufficeError
from suffice.plot.axes import Shading, ending, shading
from suffice.plot.data import Dimension, centre, infeasible, of_parameters, values_of
from suffice.plot.slices import EVEN_CHANCE, cut_of, field_of, pair_of
from suffice.record.encoding import EventCodec
from suffice.record.history import History
from suffice.record.study_file import MEANINGLESS
from suffice.record.trial import Event, Started
from suffice.result.importance import Importance
from suffice.result.predict import TWO_SIDED, answer_with_noise, surface
from suffice.result.result import Result, accuracy_of, make_result
from suffice.result.screen import summary
from suffice.space import Listed, Space, active_coordinates
from suffice.space.space import advice_about
from suffice.text import READABLE, visible
from suffice.threads import one_thread
from suffice.types import Array

Answer: TypeAlias = dict[str, Any]
Wish: TypeAlias = tuple[str, str, int] | None

OVER = 61  # points along each side of a contour
MOST_SLICES = 60  # parameters: more slices are not useful on a page
CONTOURS = 24  # answers to keep for a study
TIME_SHARE = 0.2  # of the time for a study that changes continuously
EMPTY: Answer = {"summary": [], "recommended": None, "importance": [], "slices": [], "contour": None}
FAULTS = (SufficeError, OSError, np.linalg.LinAlgError, *MEANINGLESS)


@dataclass(frozen=True, eq=False)
class Whole:
    """A study as a result, and the names of its parameters on the page."""

    revision: str
    result: Result
    names: Mapping[str, str]
    note: str | None  # a note about omissions


def whole_of(watched: Watched) -> Whole:
    """The study as it is now; an error in FAULTS if its file cannot be read."""
    with watched.lock:
        columns, count = watched.columns, len(watched.columns.touched)
        revision, names = columns.revision, names_of(columns)
    codec = EventCodec()
    events: list[Event] = [codec.decode({**data, "event": kind}) for kind, data in watched.all_facts(count)]
    start, note = events[0], None
    assert isinstance(start, Started)
    if isinstance(start.settings.space, Space) and advice_about(start.settings.space) is not None:
        events[0] = replace(start, settings=replace(start.settings, space=start.settings.space.with_where(None)))
        note = "The file does not hold the constraints of the space, so the model ignores them here."
    history = History.of(events)
    return Whole(revision, make_result(history, "", accuracy_of(history, None)), names, note)


def names_of(columns: Columns) -> dict[str, str]:
    """The names of parameters on the page."""
    pairs = zip(columns.parts, columns.parameters(), strict=True)
    return {part.name: about["name"] for part, (about, _) in pairs}


# ---------------------------------------------------------------------- the answers


def about(whole: Whole) -> Answer:
    """Everything except contours; `problem` has the reason if a part is not available."""
    result, problems = whole.result, list[str]()
    history = result.history

    def part(make: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return make()
        except FAULTS as error:
            problems.append(visible(str(error), READABLE))
            return otherwise

    with one_thread(history.model_rows):
        rows = part(lambda: summary(history, result.accuracy), [])
        found = {
            "summary": [[visible(label), visible(text, READABLE)] for label, text in rows],
            "recommended": part(lambda: _recommended(history), None),
            "importance": part(lambda: _importances(whole), []),
            "slices": part(lambda: _slices(whole), []),
        }
    return {**found, "note": whole.note, "problem": problems[0] if problems else None}


def _recommended(history: History) -> Answer | None:
    """The point to use with noise, with its 95 % interval."""
    noisy = None if history.settings.several else answer_with_noise(history)
    if noisy is None:
        return None
    found = noisy.recommended
    half = TWO_SIDED * found.deviation
    return {
        "number": found.trial.number,
        "value": found.value,
        "said": noisy.expected,
        "low": _finite(found.value - half),
        "high": _finite(found.value + half),
    }


def _importances(whole: Whole) -> list[Answer]:
    """The parameters by importance, for each objective that has values."""
    result, found = whole.result, []
    for place, name in enumerate(result.settings.objectives):
        if result.history.known(name):
            found.append({"output": place, **_importance(result.importance(name), whole.names)})
    return found


def _importance(found: Importance, names: Mapping[str, str]) -> Answer:
    return {
        "names": [names.get(name, name) for name in found.names],
        "total": _numbers(found.total),
        "error": _numbers(2.0 * found.total_error),
        "first": _numbers(found.first),
        "sure": found.deviation > found.uncertainty,
    }


def _slices(whole: Whole) -> list[Answer]:
    """The prediction along each parameter, for each objective, without parameters that no point has.

    at, height    of the point to use; None where it lacks the parameter: then the curve is that of another point
    """
    result, found = whole.result, []
    space, history = result.settings.space, result.history
    if not isinstance(space, Space):
        raise SufficeError(
            "a slice varies one parameter with the others fixed, but the points of this study are not made of "
            "parameters"
        )
    if not space.coordinates:
        raise SufficeError("every parameter of this study is a constant")
    if len(history.done) < 2:
        raise SufficeError("a model needs at least two values")
    active = active_coordinates(space, centre(result, None, (), "slice").x[None])[0]
    for place, output in enumerate(result.settings.objectives):
        known = surface(history, name=output)
        for dimension in list(of_parameters(space, "slice").values())[:MOST_SLICES]:
            try:
                curve, (x, y, text) = cut_of(result, known, dimension, None)
            except ValueError:  # no successful evaluation has it
                continue
            curves = {word: _numbers(getattr(curve, word)) for word in ("median", "low", "high")}
            here = active[dimension.index]
            found.append(
                {
                    "name": whole.names[dimension.name],
                    "output": place,
                    "kind": space.params[dimension.name].kind,
                    "x": _texts(dimension, curve.places),
                    **curves,
                    "at": _texts(dimension, np.array([x]))[0] if here else None,
                    "height": _finite(y) if here else None,
                    "through": text,
                }
            )
    return found


def contour(whole: Whole, x: str, y: str, output: int) -> Answer:
    """The prediction over two parameters: shades from 0, the worst, with a row for each value of y.

    ends      of the shades, ascending values
    cut       whether some values are worse than the last shade
    number    of the trial at the star
    """
    result = whole.result
    own = {shown: name for name, shown in whole.names.items()}
    target = list(result.settings.outputs)[output]
    first, second = (own.get(name, name) or None for name in (x, y))
    with one_thread(result.history.model_rows):
        pair = pair_of(result, first, second, target)
        field, section = field_of(result, pair, target, None, "contour", OVER)
    larger = result.settings.sign(target) > 0
    shown = _shading(result, target, field.Z.ravel())
    ends = shown.levels
    shades = np.searchsorted(ends[1:-1], field.Z).astype(float)
    shades = np.where(np.isnan(field.Z), np.nan, shades if larger else len(ends) - 2 - shades)
    places = zip(pair, (field.x, field.y), section.here, strict=True)
    sides = [
        {
            "name": whole.names[dimension.name],
            "places": _texts(dimension, values),
            "at": _texts(dimension, np.array([here]))[0],
        }
        for dimension, values, here in places
    ]
    return {
        "x": sides[0],
        "y": sides[1],
        "shades": [_numbers(row) for row in shades],
        "ends": _numbers(ends),
        "cut": shown.extend != "neither",
        "number": next((t.number for t in result.history.done if np.array_equal(t.unit, section.centre.x)), None),
        "unlikely": None if field.P is None else (field.P < EVEN_CHANCE).tolist(),
        "through": section.centre.text,
    }


def _shading(result: Result, target: str, predicted: Array) -> Shading:
    """The shades of predicted values. With one objective, they end where the axis of the convergence ends."""
    larger = result.settings.sign(target) > 0
    shown, beyond = shading(predicted, larger=larger), infeasible(result)
    if result.settings.several:  # a bad value of one objective may be on the front
        return shown
    values = values_of(result, target)[~beyond] if not beyond.all() else values_of(result, target)
    run = ending(values, (np.fmax if larger else np.fmin).accumulate(values), larger=larger)
    end = run.low if larger else run.high
    if not shown.low < end < shown.high:
        return shown
    return Shading(end, shown.high, larger, "min") if larger else Shading(shown.low, end, larger, "max")


def _texts(dimension: Dimension, places: Array) -> list[Json]:
    """Values along an axis on the page: numbers, or the texts of options."""
    if isinstance(dimension.parameter, Listed):
        texts = texts_of(dimension.parameter.options)
        return [texts[round(place)] for place in places.tolist()]
    whole = dimension.parameter is not None and dimension.parameter.kind == "int"
    return [round(place) if whole else place for place in places.tolist()]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbers(row: Array) -> list[float | None]:
    return [_finite(value) for value in row.tolist()]


# ---------------------------------------------------------------------- on demand


@dataclass(frozen=True)
class Known:
    """An answer, with its request and revision."""

    revision: str
    content: Answer
    due: float = 0.0  # the time from which a newer one may be computed


class Models:
    """The last answers for each study, and a thread that makes new ones."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Watched, dict[Wish, Known]] = WeakKeyDictionary()
        self._wanted: dict[tuple[str, Wish], Watched] = {}  # in the order of the requests
        self._now: tuple[str, Wish] | None = None  # the request that is being computed
        self._last: tuple[Watched, Whole] | None = None  # the study that was read last
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def ask(self, watched: Watched, wish: Wish = None) -> Answer:
        """The last answer, and whether a newer one will come: "wait"."""
        with self._changed:
            known, revision = self._known.get(watched, {}).get(wish), watched.columns.revision
            wait = known is None or known.revision != revision
            idle = self._now != (watched.id, wish)  # otherwise the page asks again
            if wait and idle and (known is None or time.monotonic() >= known.due):
                self._wanted[watched.id, wish] = watched
                self._begin()
        found = {"revision": revision, "problem": None, "note": None} | EMPTY
        if known is not None:
            found |= {"revision": known.revision, **known.content}
        return found | {"wait": wait}

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="suffice-models", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._wanted:
                    self._changed.wait()
                key = self._now = next(iter(self._wanted))
                watched = self._wanted.pop(key)
            begun = time.monotonic()
            revision, content = self._computed(watched, key[1])
            due = time.monotonic() + (time.monotonic() - begun) / TIME_SHARE
            with self._changed:
                self._now = None
                answers = self._known.setdefault(watched, {})
                answers.pop(key[1], None)
                answers[key[1]] = Known(revision, content, due)
                for old in [wish for wish in answers if wish is not None][:-CONTOURS]:
                    del answers[old]

    def _computed(self, watched: Watched, wish: Wish) -> tuple[str, Answer]:
        """An answer about the present study and its revision, or a message why there is none."""
        revision = watched.columns.revision
        try:
            if self._last is None or self._last[0] is not watched or self._last[1].revision != revision:
                self._last = None  # never two studies in memory
                self._last = watched, whole_of(watched)
            whole = self._last[1]
            return whole.revision, about(whole) if wish is None else {"contour": contour(whole, *wish)}
        except FAULTS as error:
            return revision, {"problem": visible(str(error), READABLE)}
        except Exception as error:  # a bug must not end the thread
            return revision, {"problem": visible(f"the model failed: {type(error).__name__}: {error}", READABLE)}
