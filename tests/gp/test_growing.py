"""A posterior that grows: one at a time, in blocks, in branches and in threads, it is the posterior of all its data."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior

KERNELS = {"rbf": RBF(0.5), "matern12": Matern(0.5, 0.5), "matern32": Matern(1.5, 0.5), "matern52": Matern(2.5, 0.5)}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
T = np.random.default_rng(99).random((50, 6))  # where posteriors are compared


def data(n, d=2, seed=0, tau=1e-3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.sin(5 * X.sum(axis=1)) + np.sqrt(tau) * rng.standard_normal(n)


def grown(kernel, X, z, tau, sizes):
    """Conditioned on sizes[0] rows, then appended to in blocks."""
    stops = np.cumsum(sizes)
    p = Posterior.condition(kernel, X[: stops[0]], z[: stops[0]], tau[: stops[0]], scale=1.3, constant=0.2)
    for i, j in pairwise(stops):
        p = p.append(X[i:j], z[i:j], tau[i:j])
    return p


def assert_same(p, q, tolerance=1e-9):
    # The condition number is at most n/τ: no algorithm can promise more digits than it leaves.
    tolerance = max(tolerance, 1e-16 * p.n / (p.tau or 1.0))
    X = T[:, : p.X.shape[1]]
    assert np.array_equal(p.X, q.X)
    assert p.predict(X)[0] == pytest.approx(q.predict(X)[0], abs=tolerance)
    assert p.predict(X)[1] == pytest.approx(q.predict(X)[1], abs=tolerance)
    assert p.gain == pytest.approx(q.gain, rel=tolerance, abs=tolerance)
    assert p.rkhs_norm == pytest.approx(q.rkhs_norm, rel=1e-6)


@settings(deadline=None, max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(0, 40), min_size=2, max_size=8),
    d=st.integers(1, 6),
    kernel=st.sampled_from(list(KERNELS.values())),
    log_tau=st.floats(-6, 0),
)
def test_growing_in_any_steps_is_conditioning_from_scratch(seed, sizes, d, kernel, log_tau):
    X, z = data(sum(sizes), d, seed, 10**log_tau)
    tau = 10**log_tau * np.random.default_rng(seed).uniform(1, 3, len(z))
    assert_same(grown(kernel, X, z, tau, sizes), grown(kernel, X, z, tau, [len(z)]))


@every_kernel
@pytest.mark.parametrize("tau", [1e-6, 1e-3, 1.0])
def test_one_at_a_time_through_many_buffers_is_from_scratch(kernel, tau):
    X, z = data(200, 3, tau=tau)
    noise = np.full(200, tau)
    assert_same(grown(kernel, X, z, noise, [1] * 200), grown(kernel, X, z, noise, [200]))
    assert_same(grown(kernel, X, z, noise, [0, 64, 1, 63, 65, 7]), grown(kernel, X, z, noise, [200]))


@every_kernel
@pytest.mark.parametrize(("gap", "tau"), [(0.0, 1e-6), (1e-15, 1e-4), (1e-12, 1e-6), (1e-9, 1e-4)])
def test_near_duplicates_grow_as_they_refit(kernel, gap, tau):
    X, z = data(40, tau=tau)
    X = np.vstack([X, X + gap * np.random.default_rng(1).standard_normal(X.shape)])
    z = np.concatenate([z, z + 1e-3])
    noise = np.full(80, tau)
    assert_same(grown(kernel, X, z, noise, [1] * 80), grown(kernel, X, z, noise, [80]), 1e-8)


@every_kernel
def test_branches_disturb_neither_each_other_nor_their_parent(kernel):
    X, z = data(40)
    noise = np.full(40, 1e-3)
    parent = grown(kernel, X[:20], z[:20], noise, [20])
    R, before = parent.factor.R.copy(), parent.predict(T[:, :2])
    branches = {}
    for start in (20, 25, 30, 35):  # the first one gets the shared rows, the others their own
        child = parent.append(X[start : start + 2], z[start : start + 2], 1e-3)
        twin = parent.append(X[start : start + 2], z[start : start + 2], 1e-3)
        branches[start] = (child.append(X[start + 2 : start + 5], z[start + 2 : start + 5], 1e-3), twin)
    for start, (grandchild, twin) in branches.items():
        for p, stop in ((grandchild, start + 5), (twin, start + 2)):
            rows = np.r_[0:20, start:stop]
            assert_same(p, grown(kernel, X[rows], z[rows], noise, [len(rows)]))
    assert np.array_equal(parent.factor.R, R)
    assert np.array_equal(parent.predict(T[:, :2]), before)


def test_beliefs_leave_the_posterior_as_it_was():
    X, z = data(30)
    p = grown(KERNELS["matern52"], X, z, np.full(30, 1e-3), [30])
    before = p.predict(T[:, :2])
    for i in range(10):  # an optimizer believes the pending points anew at every ask
        p.believe(T[i : i + 3, :2]).predict(T[:, :2])
    assert np.array_equal(p.predict(T[:, :2]), before)
    assert_same(
        p.append(T[:1, :2], np.ones(1), 1e-3),
        Posterior.condition(p.kernel, np.vstack([X, T[:1, :2]]), np.append(z, 1.0), 1e-3, scale=1.3, constant=0.2),
    )


def test_threads_may_grow_one_posterior_at_once():
    X, z = data(64)
    kernel, noise = KERNELS["matern52"], np.full(64, 1e-3)
    chains = [np.r_[0:20, start : start + 8] for start in range(20, 52)]

    def chain(parent, rows):
        p = parent
        for row in rows[20:]:
            p = p.append(X[row : row + 1], z[row : row + 1], 1e-3)
        return p

    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            parent = grown(kernel, X[:20], z[:20], noise, [20])
            for rows, p in zip(chains, pool.map(chain, [parent] * len(chains), chains), strict=True):
                assert_same(p, grown(kernel, X[rows], z[rows], noise, [28]))


def test_appending_nothing_changes_nothing_and_costs_no_rows():
    X, z = data(20)
    p = grown(KERNELS["rbf"], X, z, np.full(20, 1e-3), [20])
    q = p.append(np.zeros((0, 2)), np.zeros(0))
    assert np.array_equal(q.predict(T[:, :2]), p.predict(T[:, :2]))
    assert np.shares_memory(q.append(T[:1, :2], np.ones(1)).factor.R, p.factor.R)


def test_a_chain_of_appends_shares_one_buffer_and_lets_old_ones_go():
    X, z = data(200)
    p = grown(KERNELS["matern52"], X, z, np.full(200, 1e-3), [100])
    buffers = [p.factor.buffer]
    for i in range(100, 200):
        p = p.append(X[i : i + 1], z[i : i + 1], 1e-3)
        if p.factor.buffer is not buffers[-1]:
            buffers.append(p.factor.buffer)
    assert len(buffers) <= 4  # each holds a tenth more than the last, at least 32
    assert len(p.factor.buffer.rows) < 1.5 * 200 + 64


def test_later_observations_take_the_smallest_noise_unless_told():
    X, z = data(3)
    p = Posterior.condition(RBF(), X, z, np.array([0.1, 0.2, 0.3]))
    assert p.append(X, z).factor.tau == pytest.approx([0.1, 0.2, 0.3, 0.1, 0.1, 0.1])
    assert p.append(X, z, 0.5).factor.tau == pytest.approx([0.1, 0.2, 0.3, 0.5, 0.5, 0.5])
    assert p.append(X, z, np.array([1.0, 2.0, 3.0])).factor.tau == pytest.approx([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
