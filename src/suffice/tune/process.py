"""Running a command so that it ends with everything it started.

Every command gets a session of its own: a Ctrl-C in the terminal does not reach it, and a signal to its process group
reaches the processes that it started itself. Its output goes straight into files, so that it takes no memory here and
no process that was left behind can keep the reader waiting. A process that moves into a session of its own, as a
daemon does, is out of reach.

Commands must not outlive the program that started them, even if that is killed. A guard is a small process that reads
from a pipe which process groups run. When the pipe is closed and some are left, it ends them, and then itself.
"""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from suffice.errors import UnusableFile

TICK = 0.05  # seconds between two looks at a command
# A program that outlives this one, and ends the groups of processes that it has left behind.
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
    """Ends the commands if this program cannot; started with the first of them."""

    grace: float  # seconds between asking and ending
    _process: "subprocess.Popen[str] | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begun(self, group: int) -> None:
        """A process group has begun."""
        with self._lock, suppress(OSError):  # a guard that cannot start is missed only if this program is killed
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


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int  # the exit code; −n: by signal n
    seconds: float
    timed_out: bool = False
    stopped: bool = False  # by `Processes.stop`
    early: bool = False  # by `look`, because of what it had reported

    @property
    def fault(self) -> str | None:
        """What went wrong, in words; None if the command succeeded."""
        if self.stopped:
            return "stopped before it was done"
        if self.timed_out:
            return f"timed out after {self.seconds:.3g} s"
        if self.code < 0:
            return f"ended by {signal_name(-self.code)}"
        return f"exit code {self.code}" if self.code else None


@dataclass
class Processes:
    """The commands that run now; they may be run from several threads."""

    grace: float = 5.0  # seconds from asking a group to end to ending it: what writing a checkpoint takes
    _stopping: threading.Event = field(default_factory=threading.Event)
    _forcing: threading.Event = field(default_factory=threading.Event)
    _active: int = 0  # calls of `run` that have not returned
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _guard: Guard = field(init=False)

    def __post_init__(self) -> None:
        self._guard = Guard(self.grace)

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None = None,
        look: Callable[[], bool] | None = None,
    ) -> Ended:
        """Run a command to its end, or for `timeout` seconds; its output is in `stdout` and `stderr` in the folder.

        look    is called again and again meanwhile: whether to end the command now
        """
        with self._changed:
            if self._stopping.is_set():
                return Ended(-signal.SIGTERM, 0.0, stopped=True)
            self._active += 1
        try:
            start = time.monotonic()
            with fresh(folder / "stdout") as out, fresh(folder / "stderr") as err:
                streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
                process = subprocess.Popen(arguments, cwd=cwd, env=dict(env), start_new_session=True, **streams)
            self._guard.begun(process.pid)
            finished = early = False
            try:
                until = math.inf if timeout is None else start + timeout
                finished, early = self._wait(process, until, look or (lambda: False))
            finally:
                seconds = time.monotonic() - start
                self._end(process)
                self._guard.over(process.pid)
            stopped = not finished and self._stopping.is_set()
            late = not (finished or stopped or early)
            return Ended(process.returncode, seconds, late, stopped, early and not stopped)
        finally:
            with self._changed:
                self._active -= 1
                self._changed.notify_all()

    def stop(self) -> None:
        """End all commands and start no more; the calls of `run` return when theirs is gone. Called again: at once."""
        with self._changed:
            if self._stopping.is_set():
                self._forcing.set()
            self._stopping.set()

    def close(self) -> None:
        """Wait until the last command is gone; there will be no more. It may be interrupted, and called again."""
        with self._changed:
            while self._active:
                self._changed.wait(TICK)
        self._guard.close()

    def _wait(self, process: "subprocess.Popen[bytes]", until: float, look: Callable[[], bool]) -> tuple[bool, bool]:
        """Wait for the command, till it is time or it has to stop; whether it ended by itself, and by its reports."""
        while (left := until - time.monotonic()) > 0 and not self._stopping.is_set():
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(left, TICK))
                return True, False
            if look():
                return False, True
        return process.poll() is not None, False

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        """End what is left of a command and of what it started: asked first, then by force."""
        for force in (False, True):
            until = time.monotonic() + self.grace
            _signal(process, force)
            while (process.poll() is None or _alive(process.pid)) and time.monotonic() < until:
                if self._forcing.is_set() and not force:
                    break
                time.sleep(TICK)
        process.wait()


def fresh(path: Path) -> BinaryIO:
    """An empty file to write to; OSError for a link, by which an earlier command could have us write anywhere."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.fdopen(os.open(path, flags, 0o666), "wb")
    except OSError as error:
        if path.is_symlink():
            raise UnusableFile(
                f"{path} is a symbolic link, but the output of a trial must stay in its folder: remove it"
            ) from error
        raise


def signal_name(number: int) -> str:
    """SIGKILL for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _signal(process: "subprocess.Popen[bytes]", force: bool) -> None:
    """Ask all processes of a group to end, or end them; the process alone where there are no groups."""
    with suppress(ProcessLookupError, PermissionError):  # gone; or of another user by now, which is theirs to end
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL if force else signal.SIGTERM)
        elif force:
            process.kill()
        else:
            process.terminate()


def _alive(group: int) -> bool:
    """Whether a process of the group runs; one that has ended counts too, where it cannot be told apart."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # Many a container has nobody who takes notice of the dead, and they stay in their group for ever.
    states = _states(group)
    return states is None or any(state not in "ZX" for state in states)


def _states(group: int) -> list[str] | None:
    """The states of the processes of a group, as Linux has them in /proc; None elsewhere."""
    if not Path("/proc/self/stat").exists():
        return None
    found = []
    for number in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError, ValueError):  # gone meanwhile
            state, _, its_group = Path("/proc", number, "stat").read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group:
                found.append(state)
    return found
