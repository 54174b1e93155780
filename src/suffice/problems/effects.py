"""Problems whose options have worths of their own, drawn with a seed: what one option teaches about another is little.

Each factory `name(seed) -> Problem` draws the tables; the smallest value is read from them, not searched for. All are
minimized on spaces of choices, integers and floats, with the box of `Encoding` beside.

a, b, c   effects of the options i, j, k of three choices, ab those of pairs of i and j
T         temperature, T0 the best one
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from suffice.problems.encoding import mixed
from suffice.problems.problem import Problem
from suffice.space import Choice, Float, Int, Space

_SOURCE = "drawn with a seed; this library"
Table = tuple[float, ...]  # a tuple, so that equal problems are equal


@dataclass(frozen=True)
class Reaction:
    """−(50 + a_i + b_j + c_k + ab_ij − ((T − T0)/12)²): the yield of a reaction, negated."""

    a: Table
    b: Table
    c: Table
    ab: tuple[Table, ...]
    T0: float

    def __call__(self, point: Mapping[str, Any]) -> float:
        i, j, k, T = (point[name] for name in ("catalyst", "solvent", "base", "temperature"))
        return float(((T - self.T0) / 12.0) ** 2 - (50.0 + self.a[i] + self.b[j] + self.c[k] + self.ab[i][j]))


def reaction(seed: int) -> Problem:
    """A yield after 8 catalysts, 4 solvents, 4 bases and a temperature."""
    return _reaction("reaction", seed, (8, 4, 4))


def reaction_small(seed: int) -> Problem:
    """The same with 4 catalysts, 3 solvents and 2 bases."""
    return _reaction("reaction_small", seed, (4, 3, 2))


def reaction_large(seed: int) -> Problem:
    """The same with 20 catalysts, 8 solvents and 6 bases."""
    return _reaction("reaction_large", seed, (20, 8, 6))


def _reaction(family: str, seed: int, sizes: tuple[int, int, int]) -> Problem:
    rng = np.random.default_rng(seed)
    a, b, c = (sd * rng.standard_normal(n) for sd, n in zip((15.0, 8.0, 8.0), sizes, strict=True))
    ab = 4.0 * rng.standard_normal(sizes[:2])
    T0 = rng.uniform(50.0, 100.0)
    i, j = np.unravel_index(np.argmax(a[:, None] + b + ab), ab.shape)
    best = {"catalyst": int(i), "solvent": int(j), "base": int(np.argmax(c)), "temperature": T0}
    space = Space(
        catalyst=Choice(*range(sizes[0])),
        solvent=Choice(*range(sizes[1])),
        base=Choice(*range(sizes[2])),
        temperature=Float(20, 120),
    )
    function = Reaction(_table(a), _table(b), _table(c), tuple(map(_table, ab)), T0)
    return mixed(f"{family}{seed}", space, function, best, _SOURCE)


@dataclass(frozen=True)
class Options:
    """worth_i + 10 (x − x0)²: every option has a worth of its own."""

    worth: Table
    x0: float

    def __call__(self, point: Mapping[str, Any]) -> float:
        return float(self.worth[point["option"]] + 10.0 * (point["x"] - self.x0) ** 2)


def many_options(seed: int) -> Problem:
    """120 options with standard normal worths, and one float; 50 evaluations do not see half of them."""
    rng = np.random.default_rng(seed)
    worth, x0 = rng.standard_normal(120), rng.uniform(0.1, 0.9)
    best = {"option": int(np.argmin(worth)), "x": x0}
    space = Space(option=Choice(*range(120)), x=Float(0, 1))
    return mixed(f"many_options{seed}", space, Options(_table(worth), x0), best, _SOURCE)


@dataclass(frozen=True)
class Precedence:
    """The sum of cost_ij over all pairs in which i comes before j, and 10 (x − x0)²."""

    cost: tuple[Table, ...]
    x0: float

    def __call__(self, point: Mapping[str, Any]) -> float:
        return float(self.of_order(point["order"]) + 10.0 * (point["x"] - self.x0) ** 2)

    def of_order(self, order: tuple[int, ...]) -> float:
        return math.fsum(self.cost[i][j] for i, j in combinations(order, 2))


def permutation(seed: int) -> Problem:
    """The 120 orders of five items as options, and one float; costs of precedence are uniform in [0, 1]."""
    rng = np.random.default_rng(seed)
    orders = tuple(permutations(range(5)))
    function = Precedence(tuple(map(_table, rng.random((5, 5)))), rng.uniform(0.1, 0.9))
    best = {"order": min(orders, key=function.of_order), "x": function.x0}
    return mixed(f"permutation{seed}", Space(order=Choice(*orders), x=Float(0, 1)), function, best, _SOURCE)


@dataclass(frozen=True)
class TwoWay:
    """(log10 lr + 2)² + (n − 7)²/10, and `gap` for the worse of two options."""

    gap: float

    def __call__(self, point: Mapping[str, Any]) -> float:
        worse = self.gap if point["kind"] == "plain" else 0.0
        return float((math.log10(point["lr"]) + 2.0) ** 2 + (point["n"] - 7) ** 2 / 10.0 + worse)


def two_way(gap: float = 1.0) -> Problem:
    """A rate, a number and a choice of two, smallest at 10⁻², 7 and "better"; a gap of 0.05 is the close variant."""
    if gap <= 0.0:
        raise ValueError(f"the gap between the two options must be positive, got {gap}; two_way(1.0) is the usual one")
    name = {1.0: "two_way", 0.05: "two_way_close"}.get(gap, f"two_way_gap_{gap:g}")
    # n up to 12 leaves one per cent of a random point's regret below the smaller gap: who reaches it has chosen right
    space = Space(lr=Float(1e-5, 1, log=True), n=Int(1, 12), kind=Choice("plain", "better"))
    return mixed(name, space, TwoWay(gap), {"lr": 0.01, "n": 7, "kind": "better"}, "a usual first example")


def _table(numbers: Any) -> Table:
    return tuple(np.asarray(numbers, dtype=np.float64).tolist())
