"""Gross errors are set aside: only where the evidence is overwhelming, never what may be the answer, on the record."""

import numpy as np
import pytest

from suffice.gp.model import GP, Observations
from suffice.gp.selection import MOST
from suffice.space import UnitCube

CUBE = UnitCube(2)


def smooth(X):
    return -np.sin(3 * X[:, 0]) - (X[:, 1] - 0.4) ** 2


def rough(X):
    return -np.sum(np.sqrt(np.abs(X - 0.37)), axis=1)


def steep(X):
    return -(np.sum((4 * X - 1) ** 2, axis=1) ** 3)


def orders(X):
    return -(10.0 ** (9 * X[:, 0]))


def points(n=40, seed=0):
    return np.random.default_rng(seed).random((n, 2))


def observed(X, y, noise_var=None):
    return Observations(X, y, np.full(len(y), np.nan) if noise_var is None else noise_var)


def beside(x, n=3, by=0.01):
    """n points right beside another one."""
    return np.clip(x + by * np.random.default_rng(1).standard_normal((n, 2)), 0, 1)


@pytest.mark.parametrize("function", [smooth, rough, steep, orders])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.3])
def test_values_without_errors_have_the_model_that_they_would_have_had(function, noise):
    X = points()
    y = function(X)
    y += noise * y.std() * np.random.default_rng(2).standard_normal(len(y))
    fitted, plain = (GP(robust=robust)(observed(X, y), CUBE) for robust in (True, False))
    assert fitted.outcome == plain.outcome
    assert fitted.hyper == plain.hyper
    assert np.array_equal(fitted.posterior.mean(X), plain.posterior.mean(X))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("function", [steep, orders])
@pytest.mark.parametrize("model", [GP(), GP(sharp=False), GP(warp=False)], ids=["sharp", "not sharp", "no warp"])
def test_long_tails_are_no_errors(model, function, seed):
    for n in (10, 16, 25):
        X = points(n, seed=seed)
        for y in (function(X), -function(X)):
            assert model(observed(X, y), CUBE).outcome.aside == ()


def test_errors_in_both_directions_are_set_aside_and_do_not_bend_the_model():
    X = points(36)
    X = np.vstack([X, beside(X[3])])
    y = smooth(X)
    sd = y.std()
    y[[3, 8, 20, 31]] += sd * np.array([30.0, -12.0, -50.0, -20.0])
    fitted = GP()(observed(X, y), CUBE)
    assert fitted.outcome.aside == (3, 8, 20, 31)
    new = points(200, seed=5)
    mean = fitted.outcome.inverse(fitted.posterior.mean(new))
    assert np.abs(mean - smooth(new)).max() < 0.1 * sd
    bent = GP(robust=False)(observed(X, y), CUBE)
    assert np.abs(bent.outcome.inverse(bent.posterior.mean(new)) - smooth(new)).max() > sd


def test_a_value_that_is_too_good_counts_until_others_beside_it_contradict_it():
    X = points(30)
    y = smooth(X)
    y[7] += 20 * y.std()
    assert GP()(observed(X, y), CUBE).outcome.aside == ()
    X, y = np.vstack([X, beside(X[7])]), np.concatenate([y, smooth(beside(X[7]))])
    assert GP()(observed(X, y), CUBE).outcome.aside == (7,)


def test_a_narrow_basin_with_two_good_values_is_kept():
    X = points(30)
    X = np.vstack([X, beside(X[7], 1, by=0.003), beside(X[7])])
    y = smooth(X)
    y[[7, 30]] += 20 * y.std() * np.array([1.0, 0.8])
    assert GP()(observed(X, y), CUBE).outcome.aside == ()


def test_bad_values_side_by_side_are_a_bad_region():
    X = points(30)
    X = np.vstack([X, beside(X[7], 2)])
    y = smooth(X)
    y[[7, 30, 31]] -= 20 * y.std()
    assert GP()(observed(X, y), CUBE).outcome.aside == ()


def test_few_values_and_large_parts_of_them_are_not_set_aside():
    X = np.linspace(0, 1, 9)[:, None]
    y = -((X[:, 0] - 0.3) ** 2)
    y[4] -= 50
    assert GP()(observed(X, y), UnitCube(1)).outcome.aside == ()
    X = points(40)
    y = smooth(X)
    y[::3] -= np.linspace(10, 50, 14) * y.std()
    assert len(GP()(observed(X, y), CUBE).outcome.aside) <= np.ceil(MOST * 40)


def test_values_whose_noise_is_known_are_never_errors():
    X = points(36)
    y = smooth(X)
    y[8] -= 20 * y.std()
    data = observed(X, y)
    assert GP()(data, CUBE).outcome.aside == (8,)
    for model in (GP(noise=1e-4), GP(warp=False), GP(robust=False), GP(standardize=False, warp=False)):
        assert model(data, CUBE).outcome.aside == ()
    assert GP()(observed(X, y, np.full(36, 1e-4)), CUBE).outcome.aside == ()


def test_a_model_with_errors_is_appended_to_and_rebuilt_bit_for_bit():
    X = points(48)
    y = smooth(X)
    y[[8, 20]] -= 20 * y.std()
    data, model = observed(X, y), GP()
    first = model(data.take(slice(40)), CUBE)
    first = model.with_members(data.take(slice(40)), CUBE, first, None, np.random.default_rng(0))
    assert first.outcome.aside == (8, 20)
    grown = model(data.take(slice(43)), CUBE, first, hurry=True)
    parameters = first.hyper, first.outcome, first.posterior.constant, first.n_refit
    again = model.rebuild(data.take(slice(40)), CUBE, *parameters)
    assert np.array_equal(again.factor.R, first.posterior.factor.R)
    again = again.append(X[40:43], first.outcome(y[40:43]), first.posterior.factor.tau[0])
    assert grown.posterior.n == 41
    assert np.array_equal(again.mean(X), grown.posterior.mean(X))
    members = model.with_posteriors(data.take(slice(40)), CUBE, first.ensemble.chains, first.outcome, first.n_refit)
    for one, other in zip(members.posteriors, first.ensemble.posteriors, strict=True):
        assert one.n == 38
        assert np.array_equal(one.mean(X), other.mean(X))


def test_a_value_comes_back_when_others_confirm_it():
    X = points(36)
    y = smooth(X)
    y[8] -= 20 * y.std()
    model = GP()
    first = model(observed(X, y), CUBE)
    assert first.outcome.aside == (8,)
    near = beside(X[8], 6, by=0.02)
    more = observed(np.vstack([X, near]), np.concatenate([y, np.full(6, y[8])]))
    assert model(more, CUBE, first).outcome.aside == ()


def test_of_very_many_values_a_subset_leaves_the_errors_out():
    X = points(60)
    y = smooth(X)
    y[[5, 30]] -= 20 * y.std()
    model = GP(max_points=50)
    first = model(observed(X[:45], y[:45]), CUBE)
    assert first.outcome.aside == (5, 30)
    later = model(observed(X, y), CUBE, first)
    assert later.outcome.aside == (5, 30)
    assert later.posterior.n == 50
    assert not np.any(np.all(later.posterior.X[:, None] == X[[5, 30]], axis=2))
