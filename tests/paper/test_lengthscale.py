"""The likelihood of one length-scale is the general one, and the fit is the one SciPy makes of it."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from suffice.gp import Prior
from suffice.gp.fit import Evidence, Hyper
from suffice.gp.kernels import RBF, Matern
from suffice.gp.transform import Outcome
from suffice.paper.solvers import Likelihood, fit_lengthscale

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
