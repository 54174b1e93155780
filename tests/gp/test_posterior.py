"""The posterior against the paper's formulas, its limits and its derivatives."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import FIRST_TAU, JITTERS, Factor, Posterior

KERNELS = {"rbf": RBF(), "matern12": Matern(0.5), "matern32": Matern(1.5), "matern52": Matern(2.5), "bessel": Matern(2)}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def problem(n, d, kernel, seed=0, tau=1e-3):
    """A posterior with its own length-scale in each column, noise of its own at each point, a scale and a mean."""
    rng = np.random.default_rng(seed)
    kernel = kernel.with_lengthscale(rng.uniform(0.2, 1.0, d) * math.sqrt(max(d, 1)))
    X, z = rng.random((n, d)), rng.standard_normal(n)
    return Posterior.condition(kernel, X, z, tau * rng.uniform(1.0, 5.0, n), scale=1.7, constant=0.4)


def by_the_book(p, X):
    """μ = m + k'(K + τI)⁻¹(z − m) and Σ = s²(k(X, X) − k'(K + τI)⁻¹k)."""
    K, k = p.kernel(p.X, p.X) + np.diag(p.factor.tau), p.kernel(p.X, X)
    mean = p.constant + k.T @ np.linalg.solve(K, p.z - p.constant)
    return mean, p.scale**2 * (p.kernel(X, X) - k.T @ np.linalg.solve(K, k))


@every_kernel
@pytest.mark.parametrize(("n", "d"), [(0, 2), (2, 3), (64, 2), (65, 2), (150, 5)])
def test_prediction_is_the_papers(kernel, n, d):
    p = problem(n, d, kernel)
    X = np.random.default_rng(9).random((40, d))
    mean, covariance = by_the_book(p, X)
    assert p.mean(X) == pytest.approx(mean, abs=1e-10)
    assert p.predict(X)[0] == pytest.approx(mean, abs=1e-10)
    assert p.predict(X)[1] == pytest.approx(np.sqrt(np.diagonal(covariance)), abs=1e-9)
    assert p.covariance(X, X) == pytest.approx(covariance, abs=1e-10)
    assert p.covariance(X[:7], X[5:]) == pytest.approx(covariance[:7, 5:], abs=1e-10)


@every_kernel
def test_the_number_of_candidates_at_once_does_not_matter(kernel):
    p = problem(70, 3, kernel)
    X = np.random.default_rng(1).random((5000, 3))  # more than one block
    mean, std = p.predict(X)
    one_by_one = [p.predict(X[i : i + 1]) for i in range(0, 5000, 500)]
    assert np.ravel([m for m, _ in one_by_one]) == pytest.approx(mean[::500], abs=1e-10)
    assert np.ravel([s for _, s in one_by_one]) == pytest.approx(std[::500], abs=1e-9)


@every_kernel
def test_gain_and_norm_are_the_papers(kernel):
    p = problem(80, 2, kernel)
    K = p.kernel(p.X, p.X)
    assert p.gain == pytest.approx(0.5 * np.linalg.slogdet(np.eye(80) + K / p.factor.tau)[1], rel=1e-10)
    a = np.linalg.solve(K + np.diag(p.factor.tau), p.z - p.constant)
    assert p.a == pytest.approx(a, rel=1e-7)
    assert p.rkhs_norm == pytest.approx(math.sqrt(a @ K @ a), rel=1e-9)
    assert p.factor.solve(p.z) == pytest.approx(np.linalg.solve(K + np.diag(p.factor.tau), p.z), rel=1e-7)


def test_the_gain_never_falls_and_never_exceeds_its_bound():
    p, gains = problem(0, 2, Matern()), [0.0]
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = p.append(rng.random((1, 2)), rng.standard_normal(1), 0.01)
        gains.append(p.gain)
    assert np.all(np.diff(gains) > 0)
    assert gains[-1] <= 50 / 2 * math.log(1 + 1 / 0.01)
    # Σ ½ log(1 + σ²_{i−1}(x_i)/τ): the gain is the sum of what each point told at its time
    steps = []
    q = problem(0, 2, Matern())
    for i in range(50):
        std = q.predict(p.X[i : i + 1])[1][0] / q.scale
        steps.append(0.5 * math.log(1 + std**2 / 0.01))
        q = q.append(p.X[i : i + 1], p.z[i : i + 1], 0.01)
    assert np.diff(gains) == pytest.approx(steps, rel=1e-8)


@every_kernel
def test_the_mean_is_within_its_norm_of_the_prior(kernel):
    p = problem(40, 2, kernel)
    X = np.random.default_rng(3).random((500, 2))
    assert np.max(np.abs(p.mean(X) - p.constant)) <= p.rkhs_norm


@every_kernel
def test_without_data_the_posterior_is_the_prior(kernel):
    p = problem(0, 2, kernel)
    X = np.random.default_rng(0).random((9, 2))
    mean, std, d_mean, d_std = p.predict_grad(X)
    assert np.array_equal(mean, np.full(9, 0.4))
    assert np.array_equal(std, np.full(9, 1.7))
    assert not d_mean.any()
    assert not d_std.any()
    assert (p.gain, p.rkhs_norm, p.tau, p.n) == (0.0, 0.0, 0.0, 0)


def test_one_observation_by_hand():
    p = Posterior.condition(RBF(0.5), np.array([[0.2]]), np.array([3.0]), 0.25)
    k = math.exp(-0.5)
    mean, std = p.predict(np.array([[0.2], [0.7]]))
    assert mean == pytest.approx([3.0 / 1.25, 3.0 * k / 1.25])
    assert std == pytest.approx([math.sqrt(1 - 1 / 1.25), math.sqrt(1 - k**2 / 1.25)])


@every_kernel
def test_without_noise_the_mean_interpolates(kernel):
    rng = np.random.default_rng(2)
    X, z = rng.random((12, 3)), rng.standard_normal(12)
    for tau in (1e-4, 1e-6, 1e-8):
        mean, std = Posterior.condition(kernel.with_lengthscale(np.full(3, 0.4)), X, z, tau).predict(X)
        assert np.max(np.abs(mean - z)) < 1e3 * tau  # = τ |a|: |a| is at most a few hundred here
        assert np.all(std <= math.sqrt(tau) * 1.0001)


@every_kernel
def test_with_all_noise_nothing_is_learned(kernel):
    rng = np.random.default_rng(2)
    X, z = rng.random((12, 3)), rng.standard_normal(12)
    mean, std = Posterior.condition(kernel, X, z, 1e9).predict(X)
    assert mean == pytest.approx(0.0, abs=1e-7)
    assert std == pytest.approx(1.0, abs=1e-7)


@every_kernel
def test_far_from_the_data_the_prior_comes_back(kernel):
    p = Posterior.condition(kernel.with_lengthscale(np.full(2, 1e-2)), np.zeros((1, 2)), np.ones(1), 0.1, constant=0.3)
    mean, std = p.predict(np.ones((1, 2)))
    assert mean == pytest.approx(0.3, abs=1e-12)
    assert std == pytest.approx(1.0, abs=1e-12)


@every_kernel
def test_the_order_of_the_data_does_not_matter(kernel):
    p = problem(50, 3, kernel)
    order = np.random.default_rng(1).permutation(50)
    q = Posterior.condition(p.kernel, p.X[order], p.z[order], p.factor.tau[order], scale=1.7, constant=0.4)
    X = np.random.default_rng(2).random((30, 3))
    assert q.predict(X)[0] == pytest.approx(p.predict(X)[0], abs=1e-10)
    assert q.predict(X)[1] == pytest.approx(p.predict(X)[1], abs=1e-10)
    assert q.gain == pytest.approx(p.gain, rel=1e-11)


@every_kernel
def test_the_answer_moves_with_the_problem(kernel):
    p = problem(40, 2, kernel)
    X = np.random.default_rng(2).random((30, 2))
    mean, std = p.predict(X)
    moved = Posterior.condition(p.kernel, p.X + 0.3, p.z, p.factor.tau, scale=1.7, constant=0.4)
    assert moved.predict(X + 0.3)[0] == pytest.approx(mean, abs=1e-9)
    assert moved.predict(X + 0.3)[1] == pytest.approx(std, abs=1e-9)
    # 5 z + 2, with the prior scaled alike
    other = Posterior.condition(p.kernel, p.X, 5 * p.z + 2, p.factor.tau, scale=8.5, constant=4.0)
    assert other.predict(X)[0] == pytest.approx(5 * mean + 2, abs=1e-10)
    assert other.predict(X)[1] == pytest.approx(5 * std, abs=1e-10)


@every_kernel
@pytest.mark.parametrize("n", [1, 2, 40])
def test_gradients_are_central_differences(kernel, n):
    p = problem(n, 3, kernel, tau=1e-2)
    X, step = np.random.default_rng(4).random((20, 3)), 1e-5
    mean, std, d_mean, d_std = p.predict_grad(X)
    assert mean == pytest.approx(p.predict(X)[0], abs=1e-11)
    assert std == pytest.approx(p.predict(X)[1], abs=1e-10)
    for j, e in enumerate(step * np.eye(3)):
        (mean_up, std_up), (mean_down, std_down) = p.predict(X + e), p.predict(X - e)
        # third derivatives are below 1e4 here: 1e-10 · 1e4
        assert d_mean[:, j] == pytest.approx((mean_up - mean_down) / (2 * step), rel=1e-5, abs=1e-6)
        assert d_std[:, j] == pytest.approx((std_up - std_down) / (2 * step), rel=1e-5, abs=1e-6)


@every_kernel
def test_gradients_are_finite_at_the_data(kernel):
    p = problem(30, 2, kernel, tau=1e-8)
    for part in p.predict_grad(p.X):
        assert np.all(np.isfinite(part))


@every_kernel
@pytest.mark.parametrize("copies", [20, 500])
@pytest.mark.parametrize("noisy", [False, True], ids=["equal values", "different values"])
def test_duplicates_are_one_point_seen_more_often(kernel, copies, noisy):
    rng = np.random.default_rng(0)
    kernel = kernel.with_lengthscale(np.full(2, 0.3))
    unique = rng.random((5, 2))
    X = np.repeat(unique, copies // 5, axis=0)
    z = np.sin(5 * X.sum(axis=1)) + (0.1 * rng.standard_normal(copies) if noisy else 0.0)
    p = Posterior.condition(kernel, X, z, 1e-4)
    means = z.reshape(5, -1).mean(axis=1)  # a mean of n values with noise τ is one value with noise τ/n
    q = Posterior.condition(kernel, unique, means, 1e-4 / (copies // 5))
    T = np.vstack([unique, rng.random((200, 2))])
    # the condition number is 500 / 1e-4
    assert p.predict(T)[0] == pytest.approx(q.predict(T)[0], abs=1e-8)
    assert p.predict(T)[1] == pytest.approx(q.predict(T)[1], abs=1e-8)


@every_kernel
@pytest.mark.parametrize("tau", [1e-16, 1e-12, 1e-8, 1e-6])
def test_deviations_are_never_negative_nor_lost(kernel, tau):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((20, 2)), 3, axis=0)
    p = Posterior.condition(kernel, X, rng.standard_normal(60), tau)
    mean, std = p.predict(np.vstack([X, X + 1e-12, rng.random((500, 2))]))
    assert np.all(np.isfinite(mean))
    assert np.all(np.isfinite(std))
    assert np.all(std > 0)


def test_jitter_is_added_where_it_is_needed_and_recorded():
    X = np.tile(np.random.default_rng(0).random((1, 2)), (20, 1))
    well = Posterior.condition(Matern(), X, np.zeros(20), 1e-4)
    assert well.factor.jitter == 0.0
    assert np.array_equal(well.factor.tau, np.full(20, 1e-4))
    ill = Posterior.condition(Matern(), X, np.arange(20.0), 0.0)
    assert ill.factor.jitter in JITTERS[1:]
    assert np.array_equal(ill.factor.tau, np.full(20, ill.factor.jitter))
    grown = Posterior.condition(Matern(), X[:1], np.zeros(1), 0.0)
    for _ in range(19):
        grown = grown.append(X[:1], np.zeros(1), 0.0)
    grown = grown.append(X[:1] - 0.2, np.zeros(1), 0.0)  # which needs none
    assert grown.factor.jitter in JITTERS[1:]
    assert np.all(np.isfinite(grown.predict(X)[0]))


def test_a_matrix_that_no_kernel_makes_is_refused():
    class NotAKernel(RBF):
        def profile(self, D):
            return np.where(D > 0, -1.0, 1.0)

    with pytest.raises(np.linalg.LinAlgError, match=r"not positive definite even with 0\.001"):
        Factor.condition(NotAKernel(), np.random.default_rng(0).random((10, 2)), np.full(10, 1e-6))


def test_a_believed_point_keeps_the_mean_and_lowers_the_deviation():
    for kernel in KERNELS.values():
        p = problem(30, 2, kernel)
        pending, X = np.random.default_rng(1).random((3, 2)), np.random.default_rng(2).random((300, 2))
        q = p.believe(pending)
        assert q.mean(X) == pytest.approx(p.mean(X), abs=1e-9)
        assert np.all(q.predict(X)[1] <= p.predict(X)[1] + 1e-9)
        assert np.all(q.predict(pending)[1] <= p.scale * math.sqrt(p.tau) * 1.0001)
        assert q.gain > p.gain


def test_a_point_can_be_believed_before_anything_was_observed():
    q = problem(0, 2, Matern()).believe(np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert q.tau == FIRST_TAU
    assert math.isfinite(q.gain)
    assert q.mean(np.array([[0.4, 0.4]])) == pytest.approx(0.4)
    assert q.predict(np.array([[0.5, 0.5]]))[1] < 0.02 * 1.7


@every_kernel
def test_no_columns_leave_one_point_seen_n_times(kernel):
    z = np.array([1.0, 2.0, 4.0])
    p = Posterior.condition(kernel.with_lengthscale(np.ones(0)), np.zeros((3, 0)), z, 0.3)
    mean, std, d_mean, d_std = p.predict_grad(np.zeros((2, 0)))
    assert mean == pytest.approx(z.sum() / 3.3)
    assert std == pytest.approx(math.sqrt(0.3 / 3.3))
    assert d_mean.shape == d_std.shape == (2, 0)
    assert p.append(np.zeros((1, 0)), np.ones(1)).predict(np.zeros((1, 0)))[0] == pytest.approx(8 / 4.3)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_no_candidates_get_no_predictions(n):
    p = problem(n, 2, Matern())
    none = np.zeros((0, 2))
    assert [part.shape for part in p.predict_grad(none)] == [(0,), (0,), (0, 2), (0, 2)]
    assert p.predict(none)[0].shape == p.predict(none)[1].shape == p.mean(none).shape == (0,)
    assert p.covariance(none, np.ones((3, 2))).shape == (0, 3)


def test_what_is_not_said_has_its_neutral_value():
    p = Posterior.condition(Matern(), np.zeros((1, 3)), np.zeros(1), 0.1)
    assert (p.scale, p.constant, p.tau, p.n) == (1.0, 0.0, 0.1, 1)


def test_a_posterior_survives_the_way_to_another_process():
    p = problem(20, 2, Matern())
    p = p.append(np.full((1, 2), 0.3), np.ones(1))  # its rows live in a shared buffer
    q = pickle.loads(pickle.dumps(p))
    X = np.random.default_rng(0).random((9, 2))
    assert np.array_equal(q.predict(X), p.predict(X))
    more = np.full((2, 2), 0.6), np.ones(2), 0.01
    assert np.array_equal(q.append(*more).predict(X), p.append(*more).predict(X))


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 80),
    d=st.integers(1, 6),
    log_tau=st.floats(-6, 0),
    kernel=st.sampled_from(list(KERNELS.values())),
    log_ell=st.floats(-2, 1),
)
def test_any_data_give_finite_predictions_between_zero_and_the_prior(seed, n, d, log_tau, kernel, log_ell):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)) / 3 if seed % 2 else rng.random((n, d))  # a lattice has duplicates
    p = Posterior.condition(kernel.with_lengthscale(np.full(d, 10**log_ell)), X, rng.standard_normal(n), 10**log_tau)
    mean, std = p.predict(np.vstack([X, rng.random((20, d))]))
    assert np.all(np.isfinite(mean))
    assert np.all((std > 0) & (std <= 1.0))
    assert np.all(p.predict(X)[1] <= math.sqrt(10**log_tau) * 1.001)  # one look at a point: at most √(τ/(1 + τ))
