"""Knowledge gradient: that the lines are the right ones, its gradient, what is compared, and where a search starts."""

import math

import numpy as np
import pytest

from suffice.acquisition import KG
from suffice.acquisition.information import KGScore
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.space import Choice, Int, Space, UnitCube
from suffice.testing.acquisitions import bind
from suffice.testing.fakes import FINITE, MIXED


def score_with(posterior, points):
    return KGScore(posterior, points, posterior.mean(points))


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_the_value_is_that_of_observing_the_point(gp, scale):
    # By the definition: append each possible output to the posterior and look at the new largest mean. The new means
    # are linear in the output, so two outputs give every line.
    posterior, rng = gp(scale=scale, tau=0.05), np.random.default_rng(4)
    points, X = rng.random((9, 2)), rng.random((5, 2))
    expected = []
    for x in X:
        here = np.vstack([points, x])
        mean, std = posterior.predict(x[None])
        spread = math.sqrt(std[0] ** 2 + 0.05 * scale**2)
        up, down = (posterior.append(x[None], mean + sign * spread).mean(here) for sign in (1, -1))
        assert (up + down) / 2 == pytest.approx(posterior.mean(here), abs=1e-9 * scale)
        outcomes = np.linspace(-12, 12, 100_001)
        lines = posterior.mean(here)[:, None] + (up - down)[:, None] / 2 * outcomes
        weight = np.exp(-0.5 * outcomes**2) / np.exp(-0.5 * outcomes**2).sum()
        expected.append(weight @ lines.max(axis=0) - posterior.mean(here).max())
    assert np.exp(score_with(posterior, points)(X)) == pytest.approx(expected, abs=1e-7 * scale)


def test_a_point_that_tells_nothing_is_worth_nothing(gp):
    posterior = gp(n=20, tau=1e-12)
    alpha = bind(KG(), posterior, rng=np.random.default_rng(0))
    # At an observed point σ is at its floor of 1e-7: the rise is at most that.
    assert np.max(alpha(posterior.X)) < math.log(1e-7)
    assert np.max(alpha(np.random.default_rng(1).random((200, 2)))) > math.log(1e-3)


def test_noise_lowers_the_value(gp):
    posterior, X = gp(tau=1e-3), np.random.default_rng(1).random((30, 2))
    points = np.random.default_rng(2).random((20, 2))
    quieter = posterior.append(np.array([[50.0, 50.0]]), np.zeros(1), tau=1e-9)  # far away: it only lowers tau
    assert quieter.tau < posterior.tau
    noisy, quiet = score_with(posterior, points)(X), score_with(quieter, points)(X)
    assert np.all(noisy <= quiet)
    assert np.mean(noisy < quiet) > 0.9  # where there is next to nothing to learn, both are at the floor


def test_more_points_to_choose_from_are_worth_more_if_their_means_are_no_better(gp):
    # A line below the best intercept can only raise the expected maximum and leaves max a as it is.
    posterior, X = gp(), np.random.default_rng(1).random((30, 2))
    points = np.vstack([posterior.X, np.random.default_rng(2).random((30, 2))])
    points = points[np.argsort(-posterior.mean(points))]
    few, many = score_with(posterior, points[:5])(X), score_with(posterior, points)(X)
    assert np.all(many >= few - 1e-9)
    assert np.any(many > few + 1e-3)


def test_the_compared_set_holds_the_best_mean_and_what_may_overtake_it(gp):
    posterior = gp(n=30)
    alpha = bind(KG(points=20), posterior, rng=np.random.default_rng(0))
    assert alpha.points.shape == (20, 2)
    assert len(np.unique(alpha.points, axis=0)) == 20
    assert alpha.means == pytest.approx(posterior.mean(alpha.points), rel=1e-12)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 201)] * 2), axis=-1).reshape(-1, 2)
    assert alpha.means[0] >= posterior.mean(grid).max()
    # A random set of the same size misses some of the value that a large one finds.
    X, everything = np.random.default_rng(1).random((200, 2)), score_with(posterior, grid[::40])
    random = score_with(posterior, np.vstack([alpha.points[:1], np.random.default_rng(2).random((19, 2))]))
    lost = [np.mean(everything(X) - some(X)) for some in (alpha, random)]
    assert lost[0] < 0.5 * lost[1]


@pytest.mark.parametrize("tau", [1e-6, 1e-2, 0.5])
def test_the_gradient_is_that_of_the_value_also_at_the_best_mean(gp, tau, central_difference):
    posterior = gp(n=20, tau=tau)
    alpha = bind(KG(), posterior, rng=np.random.default_rng(0))
    X = np.clip(np.vstack([alpha.seeds, np.random.default_rng(3).random((20, 2))]), 0.01, 0.99)
    X = X[alpha(X) > math.log(1e-9)]  # below, differences over so short a step are rounding
    value, gradient = alpha.value_and_grad(X)
    assert len(X) > 15
    assert value == pytest.approx(alpha(X), abs=1e-7)
    assert gradient == pytest.approx(central_difference(alpha, X, 1e-5), rel=1e-3, abs=1e-2)


@pytest.mark.parametrize("domain", [UnitCube(1), UnitCube(3), MIXED, FINITE, Space(only=Choice("a", "b"), n=Int(1, 9))])
@pytest.mark.parametrize("n", [0, 1, 15])
def test_seeds_are_members_at_which_it_is_large(domain, n):
    rng = np.random.default_rng(4)
    observed = domain.sample(n, rng)
    posterior = Posterior.condition(Matern(2.5, 0.4), observed, np.sin(5 * observed).sum(axis=1), 1e-4)
    alpha = bind(KG(), posterior, domain, rng=rng)
    assert 1 <= len(alpha.seeds) <= 10
    assert np.all(domain.contains(alpha.seeds))
    assert len(np.unique(alpha.seeds, axis=0)) == len(alpha.seeds)
    assert alpha(alpha.seeds).max() >= alpha(domain.sample(30, rng)).max() - 0.01


def test_a_domain_of_one_point_has_a_value():
    alpha = bind(KG(), Posterior.condition(Matern(2.5, 0.4), np.zeros((1, 0)), np.ones(1), 1e-4), UnitCube(0))
    value, gradient = alpha.value_and_grad(np.zeros((1, 0)))
    assert np.isfinite(value)
    assert gradient.shape == (1, 0)


def test_a_narrow_peak_beside_the_best_point_is_where_a_search_starts():
    # A bowl that is known well but for its last digits: all that is left to learn lies beside its lowest point.
    X = np.concatenate([np.linspace(0, 1, 12), 0.4 + np.array([-0.02, -0.004, 0.005, 0.03])])[:, None]
    posterior = Posterior.condition(Matern(2.5, 0.4), X, -((X[:, 0] - 0.4) ** 2), 1e-7)
    alpha = bind(KG(), posterior)
    grid = np.linspace(0, 1, 20_001)[:, None]
    values = alpha(grid)
    assert np.mean(values > values.max() - math.log(2)) < 0.1  # so rare among uniform draws, in one column
    assert alpha(alpha.seeds).max() > values.max() - math.log(2)


def test_many_rows_are_worked_on_in_blocks(gp):
    alpha = bind(KG(points=5), gp(), rng=np.random.default_rng(0))
    X = np.random.default_rng(1).random((50_000, 2))
    assert alpha(X) == pytest.approx(np.concatenate([alpha(X[:1000]), alpha(X[1000:])]), rel=1e-9)
    assert alpha(X[:0]).shape == (0,)
    assert [part.shape for part in alpha.value_and_grad(X[:0])] == [(0,), (0, 2)]


@pytest.mark.parametrize(("scale", "shift"), [(1.0, -40.0), (0.01, 0.0), (300.0, 7.0)])
def test_the_value_is_in_the_units_of_the_outputs(scale, shift, gp):
    X = np.random.default_rng(2).random((40, 2))
    here, there = (bind(KG(points=16), p, rng=np.random.default_rng(5)) for p in (gp(), gp(scale=scale, shift=shift)))
    assert there(X) == pytest.approx(math.log(scale) + here(X), abs=1e-5)


def test_an_empty_set_is_refused():
    with pytest.raises(ValueError, match="points"):
        KG(points=0)
