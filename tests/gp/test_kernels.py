"""The formulas of the docstrings, one number at a time, and their limits. What holds for any kernel is a contract."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gamma, kv

from suffice.gp.kernels import RBF, Matern


def rbf_by_the_book(r):
    return math.exp(-(r**2) / 2)


def matern12_by_the_book(r):
    return math.exp(-r)


def matern32_by_the_book(r):
    return (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r)


def matern52_by_the_book(r):
    return (1 + math.sqrt(5) * r + 5 * r**2 / 3) * math.exp(-math.sqrt(5) * r)


def matern_by_the_book(nu, r):
    u = math.sqrt(2 * nu) * r
    return 2 ** (1 - nu) / gamma(nu) * u**nu * kv(nu, u)


CLOSED = {
    "rbf": (RBF(), rbf_by_the_book),
    "matern12": (Matern(0.5), matern12_by_the_book),
    "matern32": (Matern(1.5), matern32_by_the_book),
    "matern52": (Matern(2.5), matern52_by_the_book),
}
RADII = np.concatenate([np.geomspace(1e-6, 1.0, 50), np.linspace(1.0, 20.0, 50)])


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_form_is_what_its_docstring_says(name):
    kernel, by_the_book = CLOSED[name]
    assert kernel.profile(RADII**2) == pytest.approx([by_the_book(r) for r in RADII], rel=1e-13, abs=1e-16)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5, 0.9, 1.0, 1.5, 2.0, 2.5, 3.7, 10.0, 50.0])
def test_any_matern_is_what_its_docstring_says(nu):
    # by the book a power times a Bessel function, in the code the sum of their logarithms: about 13 digits remain
    expected = [matern_by_the_book(nu, r) for r in RADII if math.isfinite(kv(nu, math.sqrt(2 * nu) * r))]
    got = Matern(nu).profile(RADII[-len(expected) :] ** 2)
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", ["matern12", "matern32", "matern52"])
def test_the_bessel_form_meets_the_closed_forms(name):
    closed, _ = CLOSED[name]
    D = np.concatenate([[0.0], RADII**2])
    k, h = closed.profile_and_slope(D.copy())
    next_k, next_h = Matern(math.nextafter(closed.nu, math.inf)).profile_and_slope(D.copy())
    assert next_k == pytest.approx(k, rel=1e-12)
    assert next_h == pytest.approx(h, rel=1e-12)
    below, above = (Matern(closed.nu + step).profile(D.copy()) for step in (-1e-6, 1e-6))
    assert below == pytest.approx(k, abs=1e-6)
    assert above == pytest.approx(k, abs=1e-6)
    assert (below + above) / 2 == pytest.approx(k, abs=1e-11)  # smooth in ν: the first order cancels


def test_the_matern_kernel_tends_to_the_squared_exponential():
    errors = [np.max(np.abs(Matern(nu).profile(RADII**2) - RBF().profile(RADII**2))) for nu in (6.25, 12.5, 25.0, 50.0)]
    assert errors[-1] < 0.005
    # k_ν = RBF + O(1/ν): twice the ν, half the distance
    assert np.array(errors[:-1]) / errors[1:] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("nu", [1.2, 1.5, 2.0, 2.5, 7.0, 50.0])
def test_smooth_kernels_start_as_a_parabola(nu):
    slope = -nu / (2 * (nu - 1))
    k, h = Matern(nu).profile_and_slope(np.array([0.0, 1e-300, 1e-16]))
    assert k == pytest.approx(1.0, abs=1e-15)
    # next order: D^(ν−1), at ν = 1.2 and D = 1e-16 already 5e-4
    assert h[:2] == pytest.approx(slope, rel=1e-12)
    assert h[2] == pytest.approx(slope, rel=2e-3)


@pytest.mark.parametrize("nu", [0.05, 0.1, 0.3, 0.45, 0.7])
def test_rough_kernels_start_as_a_power(nu):
    # K_ν by the first terms of its two power series
    D = np.array([1e-24, 1e-20, 1e-16, 1e-12])
    expected = gamma(1 - nu) / gamma(1 + nu) * (nu * D / 2) ** nu - nu * D / (2 * (1 - nu))
    assert 1 - Matern(nu).profile(D.copy()) == pytest.approx(expected, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.8])
def test_an_infinite_slope_is_zero_by_convention(nu):
    assert Matern(nu).profile_and_slope(np.zeros(2))[1] == pytest.approx([0.0, 0.0], abs=0)


@pytest.mark.parametrize("wrong", [0.0, -0.5, math.nan, math.inf, 51.0, 1000.0])
def test_a_nu_that_cannot_be_computed_is_refused_with_the_way_out(wrong):
    with pytest.raises(ValueError, match=r"nu must be in \(0, 50\].*RBF"):
        Matern(wrong)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 12), log_ell=st.floats(-5.3, 4.6), m=st.integers(1, 20))
def test_squared_distances_are_sums_of_squares(seed, d, log_ell, m):
    rng = np.random.default_rng(seed)
    kernel = RBF().with_lengthscale(np.exp(log_ell) * rng.uniform(0.5, 2.0, d))
    A, B = rng.random((15, d)), rng.random((m, d))
    expected = (((A[:, None] - B[None]) / kernel.lengthscale) ** 2).sum(axis=2)
    # one matrix product cancels at most 10 of 16 digits
    assert kernel.squared_distance(A, B) == pytest.approx(expected, rel=1e-4, abs=1e-14 * expected.max())


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("scale", [5e-3, 0.3, 100.0])
def test_the_distance_of_near_duplicates_is_not_rounding(gap, scale):
    A = np.random.default_rng(0).random((50, 6))
    B = A + gap
    D = np.diagonal(RBF(scale).squared_distance(A, B))
    expected = (((B - A) / scale) ** 2).sum(axis=1)
    assert D == pytest.approx(expected, rel=1e-3, abs=0)


def test_gradients_in_points_and_length_scales_follow_from_the_slope():
    rng = np.random.default_rng(5)
    x, y, ell = rng.random(3), rng.random(3), np.array([0.3, 0.7, 1.1])
    for kernel, _ in CLOSED.values():
        h = kernel.profile_and_slope(kernel.with_lengthscale(ell).squared_distance(x[None], y[None]))[1][0, 0]

        def value(x, ell, kernel=kernel):
            return kernel.with_lengthscale(ell)(x[None], y[None])[0, 0]

        for j, step in enumerate(1e-5 * np.eye(3)):
            in_x = (value(x + step, ell) - value(x - step, ell)) / 2e-5
            in_log = (value(x, ell * np.exp(step)) - value(x, ell * np.exp(-step))) / 2e-5
            assert in_x == pytest.approx(2 * h * (x - y)[j] / ell[j] ** 2, abs=1e-9)
            assert in_log == pytest.approx(-2 * h * (x - y)[j] ** 2 / ell[j] ** 2, abs=1e-9)
