"""What the model predicts along each parameter through the best point, or through the knee of a front.

The model is fitted anew to the values, as `result.predict` does: of several objectives one for each. Of more than a
thousand values it takes the best ones, and others spread evenly over the rest, so that the answer comes within seconds
while other programs compute. A thread computes slices, one study at a time, and only what somebody has asked for.
"""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from suffice.dashboard.follow import Watched
from suffice.dashboard.table import Columns, Json, or_none, texts_of
from suffice.errors import SufficeError
from suffice.plot.data import Dimension, centre, chosen, dimensions, through
from suffice.plot.slices import ALONG
from suffice.record.history import History, rows
from suffice.record.settings import Settings
from suffice.record.study_file import MEANINGLESS
from suffice.record.trial import Event, Started, Told, asked
from suffice.report.tables import best_trials
from suffice.result.predict import Surface, surface
from suffice.result.result import Result, accuracy_of, make_result
from suffice.space import Listed, Space, active_coordinates
from suffice.space.space import advice_about
from suffice.text import READABLE, visible
from suffice.threads import one_thread
from suffice.types import Array

VALUES = 1000  # that the model is fitted to: half a second of the processor; the work grows with their cube
MOST_SLICES = 60  # parameters: a page with more slices is not read
TIME_SHARE = 0.2  # of the time that goes into the slices of a study that changes all the time


class NoSlices(SufficeError):
    """There is nothing to slice, with the reason as a sentence."""


@dataclass(frozen=True)
class Data:
    """What slices are made of, taken from the columns at one moment."""

    revision: str
    settings: Settings
    points: list[Any]
    values: list[dict[str, float]]  # by the name of the output
    noise: list[float | None]
    names: dict[str, str]  # of parameters, as the page has them
    at: dict[str, Json]  # the best point
    note: str | None  # what was left out


def data_of(columns: Columns) -> Data:
    """The points and values of done trials, some of them if there are many; NoSlices if there are none to be had."""
    settings = columns.settings
    if settings is None or columns.counts["done"] < 2:
        raise NoSlices("a model needs at least two values")
    space = settings.space
    if not isinstance(space, Space):
        raise NoSlices(
            "a slice changes one parameter while the others stay, and the points of this study are not made of "
            "parameters"
        )
    if not space.coordinates:
        raise NoSlices("every parameter of this study is a constant")
    taken, note = _taken(columns, settings)
    if len(taken) < 2:
        raise NoSlices(f"a model needs at least two values of {settings.objective}")
    points = [_point(columns, row, space) for row in taken]
    noise = [or_none(columns.noise[i]) for i in taken]
    names = {part.name: about["name"] for part, (about, _) in zip(columns.parts, columns.parameters(), strict=True)}
    if advice_about(space) is not None:
        settings = replace(settings, space=space.with_where(None))
        note = " ".join(filter(None, (note, "The file does not hold the constraints, which are not looked at here.")))
    values, best = [columns.values_of(i) for i in taken], _best(columns, taken, settings)
    there = ((about["name"], known[0]) for about, known in columns.parameters([best]))
    at: dict[str, Json] = {name: value for name, value in there if value is not None}
    return Data(columns.revision, settings, points, values, noise, names, at, note)


def _taken(columns: Columns, settings: Settings) -> tuple[list[int], str | None]:
    """The trials that the model is fitted to, in order, and a sentence about those that are left out."""
    value = np.array(columns.value)
    done = np.flatnonzero((np.array(columns.state) == "done") & np.isfinite(value))
    if len(done) <= VALUES:
        return done.tolist(), None
    within, front = np.array([columns.feasible[i] is True for i in done]), columns.front()
    first = np.isin(done, [] if front is None else front["trials"])
    order = np.lexsort((-settings.sign() * value[done], ~within, ~first))
    best, others = done[order[: VALUES // 2]], np.sort(done[order[VALUES // 2 :]])
    spread = others[np.linspace(0, len(others) - 1, VALUES - len(best)).round().astype(int)]
    note = (
        f"The model is fitted to {VALUES} of the {len(done)} values: the {len(best)} best, and others spread evenly "
        "over the run."
    )
    return np.sort(np.concatenate([best, spread])).tolist(), note


def _best(columns: Columns, taken: list[int], settings: Settings) -> int:
    """The knee of the front, or the best feasible trial, or the best of all."""
    front = columns.front()
    if front is not None and front["knee"] is not None:
        return int(front["knee"])
    within = [i for i in taken if columns.feasible[i]] or taken
    return max(within, key=lambda i: (settings.sign() * columns.value[i], -i))


def _point(columns: Columns, row: int, space: Space) -> Any:
    if space.named:
        values = {part.name: part.at(row) for part in columns.parts}
        return space.only_active(values)
    return [part.at(row) for part in columns.parts]


def slices(data: Data) -> dict[str, Any]:
    """The model along each parameter, as JSON; NoSlices if the file has only a description of the model."""
    try:
        history = History.of(_events(data))
        with one_thread(len(data.values)):
            return _cut(data, history)
    except (SufficeError, np.linalg.LinAlgError, *MEANINGLESS) as error:
        raise NoSlices(f"the model cannot be fitted: {error}") from error


def _events(data: Data) -> Sequence[Event]:
    events: list[Event] = [Started(data.settings)]
    objective = data.settings.objective
    for i, (point, value, known) in enumerate(zip(data.points, data.values, data.noise, strict=True)):
        noise = known if known is None or len(data.settings.outputs) == 1 else {objective: known}
        events += [asked(i, point, "foreign", data.settings.space), Told(i, value, noise)]
    return events


def _cut(data: Data, history: History) -> dict[str, Any]:
    space, result = history.settings.space, make_result(history, "", accuracy_of(history, None))
    assert isinstance(space, Space)
    known = list(dimensions(space, "slice").values())[:MOST_SLICES]
    named = []
    for place, output in enumerate(history.settings.objectives):
        found = surface(history, name=output)
        cuts = (_slice(result, found, space, dimension) for dimension in known)
        pairs = zip(known, cuts, strict=True)
        named += [{"name": data.names[d.name], "output": place, **cut} for d, cut in pairs if cut is not None]
    return {"at": data.at, "slices": named}


def _slice(result: Result, found: Surface, space: Space, dimension: Dimension) -> dict[str, Any] | None:
    """The model along one parameter through the best point that has it; None: no point has."""
    best, knee = best_trials(result.history, len(result.history.done)), chosen(result.history)
    best = best if knee is None else [knee, *best]
    active = np.flatnonzero(active_coordinates(space, rows(best, space.dim))[:, dimension.index])
    if not len(active):
        return None
    middle = centre(result, best[int(active[0])].point, [dimension], "slice")
    places, blocks = dimension.grid(ALONG)
    X, allowed = through(space, middle.base, [dimension], [blocks])
    said = np.full((3, len(X)), np.nan)
    said[:, allowed] = found.at(X[allowed])
    parameter = dimension.parameter
    assert parameter is not None
    if isinstance(parameter, Listed):
        texts = texts_of(parameter.options)
        x: list[Any] = [texts[int(place)] for place in places]
    else:
        x = [int(place) for place in places] if parameter.kind == "int" else places.tolist()
    median, low, high = (_numbers(row) for row in said)
    return {"kind": parameter.kind, "x": x, "median": median, "low": low, "high": high}


def _numbers(row: Array) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in row.tolist()]


@dataclass(frozen=True)
class Answer:
    """Slices of a study at a revision, or why there are none."""

    revision: str
    content: dict[str, Any]
    due: float = 0.0  # when newer ones may be computed


class Slicer:
    """The last answer for each study, and a thread that makes new ones."""

    def __init__(self) -> None:
        self._answers: WeakKeyDictionary[Watched, Answer] = WeakKeyDictionary()
        self._wanted: dict[str, Watched] = {}  # in the order in which they were asked for
        self._now: Watched | None = None  # whose slices are being computed
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def ask(self, watched: Watched) -> dict[str, Any]:
        """The last answer, and whether a newer one will come: "wait"."""
        with self._changed:
            answer, revision = self._answers.get(watched), watched.columns.revision
            wait = answer is None or answer.revision != revision
            idle = self._now is not watched  # else who asks again will ask once more
            if wait and idle and (answer is None or time.monotonic() >= answer.due):
                self._wanted[watched.id] = watched
                self._begin()
        known: dict[str, Any] = {"revision": revision, "problem": None, "note": None, "at": {}, "slices": []}
        if answer is not None:
            known |= {"revision": answer.revision, **answer.content}
        return known | {"wait": wait}

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="suffice-slicer", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._wanted:
                    self._changed.wait()
                watched = self._now = self._wanted.pop(next(iter(self._wanted)))
            begun = time.monotonic()
            revision, content = _computed(watched)
            due = time.monotonic() + (time.monotonic() - begun) / TIME_SHARE
            with self._changed:
                self._now = None
                self._answers[watched] = Answer(revision, content, due)


def _computed(watched: Watched) -> tuple[str, dict[str, Any]]:
    """The slices of a study as it is now, and of which revision; or a sentence about why there are none."""
    revision = watched.columns.revision
    try:
        with watched.lock:
            revision = watched.columns.revision
            data = data_of(watched.columns)
        return revision, {"note": data.note, **slices(data)}
    except NoSlices as error:
        return revision, {"problem": visible(str(error), READABLE)}
    except Exception as error:  # a fault of ours must not end the thread
        return revision, {"problem": visible(f"the slices failed: {type(error).__name__}: {error}", READABLE)}
