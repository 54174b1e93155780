"""Max-value entropy search: the entropy of a cut normal, the law of the maximum, the score."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

from suffice.acquisition import MES
from suffice.acquisition.information import (
    CLEARANCE,
    EntropyScore,
    LogEntropyGain,
    gumbel_fit,
    least_maximum,
    log_entropy_drop,
    maximum_quantile,
)
from suffice.testing.acquisitions import bind


def entropy_drop_by_quadrature(gamma):
    """Entropy of N(0, 1) minus that of N(0, 1) given Z ≤ γ, from the definition −∫ p log p."""
    mass = ndtr(gamma)

    def surprise(z):
        log_density = -0.5 * z**2 - 0.5 * math.log(2 * math.pi) - math.log(mass)
        return -math.exp(log_density) * log_density

    return 0.5 * math.log(2 * math.pi * math.e) - quad(surprise, -15, gamma, epsabs=1e-13, limit=200)[0]


@pytest.mark.parametrize("gamma", [-5.0, -1.0, -0.2, 0.0, 0.4, 2.0, 6.0])
def test_the_gain_is_the_entropy_that_cutting_removes(gamma):
    assert np.exp(log_entropy_drop(np.array([gamma]))[0]) == pytest.approx(entropy_drop_by_quadrature(gamma), abs=1e-9)


@pytest.mark.parametrize(
    "gamma", [-1e8, -1e4, -50.0, -4.01, -3.99, -0.5, -1e-9, 0.0, 1e-9, 0.5, 3.99, 4.01, 12.0, 36.0]
)
def test_the_logarithm_and_its_slope_are_exact_in_both_tails(gamma, exact_normal):
    log_g, slope = (float(part[0]) for part in log_entropy_drop(np.array([gamma])))

    def g(y, p, c):
        return y * p / (2 * c) - c.ln()

    assert log_g == pytest.approx(exact_normal.evaluate(lambda y, p, c: g(y, p, c).ln(), gamma), rel=1e-12, abs=1e-14)
    assert slope == pytest.approx(
        exact_normal.evaluate(lambda y, p, c: -(p / c) * (1 + y * (y + p / c)) / 2 / g(y, p, c), gamma), rel=1e-12
    )


@pytest.mark.parametrize("gamma", [300.0, 1e4, 1e8])
def test_far_to_the_right_the_logarithm_is_that_of_the_leading_terms(gamma):
    # g = φ(γ) (γ/2 + 1/γ + O(γ^-3)), so that g'/g = −γ (1 + 1/γ² + …) (1 − 2/γ² + …) + …
    log_g, slope = (float(part[0]) for part in log_entropy_drop(np.array([gamma])))
    expected = -0.5 * gamma**2 - 0.5 * math.log(2 * math.pi) + math.log(gamma / 2 + 1 / gamma)
    assert log_g == pytest.approx(expected, rel=1e-12)
    assert slope == pytest.approx(-gamma, rel=2 / gamma**2)


def test_the_score_is_the_logarithm_of_the_mean_over_the_sampled_maxima(dial):
    maxima, X = (0.5, 1.25, 3.0), np.array([[0.0, 1.0], [1.5, 0.2], [-2.0, 0.7]])
    score = EntropyScore(dial(), LogEntropyGain(maxima), logarithmic=True)
    by_hand = [np.mean([entropy_drop_by_quadrature((y - m) / s) for y in maxima]) for m, s in X]
    assert np.exp(score(X)) == pytest.approx(by_hand, abs=1e-9)


def test_the_gradient_is_that_of_the_value_for_every_mean_and_deviation(dial, central_difference):
    X = np.array([[0.0, 1.0], [1.5, 0.2], [-2.0, 0.7], [4.0, 0.3], [1.0, 0.01], [-3.0, 0.05]])
    score = EntropyScore(dial(), LogEntropyGain((0.5, 1.25, 3.0)), logarithmic=True)
    assert score.value_and_grad(X)[0] == pytest.approx(score(X), rel=1e-14)
    assert score.value_and_grad(X)[1] == pytest.approx(central_difference(score, X), rel=1e-6, abs=1e-8)


def test_the_gradient_follows_the_posterior(gp, central_difference):
    X = np.random.default_rng(3).uniform(0.1, 0.9, (20, 2))
    alpha = bind(MES(), gp(), rng=np.random.default_rng(0))
    assert alpha.value_and_grad(X)[1] == pytest.approx(central_difference(alpha, X), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("q", [0.25, 0.75])
@pytest.mark.parametrize("n", [1, 2, 400])
def test_the_quantile_solves_its_equation(n, q):
    rng = np.random.default_rng(n)
    mean, std = rng.normal(10.0, 2.0, n), rng.uniform(0.01, 3.0, n)
    y = maximum_quantile(mean, std, q)
    assert np.prod(ndtr((y - mean) / std)) == pytest.approx(q, rel=1e-9)


def test_the_gumbel_law_has_the_quartiles_of_the_maximum():
    rng = np.random.default_rng(0)
    mean, std = rng.normal(0.0, 1.0, 300), rng.uniform(0.1, 1.0, 300)
    loc, scale = gumbel_fit(mean, std)
    for q in (0.25, 0.75):
        assert loc - scale * math.log(-math.log(q)) == pytest.approx(maximum_quantile(mean, std, q), rel=1e-9)


def test_equal_marginals_give_the_law_that_extreme_value_theory_promises():
    # The maximum of N normals tends to a Gumbel law, at the slow rate 1/log N: here the true distribution function and
    # the one through its quartiles differ by at most 0.011, in the lower tail.
    n = 1000
    loc, scale = gumbel_fit(np.zeros(n), np.ones(n))
    y = np.linspace(loc - 1.5 * scale, loc + 4 * scale, 50)
    assert np.exp(-np.exp(-(y - loc) / scale)) == pytest.approx(ndtr(y) ** n, abs=0.012)


def test_a_known_maximum_has_no_spread():
    loc, scale = gumbel_fit(np.array([1.0, 5.0]), np.full(2, 1e-12))
    assert loc == pytest.approx(5.0)
    assert 0 <= scale < 1e-10


def test_every_sampled_maximum_clears_the_observed_points(gp):
    posterior = gp(n=30, tau=1e-4)
    alpha = bind(MES(samples=200), posterior, rng=np.random.default_rng(0))
    mean, std = posterior.predict(posterior.X)
    assert min(alpha.gain.maxima) >= least_maximum(posterior) == np.max(mean + CLEARANCE * std)
    assert len(alpha.gain.maxima) == 200


def test_a_well_known_point_has_nothing_to_tell(gp):
    posterior = gp(n=30, tau=1e-6)
    alpha = bind(MES(), posterior, rng=np.random.default_rng(0))
    assert np.max(alpha(posterior.X)) < math.log(1e-5)
    assert np.max(alpha(np.random.default_rng(1).random((200, 2)))) > math.log(1e-2)


def test_without_deviation_value_and_gradient_are_finite(dial):
    score = EntropyScore(dial(), LogEntropyGain((1.0, 2.0)), logarithmic=True)
    value, gradient = score.value_and_grad(np.array([[0.0, 0.0], [1.5, 0.0]]))
    assert value[0] < -1e17
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize(("scale", "shift"), [(1.0, -40.0), (0.01, 0.0), (300.0, 7.0)])
def test_information_does_not_depend_on_the_units_of_the_outputs(scale, shift, gp):
    X = np.random.default_rng(2).random((40, 2))
    here, there = (bind(MES(), p, rng=np.random.default_rng(5)) for p in (gp(), gp(scale=scale, shift=shift)))
    assert there(X) == pytest.approx(here(X), rel=1e-7, abs=1e-12)


def test_where_the_information_underflows_there_is_still_a_way_up(dial):
    far = EntropyScore(dial(), LogEntropyGain((50.0,)), logarithmic=True)
    value, gradient = far.value_and_grad(np.array([[0.0, 1.0], [0.1, 1.0], [0.0, 1.1]]))
    assert np.all(np.exp(value) == 0.0)
    assert value[0] < value[1] < value[2]
    assert np.all(gradient > 0)


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(1e-6, 1.0)), min_size=1, max_size=6),
    st.lists(st.floats(-1, 5), min_size=1, max_size=4),
)
@settings(deadline=None, max_examples=200)
def test_on_a_line_of_moments_no_value_is_above_the_mean_of_the_highest_ends(ends, maxima):
    gain, (start, *_, stop) = LogEntropyGain(tuple(maxima)), np.array(ends * 2)
    share = np.linspace(0, 1, 33)[:, None]
    inside = gain(*((1 - share) * start + share * stop).T)[0]
    limit = gain.highest(*np.array([start, stop]).T[:, :, None])[0]
    assert np.max(inside) <= limit + 1e-9 * (1 + abs(limit))


def test_impossible_settings_are_refused_by_name():
    with pytest.raises(ValueError, match="samples"):
        MES(samples=0)
    with pytest.raises(ValueError, match="points"):
        MES(points=0)
