import math

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, norm

from suffice.candidates import Local, local
from suffice.space import UnitCube

# Statistical checks below run on fixed streams and raise a false alarm with probability 1e-4 at most.
RARE = 1e-4


def around(x, n, domain=None, rule=local, seed=0):
    x = np.asarray(x, dtype=float)
    design = np.vstack((x, np.full_like(x, 0.9)))  # the second point must not matter
    return rule(n, domain or UnitCube(len(x)), design=design, rng=np.random.default_rng(seed))


def alone(n, scales=4):
    """The rows in which one coordinate moves alone: every other round through the scales."""
    return np.arange(n) // scales % 2 == 1


@pytest.mark.parametrize("x", [0.5, 0.45])  # at least 4.5 standard deviations from the faces: no reflection shows
def test_steps_have_the_stated_scales(x):
    X = around([x], 40_000)[:, 0]
    for i, scale in enumerate((1e-1, 1e-2, 1e-3, 1e-4)):
        assert kstest((X[i::4] - x) / scale, "norm").pvalue > RARE / 4


def test_steps_are_reflected_at_the_faces():
    X = around([0.05], 20_000, rule=Local(scales=(0.1,)))[:, 0]

    def folded(y):  # P(|0.05 + 0.1 z| <= y); the other face is nine standard deviations away
        return norm.cdf((y - 0.05) / 0.1) - norm.cdf((-y - 0.05) / 0.1)

    assert kstest(X, folded).pvalue > RARE
    assert X.min() > 0.0


def test_wide_steps_fill_the_cube_evenly():
    X = around([0.3], 10_000, rule=Local(scales=(50.0,)))[:, 0]
    assert kstest(X, "uniform").pvalue > RARE


@pytest.mark.parametrize("d", [1, 2, 15])
def test_every_other_round_moves_one_coordinate_and_the_rest_move_all(d):
    moved = (around(np.full(d, 0.4), 800) != 0.4).sum(axis=1)
    assert np.all(moved[alone(800)] == 1)
    assert np.all(moved[~alone(800)] == d)


def test_in_high_dimension_about_twenty_coordinates_move_at_once():
    moved = (around(np.full(200, 0.4), 4000) != 0.4).sum(axis=1)[~alone(4000)]
    # 1 + Binomial(199, 0.1): mean 20.9, standard deviation 4.2; the mean of 2000 has 0.095.
    assert moved.mean() == pytest.approx(20.9, abs=0.4)
    assert moved.min() >= 1


def test_every_coordinate_is_moved_alone_equally_often():
    moved = (around(np.full(5, 0.4), 8000) != 0.4)[alone(8000)]
    assert all(binomtest(int(count), 4000, 0.2).pvalue > RARE / 5 for count in moved.sum(axis=0))


def test_an_incumbent_on_a_face_can_slide_along_it_and_can_leave_it():
    X = around([0.0, 1.0, 0.5], 8000)
    assert not np.any((X == [0.0, 1.0, 0.5]).all(axis=1))
    together = X[~alone(8000)]
    # A third of the time it is the coordinate that has to move; otherwise it stays with probability one half.
    for column, face in ((0, 0.0), (1, 1.0)):
        assert binomtest(int(np.sum(together[:, column] == face)), len(together), 1 / 3).pvalue > RARE
    assert np.all((together[:, 2] > 0.0) & (together[:, 2] < 1.0))


def test_the_incumbent_itself_is_never_proposed(mixed):
    for x in mixed.sample(20, np.random.default_rng(0)):
        assert not np.any((around(x, 200, mixed) == x).all(axis=1))


def test_a_choice_switches_to_each_other_option_equally_often(mixed):
    X = around([0.5, 0.5, 0.0, 1.0, 0.0], 8000, mixed)
    options = X[:, 2:].argmax(axis=1)
    lonely, together = options[alone(8000)], options[~alone(8000)]
    # One of three coordinates has to move; among several, each choice also switches with probability one in three.
    assert binomtest(int(np.sum(lonely != 1)), 4000, 1 / 3).pvalue > RARE
    assert binomtest(int(np.sum(together != 1)), 4000, 1 - (2 / 3) ** 2).pvalue > RARE
    assert binomtest(int(np.sum(options == 0)), int(np.sum(options != 1)), 0.5).pvalue > RARE


def test_an_integer_moves_to_a_neighbour_at_fine_scales_and_further_at_coarse_ones(mixed):
    x = [0.5, 0.5, 1.0, 0.0, 0.0]
    fine = around(x, 6000, mixed, Local(scales=(1e-4,)))[:, 1]
    assert set(fine) == {0.25, 0.5, 0.75}
    assert binomtest(int(np.sum(fine != 0.5)), 6000, 1 / 3).pvalue > RARE
    assert binomtest(int(np.sum(fine == 0.25)), int(np.sum(fine != 0.5)), 0.5).pvalue > RARE
    assert set(around(x, 6000, mixed, Local(scales=(0.3,)))[:, 1]) == {0.0, 0.25, 0.5, 0.75, 1.0}


@pytest.mark.parametrize(("level", "neighbours"), [(0.0, {0.01}), (0.01, {0.0, 0.5}), (0.5, {0.01, 1.0}), (1.0, {0.5})])
def test_neighbours_on_an_uneven_lattice_are_found(level, neighbours, uneven):
    X = around([0.5, level, 1.0, 0.0, 0.0], 500, uneven, Local(scales=(1e-6,)))
    assert set(X[:, 1]) == {level} | neighbours


def test_the_same_stream_moves_with_the_incumbent():
    here, there = around([0.4, 0.4], 100), around([0.5, 0.6], 100)
    inside = np.all((np.abs(here - 0.4) < 0.4) & (np.abs(there - [0.5, 0.6]) < 0.4), axis=1)  # no reflection
    assert inside.sum() > 90
    assert there[inside] - [0.5, 0.6] == pytest.approx(here[inside] - [0.4, 0.4], abs=1e-12)


@pytest.mark.parametrize("scales", [(), (0.1, 0.0), (-1.0,), (0.1, math.nan), (math.inf,)])
def test_impossible_scales_are_refused(scales):
    with pytest.raises(ValueError, match="positive, finite step sizes"):
        Local(scales=scales)
