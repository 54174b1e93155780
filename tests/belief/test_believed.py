"""What is observed and what is only believed, told apart."""

import math

import numpy as np
import pytest

from suffice.belief import Beliefs, Believed
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior

RNG = np.random.default_rng(0)
X, PENDING, PLACES = RNG.random((12, 2)), RNG.random((3, 2)), RNG.random((20, 2))
TAU = 1e-3


@pytest.fixture
def posterior():
    return Posterior.condition(Matern(2.5, 0.4), X, np.sin(5 * X).sum(axis=1), TAU, scale=1.5)


@pytest.fixture
def believed(posterior):
    return Believed.of(posterior, PENDING)


def test_it_predicts_as_the_posterior_with_the_mean_at_these_points(posterior, believed):
    whole = posterior.believe(PENDING)
    for mine, its in zip(believed.predict_grad(PLACES), whole.predict_grad(PLACES), strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(believed.predict(PLACES), whole.predict(PLACES), rtol=1e-10)


def test_what_it_is_believed_to_tell_is_the_logarithm_of_the_two_deviations(posterior, believed):
    told = np.log(posterior.predict(PLACES)[1] / posterior.believe(PENDING).predict(PLACES)[1])
    np.testing.assert_allclose(believed.information(PLACES), told, atol=1e-10)
    believed.predict(X)  # another place in between
    np.testing.assert_allclose(believed.information(PLACES), told, atol=1e-10)
    assert np.all(told >= 0)


def test_its_gradient_is_that_of_differences(believed):
    rows, h = np.array([0, 3, 7]), 1e-6
    for k in range(2):
        step = h * np.eye(2)[k]
        slope = (believed.information(PLACES + step) - believed.information(PLACES - step))[rows] / (2 * h)
        np.testing.assert_allclose(believed.information_grad(PLACES, rows)[:, k], slope, rtol=1e-4, atol=1e-6)


def test_the_hallucinated_gain_is_that_of_the_covariance_and_no_single_point_is_told_more(posterior, believed):
    covariance = posterior.covariance(PENDING, PENDING) / posterior.scale**2
    expected = 0.5 * np.linalg.slogdet(np.eye(3) + covariance / TAU)[1]
    assert believed.pending_information == pytest.approx(expected, rel=1e-9)
    assert believed.information(np.vstack([PLACES, PENDING])).max() <= expected


def test_beliefs_that_are_extended_are_those_that_are_made_at_once(posterior):
    at_once = Beliefs.of(posterior, pending=PENDING)
    extended = Beliefs.of(posterior).with_pending(PENDING[:1]).with_pending(PENDING[1:])
    assert extended.observed is posterior
    assert np.array_equal(extended.pending, PENDING)
    np.testing.assert_allclose(extended.objective.predict(PLACES), at_once.objective.predict(PLACES), atol=1e-10)
    assert extended.pending_information == pytest.approx(at_once.pending_information)
    assert Beliefs.of(posterior).pending_information == 0.0


def test_the_mean_at_the_observed_points_needs_no_kernel_matrix(posterior):
    np.testing.assert_allclose(posterior.fitted, posterior.mean(posterior.X), atol=1e-9)


def test_a_second_point_in_one_place_tells_half_a_logarithm(posterior):
    far = np.array([[0.5, 0.5]])
    told = [Believed.of(posterior, np.repeat(far, k, axis=0)).information(far)[0] for k in (1, 2)]
    assert told[1] - told[0] == pytest.approx(0.5 * math.log(2), abs=0.02)
