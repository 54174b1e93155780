"""The maximum of alpha after local runs from many starts: how probable is it that they missed it, and by how much?

m  int    local runs                                       v   float  the best value they reached
w  int    different hills they ended on                    S   float  the spread, see `spread`
p  float  share of the hills not seen                      δ   float  1 − confidence

p = w(w+1) / (m(m−1)) is the expected share of the space in hills that no run ended on, after m runs from random points
ended on w of them [Boender and Rinnooy Kan 1987]. Here it is the probability that the highest hill is among these, also
where some runs start from what is known, which is more likely to lead there; and a miss falls short by an
exponentially distributed amount with mean θ S, so that

    ĝ = θ p S,      P(α* > v + u) = p exp(−u/θS),      upper = v + max(ĝ, θ S log(p/δ)).

The limit is never below the expectation, so that sums of limits over the steps of a run are not below what is expected.
"""

import math
from dataclasses import dataclass

from suffice.types import Starts

# Where a search had missed the maximum it fell short by 0.03 to 0.12 of the spread, in the median of a kind of score.
# With this θ the mean of ĝ was at least twice that of the true inaccuracy for UCB and LogEI, and between a half and one
# and a half times that for steps that look elsewhere, which miss more often (docs/ideas/estimates.md).
MISS = 0.03
# A search that goes on from that of another point of the batch (solvers/sharing.py) always misses something: 0.04 to
# 0.12 of the spread in the mean of four batches of 64. Chosen so that nine of ten of these are below the limit; it was
# not checked on others.
MISS_SHARED = 0.15
LONGEST = 20.0  # of S where alpha is a logarithm: e^20 times a random point's is as good as any number of times
MOST_RUNS = 10**6  # more than any search makes


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
    """p = w(w+1) / (m(m−1)); 1 as long as m < w + 2, or if no run ended anywhere."""
    return w * (w + 1) / (m * (m - 1)) if 1 <= w <= m - 2 else 1.0


def after_climbing(value: float, S: float, starts: Starts, *, delta: float = 0.1) -> Multistart:
    """The estimates from v, S and the runs."""
    p, miss = (1.0, MISS_SHARED) if starts.shared else (unseen_share(starts.m, starts.distinct), MISS)
    gap = miss * p * S
    return Multistart(p, gap, value + max(gap, miss * S * math.log(p / delta)))


def runs_for(w: int, gap: float, S: float) -> int:
    """The least m for which ĝ ≤ gap if the m runs end on w hills."""
    if not gap > 0.0:
        return MOST_RUNS
    product = MISS * S * w * (w + 1) / gap  # m (m − 1) is to be at least this
    return min(MOST_RUNS, max(w + 2, math.ceil(0.5 + math.sqrt(0.25 + product))))
