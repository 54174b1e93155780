"""Which candidates may reach a value: none that does is ever left out."""

import numpy as np
import pytest

from suffice.gp import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.gp.screening import reaching


def posterior_of(kernel, n=60, d=3, tau=1e-4, scale=1.0, constant=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    z = constant + scale * np.sin(7 * X).sum(axis=1)
    return Posterior.condition(kernel, X, z, tau, scale=scale, constant=constant)


KERNELS = {
    "rough": Matern(0.5, lengthscale=0.4),
    "usual": Matern(2.5, lengthscale=(0.3, 1.0, 3.0)),
    "smooth": RBF(lengthscale=0.7),
    "short": Matern(2.5, lengthscale=0.02),
    "any ν": Matern(1.9, lengthscale=0.5),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize(("tau", "scale", "beta"), [(1e-4, 1.0, 2.0), (1e-8, 1.0, 0.0), (0.5, 1e3, 2.0)])
def test_every_candidate_that_reaches_the_value_is_there(kernel, tau, scale, beta):
    posterior = posterior_of(kernel, tau=tau, scale=scale, constant=5.0)
    X = np.concatenate([np.random.default_rng(1).random((1500, 3)), posterior.X, posterior.X + 1e-9])
    mean, std = posterior.predict(X)
    alpha = mean + beta * std
    for share in (0.5, 0.99, 1.0):
        floor = np.quantile(alpha, share)
        found = reaching(posterior, X, lambda mean, std: mean + beta * std, floor)
        assert np.all(np.diff(found) > 0)
        assert np.isin(np.flatnonzero(alpha >= floor), found).all()


def test_few_others_are_there():
    posterior = posterior_of(Matern(2.5, lengthscale=0.5), n=200)
    X = np.random.default_rng(2).random((20_000, 3))
    mean, std = posterior.predict(X)
    floor = np.sort(mean + std)[-10]
    assert len(reaching(posterior, X, lambda mean, std: mean + std, floor)) <= 20


def test_before_any_data_everything_may_reach():
    nothing = Posterior.condition(RBF(), np.empty((0, 2)), np.empty(0), 1e-4)
    assert reaching(nothing, np.zeros((3, 2)), lambda mean, std: mean + std, 0.5).tolist() == [0, 1, 2]
