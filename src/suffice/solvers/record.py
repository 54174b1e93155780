"""Functions that solvers share: evaluating points of a domain, choosing starts, and the record of a solve.

X       (n, d)  points to evaluate             values  (n,)  alpha(X), NaN where alpha has no value
k       int     how many to keep               rows    (k,)  of the k largest values, largest first, ties by first index

Work counts rows in evaluations. With p smooth columns, a gradient row counts as p + 1 evaluations, as with finite
differences, and a Hessian row as (p + 1)(p + 2)/2. The row that re-evaluates the winner is not counted.
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.accuracy.estimate import KEEP
from suffice.candidates import local
from suffice.space import Scattered, blocks
from suffice.types import Array, Domain, Draws, Indices, Score, Solution, Starts, Status, Step, largest, smooth_columns

MEDIAN_ROWS = 100  # the median of 100 uniform draws is a quantile between 0.4 and 0.6 in 95 of 100 cases
SCORED = 20_000  # points of a finite domain that are all scored in full; in larger domains most are only bounded
QUICK = 2000  # a domain of so many points is enumerated: no more work than two usual searches
BLOCK = 100  # rows between two checks of the clock: a tenth of a second for the slowest score in the library
CENTRES, NEAR = 6, 24  # best observed points, and draws around each
CELLS = 4  # of the best of them: as many draws in the cell of each, if there are integers or options
KNOWN, FEET = 2, 6  # runs from the best observed points themselves, and from the best draws around
CORNERS, ON_FACES = 16, 2  # corners to evaluate, and as many points on faces; runs from the best of them
SEEDS = 5  # of the score's own seeds: draws around each as well
SCANNED, APART = 50, 0.05  # of the best observed points: distance between the centres
COVERED = 10  # draws that fall into a cube on average; only the best one starts a run
KERNEL = 20  # operations that a kernel value takes
DOUBLE = 4  # times as many for a full score in double precision
OPERATIONS = 2e10  # two or three seconds of one processor, acceptable for millions of points


def late(deadline: float | None) -> bool:
    """Whether a deadline, a time.monotonic(), has passed; None never does."""
    return deadline is not None and time.monotonic() >= deadline


@dataclass(frozen=True)
class Work:
    """The rows that a score evaluated."""

    values: int = 0
    grads: int = 0
    hessians: int = 0  # each with value and gradient

    def __add__(self, other: "Work") -> "Work":
        return Work(self.values + other.values, self.grads + other.grads, self.hessians + other.hessians)

    def evals(self, domain: Domain) -> int:
        """value rows + (p + 1) · gradient rows + (p + 1)(p + 2)/2 · Hessian rows."""
        p = int(np.count_nonzero(smooth_columns(domain)))
        return self.values + (p + 1) * self.grads + (p + 1) * (p + 2) // 2 * self.hessians


def record(
    alpha: Score,
    domain: Domain,
    x: Array,
    work: Work,
    *,
    status: Status = Status.DONE,
    draws: Draws | None = None,
    starts: Starts | None = None,
) -> Solution:
    """The solution x (d,), its value re-evaluated as one row: a batch may round differently."""
    return Solution(
        x=x.copy(),  # a copy: a view would keep the whole batch in memory
        value=float(alpha(x[None])[0]),
        n_evals=work.evals(domain),
        n_grads=work.grads + work.hessians,
        status=status,
        draws=draws,
        starts=starts,
    )


def median(values: Array) -> float | None:
    """The median of the finite values; None if there is none."""
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else None


def valued(alpha: Score, X: Array, step: Step) -> Array:
    """alpha(X), (n,), or only of the first rows if the deadline passes.

    The deadline does not depend on the values, so the first rows are as random as all of them.
    """
    if step.deadline is None:
        return alpha(X)
    values = [alpha(X[:BLOCK])]
    for i in range(BLOCK, len(X), BLOCK):
        if late(step.deadline):
            break
        values.append(alpha(X[i : i + BLOCK]))
    return np.concatenate(values)


def top_in_time(alpha: Score, X: Array, k: int, step: Step) -> tuple[Indices, Array, int]:
    """Rows and values of the k largest alpha(X), largest first, and how many rows were evaluated in time."""
    if alpha.ranks or step.deadline is None:
        return *alpha.top(X, k), len(X)
    values = valued(alpha, X, step)
    rows = largest(values, k)
    return rows, values[rows], len(values)


def ranked(X: Array, values: Array, *, iid: bool, keep: int = KEEP) -> Draws:
    """The record of n draws with known values; the median only for i.i.d. draws."""
    rows = largest(values, keep)
    return Draws(len(X), iid, X[rows], values[rows], median(values[:MEDIAN_ROWS]) if iid else None)


def enumerated(alpha: Score, domain: Domain, keep: int = KEEP, deadline: float | None = None) -> Solution:
    """The best of all points of a finite domain: `draws.n` is the size of the domain, its median is exact.

    In a large domain, the median is that of some points. If the deadline passes there, the result is the best so far
    without a record.
    """
    if domain.size > SCORED:
        return _sieved(alpha, domain, keep, deadline)
    values = np.concatenate([alpha(X) for X in blocks(domain)])
    rows = largest(values, keep)
    points = np.concatenate([domain.enumerate(row, row + 1) for row in rows.tolist()])
    draws = Draws(len(values), False, points, values[rows], median(values))
    return record(alpha, domain, points[0], Work(values=len(values)), draws=draws)


def _sieved(alpha: Score, domain: Domain, keep: int, deadline: float | None) -> Solution:
    """`enumerated`, but only points that may be among the best are scored in full."""
    size = int(domain.size)
    some = np.concatenate([domain.enumerate(i, i + 1) for i in range(0, size, size // QUICK)])
    values = alpha(some)
    middle, floor = median(values), float(np.nan_to_num(values[largest(values, keep)[-1]], nan=-np.inf))
    rows, best, start, status = np.empty(0, dtype=np.intp), np.empty(0), 0, Status.DONE
    for X in blocks(domain):
        kept = alpha.reach(X, floor)
        rows, best = np.append(rows, start + kept), np.append(best, alpha(X[kept]))
        first = largest(best, keep)
        rows, best, start = rows[first], best[first], start + len(X)
        if len(best) == keep and best[-1] > floor:
            floor = float(best[-1])
        if start < size and late(deadline):
            status = Status.BUDGET
            break
    points = np.concatenate([domain.enumerate(row, row + 1) for row in rows.tolist()] or [some[:1]])
    draws = Draws(size, False, points, best, middle) if status is Status.DONE else None
    return record(alpha, domain, points[0], Work(values=start), status=status, draws=draws)


def seen_whole(alpha: Score, domain: Domain, step: Step) -> bool:
    """Whether to evaluate every point: no step leads from one point to a better one, and the work is affordable.

    The work is counted in operations. For each of N points and n observations, a distance takes d operations and its
    kernel value KERNEL. A score that sieves does little else, in single precision. Other scores also need the standard
    deviation, n operations for each distance, in double precision and with more arrays.
    """
    if not isinstance(domain, Scattered):
        return False
    n = max(1, len(step.design))
    each = n * (domain.dim + KERNEL) if alpha.sieves else DOUBLE * n * (domain.dim + KERNEL + n)
    return domain.size * each <= OPERATIONS


def surroundings(alpha: Score, domain: Domain, step: Step, rng: Generator) -> tuple[Array, Work]:
    """The best observed points, the score's own seeds and the best draws around them, (k, d); none before the first
    observation.

    Expected improvement and similar scores are large beside the best observations and nearly flat elsewhere. Such peaks
    get narrower with more observations. With many columns, or many cells of integers and options, no uniform draw hits
    them. The highest peak is not always beside the best point, so the best draw around each point counts.
    """
    seeds = np.empty((0, domain.dim)) if alpha.seeds is None else alpha.seeds
    if len(seeds):
        seeds = domain.snap(seeds[largest(alpha(seeds), SEEDS)])
    head = step.design[:SCANNED]
    centres = domain.snap(head[apart(head, CENTRES, APART)])  # they may lie beside the slice that was asked for
    around = [local(NEAR, domain, design=x[None], rng=rng) for x in (*centres, *seeds)]
    if not around:
        return np.empty((0, domain.dim)), Work()
    around += in_cells(centres[:CELLS], domain, rng) + across(centres[:1], domain, rng)
    near = np.concatenate(around)
    values = alpha(near).reshape(len(around), NEAR)
    values = np.where(np.isnan(values), -np.inf, values)
    feet = near.reshape(*values.shape, -1)[np.arange(len(around)), values.argmax(axis=1)]
    feet = feet[largest(values.max(axis=1), FEET + len(seeds))]
    return np.concatenate([centres[:KNOWN], seeds, feet]), Work(values=len(near) + len(seeds))


def in_cells(X: Array, domain: Domain, rng: Generator) -> list[Array]:
    """Draws with the integers and options of each row of X, because few uniform draws are in cells with a high score.

    No draws if all columns are smooth, or none is, or a column may depend on another one.
    """
    smooth = smooth_columns(domain)
    if smooth.all() or not smooth.any() or not domain.product:
        return []
    return [domain.snap(np.where(smooth, domain.sample(NEAR, rng), x)) for x in X]


def across(X: Array, domain: Domain, rng: Generator) -> list[Array]:
    """Each row of X with one smooth column at an end of its range; none if no column is smooth.

    Along a parameter with little effect, a narrow peak becomes a ridge. Its higher end is far from the observations, on
    the other side of the cube.
    """
    smooth = np.flatnonzero(smooth_columns(domain))
    if not len(smooth):
        return []
    sides = np.resize(rng.permutation(2 * len(smooth)), NEAR)
    rows = np.repeat(X[:, None], NEAR, axis=1)
    rows[:, np.arange(NEAR), smooth[sides // 2]] = sides % 2
    return [domain.snap(some) for some in rows]


def faces(alpha: Score, domain: Domain, rng: Generator) -> tuple[Array, Work]:
    """The best of some points on the faces of the cube, and of its corners, (k, d); none if no column is smooth.

    Far from observations, a score often rises towards a face and has its maximum there. The slopes of such a peak may
    be so short that no draw is on them.
    """
    smooth = np.flatnonzero(smooth_columns(domain))
    if not len(smooth):
        return np.empty((0, domain.dim)), Work()
    n = 2 * CORNERS
    X = domain.sample(n, rng)
    ends = rng.integers(2, size=(n, len(smooth))).astype(np.float64)
    if 2 ** len(smooth) <= CORNERS:
        ends[: 2 ** len(smooth)] = np.indices((2,) * len(smooth)).reshape(len(smooth), -1).T
    there = rng.random((n, len(smooth))) < 0.5
    there[:CORNERS] = True
    X[:, smooth] = np.where(there, ends, X[:, smooth])
    X = domain.snap(X)
    return X[largest(alpha(X), ON_FACES)], Work(values=n)


def apart(X: Array, k: int, r: float) -> Indices:
    """Rows of X, best first, at most k: each is more than r from those before it in some column."""
    left = np.ones(len(X), dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < k and left.any():
        chosen.append(int(left.argmax()))
        left &= np.abs(X - X[chosen[-1]]).max(axis=1) > r
    return np.array(chosen, dtype=np.intp)


def spread_out(Z: Array, k: int, n: int) -> Indices:
    """Rows that start k runs, if possible no two on the same slope.

    Z has the smooth columns of the best of n draws, best first; the other columns do not matter, because runs from
    different cells soon meet in one. The best draws are often close together, on the broadest slope. A draw waits if a
    better one is in the cube around it that holds COVERED draws on average [after Rinnooy Kan and Timmer 1987].
    """
    p = Z.shape[1]
    first = apart(Z, k, 0.5 * min(1.0, COVERED / n) ** (1.0 / p)) if p else np.empty(0, dtype=np.intp)
    rest = np.delete(np.arange(len(Z)), first)
    return np.concatenate([first, rest])[:k]
