"""What was written reaches the disk a moment later, while nobody waits for it.

What a program has written survives its end, however it ends, because the operating system has it. A power cut it
survives only once it is on the disk, and to wait for that takes milliseconds. So it is asked for in the background.
"""

import os
import threading
from contextlib import suppress
from pathlib import Path

DELAY = 0.1  # seconds from the first write: what a power cut may cost


class Flusher:
    """Flushes a file soon after `wrote` was called, once for all that came meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def wrote(self) -> None:
        """There is something to flush."""
        if self._thread is None:  # one for all: to start a thread takes longer than to write
            arguments = (self._path, self._written, self._closed)
            self._thread = threading.Thread(target=_flush, args=arguments, name="suffice-flusher", daemon=True)
            self._thread.start()
        self._written.set()

    def close(self) -> None:
        """What is not flushed yet is left to whoever closes the file."""
        self._closed.set()
        self._written.set()


def _flush(path: Path, written: threading.Event, closed: threading.Event) -> None:
    while written.wait() and not closed.wait(DELAY):
        written.clear()
        with suppress(OSError):  # gone meanwhile, or a file system that cannot
            descriptor = os.open(path, os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
