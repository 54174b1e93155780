"""The stairs of a front hold the volume that it dominates."""

import numpy as np
import pytest

from suffice.pareto import hypervolume
from suffice.plot.fronts import between, stairs


def area(corners):
    """Of a polygon, (k, 2)."""
    x, y = corners.T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_the_area_below_the_stairs_is_the_hypervolume(n):
    rng = np.random.default_rng(n)
    S, e = rng.random((n, 2)), np.array([0.1, 0.2])
    assert area(np.vstack([stairs(S, e), e])) == pytest.approx(hypervolume(S, e), abs=1e-12)


def test_the_area_between_two_stairs_is_the_difference_of_their_volumes():
    rng = np.random.default_rng(0)
    S, e = rng.random((20, 2)), np.zeros(2)
    better, worse = stairs(S + 0.2, e), stairs(S, e)
    wanted = hypervolume(S + 0.2, e) - hypervolume(S, e)
    assert area(between(better, worse)) == pytest.approx(wanted)


def test_every_corner_of_a_row_is_on_the_stairs_and_steps_go_one_way():
    S, e = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [1.5, 1.5]]), np.zeros(2)
    found = stairs(S, e)
    assert found.tolist() == [[0, 3], [1, 3], [1, 2], [2, 2], [2, 1], [3, 1], [3, 0]]
    assert stairs(np.empty((0, 2)), e).tolist() == [[0, 0]]
    assert stairs(np.array([[np.nan, 1.0], [-1.0, 5.0]]), e).tolist() == [[0, 0]]
