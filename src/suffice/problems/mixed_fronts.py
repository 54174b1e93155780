"""Problems with several objectives and few floats, whose whole fronts can be listed.

Numbers of a point may be arrays, each of the same shape.
"""

from dataclasses import dataclass

import numpy as np

from suffice.problems.budgeted import Table, as_table, entry
from suffice.problems.fronts import TradeOff, minimized
from suffice.problems.limited import Outputs, Point
from suffice.space import Choice, Float, Int, Space


def _gear_train(point: Point) -> Outputs:
    a, b, c, d = (np.asarray(point[name]) for name in ("a", "b", "c", "d"))
    ratio = c / a * (d / b)
    return {"error": np.abs(6.931 - ratio), "size": np.maximum(np.maximum(a, b), np.maximum(c, d))}


# Of all 49⁴ trains.
GEAR_TRAIN = TradeOff(
    name="gear_train",
    function=_gear_train,
    space=Space(a=Int(12, 60), b=Int(12, 60), c=Int(12, 60), d=Int(12, 60)),
    objectives=minimized("error", "size"),
    reference=(6.52, 52.7),
    hypervolume=195.379699042478,
    source="Deb and Srinivasan 2006; Tanabe and Ishibuchi 2020, RE36 without its third objective",
)


@dataclass(frozen=True)
class Network:
    """Error and throughput of a network of kind i with L layers of width W in number format j, of which p is pruned.

    error = worst_i (L W / 1000)^(−slope_i) + loss_j + 0.1 (L/depth_i − 1)² + 0.3 p³;
    throughput = 1000 / (1 + L W (1 − 0.6 p) / (1000 quick_i speed_j)): of what is pruned most is not computed.
    """

    worst: Table
    slope: Table
    depth: Table
    quick: Table
    loss: Table
    speed: Table

    def __call__(self, point: Point) -> Outputs:
        i, j, L, W, p = (point[name] for name in ("kind", "format", "layers", "width", "pruned"))
        size = np.asarray(L) * W / 1000.0
        fit = entry(self.worst, i) * size ** -entry(self.slope, i) + 0.1 * (L / entry(self.depth, i) - 1.0) ** 2
        return {
            "error": fit + entry(self.loss, j) + 0.3 * np.asarray(p) ** 3,
            "throughput": 1000.0
            / (1.0 + size * (1.0 - 0.6 * np.asarray(p)) / (entry(self.quick, i) * entry(self.speed, j))),
        }


def _network(seed: int) -> Network:
    rng = np.random.default_rng([seed, 4])
    worst, slope, depth = rng.uniform(0.2, 0.4, 4), rng.uniform(0.3, 0.7, 4), rng.uniform(6.0, 18.0, 4)
    quick = rng.uniform(0.6, 1.4, 4)
    return Network(*map(as_table, (worst, slope, depth, quick, (0.0, 0.005, 0.04), (1.0, 1.8, 3.0))))


# Of all kinds, formats, layers and widths, with 2000 places for what is pruned.
NETWORK = TradeOff(
    name="network0",
    function=_network(0),
    space=Space(
        kind=Choice(*range(4)),
        format=Choice(*range(3)),
        layers=Int(4, 24),
        width=Int(128, 1024, step=32),
        pruned=Float(0, 0.8),
    ),
    objectives={"error": "minimize", "throughput": "maximize"},
    reference=(0.733, 0.0),
    hypervolume=515.5544,
    source="drawn with a seed; this library",
)
MIXED = (GEAR_TRAIN, NETWORK)
