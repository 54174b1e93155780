"""What a random point of a problem is worth: the unit in which a regret says whether a search got anywhere.

Units of the objective, and how good an initial design happens to be, differ between problems; a share of the regret of
a random point means the same on all of them.
"""

import numpy as np

from suffice.problems.problem import Problem
from suffice.space import as_space
from suffice.types import Array

DRAWS = 10_000  # the median is then between the percentiles 49 and 51, with 95 % confidence


def typical_regret(problem: Problem) -> float:
    """The median regret of a uniform random point, on the problem's own space where it has one; the same every time."""
    rng = np.random.default_rng([0, 1])
    return float(np.median(_values(problem, rng))) - problem.optimum


def _values(problem: Problem, rng: np.random.Generator) -> Array:
    if problem.native is None:
        space = as_space(problem.bounds)
        return problem.values(np.array([space.from_unit(x) for x in space.sample(DRAWS, rng)]))
    space, function = problem.native.space, problem.native.function
    return np.array([function(space.from_unit(x)) for x in space.sample(DRAWS, rng)])
