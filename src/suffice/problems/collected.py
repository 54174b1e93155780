"""Problems with limits from the collection that competitions of constrained optimization use, by their numbers.

x1 … xd   the inputs, as arrays or numbers

Source: Liang et al. 2006, Problem definitions and evaluation criteria for the CEC 2006 special session, who name the
origins. A limit on both sides is two outputs, one of them the other. The optima are those printed there, found again by
differential evolution and SLSQP from many starts.
"""

import numpy as np

from suffice.problems.constrained import Constrained, at_least, at_most
from suffice.problems.limited import Outputs, Point, at, box, columns

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
COLLECTED = (G4, G6, G8, G9, G24)
