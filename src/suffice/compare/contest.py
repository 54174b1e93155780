"""Who competes in what: problems × systems × seeds, of which a slow system takes a part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from suffice.compare.entrant import Entrant
from suffice.lab.plan import Job, Plan, Task
from suffice.lab.results import Results
from suffice.lab.run import Run
from suffice.paper.presets import MAIN
from suffice.problems import find


@dataclass(frozen=True)
class Cap:
    """The part of a contest that a system takes; None: no limit."""

    seeds: int | None = None
    iterations: int | None = None
    problems: tuple[str, ...] | None = None  # no others

    def task(self, task: Task, seed: int) -> Task | None:
        """The task as far as the system takes part in it, with this seed; None: not at all."""
        left_out = self.problems is not None and task.problem not in self.problems
        if left_out or (self.seeds is not None and seed >= self.seeds):
            return None
        return task if self.iterations is None else replace(task, iterations=min(task.iterations, self.iterations))


@dataclass(frozen=True)
class Contest:
    """Problems × systems × seeds, with caps by name of the system."""

    name: str
    tasks: tuple[Task, ...]
    entrants: tuple[Entrant, ...]
    seeds: int
    caps: Mapping[str, Cap] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """As the experiments know it, without the caps."""
        methods = tuple(entrant.method for entrant in self.entrants)
        return Plan(self.name, TITLE, ABOUT, self.tasks, methods, reps=self.seeds)

    def jobs(self) -> Iterator[Job]:
        """All runs, seed by seed."""
        for job in self.plan.jobs():
            task = self.caps.get(job.method.name, Cap()).task(job.task, job.seed)
            if task is not None:
                yield replace(job, task=task)

    def runs(self, results: Results) -> list[Run]:
        """The finished runs of this contest: not those of another version of a system, or with another budget."""
        finished = results.finished()
        jobs = (job for job in self.jobs() if job.key in finished)
        wanted = {job.key for job in jobs if finished[job.key] == job.digest(find(job.task.problem))}
        found = {f"{run.plan}/{run.problem}/{run.method}/{run.seed}": run for run in results.runs(self.name)}
        return [run for key, run in found.items() if key in wanted]


TITLE = "Head to head with other optimizers"
ABOUT = (
    "Every system starts from the same initial designs, which are scrambled Sobol points, suggests one point at a time "
    "and is told its value. Each keeps its own defaults, runs in a process of its own with one thread, and is "
    "timed there: overhead is the time in ask and tell, without the objective and without imports. Regret is counted "
    "over the suggestions after the initial design. Slow systems have fewer seeds, problems and iterations, "
    "so that systems are ranked pairwise, on the runs that two of them share, at the shorter of their horizons."
)

# Five initial points for each dimension, where the paper's six have ten.
FURTHER = {
    "six_hump_camel": 60,
    "goldstein_price": 60,
    "rosenbrock4": 80,
    "shekel7": 80,
    "styblinski_tang4": 80,
    "ackley5": 80,
    "griewank5": 80,
    "michalewicz5": 80,
    "cosine_mixture8": 100,
    "levy10": 100,
}
PER_DIMENSION, ITERATIONS = 5, 60  # of a problem that is not in the plan

SEEDS = 10
FOUR = ("branin", "hartmann6", "goldstein_price", "ackley5")  # of two to six dimensions, two of them the paper's
CAPS: dict[str, Cap] = {
    "optuna_gp": Cap(seeds=5),
    "bayes_opt": Cap(seeds=5),
    "botorch_ucb": Cap(seeds=3, iterations=100),
    "botorch_logei": Cap(seeds=3, iterations=100),
    **{name: Cap(seeds=2, iterations=60, problems=FOUR) for name in ("ax", "skopt", "hebo", "smac")},
}

QUICK_PROBLEMS, QUICK_ITERATIONS, QUICK_SEEDS = ("branin", "hartmann3", "ackley5"), 15, 2
QUICK_CAPS: dict[str, Cap] = {
    **{name: Cap(seeds=1) for name in ("botorch_ucb", "botorch_logei", "optuna_gp", "bayes_opt")},
    **{name: Cap(seeds=1, iterations=8, problems=("branin",)) for name in ("ax", "skopt", "hebo", "smac")},
}


def task(problem: str, iterations: int | None = None) -> Task:
    """A problem's budget in the plan, or one that is usual; an error if there is no such problem."""
    known = {planned.problem: planned for planned in (*MAIN.tasks, *further())}
    found = known.get(problem) or Task(problem, PER_DIMENSION * find(problem).dim, ITERATIONS)
    return found if iterations is None else replace(found, iterations=iterations)


def further() -> tuple[Task, ...]:
    """The problems beside the paper's six."""
    return tuple(Task(name, PER_DIMENSION * find(name).dim, n) for name, n in FURTHER.items())


def full(entrants: Sequence[Entrant]) -> Contest:
    """The paper's six problems in its main setting, and ten more."""
    return Contest("full", (*MAIN.tasks, *further()), tuple(entrants), SEEDS, CAPS)


def quick(entrants: Sequence[Entrant]) -> Contest:
    """A few minutes."""
    tasks = tuple(task(name, QUICK_ITERATIONS) for name in QUICK_PROBLEMS)
    return Contest("quick", tasks, tuple(entrants), QUICK_SEEDS, QUICK_CAPS)
