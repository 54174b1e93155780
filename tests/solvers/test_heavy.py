"""The heavy solver finds what the others find, and says truthfully what it drew."""

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate
from suffice.solvers import SOLVERS, Exhaustive
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.testing import Counted, Peak, peak_in, solve
from suffice.types import Score, Step

LIGHT = Exhaustive(draws=3000, near=300, starts=20)  # light enough for a test


def rugged(scores, dim, seed):
    rng = np.random.default_rng([dim, seed])
    lengths = (0.08 + 0.1 * rng.random(30)) * np.sqrt(dim)
    return scores.Bumps(rng.random((30, dim)), 0.5 + rng.random(30), lengths)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_it_is_at_least_as_good_as_every_other_solver(scores, dim):
    for seed in range(2):
        alpha = rugged(scores, dim, seed)
        step = Step(5, np.random.default_rng(seed).random((8, dim)))
        values = {
            name: make()(alpha, UnitCube(dim), step=step, rng=np.random.default_rng(7)).value
            for name, make in SOLVERS.items()
        }
        # Every local search stops within 1e-10 of what it gained.
        assert values["heavy"] >= max(values.values()) - 1e-9 * np.ptp(list(values.values())) - 1e-9


def test_every_observed_point_is_a_start():
    class Needle(Score):
        """Flat but for a ball around 0.37, where no draw and no neighbour of the incumbent is."""

        smooth = True

        def __call__(self, X):
            return self.value_and_grad(X)[0]

        def value_and_grad(self, X):
            D = X - 0.37
            inside = (D**2).sum(axis=1) < 0.03**2
            return np.where(inside, 1 - (D**2).sum(axis=1), 0.0), np.where(inside[:, None], -2 * D, 0.0)

    design = np.vstack([np.full(4, 0.9), np.full(4, 0.38)])
    solution = LIGHT(Needle(), UnitCube(4), step=Step(2, design), rng=np.random.default_rng(0))
    assert solution.value == pytest.approx(1.0)
    assert solution.draws.values[0] == 0.0


def test_the_draws_are_the_best_of_as_many_as_it_says(scores):
    alpha = rugged(scores, 2, 0)
    solution = LIGHT(alpha, UnitCube(2), step=Step(2, np.empty((0, 2))), rng=np.random.default_rng(3))
    X = np.random.default_rng(3).random((3000, 2))
    assert np.array_equal(solution.draws.values, np.sort(alpha(X))[::-1][:20])
    assert solution.draws.median == np.median(alpha(X[:1000]))


def test_every_row_is_counted_also_with_few_draws():
    alpha = Counted(Peak(np.full(2, 0.3)))
    solution = solve(Exhaustive(draws=60, near=10, starts=5), alpha, UnitCube(2))
    assert alpha.values + 3 * alpha.grads - solution.n_evals == 1
    assert solution.value == pytest.approx(0.0, abs=1e-9)


def test_finite_domains_up_to_twenty_thousand_points_are_enumerated():
    space = Space(depth=Int(1, 5000), loss=Choice("a", "b", "c", "d"))
    alpha = peak_in(space)
    solution = solve(LIGHT, alpha, space)
    assert (solution.value, solution.n_evals) == (0.0, 20_000)
    assert estimate(solution.draws, None, solution.x, solution.value, space).kind == "enumerated"


def test_a_lattice_is_climbed_by_exchanges():
    space = Space(depth=Int(1, 10**6), width=Int(1, 10**6))
    solution = solve(LIGHT, peak_in(space), space)
    assert (solution.starts.m > 0, solution.n_grads) == (True, 0)
    assert solution.draws.values[0] < solution.value == pytest.approx(0.0, abs=1e-9)


def test_a_mixed_space_is_climbed_inside_its_cells_and_between_them():
    space = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"))
    assert solve(LIGHT, peak_in(space), space).value == pytest.approx(0.0, abs=1e-9)
