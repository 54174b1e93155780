"""The expected maximum of lines a + b Z, Z ~ N(0, 1): how far it is above the highest line at Z = 0.

a, b   (k, m)     intercepts and slopes of k lines, for each of m problems
c      (k, m)     where in z a line takes over from the one before it on the upper envelope
h(u)   φ(u) + u Φ(u)

    E max_i (a_i + b_i Z) − max_i a_i = Σ over the envelope (b_i − b_{i−1}) h(−|c_i|)

Each term is the expected improvement of one line on another. Its derivatives are φ(c) in the difference of the slopes
and ± Φ(−|c|) in that of the intercepts: where two lines meet, moving c changes nothing (the envelope theorem).

Frazier, Powell and Dayanik (2009), Algorithm 1.
"""

import numpy as np
from numpy.typing import NDArray

from suffice.acquisition.normal import log_expected_excess
from suffice.types import Array, Indices

SAME_SLOPE = 1e-100  # a smaller difference of slopes is none
FARTHEST = 1e9  # c: beyond, c² says nothing any more …
NOTHING = -1e18  # … and below φ there is the logarithm where no line takes over


def log_expected_rise(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The logarithm, (m,), and its derivatives in a and in b, (k, m) each; finite where the rise underflows."""
    b = b + 0.0  # −0.0 becomes 0.0: the sign of a zero difference of slopes would decide which way to infinity
    order = np.argsort(b, axis=0, kind="stable")
    a, b = np.take_along_axis(a, order, axis=0), np.take_along_axis(b, order, axis=0)
    before = _before(_shown(a, b))
    step = b - np.take_along_axis(b, before, axis=0)
    meets = step > SAME_SLOPE
    step = np.where(meets, step, 1.0)
    c = np.clip((np.take_along_axis(a, before, axis=0) - a) / step, -FARTHEST, FARTHEST)
    log_h, by_intercept, by_slope = log_expected_excess(-np.abs(c))
    terms = np.where(meets, np.log(step) + log_h, NOTHING)
    highest = terms.max(axis=0)
    shares = np.where(meets, np.exp(terms - highest), 0.0)
    total = shares.sum(axis=0)
    total = np.where(total > 0, total, 1.0)
    weights = shares / total / step
    by_a, by_b = (_by_line(weights * part, before, order) for part in (np.sign(c) * by_intercept, by_slope))
    return highest + np.log(total), by_a, by_b


def _shown(a: Array, b: Array) -> NDArray[np.bool_]:
    """Which lines, in order of slope, are the highest anywhere, (k, m)."""
    start, stop = np.full(a.shape, -np.inf), np.full(a.shape, np.inf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for i in range(1, len(a)):
            # Of parallel lines the lower one never shows; one line that comes twice gives NaN, and both stay.
            crossing = (a[:i] - a[i]) / (b[i] - b[:i])
            np.fmax.reduce(crossing, axis=0, out=start[i], initial=-np.inf)
            np.fmin(stop[:i], crossing, out=stop[:i])
    return start < stop


def _before(shown: NDArray[np.bool_]) -> Indices:
    """The last line before each one that shows, (k, m); the line itself where there is none, or where it is hidden."""
    own = np.broadcast_to(np.arange(len(shown))[:, None], shown.shape)
    last = np.maximum.accumulate(np.where(shown, own, -1), axis=0)
    before = np.where(shown, np.concatenate([np.full((1, shown.shape[1]), -1), last[:-1]]), own)
    return np.where(before < 0, own, before)


def _by_line(terms: Array, before: Indices, order: Indices) -> Array:
    """What the terms are worth to each line, in the order given: its own, less that of the line it gives way to."""
    out, against = np.empty_like(terms), np.zeros_like(terms)
    problems = np.broadcast_to(np.arange(terms.shape[1]), terms.shape)
    np.add.at(against, (before, problems), terms)
    np.put_along_axis(out, order, terms - against, axis=0)
    return out
