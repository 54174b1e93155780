"""Max-value entropy search: the entropy of a cut normal, the law of the maximum, the score."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from suffice.acquisition import MES
from suffice.acquisition.entropy import (
    CLEARANCE,
    EntropyGain,
    entropy_drop,
    gumbel_fit,
    least_maximum,
    maximum_quantile,
)
from suffice.acquisition.marginal import MarginalScore
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
    assert entropy_drop(np.array([gamma]))[0] == pytest.approx(entropy_drop_by_quadrature(gamma), abs=1e-9)


@pytest.mark.parametrize("gamma", [-1e8, -1e4, -50.0, -4.01, -3.99, -0.5, -1e-9, 0.0, 1e-9, 0.5, 4.0, 12.0, 36.0])
def test_the_gain_and_its_slope_are_exact_in_both_tails(gamma, exact_normal):
    g, slope = (float(part[0]) for part in entropy_drop(np.array([gamma])))
    # In the right tail both are multiples of exp(−γ²/2), and rounding γ² costs γ²/2 units in the last place.
    assert g == pytest.approx(exact_normal.evaluate(lambda y, p, c: y * p / (2 * c) - c.ln(), gamma), rel=4e-13, abs=0)
    assert slope == pytest.approx(
        exact_normal.evaluate(lambda y, p, c: -(p / c) * (1 + y * (y + p / c)) / 2, gamma), rel=4e-13, abs=0
    )


def test_the_score_is_the_mean_over_the_sampled_maxima(dial):
    maxima, X = (0.5, 1.25, 3.0), np.array([[0.0, 1.0], [1.5, 0.2], [-2.0, 0.7]])
    score = MarginalScore(dial(), EntropyGain(maxima))
    by_hand = [np.mean([entropy_drop_by_quadrature((y - m) / s) for y in maxima]) for m, s in X]
    assert score(X) == pytest.approx(by_hand, abs=1e-9)


def test_the_gradient_is_that_of_the_value_for_every_mean_and_deviation(dial, central_difference):
    X = np.array([[0.0, 1.0], [1.5, 0.2], [-2.0, 0.7], [4.0, 0.3], [1.0, 0.01]])
    score = MarginalScore(dial(), EntropyGain((0.5, 1.25, 3.0)))
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
    assert np.max(alpha(posterior.X)) < 1e-5
    assert np.max(alpha(np.random.default_rng(1).random((200, 2)))) > 1e-2


def test_without_deviation_value_and_gradient_are_finite(dial):
    value, gradient = MarginalScore(dial(), EntropyGain((1.0, 2.0))).value_and_grad(np.array([[0.0, 0.0], [1.5, 0.0]]))
    assert value[0] == 0.0
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize(("scale", "shift"), [(1.0, -40.0), (0.01, 0.0), (300.0, 7.0)])
def test_information_does_not_depend_on_the_units_of_the_outputs(scale, shift, gp):
    X = np.random.default_rng(2).random((40, 2))
    here, there = (bind(MES(), p, rng=np.random.default_rng(5)) for p in (gp(), gp(scale=scale, shift=shift)))
    assert there(X) == pytest.approx(here(X), rel=1e-7, abs=1e-12)


def test_impossible_settings_are_refused_by_name():
    with pytest.raises(ValueError, match="samples"):
        MES(samples=0)
    with pytest.raises(ValueError, match="points"):
        MES(points=0)
