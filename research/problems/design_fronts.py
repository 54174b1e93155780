"""Designs with several objectives, from the suite of real-world problems of Tanabe and Ishibuchi.

Where a design has limits, the suite makes the sum of what it is beyond them an objective, the violation.

References are beyond the worst values of the front by a tenth of its range, rounded, but for the two problems for which
Bayesian optimizers are measured with others (Daulton et al. 2020). A volume is that of all points without rivals that
NSGA-II came across, unless it is derived: for two objectives in three runs of 600 generations of 500, for more in two
runs or four of 400 generations of 1000. Single runs have 0.01 % less than all of them, but for what is said beside it.

Last come two problems with few floats, whose whole fronts can be listed.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.problems.budgeted import Table, as_table, entry
from research.problems.constrained import Outputs, Point, box, columns
from research.problems.fronts import TradeOff, minimized
from suffice.space import Choice, Float, Int, Space

_SOURCE = "Tanabe and Ishibuchi 2020, {}"


def _beyond(*reserves: Any) -> Any:
    """How far reserves are below 0 in all."""
    return sum(np.maximum(-reserve, 0.0) for reserve in reserves)


def _four_bar_truss(point: Point) -> Outputs:
    a, b, c, d = columns(point)
    root = math.sqrt(2.0)
    return {
        "volume": 200.0 * (2.0 * a + root * b + np.sqrt(c) + d),
        "displacement": 0.01 * (2.0 / a + 2.0 * root / b - 2.0 * root / c + 2.0 / d),
    }


# The third area is best at its least for both; for the others weighted sums of both objectives give the whole front.
FOUR_BAR_TRUSS = TradeOff(
    name="four_bar_truss",
    function=_four_bar_truss,
    space=box((1.0, 3.0), (math.sqrt(2.0), 3.0), (math.sqrt(2.0), 3.0), (1.0, 3.0)),
    objectives=minimized("volume", "displacement"),
    reference=(3050.0, 0.0437),
    hypervolume=54.4905073806,  # derived
    source=_SOURCE.format("RE21; Cheng and Li 1999"),
)


def _hatch_cover(point: Point) -> Outputs:
    flange, height = point["flange"], point["height"]
    bending, shear = 4500.0 / (flange * height), 1800.0 / height
    deflection = 56.2e4 / (7e5 * flange * height**2)
    buckling = 7e5 * flange**2 / 100.0
    return {
        "weight": flange + 120.0 * height,
        "violation": _beyond(
            1.0 - bending / 700.0, 1.0 - shear / 450.0, 1.0 - deflection / 1.5, 1.0 - bending / buckling
        ),
    }


HATCH_COVER = TradeOff(
    name="hatch_cover",
    function=_hatch_cover,
    space=Space(flange=Float(0.5, 4), height=Float(0.5, 50)),
    objectives=minimized("weight", "violation"),
    reference=(524.0, 48.7),
    hypervolume=21852.977,
    source=_SOURCE.format("RE24; Amir and Hasegawa 1989"),
)


def _two_bar_truss(point: Point) -> Outputs:
    a, b, y = columns(point)
    far, near = np.sqrt(16.0 + y**2), np.sqrt(1.0 + y**2)
    volume, stress = a * far + b * near, 20.0 * far / (a * y)
    return {
        "volume": volume,
        "stress": stress,
        "violation": _beyond(0.1 - volume, 1e5 - stress, 1e5 - 80.0 * near / (b * y)),
    }


TWO_BAR_TRUSS = TradeOff(
    name="two_bar_truss",
    function=_two_bar_truss,
    space=box((1e-5, 100.0), (1e-5, 100.0), (1.0, 3.0)),
    objectives=minimized("volume", "stress", "violation"),
    reference=(550.0, 9.1e6, 21.3e6),
    hypervolume=1.06606407e17,
    source=_SOURCE.format("RE31; Coello and Pulido 2005"),
)


def _disc_brake(point: Point) -> Outputs:
    inner, outer, force, discs = (point[name] for name in ("inner", "outer", "force", "discs"))
    squares, cubes = outer**2 - inner**2, outer**3 - inner**3
    return {
        "mass": 4.9e-5 * squares * (discs - 1.0),
        "time": 9.82e6 * squares / (force * discs * cubes),
        "violation": _beyond(
            outer - inner - 20.0,
            0.4 - force / (3.14 * squares),
            1.0 - 2.22e-3 * force * cubes / squares**2,
            2.66e-2 * force * discs * cubes / squares - 900.0,
        ),
    }


# The number of discs is an integer, as in the source of the suite; the suite itself takes any number. The outer radius
# begins at 80.5 and not at 75, where both could be equal and the time 0/0.
DISC_BRAKE = TradeOff(
    name="disc_brake",
    function=_disc_brake,
    space=Space(inner=Float(55, 80), outer=Float(80.5, 110), force=Float(1000, 3000), discs=Int(11, 20)),
    objectives=minimized("mass", "time", "violation"),
    reference=(5.83, 9.11, 44.0),
    hypervolume=1884.722,
    source=_SOURCE.format("RE33; Osyczka and Kundu 1995"),
)


def _vehicle_safety(point: Point) -> Outputs:
    x1, x2, x3, x4, x5 = columns(point)
    acceleration = 6.5856 + 1.15 * x1 - 1.0427 * x2 + 0.9738 * x3 + 0.8364 * x4 - 0.3695 * x1 * x4 + 0.0861 * x1 * x5
    intrusion = -0.0551 + 0.0181 * x1 + 0.1024 * x2 + 0.0421 * x3 - 0.0073 * x1 * x2 + 0.024 * x2 * x3
    return {
        "mass": 1640.2823 + 2.3573285 * x1 + 2.3220035 * x2 + 4.5688768 * x3 + 7.7213633 * x4 + 4.4559504 * x5,
        "acceleration": acceleration + 0.3628 * x2 * x4 - 0.1106 * x1**2 - 0.3437 * x3**2 + 0.1764 * x4**2,
        "intrusion": intrusion
        - 0.0118 * x2 * x4
        - 0.0204 * x3 * x4
        - 0.008 * x3 * x5
        - 0.0241 * x2**2
        + 0.0109 * x4**2,
    }


VEHICLE_SAFETY = TradeOff(
    name="vehicle_safety",
    function=_vehicle_safety,
    space=box(*[(1.0, 3.0)] * 5),
    objectives=minimized("mass", "acceleration", "intrusion"),
    reference=(1864.72022, 11.81993945, 0.2903999384),
    hypervolume=247.33415,  # of four runs; each of them has 0.02 to 0.3 % less
    source=_SOURCE.format("RE34; Liao et al. 2008"),
)


def _rocket_injector(point: Point) -> Outputs:
    a, h, o, t = (point[name] for name in ("angle", "hydrogen", "oxygen", "tip"))
    hot = 0.692 + 0.477 * a - 0.687 * h - 0.08 * o - 0.065 * t - 0.167 * a**2 - 0.0129 * h * a + 0.0796 * h**2
    far = 0.153 - 0.322 * a + 0.396 * h + 0.424 * o + 0.0226 * t + 0.175 * a**2 + 0.0185 * h * a - 0.0701 * h**2
    tip = 0.37 - 0.205 * a + 0.0307 * h + 0.108 * o + 1.019 * t - 0.135 * a**2 + 0.0141 * h * a + 0.0998 * h**2
    tip = tip + 0.208 * o * a - 0.0301 * o * h - 0.226 * o**2 + 0.353 * t * a - 0.0497 * t * o - 0.423 * t**2
    tip = tip + 0.202 * h * a**2 - 0.281 * o * a**2 - 0.342 * h**2 * a - 0.245 * h**2 * o + 0.281 * o**2 * h
    return {
        "face": hot
        - 0.0634 * o * a
        - 0.0257 * o * h
        + 0.0877 * o**2
        - 0.0521 * t * a
        + 0.00156 * t * h
        + 0.00198 * t * o
        + 0.0184 * t**2,
        "length": far
        - 0.251 * o * a
        + 0.179 * o * h
        + 0.015 * o**2
        + 0.0134 * t * a
        + 0.0296 * t * h
        + 0.0752 * t * o
        + 0.0192 * t**2,
        "tip": tip - 0.184 * t**2 * a - 0.281 * h * a * o,
    }


ROCKET_INJECTOR = TradeOff(
    name="rocket_injector",
    function=_rocket_injector,
    space=Space(angle=Float(0, 1), hydrogen=Float(0, 1), oxygen=Float(0, 1), tip=Float(0, 1)),
    objectives=minimized("face", "length", "tip"),
    reference=(1.1, 1.17, 1.25),
    hypervolume=1.456348,  # of four runs; each of them has 0.1 % less
    source=_SOURCE.format("RE37; Vaidyanathan et al. 2003"),
)


def _car_side_impact(point: Point) -> Outputs:
    x1, x2, x3, x4, x5, x6, x7 = columns(point)
    force = 4.72 - 0.5 * x4 - 0.19 * x2 * x3
    pillar = 10.58 - 0.674 * x1 * x2 - 0.67275 * x2
    door = 16.45 - 0.489 * x3 * x7 - 0.843 * x5 * x6
    upper = 0.261 - 0.0159 * x1 * x2 - 0.06486 * x1 - 0.019 * x2 * x7 + 0.0144 * x3 * x5 + 0.0154464 * x6
    middle = 0.214 + 0.00817 * x5 - 0.0587118 * x1 + 0.03099 * x2 * x6 - 0.018 * x2 * x7 + 0.030408 * x3
    reserves = (
        1.0 - (1.16 - 0.3717 * x2 * x4 - 0.0092928 * x3),
        0.32 - upper,
        0.32 - (middle - 0.00364 * x5 * x6 - 0.018 * x2**2),
        0.32 - (0.74 - 0.61 * x2 - 0.031296 * x3 - 0.031872 * x7 + 0.227 * x2**2),
        32.0 - (28.98 + 3.818 * x3 - 4.2 * x1 * x2 + 1.27296 * x6 - 2.68065 * x7),
        32.0 - (35.31728 + 2.95 * x3 - 5.057 * x1 * x2 - 3.795 * x2 - 3.4431 * x7),
        32.0 - (46.36 - 9.9 * x2 - 4.4505 * x1),
        *(4.0 - force, 9.9 - pillar, 15.7 - door),
    )
    return {
        "weight": 1.98 + 4.9 * x1 + 6.67 * x2 + 6.98 * x3 + 4.01 * x4 + 1.78 * x5 + 1e-5 * x6 + 2.73 * x7,
        "force": force,
        "velocity": 0.5 * (pillar + door),
        "violation": _beyond(*reserves),
    }


CAR_SIDE_IMPACT = TradeOff(
    name="car_side_impact",
    function=_car_side_impact,
    space=box((0.5, 1.5), (0.45, 1.35), (0.5, 1.5), (0.5, 1.5), (0.875, 2.625), (0.4, 1.2), (0.4, 1.2)),
    objectives=minimized("weight", "force", "velocity", "violation"),
    reference=(45.4872, 4.5114, 13.3394, 10.3942),
    hypervolume=494.395,  # of two runs; each of them has 0.25 % less
    source=_SOURCE.format("RE41; Jain and Deb 2014"),
)


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
