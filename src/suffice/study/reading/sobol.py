"""Sobol' indices: which share of the variance of a function each of its arguments accounts for.

f       a function of D arguments; its variance is V        n    int     points of one round
A, B    (n, D)  two independent sets of points              R    int     rounds, each with randomness of its own
AB_i    A with argument i from B
S_i     Var E(f | x_i) / V        the share that argument i explains alone (first order)
T_i     E Var(f | all but x_i) / V    the share that is lost without knowing it: alone and in company (total)

    S_i ≈ mean f(B) (f(AB_i) − f(A)) / V        Saltelli et al. (2010), after centring f
    T_i ≈ mean (f(A) − f(AB_i))² / 2V           Jansen (1999)

Independent arguments have ΣS_i ≤ 1 ≤ ΣT_i and S_i ≤ T_i, with equality everywhere if f is a sum of functions of one
argument each. A and B are the halves of one scrambled Sobol' sequence, whose rounds are independent: their deviation
tells the error of the mean (Owen 1997).

Where arguments depend on each other S_i has no such meaning, but T_i has: x_i is drawn anew given all others, and T_i
is half the mean square of what f changes by, as a share of V.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.candidates import sobol
from suffice.space import UnitCube
from suffice.types import Array

FARTHEST = 1e100  # times the largest value of a round
LARGEST = 1e300  # values of f beyond are cut off: their differences have to be finite

Function = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Indices:
    """The indices of D arguments, with the standard errors of their estimates, (D,) each; 0 where f is constant."""

    first: Array  # S, nan where it has no meaning
    first_error: Array
    total: Array  # T
    total_error: Array
    deviation: float  # √V


def independent(f: Function, D: int, n: int, rngs: Sequence[Generator]) -> Indices:
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
) -> Indices:
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
        return np.clip(_finite(values) / scale, -FARTHEST, FARTHEST)


def _finite(values: Array) -> Array:
    return np.clip(values, -LARGEST, LARGEST)


def _shares(first: Array, total: Array, variance: float, scale: float) -> tuple[Array, Array, float]:
    """The parts of a round's variance as shares; what is less than rounding is no variance."""
    if variance <= np.finfo(float).eps ** 2:
        return np.where(np.isnan(first), first, 0.0), np.zeros_like(total), 0.0
    return first / variance, total / variance, math.sqrt(variance) * scale


def _together(rounds: Sequence[tuple[Array, Array, float]]) -> Indices:
    """Means over the rounds, and their standard errors. No index is negative; an estimate that is, is 0.

    No index is above 1 either. The estimate of a round may be, and by far where few points decide about the variance.
    """
    firsts, totals, deviations = (np.array(values) for values in zip(*rounds, strict=True))
    firsts, totals = np.minimum(firsts, 1.0), np.minimum(totals, 1.0)
    R = len(rounds)
    return Indices(
        np.maximum(firsts.mean(axis=0), 0.0),
        firsts.std(axis=0, ddof=1) / math.sqrt(R),
        totals.mean(axis=0),
        totals.std(axis=0, ddof=1) / math.sqrt(R),
        float(deviations.mean()),
    )
