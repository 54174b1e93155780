"""The pursuit of one maximum: which points are drawn, which runs start from them, and what is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.solvers import Adaptive, polish
from suffice.solvers.adaptive import KEEP, ROUNDS, Pursuit, more_runs
from suffice.solvers.record import COVERED, ON_FACES, spread_out
from suffice.space import UnitCube
from suffice.testing import Counted, peak_in
from suffice.types import Ledger, Status, Step

DEBT = Ledger(inaccuracies=1e6)


def pursuit(alpha, dim, seed=0, n=0):
    design = np.random.default_rng(99).random((n, dim))
    return Pursuit(alpha, UnitCube(dim), Step(5, design), np.random.default_rng(seed))


def test_the_draws_double_and_every_block_is_a_look(rugged, solved):
    solution = solved(rugged(6, 0), 6)
    assert solution.draws.looks > 2
    assert solution.draws.n == 200 * 2 ** (solution.draws.looks - 1)
    assert len(solution.draws.values) == KEEP


def test_the_first_batch_is_small(rugged, solved):
    # From the best draw, the best observed points that lie apart (two), draws around some (six) and faces (two).
    solution = solved(rugged(4, 0), 4, solver=Adaptive(share=1e6))
    assert (solution.draws.n, solution.draws.looks, solution.starts.m) == (200, 1, 11)
    assert solution.status is Status.DONE


def test_the_best_draws_of_all_blocks_are_kept(rugged, scores, solved):
    alpha, seen = rugged(6, 0), []

    class Watched(scores.Wide):
        def __call__(self, X):
            seen.append((X, super().__call__(X)))
            return seen[-1][1]

    solution = solved(Watched(alpha.score), 6, ledger=DEBT)
    rng = np.random.default_rng(0)
    first = UnitCube(6).sample(200, rng)
    assert np.array_equal(seen[0][0], first)
    kept = {tuple(x) for X, _ in seen for x in X if len(X) in (200, 400, 800, 1600)}
    assert all(tuple(x) in kept for x in solution.draws.points)
    assert np.all(np.diff(solution.draws.values) <= 0)
    assert solution.draws.median == np.median(seen[0][1])


def test_no_draw_is_climbed_from_twice_and_the_best_of_each_slope_come_first(rugged):
    search = pursuit(rugged(3, 1), 3)
    search.draw(100)
    best = search.points.copy()
    search.climb(3 + ON_FACES)
    first = np.flatnonzero(search.climbed)
    assert np.array_equal(first, spread_out(best, 3, 100))
    assert first[0] == 0
    search.climb(4)
    assert search.climbed[first].all()
    assert search.climbed.sum() == 7
    climbed = {tuple(x) for x in best[search.climbed]}
    search.draw(100)
    again = {tuple(x) for x in search.points[search.climbed]}
    assert again <= climbed  # some may have been pushed out by better draws


@given(st.integers(0, 64), st.integers(1, 20), st.integers(64, 2000), st.integers(0, 3))
def test_runs_start_apart_and_from_all_draws_before_any_is_left_out(m, k, n, p):
    Z = np.random.default_rng(m).random((m, p))
    r = 0.5 * min(1.0, COVERED / n) ** (1.0 / max(1, p))
    heads: list = []
    for i in range(m):
        if p and all(np.abs(Z[i] - Z[j]).max() > r for j in heads):
            heads.append(i)
    others = [i for i in range(m) if i not in heads]
    assert spread_out(Z, k, n).tolist() == (heads + others)[:k]


def test_runs_are_those_that_ended_at_a_number_and_hills_no_more_than_these(rugged):
    search = pursuit(rugged(3, 1), 3, n=10)
    search.draw(100)
    search.climb(11 + ON_FACES)  # eight of the others from what is known
    assert search.starts.m == len(search.ends) == 11 + ON_FACES
    assert search.climbed.sum() == 3
    search.climb(5)
    assert search.starts.m == 16 + ON_FACES
    assert search.starts.distinct <= 16 + ON_FACES


def test_the_value_never_falls_and_is_that_of_the_point(rugged):
    alpha = rugged(3, 2)
    search, values = pursuit(alpha, 3, n=4), []
    for _ in range(4):
        search.draw(100)
        values.append(search.value)
        search.climb(4)
        values.append(search.value)
        assert search.value == pytest.approx(alpha(search.x[None])[0], rel=1e-12)
        assert search.value >= search.end_values.max()
    assert values == sorted(values)


@pytest.mark.parametrize("dim", [4, 8])
def test_the_best_run_of_the_first_batch_arrives_however_long_the_way(scores, dim):
    alpha = scores.Rosenbrock()  # a curved valley: ten rounds end far from its top
    search = pursuit(alpha, dim, n=4)
    search.draw(100)
    search.climb(3)
    whole = polish(alpha, UnitCube(dim), search.x[None]).values[0]
    assert whole - search.value <= 1e-5 * search.spread
    short = polish(alpha, UnitCube(dim), search.points[:3], max_iter=ROUNDS).values.max()
    assert whole - short > 1e-4 * search.spread


def test_the_spread_is_measured_from_the_median_of_the_first_draws(rugged):
    alpha = rugged(3, 2)
    search = pursuit(alpha, 3)
    search.draw(100)
    middle = np.median(alpha(UnitCube(3).sample(100, np.random.default_rng(0))))
    search.draw(300)
    assert search.median == middle
    assert search.spread == search.value - middle


@pytest.mark.parametrize("dim", [1, 3])
def test_every_row_is_counted_once_whatever_the_steps(dim):
    alpha = Counted(peak_in(UnitCube(dim)))
    search = pursuit(alpha, dim, n=4)
    for n, runs in ((50, 2), (80, 5), (16, 1)):
        search.draw(n)
        search.climb(runs)
    assert (search.work.values, search.work.grads) == (alpha.values, alpha.grads)


def test_more_runs_are_asked_for_the_less_may_be_left(rugged):
    search = pursuit(rugged(3, 1), 3)
    search.draw(100)
    search.climb(3)
    asked = [more_runs(search, part * search.spread) for part in (1.0, 0.01, 0.001, 1e-6, 0.0)]
    assert asked == sorted(asked)
    assert (asked[0] < 5, asked[-1]) == (True, KEEP)
