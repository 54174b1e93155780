"""Limits over boxes of what depends on mean and deviation alone: never below a value, close to it in small boxes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, MES, PI, LogEI
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.testing.acquisitions import bind

ALL = [EI(), LogEI(), PI(), MES(samples=3, points=100)]


@given(
    acquisition=st.sampled_from(ALL),
    kernel=st.sampled_from([Matern(2.5, 0.3), Matern(0.5, 1.0), RBF(0.5)]),
    log_tau=st.floats(-8, 0),
    log_size=st.floats(-9, 0),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=150)
def test_no_value_in_a_box_near_the_data_or_anywhere_is_above_its_limit(acquisition, kernel, log_tau, log_size, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(0, 20), rng.integers(1, 4)
    X = rng.random((n, d))
    X[n // 2 :] = X[: n - n // 2] + 1e-3 * rng.standard_normal((n - n // 2, d))  # clusters: large weights that cancel
    posterior = Posterior.condition(kernel, X, rng.standard_normal(n), 10**log_tau)
    alpha = bind(acquisition, posterior, rng=rng)
    centres = np.concatenate([rng.random((5, d)), X])
    half = 10**log_size * rng.random(centres.shape)
    limits = alpha.bound(centres - half, centres + half)
    for corner in rng.uniform(-1, 1, (20, *centres.shape)):
        sharp = np.where(rng.random(corner.shape) < 0.3, np.sign(corner), corner)
        assert np.all(alpha(centres + sharp * half) <= limits)


@pytest.mark.parametrize("acquisition", ALL)
def test_the_limit_of_a_point_is_its_value_however_unlikely_an_improvement_is(acquisition, gp):
    posterior, X = gp(n=40, tau=1e-4), np.random.default_rng(1).random((50, 2))
    values = (alpha := bind(acquisition, posterior)).bound(X, X)
    if alpha.logarithmic:
        assert np.min(values) < -50
    assert values == pytest.approx(alpha(X), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("acquisition", [PI(), PI(xi=1.0), MES()])
def test_a_certificate_closes(acquisition, gp):
    alpha = bind(acquisition, gp(n=15, d=1, tau=1e-3))
    proof = certify(alpha, UnitCube(1), nodes=5000)
    assert proof.upper - proof.value < 1e-3
