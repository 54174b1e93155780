"""Exchange moves: members that differ in one discrete value, near and far."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.solvers.search.mixed import FEW, exchanges
from suffice.space import Choice, Float, Int, PointSet, Space, UnitCube, domain
from suffice.types import smooth_columns

SPACES = {
    "mixed": Space(rate=Float(0, 1), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0, 1)),
    "lattice": Space(depth=Int(0, 10**6), width=Int(1, 10**4, log=True), loss=Choice("a", "b")),
    "wide": Space(width=Int(1, 10**300, log=True), x=Float(0, 1)),
    "orders": Space(order=Choice(*permutations("abcd")), n=Int(1, 20)),
    "options": Space(a=Choice("u", "v"), b=Choice(*range(7)), c=Choice(1, 2, 4, 8)),
}
each_space = pytest.mark.parametrize("name", SPACES)


def differing(space, x, others):
    """In which of the coordinates each row differs from x, (k, number of coordinates)."""
    return np.stack([(others[:, c.columns] != x[c.columns]).any(axis=1) for c in space.coordinates], axis=1)


@each_space
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), a=st.integers(1, 5))
def test_an_exchange_is_a_member_that_differs_in_one_discrete_value(name, seed, a):
    space = SPACES[name]
    X = space.sample(a, np.random.default_rng(seed))
    owner, others = exchanges(X, space)
    assert len(owner) == len(others) > 0
    assert np.all(np.diff(owner) >= 0)
    assert set(owner) <= set(range(a))
    assert space.contains(others).all()
    smooth = smooth_columns(space)
    for i, x in enumerate(X):
        mine = others[owner == i]
        assert np.array_equal(differing(space, x, mine).sum(axis=1), np.ones(len(mine)))
        assert np.array_equal(mine[:, smooth], np.tile(x[smooth], (len(mine), 1)))


@each_space
def test_the_moves_of_a_point_do_not_depend_on_the_others(name):
    space = SPACES[name]
    X = space.sample(4, np.random.default_rng(0))
    owner, others = exchanges(X, space)
    for i, x in enumerate(X):
        assert np.array_equal(others[owner == i], exchanges(x[None], space)[1])


def values_offered(space, x, name):
    """The values of one parameter in the moves from x that change it."""
    _, others = exchanges(x[None], space)
    found = [space.from_unit(other)[name] for other in others]
    return {value for value in found if value != space.from_unit(x)[name]}


def test_every_option_of_a_choice_and_every_level_of_a_small_integer_is_offered():
    small = Space(n=Int(3, 2 + FEW), c=Choice(*range(40)), x=Float(0, 1), order=Choice(*permutations("abcde")))
    x = small.to_unit({"n": 7, "c": 11, "x": 0.3, "order": ("c", "a", "b", "e", "d")})
    assert values_offered(small, x, "n") == set(range(3, 3 + FEW)) - {7}
    assert values_offered(small, x, "c") == set(range(40)) - {11}
    assert values_offered(small, x, "order") == set(permutations("abcde")) - {("c", "a", "b", "e", "d")}


@pytest.mark.parametrize("here", [0, 1, 500, 999, 1000])
def test_of_many_levels_the_near_and_the_far_ones_are_offered(here):
    space = Space(n=Int(0, 1000), x=Float(0, 1))
    offered = values_offered(space, space.to_unit({"n": here, "x": 0.5}), "n")
    near = {n for n in (here - 2, here - 1, here + 1, here + 2) if 0 <= n <= 1000}
    assert near <= offered
    assert max(abs(n - here) for n in offered) >= 500  # half of the way at least, so that a second step gets anywhere
    assert len(offered) <= 20


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_chain_of_moves_leads_from_any_level_to_any_other(start, goal):
    space = Space(n=Int(0, 10**6), x=Float(0, 1))
    x = space.to_unit({"n": start, "x": 0.5})
    for _ in range(21):  # each step halves the distance at least
        if space.from_unit(x)["n"] == goal:
            break
        _, others = exchanges(x[None], space)
        away = [abs(space.from_unit(other)["n"] - goal) for other in others]
        x = others[int(np.argmin(away))]
    assert space.from_unit(x)["n"] == goal


def test_where_no_single_value_can_be_replaced_there_is_no_exchange():
    points = PointSet(np.random.default_rng(0).random((9, 2)))
    for place, X in ((UnitCube(2), np.full((3, 2), 0.5)), (points, points.points[:3])):
        owner, others = exchanges(X, place)
        assert owner.shape == (0,)
        assert others.shape == (0, 2)
    one = Space(c=Choice("only"), x=Float(0, 1))
    assert len(exchanges(one.sample(2, np.random.default_rng(0)), one)[1]) == 0


def test_no_rows_have_no_exchanges():
    space = SPACES["mixed"]
    owner, others = exchanges(np.empty((0, space.dim)), space)
    assert (owner.shape, others.shape) == ((0,), (0, space.dim))


@pytest.mark.parametrize("a", [1, 9])
def test_however_many_options_there_are_the_moves_fit_into_one_batch(a):
    space = Space(b=Choice(*range(3000)), c=Choice(*range(3000)), n=Int(0, 10**9))
    _, others = exchanges(space.sample(a, np.random.default_rng(0)), space)
    assert 0 < others.size <= domain.HELD


def test_moves_in_a_conditional_space_are_made_members_all_at_once(monkeypatch):
    """One by one, thirty parameters took five times as long; and what a member lacks is not exchanged at all."""
    space = Space(
        layers=Int(1, 3), b=Int(1, 4, when={"layers": (2, 3)}), c=Choice("u", "v", when={"layers": 3}), x=Float(0, 1)
    )
    X, calls, towards = space.sample(8, np.random.default_rng(0)), [], Space.towards
    owner, others = exchanges(X, space)
    one_by_one = [
        row
        for x in X
        for coordinate in space.coordinates
        if not coordinate.smooth
        for row in _replaced(space, x, coordinate)
        if (row != x).any()
    ]
    assert np.array_equal(others, one_by_one)
    monkeypatch.setattr(Space, "towards", lambda *args: (calls.append(len(args[1])), towards(*args))[1])
    exchanges(X, space)
    assert calls == [sum(3 + 4 * (n > 1) + 2 * (n > 2) for n in (space.from_unit(x)["layers"] for x in X))]
    assert np.all(np.diff(owner) >= 0)


def _replaced(space, x, coordinate):
    values = np.eye(2) if coordinate.levels is None else coordinate.levels.at(np.arange(coordinate.levels.count))
    for value in values:
        row = x.copy()
        row[coordinate.columns] = value
        yield space.snap(row[None])[0]
