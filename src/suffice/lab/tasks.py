"""Problems with their budgets: the six functions on which most plans agree, and a way to write down others."""

from suffice.lab.plan import Task


def tasks(per_dimension: int, *budgets: tuple[str, int, int]) -> tuple[Task, ...]:
    """Tasks from (problem, dimension, iterations), with so many initial points for each dimension."""
    return tuple(Task(problem, per_dimension * d, iterations) for problem, d, iterations in budgets)


SIX = tasks(  # the paper's main experiment
    10,
    ("branin", 2, 80),
    ("rastrigin3", 3, 100),
    ("hartmann3", 3, 100),
    ("hartmann4", 4, 120),
    ("levy5", 5, 150),
    ("hartmann6", 6, 200),
)
