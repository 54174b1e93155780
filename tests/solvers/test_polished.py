import numpy as np
import pytest

from suffice.solvers import LBFGSB, Fixed, Grid, Polished
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.types import Solution, Status, Step

MIXED = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"))


def solve(solver, alpha, domain, seed=0):
    return solver(alpha, domain, step=Step(1, np.zeros((0, domain.dim))), rng=np.random.default_rng(seed))


@pytest.mark.parametrize("domain", [UnitCube(1), UnitCube(3), MIXED], ids=["d=1", "d=3", "mixed"])
def test_polishing_never_returns_a_worse_point(scores, domain):
    for seed in range(20):
        alpha = scores.Bumps.random(domain.dim, np.random.default_rng(seed))
        coarse, fine = (solve(s, alpha, domain, seed) for s in (Grid(size=Fixed(30)), Polished(Grid(size=Fixed(30)))))
        assert fine.value >= coarse.value
        assert np.array_equal(fine.draws.points, coarse.draws.points)
        assert np.array_equal(fine.draws.values, coarse.draws.values)
        assert fine.n_evals > coarse.n_evals


def test_a_gradient_that_belongs_to_another_function_does_not_fool_it(scores):
    top = np.array([0.5, 0.5])
    true = scores.Quadratic(np.eye(2), top)
    alpha = scores.Pair(true, scores.Quadratic(np.eye(2), top + 0.1).value_and_grad)

    def at_the_top(alpha, domain, *, step, rng):
        return Solution(top, float(alpha(top[None])[0]), n_evals=1)

    solution = solve(Polished(at_the_top), alpha, UnitCube(2))
    assert np.array_equal(solution.x, top)
    assert solution.value == alpha(top[None])[0]


def test_the_best_draws_are_polished_and_counted(scores):
    alpha = scores.Bumps.random(2, np.random.default_rng(1))
    solution = solve(Polished(Grid(size=Fixed(100)), starts=4), alpha, UnitCube(2))
    assert (solution.starts.m, solution.starts.distinct) == (4, 1)
    assert solution.n_evals == 100 + 3 * solution.n_grads  # all four ends meet: no way between them is looked at
    assert solution.n_grads >= 4 * 2


def test_a_coarse_solver_that_says_nothing_about_its_draws_is_polished_from_its_point(scores):
    alpha = scores.Quadratic(np.eye(2), np.array([0.3, 0.8]))

    def middle(alpha, domain, *, step, rng):
        x = np.full(2, 0.5)
        return Solution(x, float(alpha(x[None])[0]), n_evals=1, status=Status.BUDGET)

    solution = solve(Polished(middle), alpha, UnitCube(2))
    assert solution.x == pytest.approx([0.3, 0.8], abs=1e-5)
    assert (solution.draws, solution.starts.m, solution.status) == (None, 1, Status.BUDGET)


def test_a_point_that_is_polished_already_stays_the_best(scores):
    alpha = scores.Bumps.random(3, np.random.default_rng(2))
    once, twice = (solve(s, alpha, UnitCube(3)) for s in (LBFGSB(), Polished(LBFGSB())))
    assert twice.value >= once.value
    assert twice.value == pytest.approx(once.value, rel=1e-8)


def test_a_domain_without_smooth_columns_gets_the_coarse_answer():
    domain = Space(depth=Int(1, 5), loss=Choice("a", "b", "c"))

    def alpha(X):
        return X @ np.arange(1.0, domain.dim + 1)

    coarse, fine = (solve(s, alpha, domain) for s in (Grid(), Polished(Grid())))
    assert np.array_equal(fine.x, coarse.x)
    assert (fine.n_evals, fine.starts) == (coarse.n_evals, None)


def test_a_limit_on_iterations_is_reported(scores):
    assert solve(Polished(max_iter=1), scores.Rosenbrock(), UnitCube(4)).status is Status.BUDGET


@pytest.mark.parametrize(("settings", "message"), [({"starts": 0}, ": starts must be"), ({"tol": 1.0}, " got tol=1.0")])
def test_settings_that_make_no_search_are_refused_by_name(settings, message):
    with pytest.raises(ValueError, match=f"Polished{message}"):
        Polished(**settings)
