"""The thread that follows a folder of studies, or one file, and wakes whoever waits for news."""

import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suffice.dashboard.folder import STUDIES, Folder
from suffice.dashboard.watched import SENTENCE, Watched
from suffice.markup import visible

PAUSE = 0.5  # seconds between two looks at the files that are followed
SEARCH = 1.0  # seconds between two looks through the folder, at least; a tenth of the time goes into it
TURN = 0.5  # seconds for which one that somebody looks at is read before the others have their turn, and it is told
FORGET = 3600.0  # seconds till a study whose file is gone is forgotten


class Watcher:
    """Studies by their ids, kept up to date by a thread from `start` to `stop`."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.folder = Folder(self.path) if self.path.is_dir() else None
        self.studies: dict[str, Watched] = {}  # replaced as a whole, so that others can go through it
        self.searched = False  # whether the folder was looked through once
        self._version = 0
        self._listeners: set[Callable[[], None]] = set()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="suffice-watcher", daemon=True)
        self._next_search = 0.0

    def start(self) -> None:
        """Begin; the thread ends with the process at the latest."""
        self._thread.start()

    def stop(self) -> None:
        """End, within a moment."""
        self._stopped.set()
        self._thread.join(timeout=2.0)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have this called, by the thread, after each change; what comes back ends it."""
        self._listeners = {*self._listeners, listener}

        def end() -> None:
            self._listeners = self._listeners - {listener}

        return end

    @property
    def note(self) -> str | None:
        """What the reader of the list should know."""
        if self.folder is not None and self.folder.full:
            return (
                f"the folder is large: not all of it is looked through, and at most {STUDIES} studies are shown; "
                "name a folder inside it"
            )
        return None

    def present(self) -> list[dict[str, Any]]:
        """The summaries of the studies whose files are there, by name."""
        found = [study.summary for study in self.studies.values() if study.summary]
        return sorted((each for each in found if each["state"] != "gone"), key=lambda each: str(each["name"]))

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.step()
            except Exception:  # a fault of ours in one look must not end the others
                traceback.print_exc()
                self._stopped.wait(PAUSE)
            if not any(study.behind for study in self.studies.values()):
                self._stopped.wait(PAUSE)

    def step(self) -> None:
        """Look at everything once, and read a portion of each file that has changed."""
        changed = self._search() if time.monotonic() >= self._next_search else False
        for study in sorted(self.studies.values(), key=lambda study: not study.wanted):
            changed = self._follow(study) or changed
        if changed:
            self._wake()

    def _search(self) -> bool:
        """Look through the folder; whether there are other studies than before."""
        begun = time.monotonic()
        names = [self.path.name] if self.folder is None else self.folder.studies()
        root = self.path.parent if self.folder is None else self.path
        known = {study.name: study for study in self.studies.values()}
        kept = [study for study in known.values() if study.name in names or not self._is_forgotten(study)]
        new = [Watched(root / name, name) for name in names if name not in known]
        self.studies = {study.id: study for study in (*kept, *new)}
        first, self.searched = not self.searched, True
        for study in new:
            self._publish(study)
        self._next_search = time.monotonic() + max(SEARCH, 10 * (time.monotonic() - begun))
        return first or bool(new)

    def _is_forgotten(self, study: Watched) -> bool:
        return study.gone_since is not None and time.monotonic() - study.gone_since > FORGET

    def _follow(self, study: Watched) -> bool:
        """Look at one file; whether there is news. What somebody looks at is read on for a while."""
        end = time.monotonic() + TURN
        try:
            study.look()
            while study.behind:
                study.work()
                if not study.wanted or self._stopped.is_set() or time.monotonic() > end:
                    break
            study.wanted = study.wanted and study.behind
        except Exception as error:  # a fault of ours in one study must not end the others
            study.give_up(visible(f"it could not be read: {type(error).__name__}: {error}", SENTENCE))
        return self._publish(study)

    def _publish(self, study: Watched) -> bool:
        if not study.publish():
            return False
        self._version += 1
        study.version = self._version
        return True

    def _wake(self) -> None:
        for listener in self._listeners:
            listener()
