"""Problems with limits that others collected: by numbers, and designs of machines and structures.

x1 … xd   the inputs, as arrays or numbers

G4 … G24 are from the collection that competitions of constrained optimization use: Liang et al. 2006, Problem
definitions and evaluation criteria for the CEC 2006 special session, who name the origins. A limit on both sides is two
outputs, one of them the other. The optima are those printed there.

The designs have limits on what they bear, and are the usual tests of constrained optimization; formulas are those of
the sources. Each optimum, of both kinds, was found again by differential evolution and SLSQP from many starts, for
every value of what is discrete.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from research.problems.constrained import Constrained, Outputs, Point, at, at_least, at_most, box, columns
from suffice.space import Float, Int, Ordinal, Space

_SOURCE = "Liang et al. 2006"


def _g4(point: Point) -> Outputs:
    x1, x2, x3, x4, x5 = columns(point)
    second = 80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3**2
    third = 9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4
    return {
        "value": 5.3578547 * x3**2 + 0.8356891 * x1 * x5 + 37.293239 * x1 - 40792.141,
        "first": 85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5,
        "second_low": second,
        "second_high": second,
        "third_low": third,
        "third_high": third,
    }


# The first output has to be at least 0, too, which it is everywhere in the box.
G4 = Constrained(
    name="g4",
    function=_g4,
    space=box((78.0, 102.0), (33.0, 45.0), *[(27.0, 45.0)] * 3),
    limits=(
        *at_most(92.0, "first"),
        *at_least(90.0, "second_low"),
        *at_most(110.0, "second_high"),
        *at_least(20.0, "third_low"),
        *at_most(25.0, "third_high"),
    ),
    optimum=-30665.538671783,
    best=at(78.0, 33.0, 29.995256025682, 45.0, 36.775812905788),
    share=0.27,
    source=_SOURCE,
)


def _g6(point: Point) -> Outputs:
    x, y = columns(point)
    return {
        "value": (x - 10.0) ** 3 + (y - 20.0) ** 3,
        "outer": (x - 5.0) ** 2 + (y - 5.0) ** 2,
        "inner": (x - 6.0) ** 2 + (y - 5.0) ** 2,
    }


# What is within the limits is a thin crescent; the minimum is the one of its tips inside the box.
G6 = Constrained(
    name="g6",
    function=_g6,
    space=box((13.0, 100.0), (0.0, 100.0)),
    limits=at_least(100.0, "outer") + at_most(82.81, "inner"),
    optimum=-6961.81387558015,
    best=at(14.0950001, 0.8429610),
    share=6.2e-05,
    source=_SOURCE,
)


def _g8(point: Point) -> Outputs:
    x, y = columns(point)
    return {
        "value": -(np.sin(2.0 * np.pi * x) ** 3) * np.sin(2.0 * np.pi * y) / (x**3 * (x + y)),
        "below": x**2 - y + 1.0,
        "beside": 1.0 - x + (y - 4.0) ** 2,
    }


# The box begins at 0.01, since the printed one begins where the value is 0/0.
G8 = Constrained(
    name="g8",
    function=_g8,
    space=box((0.01, 10.0), (0.01, 10.0)),
    limits=at_most(0.0, "below", "beside"),
    optimum=-0.0958250414180359,
    best=at(1.22797135260752599, 4.24537336612274885),
    share=0.0085,
    source=_SOURCE,
)


def _g9(point: Point) -> Outputs:
    x1, x2, x3, x4, x5, x6, x7 = columns(point)
    value = (x1 - 10.0) ** 2 + 5.0 * (x2 - 12.0) ** 2 + x3**4 + 3.0 * (x4 - 11.0) ** 2 + 10.0 * x5**6 + 7.0 * x6**2
    return {
        "value": value + x7**4 - 4.0 * x6 * x7 - 10.0 * x6 - 8.0 * x7,
        "first": 2.0 * x1**2 + 3.0 * x2**4 + x3 + 4.0 * x4**2 + 5.0 * x5,
        "second": 7.0 * x1 + 3.0 * x2 + 10.0 * x3**2 + x4 - x5,
        "third": 23.0 * x1 + x2**2 + 6.0 * x6**2 - 8.0 * x7,
        "fourth": 4.0 * x1**2 + x2**2 - 3.0 * x1 * x2 + 2.0 * x3**2 + 5.0 * x6 - 11.0 * x7,
    }


G9 = Constrained(
    name="g9",
    function=_g9,
    space=box(*[(-10.0, 10.0)] * 7),
    limits=at_most(127.0, "first") + at_most(282.0, "second") + at_most(196.0, "third") + at_most(0.0, "fourth"),
    optimum=680.630057374402,
    best=at(2.3304992, 1.9513723, -0.4775414, 4.3657263, -0.6244870, 1.0381309, 1.5942266),
    share=0.0053,
    source=_SOURCE,
)


def _g24(point: Point) -> Outputs:
    x, y = columns(point)
    return {
        "value": -x - y,
        "first": y - 2.0 * x**4 + 8.0 * x**3 - 8.0 * x**2,
        "second": y - 4.0 * x**4 + 32.0 * x**3 - 88.0 * x**2 + 96.0 * x,
    }


# Two regions that do not touch are within the limits.
G24 = Constrained(
    name="g24",
    function=_g24,
    space=box((0.0, 3.0), (0.0, 4.0)),
    limits=at_most(2.0, "first") + at_most(36.0, "second"),
    optimum=-5.50801327159536,
    best=at(2.3295202, 3.1784930),
    share=0.44,
    source=_SOURCE,
)


def _pressure_vessel(point: Point) -> Outputs:
    shell, head, radius, length = (point[name] for name in ("shell", "head", "radius", "length"))
    sheets = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    return {
        "value": sheets + 3.1661 * shell**2 * length + 19.84 * shell**2 * radius,
        "shell_reserve": shell - 0.0193 * radius,
        "head_reserve": head - 0.00954 * radius,
        "volume": np.pi * radius**2 * length + 4.0 / 3.0 * np.pi * radius**3,
    }


# The cost of a cylinder with two half spheres; sheets are rolled in sixteenths of an inch.
PRESSURE_VESSEL = Constrained(
    name="pressure_vessel",
    function=_pressure_vessel,
    space=Space(
        shell=Float(0.0625, 6.1875, step=0.0625),
        head=Float(0.0625, 6.1875, step=0.0625),
        radius=Float(10, 200),
        length=Float(10, 200),
    ),
    limits=at_least(0.0, "shell_reserve", "head_reserve") + at_least(1_296_000.0, "volume"),
    optimum=6059.714335,
    best={"shell": 0.8125, "head": 0.4375, "radius": 42.0984455, "length": 176.6365971},
    share=0.4,
    source="Sandgren 1990; Coello 2002",
)


def _speed_reducer(point: Point) -> Outputs:
    face, module, teeth, l1, l2, d1, d2 = (point[n] for n in ("face", "module", "teeth", "l1", "l2", "d1", "d2"))
    gears = 0.7854 * face * module**2 * (3.3333 * teeth**2 + 14.9334 * teeth - 43.0934)
    shafts = 7.4777 * (d1**3 + d2**3) - 1.508 * face * (d1**2 + d2**2) + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    return {
        "value": gears + shafts,
        "bending": 27.0 / (face * module**2 * teeth),
        "contact": 397.5 / (face * module**2 * teeth**2),
        "deflection1": 1.93 * l1**3 / (module * teeth * d1**4),
        "deflection2": 1.93 * l2**3 / (module * teeth * d2**4),
        "stress1": np.sqrt((745.0 * l1 / (module * teeth)) ** 2 + 16.9e6) / (110.0 * d1**3),
        "stress2": np.sqrt((745.0 * l2 / (module * teeth)) ** 2 + 157.5e6) / (85.0 * d2**3),
        "diameter": module * teeth / 40.0,
        "slender": 5.0 * module / face,
        "stout": face / (12.0 * module),
        "bearing1": (1.5 * d1 + 1.9) / l1,
        "bearing2": (1.1 * d2 + 1.9) / l2,
    }


SPEED_REDUCER = Constrained(
    name="speed_reducer",
    function=_speed_reducer,
    space=Space(
        face=Float(2.6, 3.6),
        module=Float(0.7, 0.8),
        teeth=Int(17, 28),
        l1=Float(7.3, 8.3),
        l2=Float(7.3, 8.3),
        d1=Float(2.9, 3.9),
        d2=Float(5.0, 5.5),
    ),
    limits=at_most(
        1.0,
        *("bending", "contact", "deflection1", "deflection2", "stress1", "stress2"),
        *("diameter", "slender", "stout", "bearing1", "bearing2"),
    ),
    optimum=2994.471066,
    best={"face": 3.5000001, "module": 0.7, "teeth": 17, "l1": 7.3, "l2": 7.7153201, "d1": 3.3502147, "d2": 5.2866545},
    share=0.00099,
    source="Golinski 1970; Mezura-Montes and Coello 2005",
)


def welded_beam(weld: Any, length: Any, height: Any, width: Any) -> Outputs:
    """Cost, shear stress, bending stress, deflection and buckling load of a beam that is welded to a wall."""
    load, span, young, rigidity = 6000.0, 14.0, 30e6, 12e6
    half = (0.5 * (weld + height)) ** 2
    radius = np.sqrt(0.25 * length**2 + half)
    polar = 2.0 * math.sqrt(2.0) * weld * length * (length**2 / 12.0 + half)
    direct = load / (math.sqrt(2.0) * weld * length)
    twist = load * (span + 0.5 * length) * radius / polar
    return {
        "value": 1.10471 * weld**2 * length + 0.04811 * height * width * (span + length),
        "shear": np.sqrt(direct**2 + direct * twist * length / radius + twist**2),
        "bending": 6.0 * load * span / (width * height**2),
        "deflection": 4.0 * load * span**3 / (young * height**3 * width),
        "buckling": 4.013
        * young
        * height
        * width**3
        / (6.0 * span**2)
        * (1.0 - height / (2.0 * span) * math.sqrt(young / (4.0 * rigidity))),
    }


def _welded_beam(point: Point) -> Outputs:
    weld, width = point["weld"], point["width"]
    return welded_beam(weld, point["length"], point["height"], width) | {"overhang": weld - width}


WELDED_BEAM = Constrained(
    name="welded_beam",
    function=_welded_beam,
    space=Space(weld=Float(0.125, 2), length=Float(0.1, 10), height=Float(0.1, 10), width=Float(0.1, 2)),
    limits=(
        *at_most(13_600.0, "shear"),
        *at_most(30_000.0, "bending"),
        *at_most(0.25, "deflection"),
        *at_least(6000.0, "buckling"),
        *at_most(0.0, "overhang"),
    ),
    optimum=1.7248523086,
    best={"weld": 0.2057297, "length": 3.4704887, "height": 9.0366241, "width": 0.2057297},
    share=0.26,
    source="Ragsdell and Phillips 1976; Coello 2000",
)


def _spring(point: Point) -> Outputs:
    wire, coil, turns = point["wire"], point["coil"], point["turns"]
    bending = (4.0 * coil**2 - wire * coil) / (12_566.0 * (coil * wire**3 - wire**4))
    return {
        "value": (turns + 2.0) * coil * wire**2,
        "deflection": coil**3 * turns / (71_785.0 * wire**4),
        "stress": bending + 1.0 / (5108.0 * wire**2),
        "frequency": 140.45 * wire / (coil**2 * turns),
        "diameter": wire + coil,
    }


SPRING = Constrained(
    name="spring",
    function=_spring,
    space=Space(wire=Float(0.05, 2), coil=Float(0.25, 1.3), turns=Float(2, 15)),
    limits=at_least(1.0, "deflection", "frequency") + at_most(1.0, "stress") + at_most(1.5, "diameter"),
    optimum=0.0126652328,
    best={"wire": 0.0516890527, "coil": 0.3567175343, "turns": 11.2889781},
    share=0.0075,
    source="Arora 1989; Coello 2000",
)


def _cantilever(point: Point) -> Outputs:
    X = columns(point)
    return {
        "value": 0.0624 * sum(X),
        "deflection": sum(load / x**3 for load, x in zip(_LOADS, X, strict=True)),
    }


# At the limit x_i = c a_i^¼ with c³ = Σ a_i^¼, by the rule of Lagrange, a being the loads.
_LOADS = (61.0, 37.0, 19.0, 7.0, 1.0)
_ROOTS = sum(a**0.25 for a in _LOADS)
CANTILEVER = Constrained(
    name="cantilever",
    function=_cantilever,
    space=box(*[(0.01, 100.0)] * 5),
    limits=at_most(1.0, "deflection"),
    optimum=0.0624 * _ROOTS ** (4.0 / 3.0),
    best=at(*((1.0 + 1e-12) * _ROOTS ** (1.0 / 3.0) * a**0.25 for a in _LOADS)),
    share=0.88,
    source="Fleury and Braibant 1986; Chickermane and Gea 1996",
)


def _three_bar_truss(point: Point) -> Outputs:
    outer, middle = columns(point)
    root = math.sqrt(2.0)
    det = root * outer**2 + 2.0 * outer * middle
    return {
        "value": 100.0 * (2.0 * root * outer + middle),
        "stress1": 2.0 * (root * outer + middle) / det,
        "stress2": 2.0 * middle / det,
        "stress3": 2.0 / (outer + root * middle),
    }


# Only the first limit is met with equality. The box begins at 0.01: a bar without area has no stress.
THREE_BAR_TRUSS = Constrained(
    name="three_bar_truss",
    function=_three_bar_truss,
    space=box((0.01, 1.0), (0.01, 1.0)),
    limits=at_most(2.0, "stress1", "stress2", "stress3"),
    optimum=263.8958433765,
    best=at(0.7886752, 0.4082482),
    share=0.22,
    source="Nowacki 1973; Ray and Saini 2001",
)


def _concrete_beam(point: Mapping[str, Any]) -> Outputs:
    steel, width, height = point["steel"], point["width"], point["height"]
    return {
        "value": 29.4 * steel + 0.6 * width * height,
        "slenderness": width / height,
        "strength": steel * width - 7.375 * steel**2 / height,
    }


STEEL = (6.0, 6.16, 6.32, 6.6, 7.0, 7.11, 7.2, 7.8, 7.9, 8.0, 8.4)  # cross sections that are for sale
CONCRETE_BEAM = Constrained(
    name="concrete_beam",
    function=_concrete_beam,
    space=Space(steel=Ordinal(*STEEL), width=Int(28, 40), height=Float(5, 10)),
    limits=at_most(4.0, "slenderness") + at_least(180.0, "strength"),
    optimum=359.208,
    best={"steel": 6.32, "width": 34, "height": 8.5},
    share=0.15,
    source="Amir and Hasegawa 1989",
)
