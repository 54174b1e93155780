"""The maximum information gain over a finite set."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.paper.gain import max_gain

KERNELS = [RBF(0.3), Matern(2.5, 0.5), Matern(0.5, 0.1)]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def gain_of(kernel, X, tau):
    return 0.5 * np.linalg.slogdet(np.eye(len(X)) + kernel(X, X) / tau)[1]


@each_kernel
@pytest.mark.parametrize("tau", [1e-3, 0.1, 2.0])
def test_greedy_gain_is_that_of_conditioning_on_its_choices(kernel, tau):
    X = np.random.default_rng(0).random((40, 2))
    answer = max_gain(kernel, X, 25, tau)
    for t in (1, 2, 10, 25):
        chosen = X[answer.rows[:t]]
        assert answer.lower[t - 1] == pytest.approx(gain_of(kernel, chosen, tau), rel=1e-9)
        assert answer.lower[t - 1] == pytest.approx(Posterior.condition(kernel, chosen, np.zeros(t), tau).gain)


@each_kernel
@pytest.mark.parametrize("tau", [1e-2, 1.0])
def test_the_maximum_over_all_multisets_lies_between(kernel, tau):
    X = np.random.default_rng(1).random((7, 2))
    answer = max_gain(kernel, X, 4, tau)
    for t in range(1, 5):
        best = max(gain_of(kernel, X[list(rows)], tau) for rows in combinations_with_replacement(range(7), t))
        assert answer.lower[t - 1] <= best * (1 + 1e-12)
        assert best <= answer.upper[t - 1] * (1 + 1e-12)
        assert answer.lower[t - 1] >= (1 - 1 / math.e) * best


@settings(max_examples=50)
@given(st.integers(1, 30), st.integers(1, 25), st.integers(1, 3), st.floats(1e-4, 5), st.sampled_from(KERNELS))
def test_the_bound_is_never_above_the_two_classical_ones(N, n, d, tau, kernel):
    X = np.random.default_rng(N).random((N, d))
    answer = max_gain(kernel, X, n, tau)
    t = np.arange(1, n + 1)
    classical = np.minimum(answer.lower / (1 - 1 / math.e), t / 2 * math.log1p(1 / tau))
    assert np.all(answer.upper <= classical * (1 + 1e-12))
    assert np.all(answer.upper >= answer.lower * (1 - 1e-12))


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 2), st.sampled_from(KERNELS))
def test_an_observation_gains_less_the_more_is_known(seed, tau, kernel):
    X = np.random.default_rng(seed).random((8, 2))
    small, large, new = X[:2], X[:6], X[6:7]

    def added(known):
        return gain_of(kernel, np.vstack([known, new]), tau) - gain_of(kernel, known, tau)

    assert added(small) >= added(large) - 1e-10
    answer = max_gain(kernel, X, 8, tau)
    steps = np.diff(answer.lower, prepend=0.0)
    assert np.all(np.diff(steps) <= 1e-10)  # so greedy steps shrink
    assert np.all(steps >= 0)


def test_points_far_apart_reach_hadamards_bound():
    X = np.arange(6.0)[:, None]
    answer = max_gain(RBF(0.01), X, 6, 0.1)
    assert sorted(answer.rows) == list(range(6))
    assert answer.lower == pytest.approx(np.arange(1, 7) / 2 * math.log(11))
    assert answer.upper == pytest.approx(answer.lower)


def test_one_candidate_is_observed_again_and_again():
    # n equal rows: det(I + 11'/τ) = 1 + n/τ.
    answer = max_gain(RBF(0.5), np.array([[0.3]]), 5, 0.2)
    assert answer.lower == pytest.approx([0.5 * math.log1p(t / 0.2) for t in range(1, 6)])


def test_the_order_of_the_candidates_does_not_matter():
    # But for the first row: all candidates tie for the first choice, and the first row wins.
    rng = np.random.default_rng(4)
    X = rng.random((30, 3))
    mixed = np.concatenate([[0], 1 + rng.permutation(29)])
    first, second = max_gain(Matern(1.5, 0.4), X, 10, 0.05), max_gain(Matern(1.5, 0.4), X[mixed], 10, 0.05)
    assert np.array_equal(mixed[second.rows], first.rows)
    assert second.lower == pytest.approx(first.lower, rel=1e-12)
    assert second.upper == pytest.approx(first.upper, rel=1e-12)


def test_impossible_questions_are_refused():
    for X, n, tau in [(np.empty((0, 2)), 3, 0.1), (np.zeros((1, 2)), 0, 0.1), (np.zeros((1, 2)), 3, 0.0)]:
        with pytest.raises(ValueError, match="max_gain needs"):
            max_gain(RBF(), X, n, tau)
