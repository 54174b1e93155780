"""The solver that is wrong on purpose: by as much as it is told, on any surface."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate, relative_gap
from suffice.paper.solvers import Degraded
from suffice.solvers import LBFGSB, Adaptive, Exhaustive, Fixed, Grid
from suffice.space import UnitCube
from suffice.testing.fakes import (
    MIXED,
    Counted,
    HalfKnown,
    Peak,
    peak_in,
)
from suffice.types import Score, Step


@dataclass(frozen=True)
class Ripples(Score):
    """Σ cos(7 x_j) − (x_j − 0.3)²: many maxima, and no gradient."""

    def __call__(self, X):
        return (np.cos(7.0 * X) - (X - 0.3) ** 2).sum(axis=1)


@dataclass(frozen=True)
class Needle(Score):
    """exp(−50 |x − 0.8|²): flat almost everywhere, so that the median says nothing about the peak."""

    def __call__(self, X):
        return np.exp(-50.0 * ((X - 0.8) ** 2).sum(axis=1))


LINE = np.linspace(0.0, 1.0, 100_001)[:, None]
SURFACES = {  # score, domain, maximum
    "peak on a line": (Peak(np.array([0.3])), UnitCube(1), 0.0),
    "peak": (Peak(np.array([0.3, 0.7])), UnitCube(2), 0.0),
    "corner": (Peak(np.ones(5)), UnitCube(5), 0.0),
    "ripples": (Ripples(), UnitCube(3), 3 * Ripples()(LINE).max()),  # a sum over the columns
    "needle": (Needle(), UnitCube(4), 1.0),
    "mixed": (peak_in(MIXED), MIXED, 0.0),
    "other units": (Peak(np.array([0.3, 0.7]), scale=1e6, height=1e3), UnitCube(2), 1e9),
}


def solve(solver, alpha, domain, t=1, seed=0):
    step = Step(t, domain.sample(5, np.random.default_rng(1)))
    return solver(alpha, domain, step=step, rng=np.random.default_rng(seed))


@pytest.fixture(scope="module", params=SURFACES)
def surface(request):
    """A score, its domain, its median over the domain and its maximum."""
    alpha, domain, top = SURFACES[request.param]
    return alpha, domain, np.median(alpha(domain.sample(100_000, np.random.default_rng(2)))), top


@pytest.mark.parametrize(("t", "q"), [(1, 0.5), (3, 1.0), (30, 0.0), (30, 0.5), (1000, 1.0)])
def test_the_relative_gap_is_the_one_it_was_told(surface, t, q):
    """Up to a tenth: the solver's own median comes from 2000 draws."""
    alpha, domain, median, top = surface
    found = solve(Degraded(0.5, q), alpha, domain, t, seed=t)
    gap = (top - found.value) / (top - median)
    assert gap == pytest.approx(0.5 * t**-q, rel=0.1, abs=2e-3)
    assert found.value == alpha(found.x[None])[0]
    np.testing.assert_array_equal(domain.snap(found.x[None])[0], found.x)


def test_as_bad_as_a_guess_is_the_median(surface):
    alpha, domain, median, top = surface
    found = solve(Degraded(1.0, 0.0), alpha, domain)
    assert found.value == pytest.approx(median, abs=0.06 * (top - median))


@pytest.mark.parametrize("inner", [Adaptive(), LBFGSB(), Grid(size=Fixed(10))])
def test_nothing_left_is_the_point_of_the_inner_solver(surface, inner):
    alpha, domain, *_ = surface
    exact, same = solve(inner, alpha, domain), solve(Degraded(0.0, inner=inner), alpha, domain)
    np.testing.assert_array_equal(same.x, exact.x)
    assert (same.value, same.n_evals, same.starts) == (exact.value, exact.n_evals, exact.starts)


def test_the_target_is_the_formula():
    assert Degraded(0.5, 0.5).target(4) == 0.75
    assert Degraded(0.3, 0.0).target(1000) == pytest.approx(0.7)
    assert Degraded(1.0, 1.0).target(1) == 0.0


def test_the_stream_decides():
    alpha, domain, _ = SURFACES["ripples"]
    first, again, other = (solve(Degraded(), alpha, domain, t=2, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.x, again.x)
    assert not np.array_equal(first.x, other.x)


def test_every_row_is_counted():
    for c in (0.0, 0.5):
        counted = Counted(Peak(np.array([0.3, 0.7])))
        found = solve(Degraded(c), counted, UnitCube(2))
        records = 2 if c else 1  # the row that evaluates a winner, the inner solver's and its own, is not counted
        assert found.n_evals == counted.values + 3 * counted.grads - records
        assert found.n_grads == counted.grads


def test_its_draws_do_not_call_a_bad_point_the_best_one():
    alpha, domain, _ = SURFACES["needle"]
    found = solve(Degraded(0.9, 0.0, draws=500), alpha, domain)
    assert (found.draws.n, found.draws.iid) == (500, True)
    np.testing.assert_array_equal(found.draws.values, alpha(found.draws.points))
    assert found.draws.values[0] > found.value


@pytest.mark.parametrize("name", ["peak on a line", "peak", "ripples"])
@pytest.mark.parametrize("t", [1, 9, 100])
def test_in_few_dimensions_the_reported_gap_is_the_true_one(name, t):
    """Up to 0.1: that is how well the tail of 2000 draws knows the maximum; on several peaks it expects too much."""
    alpha, domain, top = SURFACES[name]
    found = solve(Degraded(0.5, 0.5), alpha, domain, t)
    best = estimate(found.draws, found.starts, found.x, found.value, domain).best
    reported = relative_gap(found.value, best, found.draws.median)
    assert reported == pytest.approx(relative_gap(found.value, top, found.draws.median), abs=0.1)


def test_where_the_maximizer_is_closest_the_facts_of_its_search_are_kept():
    alpha, domain, _ = SURFACES["peak"]
    inner, spoiled = solve(Exhaustive(), alpha, domain), solve(Degraded(1e-13, 0.0, inner=Exhaustive()), alpha, domain)
    np.testing.assert_array_equal(spoiled.x, inner.x)
    assert (spoiled.starts, spoiled.n_evals) == (inner.starts, inner.n_evals + 1 + 2 * 2000)


def test_a_flat_score_and_one_without_values_are_solved():
    flat = solve(Degraded(), Peak(np.zeros(2), scale=0.0), UnitCube(2))
    assert flat.value == 0.0
    half = solve(Degraded(), HalfKnown(Peak(np.array([0.8, 0.5]))), UnitCube(2))
    assert half.x[0] > 0.5


@pytest.mark.parametrize(
    "wrong", [{"c": -0.1}, {"c": 1.1}, {"c": math.nan}, {"q": -1.0}, {"q": math.nan}, {"draws": 0}]
)
def test_what_is_no_share_no_rate_or_no_number_of_draws_is_refused(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"Degraded got .*{name}={value!r}"):
        Degraded(**wrong)
