"""Objectives that other processes can import, and that go wrong there; files count their calls across processes."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counted:
    """A bowl that leaves a file for every call; `kills`: how many calls at a point right of 0.8 kill their process."""

    folder: Path
    kills: int = 0
    hang: bool = False

    def __call__(self, x):
        name = named(x)
        earlier = len(list(self.folder.glob(f"{name}-*")))
        (self.folder / f"{name}-{earlier}-{os.getpid()}").touch()
        if x[0] > 0.8 and earlier < self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if x[0] > 0.8 and self.hang:
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            (self.folder / "child").write_text(str(child.pid))
            time.sleep(600)
        time.sleep(0.01)
        return float(((x - 0.3) ** 2).sum())

    def calls(self, trial):
        """How often a point was evaluated."""
        return len(list(self.folder.glob(f"{named(trial.point)}-*")))


def rests(seconds):
    """The process, after a while."""
    time.sleep(seconds)
    return os.getpid()


def begun(pool, count):
    """A process pool all of whose processes have started.

    Where one dies while another one starts, a pool of Python before 3.13 waits for that one for ever.
    """
    there = set()
    while len(there) < count:
        there.update(pool.map(rests, [0.1] * count))
    return pool


def named(x):
    return "_".join(f"{value:.17f}" for value in x)


def noisy(x):
    """A number of the global generator, which a forked process would inherit."""
    import numpy as np

    time.sleep(0.02)
    return float(np.random.random())  # noqa: NPY002


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def forks(x):
    """Its value, from a process whose forks come back, too: with a value, with an error, or by sys.exit()."""
    child = os.fork()
    if child == 0 and x[0] < 0.3:
        os.execvp("no-such-program-at-all", ["x"])
    if child == 0 and x[0] < 0.6:
        return -1.0
    if child == 0:
        sys.exit(7)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return x[0] if code == (1 if x[0] < 0.6 else 7) else -2.0


@dataclass(frozen=True)
class DiesBesideAFork:
    """It kills its process, whose fork lives on until a file says that the run is over, or notes that it is late."""

    folder: Path

    def __call__(self, x):
        if x[0] != 0.9:
            return x[0]
        if os.fork():
            os._exit(3)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if (self.folder / "over").exists():
                os._exit(0)
            time.sleep(0.05)
        (self.folder / "late").touch()
        os._exit(0)
