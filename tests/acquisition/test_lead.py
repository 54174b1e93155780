"""Lead: how far another point may be ahead of a given one."""

import numpy as np
import pytest

from suffice.accuracy.certificate import certify
from suffice.acquisition.ucb import Lead, UCBScore
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior, joint_draw
from suffice.space import as_space

SQUARE = as_space([(0.0, 1.0), (0.0, 1.0)])
NOISES = pytest.mark.parametrize("tau", [1e-6, 1e-2, 0.3])


def posterior(tau, n=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    z = np.sin(5 * X[:, 0]) + X[:, 1] + np.sqrt(tau) * rng.standard_normal(n)
    return Posterior.condition(Matern(2.5).with_lengthscale(np.array([0.3, 0.4])), X, z, tau, scale=1.3, constant=0.2)


def lead(tau, beta=2.5):
    p = posterior(tau)
    return Lead(p, beta, p.X[int(p.z.argmax())])


@NOISES
def test_it_is_the_mean_and_the_deviation_of_the_difference(tau):
    alpha, X = lead(tau), np.random.default_rng(1).random((40, 2))
    pairs = [np.stack([x, alpha.r]) for x in X]
    weights = np.array([1.0, -1.0])
    deviations = [np.sqrt(weights @ alpha.posterior.covariance(pair, pair) @ weights) for pair in pairs]
    means = [weights @ alpha.posterior.mean(pair) for pair in pairs]
    assert alpha(X) == pytest.approx(np.array(means) + 2.5 * np.array(deviations), abs=1e-5)


@NOISES
def test_the_gradient_is_that_of_the_value(tau, central_difference):
    alpha, X = lead(tau), np.random.default_rng(1).uniform(0.1, 0.9, (20, 2))
    value, gradient = alpha.value_and_grad(X)
    assert value == pytest.approx(alpha(X), rel=1e-9)
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-4, abs=1e-5)


def test_without_noise_it_is_ucb_minus_the_value_of_the_point():
    alpha, X = lead(1e-8), np.random.default_rng(2).random((50, 2))
    ucb = UCBScore(alpha.posterior, 2.5)
    assert alpha(X) == pytest.approx(ucb(X) - alpha.posterior.z.max(), abs=2e-3)


def test_with_noise_it_is_below_the_distance_of_the_two_bounds():
    alpha, X = lead(0.3), np.random.default_rng(2).random((50, 2))
    mean, std = alpha.posterior.predict(alpha.r[None])
    assert np.all(alpha(X) <= UCBScore(alpha.posterior, 2.5)(X) - (mean - 2.5 * std))


@NOISES
def test_a_point_has_no_lead_over_itself(tau):
    alpha = lead(tau)
    assert alpha(alpha.r[None]) == pytest.approx([0.0], abs=1e-3)


def test_draws_of_the_posterior_exceed_it_as_rarely_as_beta_says():
    # For β = 1 a difference is above its limit with probability 0.159; of 4 000, 580 … 690 in all but 1 in 1e4 times.
    alpha, rng = lead(0.1, beta=1.0), np.random.default_rng(3)
    X = np.array([[0.9, 0.1]])
    both = np.concatenate([X, alpha.r[None]])
    draws = np.array([joint_draw(alpha.posterior, both, rng) for _ in range(4000)])
    assert 545 <= np.count_nonzero(draws[:, 0] - draws[:, 1] > alpha(X)[0]) <= 730


@NOISES
def test_no_lead_is_above_both_of_its_sides(tau):
    alpha, X = lead(tau), np.random.default_rng(4).random((500, 2))
    above = np.max([score(X) - value for score, value in alpha.sides], axis=0)
    assert np.all(alpha(X) <= above + 1e-5)
    assert np.all(above <= np.sqrt(2.0) * (alpha(X) - lead(tau, beta=0.0)(X)) + lead(tau, beta=0.0)(X) + 1e-3)


def test_certificates_of_the_sides_limit_it():
    alpha = lead(1e-2)
    upper = max(certify(score, SQUARE, nodes=4000).upper - value for score, value in alpha.sides)
    assert alpha(np.random.default_rng(5).random((5000, 2))).max() <= upper
