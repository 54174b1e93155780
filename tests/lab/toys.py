"""Jobs of milliseconds that another process can import, some of them ill-behaved."""

import os
import sys
import time
from dataclasses import dataclass
from functools import partial

from suffice import GP
from suffice.lab.plan import (
    Job,
    Method,
    Plan,
    Task,
)
from suffice.lab.results import Results, run_job
from suffice.lab.runner import execute
from suffice.run.processes import THREADS
from suffice.solvers import Fixed, Grid

TASK = Task("branin", initial=4, iterations=3)
GRID = Grid(size=Fixed(32))


@dataclass(frozen=True)
class Slow:
    """The grid, a little later."""

    seconds: float = 0.05

    def __call__(self, alpha, domain, *, step, rng):
        time.sleep(self.seconds)
        return GRID(alpha, domain, step=step, rng=rng)


@dataclass(frozen=True)
class Waits:
    """The grid, once there is a file."""

    file: str

    def __call__(self, alpha, domain, *, step, rng):
        while not os.path.exists(self.file):
            time.sleep(0.01)
        return GRID(alpha, domain, step=step, rng=rng)


class Unpicklable(Exception):
    """It carries something that cannot leave its process."""

    def __init__(self, message):
        super().__init__(message)
        self.held = lambda: None


@dataclass(frozen=True)
class Raises:
    def __call__(self, alpha, domain, *, step, rng):
        raise Unpicklable(f"threads\n{[os.environ.get(name) for name in THREADS]}")


@dataclass(frozen=True)
class Dies:
    """It takes its process along."""

    def __call__(self, alpha, domain, *, step, rng):
        os._exit(1)


class Interrupts:
    """As if Ctrl-C were pressed in the fifth step."""

    def __init__(self):
        self.calls = 0

    def __call__(self, alpha, domain, *, step, rng):
        self.calls += 1
        if self.calls == 5:
            raise KeyboardInterrupt
        return GRID(alpha, domain, step=step, rng=rng)


def words(solver, problem):
    return {"model": GP(warp=False), "solver": solver}


def method(name, solver=GRID):
    return Method(name, name, partial(words, solver))


def jobs(*methods, seeds=1, plan="toy"):
    return list(Plan(plan, "", "", (TASK,), methods, reps=seeds).jobs())


def endless_jobs(file, slow=Slow()):
    """Some runs, then two that keep two workers busy until there is a file."""
    return jobs(method("slow", slow), seeds=20) + jobs(method("waits", Waits(str(file))), seeds=2)


def main(path, file):
    """What the tests start and kill."""
    with Results(path) as results:
        print(execute(endless_jobs(file), results, workers=2), flush=True)


def add_many(path, plan, n):
    """Add n runs to a file that others write to at the same time."""
    (job,) = jobs(method("grid"))
    trace = run_job(job)
    with Results(path) as results:
        for seed in range(n):
            results.add(Job(plan, TASK, job.method, seed), "digest", trace)


if __name__ == "__main__":
    main(*sys.argv[1:])
