"""Levels of integers, from both sides."""

import numpy as np
import pytest

from suffice.space import Int, Space
from suffice.space.product import _neighbours

LATTICES = [
    Int(0, 1),
    Int(-3, 9),
    Int(1, 1000, log=True),
    Int(0, 2**40 - 1),
    Int(1, 2**40, log=True),
    Int(2**60, 2**60 + 10, log=True),
]


def levels_of(parameter):
    (coordinate,) = Space(i=parameter).coordinates
    return coordinate.levels


@pytest.mark.parametrize("parameter", LATTICES, ids=repr)
def test_the_level_of_an_integer_is_its_place_in_the_range(parameter):
    levels = levels_of(parameter)
    assert levels.count == parameter.count
    drawn = np.random.default_rng(0).integers(0, parameter.count, 200)
    for k in [0, 1, parameter.count - 1, *drawn.tolist()]:
        u = parameter.to_unit(parameter.low + k)
        assert levels.index(u)[0] == k
        assert levels.at(np.array([k]))[0] == u[0]


def by_probing(parameter, u):
    """The nearest values below and above, found by `snap` alone: bisection for where it leaves u."""

    def snapped(v):
        return parameter.snap(np.array([[v]]))[0, 0]

    found = []
    for end in (0.0, 1.0):
        inside, outside = u, end
        if snapped(outside) == u:
            continue
        while (middle := 0.5 * (inside + outside)) not in (inside, outside):
            inside, outside = (middle, outside) if snapped(middle) == u else (inside, middle)
        found.append(snapped(outside))
    return min(found), max(found)


@pytest.mark.parametrize("parameter", LATTICES, ids=repr)
def test_neighbours_are_those_that_probing_finds(parameter):
    levels = levels_of(parameter)
    drawn = np.random.default_rng(1).integers(0, parameter.count, 20)
    for k in [0, 1, parameter.count - 1, *drawn.tolist()]:
        u = parameter.to_unit(parameter.low + k)[0]
        assert tuple(sorted(_neighbours(u, levels))) == by_probing(parameter, u)


@pytest.mark.parametrize("high", [2**41, 10**300], ids=["2**41", "10**300"])
def test_a_wide_log_range_has_levels_as_far_as_they_are_told_apart(high):
    parameter = Int(1, high, log=True)
    levels = levels_of(parameter)
    assert levels.count == 2**40
    below, above = parameter.to_unit(2**40), parameter.to_unit(2**40 + 2**30)
    assert levels.index(np.concatenate([below, above, np.ones(1)])).tolist() == [2**40 - 1, 2**40, 2**40]
    assert Space(i=parameter).coordinates[0].ends == (parameter.to_unit(1)[0], 1.0)
    smooth = np.linspace(above[0], 1.0, 50)[:, None]
    assert np.array_equal(parameter.snap(smooth), smooth)
    cells = np.linspace(0.0, below[0], 50)[:, None]
    assert np.mean(parameter.snap(cells) == cells) < 0.5


def test_smooth_parameters_have_no_levels():
    assert levels_of(Int(0, 2**41)) is None
