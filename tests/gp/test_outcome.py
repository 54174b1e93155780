"""From the user's outputs to the model's and back: monotone, invertible, and blind to units."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp.outcome import FARTHEST, Outcome, standardised, unwarp, warp, warp_slope

LAMS = [0.0, 1e-9, 0.3, 1.0, 1.7, 2.0 - 1e-9, 2.0]
every_lam = pytest.mark.parametrize("lam", LAMS)
Y = np.random.default_rng(0).standard_normal(40)


def yeo_johnson_by_the_book(s, lam):
    if s >= 0:
        return math.log(1 + s) if lam == 0 else ((1 + s) ** lam - 1) / lam
    return -math.log(1 - s) if lam == 2 else -((1 - s) ** (2 - lam) - 1) / (2 - lam)


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0, 1.7, 2.0])
def test_the_warp_is_what_its_docstring_says(lam):
    s = np.linspace(-20, 20, 101)
    assert warp(s, lam) == pytest.approx([yeo_johnson_by_the_book(v, lam) for v in s], rel=1e-12, abs=1e-14)


def test_the_warp_is_scipys():
    from scipy.stats import yeojohnson

    for lam in LAMS:
        assert warp(Y, lam) == pytest.approx(yeojohnson(Y, lam), rel=1e-6, abs=1e-6)  # theirs cancels near 0 and 2


def test_the_warp_with_one_is_the_identity():
    s = np.linspace(-9, 9, 33)
    assert warp(s, 1.0) == pytest.approx(s, abs=1e-14)


@pytest.mark.parametrize("lam", [0.0, 0.3, 0.9])
def test_the_warp_of_the_mirror_image_is_the_mirror_image(lam):
    s = np.linspace(-9, 9, 33)
    assert warp(-s, 2.0 - lam) == pytest.approx(-warp(s, lam), rel=1e-14)


@every_lam
def test_the_warp_is_a_bijection_that_keeps_the_order(lam):
    s = np.concatenate([-np.geomspace(1e-9, 1e6, 200)[::-1], [0.0], np.geomspace(1e-9, 1e6, 200)])
    u = warp(s, lam)
    assert np.all(np.diff(u) > 0)
    # where the warp is a logarithm u keeps 16 digits of at most 14
    assert unwarp(u, lam) == pytest.approx(s, rel=1e-12)


@every_lam
@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 50.0])
def test_the_slope_of_the_warp_is_its_derivative_in_lam(lam, size):
    s = size * np.array([-3.0, -1.0, -0.1, 0.1, 1.0, 3.0])
    step = 1e-4
    if lam - step < 0 or lam + step > 2:  # one-sided at the ends, of second order
        side = step if lam < 1 else -step
        difference = (-3 * warp(s, lam) + 4 * warp(s, lam + side) - warp(s, lam + 2 * side)) / (2 * side)
    else:
        difference = (warp(s, lam + step) - warp(s, lam - step)) / (2 * step)
    # the third derivative grows with (1 + s)² log³(1 + s): 4e6 at s = 150
    largest = np.abs(warp_slope(s, lam)).max()
    assert warp_slope(s, lam) == pytest.approx(difference, rel=1e-6, abs=1e-6 * largest + 1e-11 * size)


@pytest.mark.parametrize("p", [0.0, 1e-12, 1e-6, 1e-3, 5e-3, 2e-2, 0.3])
def test_the_slope_is_its_power_series(p):
    # d/dp ((1 + s)^p − 1)/p = L² Σ_{k ≥ 2} (k − 1)/k! (pL)^(k−2), L = log(1 + s); all terms are positive
    s = np.geomspace(1e-6, 1e3, 300)
    log = np.log1p(s)
    series = log**2 * sum((k - 1) / math.factorial(k) * (p * log) ** (k - 2) for k in range(2, 40))
    assert warp_slope(s, p) == pytest.approx(series, rel=1e-11)
    # 2 − (2 − p) has an absolute error of 2e-16, and so has the power
    assert warp_slope(-s, 2.0 - p) == pytest.approx(series, rel=1e-11)


@pytest.mark.parametrize("unit", [1.0, 1e-300, 1e300, 1e307, 1e-310])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@every_lam
def test_there_and_back_is_the_identity_in_any_unit(unit, sign, lam):
    y = Y * unit
    outcome = standardised(y, sign, lam)
    z = outcome(y)
    assert np.all(np.isfinite(z))
    assert z.mean() == pytest.approx(0.0, abs=1e-12)
    assert z.std() == pytest.approx(1.0, abs=1e-12)
    # a subnormal 1e-310 has ten digits itself
    assert outcome.inverse(z) == pytest.approx(y, rel=1e-9, abs=1e-12 * unit)
    assert np.array_equal(np.argsort(sign * y), np.argsort(z))


def test_the_largest_doubles_are_no_exception():
    y = np.array([-1e308, 0.0, 1e308, 1.7e308, 1.2e308])
    outcome = standardised(y, 1.0)
    assert np.all(np.isfinite(outcome(y)))
    assert outcome.inverse(outcome(y)) == pytest.approx(y, rel=1e-12, abs=1e295)


@every_lam
@pytest.mark.parametrize("a", [1e-200, 0.1, 3.0, 1e6])
@pytest.mark.parametrize("b", [-5.0, 0.0, 100.0])
def test_units_and_origin_of_the_outputs_do_not_matter(lam, a, b):
    y = a * (Y + b)
    # the shift by 100 costs two digits
    assert standardised(y, 1.0, lam)(y) == pytest.approx(standardised(Y, 1.0, lam)(Y), abs=1e-11)


@every_lam
def test_a_power_of_two_changes_no_bit(lam):
    for exponent in (-900, 3, 900):
        y = math.ldexp(1.0, exponent) * Y
        assert np.array_equal(standardised(y, 1.0, lam)(y), standardised(Y, 1.0, lam)(Y))


@every_lam
def test_smaller_is_better_is_larger_is_better_upside_down(lam):
    assert np.array_equal(standardised(-Y, -1.0, lam)(-Y), standardised(Y, 1.0, lam)(Y))


@every_lam
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_derivative_is_a_central_difference(lam, sign):
    y = 40 + 7 * Y
    outcome = standardised(y, sign, lam)
    difference = (outcome(y + 1e-5) - outcome(y - 1e-5)) / 2e-5
    assert outcome.derivative(y) == pytest.approx(sign * difference, rel=1e-7)


@pytest.mark.parametrize("value", [0.0, 7.0, -1e300, 1e-300, 5e-324, 1.7e308])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_constant_outputs_are_zero(value, n):
    y = np.full(n, value)
    outcome = standardised(y, 1.0)
    assert np.array_equal(outcome(y), np.zeros(n))
    assert np.array_equal(outcome.inverse(np.zeros(n)), y)


def test_constant_up_to_rounding_is_constant():
    y = 0.1 + np.arange(10) * 1e-17
    y[3] = np.nextafter(0.1, 1)
    assert np.all(np.abs(standardised(y, 1.0)(y)) < 10)


def test_no_outputs_leave_the_identity():
    assert standardised(np.zeros(0), -1.0) == Outcome(sign=-1.0)
    assert Outcome()(Y) == pytest.approx(Y, rel=1e-15)


@pytest.mark.parametrize("outlier", [1e12, -1e12, 1e100, -1e100, 1.7e308, -1.7e308])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_outlier_does_not_hide_the_rest(outlier, sign):
    y = Y.copy()
    y[3] = outlier
    rest = np.arange(40) != 3
    lam = 0.0 if sign * outlier > 0 else 2.0
    outcome = standardised(y, sign, lam)
    z = outcome(y)
    assert np.all(np.isfinite(z))
    assert np.array_equal(np.argsort(z[rest]), np.argsort(sign * Y[rest]))
    assert np.std(z[rest]) > 1e-3  # not squeezed into one value


@every_lam
@pytest.mark.parametrize("outlier", [1e200, -1e200, 1.7e308, -1.7e308])
def test_no_penalty_overflows(lam, outlier):
    y = Y.copy()
    y[0] = outlier
    outcome = standardised(y, 1.0, lam)
    for part in (outcome(y), outcome.derivative(y), warp_slope(outcome.standard(y), lam)):
        assert np.all(np.isfinite(part))
    assert outcome.standard(y)[0] == (FARTHEST if outlier > 0 else outcome.floor)


def test_half_of_the_values_may_be_equal():
    y = np.array([1.0] * 20 + [2.0, 3.0, 4.0])
    z = standardised(y, 1.0)(y)
    assert z.std() == pytest.approx(1.0)
    assert len(np.unique(z)) == 4


@settings(deadline=None, max_examples=200)
@given(
    y=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12),
    lam=st.floats(0, 2),
    sign=st.sampled_from([1.0, -1.0]),
)
def test_any_finite_outputs_become_finite_and_keep_their_order(y, lam, sign):
    y = np.array(y)
    z = standardised(y, sign, lam)(y)
    assert np.all(np.isfinite(z))
    assert np.all(np.diff(z[np.argsort(sign * y)]) >= 0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_isolated_bad_values_count_as_bad_as_the_rest_is_wide(sign):
    rest = np.linspace(0.0, 1.0, 20)
    for penalty in (1e4, 1e12, 1e300):
        y = sign * np.concatenate([rest, [-penalty, -2 * penalty]])
        s = standardised(y, sign).standard(y)
        assert s[20] == s[21] == pytest.approx(s[:20].min() - np.ptp(s[:20]))
        assert np.all(np.diff(s[:20]) > 0)


def test_good_values_and_gradual_tails_are_never_cut_off():
    for y in (np.append(np.linspace(0.0, 1.0, 20), 1e12), -np.geomspace(1.0, 1e12, 40), np.full(9, 3.0)):
        s = standardised(y, 1.0).standard(y)
        assert np.all(np.diff(s) != 0) or np.ptp(y) == 0
