"""Thompson sampling: a path or a joint draw, with its deviation from the mean scaled by β."""

import math

import numpy as np
import pytest

from suffice import minimize
from suffice.acquisition import Constant, Thompson
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior, joint_draw, sample_path
from suffice.problems import find
from suffice.space import PointSet
from suffice.testing.acquisitions import bind

X = np.random.default_rng(7).uniform(0.05, 0.95, (25, 2))


def stream(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 3.0])
def test_a_path_is_the_mean_plus_beta_times_its_deviation(beta, gp):
    posterior = gp(shift=2.0, scale=1.5)
    alpha = bind(Thompson(Constant(beta)), posterior, rng=stream())
    path = sample_path(posterior, stream())
    assert alpha(X) == pytest.approx(posterior.mean(X) + beta * (path(X) - posterior.mean(X)), rel=1e-9, abs=1e-9)


def test_by_default_a_sample_stays_as_wide_however_long_the_run(gp):
    widths = {bind(Thompson(), gp(), t=t, rng=stream()).beta for t in (1, 20, 1000)}
    assert len(widths) == 1
    assert widths.pop() <= 1.0  # no wider than the posterior: wider ones never settle


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_by_default_thirty_trials_settle_at_an_optimum_in_three_dimensions(seed):
    hartmann3 = find("hartmann3")
    result = minimize(hartmann3, hartmann3.bounds, 30, seed=seed, acquisition=Thompson(features=256))
    # The paper's β, which grows with t, ends 0.0001, 0.008 and 0.005 above the optimum of −3.86.
    assert result.fun - hartmann3.optimum < 1e-3


def test_the_gradient_is_that_of_the_value(gp, central_difference):
    alpha = bind(Thompson(Constant(2.0), features=64), gp(), rng=stream())
    value, gradient = alpha.value_and_grad(X)
    assert value == pytest.approx(alpha(X), rel=1e-10, abs=1e-10)
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-5, abs=1e-6)


def test_paths_have_mean_mu_and_deviation_beta_sigma(gp):
    posterior, points, rng = gp(n=6), X[:4], stream(1)
    paths = np.array([bind(Thompson(Constant(2.0), features=256), posterior, rng=rng)(points) for _ in range(2000)])
    mean, std = posterior.predict(points)
    # Over frequencies and weights each value has mean μ and variance β²σ² (it is a normal mixture, a little heavier in
    # the tails). 4.5 standard errors at 4 points: a false alarm in one of 20 000 streams; this stream is fixed.
    assert np.all(np.abs(paths.mean(axis=0) - mean) < 4.5 * 2 * std / math.sqrt(2000))
    assert np.all(np.abs(paths.std(axis=0) / (2 * std) - 1) < 4.5 / math.sqrt(2 * 2000) * 1.2)


def test_an_exact_draw_is_the_joint_draw_on_its_set_with_the_deviation_scaled(gp):
    posterior = gp()
    alpha = bind(Thompson(Constant(1.7), exact=True, points=80), posterior, rng=stream())
    rng = stream()
    points = rng.random((80, 2))
    mean = posterior.mean(points)
    assert np.array_equal(alpha.domain.points, points)
    assert alpha(points) == pytest.approx(mean + 1.7 * (joint_draw(posterior, points, rng) - mean), abs=1e-12)


def test_an_exact_draw_finds_its_rows_in_any_order_and_nothing_else(gp):
    alpha = bind(Thompson(exact=True, points=50), gp(), rng=stream())
    rows = stream(3).integers(50, size=200)
    assert np.array_equal(alpha(alpha.domain.points[rows]), alpha.values[rows])
    assert np.all(alpha(X) == -np.inf)
    assert np.all(alpha(np.nextafter(alpha.domain.points, 2.0)) == -np.inf)
    assert alpha(X[:0]).shape == (0,)


def test_a_small_finite_domain_is_drawn_on_as_a_whole():
    points = np.array([[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]])
    posterior = Posterior.condition(Matern(), points[:1], np.ones(1), 0.01)
    alpha = bind(Thompson(exact=True), posterior, PointSet(points), rng=stream())
    assert np.array_equal(alpha.domain.points, points)
    assert np.all(np.isfinite(alpha(points)))
    assert np.array_equal(alpha(-points[:1]), alpha(points[:1]))  # −0.0 is 0.0


def test_without_data_it_samples_the_prior(gp):
    for exact in (False, True):
        alpha = bind(Thompson(Constant(1.0), exact=exact, points=60), gp(n=0, shift=5.0), rng=stream())
        values = alpha(alpha.domain.points if exact else X)
        assert np.all(np.isfinite(values))
        assert np.ptp(values) > 0.1


def test_only_a_path_has_a_gradient_and_only_a_draw_has_a_domain(gp):
    path = bind(Thompson(), gp(), rng=stream())
    draw = bind(Thompson(exact=True, points=20), gp(), rng=stream())
    assert (path.smooth, path.domain) == (True, None)
    assert draw.domain.size == 20
    assert not draw.smooth


def test_impossible_settings_are_refused_by_name():
    with pytest.raises(ValueError, match="features"):
        Thompson(features=0)
    with pytest.raises(ValueError, match="points"):
        Thompson(points=0)
