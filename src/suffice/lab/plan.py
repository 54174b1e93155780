"""An experiment as data: problems × methods × seeds.

A plan is a value. `run_job` (results.py) runs one of its jobs, `execute` (runner.py) all of them.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from suffice.acquisition import LookAround
from suffice.gp import GP
from suffice.problems import Problem
from suffice.solvers import Adaptive

if TYPE_CHECKING:
    from suffice.lab.results import Trace


# What an Optimizer takes where a method says nothing: part of the definition, since it may change with the library.
DEFAULTS: dict[str, Any] = {"model": GP(), "acquisition": LookAround(), "solver": Adaptive()}


@dataclass(frozen=True)
class Task:
    """A problem with its budget."""

    problem: str  # a name that `problems.find` knows
    initial: int  # points of the initial design, the same for every method
    iterations: int  # suggestions after it: the regret is counted over them


@dataclass(frozen=True)
class Method:
    """A way to optimize: `make(problem)` gives the words that an Optimizer takes, such as model and solver.

    What is no Optimizer of this library runs itself; `make` then says what it is made of.
    """

    name: str  # in files and on the command line
    label: str  # in figures and tables
    make: Callable[[Problem], dict[str, Any]]  # module-level functions and partials of them, so that it pickles
    native: bool = False  # on the problem's own space, where it has one, instead of its box
    shifted: bool = True  # told f − f*, as the authors do; False: f, as any user must
    run: Callable[["Job"], "Trace"] | None = None  # by itself; as `make`, it pickles


@dataclass(frozen=True)
class Job:
    """One run: a method on a task with a seed."""

    plan: str
    task: Task
    method: Method
    seed: int
    audit: int = 0  # every so many steps are solved again with the heavy solver; 0: none

    @property
    def key(self) -> str:
        """What the run is, in words: the name of its results."""
        return f"{self.plan}/{self.task.problem}/{self.method.name}/{self.seed}"

    @property
    def cell(self) -> tuple[str, str]:
        """What it is a run of, whatever the seed: problem and method."""
        return self.task.problem, self.method.name

    def digest(self, problem: Problem) -> str:
        """What the run is made of, as a short hash: results of another definition are not taken for these."""
        parts = (DEFAULTS if self.method.run is None else {}) | self.method.make(problem)
        words = repr((self.task, sorted(parts.items()), self.method.native, self.audit))
        words += "" if self.method.shifted else " not shifted"
        stable = re.sub(r" at 0x[0-9a-f]+", "", words)  # of functions: another one in every process
        return hashlib.sha256(stable.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Plan:
    """Problems × methods × seeds, and what to say about them."""

    name: str
    title: str  # one line, for lists and headings
    about: str  # a paragraph: what is compared, and what it is about
    tasks: tuple[Task, ...]
    methods: tuple[Method, ...]
    reps: int = 20  # seeds 0 … reps − 1
    audit: int = 0  # every so many steps are audited …
    audited: int = 0  # … of so many seeds, the first ones

    @property
    def labels(self) -> dict[str, str]:
        """Of the methods, by name."""
        return {method.name: method.label for method in self.methods}

    def jobs(self) -> Iterator[Job]:
        """All runs, seed by seed: interrupted half-way, all cells have about as many runs."""
        for seed in range(self.reps):
            for task in self.tasks:
                for method in self.methods:
                    yield Job(self.name, task, method, seed, self.audit if seed < self.audited else 0)


def tasks(per_dimension: int, *budgets: tuple[str, int, int]) -> tuple[Task, ...]:
    """Tasks from (problem, dimension, iterations), with so many initial points for each dimension."""
    return tuple(Task(problem, per_dimension * d, iterations) for problem, d, iterations in budgets)
