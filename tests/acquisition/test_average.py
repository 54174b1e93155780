"""The average of members' scores: values, derivatives and bounds."""

import numpy as np
import pytest

import suffice as sf
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.types import Step

ACQUISITIONS = [sf.acquisition.EI(), sf.LogEI(), sf.acquisition.PI()]


def beliefs(weights=(0.2, 0.5, 0.3)):
    rng = np.random.default_rng(0)
    X, z = rng.random((9, 2)), rng.standard_normal(9)
    members = [Posterior.condition(Matern(2.5, (ell, 2 * ell)), X, z, 0.01) for ell in (0.2, 0.5, 1.0)]
    single = Beliefs.of(members[0])
    ensembles = {single.objectives[0]: tuple(zip(weights, members, strict=True))}
    return Beliefs(single.posteriors, single.pending, ensembles=ensembles, outcomes=single.outcomes), members


def bound(acquisition, known):
    return acquisition(known, sf.Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}), step=Step(3, known.known), rng=None)


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=lambda a: type(a).__name__)
def test_the_average_is_over_what_a_logarithm_is_of(acquisition):
    known, members = beliefs()
    alpha = bound(acquisition, known)
    X = np.random.default_rng(1).random((40, 2))
    each = [bound(acquisition, Beliefs.of(member)) for member in members]
    values = [np.exp(score(X)) if score.logarithmic else score(X) for score in each]
    expected = 0.2 * values[0] + 0.5 * values[1] + 0.3 * values[2]
    np.testing.assert_allclose(np.exp(alpha(X)) if alpha.logarithmic else alpha(X), expected, rtol=1e-9)


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=lambda a: type(a).__name__)
def test_derivatives_are_those_of_differences(acquisition):
    alpha = bound(acquisition, beliefs()[0])
    X, h = np.random.default_rng(2).random((6, 2)), 1e-5
    value, gradient, hessian = alpha.with_hessian(X, np.arange(2))
    np.testing.assert_allclose(value, alpha(X), rtol=1e-8)
    np.testing.assert_allclose(gradient, alpha.value_and_grad(X)[1], rtol=1e-6, atol=1e-9)
    for j in range(2):
        step = h * np.eye(2)[j]
        ahead, behind = alpha.value_and_grad(X + step), alpha.value_and_grad(X - step)
        np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * h), gradient[:, j], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * h), hessian[:, :, j], rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=lambda a: type(a).__name__)
def test_boxes_bound_the_average_and_sieves_lose_nothing(acquisition):
    alpha, rng = bound(acquisition, beliefs()[0]), np.random.default_rng(3)
    assert alpha.bounded
    lower = rng.random((20, 2)) * 0.8
    upper = lower + 0.2
    inside = lower[:, None] + 0.2 * rng.random((20, 30, 2))
    highest = alpha(inside.reshape(-1, 2)).reshape(20, 30).max(axis=1)
    assert np.all(alpha.bound(lower, upper) >= highest)
    X = rng.random((300, 2))
    floor = float(np.quantile(alpha(X), 0.9))
    assert set(np.flatnonzero(alpha(X) >= floor)) <= set(alpha.reach(X, floor))


def test_one_member_has_no_average():
    known, _ = beliefs()
    single = Beliefs.of(known.posteriors)
    assert type(bound(sf.LogEI(), single)).__name__ == "ImprovementScore"
