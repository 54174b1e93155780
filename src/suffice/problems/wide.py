"""Problems of many inputs, drawn with a seed: few of them matter, or they matter unequally.

Each factory `name(seed, dim) -> Problem` draws what a family leaves open: which inputs matter, where the minimum is.

X (m, d)    rows are points
i_1 … i_k   the inputs that a hidden function sees         c (d,)  where an ellipsoid is smallest
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.problems.bumps import hartmann6
from suffice.problems.problem import Problem
from suffice.types import Array

CONDITION = 1e6  # of an ellipsoid: the largest coefficient over the smallest, as in Hansen et al. 2009


@dataclass(frozen=True)
class Hidden:
    """f(x_{i_1}, …, x_{i_k}): a function that does not look at the other inputs."""

    inner: Callable[[Array], Array]
    inputs: tuple[int, ...]  # i_1 … i_k, counted from 0

    def __call__(self, X: Array) -> Array:
        return self.inner(X[:, self.inputs])


def hidden(problem: Problem, seed: int, dim: int) -> Problem:
    """A problem on inputs drawn from `dim`, in a drawn order; the others have its first range and change nothing."""
    if dim < problem.dim:
        raise ValueError(f"{problem.name} has {problem.dim} inputs, which cannot be hidden among dim={dim}")
    drawn = np.random.default_rng([seed, dim]).permutation(dim)
    inputs = tuple(drawn[: problem.dim].tolist())
    bounds = [problem.bounds[0]] * dim
    best = [sum(problem.bounds[0]) / 2.0] * dim
    for k, i in enumerate(inputs):
        bounds[i], best[i] = problem.bounds[k], problem.minimizers[0][k]
    return Problem(
        name=f"{problem.name}_in{dim}d{seed}",
        function=Hidden(problem.function, inputs),
        bounds=tuple(bounds),
        optimum=problem.optimum,
        minimizers=(tuple(best),),  # and all points that share these inputs
        source=f"Wang et al. 2016, with inputs drawn with a seed; {problem.source}",
    )


def hartmann6_in(seed: int, dim: int) -> Problem:
    """Hartmann's function of six inputs among `dim` (Wang et al. 2016, whose inputs are the first ones)."""
    return hidden(hartmann6, seed, dim)


@dataclass(frozen=True)
class Ellipsoid:
    """Σ a_i (x_i − c_i)²."""

    coefficients: tuple[float, ...]
    centre: tuple[float, ...]

    def __call__(self, X: Array) -> Array:
        value: Array = (X - np.array(self.centre)) ** 2 @ np.array(self.coefficients)
        return value


def ellipsoid(seed: int, dim: int, condition: float = CONDITION) -> Problem:
    """Σ a_i (x_i − c_i)², a_i = condition^((k − 1)/(d − 1)) with the ranks k of the inputs in a drawn order."""
    if dim < 2 or not condition >= 1.0:
        raise ValueError(f"an ellipsoid needs dim ≥ 2 and condition ≥ 1, got dim={dim} and condition={condition}")
    rng = np.random.default_rng([seed, dim])
    centre = tuple(rng.uniform(-4.0, 4.0, dim).tolist())
    coefficients = condition ** (rng.permutation(dim) / (dim - 1.0))
    return Problem(
        name=f"ellipsoid{dim}d{seed}" if condition == CONDITION else f"ellipsoid{condition:g}_{dim}d{seed}",
        function=Ellipsoid(tuple(coefficients.tolist()), centre),
        bounds=((-5.0, 5.0),) * dim,
        optimum=0.0,
        minimizers=(centre,),
        source="Hansen et al. 2009, f2 without its oscillations",
    )
