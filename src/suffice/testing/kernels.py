"""What every kernel promises to the posterior, the fit, the screening and the sample paths.

D      (n,)     squared scaled distances        k, h   (n,)   the profile and its slope there
omega  (m, d)   frequencies, drawn from the spectral density
"""

import numpy as np
import pytest

from suffice.gp.kernels import Stationary
from suffice.gp.screening import KERNEL_ERROR
from suffice.testing.fakes import assert_frozen, assert_travels
from suffice.types import Array


class KernelContract:
    """The contract of a kernel: k(x, x) = 1, positive definite, a decreasing profile with its slope and its spectrum.

    A subclass has the fixture `kernel`.
    """

    @pytest.fixture
    def kernel(self) -> Stationary:
        raise NotImplementedError(
            "override the fixture `kernel` with one that returns the kernel to test, length-scale 1"
        )

    @pytest.fixture
    def distances(self) -> Array:
        return np.concatenate([[0.0], np.geomspace(1e-12, 1e6, 20_000), np.linspace(1e-3, 60.0, 20_000)])

    @pytest.fixture
    def points(self) -> Array:
        return np.random.default_rng(1).random((60, 3))

    def test_a_point_has_unit_covariance_with_itself(self, kernel: Stationary, points: Array) -> None:
        for scale in (5e-3, 0.3, 100.0):
            K = kernel.with_lengthscale(np.full(3, scale))(points, points.copy())
            assert np.array_equal(np.diagonal(K), np.ones(60))

    def test_the_order_of_two_points_does_not_matter(self, kernel: Stationary, points: Array) -> None:
        assert kernel(points, points[:7]) == pytest.approx(kernel(points[:7], points).T, abs=1e-13)

    def test_one_row_at_a_time_is_the_whole_matrix(self, kernel: Stationary, points: Array) -> None:
        columns = [kernel(points, point[None])[:, 0] for point in points]
        assert np.column_stack(columns) == pytest.approx(kernel(points, points), abs=1e-10)

    def test_only_differences_matter(self, kernel: Stationary, points: Array) -> None:
        A, B = points[:20], points[20:]
        assert kernel(A + 0.37, B + 0.37) == pytest.approx(kernel(A, B), abs=1e-10)

    def test_every_matrix_is_positive_definite(self, kernel: Stationary) -> None:
        rng = np.random.default_rng(2)
        for d, scale in ((1, 0.1), (2, 0.5), (8, 1.0)):
            X = rng.random((80, d))
            K = kernel.with_lengthscale(np.full(d, scale))(X, X)
            # 80 · 80 entries of 1e-16 each
            assert np.linalg.eigvalsh((K + K.T) / 2).min() > -1e-12

    def test_length_scales_are_units_of_length(self, kernel: Stationary, points: Array) -> None:
        ell = np.array([0.1, 0.7, 20.0])
        assert kernel.with_lengthscale(ell)(points, points[::2]) == pytest.approx(
            kernel(points / ell, points[::2] / ell), abs=1e-10
        )

    def test_one_length_scale_is_the_same_for_all_columns(self, kernel: Stationary, points: Array) -> None:
        assert np.array_equal(kernel.with_lengthscale(np.ones(3))(points, points), kernel(points, points))

    def test_the_profile_falls_from_one_to_zero(self, kernel: Stationary, distances: Array) -> None:
        D = np.sort(distances)
        k = kernel.profile(D.copy())
        assert k[0] == 1.0
        assert np.all(np.diff(k) <= 1e-15)
        assert np.all(k >= 0.0)
        assert k[-1] < 1e-100

    def test_both_ways_to_the_profile_agree(self, kernel: Stationary, distances: Array) -> None:
        one, other = kernel.profile_and_slope(distances.copy())[0], kernel.profile(distances.copy())
        assert one == pytest.approx(other, abs=1e-15)

    def test_the_slope_is_the_derivative_of_the_profile(self, kernel: Stationary) -> None:
        D = np.geomspace(1e-4, 60.0, 200)
        step = 1e-5 * D
        difference = (kernel.profile(D + step) - kernel.profile(D - step)) / (2 * step)
        slope = kernel.profile_and_slope(D.copy())[1]
        # the difference of two values near one keeps about 16 − 5 digits of D · slope
        assert D * slope == pytest.approx(D * difference, rel=1e-6, abs=1e-10)
        assert np.all(slope <= 0.0)

    def test_the_slope_is_finite_everywhere(self, kernel: Stationary) -> None:
        k, h = kernel.profile_and_slope(np.array([0.0, 1e-300, 1e-30, 1e-16, 1e3, 1e6, 1e12]))
        assert np.all(np.isfinite(k))
        assert np.all(np.isfinite(h))

    def test_the_profile_keeps_the_precision_it_is_given(self, kernel: Stationary) -> None:
        assert kernel.profile(np.ones((2, 3), dtype=np.float32)).dtype == np.float32
        assert kernel.profile(np.ones((2, 3))).dtype == np.float64

    def test_screening_knows_the_error_of_single_precision(self, kernel: Stationary, distances: Array) -> None:
        single = kernel.profile(distances.astype(np.float32)).astype(float)
        assert np.max(np.abs(single - kernel.profile(distances.copy()))) < KERNEL_ERROR

    def test_the_frequencies_have_the_kernel_as_their_characteristic_function(self, kernel: Stationary) -> None:
        rng = np.random.default_rng(3)
        m, pairs = 200_000, 20
        omega = kernel.frequencies(m, 3, rng)
        lags = rng.standard_normal((pairs, 3)) * np.geomspace(0.1, 3.0, pairs)[:, None]
        assert omega.shape == (m, 3)
        estimate = np.cos(omega @ lags.T).mean(axis=0)
        # Hoeffding: one mean of cosines is off by t with probability at most 2 exp(−m t²/2); all 20: 1e-6
        t = np.sqrt(2 * np.log(2 * pairs / 1e-6) / m)
        assert np.max(np.abs(estimate - kernel(lags, np.zeros((1, 3)))[:, 0])) < t

    def test_the_stream_decides_the_frequencies(self, kernel: Stationary) -> None:
        first, again, other = (kernel.frequencies(9, 2, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)

    @pytest.mark.parametrize(("n", "m", "d"), [(0, 0, 2), (0, 3, 2), (3, 0, 2), (3, 1, 0), (3, 4, 0)])
    def test_no_rows_and_no_columns_are_fine(self, kernel: Stationary, n: int, m: int, d: int) -> None:
        K = kernel(np.ones((n, d)), np.ones((m, d)))
        assert np.array_equal(K, np.ones((n, m)))

    def test_points_are_left_as_they_were(self, kernel: Stationary, points: Array) -> None:
        kept = points.copy()
        kernel(points, points)
        kernel(points, points[:1])
        assert np.array_equal(points, kept)

    @pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
    def test_a_length_scale_is_positive_and_finite(self, kernel: Stationary, wrong: float) -> None:
        with pytest.raises(ValueError, match="lengthscale must be positive and finite"):
            kernel.with_lengthscale(np.array([1.0, wrong]))

    def test_a_kernel_is_a_value(self, kernel: Stationary) -> None:
        assert_travels(kernel)
        assert_frozen(kernel)
        assert kernel.with_lengthscale(np.array([0.5])) != kernel
