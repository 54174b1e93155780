"""The gap of a report is in the objective's units: by integrals and quantiles of the objective itself, and by scaling.

A proof whose limit is the score of a second, better point makes the gap the difference of the two points, which can be
computed in another way.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from suffice import UCB, LogEI
from suffice.accuracy.certificate import Certificate
from suffice.accuracy.report import Binding, solve_report
from suffice.acquisition import EI, MES, PI, Constant
from suffice.acquisition.exploration import Elsewhere
from suffice.belief import Beliefs
from suffice.gp.fit import Hyper
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.gp.transform import standardised
from suffice.space import UnitCube
from suffice.types import Draws, Solution, Starts, Step

SQUARE = UnitCube(2)
BETA = 1.7


def data(unit=1.0, level=0.0):
    """Twelve observations in the square, larger being better, as measured in some unit from some level."""
    X = np.random.default_rng(0).random((12, 2))
    return X, unit * (np.exp(np.sin(5 * X).sum(axis=1)) + level)


def frozen(acquisition, lam=1.0, **where):
    """The score, its posterior and the map from the objective's units to the model's."""
    X, y = data(**where)
    outcome = standardised(y, lam)
    posterior = Posterior.condition(Matern(2.5, 0.4), X, outcome(y), 1e-3)
    step = Step(3, X[np.argsort(-y)])
    alpha = acquisition(Beliefs.of(posterior), SQUARE, step=step, rng=np.random.default_rng(0))
    return alpha, posterior, outcome


def two_points(alpha):
    """A point and a better one, both with a score worth the name."""
    X = SQUARE.sample(50, np.random.default_rng(1))
    order = np.argsort(-alpha(X))
    return X[order[8]], X[order[0]]


def reported(alpha, outcome, x, better):
    value, upper = (float(alpha(point[None])[0]) for point in (x, better))
    binding = Binding(3, 12, 12, (), Hyper((0.4, 0.4), 1.0, 1e-3), outcome, 0.0)
    proof = Certificate(upper, value, None, nodes=9, open_boxes=0, seconds=0.0, finished=True)
    return solve_report(alpha, Solution(x, value, 1), SQUARE, outcome, binding=binding, proof=proof)


def moments(posterior, x):
    return (float(part[0]) for part in posterior.predict(x[None]))


def expected_improvement(posterior, outcome, x, base):
    """E max(y − b, 0), both in the objective's units, by integrating over its normal distribution."""
    mean, std = moments(posterior, x)
    b = float(outcome.inverse(np.array([base]))[0])

    def weighted(z):
        y = float(outcome.inverse(np.array([z]))[0])
        return (y - b) * norm.pdf(z, mean, std)

    return quad(weighted, base, max(base, mean) + 12 * std, epsabs=0.0, epsrel=1e-10, limit=200)[0]


@pytest.mark.parametrize("acquisition", [EI(), LogEI(), EI(xi=0.1), LogEI(xi=0.1)], ids=repr)
def test_without_a_warp_the_gap_of_an_improvement_is_the_difference_of_two_expected_improvements(acquisition):
    alpha, posterior, outcome = frozen(acquisition, unit=40.0, level=-3.0)
    x, better = two_points(alpha)
    base = posterior.mean(posterior.X).max() + acquisition.xi
    here, there = (expected_improvement(posterior, outcome, point, base) for point in (x, better))
    assert reported(alpha, outcome, x, better).gap == pytest.approx(there - here, rel=1e-6)
    assert there > 1.1 * here > 0.0


def test_expected_improvement_and_its_logarithm_have_the_same_gap():
    plain, _, outcome = frozen(EI())
    log, _, _ = frozen(LogEI())
    x, better = two_points(plain)
    assert reported(log, outcome, x, better).gap == pytest.approx(reported(plain, outcome, x, better).gap, rel=1e-9)


def test_under_the_logarithm_of_the_shortfall_the_improvement_is_exact_above_the_best_output():
    # Above the best output the map is linear. An incumbent that high, by its margin, leaves nothing but linear parts.
    margin = 0.2
    alpha, posterior, outcome = frozen(EI(xi=margin), lam=1.6)
    base = posterior.mean(posterior.X).max() + margin
    assert outcome.inverse(np.array([base]))[0] > data()[1].max()
    x, better = two_points(alpha)
    here, there = (expected_improvement(posterior, outcome, point, base) for point in (x, better))
    assert reported(alpha, outcome, x, better).gap == pytest.approx(there - here, rel=1e-6)


@pytest.mark.parametrize("lam", [0.5, 1.0, 2.0])
def test_under_any_warp_the_gap_of_a_confidence_bound_is_the_difference_of_two_quantiles_of_the_objective(lam):
    alpha, posterior, outcome = frozen(UCB(Constant(BETA)), lam)
    x, better = two_points(alpha)

    def quantile(point):
        """y with P(objective ≤ y) = Φ(β), by the map from y to the model's units alone."""
        mean, std = moments(posterior, point)

        def short(y):
            return norm.cdf(float(outcome(np.array([y]))[0]), mean, std) - norm.cdf(BETA)

        return brentq(short, -50.0, 500.0, xtol=1e-12)

    assert reported(alpha, outcome, x, better).gap == pytest.approx(quantile(better) - quantile(x), rel=1e-6)


def test_a_warp_changes_the_gap_of_a_confidence_bound_by_more_than_a_factor():
    # So that the test above cannot pass with a map that forgets the warp.
    for lam in (0.5, 2.0):
        alpha, _, outcome = frozen(UCB(Constant(BETA)), lam)
        x, better = two_points(alpha)
        rise = float(np.ptp(alpha(np.stack([x, better]))))
        _, y = data()
        by_deviation = rise * float(y.std())
        assert not math.isclose(reported(alpha, outcome, x, better).gap, by_deviation, rel_tol=0.05)


@pytest.mark.parametrize("acquisition", [PI(), MES(), Elsewhere()], ids=["pi", "mes", "elsewhere"])
def test_scores_in_no_units_of_the_objective_have_no_gap(acquisition):
    alpha, _, outcome = frozen(acquisition)
    assert reported(alpha, outcome, *two_points(alpha)).gap is None


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from([UCB(Constant(BETA)), EI(), LogEI()]),
    st.sampled_from([0.5, 1.0, 1.6]),
    st.sampled_from([2.0**-20, 2.0**10]),
    st.floats(-100, 100),
)
def test_the_gap_scales_with_the_objective_and_the_relative_gap_does_not_change(acquisition, lam, unit, level):
    def report(**where):
        alpha, _, outcome = frozen(acquisition, lam, **where)
        X = SQUARE.sample(100, np.random.default_rng(2))
        values = alpha(X)
        order = np.argsort(-values)
        draws = Draws(100, True, X[order[:10]], values[order[:10]], float(np.median(values)))
        solved = Solution(X[order[0]], float(values[order[0]]), 100, draws=draws, starts=Starts(6, 3))
        binding = Binding(3, 12, 12, (), Hyper((0.4, 0.4), 1.0, 1e-3), outcome, 0.0)
        return solve_report(alpha, solved, SQUARE, outcome, binding=binding)

    plain, moved = report(), report(unit=unit, level=level)
    assert moved.gap == pytest.approx(unit * plain.gap, rel=1e-4)
    assert moved.relative_gap == pytest.approx(plain.relative_gap, rel=1e-6)
    assert plain.gap > 0.0
