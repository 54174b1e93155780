"""Sample paths and joint draws have the posterior's mean and covariance."""

import numpy as np
import pytest

from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior, joint_draw, sample_path

KERNELS = {"rbf": RBF(), "matern12": Matern(0.5), "matern32": Matern(1.5), "matern52": Matern(2.5), "bessel": Matern(2)}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
T = np.array([[0.1, 0.1], [0.5, 0.45], [0.52, 0.5], [0.9, 0.2], [0.3, 0.95]])


def problem(n, kernel, tau=0.05):
    rng = np.random.default_rng(7)
    X = rng.random((n, 2))
    noise = tau * rng.uniform(0.5, 2.0, n)
    return Posterior.condition(
        kernel.with_lengthscale(np.array([0.3, 0.6])), X, np.sin(6 * X[:, 0]) + X[:, 1], noise, scale=1.5, constant=0.3
    )


def assert_moments(draws, p, X):
    """Sample mean and covariance within 5 standard errors: m + m(m + 1)/2 = 20 comparisons, false alarm 1e-5."""
    N, m = draws.shape
    centred = draws - p.mean(X)
    assert np.all(np.abs(centred.mean(axis=0)) < 5 * centred.std(axis=0) / np.sqrt(N))
    covariance = p.covariance(X, X)
    for i in range(m):
        for j in range(i, m):
            products = centred[:, i] * centred[:, j]
            assert abs(products.mean() - covariance[i, j]) < 5 * products.std() / np.sqrt(N)


@pytest.mark.parametrize(("name", "n"), [("rbf", 0), ("rbf", 6), ("matern12", 6), ("matern52", 0), ("matern52", 6)])
def test_paths_with_fresh_frequencies_have_the_posteriors_moments(name, n):
    p, rng = problem(n, KERNELS[name]), np.random.default_rng(11)
    assert_moments(np.array([sample_path(p, rng, features=16)(T) for _ in range(3000)]), p, T)


def test_joint_draws_have_the_posteriors_moments():
    p, rng = problem(6, Matern()), np.random.default_rng(12)
    assert_moments(np.array([joint_draw(p, T, rng) for _ in range(4000)]), p, T)


class UnitVector:
    """A stream of "normal" numbers: zeros with a one at a chosen place."""

    def __init__(self, place):
        self.place = place

    def standard_normal(self, m):
        return np.eye(m + 1)[self.place, :m]


@every_kernel
@pytest.mark.parametrize("n", [0, 6])
def test_a_joint_draw_is_a_root_of_the_covariance_times_normals(kernel, n):
    p, m = problem(n, kernel), len(T)
    mean = joint_draw(p, T, UnitVector(m))
    root = np.array([joint_draw(p, T, UnitVector(i)) - mean for i in range(m)])
    assert mean == pytest.approx(p.mean(T), abs=1e-14)
    assert root.T @ root == pytest.approx(p.covariance(T, T), abs=1e-11)


@every_kernel
def test_a_path_with_many_features_covers_the_data_as_the_noise_says(kernel):
    p, rng = problem(12, kernel, tau=1e-6), np.random.default_rng(3)
    for _ in range(5):
        # |path − z| is a normal deviation of at most s √τ_max ≈ 0.002 plus the mean's own distance
        assert np.max(np.abs(sample_path(p, rng)(p.X) - p.z)) < 0.02


def test_a_path_far_from_the_data_is_a_path_of_the_prior():
    rng = np.random.default_rng(5)
    p = Posterior.condition(RBF(0.01), np.zeros((1, 1)), np.array([5.0]), 1e-4, scale=2.0, constant=1.0)
    values = np.concatenate([sample_path(p, rng, 256)(np.linspace(0.2, 1, 17)[:, None]) for _ in range(200)])
    # 200 · 17 nearly independent normals: the standard errors are 2/√3400 and 2/√6800
    assert values.mean() == pytest.approx(1.0, abs=5 * 2 / np.sqrt(3400))
    assert values.std() == pytest.approx(2.0, abs=5 * 2 / np.sqrt(6800))


@every_kernel
@pytest.mark.parametrize("n", [0, 1, 30])
def test_the_gradient_of_a_path_is_its_central_difference(kernel, n):
    path = sample_path(problem(n, kernel), np.random.default_rng(0), features=64)
    X = np.random.default_rng(1).random((20, 2))
    value, gradient = path.value_and_grad(X)
    assert value == pytest.approx(path(X), abs=1e-10)
    # A rough kernel has heavy-tailed frequencies ω, so the step follows the largest: the error is (step ω)²/6.
    step = min(1e-5, 1e-4 / np.abs(path.omega).max())
    for j, e in enumerate(step * np.eye(2)):
        difference = (path(X + e) - path(X - e)) / (2 * step)
        size = 1.0 + np.abs(gradient).max()
        assert gradient[:, j] == pytest.approx(difference, abs=1e-6 * size)


@every_kernel
def test_the_stream_decides_the_path(kernel):
    p = problem(8, kernel)
    first, again, other = (sample_path(p, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first(T), again(T))
    assert not np.array_equal(first(T), other(T))
    first, again, other = (joint_draw(p, T, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_path_is_one_function_however_it_is_asked():
    path = sample_path(problem(20, Matern()), np.random.default_rng(0))
    X = np.random.default_rng(1).random((500, 2))  # several blocks
    whole = path(X)
    assert np.concatenate([path(X[i : i + 1]) for i in range(0, 500, 25)]) == pytest.approx(whole[::25], abs=1e-11)
    assert np.array_equal(path(X), whole)


def test_no_points_are_drawn_as_nothing():
    for n in (0, 4):
        p, none = problem(n, Matern()), np.zeros((0, 2))
        path = sample_path(p, np.random.default_rng(0))
        assert path(none).shape == (0,)
        assert [part.shape for part in path.value_and_grad(none)] == [(0,), (0, 2)]
        assert joint_draw(p, none, np.random.default_rng(0)).shape == (0,)


def test_a_joint_draw_gives_one_value_to_one_point():
    p = problem(30, RBF(), tau=1e-6)
    X = np.repeat(np.vstack([T, p.X[:3]]), 10, axis=0)  # a singular covariance
    draw = joint_draw(p, X, np.random.default_rng(0)).reshape(-1, 10)
    assert np.all(np.ptp(draw, axis=1) < 1e-3)  # what jitter adds is at most s √1e-8
    assert np.std(draw[:, 0]) > 0.1


def test_a_dense_joint_draw_is_possible():
    p = problem(20, RBF(), tau=1e-6)
    draw = joint_draw(p, np.linspace(0, 1, 400)[:, None] * np.ones(2), np.random.default_rng(0))
    assert np.all(np.isfinite(draw))
    assert np.max(np.abs(np.diff(draw))) < 0.1  # a smooth kernel draws a smooth path


def test_no_columns_leave_one_value():
    p = Posterior.condition(Matern().with_lengthscale(np.ones(0)), np.zeros((3, 0)), np.ones(3), 0.1)
    path = sample_path(p, np.random.default_rng(0))
    assert np.ptp(path(np.zeros((4, 0)))) == 0.0
