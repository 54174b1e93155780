"""From the user's outputs to the model's and back: monotone, invertible, and blind to units."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp.transform import (
    FARTHEST,
    Outcome,
    lam_slopes,
    log_slope,
    rounded_to,
    standardised,
    unwarp,
    warp,
)
from suffice.record.encoding import Codec, named

LAMS = [0.0, 1e-9, 0.3, 1.0, 1.0 + 1e-9, 1.01, 1.7, 2.0]
every_lam = pytest.mark.parametrize("lam", LAMS)
TOP = 1.5
Y = np.random.default_rng(0).standard_normal(40)
S = np.concatenate([-np.geomspace(1e-9, 1e6, 200)[::-1], [0.0], np.geomspace(1e-9, 1e6, 200)])


def by_the_book(s, lam):
    if lam > 1:
        kappa = math.exp(9 * (lam - 1)) - 1
        return -math.log(1 + kappa * (TOP - s)) / kappa if s < TOP else s - TOP
    if s >= 0:
        return math.log(1 + s) if lam == 0 else ((1 + s) ** lam - 1) / lam
    return -((1 - s) ** (2 - lam) - 1) / (2 - lam)


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0, 1.2, 1.7, 2.0])
def test_the_warp_is_what_its_docstring_says(lam):
    s = np.linspace(-20, 20, 101)
    assert warp(s, lam, TOP) == pytest.approx([by_the_book(v, lam) for v in s], rel=1e-12, abs=1e-14)


def test_below_one_the_warp_is_scipys():
    from scipy.stats import yeojohnson

    for lam in (0.0, 1e-9, 0.3, 1.0):
        assert warp(Y, lam, TOP) == pytest.approx(yeojohnson(Y, lam), rel=1e-6, abs=1e-6)  # theirs cancels near 0


def test_the_warp_with_one_is_the_identity_and_from_above_the_limit_is():
    s = np.linspace(-9, 9, 33)
    assert warp(s, 1.0, TOP) == pytest.approx(s, abs=1e-14)
    assert warp(s, 1.0 + 1e-9, TOP) == pytest.approx(s - TOP, abs=1e-6)  # a shift is standardised away


@every_lam
def test_the_warp_is_a_bijection_that_keeps_the_order(lam):
    u = warp(S, lam, TOP)
    # The slope is between 1 and 1/(1 + κ r): neighbours 1e-9 apart may be one number after a shift by the top.
    assert np.all(np.diff(u) >= 0)
    assert np.all(np.diff(u)[np.diff(S) > 1e-6] > 0)
    # κ u ≤ 25 has an absolute error of 4e-15, and so has log(1 + κ r): a relative one of 1 + κ r
    assert unwarp(u, lam, TOP) == pytest.approx(S, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("lam", [1.01, 1.7, 2.0])
def test_the_good_side_of_the_top_keeps_its_shape_where_the_other_is_pulled_in(lam):
    assert np.diff(warp(np.array([TOP, TOP + 1.0, TOP + 50.0]), lam, TOP)) == pytest.approx([1.0, 49.0])
    below = np.diff(warp(TOP - np.array([50.0, 1.0, 0.0]), lam, TOP))
    assert below[0] < 49.0
    assert below[1] < 1.0


def test_the_logarithm_of_the_shortfall_resolves_the_best_values():
    # From a shortfall of 1 to one of 1000 is not much further than from 0.001 to 1.
    u = warp(TOP - np.array([1000.0, 1.0, 1e-3]), 2.0, TOP)
    assert u[1] - u[0] < 1.1 * (u[2] - u[1])


@every_lam
def test_the_log_slope_is_that_of_a_central_difference(lam):
    s = np.linspace(-20, 20, 100)  # not at 0 and at the top, where the second derivative jumps
    difference = (warp(s + 1e-5, lam, TOP) - warp(s - 1e-5, lam, TOP)) / 2e-5
    assert log_slope(s, lam, TOP) == pytest.approx(np.log(difference), abs=1e-6)


@pytest.mark.parametrize("lam", [0.0, 1e-9, 0.3, 1.0, 1.01, 1.2, 1.7, 2.0])
def test_the_slopes_in_lam_are_derivatives(lam):
    for size, which in product((1e-12, 1e-3, 1.0, 50.0), (warp, log_slope)):
        assert_lam_slope(lam, size, which)


def assert_lam_slope(lam, size, which):
    s = TOP * (lam > 1) + size * np.array([-3.0, -1.0, -0.1, 0.1, 1.0, 3.0])
    step = 1e-5

    def at(shift):
        return which(s, lam + shift, TOP)

    if lam < step or lam in (1.0, 2.0):  # one-sided at the ends, of second order
        side = step if lam < step else -step
        difference = (-3 * at(0) + 4 * at(side) - at(2 * side)) / (2 * side)
    else:
        difference = (at(step) - at(-step)) / (2 * step)
    slope = lam_slopes(s, lam, TOP)[0 if which is warp else 1]
    assert slope == pytest.approx(difference, rel=1e-5, abs=1e-6 * np.abs(slope).max() + 1e-9 * size)


@pytest.mark.parametrize("lam", [1 + 1e-12, 1 + 1e-6, 1.001, 1.01, 1.1])
def test_the_slope_in_lam_of_the_logarithm_is_its_power_series(lam):
    # d/dκ of −log(1 + κ r)/κ = r² Σ_{k ≥ 0} (−1)^k (k + 1)/(k + 2) (κ r)^k, |κ r| < 1
    kappa = math.expm1(9 * (lam - 1))
    r = np.geomspace(1e-6, 0.3 / max(kappa, 0.1), 300)
    x = kappa * r
    series = r**2 * sum((-1) ** k * (k + 1) / (k + 2) * x**k for k in range(60))
    # where the two forms meet, at x = 1e-3, the closed one has lost six of 16 digits
    assert lam_slopes(TOP - r, lam, TOP)[0] == pytest.approx(9 * (kappa + 1) * series, rel=1e-8)


@pytest.mark.parametrize("p", [0.0, 1e-12, 1e-6, 1e-3, 5e-3, 2e-2, 0.3])
def test_the_slope_is_its_power_series(p):
    # d/dp ((1 + s)^p − 1)/p = L² Σ_{k ≥ 2} (k − 1)/k! (pL)^(k−2), L = log(1 + s); all terms are positive
    s = np.geomspace(1e-6, 1e3, 300)
    log = np.log1p(s)
    series = log**2 * sum((k - 1) / math.factorial(k) * (p * log) ** (k - 2) for k in range(2, 40))
    assert lam_slopes(s, p, TOP)[0] == pytest.approx(series, rel=1e-11)


@pytest.mark.parametrize(
    ("unit", "lam"),
    [*((1.0, lam) for lam in LAMS), (1e-300, 0.3), (1e300, 1.7), (1e307, 0.0), (1e-310, 2.0), (1e-310, 1.0)],
)
def test_there_and_back_is_the_identity_in_any_unit(unit, lam):
    y = Y * unit
    outcome = standardised(y, lam)
    z = outcome(y)
    assert np.all(np.isfinite(z))
    assert z.mean() == pytest.approx(0.0, abs=1e-12)
    assert z.std() == pytest.approx(1.0, abs=1e-12)
    # a subnormal 1e-310 has ten digits itself
    assert outcome.inverse(z) == pytest.approx(y, rel=1e-9, abs=1e-12 * unit)
    assert np.array_equal(np.argsort(y), np.argsort(z))


def test_the_largest_doubles_are_no_exception():
    y = np.array([-1e308, 0.0, 1e308, 1.7e308, 1.2e308])
    outcome = standardised(y)
    assert np.all(np.isfinite(outcome(y)))
    assert outcome.inverse(outcome(y)) == pytest.approx(y, rel=1e-12, abs=1e295)


@given(lam=st.sampled_from(LAMS) | st.floats(0, 2), log_a=st.floats(-200, 6), b=st.floats(-5, 100))
def test_units_and_origin_of_the_outputs_do_not_matter(lam, log_a, b):
    y = 10.0**log_a * (Y + b)
    # the shift by 100 costs two digits
    assert standardised(y, lam)(y) == pytest.approx(standardised(Y, lam)(Y), abs=1e-11)


@every_lam
def test_a_power_of_two_changes_no_bit(lam):
    for exponent in (-900, 3, 900):
        y = math.ldexp(1.0, exponent) * Y
        assert np.array_equal(standardised(y, lam)(y), standardised(Y, lam)(Y))


@every_lam
def test_the_derivative_is_a_central_difference(lam):
    y = 40 + 7 * Y
    outcome = standardised(y, lam)
    y = y[y < y.max()]  # not at the best, where the second derivative jumps
    difference = (outcome(y + 1e-5) - outcome(y - 1e-5)) / 2e-5
    assert outcome.derivative(y) == pytest.approx(difference, rel=1e-7)


@pytest.mark.parametrize("value", [0.0, 7.0, -1e300, 1e-300, 5e-324, 1.7e308])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_constant_outputs_are_zero(value, n):
    y = np.full(n, value)
    outcome = standardised(y)
    assert np.array_equal(outcome(y), np.zeros(n))
    assert np.array_equal(outcome.inverse(np.zeros(n)), y)


def test_constant_up_to_rounding_is_constant():
    y = 0.1 + np.arange(10) * 1e-17
    y[3] = np.nextafter(0.1, 1)
    assert np.all(np.abs(standardised(y)(y)) < 10)


def test_no_outputs_leave_the_identity():
    assert standardised(np.zeros(0)) == Outcome()
    assert Outcome()(Y) == pytest.approx(Y, rel=1e-15)


@pytest.mark.parametrize("outlier", [1e12, -1e12, 1e100, -1e100, 1.7e308, -1.7e308])
def test_one_outlier_does_not_hide_the_rest(outlier):
    y = Y.copy()
    y[3] = outlier
    rest = np.arange(40) != 3
    lam = 0.0 if outlier > 0 else 2.0
    outcome = standardised(y, lam)
    z = outcome(y)
    assert np.all(np.isfinite(z))
    assert np.array_equal(np.argsort(z[rest]), np.argsort(Y[rest]))
    assert np.std(z[rest]) > 1e-3  # not squeezed into one value


@pytest.mark.parametrize(
    ("outlier", "lam"),
    [*((-1.7e308, lam) for lam in LAMS), (1.7e308, 0.3), (1.7e308, 2.0), (1e200, 1.7), (-1e200, 0.0)],
)
def test_no_penalty_overflows(lam, outlier):
    y = Y.copy()
    y[0] = outlier
    outcome = standardised(y, lam)
    for part in (outcome(y), outcome.derivative(y), *lam_slopes(outcome.standard(y), lam, outcome.top)):
        assert np.all(np.isfinite(part))
    assert outcome.standard(y)[0] == (FARTHEST if outlier > 0 else outcome.floor)


def test_half_of_the_values_may_be_equal():
    y = np.array([1.0] * 20 + [2.0, 3.0, 4.0])
    z = standardised(y)(y)
    assert z.std() == pytest.approx(1.0)
    assert len(np.unique(z)) == 4


@settings(deadline=None, max_examples=200)
@given(
    y=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12),
    lam=st.floats(0, 2),
)
def test_any_finite_outputs_become_finite_and_keep_their_order(y, lam):
    y = np.array(y)
    z = standardised(y, lam)(y)
    assert np.all(np.isfinite(z))
    assert np.all(np.diff(z[np.argsort(y)]) >= 0)


def test_isolated_bad_values_count_as_bad_as_the_rest_is_wide():
    rest = np.linspace(0.0, 1.0, 20)
    for penalty in (1e4, 1e12, 1e300):
        y = np.concatenate([rest, [-penalty, -2 * penalty]])
        s = standardised(y).standard(y)
        assert s[20] == s[21] == pytest.approx(s[:20].min() - np.ptp(s[:20]))
        assert np.all(np.diff(s[:20]) > 0)


def test_good_values_and_gradual_tails_are_never_cut_off():
    for y in (np.append(np.linspace(0.0, 1.0, 20), 1e12), -np.geomspace(1.0, 1e12, 40), np.full(9, 3.0)):
        s = standardised(y).standard(y)
        assert np.all(np.diff(s) != 0) or np.ptp(y) == 0


@pytest.mark.parametrize("unit", [1.0, -0.37, 1e-200, 7e150])
def test_values_on_a_grid_are_rounded_in_every_unit_and_order(unit):
    y = unit * (np.round(10 * Y) + 3)
    step = rounded_to(standardised(y).standard(y))
    assert step * standardised(y).spread * standardised(y).unit == pytest.approx(abs(unit), rel=1e-6)
    shuffled = np.random.default_rng(1).permutation(y)
    assert rounded_to(standardised(shuffled).standard(shuffled)) == step


@pytest.mark.parametrize(
    "s",
    [
        *(Y, np.round(Y, 6), np.zeros(9), np.zeros(0)),
        np.concatenate([Y, np.full(30, -5.0)]),  # a penalty or a plateau
        np.concatenate([np.zeros(30), [1.0]]),  # a needle
        np.concatenate([Y, Y]),  # the symmetry of a function
    ],
    ids=["all differ", "few ties", "constant", "none", "plateau", "needle", "symmetric"],
)
def test_values_that_merely_tie_are_not_rounded(s):
    assert rounded_to(s) == 0.0


def test_rounding_has_the_variance_of_a_uniform_error():
    # of the warped error itself, as long as the step is small beside what bends the warp
    outcome = Outcome(spread=2.0, lam=0.4, top=TOP, scale=1.7, step=0.01)
    y = 2.0 * np.linspace(-1, 1, 9)
    error = 2.0 * 0.01 * np.linspace(-0.5, 0.5, 2001)
    seen = np.var(outcome(y[:, None] + error), axis=1)
    assert outcome.rounding(y) == pytest.approx(seen, rel=5e-3)


def test_an_outcome_of_an_earlier_file_has_no_step():
    plain = Codec(named(Outcome)).encode(standardised(Y))
    del plain["step"]
    assert Codec(named(Outcome)).decode(plain) == standardised(Y)
