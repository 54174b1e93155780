"""Who competes in what: problems × systems × seeds, of which a slow system takes a part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from suffice.compare.entrant import Entrant
from suffice.lab.plan import Cap, Plan, Task
from suffice.lab.tasks import SIX
from suffice.problems import find


@dataclass(frozen=True)
class Contest:
    """A plan whose methods are systems."""

    plan: Plan
    entrants: tuple[Entrant, ...]


def contest(
    name: str, tasks: tuple[Task, ...], entrants: Sequence[Entrant], seeds: int, caps: Mapping[str, Cap]
) -> Contest:
    """Problems × systems × seeds, with caps by name of the system."""
    methods = tuple(entrant.method for entrant in entrants)
    return Contest(Plan(name, TITLE, ABOUT, tasks, methods, reps=seeds, caps=caps), tuple(entrants))


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
    known = {planned.problem: planned for planned in (*SIX, *further())}
    found = known.get(problem) or Task(problem, PER_DIMENSION * find(problem).dim, ITERATIONS)
    return found if iterations is None else replace(found, iterations=iterations)


def further() -> tuple[Task, ...]:
    """The problems beside the paper's six."""
    return tuple(Task(name, PER_DIMENSION * find(name).dim, n) for name, n in FURTHER.items())


def full(entrants: Sequence[Entrant]) -> Contest:
    """The paper's six problems in its main setting, and ten more."""
    return contest("full", (*SIX, *further()), entrants, SEEDS, CAPS)


def quick(entrants: Sequence[Entrant]) -> Contest:
    """A few minutes."""
    tasks = tuple(task(name, QUICK_ITERATIONS) for name in QUICK_PROBLEMS)
    return contest("quick", tasks, entrants, QUICK_SEEDS, QUICK_CAPS)
