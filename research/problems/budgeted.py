"""Mixed problems with limits, drawn with a seed: choices, integers and floats, and a small share within the limits.

Options are the integers from 0; what each of them is worth is in tables that the seed draws. In two of the problems the
best float for given choices and integers follows from the formula, so that the optimum is the smallest of a finite
table; in the third it is the smallest of the solutions of convex problems, which SLSQP found once.

Numbers of a point may be arrays, each of the same shape.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.problems.constrained import Constrained, Outputs, Point, at_least, at_most
from suffice.space import Choice, Float, Int, Space

_SOURCE = "drawn with a seed; this library"
Table = tuple[float, ...]  # a tuple, so that equal problems are equal


def entry(table: Table, index: Any) -> Any:
    """What a table has for an option, or for each of an array of them."""
    return np.asarray(table)[index]


def as_table(numbers: Any) -> Table:
    return tuple(np.asarray(numbers, dtype=np.float64).tolist())


@dataclass(frozen=True)
class Service:
    """The price of a service of n machines of kind i with runtime j, that answers batches of B with a cache of size c.

    A batch takes w = start_j + 10 B (1 − 0.8 c^0.7) / (speed_i · efficiency_j) milliseconds, its latency; n machines
    answer 1000 n B / w requests a second and cost n (price_i + memory_i c).
    """

    speed: Table
    price: Table
    memory: Table
    efficiency: Table
    start: Table

    def __call__(self, point: Point) -> Outputs:
        i, j, n, B, c = (point[name] for name in ("machine", "runtime", "replicas", "batch", "cache"))
        work = 10.0 * B * (1.0 - 0.8 * np.asarray(c) ** 0.7) / (entry(self.speed, i) * entry(self.efficiency, j))
        latency = entry(self.start, j) + work
        return {
            "value": n * (entry(self.price, i) + entry(self.memory, i) * c),
            "latency": latency,
            "throughput": 1000.0 * n * B / latency,
        }


def service(seed: int, latency: float, throughput: float, share: float) -> Constrained:
    """Six machines, four runtimes, 1 to 16 of them, batches of 1 to 128, and a cache."""
    rng = np.random.default_rng([seed, 1])
    speed = np.exp(0.5 * rng.standard_normal(6))
    price = speed**0.9 * np.exp(0.3 * rng.standard_normal(6))
    memory, efficiency, start = rng.uniform(0.2, 1.0, 6), rng.uniform(0.6, 1.4, 4), rng.uniform(2.0, 20.0, 4)
    function = Service(*map(as_table, (speed, price, memory, efficiency, start)))
    space = Space(
        machine=Choice(*range(6)),
        runtime=Choice(*range(4)),
        replicas=Int(1, 16),
        batch=Int(1, 128, log=True),
        cache=Float(0, 1),
    )
    best = _cheapest(function, latency, throughput)
    limits = at_most(latency, "latency") + at_least(throughput, "throughput")
    optimum = float(function(best)["value"])
    return Constrained(f"service{seed}", function, space, limits, optimum, best, share, _SOURCE)


def _cheapest(function: Service, latency: float, throughput: float) -> dict[str, Any]:
    """Price and speed grow with the cache, so the best cache is the smallest that meets both limits."""
    i, j, n, B = np.meshgrid(range(6), range(4), range(1, 17), range(1, 129), indexing="ij")
    allowed = np.minimum(latency, 1000.0 * n * B / throughput) - entry(function.start, j)  # for the work of a batch
    misses = allowed * entry(function.speed, i) * entry(function.efficiency, j) / (10.0 * B)
    c = np.clip((1.0 - misses) / 0.8, 0.0, 1.0) ** (1.0 / 0.7)
    c = np.minimum(c * (1.0 + 1e-12), 1.0)  # on this side of the limit, whatever the rounding
    found = {"machine": i, "runtime": j, "replicas": n, "batch": B, "cache": c}
    outputs = function(found)
    within = (outputs["latency"] <= latency) & (outputs["throughput"] >= throughput)
    at = int(np.argmin(np.where(within, outputs["value"], math.inf)))
    return {name: numbers.ravel()[at].item() for name, numbers in found.items()}


@dataclass(frozen=True)
class Forest:
    """The error of boosted trees of kind k with features m, that must be small and quick to train.

    error = worth_k + gain_m + 0.004 (depth − depth_k)² + 0.02 (log10(trees · rate) − dose_k)² + 0.01 (log10 rate + 2)²;
    the size is trees · 2^depth / 1000, the time trees · depth · cost_m seconds.
    """

    worth: Table
    depth: Table
    dose: Table
    gain: Table
    cost: Table

    def __call__(self, point: Point) -> Outputs:
        k, m, depth, trees, rate = (point[name] for name in ("kind", "features", "depth", "trees", "rate"))
        dose = np.log10(trees * rate) - entry(self.dose, k)
        fit = 0.004 * (depth - entry(self.depth, k)) ** 2 + 0.02 * dose**2 + 0.01 * (np.log10(rate) + 2.0) ** 2
        return {
            "value": entry(self.worth, k) + entry(self.gain, m) + fit,
            "size": trees * 2.0**depth / 1000.0,
            "time": trees * depth * entry(self.cost, m),
        }


def forest(seed: int, size: float, time: float, share: float) -> Constrained:
    """Three kinds of trees, four sets of features, depth, number and rate."""
    rng = np.random.default_rng([seed, 2])
    worth, depth, dose = rng.uniform(0.05, 0.15, 3), rng.uniform(7.0, 12.0, 3), rng.uniform(0.5, 1.0, 3)
    gain = rng.uniform(0.0, 0.05, 4)
    cost = np.sort(rng.uniform(0.01, 0.1, 4))[np.argsort(np.argsort(-gain))]  # what helps more takes longer
    function = Forest(*map(as_table, (worth, depth, dose, gain, cost)))
    space = Space(
        kind=Choice(*range(3)),
        features=Choice(*range(4)),
        depth=Int(1, 14),
        trees=Int(10, 500, log=True),
        rate=Float(1e-3, 1, log=True),
    )
    k, m, deep, trees = np.meshgrid(range(3), range(4), range(1, 15), range(10, 501), indexing="ij")
    # the best log10 rate of 0.02 (log10 trees + r − dose)² + 0.01 (r + 2)² is a weighted mean
    r = np.clip((2.0 * (entry(function.dose, k) - np.log10(trees)) - 2.0) / 3.0, -3.0, 0.0)
    found = {"kind": k, "features": m, "depth": deep, "trees": trees, "rate": 10.0**r}
    outputs = function(found)
    within = (outputs["size"] <= size) & (outputs["time"] <= time)
    at = int(np.argmin(np.where(within, outputs["value"], math.inf)))
    best = {name: numbers.ravel()[at].item() for name, numbers in found.items()}
    limits = at_most(size, "size") + at_most(time, "time")
    return Constrained(f"forest{seed}", function, space, limits, float(function(best)["value"]), best, share, _SOURCE)


@dataclass(frozen=True)
class Alloy:
    """How brittle metal i is after n passes of process j at temperature T, for h hours, with a share a of an additive.

    All three outputs are quadratic in T, log h and a, with tables for what the options add; the cost has h itself.
    """

    brittle: Table
    strong: Table
    dear: Table
    worn: Table  # of the processes: what a pass adds to the strength
    hourly: Table  # and what it costs
    mild: Table  # temperatures at which a metal is least brittle
    hot: Table  # and those at which a process makes it strongest

    def __call__(self, point: Point) -> Outputs:
        i, j, n, T, h, a = (point[m] for m in ("metal", "process", "passes", "temperature", "hours", "additive"))
        t, u = np.asarray(T) / 100.0, np.log10(h)
        brittle = entry(self.brittle, i) + 0.3 * n + 0.4 * (t - entry(self.mild, i)) ** 2 + 2.0 * (u + 0.3) ** 2
        strength = entry(self.strong, i) + entry(self.worn, j) * np.sqrt(n) - 0.5 * (t - entry(self.hot, j)) ** 2
        return {
            "value": brittle + 200.0 * (a - 0.05) ** 2,
            "strength": strength + 3.0 * u - (u - 0.5) ** 2 + 30.0 * a - 40.0 * a**2,
            "cost": entry(self.dear, i) + entry(self.hourly, j) * n + 0.8 * h + 20.0 * a,
        }


def alloy(seed: int) -> Alloy:
    """Five metals and three processes."""
    rng = np.random.default_rng([seed, 3])
    brittle, strong, dear = 3.0 * rng.random(5), 4.0 * rng.standard_normal(5), 5.0 * rng.random(5)
    worn, hourly = rng.uniform(1.0, 5.0, 3), rng.uniform(0.5, 2.0, 3)
    mild, hot = rng.uniform(4.0, 8.0, 5), rng.uniform(7.0, 11.0, 3)
    return Alloy(*map(as_table, (brittle, strong, dear, worn, hourly, mild, hot)))


SERVICE = service(1, latency=30.0, throughput=1500.0, share=0.073)
FOREST = forest(3, size=3.0, time=3.0, share=0.10)
ALLOY = Constrained(
    name="alloy1",
    function=alloy(1),
    space=Space(
        metal=Choice(*range(5)),
        process=Choice(*range(3)),
        passes=Int(1, 8),
        temperature=Float(300, 1200),
        hours=Float(0.1, 10, log=True),
        additive=Float(0, 0.3),
    ),
    limits=at_least(12.0, "strength") + at_most(13.0, "cost"),
    optimum=2.098810414,
    best={
        **{"metal": 0, "process": 0, "passes": 4},
        **{"temperature": 637.7034628, "hours": 0.962433483, "additive": 0.0672951085},
    },
    share=0.052,
    source=_SOURCE,
)
BUDGETED = (SERVICE, FOREST, ALLOY)
