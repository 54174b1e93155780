"""Screening finds the same best candidates as scoring every one."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.gp.screening import (
    FEW,
    KERNEL_ERROR,
    SMALLEST_TAU,
    _survivors,
    top_ucb,
)

KERNELS = {"rbf": RBF(), "matern12": Matern(0.5), "matern32": Matern(1.5), "matern52": Matern(2.5)}


def surface(n, d, tau=1e-4, kernel=Matern(2.5), seed=0, ell=0.4):
    """As an optimizer meets it: a smooth function, half of the points near its best."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    X[n // 2 :] = np.clip(0.4 + 0.05 * rng.standard_normal((n - n // 2, d)), 0, 1)
    z = -np.sum((X - 0.4) ** 2, axis=1) + 0.3 * np.sin(6 * X.sum(axis=1)) + np.sqrt(tau) * rng.standard_normal(n)
    z = (z - z.mean()) / z.std() if n > 1 else z
    return Posterior.condition(kernel.with_lengthscale(np.full(d, ell)), X, z, tau, scale=1.4, constant=-0.2)


def brute(p, X, beta):
    mean, std = p.predict(X)
    return mean + beta * std


def rounding(p, beta):
    """How far a value moves when it is computed among other candidates: 1e-15 in each of its kernel values."""
    if not p.n:
        return 1e-15
    moved = np.linalg.norm(np.abs(p.factor.R).sum(axis=1))  # of R k; σ ≥ s √τ/2 near the data, so its root moves more
    return 1e-15 * (1.0 + np.abs(p.a).sum() + beta * p.scale * moved / np.sqrt(min(p.tau, 1.0)))


def assert_top(p, X, beta, k):
    rows, values = top_ucb(p, X, beta, k)
    every = brute(p, X, beta)
    expected = np.lexsort((np.arange(len(X)), -every))[:k]
    assert len(rows) == len(values) == min(k, len(X))
    tolerance = max(1e-12, rounding(p, beta))
    assert values == pytest.approx(every[expected], abs=tolerance)
    gaps = np.diff(np.sort(every)[::-1][: k + 1])
    if np.all(np.abs(gaps) > 10 * tolerance):  # no ties: the same rows in the same order
        assert np.array_equal(rows, expected)
    assert len(set(rows.tolist())) == len(rows)
    assert values == pytest.approx(every[rows], abs=tolerance)


@pytest.mark.parametrize(
    ("name", "tau", "beta"),
    [
        *(("rbf", 1e-6, 2.0), ("matern12", 0.9 * SMALLEST_TAU, 0.3), ("matern32", SMALLEST_TAU, 0.0)),
        *(("matern52", SMALLEST_TAU, 30.0), ("rbf", SMALLEST_TAU, 0.3), ("matern12", 1e-3, 30.0)),
        *(("matern32", 0.5, 2.0), ("matern52", 1e-3, 2.0), ("matern52", 1e-6, 0.0)),
    ],
)
def test_the_best_are_those_of_brute_force(name, tau, beta):
    p = surface(70, 2, tau, KERNELS[name])
    X = np.random.default_rng(1).random((1500, 2))
    for k in (1, 10):
        assert_top(p, X, beta, k)


@pytest.mark.parametrize(
    ("n", "count"),
    [(0, 3000), (1, FEW + 1), (2, 0), (63, FEW + 1), (64, 3000), (65, FEW), (65, 3000), (200, 1), (200, FEW - 1)],
)
def test_any_number_of_observations_and_candidates(n, count):
    p = surface(n, 3)
    X = np.random.default_rng(1).random((count, 3))
    for k in (1, 7):
        assert_top(p, X, 1.5, k)


@pytest.mark.parametrize("k", [1, 2, 500, 999, 1000, 1001, 10**6])
def test_any_number_of_winners(k):
    assert_top(surface(40, 2), np.random.default_rng(1).random((1000, 2)), 1.0, k)


def test_a_kernel_by_bessel_functions_is_screened_as_well():
    X = np.random.default_rng(1).random((1500, 2))
    for tau in (1e-6, 1e-3):
        assert_top(surface(70, 2, tau, Matern(2.0)), X, 2.0, 10)


def test_candidates_near_and_at_the_data_are_told_apart():
    p = surface(100, 2, 1e-5, ell=0.2)
    rng = np.random.default_rng(2)
    around = p.X[rng.integers(0, 100, 3000)] + 10.0 ** rng.uniform(-9, -1, (3000, 1)) * rng.standard_normal((3000, 2))
    assert_top(p, np.vstack([p.X, around]), 2.0, 20)


@pytest.mark.parametrize("tau", [1e-6, 1e-3])
@pytest.mark.parametrize("n", [0, 30, 150])
def test_candidates_that_tie_are_all_found(n, tau):
    p = surface(n, 2, tau)
    distinct = np.random.default_rng(3).random((700, 2))
    X = np.vstack([distinct, distinct, distinct])  # every value three times
    rows, values = top_ucb(p, X, 1.0, 9)
    assert_top(p, X, 1.0, 9)
    if n:
        best = np.argsort(-brute(p, distinct, 1.0))[:3]
        assert sorted(rows % 700) == sorted(np.repeat(best, 3))  # none of the twins is lost
    else:
        assert np.array_equal(rows, np.arange(9))
        assert np.array_equal(values, np.full(9, values[0]))


@pytest.mark.parametrize(
    ("tau", "beta", "width"),
    [
        *((SMALLEST_TAU, 0.0, 1e-8), (SMALLEST_TAU, 1.0, 1e-7), (SMALLEST_TAU, 10.0, 1e-5), (1e-3, 0.0, 1e-6)),
        *((1e-3, 1.0, 1e-8), (1e-3, 10.0, 1e-7), (0.1, 0.0, 1e-5), (0.1, 10.0, 1e-6)),
    ],
)
def test_candidates_closer_than_single_precision_are_told_apart(tau, beta, width):
    p = surface(150, 2, tau)
    rng = np.random.default_rng(4)
    X = rng.random((3000, 2))
    values = brute(p, X, beta)
    order = np.argsort(-values)
    for peak in X[order[:3]]:  # their values differ by about the width, their single-precision kernels by rounding only
        cluster = peak + width * rng.standard_normal((1500, 2))
        assert_top(p, np.vstack([X[order[1000:1500]], cluster]), beta, 3)


class Misleading(RBF):
    """In single precision as wrong as allowed, and such that the nearer half of the candidates looks farther away."""

    def profile(self, D):
        far = np.median(D) < D
        wrong = np.where(far, 0.99, -0.99) * KERNEL_ERROR if D.dtype == np.float32 else 0.0
        return np.exp(-0.5 * D.astype(np.float64)) + wrong


@pytest.mark.parametrize(
    ("z", "beta", "width"),
    [
        *((0.0, 1.0, 1e-7), (0.0, 100.0, 3e-7), (0.0, 100.0, 1e-5), (1.0, 0.0, 1e-6)),
        *((-1.0, 0.0, 3e-7), (-1.0, 0.0, 1e-5), (1.0, 1.0, 1e-7), (1.0, 1.0, 1e-6)),
    ],
)
def test_the_worst_single_precision_misleads_no_one(z, beta, width):
    p = Posterior.condition(Misleading(), np.zeros((1, 1)), np.array([z]), 1e-3)
    X = 0.7 + width * np.random.default_rng(0).random((2000, 1))
    assert_top(p, X, beta, 5)


@pytest.mark.parametrize("tau", [1e-6, 1e-5, 1e-3])
@pytest.mark.parametrize("beta", [0.0, 1.0, 10.0])
def test_candidates_that_tie_up_to_rounding_survive_together(tau, beta):
    half = surface(60, 2, tau)
    mirror = np.array([[1.0, 0.0]])
    X, z = np.vstack([half.X, np.abs(mirror - half.X)]), np.tile(half.z, 2)
    p = Posterior.condition(half.kernel, X, z, 1e-4 if tau > 1e-5 else tau)
    candidates = np.random.default_rng(3).random((1000, 2))
    twins = np.vstack([candidates, np.abs(mirror - candidates)])  # the same values, summed in another order
    best = int(np.argmax(brute(p, candidates, beta)))
    assert {best, best + 1000} <= set(_survivors(p, twins, beta, 1).tolist())


def test_exact_ties_go_by_index():
    p = Posterior.condition(RBF(0.005), np.array([[0.5, 0.5], [0.52, 0.5]]), np.array([-1.0, 1.0]), 1e-3)
    X = np.random.default_rng(0).random((3000, 2))
    X[:5] = 0.5  # the only candidates that the data reach: all others have the prior's value, to the last bit
    every = brute(p, X, 1.0)
    first = np.flatnonzero(every == 1.0)
    assert len(first) > 2500
    rows, values = top_ucb(p, X, 1.0, 2000)
    ahead = np.argsort(-every)[: np.count_nonzero(every > 1.0)]
    assert np.array_equal(rows, np.concatenate([ahead, first])[:2000])
    assert np.all(np.diff(values) <= 0)


def test_a_grown_posterior_is_screened_like_a_fresh_one():
    p = surface(120, 2)
    q = Posterior.condition(p.kernel, p.X[:50], p.z[:50], 1e-4, scale=1.4, constant=-0.2)
    for i in range(50, 120):
        q = q.append(p.X[i : i + 1], p.z[i : i + 1], 1e-4)
    X = np.random.default_rng(1).random((4000, 2))
    assert_top(q, X, 1.0, 5)
    assert np.array_equal(top_ucb(p, X, 1.0, 5)[0], top_ucb(q, X, 1.0, 5)[0])


def test_noise_of_its_own_at_each_point_is_respected():
    rng = np.random.default_rng(0)
    p = surface(90, 2)
    p = Posterior.condition(p.kernel, p.X, p.z, 10.0 ** rng.uniform(-5, 0, 90))
    assert_top(p, rng.random((3000, 2)), 1.0, 5)


@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 120),
    d=st.integers(1, 8),
    count=st.integers(0, 4000),
    k=st.integers(1, 30),
    beta=st.floats(0, 20),
    log_tau=st.floats(-6, 1),
    log_ell=st.floats(-2, 1),
    kernel=st.sampled_from([RBF(), Matern(0.5), Matern(1.5), Matern(2.5)]),
)
def test_screening_is_exact_on_any_data(seed, n, d, count, k, beta, log_tau, log_ell, kernel):
    p = surface(n, d, 10**log_tau, kernel, seed, 10**log_ell)
    assert_top(p, np.random.default_rng(seed).random((count, d)), beta, k)


def test_many_candidates_take_little_memory():
    p = surface(50, 3)
    X = np.random.default_rng(0).random((200_000, 3))
    for beta in (0.5, 1e6):  # most are excluded; hardly any is
        tracemalloc.start()
        top_ucb(p, X, beta, 10)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100e6  # the kernel matrix alone is 80 MB, and so is its solve
        assert beta > 1 or peak < 40e6


def test_most_candidates_are_never_finished():
    p = surface(400, 3)
    finished = []

    class Counting(Posterior):
        def predict(self, X):
            finished.append(len(X))
            return super().predict(X)

    counting = Counting(p.factor, p.z, p.scale, p.constant)
    top_ucb(counting, np.random.default_rng(0).random((20_000, 3)), 1.0, 10)
    assert sum(finished) < 1000  # a twentieth; measured: 12
