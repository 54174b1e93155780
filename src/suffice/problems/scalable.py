"""Test functions that exist in any dimension, each with a factory `name(dim) -> Problem`.

x_1 … x_d  the columns of X (m, d); i counts from 1, as in the sources
[SB]       Surjanovic and Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano/optimization.html
"""

import math
from collections.abc import Callable

import numpy as np

from suffice.problems.problem import Problem
from suffice.types import Array


def _cube(low: float, high: float, dim: int, least: int = 1) -> tuple[tuple[float, float], ...]:
    if dim < least:
        raise ValueError(f"this function needs at least {least} inputs, got dim={dim}")
    return ((low, high),) * dim


def _total(terms: Array) -> Array:
    """Sum over the inputs, (m, d) -> (m,)."""
    total: Array = np.sum(terms, axis=1)
    return total


def _rastrigin(X: Array) -> Array:
    return _total(X**2 - 10.0 * np.cos(2.0 * np.pi * X) + 10.0)


def rastrigin(dim: int) -> Problem:
    """Σ x_i² − 10 cos(2π x_i) + 10: a bowl with a local minimum near every integer point [SB]."""
    return Problem(
        name=f"rastrigin{dim}",
        function=_rastrigin,
        bounds=_cube(-5.12, 5.12, dim),
        optimum=0.0,
        minimizers=((0.0,) * dim,),
        source="Rastrigin 1974; [SB]",
    )


def _levy(X: Array) -> Array:
    W = 1.0 + (X - 1.0) / 4.0
    first, inner, last = W[:, 0], W[:, :-1], W[:, -1]
    middle = _total((inner - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * inner + 1.0) ** 2))
    end: Array = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * last) ** 2)
    return np.sin(np.pi * first) ** 2 + middle + end


def levy(dim: int) -> Problem:
    """sin²(πw_1) + Σ_{i<d} (w_i − 1)²(1 + 10 sin²(πw_i + 1)) + (w_d − 1)²(1 + sin²(2πw_d)), w = 1 + (x − 1)/4 [SB]."""
    return Problem(
        name=f"levy{dim}",
        function=_levy,
        bounds=_cube(-10.0, 10.0, dim),
        optimum=0.0,
        minimizers=((1.0,) * dim,),
        source="Levy and Montalvo 1985; [SB]",
    )


def _michalewicz(X: Array) -> Array:
    i = np.arange(1, X.shape[1] + 1)
    return -_total(np.sin(X) * np.sin(i * X**2 / np.pi) ** 20)


def _michalewicz_minimizer(i: int) -> float:
    """argmax of sin(x) sin²⁰(i x²/π) over [0, π].

    Between its zeros x = π sqrt(k/i) the function has i humps. In each of them the logarithm's derivative,
    cot(x) + 40 (i x/π) cot(i x²/π), falls strictly from +∞ to −∞, so bisection finds the one top of every hump.
    """
    edges = np.pi * np.sqrt(np.arange(i + 1) / i)
    low, high = edges[:-1].copy(), edges[1:].copy()
    for _ in range(60):  # halves an interval of length ≤ π to the last bit
        x = (low + high) / 2.0
        slope = 1.0 / np.tan(x) + 40.0 * (i * x / np.pi) / np.tan(i * x**2 / np.pi)
        low, high = np.where(slope > 0.0, x, low), np.where(slope > 0.0, high, x)
    tops = (low + high) / 2.0
    return float(tops[np.argmax(np.sin(tops) * np.sin(i * tops**2 / np.pi) ** 20)])


def michalewicz(dim: int) -> Problem:
    """−Σ sin(x_i) sin²⁰(i x_i²/π): plains cut by steep valleys; a sum over the inputs, so the minimum is exact [SB]."""
    bounds = _cube(0.0, math.pi, dim)
    minimizer = tuple(_michalewicz_minimizer(i) for i in range(1, dim + 1))
    optimum = float(_michalewicz(np.array([minimizer]))[0])
    return Problem(
        name=f"michalewicz{dim}",
        function=_michalewicz,
        bounds=bounds,
        optimum=optimum,
        minimizers=(minimizer,),
        source="Michalewicz 1992; [SB]",
    )


def _ackley(X: Array) -> Array:
    root_mean_square = np.sqrt(np.mean(X**2, axis=1))
    mean_cosine = np.mean(np.cos(2.0 * np.pi * X), axis=1)
    value: Array = -20.0 * np.exp(-0.2 * root_mean_square) - np.exp(mean_cosine) + 20.0 + np.e
    return value


def ackley(dim: int) -> Problem:
    """−20 exp(−0.2 sqrt(mean x_i²)) − exp(mean cos 2πx_i) + 20 + e: a cusp at 0 amid ripples [SB]."""
    return Problem(
        name=f"ackley{dim}",
        function=_ackley,
        bounds=_cube(-32.768, 32.768, dim),
        optimum=0.0,
        minimizers=((0.0,) * dim,),
        source="Ackley 1987; [SB]",
    )


def _griewank(X: Array) -> Array:
    i = np.arange(1, X.shape[1] + 1)
    ripple: Array = np.prod(np.cos(X / np.sqrt(i)), axis=1)
    return _total(X**2) / 4000.0 - ripple + 1.0


def griewank(dim: int) -> Problem:
    """Σ x_i²/4000 − Π cos(x_i/√i) + 1: a wide bowl with a fine regular ripple [SB]."""
    return Problem(
        name=f"griewank{dim}",
        function=_griewank,
        bounds=_cube(-600.0, 600.0, dim),
        optimum=0.0,
        minimizers=((0.0,) * dim,),
        source="Griewank 1981; [SB]",
    )


def _rosenbrock(X: Array) -> Array:
    here, after = X[:, :-1], X[:, 1:]
    return _total(100.0 * (after - here**2) ** 2 + (here - 1.0) ** 2)


def rosenbrock(dim: int) -> Problem:
    """Σ_{i<d} 100(x_{i+1} − x_i²)² + (x_i − 1)²: a curved flat valley [SB]."""
    return Problem(
        name=f"rosenbrock{dim}",
        function=_rosenbrock,
        bounds=_cube(-5.0, 10.0, dim, least=2),
        optimum=0.0,
        minimizers=((1.0,) * dim,),
        source="Rosenbrock 1960; [SB]",
    )


def _styblinski_tang(X: Array) -> Array:
    return _total(X**4 - 16.0 * X**2 + 5.0 * X) / 2.0


def styblinski_tang(dim: int) -> Problem:
    """½ Σ x_i⁴ − 16x_i² + 5x_i: 2^d minima; the deepest has the smallest root of 4x³ − 32x + 5 everywhere [SB]."""
    root, depth = -2.903534027771177, -39.16616570377141
    return Problem(
        name=f"styblinski_tang{dim}",
        function=_styblinski_tang,
        bounds=_cube(-5.0, 5.0, dim),
        optimum=depth * dim,
        minimizers=((root,) * dim,),
        source="Styblinski and Tang 1990; [SB]",
    )


def _cosine_mixture(X: Array) -> Array:
    return _total(X**2 - 0.1 * np.cos(5.0 * np.pi * X))


def cosine_mixture(dim: int) -> Problem:
    """Σ x_i² − 0.1 cos(5πx_i) (Breiman and Cutler 1993)."""
    return Problem(
        name=f"cosine_mixture{dim}",
        function=_cosine_mixture,
        bounds=_cube(-1.0, 1.0, dim),
        optimum=-0.1 * dim,
        minimizers=((0.0,) * dim,),
        source="Breiman and Cutler 1993",
    )


def _dixon_price(X: Array) -> Array:
    i = np.arange(2, X.shape[1] + 1)
    return (X[:, 0] - 1.0) ** 2 + _total(i * (2.0 * X[:, 1:] ** 2 - X[:, :-1]) ** 2)


def dixon_price(dim: int) -> Problem:
    """(x_1 − 1)² + Σ_{i≥2} i(2x_i² − x_{i−1})²; zero at x_i = 2^(2^(1−i) − 1), the last one with either sign [SB]."""
    bounds = _cube(-10.0, 10.0, dim, least=2)
    minimizer = tuple(2.0 ** (2.0 ** (1 - i) - 1.0) for i in range(1, dim + 1))
    mirror = (*minimizer[:-1], -minimizer[-1])
    return Problem(
        name=f"dixon_price{dim}",
        function=_dixon_price,
        bounds=bounds,
        optimum=0.0,
        minimizers=(minimizer, mirror),
        source="Dixon and Price 1989; [SB]",
    )


def _powell(X: Array) -> Array:
    a, b, c, d = (X[:, k::4] for k in range(4))
    return _total((a + 10.0 * b) ** 2 + 5.0 * (c - d) ** 2 + (b - 2.0 * c) ** 4 + 10.0 * (a - d) ** 4)


def powell(dim: int) -> Problem:
    """Σ over groups of four (a + 10b)² + 5(c − d)² + (b − 2c)⁴ + 10(a − d)⁴: a singular Hessian at 0 [SB]."""
    if dim % 4:
        raise ValueError(f"powell works on groups of four inputs, got dim={dim}; take a multiple of 4")
    return Problem(
        name=f"powell{dim}",
        function=_powell,
        bounds=_cube(-4.0, 5.0, dim, least=4),
        optimum=0.0,
        minimizers=((0.0,) * dim,),
        source="Powell 1962; [SB]",
    )


FAMILIES: dict[str, Callable[[int], Problem]] = {
    "rastrigin": rastrigin,
    "levy": levy,
    "michalewicz": michalewicz,
    "ackley": ackley,
    "griewank": griewank,
    "rosenbrock": rosenbrock,
    "styblinski_tang": styblinski_tang,
    "cosine_mixture": cosine_mixture,
    "dixon_price": dixon_price,
    "powell": powell,
}
