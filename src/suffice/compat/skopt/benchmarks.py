"""The test functions of scikit-optimize's examples; `suffice.problems` has the paper's, with what is known of each.

x    a point, a list of numbers, or of strings where a function says so
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.problems.functions import CENTRES6, HEIGHTS, WIDTHS6


def bench1(x: Sequence[float]) -> float:
    """x₀², least at 0."""
    return float(x[0] ** 2)


def bench1_with_time(x: Sequence[float]) -> tuple[float, float]:
    """The same, with a constant number of seconds beside it."""
    return bench1(x), 2.22


def bench2(x: Sequence[float]) -> float:
    """x₀² below zero, (x₀ − 5)² − 5 from zero on: least at 5, with the value −5."""
    return float(x[0] ** 2 if x[0] < 0 else (x[0] - 5) ** 2 - 5)


def bench3(x: Sequence[float]) -> float:
    """sin(5 x₀) (1 − tanh x₀²): least near −0.3, with a value near −0.9."""
    return math.sin(5 * x[0]) * (1 - math.tanh(x[0] ** 2))


def bench4(x: Sequence[Any]) -> float:
    """The square of the number that a string spells: least at "0"."""
    return float(x[0]) ** 2


def bench5(x: Sequence[Any]) -> float:
    """The square of the number that a string spells, plus that of a number: least at ("0", 0)."""
    return float(float(x[0]) ** 2 + x[1] ** 2)


def branin(
    x: Sequence[float],
    a: float = 1.0,
    b: float = 5.1 / (4 * math.pi**2),
    c: float = 5 / math.pi,
    r: float = 6.0,
    s: float = 10.0,
    t: float = 1 / (8 * math.pi),
) -> float:
    """Branin's function on [−5, 10] × [0, 15]: 0.397887 at (−π, 12.275), (π, 2.275) and (9.42478, 2.475)."""
    return float(a * (x[1] - b * x[0] ** 2 + c * x[0] - r) ** 2 + s * (1 - t) * math.cos(x[0]) + s)


def hart6(x: Sequence[float], alpha: Any = HEIGHTS, P: Any = CENTRES6, A: Any = WIDTHS6) -> float:
    """Hartmann's function of six variables on the unit cube: −3.32237 at its least."""
    squares = np.sum(np.asarray(A) * (np.asarray(x, dtype=np.float64) - np.asarray(P)) ** 2, axis=1)
    return float(-np.sum(np.asarray(alpha) * np.exp(-squares)))
