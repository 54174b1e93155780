"""Sums of a few bumps with tabulated places and widths: Hartmann and Shekel.

A (4, d)   inverse squared widths of the four Hartmann bumps       P (4, d)  their centres
h (4,)     their heights
C (10, 4)  centres of the Shekel foxholes                          b (10,)   their radii squared

The tables are those of Dixon and Szegő 1978, to which the published minima belong. Copies in use differ in two
entries: 0.0381 for P_41 = 0.03815 of the 3-D function, and (5, 3, 5, 3) for the seventh foxhole (5, 5, 3, 3).

[SB]       Surjanovic and Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano/optimization.html
"""

import numpy as np

from suffice.problems.problem import Problem
from suffice.types import Array

HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])  # of Hartmann's four bumps; their widths and centres are (4, d)

_A3 = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
_P3 = np.array([[0.3689, 0.117, 0.2673], [0.4699, 0.4387, 0.747], [0.1091, 0.8732, 0.5547], [0.03815, 0.5743, 0.8828]])

WIDTHS6 = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
CENTRES6 = 1e-4 * np.array(
    [
        [1312.0, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _hartmann(X: Array, A: Array, P: Array) -> Array:
    """−Σ_i h_i exp(−Σ_j A_ij (x_j − P_ij)²), (m,)."""
    squared = np.sum(A * (X[:, None, :] - P) ** 2, axis=2)
    value: Array = -np.sum(HEIGHTS * np.exp(-squared), axis=1)
    return value


def _hartmann3(X: Array) -> Array:
    return _hartmann(X, _A3, _P3)


def _hartmann4(X: Array) -> Array:
    return _hartmann(X, WIDTHS6[:, :4], CENTRES6[:, :4])


def _hartmann4_rescaled(X: Array) -> Array:
    return (1.1 + _hartmann4(X)) / 0.839


def _hartmann6(X: Array) -> Array:
    return _hartmann(X, WIDTHS6, CENTRES6)


def _unit_box(dim: int) -> tuple[tuple[float, float], ...]:
    return ((0.0, 1.0),) * dim


hartmann3 = Problem(
    name="hartmann3",
    function=_hartmann3,
    bounds=_unit_box(3),
    optimum=-3.86278214782076,
    minimizers=((0.11461433859, 0.55564884997, 0.85254695352),),
    source="Hartmann 1973; Dixon and Szegő 1978; [SB]",
)
_HARTMANN4_MINIMIZER = (0.18739527297, 0.19415152930, 0.55791778006, 0.26477962417)
hartmann4 = Problem(
    name="hartmann4",
    function=_hartmann4,
    bounds=_unit_box(4),
    optimum=-3.729840584485584,
    minimizers=(_HARTMANN4_MINIMIZER,),
    source="the first four columns of the six-dimensional tables",
)
hartmann4_rescaled = Problem(
    name="hartmann4_rescaled",
    function=_hartmann4_rescaled,
    bounds=_unit_box(4),
    optimum=(1.1 - 3.729840584485584) / 0.839,
    minimizers=(_HARTMANN4_MINIMIZER,),
    source="Picheny, Wagner and Ginsbourger 2013; [SB]",
)
hartmann6 = Problem(
    name="hartmann6",
    function=_hartmann6,
    bounds=_unit_box(6),
    optimum=-3.32236801141551,
    minimizers=((0.20168951101, 0.15001069182, 0.47687397422, 0.27533243049, 0.31165161660, 0.65730053407),),
    source="Hartmann 1973; Dixon and Szegő 1978; [SB]",
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

BUMPS: tuple[Problem, ...] = (hartmann3, hartmann4, hartmann4_rescaled, hartmann6, shekel5, shekel7, shekel10)
