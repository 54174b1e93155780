"""Problems of many inputs, drawn with a seed: few of them matter, or they matter unequally.

Each factory `name(seed, dim) -> Problem` draws what a family leaves open: which inputs matter, where the minimum is.

X (m, d)    rows are points
i_1 … i_k   the inputs that a hidden function sees         c (d,)  where an ellipsoid is smallest

The last family is sparse regression with a penalty for each feature, the inputs being the logarithms of the penalties:
a weighted Lasso (Zou 2006) as a problem of many inputs (Šehić et al. 2022, LassoBench).

n, d       int      samples, features              A  (n, d)  features, columns of mean 0 and length √n
y          (n,)     targets, of deviation 1        b  (d,)    coefficients, of which few are not 0
x          (d,)     a point: λ_j = λ_max 10^{x_j}  λ_max      the least single penalty for which b = 0
f          int      folds; fold k is left out in turn: the Lasso is fitted without it and judged on it

    b_k(x) = argmin_b ‖y − A b‖²/(2 n) + Σ_j λ_j |b_j|   over the samples outside of fold k
    value  = Σ_k ‖y_k − A_k b_k(x)‖²/n                   the squared error of cross-validation; b = 0 has about 1

Its smallest value is not known: the stated optimum is 0, which it is above.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.problems.functions import hartmann6
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


SAMPLES, FOLDS = 120, 5
TRUE = 12  # features with a coefficient
SHARED = 0.5  # correlation of neighbouring features: to drop a true one, its neighbours can stand in for it
NOISE = 0.3  # share of the variance of y
STEPS, TOL = 1000, 1e-6  # of FISTA: at most so many, or until no coefficient moves further than this
WEAKEST = -3.0  # x_j of the weakest penalty; the strongest is 0


@dataclass(frozen=True)
class Lasso:
    """The cross-validated error of one drawn data set."""

    seed: int
    dim: int

    def __call__(self, X: Array) -> Array:
        return np.array([self.error(x) for x in X], dtype=np.float64)

    def error(self, x: Array) -> float:
        """Σ_k ‖y_k − A_k b_k(x)‖²/n at one point, (d,)."""
        B = self.coefficients(x)
        held = np.einsum("kij,kj->ki", self._data["left_out"], B)
        return float(np.mean((self._data["judged"] - held) ** 2))

    def coefficients(self, x: Array) -> Array:
        """b_k(x), (f, d), by FISTA with restarts (Beck and Teboulle 2009; O'Donoghue and Candès 2015), all folds at
        once."""
        gram, target, step = self._data["gram"], self._data["target"], self._data["step"]
        penalty = self._data["largest"] * 10.0**x * step
        B = ahead = np.zeros(target.shape)
        momentum = 1.0
        for _ in range(STEPS):
            moved = ahead - step * (np.einsum("kij,kj->ki", gram, ahead) - target)
            new: Array = np.sign(moved) * np.maximum(np.abs(moved) - penalty, 0.0)
            change = new - B
            if np.max(np.abs(change)) <= TOL:
                return new
            if float(np.sum((ahead - new) * change)) > 0.0:  # the momentum points uphill
                momentum = 1.0
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead, B, momentum = new + (momentum - 1.0) / following * change, new, following
        return B

    @cached_property
    def _data(self) -> dict[str, Any]:
        """What all points share: for each fold the Gram matrix, A'y, the size of a step, and the samples left out."""
        A, y = drawn(self.seed, self.dim)
        fold = np.arange(SAMPLES) % FOLDS
        kept = [A[fold != k] for k in range(FOLDS)]
        gram = np.array([part.T @ part / len(part) for part in kept])
        target = np.array([part.T @ y[fold != k] / len(part) for k, part in enumerate(kept)])
        return {
            "gram": gram,
            "target": target,
            "step": 1.0 / np.linalg.eigvalsh(gram)[:, -1:],
            "largest": float(np.abs(A.T @ y).max()) / SAMPLES,
            "left_out": np.array([A[fold == k] for k in range(FOLDS)]),
            "judged": np.array([y[fold == k] for k in range(FOLDS)]),
        }


def drawn(seed: int, dim: int) -> tuple[Array, Array]:
    """A, (n, d), and y, (n,): features in a row whose neighbours are correlated, and targets from few of them."""
    rng = np.random.default_rng([seed, dim])
    A = rng.standard_normal((SAMPLES, dim))
    for j in range(1, dim):
        A[:, j] = SHARED * A[:, j - 1] + np.sqrt(1.0 - SHARED**2) * A[:, j]
    true = rng.choice(dim, min(TRUE, dim), replace=False)
    signal = A[:, true] @ rng.choice((-1.0, 1.0), len(true))
    y = signal / signal.std() * np.sqrt(1.0 - NOISE) + np.sqrt(NOISE) * rng.standard_normal(SAMPLES)
    A = A - A.mean(axis=0)
    return A / A.std(axis=0), (y - y.mean()) / y.std()


def lasso(seed: int, dim: int) -> Problem:
    """The penalties of a Lasso with `dim` features, 12 of which matter, judged by cross-validation on 120 samples."""
    if dim < 1:
        raise ValueError(f"a Lasso needs at least one feature, got dim={dim}")
    return Problem(
        name=f"lasso{dim}d{seed}",
        function=Lasso(seed, dim),
        bounds=((WEAKEST, 0.0),) * dim,
        optimum=0.0,
        minimizers=(),
        source="after Šehić et al. 2022 (LassoBench); data drawn with a seed; this library",
    )
