"""Sliding along a constraint: what a run does that was stopped by one, while alpha still rises along it.

m, p   int      runs, smooth columns            g    (m, d)   gradients of alpha, 0 in columns that do not move
s      (m,)     the length of a step            c    (m, d)   a member further inside, s down the gradient

A predicate has no gradient, so that nobody knows which way it leaves. Each run tries a step along every column and
along the gradient; a trial that is outside goes towards c until it is a member, which takes it to the constraint, but
elsewhere. The best trial wins if it is higher, and the next steps are twice as long; else half as long.
"""

import numpy as np

from suffice.solvers.record import Work, late
from suffice.solvers.search.surface import Ascent, Mask, numbers
from suffice.space import Shaped, is_constrained
from suffice.types import Array, Domain, Score, largest

RUNS = 4  # of the highest that slide; the others are starts of the same kind
TOUCHING = 1e-4  # of the cube: a run that is stopped this far up the gradient is at a constraint
FIRST, LONGEST, LEAST = 0.05, 0.2, 1e-4  # steps, of the cube
ROUNDS = 40


def slide(ascent: Ascent, alpha: Score, domain: Domain, deadline: float | None = None) -> Ascent:
    """The runs where they end when they have slid, none of them lower than before; without a gradient as they are."""
    if not (is_constrained(domain) and isinstance(domain, Shaped) and alpha.smooth):
        return ascent
    rows = largest(np.where(np.isfinite(ascent.values), ascent.values, -np.inf), RUNS)
    rows = rows[np.isfinite(ascent.values[rows])]
    X, v = ascent.points[rows], ascent.values[rows]
    free = domain.free(X)
    work, s = Work(), np.full(len(rows), FIRST)
    live = np.arange(len(rows))
    for i in range(ROUNDS):
        if not len(live) or late(deadline):
            break
        g = _unit(np.where(free[live], alpha.value_and_grad(X[live])[1], 0.0))
        work += Work(grads=len(live))
        if i == 0:  # only those that a constraint stops
            stopped = ~domain.contains(np.clip(X + TOUCHING * g, 0.0, 1.0))
            live, g = live[stopped], g[stopped]
            if not len(live):
                break
        trials = _trials(X[live], s[live], g, free[live], domain)
        k = trials.shape[1]
        values = numbers(alpha(trials.reshape(-1, domain.dim))).reshape(-1, k)
        work += Work(values=values.size)
        best = values.argmax(axis=1)
        found = values[np.arange(len(live)), best]
        up = found > v[live]
        X[live[up]], v[live[up]] = trials[up, best[up]], found[up]
        s[live] = np.where(up, np.minimum(2.0 * s[live], LONGEST), 0.5 * s[live])
        live = live[s[live] > LEAST]
    points, values = ascent.points.copy(), ascent.values.copy()
    points[rows], values[rows] = X, v
    return Ascent(points, values, ascent.initial, ascent.cut, ascent.work + work)


def _trials(X: Array, s: Array, g: Array, free: Mask, domain: Shaped) -> Array:
    """Members around each run, (a, k, d)."""
    a, d = X.shape
    columns = np.flatnonzero(free.any(axis=0))
    axes = np.zeros((len(columns), d))
    axes[np.arange(len(columns)), columns] = 1.0
    steps = np.concatenate(
        [np.broadcast_to(np.concatenate([axes, -axes]), (a, 2 * len(columns), d)), g[:, None]], axis=1
    )
    steps = np.where(free[:, None], steps, 0.0)
    trials = np.clip(X[:, None] + s[:, None, None] * steps, 0.0, 1.0)
    inner = domain.towards(np.clip(X - s[:, None] * g, 0.0, 1.0), X)
    k = trials.shape[1]
    found: Array = domain.towards(trials.reshape(-1, d), np.repeat(inner, k, axis=0)).reshape(a, k, d)
    return found


def _unit(g: Array) -> Array:
    """Rows of length one, or zero; what is no number is zero."""
    g = np.where(np.isfinite(g), g, 0.0)
    length = np.linalg.norm(g, axis=1, keepdims=True)
    return g / np.where(length > 0.0, length, 1.0)
