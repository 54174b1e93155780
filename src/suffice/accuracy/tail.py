"""The maximum of alpha, estimated from the largest of N independent uniform draws.

a_(i)  float   the i-th largest value, a_(1) ≥ … ≥ a_(k)      α*  float   the maximum over the whole domain
N, k   int     draws, and how many of the largest are used     δ   float   the bound is too low with this probability
κ      float   exponent: a draw is within u of the maximum with probability ∝ u^κ for small u
faces  (d,)    columns in which the best point lies at a bound of the cube

The (α* − a_(i))^κ are asymptotically the arrivals of a Poisson process, so ((α* − a_(1)) / (α* − a_(k)))^κ is the
smallest of k − 1 uniform numbers, whatever the scale [de Haan 1981; Zhigljavsky 1991]. Solved for α*:

    P( α* ≤ a_(1) + (a_(1) − a_(k)) / ((1 − δ^(1/(k−1)))^(−1/κ) − 1) ) = 1 − δ.

Read the other way round, P(α* > u) = (1 − ((u − a_(1)) / (u − a_(k)))^κ)^(k−1) for u ≥ a_(1), and what α* is expected
to be above a value v is the integral of this from v on. Like every estimate from samples, it ignores a
peak so narrow that none of the draws is on it.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from suffice.types import Array, Coordinate, Domain, Draws

Columns = NDArray[np.bool_]

# On surfaces of upper confidence bounds in 1 … 6 columns a share of 1/20 is small enough for the coverage: 0.84 to 0.97
# at nominal 0.90 with N = 30 … 1000. Beyond ten the bound hardly gets tighter, with two it is three times as far.
SHARE, FEWEST, KEEP = 20, 3, 10
CLOSE = 2.0  # root mean square distances of the other draws


def kept(n: int) -> int:
    """k, how many of the largest of n values the estimate uses."""
    return min(n, KEEP, max(FEWEST, n // SHARE))


@cache
def _quadrature() -> tuple[Array, Array]:
    """The 64 nodes of Gauss and Legendre's rule on [0, 1], and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def expected_excess(draws: Draws, kappa: float, value: float) -> float:
    """E max(α* − v, 0) for a value v that is at least a_(1), by the k largest draws.

    Infinite where nothing follows: draws that are not i.i.d., fewer than three finite values, a value of +∞, or κ = 0
    although the values differ. Equal values (a_(1) = a_(k)) leave nothing to extrapolate: 0.
    """
    if not draws.iid or np.any(draws.values == math.inf):
        return math.inf
    finite = np.sort(draws.values[np.isfinite(draws.values)])[::-1]
    k = min(kept(draws.n), len(finite))
    if k < FEWEST:
        return math.inf
    best, last = float(finite[0]), float(finite[k - 1])
    if best == last:
        return 0.0
    if not kappa > 0:
        return math.inf
    # In units of a_(1) − a_(k), with u = v + s/(1 − s): the integrand is smooth and vanishes at s = 1.
    step, weight = _quadrature()
    u = max(0.0, (value - best) / (best - last)) + step / (1.0 - step)
    above = (1.0 - (u / (u + 1.0)) ** kappa) ** (k - 1)
    return (best - last) * float(weight @ (above / (1.0 - step) ** 2))


def exponent(draws: Draws, coordinates: tuple[Coordinate, ...], faces: Columns) -> float:
    """κ: a half for each ordered parameter in which the k best draws differ, a half more if it is at a bound,
    and one for each choice in which they differ.

    Around a maximum inside, alpha falls with the square of the distance: a half. At a bound it falls linearly: one.
    An integer whose cells are finer than the spread of the draws acts like a real number; one on which all the best
    draws agree is settled and adds nothing. Among the options of a choice, the shortfalls behind the best have some
    density at 0: one. Where the draws are many, only the smooth parameters remain: κ = (d_c + j)/2.
    """
    best = draws.points[: kept(draws.n)]
    differ = np.ptp(best, axis=0) > 0 if len(best) else np.zeros(len(faces), dtype=np.bool_)
    kappa = 0.0
    for coordinate in coordinates:
        columns = coordinate.columns
        if differ[columns].any():
            kappa += 1.0 if coordinate.kind == "choice" or faces[columns].any() else 0.5
    return kappa


def faces_touched(x: Array, domain: Domain) -> Columns:
    """Columns, (d,), in which x is at an end: exact for a polished point, which ends on the bound itself.

    A set that is no product has no bounds of single columns.
    """
    touched = np.zeros(domain.dim, dtype=np.bool_)
    if domain.product:
        for coordinate in domain.coordinates:
            touched[coordinate.columns] = np.isin(x[coordinate.columns], coordinate.ends)
    return touched


def faces_near(draws: Draws) -> Columns:
    """Columns, (d,), in which the best draw probably lies at a bound, judged by the draws alone.

    A draw is never on a bound. It counts as being there if the bound is closer than twice the root mean square
    distance of the other best draws from it, in that column: the samples cannot distinguish the two. Wrong in favour
    of the bound, which raises κ and the bound.
    """
    best = draws.points[: kept(draws.n)]
    if len(best) < 2:
        return np.zeros(draws.points.shape[1], dtype=np.bool_)
    x, others = best[0], best[1:]
    spread = np.sqrt(np.mean((others - x) ** 2, axis=0))
    near: Columns = np.minimum(x, 1.0 - x) < CLOSE * spread
    return near
