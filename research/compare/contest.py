"""Who competes in what: problems × systems × seeds, of which a slow system takes a part."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from research.compare.entrant import Entrant
from research.problems import find
from research.problems.registry import FIXED, SEEDED
from suffice.lab.plan import Job, Plan, Task
from suffice.paper.presets import PRESETS
from suffice.problems.functions import family, title


@dataclass(frozen=True)
class Cap:
    """The part of a plan that a slow method takes; None: no limit."""

    seeds: int | None = None
    iterations: int | None = None
    problems: tuple[str, ...] | None = None  # no others

    def task(self, task: Task, seed: int) -> Task | None:
        """The task as far as the method takes part in it, with this seed; None: not at all."""
        left_out = self.problems is not None and task.problem not in self.problems
        if left_out or (self.seeds is not None and seed >= self.seeds):
            return None
        return task if self.iterations is None else replace(task, iterations=min(task.iterations, self.iterations))


@dataclass(frozen=True)
class CappedPlan(Plan):
    """A plan of which some methods take a part only."""

    caps: Mapping[str, Cap] = field(default_factory=dict)  # by name of the method

    def jobs(self) -> Iterator[Job]:
        """The runs that are left, each with as many iterations as its method has."""
        for job in super().jobs():
            task = self.caps.get(job.method.name, Cap()).task(job.task, job.seed)
            if task is not None:
                yield replace(job, task=task)


@dataclass(frozen=True)
class Contest:
    """A plan whose methods are systems."""

    plan: CappedPlan
    entrants: tuple[Entrant, ...]


def contest(
    name: str, tasks: tuple[Task, ...], entrants: Sequence[Entrant], seeds: int, caps: Mapping[str, Cap]
) -> Contest:
    """Problems × systems × seeds, with caps by name of the system."""
    methods = tuple(entrant.method for entrant in entrants)
    plan = CappedPlan(name, TITLE, ABOUT, tasks, methods, reps=seeds, caps=caps)
    return within_reach(Contest(plan, tuple(entrants)))


def within_reach(contest: Contest) -> Contest:
    """The same, but systems that are given boxes only have no part in problems with integers and choices.

    They could be given the box that encodes such a space, but nobody would use them so: a rate from 1e-5 to 1 would not
    be on a log scale, and options would have an order.
    """
    plan, mixed = contest.plan, set(_mixed(contest.plan))
    boxes = [task.problem for task in plan.tasks if task.problem not in mixed]
    caps = dict(plan.caps)
    for name in _of_boxes(contest) if mixed else ():
        cap = caps.get(name, Cap())
        caps[name] = replace(cap, problems=tuple(p for p in boxes if cap.problems is None or p in cap.problems))
    return replace(contest, plan=replace(plan, caps=caps))


def left_out(contest: Contest) -> str:
    """Which systems have no part in which problems, and why; "" if there are none."""
    systems, problems = _of_boxes(contest), _mixed(contest.plan)
    if not systems or not problems:
        return ""
    labels = ", ".join(contest.plan.labels[name] for name in systems)
    titles = ", ".join(dict.fromkeys(title(family(problem)) for problem in problems))
    return f"Given boxes of floats only, and so without part in {titles}: {labels}."


def _mixed(plan: Plan) -> list[str]:
    return [task.problem for task in plan.tasks if find(task.problem).native]


def _of_boxes(contest: Contest) -> list[str]:
    return [entrant.system.name for entrant in contest.entrants if not entrant.system.native]


TITLE = "Head to head with other optimizers"
ABOUT = (
    "Every system starts from the same initial designs, which are scrambled Sobol points, suggests one point at a time "
    "and is told its value. Integers and choices are given to it as such. Each keeps its own defaults, runs in a "
    "process of its own with one thread, and is timed there: overhead is the time in ask and tell, without the "
    "objective and without imports. Regret is counted over the suggestions after the initial design. Slow systems have "
    "fewer seeds, problems and iterations, so that systems are ranked pairwise, on the runs that two of them share, at "
    "the shorter of their horizons."
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

# Families drawn with a seed: who finds the right place in 50 evaluations? Other seeds than those of
# research.benchmarks.places (0 to 9) and those on which the default was chosen (100 to 111,
# research/measurements/defaults.md).
DRAWN = tuple(
    f"{family}{seed}"
    for family in (
        *("reaction_small", "reaction", "reaction_large", "which_model", "many_options", "permutation", "staircase"),
        *("basins2d", "basins4d", "basins6d"),
    )
    for seed in (200, 201)
)
PLACES = (10, 40)  # initial points, as many as Optuna draws at random by default, and iterations
AUTOML = Task("automl", 20, 40)

SEEDS = 10
FOUR = ("branin", "hartmann6", "goldstein_price", "ackley5")  # of two to six dimensions, two of them the paper's
THREE = ("two_way", "reaction200", "which_model200")  # with choices
CAPS: dict[str, Cap] = {
    "optuna_gp": Cap(seeds=5),
    "bayes_opt": Cap(seeds=5),
    "botorch_ucb": Cap(seeds=3, iterations=100),
    "botorch_logei": Cap(seeds=3, iterations=100),
    **{name: Cap(seeds=2, iterations=60, problems=(*FOUR, *THREE)) for name in ("ax", "skopt", "hebo", "smac")},
}

QUICK_PROBLEMS, QUICK_ITERATIONS, QUICK_SEEDS = ("branin", "hartmann3", "ackley5", "reaction200"), 15, 2
QUICK_CAPS: dict[str, Cap] = {
    **{name: Cap(seeds=1) for name in ("botorch_ucb", "botorch_logei", "optuna_gp", "bayes_opt")},
    **{name: Cap(seeds=1, iterations=8, problems=("branin",)) for name in ("ax", "skopt", "hebo", "smac")},
}


def task(problem: str, iterations: int | None = None) -> Task:
    """A problem's budget in the plan, or one that is usual; an error if there is no such problem."""
    dim = find(problem).dim
    known = {planned.problem: planned for planned in (*PRESETS["main"].tasks, *further(), AUTOML)}
    usual = PLACES if problem in FIXED or family(problem) in SEEDED else (PER_DIMENSION * dim, ITERATIONS)
    found = known.get(problem) or Task(problem, *usual)
    return found if iterations is None else replace(found, iterations=iterations)


def problems(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once; "functions" and "places" stand for those of the plan that have a known optimum."""
    groups = {
        "functions": tuple(task.problem for task in (*PRESETS["main"].tasks, *further())),
        "places": (*FIXED, *DRAWN),
    }
    return tuple(dict.fromkeys(problem for name in names for problem in groups.get(name, (name,))))


def further() -> tuple[Task, ...]:
    """The problems beside the paper's six."""
    return tuple(Task(name, PER_DIMENSION * find(name).dim, n) for name, n in FURTHER.items())


def places() -> tuple[Task, ...]:
    """The problems on mixed spaces and in basins, and the paper's AutoML task if scikit-learn is at hand."""
    tasks = tuple(Task(name, *PLACES) for name in (*FIXED, *DRAWN))
    return (*tasks, AUTOML) if find_spec("sklearn") else tasks


def full(entrants: Sequence[Entrant]) -> Contest:
    """The paper's six problems in its main setting, ten more functions, and the places."""
    return contest("full", (*PRESETS["main"].tasks, *further(), *places()), entrants, SEEDS, CAPS)


def quick(entrants: Sequence[Entrant]) -> Contest:
    """A few minutes."""
    tasks = tuple(task(name, QUICK_ITERATIONS) for name in QUICK_PROBLEMS)
    return contest("quick", tasks, entrants, QUICK_SEEDS, QUICK_CAPS)
