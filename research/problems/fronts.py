"""A test problem with several objectives: a function whose outputs cannot all be best at once, with a known front.

m   number of objectives        reference   (m,)   the corner up to which the volume of a front is measured
x1 … xd   the inputs, as arrays or numbers        g   how far the rest of the inputs is from the front

The volume, or hypervolume, is that of all points between the reference and some point of the front, and the largest
possible is known: from the formula, or from a long search, as is said beside it.

The problems here are test functions whose fronts are known, or follow from few inputs. The references of Branin–Currin,
ZDT and DTLZ are those in use for Bayesian optimizers (Daulton et al. 2020); the others are beyond the worst values of
the front by a tenth of its range, rounded. A volume that was searched for is that of all points without rivals that
NSGA-II came across: in three runs of 600 generations of 500 for two objectives, and in two of 400 generations of 1000
for three. They agree to four digits.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from research.problems.constrained import Outputs, Point, box, columns
from suffice.problems.functions import branin
from suffice.space import Space
from suffice.types import Array

Direction = Literal["minimize", "maximize"]


@dataclass(frozen=True)
class TradeOff:
    """A function with several outputs, each to be minimized or maximized.

    `problem(point)` is {objective: value}, as an optimizer wants it; `function` also takes arrays in place of the
    numbers of a point.
    """

    name: str
    function: Callable[[Mapping[str, Any]], dict[str, Any]] = field(repr=False)
    space: Space = field(repr=False)
    objectives: Mapping[str, Direction] = field(repr=False)
    reference: tuple[float, ...]  # in the units and the order of the objectives
    hypervolume: float  # of the best known front
    source: str = field(repr=False)

    def __call__(self, point: Mapping[str, Any]) -> dict[str, float]:
        """The objectives at one point."""
        return {name: float(output) for name, output in self.function(point).items()}

    def losses(self, outputs: Mapping[str, Any]) -> Array:
        """Outputs as numbers of which all are to be minimized, (m,); for arrays (n,) of outputs (n, m)."""
        return np.stack(np.broadcast_arrays(*(self._sign(o) * outputs[o] for o in self.objectives)), axis=-1)

    @property
    def worst(self) -> Array:
        """The reference in the same sense, (m,)."""
        return self.losses(dict(zip(self.objectives, self.reference, strict=True)))

    def _sign(self, objective: str) -> float:
        return 1.0 if self.objectives[objective] == "minimize" else -1.0


def minimized(*names: str) -> dict[str, Direction]:
    return dict.fromkeys(names, "minimize")


TWO, THREE = minimized("f1", "f2"), minimized("f1", "f2", "f3")


def _branin_currin(point: Point) -> Outputs:
    x, y = columns(point)
    X = np.stack(np.broadcast_arrays(15.0 * x - 5.0, 15.0 * y), axis=-1)
    numerator = 2300.0 * x**3 + 1900.0 * x**2 + 2092.0 * x + 60.0
    denominator = 100.0 * x**3 + 500.0 * x**2 + 4.0 * x + 20.0
    fading = -np.expm1(-0.5 / np.maximum(y, 1e-300))  # 1 at y = 0
    return {
        "branin": branin.function(X.reshape(-1, 2)).reshape(X.shape[:-1]),
        "currin": fading * numerator / denominator,
    }


BRANIN_CURRIN = TradeOff(
    name="branin_currin",
    function=_branin_currin,
    space=box((0.0, 1.0), (0.0, 1.0)),
    objectives=minimized("branin", "currin"),
    reference=(18.0, 6.0),
    hypervolume=59.40547,  # searched for
    source="Belakaria et al. 2019; Currin et al. 1991",
)


def _dtlz2_with_2(point: Point) -> Outputs:
    first, *rest = columns(point)
    g = sum((x - 0.5) ** 2 for x in rest)
    return {"f1": (1.0 + g) * np.cos(0.5 * np.pi * first), "f2": (1.0 + g) * np.sin(0.5 * np.pi * first)}


def _dtlz2_with_3(point: Point) -> Outputs:
    first, second, *rest = columns(point)
    g = sum((x - 0.5) ** 2 for x in rest)
    a, b = 0.5 * np.pi * first, 0.5 * np.pi * second
    return {
        "f1": (1.0 + g) * np.cos(a) * np.cos(b),
        "f2": (1.0 + g) * np.cos(a) * np.sin(b),
        "f3": (1.0 + g) * np.sin(a),
    }


# The front is the part of the unit sphere with positive coordinates: what is beyond it in the cube up to 1.1 counts.
DTLZ2_2 = TradeOff(
    name="dtlz2_2",
    function=_dtlz2_with_2,
    space=box(*[(0.0, 1.0)] * 6),
    objectives=TWO,
    reference=(1.1, 1.1),
    hypervolume=1.1**2 - math.pi / 4.0,
    source="Deb et al. 2002",
)
DTLZ2_3 = TradeOff(
    name="dtlz2_3",
    function=_dtlz2_with_3,
    space=box(*[(0.0, 1.0)] * 6),
    objectives=THREE,
    reference=(1.1, 1.1, 1.1),
    hypervolume=1.1**3 - math.pi / 6.0,
    source="Deb et al. 2002",
)


def _zdt1(point: Point) -> Outputs:
    first, *rest = columns(point)
    g = 1.0 + 9.0 * sum(rest) / len(rest)
    return {"f1": first, "f2": g * (1.0 - np.sqrt(first / g))}


def _zdt2(point: Point) -> Outputs:
    first, *rest = columns(point)
    g = 1.0 + 9.0 * sum(rest) / len(rest)
    return {"f1": first, "f2": g * (1.0 - (first / g) ** 2)}


def _zdt3(point: Point) -> Outputs:
    first, *rest = columns(point)
    g = 1.0 + 9.0 * sum(rest) / len(rest)
    return {"f1": first, "f2": g * (1.0 - np.sqrt(first / g) - first / g * np.sin(10.0 * np.pi * first))}


# Under the fronts 1 − √x and 1 − x² from 0 to 1 are 1/3 and 2/3; beyond are 10 more columns of 11.
ZDT1 = TradeOff(
    name="zdt1",
    function=_zdt1,
    space=box(*[(0.0, 1.0)] * 6),
    objectives=TWO,
    reference=(11.0, 11.0),
    hypervolume=121.0 - 1.0 / 3.0,
    source="Zitzler, Deb and Thiele 2000",
)
ZDT2 = TradeOff(
    name="zdt2",
    function=_zdt2,
    space=box(*[(0.0, 1.0)] * 6),
    objectives=TWO,
    reference=(11.0, 11.0),
    hypervolume=121.0 - 2.0 / 3.0,
    source="Zitzler, Deb and Thiele 2000",
)
# Five pieces, below 0 in places; the volume is an integral over x1.
ZDT3 = TradeOff(
    name="zdt3",
    function=_zdt3,
    space=box(*[(0.0, 1.0)] * 6),
    objectives=TWO,
    reference=(11.0, 11.0),
    hypervolume=128.77811613,
    source="Zitzler, Deb and Thiele 2000",
)


def _dtlz7(point: Point) -> Outputs:
    first, *rest = columns(point)
    g = 1.0 + 9.0 * sum(rest) / len(rest)
    return {"f1": first, "f2": 2.0 * (1.0 + g) - first * (1.0 + np.sin(3.0 * np.pi * first))}


# Pieces that do not touch, as f2 rises and falls along the front; the volume is an integral over x1.
DTLZ7 = TradeOff(
    name="dtlz7",
    function=_dtlz7,
    space=box(*[(0.0, 1.0)] * 4),
    objectives=TWO,
    reference=(15.0, 15.0),
    hypervolume=189.4307734755,
    source="Deb et al. 2002",
)


def _kursawe(point: Point) -> Outputs:
    X = columns(point)
    return {
        "f1": sum(-10.0 * np.exp(-0.2 * np.sqrt(a**2 + b**2)) for a, b in pairwise(X)),
        "f2": sum(np.abs(x) ** 0.8 + 5.0 * np.sin(x**3) for x in X),
    }


KURSAWE = TradeOff(
    name="kursawe",
    function=_kursawe,
    space=box(*[(-5.0, 5.0)] * 3),
    objectives=TWO,
    reference=(-13.88, 1.17),
    hypervolume=39.90285,  # searched for
    source="Kursawe 1991",
)


def _fonseca(point: Point) -> Outputs:
    X = columns(point)
    shift = 1.0 / math.sqrt(len(X))
    return {
        "f1": -np.expm1(-sum((x - shift) ** 2 for x in X)),
        "f2": -np.expm1(-sum((x + shift) ** 2 for x in X)),
    }


# The front has all inputs equal, from −1/√d to 1/√d; the volume is an integral over it.
FONSECA = TradeOff(
    name="fonseca",
    function=_fonseca,
    space=box(*[(-4.0, 4.0)] * 3),
    objectives=TWO,
    reference=(1.0, 1.0),
    hypervolume=0.34211559312,
    source="Fonseca and Fleming 1995",
)


def _viennet(point: Point) -> Outputs:
    x, y = columns(point)
    r = x**2 + y**2
    return {
        "f1": 0.5 * r + np.sin(r),
        "f2": (3.0 * x - 2.0 * y + 4.0) ** 2 / 8.0 + (x - y + 1.0) ** 2 / 27.0 + 15.0,
        "f3": 1.0 / (r + 1.0) - 1.1 * np.exp(-r),
    }


VIENNET = TradeOff(
    name="viennet",
    function=_viennet,
    space=box((-3.0, 3.0), (-3.0, 3.0)),
    objectives=THREE,
    reference=(9.0, 17.2, 0.2),
    hypervolume=5.135776,  # searched for
    source="Viennet, Fonteix and Marc 1996",
)


def _poloni(point: Point) -> Outputs:
    x, y = columns(point)
    first = 0.5 * np.sin(x) - 2.0 * np.cos(x) + np.sin(y) - 1.5 * np.cos(y)
    second = 1.5 * np.sin(x) - np.cos(x) + 2.0 * np.sin(y) - 0.5 * np.cos(y)
    a = 0.5 * math.sin(1.0) - 2.0 * math.cos(1.0) + math.sin(2.0) - 1.5 * math.cos(2.0)
    b = 1.5 * math.sin(1.0) - math.cos(1.0) + 2.0 * math.sin(2.0) - 0.5 * math.cos(2.0)
    return {"f1": -1.0 - (a - first) ** 2 - (b - second) ** 2, "f2": -((x + 3.0) ** 2) - (y + 1.0) ** 2}


POLONI = TradeOff(
    name="poloni",
    function=_poloni,
    space=box((-math.pi, math.pi), (-math.pi, math.pi)),
    objectives={"f1": "maximize", "f2": "maximize"},
    reference=(-18.4, -27.5),
    hypervolume=444.5892,  # searched for
    source="Poloni et al. 2000",
)
