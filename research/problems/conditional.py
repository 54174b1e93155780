"""Problems with parameters that are there only for some options of others, drawn with a seed.

Each factory `name(seed) -> Problem` draws what the options are worth and where their own optima lie; the smallest value
follows from them. A function ignores the values of inactive parameters, so that it can be called with all of them.

worth   float   the smallest error with an option
q       float   how far the parameters that go with the option are from their best values

    error = worth + (top − worth) (1 − exp(−q/2)):  a valley around the optimum of each option, and a plateau beyond.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from research.problems.drawn import SOURCE, mixed
from suffice.problems.problem import Problem
from suffice.space import Choice, Float, Int, Space

KERNELS = ("linear", "rbf", "poly", "sigmoid")
BOOSTERS = ("gbtree", "dart", "gblinear")
TREES = ("gbtree", "dart")

Centre = tuple[tuple[str, float], ...]  # name → best value, as a tuple, so that equal problems are equal


@dataclass(frozen=True)
class Valley:
    """An option's worth and the best values of what goes with it."""

    worth: float
    best: Centre

    def error(self, q: float, top: float) -> float:
        return self.worth + (top - self.worth) * -math.expm1(-0.5 * q)


@dataclass(frozen=True)
class SVM:
    """The error of a support vector machine: C and gamma trade off, and each kernel has an optimum of its own."""

    valleys: tuple[Valley, ...]  # as KERNELS

    def __call__(self, point: Mapping[str, Any]) -> float:
        kernel = point["kernel"]
        valley = self.valleys[KERNELS.index(kernel)]
        best = dict(valley.best)
        C = math.log10(point["C"]) - best["C"]
        if kernel == "linear":
            return valley.error((C / 1.5) ** 2, 0.5)
        gamma = math.log10(point["gamma"]) - best["gamma"]
        q = ((C + gamma) / 1.2) ** 2 + ((C - gamma) / 4.0) ** 2
        if kernel == "poly":
            q += 0.5 * (point["degree"] - best["degree"]) ** 2
        if kernel in ("poly", "sigmoid"):
            q += ((point["coef0"] - best["coef0"]) / 0.5) ** 2
        return valley.error(q, 0.5)


def svm(seed: int) -> Problem:
    """Four kernels; C in any case, gamma for three of them, coef0 for two and degree for one."""
    rng = np.random.default_rng(seed)
    valleys = []
    for kernel in KERNELS:
        best = {"C": rng.uniform(-2.0, 2.0)}
        if kernel != "linear":
            best["gamma"] = rng.uniform(-4.0, 0.0)
        if kernel in ("poly", "sigmoid"):
            best["coef0"] = rng.uniform(-0.8, 0.8)
        if kernel == "poly":
            best["degree"] = float(rng.integers(2, 6))
        valleys.append(Valley(rng.uniform(0.05, 0.3), tuple(best.items())))
    space = Space(
        kernel=Choice(*KERNELS),
        C=Float(1e-3, 1e3, log=True),
        gamma=Float(1e-5, 10, log=True, when={"kernel": ("rbf", "poly", "sigmoid")}),
        degree=Int(2, 6, when={"kernel": "poly"}),
        coef0=Float(-1, 1, when={"kernel": ("poly", "sigmoid")}),
    )
    k = min(range(len(KERNELS)), key=lambda k: valleys[k].worth)
    found = dict(valleys[k].best)
    point: dict[str, Any] = {"kernel": KERNELS[k]}
    for name, v in found.items():
        point[name] = 10**v if name in ("C", "gamma") else int(v) if name == "degree" else v
    return mixed(f"svm{seed}", space, SVM(tuple(valleys)), point, SOURCE)


# Of each number of the boosting problem: lowest and highest value, log, and how wide its valley is, of the range.
NUMBERS: dict[str, tuple[float, float, bool, float]] = {
    "eta": (1e-3, 1.0, True, 0.3),
    "reg_lambda": (1e-3, 1e2, True, 0.6),
    "max_depth": (1, 12, False, 0.3),
    "min_child_weight": (0.1, 100.0, True, 0.6),
    "subsample": (0.2, 1.0, False, 0.8),
    "max_leaves": (8, 512, True, 0.4),
    "rate_drop": (0.0, 0.5, False, 0.4),
    "skip_drop": (0.0, 1.0, False, 0.6),
}
OF_TREES = ("max_depth", "min_child_weight", "subsample")
OF_DART = ("rate_drop", "skip_drop")


@dataclass(frozen=True)
class Boosting:
    """The error of boosting: trees, trees that are dropped, or linear terms, each with parameters of its own."""

    valleys: tuple[Valley, ...]  # as BOOSTERS
    lossguide: float  # what this policy of growing adds to q, if positive; else what the other one adds
    greedy: float  # and this way to choose features

    def __call__(self, point: Mapping[str, Any]) -> float:
        booster = point["booster"]
        valley = self.valleys[BOOSTERS.index(booster)]
        best = dict(valley.best)
        names = ["eta", "reg_lambda"]
        q = 0.0
        if booster in TREES:
            names += OF_TREES
            by_loss = point["grow_policy"] == "lossguide"
            q += max(self.lossguide, 0.0) if by_loss else max(-self.lossguide, 0.0)
            names += ["max_leaves"] if by_loss else []
        else:
            greedy = point["updater"] == "coord_descent" and point["selector"] == "greedy"
            q += max(self.greedy, 0.0) if greedy else max(-self.greedy, 0.0)
        if booster == "dart":
            names += OF_DART
        q += sum(((_share(name, point[name]) - best[name]) / NUMBERS[name][3]) ** 2 for name in names) * 4.0
        return valley.error(q, 1.0)


def boosting(seed: int) -> Problem:
    """Three boosters with 2, 6 and 8 numbers, a policy with one of its own, and a choice below a choice."""
    rng = np.random.default_rng(seed)
    shared = {name: rng.uniform(0.1, 0.9) for name in NUMBERS}  # what suits one kind of trees mostly suits the other
    valleys = tuple(_booster(shared, rng) for _ in BOOSTERS)
    lossguide, greedy = (float(rng.choice([-1.0, 1.0]) * rng.uniform(0.1, 0.5)) for _ in range(2))
    trees = {"booster": TREES}
    space = Space(
        {
            "booster": Choice(*BOOSTERS),
            "eta": _parameter("eta"),
            "reg_lambda": _parameter("reg_lambda"),
            "grow_policy": Choice("depthwise", "lossguide", when=trees),
            **{name: _parameter(name, trees) for name in OF_TREES},
            "max_leaves": _parameter("max_leaves", {"grow_policy": "lossguide"}),
            **{name: _parameter(name, {"booster": "dart"}) for name in OF_DART},
            "updater": Choice("shotgun", "coord_descent", when={"booster": "gblinear"}),
            "selector": Choice("cyclic", "greedy", when={"updater": "coord_descent"}),
        }
    )
    function = Boosting(valleys, lossguide, greedy)
    return mixed(f"boosting{seed}", space, function, _best(function, space), SOURCE)


def _booster(shared: Mapping[str, float], rng: Generator) -> Valley:
    """An optimum near the shared one, at values that the parameters take."""
    best = {}
    for name, centre in shared.items():
        u = float(np.clip(centre + 0.15 * rng.standard_normal(), 0.02, 0.98))
        best[name] = _share(name, _value(name, u))
    return Valley(rng.uniform(0.1, 0.4), tuple(best.items()))


def _best(function: Boosting, space: Space) -> dict[str, Any]:
    """The best point: the values of the best booster, and the policies that add nothing."""
    k = min(range(len(BOOSTERS)), key=lambda k: function.valleys[k].worth)
    everything = {
        "booster": BOOSTERS[k],
        "grow_policy": "depthwise" if function.lossguide > 0.0 else "lossguide",
        "updater": "shotgun" if function.greedy > 0.0 else "coord_descent",
        "selector": "greedy",
        **{name: _value(name, u) for name, u in function.valleys[k].best},
    }
    return space.only_active(everything)


def _parameter(name: str, when: Mapping[str, Any] | None = None) -> Float | Int:
    low, high, log, _ = NUMBERS[name]
    if isinstance(low, int):
        return Int(low, int(high), log=log, when=when)
    return Float(low, high, log=log, when=when)


def _share(name: str, value: float) -> float:
    """Where a value lies between its bounds, from 0 to 1."""
    low, high, log, _ = NUMBERS[name]
    return math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)


def _value(name: str, u: float) -> float:
    """The value at u, a whole number where these are."""
    low, high, log, _ = NUMBERS[name]
    v = low * (high / low) ** u if log else low + u * (high - low)
    return round(v) if isinstance(low, int) else v
