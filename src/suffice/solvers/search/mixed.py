"""Local searches over all columns: climbing within a cell of integers and options, and exchanging these for others.

m, d    int     runs, columns                 ends   (m, d)  the position of each run, with its value
active  (a,)    runs whose last exchange led up, or that have tried none yet
k       int     a level of an integer, 0 … count − 1
g       (m, d)  gradients of alpha, 0 in columns that do not move
s       (m,)    the length of a step along a constraint         c  (m, d)  a member further inside, s down the gradient

A run climbs in the smooth columns of its cell. Then it replaces every discrete value of its end by others, one at a
time, moves to the highest of these points if that is higher, and climbs again. The best run also climbs in a few
neighbouring cells that begin lower. This continues until no run gets higher. All runs take each of these steps
together, in one batch. On a space of floats alone this is `polish`.
"""

from functools import partial

import numpy as np
from numpy.random import Generator

from suffice.checks import NOTHING, as_count, as_real
from suffice.solvers.record import QUICK, Work, late
from suffice.solvers.search.gradient import lbfgs
from suffice.solvers.search.simplex import nelder_mead
from suffice.solvers.search.surface import FIRST_STEP, Ascent, LocalSearch, Mask, Surface, numbers
from suffice.space import CustomSpace, Shaped, active_coordinates, exchangeable, free_columns, held, is_constrained
from suffice.types import Array, Coordinate, Domain, Indices, Levels, Score, Status, largest, smooth_columns

TOL = 1e-5  # of the way to the maximum that may be left: 1e-10 of the gain
EXCHANGES = 12  # times that a run may go on to another cell
ALL = 2  # of these for every remaining run; further ones only for the best runs
LEADERS = 4  # the highest runs, which go on when the others stop: to several cells in a race, or along a constraint
CELLS = 4  # neighbouring cells in which the best run climbs; the others climb in one each
FEW = 16  # up to so many levels are all tried; of more, those at 1, 2, 4, 8 … steps on both sides
OPTIONS = 256  # options of a choice to try: the model predicts the same for all options without data
LEAST = 1e-4  # of the cube: a run that a constraint stops this far up the gradient slides; also its smallest step
SLIDES = 40  # rounds along a constraint at most
WALKS = 50  # rounds of a walk at most
LOOKED = 8  # neighbours that a walk looks at in a round
IN_VAIN = 2  # rounds without a higher neighbour before a walk gives up,
LEADER_IN_VAIN = 8  # and before the highest one does


def ascend(
    alpha: Score,
    domain: Domain,
    starts: Array,
    *,
    search: LocalSearch = lbfgs,
    max_iter: int | None = None,
    tol: float = TOL,
    leaders: int = 0,
    known: float | None = None,
    deadline: float | None = None,
    rng: Generator | None = None,
) -> Ascent:
    """The ends of the runs from the starts, (m, d), none of them lower than its start.

    If a value is `known`, the runs race for a higher one, and those that cannot win stop; −inf starts a race without
    such a value. Walks draw their steps from the stream `rng`.
    """
    if rng is not None and isinstance(domain, CustomSpace):
        return walk(alpha, domain, starts, rng, deadline)
    starts = domain.snap(starts)  # observed points may lie outside the requested slice
    race = partial(polish, alpha, domain, known=known, deadline=deadline)
    climb = partial(race, search=search, max_iter=max_iter, tol=tol, leaders=leaders)
    if smooth_columns(domain).all() or not exchangeable(domain) or late(deadline):
        return slide(climb(starts), alpha, domain, deadline)
    initial, few = numbers(alpha(starts)), len(starts) if known is None else LEADERS
    cells, _, rows = _uphill(alpha, domain, starts, initial, few)
    first = climb(cells)
    ends, values, cut, work = first.points.copy(), first.values.copy(), first.cut.copy(), first.work
    work += Work(values=len(starts) + rows)
    active = np.flatnonzero(np.isfinite(values))
    least = NOTHING * (np.max(values[active], initial=-np.inf) - np.min(initial[active], initial=np.inf))
    active = active[largest(values[active], few)]
    for i in range(EXCHANGES):
        if i == ALL:
            active = active[values[active] == values.max()]
        if not len(active) or late(deadline):
            break
        owner, cells, looked = _cells(alpha, domain, ends[active], values[active], few, known)
        work += looked
        if not len(cells):
            break
        found = climb(cells)
        work += found.work
        best = best_rows(found.values, owner, len(active))
        up = (best >= 0) & (found.values[best] > values[active] + least)
        active, best = active[up], best[up]
        ends[active], values[active], cut[active] = found.points[best], found.values[best], found.cut[best]
    return slide(Ascent(ends, values, initial, cut, work), alpha, domain, deadline)


def _cells(
    alpha: Score, domain: Domain, ends: Array, values: Array, few: int, known: float | None
) -> tuple[Indices, Array, Work]:
    """Cells that are worth a climb: their runs, (k,), the starts, (k, d), and the work."""
    found, up, rows = _uphill(alpha, domain, ends, values, few)
    owner, starts = np.flatnonzero(up), found[up]
    best = int(np.argmax(values))
    if not up[best] and (known is None or values[best] > known):
        _, beside = exchanges(ends[[best]], domain)
        rows += len(beside)
        beside = beside[largest(alpha(beside), CELLS)]
        owner, starts = np.append(owner, np.full(len(beside), best)), np.concatenate([starts, beside])
    return owner, starts, Work(values=rows)


def _uphill(alpha: Score, domain: Domain, X: Array, v: Array, few: int) -> tuple[Array, Mask, int]:
    """Where exchanges that raise alpha lead from X, (a, d), which rows have such an exchange, (a,), and the work.

    A row makes all exchanges that raise alpha at once if together they raise it more than the best one alone. Usually
    they do, so a few evaluations are enough for many coordinates. The best few rows get more than one result.
    """
    X, v, up, rows = X.copy(), v.copy(), np.zeros(len(X), dtype=np.bool_), 0
    live = np.arange(len(X))
    for _ in range(EXCHANGES):
        owner, which, others = exchanged(X[live], domain)
        if not len(others):
            break
        values = numbers(alpha(others))
        rows += len(others)
        best = best_rows(values, owner, len(live))
        higher = (best >= 0) & (values[best] > v[live])
        if domain.product and higher.any():
            rows += _combined(alpha, domain, X[live], v[live], owner, which, others, values, best)
        live, best = live[higher], best[higher]
        X[live], v[live], up[live] = others[best], values[best], True
        live = live[largest(v[live], few)]
        if not len(live):
            break
    return X, up, rows


def _combined(
    alpha: Score,
    domain: Domain,
    X: Array,
    v: Array,
    owner: Indices,
    which: Indices,
    others: Array,
    values: Array,
    best: Indices,
) -> int:
    """Replace the best exchange of a row of X by all good ones together, if that is higher; the work."""
    C = len(domain.coordinates)
    each = best_rows(values, owner * C + which, len(X) * C).reshape(len(X), C)
    good = (each >= 0) & (values[each] > v[:, None])
    several = np.flatnonzero(good.sum(axis=1) > 1)
    if not len(several):
        return 0
    together = X[several]
    for j in np.flatnonzero(good[several].any(axis=0)).tolist():
        columns, changed = domain.coordinates[j].columns, good[several, j]
        together[changed, columns] = others[each[several[changed], j], columns]
    found = numbers(alpha(together))
    wins = found > values[best[several]]
    others[best[several[wins]]], values[best[several[wins]]] = together[wins], found[wins]
    return len(several)


def best_rows(values: Array, owner: Indices, n: int) -> Indices:
    """For each of n owners the row of its largest value, (n,); −1 for owners without rows."""
    best = np.full(n, -1, dtype=np.intp)
    order = np.argsort(values, kind="stable")
    best[owner[order]] = order  # the last one to be written is the largest
    return best


def polish(
    alpha: Score,
    domain: Domain,
    points: Array,
    *,
    search: LocalSearch = lbfgs,
    max_iter: int | None = None,
    tol: float = TOL,
    leaders: int = 0,
    known: float | None = None,
    deadline: float | None = None,
) -> Ascent:
    """Local searches from all the points (m, d) in one batch, moving smooth columns only, and of these the active ones.

    All but the best `leaders` stop after `max_iter` rounds. If a value is `known` (at least −inf), the runs race:
    those that cannot win stop.

    A score without a gradient is always searched with Nelder–Mead, because finite differences of a score that is not
    smooth are noise. The deadline, a time.monotonic(), is checked between rounds.
    """
    smooth = smooth_columns(domain)
    held = ~free_columns(domain, points)[:, smooth]
    inside = domain.contains if is_constrained(domain) else None
    surface = Surface(alpha, points, smooth, deadline, held if held.any() else None, inside, known)
    if not smooth.any():
        values = surface.values(surface.origin, np.arange(len(points)))
        return Ascent(points, values, values, np.zeros(len(points), dtype=np.bool_), Work(values=len(points)))
    if not alpha.smooth:
        search = nelder_mead
    return _members(search(surface, max_iter, tol, leaders), surface, domain)


def _members(ascent: Ascent, surface: Surface, domain: Domain) -> Ascent:
    """Snap end points into a domain that is no box, or return to the starts if that makes them worse."""
    points = domain.snap(ascent.points)
    off = np.flatnonzero((points != ascent.points).any(axis=1))
    if not len(off):
        return ascent
    values = ascent.values.copy()
    values[off] = numbers(surface.alpha(points[off]))
    back = values < ascent.initial
    points = np.where(back[:, None], surface.starts, points)
    values = np.where(back, ascent.initial, values)
    return Ascent(points, values, ascent.initial, ascent.cut, ascent.work + Work(values=len(off)))


def status_of(ascent: Ascent) -> Status:
    """The status of all runs together."""
    if ascent.cut.any():
        return Status.BUDGET
    return Status.DONE if ascent.improved.any() else Status.NO_DESCENT


def check_search(name: str, starts: int, max_iter: int | None, tol: float) -> None:
    """Check the settings of a search."""
    as_count(starts, f"{name}: starts", 1)
    if max_iter is not None:
        as_count(max_iter, f"{name}: max_iter", 1)
    if not 0.0 < as_real(tol, f"{name}: tol") < 1.0:
        raise ValueError(f"{name} got tol={tol!r}; it is the fraction of the distance that may remain, between 0 and 1")


def exchanges(X: Array, domain: Domain) -> tuple[Indices, Array]:
    """The rows of X with one discrete value replaced by each of the others that are worth trying.

    A local search moves only smooth columns, so it stays in the cell of its start, with the same integers and options.
    An exchange leads to a neighbouring cell, with the same smooth columns.

    Returns the row of X for each of them, (k,) in order, and the members, (k, d). In a domain that is no product,
    dependent values change as well; there are no exchanges if the domain cannot do that.
    """
    owner, _, rows = exchanged(X, domain)
    return owner, rows


def exchanged(X: Array, domain: Domain) -> tuple[Indices, Indices, Array]:
    """As `exchanges`, with the coordinate that has another value, (k,), between the two."""
    owners, blocks = [np.empty(0, dtype=np.intp)], [np.empty((0, domain.dim))]
    which = [np.empty(0, dtype=np.intp)]
    discrete = [] if not exchangeable(domain) else [j for j, c in enumerate(domain.coordinates) if not c.smooth]
    most = max(1, held(domain) // max(1, len(X) * len(discrete)))
    active = active_coordinates(domain, X)
    for j in discrete:
        coordinate, there = domain.coordinates[j], np.flatnonzero(active[:, j])  # what is inactive stays where it is
        values = _values(coordinate, X[there, coordinate.columns], most)
        a, k, width = values.shape
        owner = np.repeat(there, k)
        block = X[owner]
        block[:, coordinate.columns] = values.reshape(a * k, width)
        blocks.append(block)
        owners.append(owner)
        which.append(np.full(len(owner), j))
    owner, rows = np.concatenate(owners), np.concatenate(blocks)
    if not domain.product and isinstance(domain, Shaped) and len(rows):
        rows = domain.towards(rows, X[owner])  # all at once: with thirty parameters, one by one is five times slower
    other = np.flatnonzero((rows != X[owner]).any(axis=1))
    order = other[np.argsort(owner[other], kind="stable")]
    return owner[order], np.concatenate(which)[order], rows[order]


def _values(coordinate: Coordinate, here: Array, most: int) -> Array:
    """Values of the coordinate's columns to try instead of those here, (a, w): (a, k, w), k ≤ most."""
    if coordinate.places is not None:
        return np.repeat(coordinate.places.points[None, : min(QUICK, most)], len(here), axis=0)
    if coordinate.levels is not None:
        return coordinate.levels.at(_ladder(coordinate.levels, here[:, 0])[:, :most])[:, :, None]
    width = coordinate.stop - coordinate.start
    return np.repeat(np.eye(min(width, OPTIONS, most), width)[None], len(here), axis=0)


def _ladder(levels: Levels, here: Array) -> Indices:
    """Levels near and far, (a, k), or all if there are few."""
    if levels.count <= FEW:
        return np.repeat(np.arange(levels.count)[None], len(here), axis=0)
    steps = 2 ** np.arange(levels.count.bit_length(), dtype=np.intp)
    reached: Indices = levels.index(here)[:, None] + np.concatenate([-steps, steps])
    return np.clip(reached, 0, levels.count - 1)


def slide(ascent: Ascent, alpha: Score, domain: Domain, deadline: float | None = None) -> Ascent:
    """The ends of runs that slide along a constraint that stopped them, none of them lower than before.

    A predicate has no gradient, so the direction of the constraint is unknown. Each run tries a step along every column
    and along the gradient. A trial outside the domain moves towards c until it is a member, at another place on the
    constraint. If the best trial is higher, the run moves there and doubles its steps; otherwise it halves them.
    Without a gradient the runs stay as they are.
    """
    if not (is_constrained(domain) and isinstance(domain, Shaped) and alpha.smooth):
        return ascent
    rows = largest(np.where(np.isfinite(ascent.values), ascent.values, -np.inf), LEADERS)
    rows = rows[np.isfinite(ascent.values[rows])]
    X, v = ascent.points[rows], ascent.values[rows]
    free = domain.free(X)
    work, s = Work(), np.full(len(rows), FIRST_STEP / 2)
    live = np.arange(len(rows))
    for i in range(SLIDES):
        if not len(live) or late(deadline):
            break
        g = _unit(np.where(free[live], alpha.value_and_grad(X[live])[1], 0.0))
        work += Work(grads=len(live))
        if i == 0:  # only those that a constraint stopped
            stopped = ~domain.contains(np.clip(X + LEAST * g, 0.0, 1.0))
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
        s[live] = np.where(up, np.minimum(2.0 * s[live], 2.0 * FIRST_STEP), 0.5 * s[live])
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
    """Rows scaled to length one, or zero; NaN becomes zero."""
    g = np.where(np.isfinite(g), g, 0.0)
    length = np.linalg.norm(g, axis=1, keepdims=True)
    return g / np.where(length > 0.0, length, 1.0)


def walk(alpha: Score, domain: Domain, starts: Array, rng: Generator, deadline: float | None = None) -> Ascent:
    """The ends of walks from the starts, (m, d), in a space whose columns cannot change one by one.

    Each run moves to the best of some neighbours if that is higher, and stops after some rounds without success. The
    highest run has more such rounds than the others.
    """
    X, v = starts.copy(), numbers(alpha(starts))
    initial, vain, work = v.copy(), np.zeros(len(X), dtype=np.intp), Work(values=len(X))
    for _ in range(WALKS):
        live = np.flatnonzero(_going(v, vain))
        if not len(live) or late(deadline):
            break
        others = np.concatenate([domain.near(x, LOOKED, rng, ()) for x in X[live]])
        values = numbers(alpha(others)).reshape(len(live), LOOKED)
        work += Work(values=len(others))
        best = values.argmax(axis=1)
        height = values[np.arange(len(live)), best]
        up = height > v[live]
        vain[live] += 1
        vain[live[up]] = 0
        X[live[up]] = others.reshape(len(live), LOOKED, -1)[up, best[up]]
        v[live[up]] = height[up]
    return Ascent(X, v, initial, _going(v, vain), work)


def _going(v: Array, vain: Indices) -> Mask:
    """Which runs go on, (m,)."""
    patience = np.where(v == v.max(initial=-np.inf), LEADER_IN_VAIN, IN_VAIN)
    return (vain < patience) & np.isfinite(v)
