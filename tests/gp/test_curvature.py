"""Second derivatives of the posterior against differences of its first ones, and of the profiles against theirs."""

import numpy as np
import pytest

from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior, bent

ELL = (0.3, 0.5, 0.8)
KERNELS = [Matern(2.5, ELL), RBF(ELL)]


def posterior(kernel, n=25):
    rng = np.random.default_rng(n)
    X = rng.random((n, 3))
    return Posterior.condition(kernel, X, np.sin(5 * X.sum(axis=1)), 1e-3, scale=1.7, constant=0.4)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_slopes_of_a_profile_are_its_derivatives(kernel):
    D = np.geomspace(1e-3, 40.0, 60)
    k, h, bend = kernel.profile_and_slopes(D.copy())
    assert k == pytest.approx(kernel.profile(D.copy()), rel=1e-13)
    assert h == pytest.approx(kernel.profile_and_slope(D.copy())[1], rel=1e-13)
    up, down = (kernel.profile_and_slope(D * (1 + e))[1] for e in (1e-5, -1e-5))
    assert bend == pytest.approx((up - down) / (2e-5 * D), rel=1e-5)


@pytest.mark.parametrize("kernel", [Matern(0.5), Matern(1.5), Matern(3.5)], ids=repr)
def test_kernels_without_a_second_derivative_say_so(kernel):
    assert not kernel.twice
    with pytest.raises(NotImplementedError, match="check `twice`"):
        kernel.profile_and_slopes(np.ones((2, 2)))


@pytest.mark.parametrize("columns", [[0, 1, 2], [2], [2, 0]])
@pytest.mark.parametrize("n", [0, 1, 25])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_values_and_gradients_are_those_without_second_derivatives(kernel, n, columns):
    p, X = posterior(kernel, n), np.random.default_rng(0).random((6, 3))
    at = bent(p, X, np.array(columns))
    mean, std, d_mean, d_std = p.predict_grad(X)
    assert at.mean == pytest.approx(mean, abs=1e-12)
    assert at.std == pytest.approx(std, rel=1e-10)
    assert at.d_mean == pytest.approx(d_mean[:, columns], abs=1e-9)
    assert at.d_std == pytest.approx(d_std[:, columns], abs=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_hessian_is_the_derivative_of_the_gradient_for_weights_of_any_sign(kernel):
    rng, step = np.random.default_rng(1), 1e-5
    p, X, columns = posterior(kernel), rng.random((6, 3)), np.array([0, 2])
    by_mean, by_std = rng.standard_normal((2, 6))

    def gradient(X):
        _, _, d_mean, d_std = p.predict_grad(X)
        return (by_mean[:, None] * d_mean + by_std[:, None] * d_std)[:, columns]

    H = bent(p, X, columns).hessian(by_mean, by_std)
    steps = step * np.eye(3)[columns]
    differences = np.stack([(gradient(X + e) - gradient(X - e)) / (2 * step) for e in steps], axis=1)
    assert H == pytest.approx(differences, abs=1e-5 * np.abs(differences).max())
    assert H == pytest.approx(H.transpose(0, 2, 1), abs=1e-9)


def test_the_mean_at_the_observed_points_takes_no_kernel_matrix():
    p = posterior(KERNELS[0])
    assert p.fitted == pytest.approx(p.mean(p.X), abs=1e-9)
