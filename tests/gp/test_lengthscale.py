"""The likelihood of one length-scale is the general one, and the fit is the one SciPy makes of it."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from suffice.gp.fit import Evidence, Hyper, Prior
from suffice.gp.kernels import RBF, Matern
from suffice.gp.lengthscale import Likelihood, fit_lengthscale
from suffice.gp.model import GP, Observations, Refit
from suffice.gp.outcome import Outcome
from suffice.space import UnitCube

FLAT = Prior(None, None, None, None, lengthscale_bounds=(1e-5, 1e5), scale_bounds=(1.0, 1.0))
KERNELS = [RBF(), Matern(0.5), Matern(1.5), Matern(2.5)]


def data(n=15, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, -10.0 * np.sin(3.0 * X.sum(axis=1)) ** 2


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_is_the_general_evidence(kernel):
    X, z = data()
    words = {"standardize": False, "free_tau": False, "free_lam": False}
    e = Evidence(kernel, X, z, Outcome(), np.full(15, 1e-4), np.zeros(3, int), FLAT, **words)
    likelihood = Likelihood(kernel, pdist(X, "sqeuclidean"), z, np.full(15, 1e-4))
    for ell in (0.01, 0.3, 1.0, 20.0):
        value, gradient = e(Hyper((ell,)))
        # relative to the value, 1e4 at the long end, where the matrix has a condition number of 1e5
        assert likelihood(np.log(ell)) == pytest.approx((value, gradient["lengthscale"][0]), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_slope_is_the_difference_of_values(kernel):
    X, z = data()
    likelihood = Likelihood(kernel, pdist(X, "sqeuclidean"), z, np.full(15, 1e-2))
    for log_ell in (-2.0, -0.5, 0.5):
        slope = (likelihood(log_ell + 1e-5)[0] - likelihood(log_ell - 1e-5)[0]) / 2e-5
        assert likelihood(log_ell)[1] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_points_far_apart_in_these_units_leave_the_start_as_it_is():
    X, z = data()
    assert fit_lengthscale(Matern(1.5), 1e4 * X, z, np.full(15, 1e-4), 1.0, (1e-5, 1e5)) == 1.0


def test_a_matrix_that_no_noise_repairs_is_no_fit():
    X, z = np.zeros((4, 2)), np.arange(4.0)
    assert fit_lengthscale(RBF(), X, z, np.zeros(4), 1.0, (1e-5, 1e5)) is None


def model(**words):
    settings = {"kernel": Matern(1.5), "ard": False, "noise": 1e-4, "warp": False, "standardize": False}
    return GP(**settings, prior=FLAT, refit=Refit(growth=0.0, memory=False), **words)


def test_sides_are_the_units_of_the_length_scale():
    X, y = data()
    observed = Observations(X, 0.1 * y, np.full(15, np.nan))
    plain, wide = model()(observed, UnitCube(3)), model(sides=(7.0, 7.0, 7.0))(observed, UnitCube(3))
    # Both fits go to the same maximum; one starts at 1, the other at 1/7 of the cube, and SciPy stops within 1e-4.
    assert wide.hyper.lengthscale[0] == pytest.approx(7.0 * plain.hyper.lengthscale[0], rel=1e-3)
    assert wide.posterior.kernel.lengthscale == pytest.approx(plain.posterior.kernel.lengthscale, rel=1e-3)
    uneven = model(sides=(1.0, 2.0, 4.0))(observed, UnitCube(3))
    assert np.multiply(uneven.posterior.kernel.lengthscale, (1.0, 2.0, 4.0)) == pytest.approx(
        np.full(3, uneven.hyper.lengthscale[0])
    )


def test_a_fit_without_memory_forgets():
    X, y = data(n=25)
    all_data = Observations(X, y, np.full(25, np.nan))
    first = model()(all_data.take(slice(20)), UnitCube(3))
    assert model()(all_data, UnitCube(3), first).hyper == model()(all_data, UnitCube(3)).hyper


def test_the_short_way_ends_where_the_general_one_does():
    X, y = data()
    observed = Observations(X, y, np.full(15, np.nan))
    general = GP(
        kernel=Matern(1.5), ard=False, noise=1e-4, warp=False, standardize=False, prior=FLAT, refit=Refit(growth=0.0)
    )
    expected = general(observed, UnitCube(3)).hyper
    assert model()(observed, UnitCube(3)).hyper.lengthscale == pytest.approx(expected.lengthscale, rel=1e-3)
    assert expected.variance == 1.0


def test_wrong_sides_are_refused():
    with pytest.raises(ValueError, match="positive lengths"):
        GP(sides=(1.0, -1.0))
    X, y = data()
    with pytest.raises(ValueError, match="each of the 3 columns"):
        GP(sides=(1.0, 1.0))(Observations(X, y, np.full(15, np.nan)), UnitCube(3))
