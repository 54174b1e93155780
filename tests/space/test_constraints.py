"""Known constraints: only points that satisfy them are proposed."""

import math

import numpy as np
import pytest

from suffice.errors import NoFeasiblePoint, SpaceAbsent
from suffice.record.encoding import from_spec, to_spec
from suffice.space import Choice, Float, Int, Space


def triangle(point):
    return point["x"] + point["y"] <= 1


TRIANGLE = Space(x=Float(0, 1), y=Float(0, 1), where=triangle)


def test_draws_are_uniform_on_what_is_left():
    X = TRIANGLE.sample(4000, np.random.default_rng(0))
    assert np.all(X.sum(axis=1) <= 1)
    assert abs(np.mean(X.sum(axis=1) <= 0.5) - 0.25) < 0.035  # 5 deviations
    assert TRIANGLE._domain.share == pytest.approx(0.5, abs=0.12)


def test_a_row_outside_goes_to_the_constraint_and_one_inside_stays():
    outside = np.array([[0.9, 0.9], [1.0, 0.2], [0.5, 0.5], [0.1, 0.2]])
    snapped = TRIANGLE.snap(outside)
    assert np.all(snapped[:2].sum(axis=1) == pytest.approx(1.0, abs=1e-3))
    assert np.array_equal(snapped[2:], outside[2:])
    way = TRIANGLE.towards(np.array([[1.0, 1.0]]), np.array([[0.0, 0.0]]))
    assert way[0] == pytest.approx([0.5, 0.5], abs=1e-3)


def test_low_discrepancy_points_stay_where_they_are_if_they_satisfy_the_constraint():
    U = np.random.default_rng(1).random((200, 2))
    X = TRIANGLE.place(U)
    kept = U.sum(axis=1) <= 1
    assert np.array_equal(X[kept], U[kept])
    assert TRIANGLE.contains(X).all()
    assert len(np.unique(X, axis=0)) == 200


def test_a_space_in_which_nothing_is_feasible_says_how_little_there_can_be():
    with pytest.raises(NoFeasiblePoint, match=r"none of 100000 random points .* less than 3e-05 of the space"):
        Space(x=Float(0, 1), where=lambda p: p["x"] == 0.123).sample(1, np.random.default_rng(0))
    with pytest.raises(NoFeasiblePoint, match="none of the 100 points of the space satisfies never"):
        Space(i=Int(1, 10), j=Int(1, 10), where=never).sample(1, np.random.default_rng(0))


def never(point):
    return False


def test_a_small_feasible_share_is_still_sampled():
    space = Space({f"x{j}": Float(0, 1) for j in range(3)}, where=lambda p: sum(p.values()) <= 0.1)  # 1.7e-4
    X = space.sample(300, np.random.default_rng(2))
    assert space.contains(X).all()
    assert len(np.unique(X, axis=0)) > 200


def test_a_finite_space_has_the_points_that_satisfy_its_constraint():
    space = Space(i=Int(0, 9), j=Int(0, 9), c=Choice("a", "b"), where=lambda p: p["i"] * p["j"] == 12)
    assert space.size == 8
    assert {(p["i"], p["j"]) for p in space.points(space.enumerate())} == {(2, 6), (3, 4), (4, 3), (6, 2)}
    assert np.array_equal(space.enumerate(3, 5), space.enumerate()[3:5])
    assert math.isinf(Space(i=Int(0, 9999), j=Int(0, 9999), where=lambda p: p["i"] < p["j"]).size)


def test_an_error_in_a_constraint_comes_with_its_name_and_the_point():
    def misspelled(point):
        return point["z"] > 0

    with pytest.raises(ValueError, match=r"constraint misspelled failed at the point \{'x': .*KeyError: 'z'; .*get"):
        Space(x=Float(0, 1), where=misspelled).sample(1, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"must return True or False: got 0\.[0-9]+ of type float"):
        Space(x=Float(0, 1), where=lambda p: p["x"]).sample(1, np.random.default_rng(0))
    with pytest.raises(TypeError, match="where must be a function of a point"):
        Space(x=Float(0, 1), where=0.5)


def test_a_point_that_does_not_satisfy_it_is_no_point():
    with pytest.raises(ValueError, match=r"the point \{'x': 0.9, 'y': 0.9\} does not satisfy the constraint triangle"):
        TRIANGLE.to_unit({"x": 0.9, "y": 0.9})
    assert not TRIANGLE.contains(np.array([[0.9, 0.9]]))[0]


def test_parameters_without_names_have_constraints_too():
    space = Space.positional((0, 1), (0, 1), where=[lambda p: p[0] > p[1], lambda p: p[0] < 0.5])
    X = space.sample(50, np.random.default_rng(3))
    assert np.all((X[:, 0] > X[:, 1]) & (X[:, 0] < 0.5))


def test_a_saved_space_keeps_the_words_of_its_constraint_and_reads_points_without_it():
    again = from_spec(to_spec(TRIANGLE))
    assert again.params == TRIANGLE.params
    assert np.array_equal(again.to_unit({"x": 0.2, "y": 0.3}), [0.2, 0.3])
    with pytest.raises(SpaceAbsent, match="saved with the constraint 'triangle', but a file cannot hold a function"):
        again.sample(1, np.random.default_rng(0))
    assert again.with_where(triangle) == TRIANGLE
    assert repr(TRIANGLE).endswith("where=triangle)")


def test_a_constraint_without_a_name_is_called_by_its_source():
    first, second = (Space(x=Float(0, 1), where=w) for w in (lambda p: p["x"] > 0.5, lambda p: p["x"] < (0.5 + 0.1)))
    assert repr(first).endswith("""where=lambda p: p["x"] > 0.5)""")
    assert repr(second).endswith("""where=lambda p: p["x"] < (0.5 + 0.1))""")
