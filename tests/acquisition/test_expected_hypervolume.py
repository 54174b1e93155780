"""The logarithm of the expected gain in hypervolume: against decimal arithmetic, and far away from any hope."""

from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext

import numpy as np
import pytest

from suffice.acquisition.expected_hypervolume import log_expected_gain, log_part
from suffice.acquisition.normal import log_expected_excess
from suffice.pareto import Improving
from suffice.pareto.expected import NARROW, Strips

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 4])


def boxes(m, n=20, seed=0):
    Y = np.abs(np.random.default_rng([seed, m]).standard_normal((n, m)))
    return Improving.of(Y / np.sqrt((Y**2).sum(axis=1, keepdims=True)), np.full(m, 0.05))


def moments(m, n=30, seed=0):
    rng = np.random.default_rng([seed, m])
    return rng.uniform(-0.5, 1.5, (n, m)), 10 ** rng.uniform(-1, 0.5, (n, m))


@SIZES
def test_it_is_the_logarithm_of_the_expected_gain_with_its_derivatives(m):
    improving, (mean, std) = boxes(m), moments(m)
    value, by_mean, by_std = improving.expected_gain_and_grad(mean, std)
    logarithm = log_expected_gain(improving, mean, std)
    assert logarithm.value == pytest.approx(np.log(value), rel=1e-11, abs=1e-11)
    assert logarithm.by_mean == pytest.approx(by_mean / value[:, None], rel=1e-9)
    assert logarithm.by_std == pytest.approx(by_std / value[:, None], rel=1e-9)


@pytest.mark.parametrize("a", [-1e4, -60.0, -4.0, -1.0, -1e-4, 0.0, 0.3, 8.0, 1e4])
@pytest.mark.parametrize("delta", [1e-9, 0.9 * NARROW, 1.1 * NARROW, 0.2, 4.0])
def test_the_part_of_an_interval_is_exact_from_one_tail_to_the_other(a, delta, exact_normal):
    mean, upper = 2.0 * a, 2.0 * delta
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 100, MIN_EMIN, MAX_EMAX
        at = [(Decimal(mean) - Decimal(edge)) / 2 for edge in (0.0, upper)]
        (p, q), (c, d) = ([f(u) for u in at] for f in (exact_normal.density, exact_normal.cdf))
        F = 2 * ((p + at[0] * c) - (q + at[1] * d))
        exact = float(F.ln()), float((c - d) / F), float((p - q) / F)
    part = log_part(Strips.of(np.zeros(1), np.array([upper])), np.array([mean]), np.array([2.0]))
    value, by_mean, by_std = (float(array[0, 0]) for array in part)
    assert value == pytest.approx(exact[0], rel=1e-12, abs=1e-12)
    assert by_mean == pytest.approx(exact[1], rel=1e-11, abs=1e-12)
    assert by_std == pytest.approx(exact[2], rel=1e-11, abs=1e-12)


def test_an_interval_without_an_end_is_the_expected_excess():
    u = np.array([-1e8, -300.0, -4.0, -0.1, 0.0, 0.1, 7.0, 1e5])
    log_h, by_mean, by_std = log_expected_excess(u)
    value, means, stds = log_part(Strips.of(np.zeros(1), np.array([np.inf])), 3.0 * u, np.full(8, 3.0))
    assert value[0] == pytest.approx(log_h + np.log(3.0), rel=1e-14)
    assert means[0] == pytest.approx(by_mean / 3.0, rel=1e-13)
    assert stds[0] == pytest.approx(by_std / 3.0, rel=1e-13)


@SIZES
@pytest.mark.parametrize("away", [0.0, -1e2, -1e8, 1e5])
@pytest.mark.parametrize("scale", [1e3, 1.0, 1e-6])
def test_it_is_finite_and_points_uphill_however_far_away(m, away, scale):
    improving, (mean, std) = boxes(m), moments(m)
    value, by_mean, by_std = log_expected_gain(improving, mean + away, scale * std)
    assert np.isfinite(value).all()
    assert np.isfinite(by_std).all()
    assert (by_mean >= 0).all()
    assert (by_mean.sum(axis=1) > 0).all()


def test_very_far_away_the_derivatives_are_those_of_the_value():
    improving, (mean, std) = boxes(2), moments(2)
    mean = mean - 40.0
    _, by_mean, by_std = log_expected_gain(improving, mean, std)
    for j in range(2):
        step = 1e-5 * std * np.eye(2)[j]
        up, down = (log_expected_gain(improving, mean + sign * step, std).value for sign in (1, -1))
        assert (up - down) / (2e-5 * std[:, j]) == pytest.approx(by_mean[:, j], rel=1e-5)
        up, down = (log_expected_gain(improving, mean, std + sign * step).value for sign in (1, -1))
        assert (up - down) / (2e-5 * std[:, j]) == pytest.approx(by_std[:, j], rel=1e-5)


def test_rows_do_not_depend_on_each_other():
    improving, (mean, std) = boxes(3, n=60), moments(3, n=1200)
    whole = log_expected_gain(improving, mean, std)
    few = log_expected_gain(improving, mean[::100], std[::100])
    assert whole.value[::100] == pytest.approx(few.value, rel=1e-13)
    assert whole.by_mean[::100] == pytest.approx(few.by_mean, rel=1e-12)
    assert log_expected_gain(improving, mean[:0], std[:0]).value.shape == (0,)
