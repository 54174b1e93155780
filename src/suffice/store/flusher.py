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
        self.path = path
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def wrote(self) -> None:
        """There is something to flush."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(DELAY, self._flush)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """What is not flushed yet is left to whoever closes the file."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _flush(self) -> None:
        with self._lock:
            self._timer = None
        with suppress(OSError):  # gone meanwhile, or a file system that cannot
            descriptor = os.open(self.path, os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
