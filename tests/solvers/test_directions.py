"""The directions of the gradient searches against their textbooks, one run at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.solvers.search.gradient import MEMORY, Conjugate, LineSearch, Pairs

EVERY = np.ones(1, dtype=bool)


def two_loop(pairs, g):
    """Nocedal and Wright 2006, Algorithm 7.4, line by line; pairs (s, y) from old to new."""
    q, a = g.copy(), []
    for s, y in reversed(pairs):
        a.append(s @ q / (s @ y))
        q -= a[-1] * y
    s, y = pairs[-1]
    r = (s @ y) / (y @ y) * q
    for (s, y), ai in zip(pairs, reversed(a), strict=True):
        r += s * (ai - y @ r / (s @ y))
    return r


@pytest.mark.parametrize("steps", [1, 2, MEMORY, MEMORY + 3])
@pytest.mark.parametrize("dim", [1, 3, 7])
def test_the_direction_is_the_two_loop_recursion(scores, steps, dim):
    rng = np.random.default_rng(steps)
    A = scores.hessian(dim, rng)
    pairs = [(s, A @ s) for s in rng.standard_normal((steps, dim))]
    g, model = rng.standard_normal(dim), Pairs(1, dim)
    for s, y in pairs:
        d = model.direction(EVERY, s[None], y[None], g[None], np.ones((1, dim), dtype=bool))
    assert d[0] == pytest.approx(two_loop(pairs[-MEMORY:], g), rel=1e-8)


def test_frozen_columns_are_as_if_they_did_not_exist(scores):
    rng = np.random.default_rng(0)
    A, free = scores.hessian(5, rng), np.array([True, False, True, True, False])
    pairs = [(s, A @ s) for s in rng.standard_normal((4, 5)) * free]
    g, model = rng.standard_normal(5) * free, Pairs(1, 5)
    for s, y in pairs:
        d = model.direction(EVERY, s[None], y[None], g[None], free[None])
    assert d[0, free] == pytest.approx(two_loop([(s[free], y[free]) for s, y in pairs], g[free]), rel=1e-8)
    assert not d[0, ~free].any()


def test_a_step_of_negative_curvature_leaves_no_trace(scores):
    rng = np.random.default_rng(1)
    s, g = rng.standard_normal((3, 4)), rng.standard_normal(4)
    y = s @ scores.hessian(4, rng)
    y[1] = -y[1]
    model = Pairs(1, 4)
    for i in range(3):
        d = model.direction(EVERY, s[i : i + 1], y[i : i + 1], g[None], np.ones((1, 4), dtype=bool))
    assert d[0] == pytest.approx(two_loop([(s[0], y[0]), (s[2], y[2])], g), rel=1e-8)


def test_without_curvature_the_direction_is_the_gradient_at_a_length_that_suits_the_cube():
    model, g = Pairs(1, 3), np.array([[3e7, 0.0, 4e7]])
    d = model.direction(EVERY, np.ones((1, 3)), -np.ones((1, 3)), g, np.ones((1, 3), dtype=bool))
    assert d[0] == pytest.approx([0.06, 0.0, 0.08])


def test_conjugate_directions_solve_a_quadratic_in_as_many_steps_as_columns(scores):
    """With exact line searches, Polak–Ribière on a quadratic is the linear conjugate gradient method."""
    rng = np.random.default_rng(2)
    A, c = scores.hessian(6, rng), rng.standard_normal(6)
    x, model, everything = rng.standard_normal(6), Conjugate(1, 6), np.ones((1, 6), dtype=bool)
    d = g = A @ (c - x)
    for _ in range(6):
        t = (g @ d) / (d @ A @ d)
        x, before = x + t * d, g
        g = A @ (c - x)
        d = model.direction(EVERY, (t * d)[None], (before - g)[None], g[None], everything)[0]
    assert x == pytest.approx(c, abs=1e-8)


def test_a_conjugate_direction_is_as_long_as_a_newton_step_if_all_columns_bend_alike():
    model, free = Conjugate(1, 2), np.ones((1, 2), dtype=bool)
    g = np.array([[0.3, -0.1]])
    d = model.direction(EVERY, np.array([[0.1, 0.2]]), 5.0 * np.array([[0.1, 0.2]]), g, free)
    # The second direction mixes in the first one, but its line has its maximum at t = 1: g·d = d·(5 I)·d.
    assert (g[0] @ d[0]) / (5.0 * d[0] @ d[0]) == pytest.approx(1.0)


@given(top=st.floats(0.15, 0.85), bottom=st.floats(1.2, 5.0), sign=st.sampled_from([-1.0, 1.0]))
def test_the_next_trial_in_a_bracket_is_the_maximum_of_the_cubic(top, bottom, sign):
    bottom *= sign  # the other stationary point, outside the bracket [0, 1] on either side
    k = np.sign(bottom - top)
    value = np.poly1d([k / 3, -k * (top + bottom) / 2, k * top * bottom, 0.0])
    slope = value.deriv()
    line = LineSearch(np.array([value(0.0)]), np.array([slope(0.0)]))
    line.retry(EVERY, EVERY, np.array([value(1.0)]), np.array([slope(1.0)]))
    assert line.t[0] == pytest.approx(np.clip(top, 0.1, 0.9), abs=1e-7)


@given(top=st.floats(1.05, 50.0))
def test_a_step_that_is_too_short_grows_to_the_maximum_of_the_parabola(top):
    line = LineSearch(np.array([0.0]), np.array([2 * top]))  # of t (2 top − t)
    line.retry(EVERY, ~EVERY, np.array([2 * top - 1]), np.array([2 * (top - 1)]))
    assert line.t[0] == pytest.approx(np.clip(top, 2.0, 5.0))


def test_a_trial_without_a_value_halves_the_bracket():
    line = LineSearch(np.array([0.0]), np.array([1.0]))
    line.retry(EVERY, EVERY, np.array([-np.inf]), np.array([0.0]))
    assert line.t[0] == 0.5
