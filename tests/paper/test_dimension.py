"""The holes of a random grid: known on a line, smaller the more points there are, larger the more dimensions."""

import math

import numpy as np
import pytest

from suffice.lab.plan import Plan, Task
from suffice.paper.fill import fill_distance, fill_distances


def plan(*tasks):
    return Plan("toy", "Toy", "…", tuple(Task(problem, 4, iterations) for problem, iterations in tasks), ())


def test_on_a_line_the_largest_hole_is_half_the_largest_gap_or_an_end():
    ((d, n, h),) = fill_distances(plan(("levy1", 2)), seed=3)
    x = np.sort(np.random.default_rng([3, 1]).random(200))
    assert (d, n) == (1, 200)
    assert h == pytest.approx(max(x[0], 1 - x[-1], *(np.diff(x) / 2)), rel=1e-14)


def test_holes_shrink_as_the_grid_grows():
    """The draws of a smaller grid are the first ones of a larger, so that no hole can get larger."""
    for problem in ("levy2", "levy3"):
        rows = [fill_distances(plan((problem, iterations)))[0] for iterations in (1, 2, 5)]
        assert [n for _, n, _ in rows] == [100, 200, 500]
        sizes = [h for *_, h in rows]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 1.2 * sizes[-1]


def test_holes_of_as_many_points_grow_with_the_dimension():
    rows = fill_distances(plan(*((f"levy{d}", 1) for d in (1, 2, 3, 4, 7))))
    sizes = [h for *_, h in rows]
    assert [(d, n) for d, n, _ in rows] == [(1, 100), (2, 100), (3, 100), (4, 100), (7, 100)]
    assert sizes == sorted(sizes)
    for d, n, h in rows[:-1]:
        ball = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
        assert n * ball * h**d >= 1  # balls of this radius cover the cube


def test_beyond_four_dimensions_the_size_is_a_lower_bound_and_close():
    ((d, n, found),) = fill_distances(plan(("levy5", 1)))
    exact = fill_distance(np.random.default_rng([0, d]).random((n, d)))
    assert 0.95 * exact <= found <= exact * (1 + 1e-9)


def test_the_seed_decides():
    one, again, other = (fill_distances(plan(("levy2", 1)), seed=seed) for seed in (0, 0, 1))
    assert one == again != other
