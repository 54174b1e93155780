"""Leaders: where a limit on the rounds cuts a batch, the best runs go on."""

from itertools import pairwise

import numpy as np
import pytest

from suffice.solvers.search.gradient import conjugate, lbfgs
from suffice.solvers.search.mixed import polish
from suffice.solvers.search.surface import Surface
from suffice.space import UnitCube

each = pytest.mark.parametrize("search", [lbfgs, conjugate], ids=lambda search: search.__name__)
ROUNDS = 8


@pytest.fixture
def valley(scores):
    """A curved valley in four columns, which takes long to follow, with six starts."""
    alpha, X = scores.Rosenbrock(), np.random.default_rng(3).random((6, 4))
    return lambda search, max_iter, leaders=0, tol=1e-5: search(
        Surface(alpha, X, np.ones(4, dtype=bool)), max_iter, tol, leaders
    )


@each
def test_the_leader_reaches_the_top_that_the_rounds_alone_do_not(valley, search):
    cut, led, whole = valley(search, ROUNDS), valley(search, ROUNDS, 1), valley(search, None)
    assert cut.values.max() < -1e-3
    assert led.values.max() == pytest.approx(whole.values.max(), abs=1e-5)


@each
def test_the_others_end_where_they_would_have_without_a_leader(valley, search):
    cut, led = valley(search, ROUNDS), valley(search, ROUNDS, 1)
    leader = int(np.argmax(np.where(cut.cut, cut.values, -np.inf)))  # the best of those that were still going
    others = np.arange(6) != leader
    assert leader > 0
    assert led.values[leader] > cut.values[leader]
    assert np.array_equal(led.points[others], cut.points[others])
    assert np.array_equal(led.cut[others], cut.cut[others])
    assert (cut.cut[leader], led.cut[leader]) == (True, False)
    assert led.work.grads > cut.work.grads


@each
def test_more_leaders_go_further_and_all_of_them_are_the_whole_batch(valley, search):
    ends = [valley(search, ROUNDS, leaders) for leaders in (0, 1, 3, 6)]
    for fewer, more in pairwise(ends):
        assert np.all(more.values >= fewer.values)
        assert more.work.grads > fewer.work.grads
        assert more.cut.sum() < fewer.cut.sum()
    assert np.array_equal(ends[-1].points, valley(search, None).points)


@each
def test_without_a_limit_there_is_nothing_to_lead(valley, search):
    one, other = valley(search, None, 1), valley(search, None)
    assert np.array_equal(one.points, other.points)
    assert one.work == other.work


@each
def test_where_all_runs_have_arrived_a_leader_costs_nothing(scores, search):
    alpha, X = scores.Quadratic(np.eye(3), np.full(3, 0.4)), np.random.default_rng(0).random((5, 3))
    one, other = (polish(alpha, UnitCube(3), X, search=search, max_iter=50, leaders=n) for n in (1, 0))
    assert np.array_equal(one.points, other.points)
    assert one.work == other.work
    assert not one.cut.any()
