"""Problems with a good place that is not the best one, drawn with a seed: who settles early is left with it.

Each factory `name(seed) -> Problem` places the valleys; the floor of every valley is given, so the smallest value is
known. At √q widths from its bottom a valley with the floor l has the value l + q/(1 + q): it ends in a plateau.

c_k, w_k, l_k  bottom, width and floor of valley k; valley 0 is the lowest, with the floor 0, and the narrowest
X (m, d)       rows are points
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.problems.encoding import mixed
from suffice.problems.problem import Problem
from suffice.space import Choice, Float, Int, Space
from suffice.types import Array

_SOURCE = "drawn with a seed; this library"
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
    return mixed(f"which_model{seed}", space, WhichModel(valleys), settings, _SOURCE)


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
    return mixed(f"staircase{seed}", space, Staircase(tuple(stairs)), dict(zip("abc", goals, strict=True)), _SOURCE)


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
        source=_SOURCE,
    )
