"""Commands must not outlive the program that started them, even if that is killed.

A guard is a small process that hears, through a pipe, which process groups are under way. When the pipe is closed and
some are left, the program is gone without having ended them: the guard does, and ends itself.
"""

import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field

GUARD = """
import os, signal, sys, time
groups = set()
for line in sys.stdin:
    sign, _, number = line.partition(" ")
    (groups.add if sign == "+" else groups.discard)(int(number))
for number, seconds in ((signal.SIGTERM, float(sys.argv[1])), (signal.SIGKILL, 0.0)):
    for group in groups:
        try:
            os.killpg(group, number)
        except OSError:
            pass
    time.sleep(seconds if groups else 0.0)
"""


@dataclass
class Guard:
    """What ends the commands if this program cannot; started with the first of them."""

    grace: float  # seconds between asking and ending
    _process: "subprocess.Popen[str] | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begun(self, group: int) -> None:
        """A process group is under way."""
        with self._lock, suppress(OSError):  # a guard that cannot be had is missed only if this program is killed
            if self._process is None and sys.executable and sys.platform != "win32":
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", GUARD, str(self.grace)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    start_new_session=True,  # Ctrl-C is not for it
                )
            self._say(f"+ {group}")

    def over(self, group: int) -> None:
        """A process group is gone."""
        with self._lock, suppress(OSError):
            self._say(f"- {group}")

    def close(self) -> None:
        """No more will come."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None and process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
                process.wait()

    def _say(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
