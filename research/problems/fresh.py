"""Smooth and rugged functions that are drawn with a seed: shifted, rotated and scaled, so that no default fits them.

u      (m, d)  rows of the unit cube                         A  (d, d)  a rotation, or 1
v      (m, d)  A (u − c) times `reach`: each function's own units, its minimum at c
best   (d,)    c, the minimizer, at least 0.1 from every side of the cube

Even seeds are for choosing defaults, odd seeds for reporting: nothing is ever chosen on those.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from research.problems.drawn import mixed
from suffice.problems.problem import Problem
from suffice.space import Choice, Float, Int, Space
from suffice.types import Array

SOURCE = "drawn with a seed; this library"
Shape = Callable[[Array], Array]  # (m, d) -> (m,): 0 at the origin, positive elsewhere


def ellipsoid(v: Array) -> Array:
    """Σ w_i v_i², w from 1 to 100."""
    return np.asarray((v**2) @ np.logspace(0.0, 2.0, v.shape[1]))


def rosenbrock(v: Array) -> Array:
    """A bent valley through the origin."""
    w = v + 1.0
    return np.asarray(np.sum(100.0 * (w[:, 1:] - w[:, :-1] ** 2) ** 2 + (1.0 - w[:, :-1]) ** 2, axis=1))


def ackley(v: Array) -> Array:
    """A funnel with ripples."""
    far, waves = np.sqrt(np.mean(v**2, axis=1)), np.mean(np.cos(2.0 * np.pi * v), axis=1)
    return np.asarray(-20.0 * np.exp(-0.2 * far) - np.exp(waves) + 20.0 + math.e)


def levy(v: Array) -> Array:
    """Many local minima on a slope."""
    w = 1.0 + v / 4.0
    middle = np.sum((w[:, :-1] - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * w[:, :-1] + 1.0) ** 2), axis=1)
    start = np.sin(np.pi * w[:, 0]) ** 2
    end = (w[:, -1] - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * w[:, -1]) ** 2)
    return np.asarray(start + middle + end)


def griewank(v: Array) -> Array:
    """A bowl with waves that a product makes."""
    scaled = v / np.sqrt(np.arange(1, v.shape[1] + 1))
    return np.asarray(1.0 + np.sum(v**2, axis=1) / 40.0 - np.prod(np.cos(scaled), axis=1))


def zakharov(v: Array) -> Array:
    """A plate that is steep in one direction."""
    s = v @ (0.5 * np.arange(1, v.shape[1] + 1))
    return np.asarray(np.sum(v**2, axis=1) + s**2 + s**4)


def trenches(v: Array) -> Array:
    """Σ √|v|: a kink at the minimum in every direction."""
    return np.asarray(np.sum(np.sqrt(np.abs(v)), axis=1))


SHAPES: dict[str, tuple[Shape, float]] = {  # with the width of the box in the function's own units
    "ellipsoid": (ellipsoid, 4.0),
    "rosenbrock": (rosenbrock, 4.0),
    "ackley": (ackley, 8.0),
    "levy": (levy, 16.0),
    "griewank": (griewank, 12.0),
    "zakharov": (zakharov, 5.0),
    "trenches": (trenches, 4.0),
}


@dataclass(frozen=True)
class Turned:
    """A shape around the point `best`, rotated."""

    shape: str
    best: tuple[float, ...]
    rotation: tuple[tuple[float, ...], ...]

    def __call__(self, X: Array) -> Array:
        shape, reach = SHAPES[self.shape]
        return shape(reach * (X - np.array(self.best)) @ np.array(self.rotation).T)


@dataclass(frozen=True)
class Bumps:
    """−max_k h_k exp(−‖A_k (x − c_k)‖²/2): hills of several heights and widths, the first the highest."""

    centres: tuple[tuple[float, ...], ...]
    heights: tuple[float, ...]
    widths: tuple[tuple[float, ...], ...]

    def __call__(self, X: Array) -> Array:
        away = (X[:, None] - np.array(self.centres)) / np.array(self.widths)
        return np.asarray(-np.max(np.array(self.heights) * np.exp(-0.5 * np.sum(away**2, axis=2)), axis=1))


def _turned(shape: str, seed: int, dim: int) -> Problem:
    rng = np.random.default_rng([seed, dim, len(shape)])
    best = rng.uniform(0.15, 0.85, dim)
    rotation = np.linalg.qr(rng.standard_normal((dim, dim)))[0] if seed % 4 < 2 else np.eye(dim)
    function = Turned(shape, tuple(best.tolist()), tuple(map(tuple, rotation.tolist())))
    return _on_the_cube(f"fresh_{shape}{dim}d{seed}", function, best)


def _bumps(seed: int, dim: int) -> Problem:
    rng = np.random.default_rng([seed, dim, 5])
    count = int(rng.integers(2, 6))
    centres = rng.uniform(0.1, 0.9, (count, dim))
    heights = np.sort(rng.uniform(0.4, 0.9, count))[::-1].copy()
    heights[0] = 1.0
    widths = math.sqrt(dim) * rng.uniform(0.08, 0.3, (count, dim))
    function = Bumps(tuple(map(tuple, centres.tolist())), tuple(heights.tolist()), tuple(map(tuple, widths.tolist())))
    return _on_the_cube(f"fresh_bumps{dim}d{seed}", function, centres[0])


def _on_the_cube(name: str, function: Callable[[Array], Array], best: Array) -> Problem:
    bounds = ((0.0, 1.0),) * len(best)
    optimum = float(function(best[None])[0])
    return Problem(name, function, bounds, optimum, (tuple(best.tolist()),), SOURCE)


@dataclass(frozen=True)
class Machine:
    """A loss after a rate on a log scale, two numbers, an integer and an option that shifts the best of the others."""

    floors: tuple[float, ...]
    rates: tuple[float, ...]
    mix: float
    slope: tuple[float, float]
    layers: int

    def __call__(self, point: Mapping[str, Any]) -> float:
        kind = int(point["kind"])
        rate = (math.log10(point["rate"]) - self.rates[kind]) / 1.5
        layers = (point["layers"] - self.layers) / 8.0
        mix = point["mix"] - self.mix + 0.1 * rate
        q = rate**2 + 2.0 * mix**2 + layers**2 + self.slope[0] * (point["drop"] - self.slope[1]) ** 2
        return float(self.floors[kind] + math.log1p(4.0 * q))


def _machine(seed: int) -> Problem:
    rng = np.random.default_rng([seed, 17])
    floors = np.sort(rng.uniform(0.0, 0.6, 4))
    floors -= floors[0]
    order = rng.permutation(4)
    rates = rng.uniform(-3.5, -0.5, 4)
    function = Machine(
        tuple(floors[order].tolist()),
        tuple(rates.tolist()),
        float(rng.uniform(0.2, 0.8)),
        (float(rng.uniform(0.1, 2.0)), float(rng.uniform(0.1, 0.5))),
        int(rng.integers(3, 18)),
    )
    kind = int(np.argmin(function.floors))
    space = Space(
        kind=Choice(0, 1, 2, 3),
        rate=Float(1e-4, 1.0, log=True),
        mix=Float(0, 1),
        layers=Int(1, 20),
        drop=Float(0, 0.6),
    )
    best = {
        "kind": kind,
        "rate": 10.0 ** function.rates[kind],
        "mix": function.mix,
        "layers": function.layers,
        "drop": function.slope[1],
    }
    return mixed(f"fresh_machine{seed}", space, function, best, SOURCE)


FRESH: dict[str, Callable[[int], Problem]] = {
    **{f"fresh_{shape}{dim}d": partial(_turned, shape, dim=dim) for shape in SHAPES for dim in (2, 3, 4, 6, 8, 10)},
    **{f"fresh_bumps{dim}d": partial(_bumps, dim=dim) for dim in (2, 3, 4, 6)},
    "fresh_machine": _machine,
}
