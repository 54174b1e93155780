"""The maximum of a frozen score by a search that shares no code with the solvers it judges.

It draws uniformly and around every observed point at several distances, climbs from the best draws of different cells
with SciPy's L-BFGS-B, improves what it found with shrinking random steps (no gradient needed), and on spaces with
integers or choices exchanges one value after the other at the best points. Finite spaces are listed.
"""

import itertools
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize

from suffice.types import Array, Domain, smooth_columns

LISTED = 100_000  # points of a finite space that are all looked at
DRAWS, AROUND, SCALES = 30_000, 300, (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4)
CLIMBS = 60  # from the best draws, no two of which are of one cell and close
EXCHANGED = 6  # of the best ends in different cells, whose discrete values are exchanged one by one


def truth(alpha: Any, domain: Domain, design: Array, rng: Generator) -> tuple[float, float]:
    """The largest value found, and the median of alpha over uniform draws."""
    median = float(np.median(alpha(domain.sample(4000, rng))))
    if domain.size <= LISTED:
        return float(np.max(alpha(domain.enumerate()))), median
    smooth = smooth_columns(domain)
    near = [_around(x, domain, smooth, rng) for x in design[:40]]
    X = np.concatenate([domain.sample(DRAWS, rng), *near, design])
    if alpha.seeds is not None:
        X = np.concatenate([X, alpha.seeds, *[_around(x, domain, smooth, rng) for x in alpha.seeds]])
    values = alpha(X)
    ends = [_climbed(alpha, x, smooth, median) for x in _different(X, values, smooth, CLIMBS)]
    ends += [_climbed(alpha, x, smooth, median) for x in design[:10]]
    points, found = (np.array(column) for column in zip(*ends, strict=True))
    best = float(max(values.max(), found.max()))
    if not smooth.all():
        best = max(best, _exchanged(alpha, domain, points, found, smooth, median))
    return max(best, _shaken(alpha, domain, points[np.argsort(-found)[:20]], smooth, rng)), median


def _around(x: Array, domain: Domain, smooth: Array, rng: Generator) -> Array:
    """Steps of every scale from x, in all smooth columns or in one, with the discrete values of x or of another."""
    scale = rng.choice(SCALES, size=(AROUND, 1))
    mask = (rng.random((AROUND, domain.dim)) < rng.choice([1.0, 2.0 / domain.dim], size=(AROUND, 1))) & smooth
    X = np.clip(x + np.where(mask, scale * rng.standard_normal((AROUND, domain.dim)), 0.0), 0.0, 1.0)
    other = domain.sample(AROUND, rng)
    for coordinate in domain.coordinates:
        if not coordinate.smooth:
            rows = rng.random(AROUND) < 0.3
            X[rows, coordinate.columns] = other[rows, coordinate.columns]
    return domain.snap(X)


def _different(X: Array, values: Array, smooth: Array, k: int) -> list[Array]:
    """The best rows, no two of which have the same discrete values and are within a twentieth of each other."""
    chosen: list[Array] = []
    for row in np.argsort(-values, kind="stable")[:3000]:
        x = X[row]
        if all(np.any(x[~smooth] != y[~smooth]) or np.abs(x - y).max() > 0.05 for y in chosen):
            chosen.append(x)
            if len(chosen) == k:
                break
    return chosen


def _climbed(alpha: Any, x: Array, smooth: Array, median: float) -> tuple[Array, float]:
    """L-BFGS-B over the smooth columns; alpha is scaled by what x is above the median."""
    start = float(alpha(x[None])[0])
    if not alpha.smooth or not smooth.any():
        return x, start
    scale = max(start - median, 1e-12)

    def negative(z: Array) -> tuple[float, Array]:
        full = x.copy()
        full[smooth] = z
        value, gradient = alpha.value_and_grad(full[None])
        return -float(value[0]) / scale, -gradient[0, smooth] / scale

    bounds = [(0.0, 1.0)] * int(smooth.sum())
    options = {"maxiter": 300, "ftol": 1e-14, "gtol": 1e-9}
    found = minimize(negative, x[smooth], jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    end = x.copy()
    end[smooth] = np.clip(found.x, 0.0, 1.0)
    value = float(alpha(end[None])[0])
    return (end, value) if value > start else (x, start)


def _exchanged(alpha: Any, domain: Domain, points: Array, values: Array, smooth: Array, median: float) -> float:
    """The best value reached by exchanging one discrete value at a time and climbing again, from several ends."""
    cells: set[bytes] = set()
    highest = -np.inf
    for row in np.argsort(-values, kind="stable"):
        cell = points[row][~smooth].tobytes()
        if cell in cells:
            continue
        cells.add(cell)
        if len(cells) > EXCHANGED:
            break
        x, value = points[row], float(values[row])
        for _ in range(20):
            others = _neighbours(x, domain)
            if not len(others):
                break
            ranked = np.argsort(-alpha(others), kind="stable")[:8]
            ends = [_climbed(alpha, others[j], smooth, median) for j in ranked]
            y, better = max(ends, key=lambda end: end[1])
            if better <= value + 1e-12 * abs(value):
                break
            x, value = y, better
        highest = max(highest, value)
    return highest


def _neighbours(x: Array, domain: Domain) -> Array:
    """x with one discrete value replaced by every other one (at most 200 for each coordinate)."""
    rows = []
    for coordinate in domain.coordinates:
        if coordinate.smooth:
            continue
        if coordinate.places is not None:
            blocks = coordinate.places.points[:200]
        elif coordinate.kind == "choice":
            blocks = np.eye(coordinate.stop - coordinate.start)[:200]
        else:
            assert coordinate.levels is not None
            count = coordinate.levels.count
            here = int(coordinate.levels.index(x[[coordinate.start]])[0])
            k = range(count) if count <= 200 else sorted({*range(max(0, here - 100), min(count, here + 100))})
            blocks = coordinate.levels.at(np.array(k))[:, None]
        for block in blocks:
            y = x.copy()
            y[coordinate.columns] = block
            rows.append(y)
    return np.array(rows).reshape(len(rows), domain.dim)


def _shaken(alpha: Any, domain: Domain, points: Array, smooth: Array, rng: Generator) -> float:
    """Random steps from each point, shorter and shorter, of which the best is taken."""
    points, values = points.copy(), alpha(points)
    for scale, _ in itertools.product(np.geomspace(0.1, 1e-6, 20), range(3)):
        steps = scale * rng.standard_normal((len(points), 12, domain.dim)) * smooth
        trial = np.clip(points[:, None] + steps, 0.0, 1.0)
        found = alpha(trial.reshape(-1, domain.dim)).reshape(len(points), 12)
        best = found.argmax(axis=1)
        rows = np.flatnonzero(found[np.arange(len(points)), best] > values)
        points[rows], values[rows] = trial[rows, best[rows]], found[rows, best[rows]]
    return float(values.max())
