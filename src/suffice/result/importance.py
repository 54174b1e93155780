"""Which parameters matter: Sobol' indices of the posterior mean, with the model's length-scales beside them.

f       the posterior mean as `Result.predict` has it, a function of D arguments; its variance is V
N       int     observations                                n    int     points of one round
A, B    (n, D)  two independent sets of points              R    int     rounds, each with its own randomness
AB_i    A with argument i from B
S_i     Var E(f | x_i) / V            the fraction that argument i explains alone (first order)
T_i     E Var(f | all but x_i) / V    the fraction that is lost without it: alone and with others (total)

    S_i ≈ mean f(B) (f(AB_i) − f(A)) / V        Saltelli et al. (2010), after centring f
    T_i ≈ mean (f(A) − f(AB_i))² / 2V           Jansen (1999)

Independent arguments have ΣS_i ≤ 1 ≤ ΣT_i and S_i ≤ T_i, with equality everywhere if f is a sum of functions of one
argument each. A and B are the halves of one scrambled Sobol' sequence; rounds are independent, so their standard
deviation gives the error of the mean (Owen 1997). Where arguments depend on each other only T_i has a meaning: x_i is
drawn anew given all others, and T_i is half the mean square of the change of f, as a fraction of V.

The measure over which a parameter's effect is averaged, uniform in each kind of space:

space of parameters   independent, on a log scale where a parameter has one; a choice is one argument
with conditions       the same: an inactive parameter changes nothing, so its effect is averaged over the whole space
with constraints      uniform over the feasible points; one parameter is redrawn until the point is allowed
pool                  every feature as in the pool, independent of the others: a single feature cannot change otherwise

The indices are about the model's mean, not about the objective: what the model has not learned has no part in them. So
the model's own uncertainty is given beside the standard deviation of f.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from suffice.accuracy.verdict import paragraph
from suffice.candidates import sobol
from suffice.errors import SufficeError
from suffice.record.history import History
from suffice.result.predict import Surface, as_output, memory, surface
from suffice.space import AbsentSpace, Pool, SearchSpace, Space, UnitCube, is_constrained
from suffice.space.constraints import ASKED
from suffice.streams import Streams
from suffice.text import LONG, ROWS, block, safe, table, visible
from suffice.threads import one_thread
from suffice.types import Array

Function = Callable[[Array], Array]

TRIES = 64  # draws of a value that the others allow; if all fail, nearly no other value is allowed, and it stays
LARGEST = 1e300  # values of f beyond are cut off: their differences have to be finite
ROUNDS = 8  # seven degrees of freedom for the error
MOST, FEWEST = 1024, 32  # points of a round: errors of about 0.001 and 0.02
WORK = 2**26  # kernel values and coordinates that are computed in all: about a second
SOME = 256  # points at which the model's uncertainty is looked at, and draws for the mean over the other parameters


@dataclass(frozen=True, eq=False, repr=False)
class Importance:
    """The parameters by their importance, the most important first: print it. All fields are in this order.

    Attributes
    ----------
    names : tuple of str
        The parameters.
    total : ndarray
        The fraction of the variance of the model's mean over the space that involves this parameter: its effect alone
        and its interactions. These may add up to more than 1.
    total_error : ndarray
        Their standard errors, from the points at which the mean was averaged.
    first : ndarray
        The fraction that it explains alone; nan where constraints make parameters depend on each other.
    first_error : ndarray
        Their standard errors.
    lengthscales : ndarray
        How quickly the objective changes, as a fraction of the parameter's range; for a choice:
        between any two of its options the distance is √2.
    deviation : float
        The standard deviation of the model's mean over the space, in the objective's units.
    uncertainty : float
        The model's own standard deviation at the median point of the space, in the same units. If it is not much
        smaller than `deviation`, the indices say little about the objective.
    measure : str
        The distribution of points over which the indices are averaged.
    """

    names: tuple[str, ...]
    total: Array
    total_error: Array
    first: Array
    first_error: Array
    lengthscales: Array
    deviation: float
    uncertainty: float
    measure: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        """A table, and what it is about."""
        rows = list(self._rows())
        widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        more = [f"… and {len(self) - ROWS} more"] if len(self) > ROWS else []
        return "\n".join([*(line.rstrip() for line in lines), *more, paragraph(self._about())])

    def _repr_html_(self) -> str:
        head, *body = self._rows()
        shown = table(head, body + body[-1:] * (len(self) - len(body)))  # those beyond are counted
        return block("Importance", shown, f"<p>{safe(self._about(), LONG)}</p>")

    def _rows(self) -> Iterator[tuple[str, ...]]:
        yield "parameter", "total", "alone", "length-scale"
        for j, name in enumerate(self.names[:ROWS]):
            shares = (
                "—" if np.isnan(share) else f"{share:.3f} ± {error:.3f}"
                for share, error in ((self.total[j], self.total_error[j]), (self.first[j], self.first_error[j]))
            )
            yield visible(name), *shares, f"{self.lengthscales[j]:.3g}"

    def _about(self) -> str:
        return (
            f"Fractions of the variance of the model's mean, whose standard deviation is {self.deviation:.3g}; the "
            f"model's own standard deviation is {self.uncertainty:.3g} ({self.measure})."
        )


def importance(history: History, output: str | None = None) -> Importance:
    """The importance, for one output, of every parameter of a study that is not constant."""
    name, known = as_output(output, history.settings), memory(history).importance
    if name not in known:
        with one_thread(history.model_rows):
            known[name] = _computed(surface(history, name=name), history.settings.seed)
    found: Importance = known[name]
    return found


def _computed(found: Surface, seed: int) -> Importance:
    posterior, coordinates = found.fitted.posterior, found.space.coordinates
    over, streams = measure(found.space, posterior.kernel.euclidean), Streams(seed)
    indices, X = _indices(found, over, streams)
    order = np.argsort(-indices.total, kind="stable")
    scales = np.array([posterior.lengthscales[c.columns].min() for c in coordinates], dtype=float)
    return Importance(
        tuple(coordinates[j].name for j in order),
        indices.total[order],
        indices.total_error[order],
        indices.first[order],
        indices.first_error[order],
        scales[order],
        deviation=indices.deviation,
        uncertainty=float(np.median(found.moments(X)[1])),
        measure=over.text,
    )


def _indices(found: Surface, over: "Measure", streams: Streams) -> "tuple[SobolIndices, Array]":
    """The indices of the mean, in the order of the coordinates, and some points of the measure."""
    D, N = len(found.space.coordinates), found.fitted.posterior.n
    rngs, some = [streams("importance", k) for k in range(ROUNDS)], streams("importance", ROUNDS)
    if over.place is None:
        assert over.draw is not None  # a measure has the one or the others
        assert over.replace is not None
        draw, replace, n = over.draw, over.replace, int(np.clip(ASKED // (ROUNDS * (D + 1)), FEWEST, MOST))
        indices = by_replacing(found.median, D, lambda rng: draw(n, rng), replace, rngs)
        return indices, draw(SOME, some)
    place = over.place
    most = WORK // ((N + found.space.dim) * ROUNDS * (D + 2))
    n = 1 << (int(np.clip(most, FEWEST, MOST)).bit_length() - 1)  # the largest power of two in it
    return independent(lambda U: found.median(place(U)), D, n, rngs), place(some.random((SOME, D)))


# ---------------------------------------------------------------------- the measure of a space


@dataclass(frozen=True, eq=False)
class Measure:
    """Where the points come from; `place` where arguments are independent, else `draw` and `replace`."""

    text: str
    place: Callable[[Array], Array] | None = None
    draw: Callable[[int, Generator], Array] | None = None
    replace: Callable[[Array, int, Generator], Array] | None = None


def measure(space: SearchSpace, euclidean: bool = True) -> Measure:
    """The measure of a space; SufficeError, with the reason, where no parameter can be changed by itself.

    euclidean    whether the kernel compares any two rows of the cube, as those of the library do
    """
    if isinstance(space, AbsentSpace):
        raise SufficeError(f"the importance of parameters needs the space itself; {space.advice}")
    if isinstance(space, Pool) and euclidean:
        return Measure("features independent of each other, each distributed as in the pool", place=_shuffled(space))
    if isinstance(space, Space) and is_constrained(space):
        text = "points uniform where the constraints hold, each parameter replaced as the others allow"
        return Measure(text, draw=space.sample, replace=partial(_replace, space))
    if space.product or isinstance(space, Space):
        inactive = "" if space.product else "; where a parameter is inactive it has no effect"
        return Measure(f"parameters independent and uniform over their ranges{inactive}", place=space.place)
    raise SufficeError(
        f"importance needs parameters that can change one by one, and {space!r} has none; "
        "result.predict(points) predicts any points"
    )


def _shuffled(pool: Pool) -> Callable[[Array], Array]:
    """What makes rows whose features come from rows of a pool, each from another one."""
    points, columns = pool.members.points, [coordinate.columns for coordinate in pool.coordinates]
    orders = [np.lexsort(points[:, these].T[::-1]) for these in columns]  # so that near numbers are near values

    def place(U: Array) -> Array:
        X = np.empty((len(U), pool.dim))
        for j, (these, order) in enumerate(zip(columns, orders, strict=True)):
            rows = order[np.minimum((U[:, j] * len(points)).astype(np.intp), len(points) - 1)]
            X[:, these] = points[rows, these]
        return X

    return place


def _replace(space: Space, X: Array, i: int, rng: Generator) -> Array:
    """Points with another value of coordinate i, (m, d), drawn as often as it takes to satisfy the constraints."""
    out, left, loose = X.copy(), np.arange(len(X)), space.with_where(None)
    for _ in range(TRIES):
        rows = loose.snap(_changed(space, X[left], i, rng))
        met = space.contains(rows)
        out[left[met]] = rows[met]
        left = left[~met]
        if not len(left):
            break
    return out


def _changed(space: Space, X: Array, i: int, rng: Generator) -> Array:
    """The same with a new value of coordinate i, and of what is inactive, which that one may bring up."""
    active, fresh = space.active(X), X.copy()
    for j, coordinate in enumerate(space.coordinates):
        new = np.ones(len(X), dtype=np.bool_) if j == i else ~active[:, j]
        if new.any():
            parameter = space.params[coordinate.name]
            fresh[new, coordinate.columns] = parameter.place(rng.random(int(new.sum())))
    return fresh


# ---------------------------------------------------------------------- Sobol' indices


@dataclass(frozen=True, eq=False)
class SobolIndices:
    """The indices of D arguments, with the standard errors of their estimates, (D,) each; 0 where f is constant."""

    first: Array  # S, nan where it has no meaning
    first_error: Array
    total: Array  # T
    total_error: Array
    deviation: float  # √V


def independent(f: Function, D: int, n: int, rngs: Sequence[Generator]) -> SobolIndices:
    """The indices of a function of D independent arguments, uniform in [0, 1]; f takes rows, (m, D).

    n is a power of two, for which the sequence is balanced.
    """

    def round_of(rng: Generator) -> tuple[Array, Array, float]:
        U = sobol(n, UnitCube(2 * D), design=np.empty((0, 2 * D)), rng=rng)
        A, B = U[:, :D], U[:, D:]
        (a, b), scale = _scaled(f(A), f(B))
        mean = (a.mean() + b.mean()) / 2
        a, b = a - mean, b - mean
        first, total = np.zeros(D), np.zeros(D)
        for i in range(D):
            mixed = A.copy()
            mixed[:, i] = B[:, i]
            ab = _in_units(f(mixed), scale) - mean
            first[i], total[i] = np.mean(b * (ab - a)), np.mean((a - ab) ** 2) / 2
        return _shares(first, total, (a @ a + b @ b) / (2 * n), scale)

    return _together([round_of(rng) for rng in rngs])


def by_replacing(
    f: Function,
    D: int,
    draw: Callable[[Generator], Array],
    replace: Callable[[Array, int, Generator], Array],
    rngs: Sequence[Generator],
) -> SobolIndices:
    """The total indices where arguments depend on each other.

    draw(rng)             n points, (n, d)
    replace(X, i, rng)    the same points with argument i drawn anew, given their others
    """

    def round_of(rng: Generator) -> tuple[Array, Array, float]:
        X = draw(rng)
        (a,), scale = _scaled(f(X))
        total = np.array([np.mean((a - _in_units(f(replace(X, i, rng)), scale)) ** 2) / 2 for i in range(D)])
        return _shares(np.full(D, math.nan), total, float(np.var(a)), scale)

    return _together([round_of(rng) for rng in rngs])


def _scaled(*values: Array) -> tuple[list[Array], float]:
    """Values divided by the largest of them, so that no square overflows, and by what."""
    finite = [_finite(v) for v in values]
    scale = max(float(np.abs(v).max(initial=0.0)) for v in finite) or 1.0
    return [v / scale for v in finite], scale


def _in_units(values: Array, scale: float) -> Array:
    """Other values divided by the same, which may be far larger; their squares have to be finite."""
    with np.errstate(over="ignore"):
        return np.clip(_finite(values) / scale, -math.sqrt(LARGEST), math.sqrt(LARGEST))


def _finite(values: Array) -> Array:
    return np.clip(values, -LARGEST, LARGEST)


def _shares(first: Array, total: Array, variance: float, scale: float) -> tuple[Array, Array, float]:
    """The parts of a round's variance as shares; what is less than rounding is no variance."""
    if variance <= np.finfo(float).eps ** 2:
        return np.where(np.isnan(first), first, 0.0), np.zeros_like(total), 0.0
    return first / variance, total / variance, math.sqrt(variance) * scale


def _together(rounds: Sequence[tuple[Array, Array, float]]) -> SobolIndices:
    """Means over the rounds, and their standard errors. No index is negative; an estimate that is, is 0.

    No index is above 1 either. The estimate of a round may be, and by far where few points decide about the variance.
    """
    firsts, totals, deviations = (np.array(values) for values in zip(*rounds, strict=True))
    firsts, totals = np.minimum(firsts, 1.0), np.minimum(totals, 1.0)
    R = len(rounds)
    return SobolIndices(
        np.maximum(firsts.mean(axis=0), 0.0),
        firsts.std(axis=0, ddof=1) / math.sqrt(R),
        totals.mean(axis=0),
        totals.std(axis=0, ddof=1) / math.sqrt(R),
        float(deviations.mean()),
    )
