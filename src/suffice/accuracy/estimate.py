"""How far a solve is from the maximum α* of its score, estimated from what the solver saw.

v, α(x)  float  the value found                     ĝ  float  the estimate of α* − v, an expectation
a_(1)    float  the largest draw                    S  float  the spread, v − the median of alpha, see `spread`
m, w     int    local runs, and the different local maxima they found
p        float  probability that they missed the highest one             δ  float  1 − confidence
C        float  shift, such that α + C ≥ 0 everywhere                    η = (α(x) + C) / (α* + C), in [0, 1]
B        float  bound of the norm of f − m under the unit-variance kernel, model units, so |f − m| ≤ B

draws alone                      ĝ = E max(α* − v, 0), and no bound: a peak without a sample is not seen
local runs                       ĝ = θ p S, upper = v + max(ĝ, θ S log(p/δ)), each plus what a run leaves
runs shared by a batch           ĝ = θ' S, and no bound
a finite domain, enumerated      α* = upper = the largest value
a proof (certificate.py)         neither α* nor upper is above the proven bound

Local runs: w(w+1) / (m(m−1)) is the expected fraction of the space in basins where no run ended, after m runs from
random points ended in w of them [Boender and Rinnooy Kan 1987]. If the height of a maximum is independent of the width
of its basin, an unseen one is above all w that were seen with probability 1/(w+1). So the fraction of the space from
which a higher one is reached, and here the probability that there is one, is p = w / (m(m−1)), also where some runs
start from what is known, which is more likely to lead to it. A miss falls short by an exponentially distributed amount
with mean θ S, so that P(α* > v + u) = p exp(−u/θS). The bound is never below the expectation, so that sums of bounds
over the steps of a run are not below what is expected.

α contains the prior mean m: α − m is the acquisition of f − m, to which the paper's zero-mean statements apply. So
every shift here has −m in it, and η does not change when the outputs are moved by a constant. η with a large C makes
any solve look good; rules and plots use the relative gap.

Draws alone: the maximum, estimated from the largest of N independent uniform draws.

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
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.accuracy.certificate import Certificate
from suffice.gp.posterior import Posterior
from suffice.types import Array, Coordinate, Domain, Draws, Starts

Columns = NDArray[np.bool_]

# On surfaces of upper confidence bounds in 1 … 6 columns a share of 1/20 is small enough for the coverage: 0.84 to 0.97
# at nominal 0.90 with N = 30 … 1000. Beyond ten the bound hardly gets tighter, with two it is three times as far.
SHARE, FEWEST, KEEP = 20, 3, 10


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
    distance of the other best draws from it, in that column: the samples cannot distinguish the two. An error here
    raises κ and the bound, never lowers them.
    """
    best = draws.points[: kept(draws.n)]
    if len(best) < 2:
        return np.zeros(draws.points.shape[1], dtype=np.bool_)
    x, others = best[0], best[1:]
    spread = np.sqrt(np.mean((others - x) ** 2, axis=0))
    near: Columns = np.minimum(x, 1.0 - x) < 2.0 * spread  # within two root mean square distances of the other draws
    return near


UpperKind: TypeAlias = Literal["multistart", "enumerated", "certified", "tail"]  # the last one in older files only

# ---------------------------------------------------------------------- draws and local runs

# On the functions on which constants are chosen, the mean inaccuracy was 0.5 p S for exploration steps, 2 of 65 of
# which missed the maximum, and 0.01 p S for UCB and LogEI, 1 of 187. With this θ the mean of ĝ is within a factor of
# two of that of the former, and far above that of the latter (docs/ideas/estimates.md).
MISS = 0.3
# θ' of a search that continues that of another point of the batch (solvers/batch.py), which always misses some:
# 0.04 to 0.12 of the spread in the mean of four batches of 64, and 0.04 to 0.28 of seven others, 0.16 in their mean. A
# limit of 90 % made from it held for half of the points of these seven, so that there is none.
MISS_SHARED = 0.15
LONGEST = 20.0  # of S where alpha is a logarithm: e^20 times a random point's is as good as any number of times
MOST_RUNS = 10**6  # more than any search makes
DELTA = 0.1  # upper limits hold with confidence 0.9
LOCAL = 1e-6  # of v − a_(1): what the best run leaves in 95 of 100 solves (its last step promises less than 1e-6)


@dataclass(frozen=True)
class Estimate:
    """The estimate of α* from the samples and the local runs."""

    best: float  # point estimate of α*
    upper: float | None  # limit of α* at level 1 − DELTA; None: there is none
    kind: UpperKind | None  # the origin of the bound
    unseen: float  # p; 1 without local runs, 0 after an enumeration

    def below(self, ceiling: float) -> "Estimate":
        """The same, where no value of the score is above the ceiling."""
        upper = None if self.upper is None else min(self.upper, ceiling)
        return replace(self, best=min(self.best, ceiling), upper=upper)

    def gap(self, value: float) -> float:
        """ĝ = the point estimate of α* − value."""
        return max(0.0, self.best - value)


def is_proven(kind: UpperKind | None) -> bool:
    """Whether limits of this kind hold for certain."""
    return kind in ("enumerated", "certified")


def is_best(draws: Draws, x: Array, value: float) -> bool:
    """Whether no draw is better than x. The best draw itself may round below its value in a batch, as one row."""
    return bool(value >= draws.values[0]) or np.array_equal(x, draws.points[0])


def estimate(
    draws: Draws | None,
    starts: Starts | None,
    x: Array,
    value: float,
    domain: Domain,
    *,
    attained: float | None = None,
    logarithmic: bool = False,
) -> Estimate | None:
    """The estimate from the facts of a solution of a score that may be a logarithm; None where they determine none.

    x need not be the best point found: where that one, of the value `attained`, was proposed before, the next best new
    point takes its place.
    """
    if draws is None or not len(draws.values) or not math.isfinite(value):
        return None
    first = float(draws.values[0])
    highest = max(value if is_best(draws, x, value) else first, -math.inf if attained is None else attained)
    if not draws.iid:  # draws with repetitions may outnumber the points of a domain and still miss the best
        return Estimate(highest, highest, "enumerated", 0.0) if draws.n >= domain.size else None
    if starts is None:
        kappa = exponent(draws, domain.coordinates, faces_touched(x, domain) | faces_near(draws))
        best = highest + expected_excess(draws, kappa, highest)
        return Estimate(best, None, None, 1.0) if np.isfinite(best) else None
    if draws.median is None or starts.m == 0 or not math.isfinite(highest - first):
        return None
    found = after_climbing(highest, spread(highest, draws.median, logarithmic), starts, delta=DELTA)
    local = LOCAL * spread(highest, first, logarithmic)
    if starts.shared:  # what such a search is expected to miss was measured, and no limit of it holds on all functions
        return Estimate(highest + found.gap + local, None, None, found.share)
    return Estimate(highest + found.gap + local, found.upper + local, "multistart", found.share)


def with_proof(found: Estimate | None, proof: Certificate) -> Estimate:
    """The estimate, where there is one, corrected by what was proved: value attained ≤ α* ≤ proven limit."""
    if found is None:
        return Estimate(proof.upper, proof.upper, "certified", 1.0)
    best = max(min(found.best, proof.upper), proof.value)
    if found.upper is not None and found.upper < proof.upper and found.upper >= proof.value:
        return replace(found, best=best)
    return replace(found, best=best, upper=proof.upper, kind="certified")


@dataclass(frozen=True)
class Multistart:
    """What the runs say about the maximum."""

    share: float  # p
    gap: float  # ĝ
    upper: float  # upper confidence limit of α*


def spread(value: float, median: float, logarithmic: bool = False) -> float:
    """S = v − median; of a logarithm at most LONGEST, since far below the best it may be as low as −10⁶."""
    return min(max(0.0, value - median), LONGEST if logarithmic else math.inf)


def unseen_share(m: int, w: int) -> float:
    """w(w+1) / (m(m−1)); 1 as long as m < w + 2, or if no run ended anywhere."""
    return w * (w + 1) / (m * (m - 1)) if 1 <= w <= m - 2 else 1.0


def chance_of_a_miss(m: int, w: int) -> float:
    """p = w / (m(m−1)): the unseen fraction, one part of w + 1 of which is higher than all that was seen."""
    return unseen_share(m, w) / (w + 1) if 1 <= w <= m - 2 else 1.0


def after_climbing(value: float, S: float, starts: Starts, *, delta: float = 0.1) -> Multistart:
    """The estimates from v, S and the runs."""
    p, miss = (1.0, MISS_SHARED) if starts.shared else (chance_of_a_miss(starts.m, starts.distinct), MISS)
    gap = miss * p * S
    return Multistart(p, gap, value + max(gap, miss * S * math.log(p / delta)))


def runs_for(w: int, gap: float, S: float) -> int:
    """The least m for which ĝ ≤ gap if the m runs end on w local maxima."""
    if not gap > 0.0:
        return MOST_RUNS
    product = MISS * S * w / gap  # m (m − 1) is to be at least this
    return min(MOST_RUNS, max(w + 2, math.ceil(0.5 + math.sqrt(0.25 + product))))


def ucb_shift(posterior: Posterior, B: float | None = None) -> float:
    """C = max(B, |μ − m|_k) − m for μ + βσ: since k(x, x) = 1, |μ(x) − m| ≤ |μ − m|_k at every x, whatever β ≥ 0.

    With the paper's C = B alone, α + C ≥ 0 holds with probability 1 − δ only, and only if B is known.
    """
    return max(B or 0.0, posterior.rkhs_norm) - posterior.constant


def thompson_shift(
    posterior: Posterior, beta: float, n: int, *, delta: float = 0.1, B: float | None = None, widening: float = 0.0
) -> float:
    """C_t = B + (1 + sqrt(2 log(N/δ))) (βs + ṽ) − m for a sample path seen at N points (paper, appendix).

    Holds at these points with probability 1 − δ. B + βs + ṽ is there a bound of |μ − m|; without B, |μ − m|_k is.
    """
    width = beta * posterior.scale + widening
    middle = posterior.rkhs_norm if B is None else B + width
    return middle + math.sqrt(2 * math.log(max(n, 1) / delta)) * width - posterior.constant


def eta(value: float, maximum: float, shift: float = 0.0) -> float:
    """η = (α(x) + C) / (α* + C), kept in [0, 1]; a lower limit if α* is an upper limit.

    C = 0 for EI, which is never negative. A maximum of 0 is reached everywhere: η = 1. An unknown
    maximum (∞) makes η = 0.
    """
    if value >= maximum:
        return 1.0
    gap, total = maximum - value, maximum + shift
    return max(0.0, 1.0 - gap / total) if total > 0 and gap < math.inf else 0.0


def log_eta(value: float, maximum: float) -> float:
    """η = exp(α(x) − α*) of an acquisition given by its logarithm (LogEI)."""
    return 1.0 if value >= maximum else math.exp(value - maximum)


def relative_gap(value: float, maximum: float, median: float) -> float:
    """(α* − α(x)) / (α* − median of alpha over uniform draws), kept in [0, 1]: 0 is exact, 1 no better than a guess.

    Does not change with the units and the level of alpha. 0 on a flat surface (α* = median = α(x)).
    """
    if value >= maximum:
        return 0.0
    gap, spread = maximum - value, maximum - median
    return min(1.0, gap / spread) if gap < math.inf and spread > 0 else 1.0


def accumulated(etas: Iterable[float]) -> float:
    """M_T = Σ(1 − η_t): the paper's worst case from lower limits of η, an estimate from point estimates."""
    return math.fsum(1.0 - value for value in etas)
