"""Leave-one-out in closed form is what leaving out one by one gives."""

import numpy as np
import pytest

from suffice.gp import RBF, Matern
from suffice.gp.posterior import Posterior, leave_one_out


@pytest.mark.parametrize("kernel", [RBF((0.3, 0.5)), Matern(2.5, (0.3, 0.5)), Matern(0.5, (2.0, 0.1))])
def test_it_is_the_prediction_of_a_model_without_the_point(kernel):
    rng = np.random.default_rng(0)
    X, z, tau = rng.random((12, 2)), rng.standard_normal(12), rng.uniform(0.01, 0.5, 12)
    left = leave_one_out(Posterior.condition(kernel, X, z, tau, scale=1.7, constant=0.4))
    for i in range(12):
        others = np.arange(12) != i
        rest = Posterior.condition(kernel, X[others], z[others], tau[others], scale=1.7, constant=0.4)
        mean, std = rest.predict(X[[i]])
        assert left.mean[i] == pytest.approx(mean[0])
        assert left.deviation[i] == pytest.approx(np.hypot(std[0], 1.7 * np.sqrt(tau[i])))
        assert left.z[i] == pytest.approx((z[i] - left.mean[i]) / left.deviation[i])
    about = np.array([z[i] - z[np.arange(12) != i].mean() for i in range(12)])
    assert left.explained == pytest.approx(1 - np.sum((z - left.mean) ** 2) / np.sum(about**2))


def test_a_smooth_function_is_explained_and_noise_is_not():
    rng = np.random.default_rng(1)
    X = rng.random((40, 1))
    smooth = Posterior.condition(RBF(0.2), X, np.sin(6 * X[:, 0]), 1e-4)
    assert leave_one_out(smooth).explained > 0.99
    random = Posterior.condition(RBF(0.2), X, rng.standard_normal(40), 1.0)
    assert leave_one_out(random).explained < 0.1


def test_of_draws_from_the_prior_the_scores_are_standard_normal():
    rng, z = np.random.default_rng(2), []
    for _ in range(60):
        X = rng.random((15, 2))
        K = RBF(0.4)(X, X) + 0.05 * np.eye(15)
        z.append(
            leave_one_out(Posterior.condition(RBF(0.4), X, np.linalg.cholesky(K) @ rng.standard_normal(15), 0.05)).z
        )
    scores = np.concatenate(z)
    assert abs(scores.mean()) < 0.15  # of 900 that depend on each other; the deviation of independent ones is 0.03
    assert scores.std() == pytest.approx(1.0, abs=0.1)


def test_equal_values_are_not_explained():
    flat = Posterior.condition(RBF(0.2), np.linspace(0, 1, 5)[:, None], np.zeros(5), 1e-4)
    assert leave_one_out(flat).explained == 0.0
