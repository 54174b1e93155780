"""Classic test functions beside those of the paper: of two inputs, foxholes, and five that exist in any dimension.

x, y        the two columns of X (m, 2)                             x_1 … x_d  those of X (m, d), i counts from 1
C (10, 4)   centres of the Shekel foxholes                          b (10,)    their radii squared

Shekel's tables are those of Dixon and Szegő 1978, to which the published minima belong; some copies have (5, 3, 5, 3)
for the seventh foxhole (5, 5, 3, 3).

PROBLEMS is the registry, the paper's among them: name -> an instance of a fixed dimension. A name ends in its dimension
where the family has several; those that exist in any are here with one or a few usual ones, and `find("levy7")` makes
the others.

[SB]        Surjanovic and Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano/optimization.html
"""

from collections.abc import Callable

import numpy as np

from suffice.problems.functions import (
    ackley,
    branin,
    cube,
    griewank,
    hartmann3,
    hartmann4,
    hartmann6,
    levy,
    michalewicz,
    rastrigin,
    total,
)
from suffice.problems.problem import Problem
from suffice.types import Array


def _six_hump_camel(X: Array) -> Array:
    x, y = X.T
    value: Array = (4.0 - 2.1 * x**2 + x**4 / 3.0) * x**2 + x * y + (-4.0 + 4.0 * y**2) * y**2
    return value


six_hump_camel = Problem(
    name="six_hump_camel",
    function=_six_hump_camel,
    bounds=((-3.0, 3.0), (-2.0, 2.0)),
    optimum=-1.031628453489877,
    minimizers=((0.08984201368301331, -0.7126564032704135), (-0.08984201368301331, 0.7126564032704135)),
    source="Dixon and Szegő 1978; [SB]",
)


def _goldstein_price(X: Array) -> Array:
    x, y = X.T
    first = 19.0 - 14.0 * x + 3.0 * x**2 - 14.0 * y + 6.0 * x * y + 3.0 * y**2
    second = 18.0 - 32.0 * x + 12.0 * x**2 + 48.0 * y - 36.0 * x * y + 27.0 * y**2
    value: Array = (1.0 + (x + y + 1.0) ** 2 * first) * (30.0 + (2.0 * x - 3.0 * y) ** 2 * second)
    return value


goldstein_price = Problem(
    name="goldstein_price",
    function=_goldstein_price,
    bounds=((-2.0, 2.0), (-2.0, 2.0)),
    optimum=3.0,
    minimizers=((0.0, -1.0),),
    source="Goldstein and Price 1971; [SB]",
)


def _bukin6(X: Array) -> Array:
    x, y = X.T
    value: Array = 100.0 * np.sqrt(np.abs(y - 0.01 * x**2)) + 0.01 * np.abs(x + 10.0)
    return value


# A knife edge: the value has infinite slope across the parabola y = x²/100 and falls slowly along it.
bukin6 = Problem(
    name="bukin6",
    function=_bukin6,
    bounds=((-15.0, -5.0), (-3.0, 3.0)),
    optimum=0.0,
    minimizers=((-10.0, 1.0),),
    source="Bukin 1997; [SB]",
)


def _eggholder(X: Array) -> Array:
    x, y = X.T
    first = (y + 47.0) * np.sin(np.sqrt(np.abs(x / 2.0 + y + 47.0)))
    value: Array = -first - x * np.sin(np.sqrt(np.abs(x - y - 47.0)))
    return value


eggholder = Problem(
    name="eggholder",
    function=_eggholder,
    bounds=((-512.0, 512.0), (-512.0, 512.0)),
    optimum=-959.6406627208506,
    minimizers=((512.0, 404.2318051128233),),
    source="Whitley et al. 1996; [SB]",
)


def _hartmann4_rescaled(X: Array) -> Array:
    return (1.1 + hartmann4.function(X)) / 0.839


hartmann4_rescaled = Problem(
    name="hartmann4_rescaled",
    function=_hartmann4_rescaled,
    bounds=hartmann4.bounds,
    optimum=(1.1 + hartmann4.optimum) / 0.839,
    minimizers=hartmann4.minimizers,
    source="Picheny, Wagner and Ginsbourger 2013; [SB]",
)

_C = np.array(
    [
        [4.0, 4.0, 4.0, 4.0],
        [1.0, 1.0, 1.0, 1.0],
        [8.0, 8.0, 8.0, 8.0],
        [6.0, 6.0, 6.0, 6.0],
        [3.0, 7.0, 3.0, 7.0],
        [2.0, 9.0, 2.0, 9.0],
        [5.0, 5.0, 3.0, 3.0],
        [8.0, 1.0, 8.0, 1.0],
        [6.0, 2.0, 6.0, 2.0],
        [7.0, 3.6, 7.0, 3.6],
    ]
)
_SQUARED_RADII = np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5])


def _shekel(X: Array, holes: int) -> Array:
    """−Σ_{i ≤ holes} 1 / (‖x − C_i‖² + b_i), (m,)."""
    squared = np.sum((X[:, None, :] - _C[:holes]) ** 2, axis=2)
    value: Array = -np.sum(1.0 / (squared + _SQUARED_RADII[:holes]), axis=1)
    return value


def _shekel5(X: Array) -> Array:
    return _shekel(X, 5)


def _shekel7(X: Array) -> Array:
    return _shekel(X, 7)


def _shekel10(X: Array) -> Array:
    return _shekel(X, 10)


_SHEKEL_BOX = ((0.0, 10.0),) * 4
_SHEKEL_SOURCE = "Shekel 1971; Dixon and Szegő 1978; [SB]"

shekel5 = Problem(
    name="shekel5",
    function=_shekel5,
    bounds=_SHEKEL_BOX,
    optimum=-10.15319967905823,
    minimizers=((4.00003715282, 4.00013327659, 4.00003715282, 4.00013327659),),
    source=_SHEKEL_SOURCE,
)
shekel7 = Problem(
    name="shekel7",
    function=_shekel7,
    bounds=_SHEKEL_BOX,
    optimum=-10.40294056681868,
    minimizers=((4.00057291619, 4.00068936619, 3.99948970886, 3.99960615886),),
    source=_SHEKEL_SOURCE,
)
shekel10 = Problem(
    name="shekel10",
    function=_shekel10,
    bounds=_SHEKEL_BOX,
    optimum=-10.53640981669205,
    minimizers=((4.00074653159, 4.00059293414, 3.99966339804, 3.99950980059),),
    source=_SHEKEL_SOURCE,
)


def _rosenbrock(X: Array) -> Array:
    here, after = X[:, :-1], X[:, 1:]
    return total(100.0 * (after - here**2) ** 2 + (here - 1.0) ** 2)


def rosenbrock(dim: int) -> Problem:
    """Σ_{i<d} 100(x_{i+1} − x_i²)² + (x_i − 1)²: a curved flat valley [SB]."""
    return Problem(
        name=f"rosenbrock{dim}",
        function=_rosenbrock,
        bounds=cube(-5.0, 10.0, dim, least=2),
        optimum=0.0,
        minimizers=((1.0,) * dim,),
        source="Rosenbrock 1960; [SB]",
    )


def _styblinski_tang(X: Array) -> Array:
    return total(X**4 - 16.0 * X**2 + 5.0 * X) / 2.0


def styblinski_tang(dim: int) -> Problem:
    """½ Σ x_i⁴ − 16x_i² + 5x_i: 2^d minima; the deepest has the smallest root of 4x³ − 32x + 5 everywhere [SB]."""
    root, depth = -2.903534027771177, -39.16616570377141
    return Problem(
        name=f"styblinski_tang{dim}",
        function=_styblinski_tang,
        bounds=cube(-5.0, 5.0, dim),
        optimum=depth * dim,
        minimizers=((root,) * dim,),
        source="Styblinski and Tang 1990; [SB]",
    )


def _cosine_mixture(X: Array) -> Array:
    return total(X**2 - 0.1 * np.cos(5.0 * np.pi * X))


def cosine_mixture(dim: int) -> Problem:
    """Σ x_i² − 0.1 cos(5πx_i) (Breiman and Cutler 1993)."""
    return Problem(
        name=f"cosine_mixture{dim}",
        function=_cosine_mixture,
        bounds=cube(-1.0, 1.0, dim),
        optimum=-0.1 * dim,
        minimizers=((0.0,) * dim,),
        source="Breiman and Cutler 1993",
    )


def _dixon_price(X: Array) -> Array:
    i = np.arange(2, X.shape[1] + 1)
    return (X[:, 0] - 1.0) ** 2 + total(i * (2.0 * X[:, 1:] ** 2 - X[:, :-1]) ** 2)


def dixon_price(dim: int) -> Problem:
    """(x_1 − 1)² + Σ_{i≥2} i(2x_i² − x_{i−1})²; zero at x_i = 2^(2^(1−i) − 1), the last one with either sign [SB]."""
    bounds = cube(-10.0, 10.0, dim, least=2)
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
    return total((a + 10.0 * b) ** 2 + 5.0 * (c - d) ** 2 + (b - 2.0 * c) ** 4 + 10.0 * (a - d) ** 4)


def powell(dim: int) -> Problem:
    """Σ over groups of four (a + 10b)² + 5(c − d)² + (b − 2c)⁴ + 10(a − d)⁴: a singular Hessian at 0 [SB]."""
    if dim % 4:
        raise ValueError(f"powell works on groups of four inputs, got dim={dim}; take a multiple of 4")
    return Problem(
        name=f"powell{dim}",
        function=_powell,
        bounds=cube(-4.0, 5.0, dim, least=4),
        optimum=0.0,
        minimizers=((0.0,) * dim,),
        source="Powell 1962; [SB]",
    )


FAMILIES: dict[str, Callable[[int], Problem]] = {
    "rosenbrock": rosenbrock,
    "styblinski_tang": styblinski_tang,
    "cosine_mixture": cosine_mixture,
    "dixon_price": dixon_price,
    "powell": powell,
}
PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        *(branin, six_hump_camel, goldstein_price, bukin6, eggholder),
        *(hartmann3, hartmann4, hartmann4_rescaled, hartmann6, shekel5, shekel7, shekel10),
        rastrigin(3),
        levy(5),
        michalewicz(2),
        michalewicz(5),
        michalewicz(10),
        ackley(5),
        griewank(5),
        rosenbrock(4),
        styblinski_tang(4),
        cosine_mixture(8),
        dixon_price(4),
        powell(4),
    )
}
