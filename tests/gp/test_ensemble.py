"""Members of an ensemble: their density is that of the fit, they sample their posterior, and weights follow Bayes."""

from dataclasses import replace

import numpy as np
import pytest

from suffice.gp.ensemble import FIRST_STEP, Chains, Density, Ensemble, moved, resampled
from suffice.gp.fit import Hyper
from suffice.gp.model import GP, Observations
from suffice.space import Space

SPACE = Space({"x": (0.0, 1.0), "y": (0.0, 1.0)})


def observed(n, noise=0.05, seed=0, known=False):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + noise * rng.standard_normal(n)
    return Observations(X, y, np.full(n, noise**2 if known else np.nan))


def density_of(model, data):
    fitted = model(data, SPACE)
    return fitted, Density.of(model._evidence(data, fitted.outcome, model._groups(SPACE)))


@pytest.mark.parametrize("model", [GP(), GP(ard=False), GP(noise=0.01), GP(standardize=False)])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("step", [0.0, 0.3])
def test_the_density_side_by_side_is_that_of_the_fit(model, known, step):
    data = observed(15, known=known)
    data = replace(data, y=np.round(data.y / step) * step) if step else data
    fitted, density = density_of(model, data)
    assert (fitted.outcome.step > 0) == (step > 0 and not known and model.standardize and model.noise is None)
    other = replace(
        fitted.hyper, lengthscale=tuple(1.7 * ell for ell in fitted.hyper.lengthscale), variance=0.6, tau=3e-3
    )
    theta = np.array([density.evidence.pack(hyper) for hyper in (fitted.hyper, other)])
    values, gradients = density(theta, fitted.hyper)
    for k, row in enumerate(theta):
        value, parts = density.evidence(density.evidence.unpack(row, fitted.hyper))
        names = ["lengthscale"] + ["variance"] * density.evidence.free_variance + ["tau"] * density.evidence.free_tau
        assert values[k] == pytest.approx(value, rel=1e-10)
        np.testing.assert_allclose(gradients[k], np.concatenate([parts[name] for name in names]), rtol=1e-7, atol=1e-8)


def test_moves_leave_the_posterior_as_it_is():
    # One free parameter: the density on a grid tells what the mean and the spread of its samples have to be.
    prior = replace(GP().prior, scale_bounds=(1.0, 1.0), tau_bounds=(1e-3, 1e-3))
    model = GP(ard=False, prior=prior)
    data = observed(10)
    fitted, density = density_of(model, data)
    density = replace(density, evidence=replace(density.evidence, free_tau=False))
    grid = np.linspace(np.log(0.05), np.log(10), 600)[:, None]
    weights = density(grid, fitted.hyper)[0]
    weights = np.exp(weights - weights.max())
    mean = float(weights @ grid[:, 0] / weights.sum())
    sd = float(np.sqrt(weights @ (grid[:, 0] - mean) ** 2 / weights.sum()))
    hypers, step, rng, found = (fitted.hyper,) * 8, FIRST_STEP, np.random.default_rng(1), []
    for i in range(150):
        hypers, step = moved(density, hypers, step, rng)
        found += [np.log(hyper.lengthscale[0]) for hyper in hypers] if i >= 20 else []
    # About a thousand samples, a few times fewer independent ones: five standard errors.
    assert np.mean(found) == pytest.approx(mean, abs=5 * sd / np.sqrt(300))
    assert np.std(found) == pytest.approx(sd, rel=0.3)


def test_weights_follow_from_the_evidence_of_what_came():
    # Σ log p(y_i | y_<i) is the log evidence, so that the weights are the ratios of evidences.
    data = observed(12)
    model = GP(standardize=False, warp=False)
    fitted = model(data.take(slice(8)), SPACE)
    hypers = (fitted.hyper, replace(fitted.hyper, lengthscale=(0.2, 0.9), tau=0.05))
    chains = Chains(hypers, (0.5, 0.5), 8, FIRST_STEP)
    known = model.with_posteriors(data.take(slice(8)), SPACE, chains, fitted.outcome, 8)
    new = data.take(slice(8, None))
    taus = tuple(np.full(4, hyper.tau) for hyper in hypers)
    weights = known.observed(new.X, new.y, taus).chains.weights

    def log_evidence(hyper, n):
        X, y = data.X[:n], data.y[:n]
        kernel = model.kernel.with_lengthscale(np.array(hyper.lengthscale))
        K = hyper.variance * (kernel(X, X) + hyper.tau * np.eye(n))
        return -0.5 * (y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1])

    logs = np.array([log_evidence(hyper, 12) - log_evidence(hyper, 8) for hyper in hypers])
    expected = np.exp(logs - logs.max())
    np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-6)


def test_resampling_keeps_equal_members_and_drops_those_without_weight():
    hypers = tuple(Hyper((float(i + 1),)) for i in range(4))
    rng = np.random.default_rng(0)
    assert resampled(Chains(hypers, (0.25,) * 4, 5, 0.1), rng) == hypers
    assert set(resampled(Chains(hypers, (0.5, 0.0, 0.5, 0.0), 5, 0.1), rng)) == {hypers[0], hypers[2]}


def test_the_average_is_less_sure_than_its_members():
    data = observed(10)
    model = GP(members=6)
    fitted = model.with_members(data, SPACE, model(data, SPACE), None, np.random.default_rng(0))
    assert isinstance(fitted.ensemble, Ensemble)
    X = np.random.default_rng(1).random((50, 2))
    mean, std = fitted.predict(X)
    each = [posterior.predict(X) for posterior in fitted.ensemble.posteriors]
    np.testing.assert_allclose(mean, np.mean([m for m, _ in each], axis=0))
    assert np.all(std**2 >= np.mean([s**2 for _, s in each], axis=0) - 1e-12)
    assert np.all(fitted.predict(X, noise=True)[1] > std)


def test_one_member_is_the_fit_alone():
    data = observed(10)
    model = GP(members=1)
    fitted = model(data, SPACE)
    assert model.with_members(data, SPACE, fitted, None, np.random.default_rng(0)).ensemble is None


def test_members_that_grow_are_those_that_are_made_again():
    data = observed(30)
    model = GP(members=4)
    first = data.take(slice(25))
    fitted = model.with_members(first, SPACE, model(first, SPACE), None, np.random.default_rng(0))
    grown = model.with_members(data, SPACE, model(data, SPACE, fitted, hurry=True), fitted, None, hurry=True)
    again = model.with_posteriors(data, SPACE, grown.ensemble.chains, grown.outcome, grown.n_refit)
    X = np.random.default_rng(1).random((20, 2))
    for a, b in zip(grown.ensemble.posteriors, again.posteriors, strict=True):
        np.testing.assert_allclose(a.predict(X)[1], b.predict(X)[1], rtol=1e-6)
