"""How exactly an acquisition was maximized: its value at the chosen point and the best one of a thorough search.

v, α*  float  the value at the chosen point, and the best known value              η = (v + C) / (α* + C)
C      float  the smallest shift with α + C ≥ 0 at all evaluated points; 0 if no value is negative
p      float  the probability that the thorough search missed the highest maximum (accuracy/estimate.py)

The search begins like an audit, with many draws and runs from the best of them. The highest peak is often beside an
observed point and too narrow for any draw, so the search also draws around every known point. Then it draws around the
best ends of its runs until the value stops increasing.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.accuracy.certificate import certify
from suffice.accuracy.estimate import Estimate, estimate, eta, log_eta, relative_gap, with_proof
from suffice.candidates import local
from suffice.checks import as_bool, as_count, short
from suffice.exactness.foreign import Foreign, Units, looked_at
from suffice.solvers.multistart import climbed
from suffice.solvers.record import Work, enumerated, faces, median
from suffice.solvers.search.mixed import ascend
from suffice.space import SearchSpace, Space, as_space, listable
from suffice.types import Array, Domain, Draws, Score, Solution, Step, largest

DRAWS = 20_000  # uniform, as in an audit
NEAR, MOST_NEAR = 64, 6000  # around each known point, and around all of them
STARTS = 50  # runs from the best uniform draws, and from the best ones near known points
AGAIN, ENDS, AROUND = 4, 8, 250  # further rounds at most, the best ends that they start from, draws around each
GAINED = 1e-9  # of the spread: less is no gain
MEDIAN_ROWS = 1000
PROOF_NODES = 50_000  # boxes of a proof: a second or two
LISTED = 20_000  # a finite space of at most so many points is enumerated


@dataclass(frozen=True)
class SolveQuality:
    """The accuracy of one maximization of an acquisition function: print it for a summary.

    Attributes
    ----------
    value : float
        The acquisition at the point.
    best : float
        The best known value: that of the thorough search, or of the point itself.
    point : object
        The point with the best value, in the units of `bounds`.
    eta : float
        The paper's ratio (value + shift) / (best + shift), or exp(value − best) for a logarithm; 1 if nothing is
        better.
    gap : float
        best − value, in the acquisition's units.
    relative_gap : float
        The gap as a fraction of best − median over uniform samples.
    shift : float or None
        The constant added to both for the ratio; 0 for an acquisition that is never negative, None for a logarithm.
    logarithmic : bool
        Whether the acquisition is a logarithm.
    distance : float
        The distance of the point from the best one, in the unit cube.
    chance : float
        The estimated probability that the thorough search missed the global maximum.
    missed : float
        The expected miss of the thorough search, in the acquisition's units.
    upper : float or None
        A proven upper bound of the maximum, if the acquisition function has bounds over boxes.
    n_evals : int
        Evaluations of the thorough search: one for a value, p + 1 for a gradient in p smooth columns.
    seconds : float
        How long it took.
    notes : tuple of str
        Notes about what lowers the accuracy.
    """

    value: float
    best: float
    point: Any = field(repr=False)
    eta: float
    gap: float
    relative_gap: float
    shift: float | None
    logarithmic: bool
    distance: float
    chance: float
    missed: float
    upper: float | None
    n_evals: int
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether the best value is proven to be the maximum."""
        tolerance = 1e-6 * max(1.0, abs(self.best))
        return self.upper is not None and self.upper <= self.best + tolerance

    def __str__(self) -> str:
        how = "the maximum" if self.proven else "the best of a heavy search"
        sure = (
            ""
            if self.proven
            else f", which misses a higher local maximum with a probability of about {100 * self.chance:.2g} %"
        )
        shift = f" (after a shift of {self.shift:.4g})" if self.shift else ""
        lines = [
            f"eta = {self.eta:.6f}{shift}: the acquisition is {self.value:.6g}, and {how} is {self.best:.6g}{sure}"
        ]
        if self.gap > 0.0:
            lines.append(f"a better point is {self.distance:.3g} away in the unit cube: {self.point}")
        return "\n".join([*lines, *self.notes])


def solve_quality(
    f: Any,
    x: Any,
    bounds: Any,
    *,
    grad: Callable[[Array], Array] | None = None,
    starts: Sequence[Any] | Array | None = None,
    logarithmic: bool | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> SolveQuality:
    """Measure how accurately an acquisition function of any library was maximized.

    It maximizes f again, much more thoroughly than optimizers do, and compares the results. It does not evaluate the
    objective.

    Parameters
    ----------
    f : callable
        The acquisition function to maximize: from rows, (m, d), to values, (m,). BoTorch's acquisition functions are
        supported directly. In a space with names it gets a list of points.
    x : array-like
        The chosen point, in the units of `bounds`.
    bounds : list of pairs, Space or tensor
        The domain of f: (low, high) for each column; a space, if there are integers or choices; or a tensor of shape
        (2, d), as in BoTorch.
    grad : callable or None, default: None
        The gradient, from rows to (m, d). None uses finite differences, unless f is a torch module.
    starts : array-like or None, default: None
        Points of the space near which peaks may be narrow, such as observed ones. None takes those of the model of a
        BoTorch acquisition function.
    logarithmic : bool or None, default: None
        Whether f is the logarithm of an acquisition function, so that η is exp of a difference. None detects BoTorch's;
        others are not.
    draws : int, default: 20000
        The number of random points of the thorough search.
    seed : int, default: 0
        The seed of its randomness.

    Returns
    -------
    SolveQuality
        The ratio η, the gap, a better point, and its certainty.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> hill = lambda X: np.exp(-50 * (X[:, 0] - 0.3) ** 2)
    >>> round(sf.solve_quality(hill, [0.4], [(0, 1)]).eta, 3)
    0.607
    """
    if isinstance(f, Score):
        alpha, space = f, bounds if isinstance(bounds, SearchSpace) else as_space(bounds)
        known = starts_of(space, starts)
        check_leaves_rows(alpha, space)
    else:
        alpha, space, known = foreign(f, bounds, grad=grad, starts=starts, logarithmic=logarithmic)
    draws, seed = as_count(draws, "draws", MEDIAN_ROWS), as_count(seed, "seed", 0)
    return measured(alpha, space, row_of(space, x), known, draws=draws, seed=seed, nodes=PROOF_NODES)


def foreign(
    f: Any,
    bounds: Any,
    *,
    grad: Callable[[Array], Array] | None = None,
    starts: Any = None,
    logarithmic: bool | None = None,
) -> tuple[Foreign, SearchSpace, Array]:
    """A foreign acquisition as a score, its domain, and the rows of the known points."""
    if is_torch(f):
        from suffice.exactness.tensors import score, space_of

        space = space_of(bounds) if hasattr(bounds, "detach") else as_space(bounds)
        if not isinstance(space, Space):
            raise TypeError(f"an acquisition of torch is maximized over bounds or a Space: got {type(space).__name__}")
        alpha, known = score(f, space)
        known = known if starts is None else starts_of(space, starts)
        return (alpha if logarithmic is None else replace(alpha, logarithmic=logarithmic)), space, known
    if isinstance(f, type) or not callable(f):
        raise TypeError(f"solve_quality takes an acquisition function, a callable of rows: got {f!r}")
    searched = as_space(bounds)
    known = starts_of(searched, starts)
    with_grads = None if grad is None else lambda V: (f(V.copy()), grad(V.copy()))  # it may write into its rows
    logarithm = False if logarithmic is None else as_bool(logarithmic, "logarithmic")
    alpha = Foreign(f, Units(searched), with_grads, logarithm)
    looks = looked_at(alpha, known)
    return replace(alpha, single=looks.single, positive=not logarithm and looks.positive), searched, known


def is_torch(f: Any) -> bool:
    """Whether it is a module of torch; does not import torch."""
    return any(base.__module__.startswith("torch.nn") for base in type(f).__mro__)


def check_leaves_rows(alpha: Score, space: SearchSpace) -> None:
    """Raise an error for a score that modifies its rows, because the search would use the modified points."""
    X = space.sample(2, np.random.default_rng(0))
    given = X.copy()
    if alpha.smooth:
        alpha.value_and_grad(given)
    alpha(given)
    if not np.array_equal(X, given):
        raise ValueError(f"the score {type(alpha).__name__} writes into its rows: let it work on a copy, X = X.copy()")


def row_of(space: SearchSpace, x: Any, what: str = "x") -> Array:
    """The chosen point in the cube, (d,)."""
    x = x.detach().cpu().double().numpy() if hasattr(x, "detach") else x
    x = np.ravel(x) if isinstance(x, np.ndarray) else x
    try:
        return space.to_unit(x)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} is not a point of the space: {error}") from None


def starts_of(space: SearchSpace, starts: Any) -> Array:
    """The user's starts in the cube, (k, d); an error for one outside the space."""
    if starts is not None and (isinstance(starts, str) or not hasattr(starts, "__iter__")):
        raise TypeError(f"starts must be a list of points: got {short(starts)}")
    rows = [row_of(space, x, f"starts[{j}]") for j, x in enumerate(() if starts is None else starts)]
    return np.array(rows).reshape(len(rows), space.dim)


def rows_of(space: SearchSpace, points: Any) -> Array:
    """The known points inside the space, in the cube, (k, d)."""
    rows = []
    for point in () if points is None else points:
        try:
            rows.append(row_of(space, point))
        except (TypeError, ValueError):  # evaluated outside the bounds or elsewhere
            continue
    return np.array(rows).reshape(len(rows), space.dim)


def measured(
    alpha: Score, domain: Domain, x: Array, known: Array, *, draws: int = DRAWS, seed: int = 0, nodes: int = 0
) -> SolveQuality:
    """The quality of the row x, (d,), for alpha on the domain; with a proof of up to so many boxes."""
    start = time.perf_counter()
    value = float(alpha(x[None])[0])
    if math.isnan(value):
        raise ValueError("the acquisition is nan at x; its maximum is searched where it is finite")
    found, lowest = heavy(alpha, domain, np.vstack([x, known]), np.random.default_rng(seed), draws)
    best, point = (found.value, found.x) if found.value > value else (value, x)
    seen = estimate(found.draws, found.starts, point, best, domain, logarithmic=alpha.logarithmic)
    upper = None if seen is None or seen.kind != "enumerated" else best
    if alpha.bounded and nodes:
        proof = certify(alpha, domain, value=best, nodes=nodes)
        if proof.x is not None:
            best, point = proof.value, proof.x
        seen, upper = with_proof(seen, proof), proof.upper
    if best == math.inf:
        raise ValueError(
            f"the acquisition is infinite at {_in_units(alpha, domain, point)}: it has no maximum to compare"
        )
    if best == -math.inf:
        raise ValueError(f"the acquisition is -inf at all {found.n_evals} points of the search: it has no maximum")
    shift = None if alpha.logarithmic else _shift(alpha, lowest if math.isinf(value) else min(lowest, value), draws)
    middle = None if found.draws is None else found.draws.median
    ratio = log_eta(value, best) if shift is None else eta(value, best, shift)
    return SolveQuality(
        value=value,
        best=best,
        point=_in_units(alpha, domain, point),
        eta=ratio,
        gap=best - value,
        relative_gap=0.0 if middle is None else relative_gap(value, best, middle),
        shift=shift,
        logarithmic=alpha.logarithmic,
        distance=float(np.linalg.norm(point - x)),
        chance=_chance(seen, upper, best),
        missed=0.0 if seen is None else seen.gap(best),
        upper=upper,
        n_evals=found.n_evals,
        seconds=time.perf_counter() - start,
        notes=_notes(alpha, found, lowest),
    )


def _shift(alpha: Score, lowest: float, draws: int) -> float:
    """The score's own shift, or the smallest one that makes all evaluated values nonnegative."""
    own = alpha.shift(draws)
    return max(0.0, -lowest) if own is None or lowest + own < 0.0 else own


def _chance(seen: Estimate | None, upper: float | None, best: float) -> float:
    """The probability of a higher maximum; 0 if nothing can exceed the best value."""
    return 0.0 if upper is not None and upper <= best else 1.0 if seen is None else seen.unseen


def _in_units(alpha: Score, domain: Domain, row: Array) -> Any:
    if isinstance(alpha, Foreign) and alpha.units.numbers:
        return alpha.units(row[None])[0]
    return domain.from_unit(row) if isinstance(domain, SearchSpace) else row


def _notes(alpha: Score, found: Solution, lowest: float) -> tuple[str, ...]:
    notes = []
    if isinstance(alpha, Foreign) and alpha.by_differences:
        notes.append(
            "without a gradient the search uses finite differences: values are accurate to about 1e-6 of the spread"
        )
    if isinstance(alpha, Foreign) and alpha.single:
        notes.append("its values are in single precision: differences below 1e-3 of their size mean nothing")
    if found.value == lowest:
        notes.append("the acquisition is constant at all evaluated points: every point is equally good")
    return tuple(notes)


# ---------------------------------------------------------------------- the thorough search


def heavy(alpha: Score, domain: Domain, known: Array, rng: Generator, draws: int = DRAWS) -> tuple[Solution, float]:
    """The best point of a thorough search, which also starts from the known rows, (k, d); and the lowest value."""
    if listable(domain, LISTED):
        solution = enumerated(alpha, domain)
        return solution, float(np.nanmin(alpha(domain.enumerate())))
    X = domain.sample(draws, rng)
    values = alpha(X)
    lowest = float(np.min(values[np.isfinite(values)], initial=math.inf))
    rows = largest(values, STARTS)
    record = Draws(len(X), True, X[rows], values[rows], median(values[:MEDIAN_ROWS]))
    near, looked = around(alpha, domain, known, max(4, min(NEAR, MOST_NEAR // max(1, len(known)))), rng)
    edge, work = faces(alpha, domain, rng)
    starts, work = np.concatenate([X[rows], near, edge, known]), work + Work(values=len(X) + looked)
    step = Step(t=1, design=known)
    ascent = ascend(alpha, domain, starts, rng=rng)
    best = climbed(alpha, domain, ascent, work, draws=record, step=step)
    evals, grads = best.n_evals, best.n_grads
    spread = max(0.0, best.value - (record.median or 0.0))
    for _ in range(AGAIN):
        ends = np.vstack([best.x, ascent.points[largest(ascent.values, ENDS)]])
        near, looked = around(alpha, domain, ends, AROUND, rng)
        ascent = ascend(alpha, domain, near, rng=rng)
        evals += (ascent.work + Work(values=looked)).evals(domain)
        top = int(np.argmax(ascent.values))
        gained = float(ascent.values[top]) - best.value
        if gained > 0.0:
            x = ascent.points[top]
            best = replace(best, x=x, value=float(alpha(x[None])[0]))
        if not gained > GAINED * spread:
            break
    return replace(best, n_evals=evals, n_grads=grads), lowest


def around(alpha: Score, domain: Domain, centres: Array, n: int, rng: Generator) -> tuple[Array, int]:
    """The best draws near all centres, and the best one near each, (k, d); and the number of draws."""
    if not len(centres):
        return np.empty((0, domain.dim)), 0
    X = np.concatenate([local(n, domain, design=c[None], rng=rng) for c in centres])
    values = alpha(X)
    ranked = np.where(np.isnan(values), -np.inf, values)
    own = ranked.reshape(len(centres), n).argmax(axis=1) + n * np.arange(len(centres))
    rows = np.unique(np.concatenate([own[largest(ranked[own], STARTS)], largest(ranked, STARTS)]))
    return X[rows], len(X)
