import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.candidates import halton, uniform
from suffice.solvers import Fixed, Grid, Linear
from suffice.solvers.drawing import largest
from suffice.space import Choice, Int, Space, UnitCube
from suffice.types import Status, Step


def step(t=3, dim=2):
    return Step(t, np.zeros((0, dim)))


def grid(solver, alpha, domain, seed=0, t=3):
    return solver(alpha, domain, step=step(t, domain.dim), rng=np.random.default_rng(seed))


def test_the_answer_is_the_best_of_the_points_that_were_drawn(scores):
    alpha, domain = scores.Bumps.random(2, np.random.default_rng(0)), UnitCube(2)
    X = uniform(300, domain, design=step().design, rng=np.random.default_rng(5))
    solution = grid(Grid(size=Linear(100)), alpha, domain, seed=5)
    order = np.argsort(-alpha(X))
    assert np.array_equal(solution.x, X[order[0]])
    assert np.array_equal(solution.draws.points, X[order[:10]])
    assert (solution.n_evals, solution.draws.n, solution.status) == (300, 300, Status.DONE)
    assert solution.draws.median == np.median(alpha(X[:100]))


def test_a_score_that_ranks_is_asked_to_rank_and_the_answer_is_the_same(scores):
    plain = scores.Bumps.random(2, np.random.default_rng(0))
    ranking = scores.Ranked(plain)
    with_top = grid(Grid(size=Fixed(400)), ranking, UnitCube(2))
    without = grid(Grid(size=Fixed(400)), plain, UnitCube(2))
    assert np.array_equal(with_top.x, without.x)
    assert np.array_equal(with_top.draws.points, without.draws.points)
    assert np.array_equal(with_top.draws.values, without.draws.values)
    assert with_top.draws.median == without.draws.median
    assert with_top.n_evals == without.n_evals == 400
    assert sum(map(len, ranking.valued)) < 200  # the others were never finished


def test_every_drawn_row_is_counted_once_however_often_it_is_used(scores):
    ranking = scores.Ranked(scores.Bumps.random(2, np.random.default_rng(0)))
    solution = grid(Grid(size=Fixed(400)), ranking, UnitCube(2))
    asked = np.concatenate(ranking.valued + ranking.topped)
    assert len(np.unique(asked, axis=0)) == solution.n_evals == 400


def test_a_point_without_a_value_is_behind_those_with_one():
    def alpha(X):
        return np.where(X[:, 0] > 0.9, np.nan, X[:, 0])

    drawn = uniform(300, UnitCube(2), design=step().design, rng=np.random.default_rng(0))
    assert grid(Grid(), alpha, UnitCube(2)).x[0] == drawn[drawn[:, 0] <= 0.9, 0].max()


def test_ties_go_to_the_first_point():
    first = uniform(300, UnitCube(2), design=step().design, rng=np.random.default_rng(0))[0]
    assert np.array_equal(grid(Grid(), lambda X: np.zeros(len(X)), UnitCube(2)).x, first)


def test_only_uniform_draws_are_called_independent(scores):
    alpha = scores.Bumps.random(2, np.random.default_rng(0))
    assert grid(Grid(), alpha, UnitCube(2)).draws.iid
    other = grid(Grid(candidates=halton), alpha, UnitCube(2)).draws
    assert not other.iid
    assert other.median is None


def test_a_finite_domain_that_fits_is_enumerated():
    domain = Space(depth=Int(1, 10), loss=Choice("a", "b", "c"))

    def alpha(X):
        return X @ np.arange(1.0, domain.dim + 1)

    solution = grid(Grid(size=Fixed(30)), alpha, domain)
    assert solution.value == alpha(domain.enumerate()).max()
    assert solution.n_evals == solution.draws.n == domain.size == 30
    assert not solution.draws.iid
    assert solution.draws.median == np.median(alpha(domain.enumerate()))
    assert grid(Grid(size=Fixed(29)), alpha, domain).draws.iid  # one point too many: drawn like any other


def test_the_keep_of_a_grid_is_at_least_one():
    with pytest.raises(ValueError, match="keep must be a whole number ≥ 1: got 0"):
        Grid(keep=0)


@settings(max_examples=200)
@given(
    values=st.lists(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 2.0, math.inf, math.nan]), min_size=1, max_size=12),
    k=st.integers(1, 15),
)
def test_the_largest_values_come_first_then_the_first_index_and_nan_last(values, k):
    numbers = [i for i, value in enumerate(values) if not math.isnan(value)]
    by_the_book = sorted(numbers, key=lambda i: (-values[i], i)) + sorted(set(range(len(values))) - set(numbers))
    assert largest(np.array(values), k).tolist() == by_the_book[:k]
