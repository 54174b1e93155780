"""Just enough: the maximum within the stated risk, whatever the score, and settings that make sense.

Statistical tests use fixed streams; each states how often it would fail by chance with another stream.
"""

import math

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate
from suffice.solvers import Adaptive
from suffice.solvers.record import ON_FACES
from suffice.space import Choice, Float, Int, Space, UnitCube, domain
from suffice.testing import Peak, ValuesOnly, solve
from suffice.types import Ledger, Score, Status, Step


def estimated(solution, domain):
    return estimate(solution.draws, solution.starts, solution.x, solution.value, domain)


def spread(solution):
    return solution.value - solution.draws.median


# ------------------------------------------------------------------ the maximum


@pytest.fixture(scope="module")
def many(bumps, solved, highest):
    """Solves of different surfaces in one to six columns, each with its true maximum."""
    cases = [(dim, bumps(dim, seed), seed) for dim in range(1, 7) for seed in range(15)]
    return [(solved(alpha, dim, seed=seed), UnitCube(dim), highest(alpha)) for dim, alpha, seed in cases]


def test_the_maximum_is_above_the_upper_limit_no_more_often_than_stated(many):
    # The stated risk is 0.1. Over 360 such solves with other streams one was missed; at ten times that more than nine
    # misses of 90 happen in one of 1000 streams.
    missed = sum(estimated(one, domain).upper < top - 1e-6 * spread(one) for one, domain, top in many)
    assert missed <= 0.1 * len(many)


def test_the_global_maximum_is_found(many):
    found = sum(one.value >= top - 1e-3 * spread(one) for one, _, top in many)
    assert found >= 0.9 * len(many)  # all but one of the 360


def test_a_finished_solve_is_within_its_allowance_and_the_others_are_exceptions(many):
    done = [(one, domain) for one, domain, _ in many if one.status is Status.DONE]
    assert len(done) >= 0.9 * len(many)  # all of the 360
    assert all(estimated(one, domain).gap(one.value) <= one.allowance for one, domain in done)


def test_before_anything_was_observed_there_is_no_incumbent_to_search_around(bumps, highest):
    alpha = bumps(2, 0)
    solution = Adaptive()(alpha, UnitCube(2), step=Step(1, np.empty((0, 2))), rng=np.random.default_rng(0))
    assert solution.value == pytest.approx(highest(alpha), rel=1e-3)


def test_a_ridge_in_many_columns_is_one_hill(solved):
    class Ridge(Score):
        """−(x_0 − 0.3)²: runs end wherever they began, but for the first column."""

        smooth = True

        def __call__(self, X):
            return -((X[:, 0] - 0.3) ** 2)

        def value_and_grad(self, X):
            gradient = np.zeros_like(X)
            gradient[:, 0] = -2.0 * (X[:, 0] - 0.3)
            return self(X), gradient

    solution = solved(Ridge(), 30, ledger=Ledger(inaccuracies=1e6))
    assert (solution.starts.distinct, solution.status) == (1, Status.DONE)


# ------------------------------------------------------------------ scores that offer little


@pytest.mark.parametrize("dim", [1, 3, 6])
def test_a_score_without_a_gradient_is_solved_by_values(bumps, solved, highest, dim):
    for seed in range(3):
        alpha = bumps(dim, seed)
        solution = solved(ValuesOnly(alpha), dim)
        assert solution.n_grads == 0
        assert solution.value == pytest.approx(highest(alpha), rel=1e-3)


def test_a_flat_score_is_finished_at_once(solved):
    solution = solved(Peak(np.full(3, 0.5), scale=0.0), 3)
    assert (solution.status, solution.allowance, solution.draws.looks) == (Status.DONE, 0.0, 1)
    assert estimated(solution, UnitCube(3)).upper == 0.0


def test_a_score_without_any_value_ends(solved):
    solution = solved(lambda X: np.full(len(X), np.nan), 3)
    assert math.isnan(solution.value)
    assert np.all((solution.x >= 0) & (solution.x <= 1))
    assert estimated(solution, UnitCube(3)) is None


def test_runs_without_a_value_are_not_counted(solved):
    class Corner(Score):
        """A score with values in a corner of the square only; its gradient is known there too."""

        smooth = True

        def __call__(self, X):
            return np.where(X.min(axis=1) > 0.85, X.sum(axis=1), np.nan)

        def value_and_grad(self, X):
            values = self(X)
            return values, np.where(np.isnan(values)[:, None], np.nan, 1.0)

    solution = solved(Corner(), 2, solver=Adaptive(share=1e3, starts=14))
    finite = int(np.isfinite(solution.draws.values).sum())
    assert 0 < finite < 14  # fewer than the runs that were planned; no observed point is in the corner
    assert solution.starts.m == finite + ON_FACES  # two of the corners that are looked at have a value
    assert solution.value == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("corner", [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])
def test_a_narrow_peak_in_a_corner_is_found(solved, corner):
    """As exploration has one: no draw is on its slopes, and nothing was observed near it."""

    class Corner(Score):
        smooth = True

        def __call__(self, X):
            return self.value_and_grad(X)[0]

        def value_and_grad(self, X):
            away = X - 0.5
            broad = np.exp(-20.0 * (away**2).sum(axis=1))
            narrow = 1.5 * np.exp(-60.0 * np.abs(X - corner).sum(axis=1))
            slopes = -40.0 * broad[:, None] * away - 60.0 * narrow[:, None] * np.sign(0.5 - np.asarray(corner)) * 1.0
            return broad + narrow, slopes

    solutions = [solved(Corner(), 2, solver=Adaptive(), seed=seed) for seed in range(5)]
    assert [solution.x.tolist() for solution in solutions] == [list(corner)] * 5


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"share": 0.0}, "share"),
        ({"share": math.nan}, "share"),
        ({"time_share": 0.0}, "time_share"),
        ({"draws": 15}, "draws"),
        ({"starts": 1}, "starts"),
        ({"starts": 65}, "starts"),
        ({"cap": 0}, "cap"),
    ],
)
def test_impossible_settings_are_refused_by_name(words, name):
    with pytest.raises(ValueError, match=name):
        Adaptive(**words)


@pytest.mark.parametrize("other", [Int(0, 9), Float(0, 1)], ids=["lattice", "smooth"])
def test_the_work_in_many_columns_is_bounded_in_entries(other):
    space, entries = Space(c=Choice(*range(6000)), other=other), []

    def alpha(X):
        entries.append(X.size)
        return X @ np.arange(space.dim)

    solution = solve(Adaptive(cap=1), alpha, space)
    assert space.contains(solution.x[None]).all()
    assert max(entries) <= domain.HELD
    assert sum(entries) <= 3 * domain.LISTED
