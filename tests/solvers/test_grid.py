import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.candidates import halton, uniform
from suffice.solvers import Fixed, Grid, Linear
from suffice.solvers.record import largest
from suffice.space import Choice, Float, Int, Space, UnitCube
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


# ------------------------------------------------------------------ around the best observed points

MIXED = Space(x=Float(0, 1), n=Int(1, 9), c=Choice("a", "b", "c"))


@pytest.mark.parametrize("domain", [UnitCube(2), MIXED], ids=["cube", "mixed"])
def test_looking_around_leaves_the_draws_as_they_are_and_never_takes_a_worse_point(scores, domain):
    for seed in range(10):
        alpha = scores.Bumps.random(domain.dim, np.random.default_rng(seed))
        known = Step(3, domain.sample(4, np.random.default_rng(seed + 100)))
        near, plain = (
            Grid(size=Fixed(50), near=near)(alpha, domain, step=known, rng=np.random.default_rng(seed))
            for near in (True, False)
        )
        assert np.array_equal(near.draws.points, plain.draws.points)
        assert (near.draws.n, near.draws.median) == (plain.draws.n, plain.draws.median) == (50, plain.draws.median)
        assert near.value >= plain.value == plain.draws.values[0]
        assert near.n_evals > plain.n_evals == 50
        assert near.starts is plain.starts is None
        assert domain.contains(near.x[None]).all()


def test_the_discrete_values_of_the_best_draw_are_exchanged():
    cell = MIXED.to_unit({"x": 0.0, "n": 4, "c": "b"})[1:]

    def alpha(X):
        wrong = np.stack([X[:, 1] != cell[0], (X[:, 2:] != cell[1:]).any(axis=1)]).sum(axis=0)
        return -0.1 * wrong - (X[:, 0] - 0.5) ** 2

    # Eight draws among 27 cells: the best of them is one exchange away from the best cell in most streams.
    found = [
        [grid(Grid(size=Fixed(8), near=near), alpha, MIXED, seed=seed).value > -0.1 for seed in range(40)]
        for near in (True, False)
    ]
    assert sum(found[0]) > 1.5 * sum(found[1])
    assert np.all(np.array(found[0]) >= np.array(found[1]))


def test_after_the_deadline_nothing_is_looked_at_beside_the_draws(scores):
    alpha = scores.Bumps.random(2, np.random.default_rng(0))
    late = Step(3, np.full((1, 2), 0.5), deadline=time.monotonic() - 1.0)
    solution = Grid(size=Fixed(50))(alpha, UnitCube(2), step=late, rng=np.random.default_rng(0))
    assert (solution.n_evals, solution.value) == (50, solution.draws.values[0])


@pytest.mark.parametrize("wrong", [1, None, "yes"])
def test_whether_a_grid_looks_around_is_true_or_false(wrong):
    with pytest.raises(TypeError, match="near must be True or False"):
        Grid(near=wrong)


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
