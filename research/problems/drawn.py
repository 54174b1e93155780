"""Problems on choices, integers and floats that are drawn with a seed, and basins on boxes.

Each factory `name(seed) -> Problem` draws tables or places valleys; the smallest value follows from them, it is not
searched for. Two kinds:

options with worths of their own: what one option teaches about another is little
    a, b, c   effects of the options i, j, k of three choices, ab those of pairs of i and j
    T         temperature, T0 the best one

a good place that is not the best one: who settles early is left with it
    c_k, w_k, l_k  bottom, width and floor of valley k; valley 0 is the lowest, with the floor 0, and the narrowest
    X (m, d)       rows are points
    At √q widths from its bottom a valley with the floor l has the value l + q/(1 + q): it ends in a plateau.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from suffice.problems.problem import Native, Problem
from suffice.space import Choice, Float, Int, Space
from suffice.types import Array

SOURCE = "drawn with a seed; this library"


def mixed(
    name: str, space: Space, function: Callable[[Mapping[str, Any]], float], best: Mapping[str, Any], source: str
) -> Problem:
    """The problem of a function that is smallest at the point `best` of its space."""
    native = Native(space, function)
    return Problem(
        name=name,
        function=native,
        bounds=native.bounds,
        optimum=function(best),
        minimizers=(native.row(best),),
        source=source,
        native=native,
    )


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
    return mixed(f"{family}{seed}", space, function, best, SOURCE)


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
    return mixed(f"many_options{seed}", space, Options(_table(worth), x0), best, SOURCE)


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
    return mixed(f"permutation{seed}", Space(order=Choice(*orders), x=Float(0, 1)), function, best, SOURCE)


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


MODELS = ("forest", "boosting", "kernel", "network", "linear")


@dataclass(frozen=True)
class Valley:
    """What a model loses by its settings: its floor, and a plateau away from its best settings."""

    floor: float
    width: float  # in parts of the range of each setting
    rate: float
    mix: float
    layers: int

    def __call__(self, point: Mapping[str, Any]) -> float:
        off = (
            math.log10(point["rate"] / self.rate) / 4.0,
            point["mix"] - self.mix,
            (point["layers"] - self.layers) / 19.0,
        )
        q = sum((part / self.width) ** 2 for part in off)
        return self.floor + q / (1.0 + q)


@dataclass(frozen=True)
class WhichModel:
    """The valley of the chosen model."""

    valleys: tuple[Valley, ...]  # in the order of MODELS

    def __call__(self, point: Mapping[str, Any]) -> float:
        return self.valleys[MODELS.index(point["model"])](point)


def which_model(seed: int) -> Problem:
    """Five models that share a rate, a mix and a number of layers, each with its own best settings."""
    rng = np.random.default_rng(seed)
    rank = rng.permutation(len(MODELS)).tolist()  # of each model, 0 is the best

    def valley(k: int) -> Valley:
        """The k-th best model's; 0.02 is more than one per cent of any regret: who is that close has chosen right."""
        rate, mix = 10.0 ** rng.uniform(-3.5, -0.5), rng.uniform(0.1, 0.9)
        return Valley(0.02 * k, 0.15 * (k + 1), rate, mix, int(rng.integers(3, 19)))

    valleys = tuple(map(valley, rank))
    best = valleys[rank.index(0)]
    space = Space(model=Choice(*MODELS), rate=Float(1e-4, 1, log=True), mix=Float(0, 1), layers=Int(1, 20))
    settings = {"model": MODELS[rank.index(0)], "rate": best.rate, "mix": best.mix, "layers": best.layers}
    return mixed(f"which_model{seed}", space, WhichModel(valleys), settings, SOURCE)


@dataclass(frozen=True)
class Staircase:
    """The sum over three integers of the height of the stair that each stands on."""

    stairs: tuple[tuple[float, ...], ...]  # heights at 0 … 30

    def __call__(self, point: Mapping[str, Any]) -> float:
        return math.fsum(stair[point[name]] for name, stair in zip("abc", self.stairs, strict=True))


def staircase(seed: int) -> Problem:
    """Three integers of 0 … 30: stairs of three steps down to a goal, and two traps on the way, of height a half."""
    rng = np.random.default_rng(seed)
    steps = np.arange(31)
    goals, stairs = [], []
    for _ in range(3):
        goal, *traps = rng.choice(steps, 3, replace=False).tolist()
        stair = np.ceil(np.abs(steps - goal) / 3.0)
        stair[traps] = 0.5
        goals.append(goal)
        stairs.append(tuple(stair.tolist()))
    space = Space(a=Int(0, 30), b=Int(0, 30), c=Int(0, 30))
    return mixed(f"staircase{seed}", space, Staircase(tuple(stairs)), dict(zip("abc", goals, strict=True)), SOURCE)


@dataclass(frozen=True)
class Basins:
    """min_k l_k + q_k/(1 + q_k), q_k = ‖x − c_k‖²/w_k²."""

    centres: tuple[tuple[float, ...], ...]
    widths: tuple[float, ...]
    floors: tuple[float, ...]

    def __call__(self, X: Array) -> Array:
        q = np.sum((X[:, None, :] - np.array(self.centres)) ** 2, axis=2) / np.array(self.widths) ** 2
        value: Array = np.min(np.array(self.floors) + q / (1.0 + q), axis=1)
        return value


def basins(seed: int, dim: int, count: int = 3) -> Problem:
    """`count` basins in the unit cube of `dim` inputs; the narrowest is the global one, the widest is opposite to it.

    Their widths are those of balls of a thirtieth to three tenths of the cube's volume, so that no dimension makes the
    narrow basin a needle; each is lower by 0.1 than the next wider one.
    """
    if dim < 2 or count < 2:
        raise ValueError(f"basins need at least 2 inputs and 2 basins, got dim={dim} and count={count}")
    rng = np.random.default_rng([seed, dim])
    narrow = rng.uniform(0.1, 0.4, dim)
    narrow = np.where(rng.random(dim) < 0.5, narrow, 1.0 - narrow)
    centres = (narrow, *rng.uniform(0.1, 0.9, (count - 2, dim)), 1.0 - narrow)
    unit_ball = math.pi ** (dim / 2) / math.gamma(dim / 2 + 1)
    widths = (np.geomspace(1 / 30, 0.3, count) / unit_ball) ** (1 / dim)
    function = Basins(
        tuple(tuple(centre.tolist()) for centre in centres),
        tuple(widths.tolist()),
        tuple(0.1 * k for k in range(count)),
    )
    return Problem(
        name=f"basins{dim}d{seed}" if count == 3 else f"basins{dim}d{count}of{seed}",
        function=function,
        bounds=((0.0, 1.0),) * dim,
        optimum=0.0,
        minimizers=(function.centres[0],),
        source=SOURCE,
    )
