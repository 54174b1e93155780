"""Interruptions of a run from outside: a file that can no longer be written, and SIGTERM.

If the file of a run cannot be written, the run waits a moment and then ends. Its result is attached to the error and
saved in another file.

A batch system or a container sends SIGTERM some seconds before it kills a process. By default Python dies at once,
without recording anything, and leaves worker processes behind. During a run, SIGTERM raises SystemExit(143) instead, so
the run ends in order: it records finished trials, cancels the others and ends our workers. The exception has the result
as `.result`.

Both are classes, because a context made from a generator modifies the exceptions that pass, and some do not allow that.
"""

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from types import FrameType
from typing import Any

from suffice.errors import NotStored
from suffice.result.result import Result
from suffice.study.optimizer import Optimizer

PATIENCE = 5.0  # seconds: by then a network disk is back, but a full disk is not


@dataclass(frozen=True)
class Rescued:
    """Closes the optimizer at the end. If its file cannot be written, NotStored names the file with everything."""

    optimizer: Optimizer

    def __enter__(self) -> Optimizer:
        self.optimizer.patience = PATIENCE
        return self.optimizer

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, NotStored):
            _rescue(self.optimizer, error)
            return
        try:
            self.optimizer.close()
        except NotStored as held:
            _rescue(self.optimizer, held)
            if error is None:
                raise
            with suppress(Exception):  # it may refuse notes
                for note in held.__notes__:
                    error.add_note(note)


def _rescue(optimizer: Optimizer, error: NotStored) -> None:
    """Attach the result to the error, and save it wherever that is possible."""
    result: Result = optimizer.result("the run ended because its file could not be written")
    error.result = result  # type: ignore[attr-defined]
    assert optimizer.storage is not None
    copy = _written(result, optimizer.storage)
    where = "and could not be written elsewhere" if copy is None else f"and in {copy}: sf.load({str(copy)!r})"
    error.add_note(
        f"Nothing is lost yet: the whole study is attached to this exception as `.result`, {where}. Once there is "
        f"free space, the same call resumes from {optimizer.storage}."
    )


def _written(result: Result, storage: Path) -> Path | None:
    """The file with the result, beside the study or wherever there is space; None if there is none."""
    for folder in (storage.parent, Path.cwd(), Path(tempfile.gettempdir()), Path.home()):
        with suppress(OSError):
            path = _free(Path(os.path.abspath(folder)) / f"{storage.name}.rescued.json")
            result.save(path)
            return path
    return None


def _free(path: Path) -> Path:
    """The path, or the first free one with a number, so that earlier files stay."""
    numbered = (path.with_name(f"{path.stem}-{i}{path.suffix}") for i in count(2))
    return next(other for other in chain([path], numbered) if not other.exists())


class Handled:
    """Handles signals during a run, unless the program has its own handlers."""

    def __init__(self, handler: Callable[[int, FrameType | None], Any], *numbers: int) -> None:
        self.handler, self.numbers = handler, numbers
        self.before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():  # handlers can be set only there
            for number in self.numbers:
                if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                    self.before[number] = signal.signal(number, self.handler)

    def __exit__(self, *raised: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)


def terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """End the program in order. 128 + 15 is the exit code that a shell reports after SIGTERM."""
    raise SystemExit(128 + number)


def _reset() -> None:
    """Restore the default handler, because SIGTERM must end a forked worker."""
    if signal.getsignal(signal.SIGTERM) is terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_reset)
