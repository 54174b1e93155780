import math

import numpy as np
import pytest

from suffice.paper.solvers import SciPyLBFGSB
from suffice.solvers import CG, LBFGSB, NelderMead
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.types import Score, Status, Step

CLASSES = [LBFGSB, CG, NelderMead, SciPyLBFGSB]
each = pytest.mark.parametrize("make", CLASSES)


def solve(solver, alpha, domain, seed=0):
    return solver(alpha, domain, step=Step(1, np.zeros((0, domain.dim))), rng=np.random.default_rng(seed))


@each
def test_every_solver_finds_the_highest_of_several_hills(scores, make):
    rng = np.random.default_rng(0)
    for _ in range(3):
        alpha = scores.Bumps.random(2, rng)
        grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), axis=-1).reshape(-1, 2)
        solution = solve(make(), alpha, UnitCube(2))
        assert solution.value >= alpha(grid).max()
        assert solution.status is Status.DONE


@each
def test_screening_starts_from_the_best_draws(scores, make):
    bumps, asked = scores.Bumps.random(2, np.random.default_rng(1)), []

    def values(X):
        asked.extend(map(tuple, X))
        return bumps(X)

    def value_and_grad(X):
        asked.extend(map(tuple, X))
        return bumps.value_and_grad(X)

    alpha = scores.Pair(values, value_and_grad)
    solution = solve(make(starts=3, screen=200), alpha, UnitCube(2), seed=4)
    searched = set(asked[200:])
    X = UnitCube(2).sample(200, np.random.default_rng(4))
    order = np.argsort(-alpha(X))
    assert [tuple(x) in searched for x in X[order[:5]]] == [True, True, True, False, False]
    assert np.array_equal(solution.draws.points, X[order[:10]])
    assert solution.draws.iid
    assert solution.draws.n == 200
    assert solution.draws.median == np.median(alpha(X[:100]))
    assert solution.starts.m == 3
    assert solution.value >= alpha(X).max()


@each
def test_without_screening_the_starts_are_the_draws(scores, make):
    alpha = scores.Bumps.random(2, np.random.default_rng(1))
    solution = solve(make(starts=12, screen=0), alpha, UnitCube(2), seed=4)
    X = UnitCube(2).sample(12, np.random.default_rng(4))
    assert solution.draws.n == solution.starts.m == 12
    assert solution.draws.values == pytest.approx(np.sort(alpha(X))[::-1], rel=1e-14)
    assert solution.draws.median == pytest.approx(np.median(alpha(X)), rel=1e-14)


@each
def test_a_limit_on_iterations_is_reported(scores, make):
    stopped = solve(make(starts=4, screen=0, max_iter=2), scores.Rosenbrock(), UnitCube(4))
    assert stopped.status is Status.BUDGET
    assert stopped.value > stopped.draws.values[0]  # the best point so far, not the start


@each
def test_a_flat_score_has_nowhere_to_go(make):
    class Flat(Score):
        smooth = True

        def __call__(self, X):
            return np.ones(len(X))

        def value_and_grad(self, X):
            return self(X), np.zeros_like(X)

    assert solve(make(), Flat(), UnitCube(3)).status is Status.NO_DESCENT


@each
def test_all_gradient_solvers_use_values_only_if_there_is_no_gradient(scores, make):
    bumps = scores.Bumps.random(2, np.random.default_rng(1))
    plain = solve(make(), lambda X: bumps(X), UnitCube(2))
    direct = solve(NelderMead(), bumps, UnitCube(2))
    assert np.array_equal(plain.x, direct.x)
    assert (plain.n_grads, plain.n_evals) == (0, direct.n_evals)


@each
def test_a_finite_domain_too_large_to_enumerate_is_searched_by_exchanges(make):
    domain = Space(a=Int(1, 100), b=Int(1, 100), c=Choice("x", "y"))

    def alpha(X):
        return -np.abs(X - 0.3).sum(axis=1)

    solution = solve(make(screen=300), alpha, domain, seed=2)
    drawn, every = alpha(domain.sample(300, np.random.default_rng(2))), alpha(domain.enumerate())
    assert solution.draws.values[0] == drawn.max() < solution.value == every.max()
    assert (solution.n_grads, solution.status) == (0, Status.DONE)
    assert 300 < solution.n_evals < domain.size / 4


@each
def test_mixed_spaces_are_polished_in_the_best_cells(scores, make):
    domain = Space(rate=Float(0.0, 1.0), depth=Int(1, 3), loss=Choice("a", "b"))
    top = domain.sample(1, np.random.default_rng(3))[0]
    alpha = scores.Quadratic(np.eye(domain.dim), top)
    assert solve(make(), alpha, domain).x == pytest.approx(top, abs=1e-4)


@each
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"starts": 0}, ": starts must be a whole number ≥ 1: got 0"),
        ({"starts": 2.5}, ": starts must be a whole number ≥ 1: got 2.5"),
        ({"screen": 5}, " got screen=5"),
        ({"screen": -1}, ": screen must be a whole number ≥ 0: got -1"),
        ({"max_iter": 0}, ": max_iter must be a whole number ≥ 1: got 0"),
        ({"tol": 0.0}, " got tol=0.0"),
        ({"tol": math.nan}, " got tol=nan"),
    ],
)
def test_settings_that_make_no_search_are_refused_by_name(make, settings, message):
    with pytest.raises(ValueError, match=make.__name__ + message):
        make(**settings)
