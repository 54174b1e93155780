"""Generators of initial points as objects."""

import numpy as np
import pytest

from suffice.compat.skopt import Optimizer, gp_minimize
from suffice.compat.skopt.sampler import (
    Grid,
    Halton,
    Hammersly,
    InitialPointGenerator,
    Lhs,
    Sobol,
)
from suffice.compat.skopt.space import Integer, Space
from suffice.compat.skopt.utils import cook_initial_point_generator

SPACE = Space([(-5.0, 10.0), (0, 15), ["a", "b"]])


@pytest.mark.parametrize("kind", [Sobol, Lhs, Halton, Hammersly, Grid])
def test_a_generator_makes_points_of_the_space(kind):
    points = kind().generate(SPACE.dimensions, 12, random_state=0)
    assert len(points) == 12
    assert all(point in SPACE for point in points)
    assert points == kind().generate(SPACE.dimensions, 12, random_state=0)
    assert kind().generate(SPACE.dimensions, 0) == []
    assert kind().generate([["only"]], 2) == [["only"], ["only"]]


def test_settings_are_kept():
    assert Lhs(lhs_type="centered", criterion="maximin", iterations=10).criterion == "maximin"
    made = cook_initial_point_generator("lhs", lhs_type="classic", criterion=None)
    assert isinstance(made, Lhs)
    assert made.lhs_type == "classic"
    assert cook_initial_point_generator("random") is None
    with pytest.raises(ValueError, match="'sobol'"):
        cook_initial_point_generator("dice")


def test_a_latin_hypercube_has_a_point_in_every_stratum():
    X = np.array(Lhs().generate([(0.0, 1.0), (0.0, 1.0)], 10, random_state=1))
    assert [sorted((10 * column).astype(int)) for column in X.T] == [list(range(10))] * 2


def test_one_of_your_own_decides_where_a_run_begins():
    class Corners(InitialPointGenerator):
        def generate(self, dimensions, n_samples, random_state=None):
            return [[dimension.bounds[i % 2] for dimension in dimensions] for i in range(n_samples)]

    result = gp_minimize(
        sum, [(0.0, 1.0), Integer(1, 3)], n_calls=3, n_initial_points=2, initial_point_generator=Corners()
    )
    assert result.x_iters[:2] == [[0.0, 1], [1.0, 3]]
    with pytest.raises(NotImplementedError, match="generate"):
        InitialPointGenerator().generate([], 1)


def test_the_points_of_a_generator_satisfy_the_constraint():
    optimizer = Optimizer(
        [(0.0, 1.0), (0.0, 1.0)],
        initial_point_generator=Halton(),
        n_initial_points=8,
        space_constraint=lambda x: x[0] + x[1] < 0.5,
    )
    assert all(sum(x) < 0.5 for x in optimizer.ask(8))
