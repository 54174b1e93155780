"""When the surrogate is fitted again, and that adding data in between is exact."""

import math
from dataclasses import replace

import numpy as np
import pytest

from suffice.gp import GP, Matern, Posterior, Refit
from suffice.gp.model import Observations
from suffice.space import UnitCube

T = np.random.default_rng(99).random((60, 4))
NEVER = Refit(growth=1e9, surprise=1e9)


def observations(X, y, noise_var=None):
    y = np.asarray(y, dtype=float)
    noise = np.full(len(y), np.nan) if noise_var is None else np.asarray(noise_var, dtype=float)
    return Observations(X, y, noise)


def smooth(X):
    return np.sin(5 * X[:, 0]) + X[:, 1:].sum(axis=1) ** 2


def data(n=30, d=2, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, smooth(X) + noise * rng.standard_normal(n)


def test_adding_data_between_fits_is_conditioning_with_the_same_hyperparameters():
    X, y = data(40, 3, noise=0.1)
    noise = np.where(np.arange(40) % 3 == 0, 0.02, np.nan)
    for variances in (None, noise):
        model = GP(refit=NEVER)
        fitted = model(observations(X[:25], y[:25], None if variances is None else variances[:25]), UnitCube(3))
        first = fitted
        for n in (26, 27, 33, 40):
            known = None if variances is None else variances[:n]
            fitted = model(observations(X[:n], y[:n], known), UnitCube(3), fitted)
        assert fitted.hyper is first.hyper
        assert fitted.outcome is first.outcome
        assert (fitted.n_seen, fitted.n_refit) == (40, 25)
        slope = first.outcome.derivative(y)
        known = np.full(40, np.nan) if variances is None else variances
        tau = np.where(np.isnan(known), first.hyper.tau, known * slope**2 / first.hyper.variance)
        whole = Posterior.condition(
            first.posterior.kernel,
            X,
            first.outcome(y),
            tau,
            scale=math.sqrt(first.hyper.variance),
            constant=first.posterior.constant,
        )
        for got, expected in zip(fitted.posterior.predict(T[:, :3]), whole.predict(T[:, :3]), strict=True):
            assert got == pytest.approx(expected, abs=1e-9)


def test_nothing_new_is_nothing_done():
    seen = observations(*data())
    for refit in (Refit(), Refit(growth=0.0)):
        fitted = GP(refit=refit)(seen, UnitCube(2))
        assert GP(refit=refit)(seen, UnitCube(2), fitted) is fitted


def grow(model, n, X, y):
    """n_refit after each observation from n on."""
    fitted = model(observations(X[:n], y[:n]), UnitCube(2))
    sizes = []
    for i in range(n + 1, len(y) + 1):
        fitted = model(observations(X[:i], y[:i]), UnitCube(2), fitted)
        assert fitted.posterior.n == fitted.n_seen == i
        sizes.append(fitted.n_refit)
    return sizes


def test_a_fit_is_due_when_the_data_have_grown_by_a_share():
    X, y = data(26, noise=0.1)
    assert grow(GP(refit=Refit(0.0, 1e9)), 20, X, y) == [21, 22, 23, 24, 25, 26]
    assert grow(GP(refit=Refit(0.1, 1e9)), 20, X, y) == [20, 22, 22, 22, 25, 25]
    X, y = data(55, noise=0.1)
    assert grow(GP(refit=Refit(0.1, 1e9)), 50, X, y) == [50, 50, 50, 50, 55]
    assert grow(GP(refit=NEVER), 50, X, y) == [50] * 5


def test_a_fit_is_due_after_a_surprise():
    X, y = data(30, noise=0.2)  # what noise explains is no surprise
    model = GP(refit=Refit(growth=1e9, surprise=3.0))
    fitted = model(observations(X, y), UnitCube(2))
    x = np.array([[0.5, 0.5]])
    mean, std = fitted.posterior.predict(x)
    deviation = math.hypot(std[0], fitted.posterior.scale * math.sqrt(fitted.hyper.tau))
    for distance, size in ((2.9, 30), (-2.9, 30), (3.1, 31), (-3.1, 31)):
        value = fitted.outcome.inverse(mean + distance * deviation)
        again = model(observations(np.vstack([X, x]), np.append(y, value)), UnitCube(2), fitted)
        assert again.n_refit == size


def test_a_fit_is_due_when_a_value_lies_far_outside_the_fitted_range():
    X, y = data(30)
    model = GP(refit=NEVER)
    fitted = model(observations(X, y), UnitCube(2))
    z = fitted.outcome(y)
    for factor, size in ((0.9, 30), (1.1, 31)):
        for end in (z.max() + factor * np.ptp(z), z.min() - factor * np.ptp(z)):
            values = np.append(y, fitted.outcome.inverse(np.array([end])))
            again = model(observations(np.vstack([X, [[0.5, 0.5]]]), values), UnitCube(2), fitted)
            assert again.n_refit == size


def test_from_nothing_to_many_one_at_a_time():
    X, y = data(12)
    model, fitted, cold = GP(refit=Refit(growth=0.0)), None, []
    for n in range(13):
        fitted = model(observations(X[:n], y[:n]), UnitCube(2), fitted)
        assert fitted.posterior.n == n
        assert np.all(np.isfinite(fitted.posterior.predict(T[:, :2])))
        cold.append(fitted.n_cold)
    assert cold == [0, 0, 0, 3, 3, 3, 6, 6, 6, 6, 6, 6, 12]  # each twice the last
    alone = model(observations(X, y), UnitCube(2))
    assert fitted.posterior.mean(T[:, :2]) == pytest.approx(alone.posterior.mean(T[:, :2]), abs=0.05)


def test_a_warp_is_forgotten_when_all_noise_is_known():
    X, y = data(30, noise=0.05)
    skewed = np.exp(2 * y)
    model = GP(refit=Refit(growth=0.0))
    warped = model(observations(X[:29], skewed[:29]), UnitCube(2))
    assert warped.hyper.lam < 0.8
    known = np.full(30, 0.01)
    fitted = model(observations(X, skewed, noise_var=known), UnitCube(2), warped)
    assert fitted.hyper.lam == fitted.outcome.lam == 1.0
    assert fitted.posterior.z.std() == pytest.approx(1.0)


def test_a_fit_that_fails_keeps_the_last_good_hyperparameters_and_says_so():
    class Broken(Matern):
        def profile_and_slope(self, D):
            k, h = super().profile_and_slope(D)
            return np.full_like(k, np.nan), h

    X, y = data()
    good = GP(refit=Refit(growth=0.0))(observations(X[:29], y[:29]), UnitCube(2))
    fitted = GP(kernel=Broken(), refit=Refit(growth=0.0))(observations(X, y), UnitCube(2), good)
    assert fitted.hyper == good.hyper
    assert fitted.notes == ("the fit of the hyper-parameters failed; the last good ones are kept",)
    assert np.all(np.isfinite(fitted.posterior.predict(T[:, :2])))


# ------------------------------------------------------------------ from the record


def test_a_model_rebuilt_at_its_last_fit_and_told_the_rest_in_the_same_steps_is_the_same_to_the_last_bit():
    X, y = data(90, noise=0.2)
    model, domain, steps = GP(max_points=40), UnitCube(2), []
    fitted = None
    for n in (*range(20, 60), 62, 64, 65):
        fitted = model(observations(X[:n], y[:n]), domain, fitted)
        steps.append((n, fitted))
    assert len({state.n_refit for _, state in steps}) > 5
    assert any(state.posterior.n > 40 for _, state in steps)
    assert fitted.n_seen - fitted.n_refit >= 1
    last = max(state.n_refit for _, state in steps)
    seen = observations(X[:last], y[:last])
    again = replace(fitted, posterior=rebuilt(model, seen, fitted), n_seen=last)
    for n, state in steps:
        if n > last:
            again = model(observations(X[:n], y[:n]), domain, again, hurry=True)  # nothing but appending
            assert again.posterior.factor.R.tobytes() == state.posterior.factor.R.tobytes()
    end = observations(X, y)
    mine, other = model(end, domain, again), model(end, domain, fitted)
    assert (mine.hyper, mine.outcome, mine.n_cold) == (other.hyper, other.outcome, other.n_cold)
    assert np.array_equal(mine.posterior.predict(T[:, :2]), other.posterior.predict(T[:, :2]))


# ------------------------------------------------------------------ in a hurry


def agrees(posterior, other):
    assert np.array_equal(posterior.X, other.X)
    for mine, theirs in zip(posterior.predict(T[:, :2]), other.predict(T[:, :2]), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-8, abs=1e-8)


def rebuilt(model, seen, fitted):
    constant = fitted.posterior.constant
    return model.rebuild(seen, UnitCube(2), fitted.hyper, fitted.outcome, constant, fitted.n_refit)


@pytest.mark.parametrize("growth", [0.0, 0.1, 0.55, 3.0])
@pytest.mark.parametrize("first", [12, 20, 25])  # fewer than max_points, as many, more
def test_in_a_hurry_the_posterior_stays_small_and_can_be_rebuilt(growth, first):
    X, y = data(150, noise=0.1)
    model = GP(max_points=20, refit=Refit(growth=growth))
    fitted = start = model(observations(X[:first], y[:first]), UnitCube(2))
    for n in [*range(first + 1, 90), 130, 131, 150]:
        seen = observations(X[:n], y[:n])
        fitted = model(seen, UnitCube(2), fitted, hurry=True)
        assert (fitted.hyper, fitted.outcome, fitted.n_refit) == (start.hyper, start.outcome, first)
        assert fitted.posterior.constant == start.posterior.constant
        assert fitted.posterior.n <= 20 * (1 + growth)
        agrees(fitted.posterior, rebuilt(model, seen, fitted))
    fresh = model(observations(X[:150], y[:150]), UnitCube(2), start, hurry=True)
    agrees(fresh.posterior, fitted.posterior)  # whatever was asked in between


def test_the_best_of_what_came_in_a_hurry_is_in_and_a_fit_that_was_put_off_is_made_later():
    X, y = data(300, noise=0.1)
    model = GP(max_points=50)
    fitted = model(observations(X[:60], y[:60]), UnitCube(2))
    hurried = model(observations(X, y), UnitCube(2), fitted, hurry=True)
    kept = {tuple(x) for x in hurried.posterior.X}
    assert all(tuple(X[i]) in kept for i in np.argsort(-y)[:20])
    # one value more, which is nothing new: but 241 have come since the last fit
    X, y = np.vstack([X, X[:1]]), np.append(y, y[0])
    assert model(observations(X, y), UnitCube(2), hurried).n_refit == 301
