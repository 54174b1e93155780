"""The thread that computes slices: one study at a time, and only what somebody has asked for."""

import threading
import time
from dataclasses import dataclass
from typing import Any

from suffice.dashboard.slices import NoSlices, data_of, slices
from suffice.dashboard.watched import SENTENCE, Watched
from suffice.markup import visible

KEPT = 20  # answers that are remembered
SHARE = 0.2  # of the time that goes into the slices of a study that changes all the time


@dataclass(frozen=True)
class Answer:
    """Slices of a study at a revision, or why there are none."""

    revision: str
    content: dict[str, Any]
    due: float = 0.0  # when newer ones may be computed


class Slicer:
    """Answers of the past, and a thread that makes new ones."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}
        self._wanted: dict[str, Watched] = {}  # in the order in which they were asked for
        self._now: Watched | None = None  # whose slices are being computed
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def ask(self, watched: Watched) -> dict[str, Any]:
        """The last answer, and whether a newer one will come: "wait"."""
        with self._changed:
            answer, revision = self._answers.get(watched.id), watched.columns.revision
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
            due = time.monotonic() + (time.monotonic() - begun) / SHARE
            with self._changed:
                self._now = None
                self._answers.pop(watched.id, None)
                self._answers[watched.id] = Answer(revision, content, due)
                while len(self._answers) > KEPT:
                    self._answers.pop(next(iter(self._answers)))


def _computed(watched: Watched) -> tuple[str, dict[str, Any]]:
    """The slices of a study as it is now, and of which revision; or a sentence about why there are none."""
    revision = watched.columns.revision
    try:
        with watched.lock:
            revision = watched.columns.revision
            data = data_of(watched.columns)
        return revision, {"note": data.note, **slices(data)}
    except NoSlices as error:
        return revision, {"problem": visible(str(error), SENTENCE)}
    except Exception as error:  # a fault of ours must not end the thread
        return revision, {"problem": visible(f"the slices failed: {type(error).__name__}: {error}", SENTENCE)}
