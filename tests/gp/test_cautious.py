"""The cautious model: sure of less than the fit that it starts from."""

from dataclasses import replace

import numpy as np
import pytest

from suffice.gp.fit import Prior
from suffice.gp.model import GP, Observations, shortened, unwarped
from suffice.space import as_space

SQUARE = as_space([(0.0, 1.0), (0.0, 1.0)])
X = np.random.default_rng(1).random((200, 2))


def cautious(model, data, share=0.7):
    plain, fitted = unwarped(model, data, SQUARE)
    return shortened(plain, fitted, data, SQUARE, share)


def piled(noise=0.0):
    """A few points everywhere and many at the top, as a run leaves them."""
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((12, 2)), 0.4 + 0.05 * rng.random((25, 2))])
    values = -np.sum((points - 0.42) ** 2, axis=1) + 0.1 * np.sin(6 * points[:, 0])
    return Observations(points, values + noise * rng.standard_normal(len(points)), np.full(len(points), np.nan))


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_it_is_less_sure_than_the_unwarped_fit_away_from_the_data(noise):
    data = piled(noise)
    plain, careful = GP(warp=False)(data, SQUARE).posterior, cautious(GP(), data).posterior
    assert np.median(careful.predict(X)[1] / plain.predict(X)[1]) > 1.2
    assert careful.mean(data.X) == pytest.approx(plain.mean(data.X), abs=max(noise, 0.002) / data.y.std())


def test_it_does_not_warp_whatever_the_model_does():
    assert cautious(GP(warp=True), piled()).outcome.lam == 1.0


def test_the_length_scales_are_shorter_by_one_factor():
    data = piled()
    fitted = unwarped(GP(), data, SQUARE)[1].hyper
    assert cautious(GP(), data, 0.5).hyper.lengthscale == pytest.approx([0.5 * ell for ell in fitted.lengthscale])


def test_shorter_length_scales_are_less_sure():
    deviations = [np.median(cautious(GP(), piled(), share).posterior.predict(X)[1]) for share in (1.0, 0.8, 0.6)]
    assert deviations[0] < deviations[1] < deviations[2]


def test_the_signal_varies_at_least_as_much_as_the_values():
    assert cautious(GP(), piled()).hyper.variance >= 1.0
    in_own_units = replace(piled(), y=10.0 * piled().y)
    found = cautious(GP(standardize=False), in_own_units)
    assert found.hyper.variance >= np.var(in_own_units.y)


def test_a_variance_that_is_known_stays_as_it_is():
    fixed = GP(prior=Prior(scale_bounds=(0.25, 0.25)))
    assert cautious(fixed, piled()).hyper.variance == 0.25


def test_the_variance_is_the_likeliest_one_where_it_is_free():
    found = cautious(GP(prior=Prior(scale_bounds=(1e-2, 1e2))), piled())
    w = found.posterior.w
    assert found.hyper.variance == pytest.approx(max(1.0, w @ w / len(w)))


def test_a_known_noise_stays_the_same_in_the_objectives_units():
    data = replace(piled(0.02), noise_var=np.full(37, 0.02**2))
    found = cautious(GP(), data)
    outcome = found.outcome
    unit = outcome.scale * outcome.spread * outcome.unit
    noise = unit**2 * found.hyper.variance * found.posterior.factor.tau
    assert noise == pytest.approx(np.full(37, 0.02**2))
