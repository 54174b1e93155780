"""The cautious model: an unwarped fit, and members that are drawn beside it."""

from dataclasses import replace

import numpy as np
import pytest

from suffice.gp.fit import LogNormal, Prior
from suffice.gp.model import GP, Observations, drawn, unwarped
from suffice.space import as_space

SQUARE = as_space([(0.0, 1.0), (0.0, 1.0)])
X = np.random.default_rng(1).random((200, 2))


def cautious(model, data, k=4, seed=0):
    """The outcome, and the posteriors: the fit's first."""
    plain, fitted = unwarped(model, data, SQUARE)
    return fitted.outcome, (fitted.posterior, *drawn(plain, fitted, data, SQUARE, k, np.random.default_rng(seed)))


def piled(noise=0.0):
    """A few points everywhere and many at the top, as a run leaves them."""
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((12, 2)), 0.4 + 0.05 * rng.random((25, 2))])
    values = -np.sum((points - 0.42) ** 2, axis=1) + 0.1 * np.sin(6 * points[:, 0])
    return Observations(points, values + noise * rng.standard_normal(len(points)), np.full(len(points), np.nan))


def test_it_does_not_warp_whatever_the_model_does():
    assert cautious(GP(warp=True), piled())[0].lam == 1.0


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_least_sure_of_all_is_less_sure_than_the_fit(noise):
    _, (fit, *members) = cautious(GP(), piled(noise))
    deviations = [posterior.predict(X)[1] for posterior in (fit, *members)]
    assert np.median(np.max(deviations, axis=0) / deviations[0]) > 1.1


def test_the_members_follow_from_the_data_and_the_stream():
    first, again, other = (cautious(GP(), piled(), seed=seed)[1][1:] for seed in (0, 0, 1))
    assert len(first) == 4
    for one, same, another in zip(first, again, other, strict=True):
        assert np.array_equal(one.mean(X), same.mean(X))
        assert not np.array_equal(one.mean(X), another.mean(X))


def test_the_members_have_seen_all_observations():
    data = piled()
    for posterior in cautious(GP(), data)[1]:
        assert np.array_equal(posterior.X, data.X)
        assert posterior.mean(data.X) == pytest.approx(posterior.z, abs=0.05)


def test_many_observations_do_not_make_it_the_fit_alone():
    X = np.random.default_rng(2).random((300, 2))
    data = Observations(X, -np.sum((X - 0.42) ** 2, axis=1), np.full(300, np.nan))
    known = Prior(lengthscale_bounds=(0.5, 0.6), scale_bounds=(1.0, 2.0), lengthscale=LogNormal(0.5, 0.1))
    assert len(cautious(GP(prior=known), data, k=2)[1]) == 3


def test_the_signal_varies_at_least_as_much_as_the_values():
    for posterior in cautious(GP(), piled())[1]:
        assert posterior.scale**2 >= 1.0 - 1e-12
    in_own_units = replace(piled(), y=10.0 * piled().y)
    for posterior in cautious(GP(standardize=False), in_own_units)[1]:
        assert posterior.scale**2 >= (1.0 - 1e-12) * np.var(in_own_units.y)


def test_a_variance_that_is_known_stays_as_it_is():
    fixed = GP(prior=Prior(scale_bounds=(0.25, 0.25)))
    for posterior in cautious(fixed, piled())[1]:
        assert posterior.scale == pytest.approx(0.5)


def test_what_is_all_known_needs_no_members():
    prior = Prior(lengthscale_bounds=(0.3, 0.3), scale_bounds=(1.0, 1.0))
    assert len(cautious(GP(standardize=False, noise=1e-4, prior=prior), piled())[1]) == 1


def test_a_known_noise_stays_the_same_in_the_objectives_units():
    data = replace(piled(0.02), noise_var=np.full(37, 0.02**2))
    outcome, posteriors = cautious(GP(), data)
    unit = outcome.scale * outcome.spread * outcome.unit
    for posterior in posteriors:
        noise = unit**2 * posterior.scale**2 * posterior.factor.tau
        assert noise == pytest.approx(np.full(37, 0.02**2))
