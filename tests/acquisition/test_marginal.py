"""Limits over boxes of what depends on mean and deviation alone: never below a value, close to it in small boxes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, MES, PI, LogEI
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.solvers.search.mixed import ascend
from suffice.solvers.search.newton import newton
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
        assert_below(limits, alpha, centres + sharp * half)


def assert_below(limits, alpha, X):
    """A value that is above by the rounding of many rows' matrix product counts as it is alone."""
    above = np.flatnonzero(~(alpha(X) <= limits))
    assert all(alpha(X[[i]])[0] <= limits[i] for i in above)


@given(
    acquisition=st.sampled_from([EI(), LogEI(), LogEI(xi=0.5)]),
    kernel=st.sampled_from([RBF(), Matern(2.5)]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=150)
def test_no_improvement_in_a_small_box_is_above_the_bound_by_second_derivatives(acquisition, kernel, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 40), rng.integers(1, 4)
    X = rng.random((n, d))
    X[n // 2 :] = np.clip(0.3 + 10 ** rng.uniform(-5, -1) * rng.standard_normal((n - n // 2, d)), 0, 1)
    kernel = kernel.with_lengthscale(10 ** rng.uniform(-1.5, 0.5, d))
    z = rng.standard_normal(n) if rng.random() < 0.3 else np.sin(5 * X.sum(axis=1))
    posterior = Posterior.condition(kernel, X, z, 10 ** rng.uniform(-6, -1), scale=10 ** rng.uniform(-1, 1))
    alpha = bind(acquisition, posterior, rng=rng)
    centres = np.concatenate([rng.random((20, d)), X + 10 ** rng.uniform(-5, -1) * rng.standard_normal((n, d))])
    half = kernel.lengthscale * 10 ** rng.uniform(-5, -0.3, (len(centres), 1)) * rng.random(centres.shape)
    limits = alpha.bound(centres - half, centres + half)
    for corner in rng.uniform(-1, 1, (20, *centres.shape)):
        assert_below(limits, alpha, centres + half * np.where(rng.random(corner.shape) < 0.3, np.sign(corner), corner))


def narrow(d):
    """LogEI late in a run, where its peak is beside the best of many observations."""
    rng = np.random.default_rng(d)
    X = np.concatenate([rng.random((15, d)), 0.4 + 0.01 * rng.standard_normal((15, d))])
    z = -np.sum((X - 0.4) ** 2, axis=1) * (3.0 + np.sin(9 * X.sum(axis=1)))
    return bind(LogEI(), Posterior.condition(Matern(2.5, 0.4), X, z / z.std(), 1e-6))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_maximum_is_proven_to_a_millionth_where_its_peak_is_narrow(d):
    alpha, rng = narrow(d), np.random.default_rng(0)
    starts = np.concatenate([rng.random((200, d)), 0.4 + 0.02 * rng.standard_normal((200, d))])
    value = ascend(alpha, UnitCube(d), starts, search=newton).values.max()
    proof = certify(alpha, UnitCube(d), value=value, nodes=20_000, tolerance=1e-6)
    assert proof.finished
    assert value <= proof.upper <= value + 1e-6


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
