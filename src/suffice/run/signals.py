"""SIGTERM during a run: the run ends like any other, and then the program does.

A batch system or a container sends SIGTERM some seconds before it kills. By default Python dies of it at once: nothing
is written down, and worker processes stay behind. Here it becomes the exception SystemExit(143), which ends the run in
order: what is done is recorded, the rest cancelled, our workers are ended; and it carries the result as `.result`.
"""

import os
import signal
import threading
from types import FrameType

STATUS = 128 + signal.SIGTERM  # what a shell reports of a program that died of it


class Terminable:
    """Makes SIGTERM an exception meanwhile; a program that handles it in its own way goes on to do so.

    It is a class because a context made of a generator touches the exceptions that pass, which some do not survive.
    """

    def __enter__(self) -> None:
        main = threading.current_thread() is threading.main_thread()  # only there may handlers be set
        self.ours = main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        if self.ours:
            _reset_in_forks()
            signal.signal(signal.SIGTERM, _terminate)

    def __exit__(self, *raised: object) -> None:
        if self.ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise SystemExit(STATUS)


_registered: list[int] = []


def _reset_in_forks() -> None:
    """A forked worker is ended by SIGTERM, so there it must be deadly."""
    if not _registered and hasattr(os, "register_at_fork"):
        _registered.append(os.getpid())
        os.register_at_fork(after_in_child=_reset)


def _reset() -> None:
    if signal.getsignal(signal.SIGTERM) is _terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
