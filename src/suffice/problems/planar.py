"""Classic test functions of two inputs.

x, y  the two columns of X (m, 2)
[SB]  Surjanovic and Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano/optimization.html
"""

import math

import numpy as np

from suffice.problems.problem import Problem
from suffice.types import Array


def _branin(X: Array) -> Array:
    x, y = X.T
    valley = y - 5.1 / (4.0 * np.pi**2) * x**2 + 5.0 / np.pi * x - 6.0
    value: Array = valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0
    return value


# In the valley's bed the value is 10 + 10(1 − 1/8π) cos x, so cos x = −1 gives 10/8π, three times in the box.
branin = Problem(
    name="branin",
    function=_branin,
    bounds=((-5.0, 10.0), (0.0, 15.0)),
    optimum=5.0 / (4.0 * math.pi),
    minimizers=((-math.pi, 12.275), (math.pi, 2.275), (3.0 * math.pi, 2.475)),
    source="Branin 1972; Dixon and Szegő 1978; [SB]",
)


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

PLANAR: tuple[Problem, ...] = (branin, six_hump_camel, goldstein_price, bukin6, eggholder)
