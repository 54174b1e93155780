"""The maximum of alpha after local runs from many starts: how probable is it that they missed it, and by how much?

m  int    local runs                                       v   float  the best value they reached
w  int    different hills they ended on                    S   float  the spread, see `spread`
p  float  probability of a miss                            δ   float  1 − confidence

w(w+1) / (m(m−1)) is the expected share of the space in hills that no run ended on, after m runs from random points
ended on w of them [Boender and Rinnooy Kan 1987]. If the height of a hill says nothing about its width, one that was
not seen is above all w that were with probability 1/(w+1): one in a thousand hills is the highest, and two runs that
end on low ones say little about it. So the share of the space from which a higher hill is reached, and here the
probability that there is one, is

    p = w / (m(m−1)),

also where some runs start from what is known, which is more likely to lead to it. A miss falls short by an
exponentially distributed amount with mean θ S, so that

    ĝ = θ p S,      P(α* > v + u) = p exp(−u/θS),      upper = v + max(ĝ, θ S log(p/δ)).

The limit is never below the expectation, so that sums of limits over the steps of a run are not below what is expected.
"""

import math
from dataclasses import dataclass

from suffice.types import Starts

# On the functions on which constants are chosen, the mean inaccuracy was 0.5 p S for steps that look elsewhere, 2 of
# 65 of which missed the maximum, and 0.01 p S for UCB and LogEI, 1 of 187. With this θ the mean of ĝ is within a factor
# of two of that of the former, and far above that of the latter (docs/ideas/estimates.md).
MISS = 0.3
# θ' of a search that goes on from that of another point of the batch (solvers/sharing.py), which always misses some:
# 0.04 to 0.12 of the spread in the mean of four batches of 64, and 0.04 to 0.28 of seven others, 0.16 in their mean. A
# limit of 90 % made from it held for half of the points of these seven, so that there is none.
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
    """w(w+1) / (m(m−1)); 1 as long as m < w + 2, or if no run ended anywhere."""
    return w * (w + 1) / (m * (m - 1)) if 1 <= w <= m - 2 else 1.0


def chance_of_a_miss(m: int, w: int) -> float:
    """p = w / (m(m−1)): the unseen share, one part of w + 1 of which is higher than all that was seen."""
    return unseen_share(m, w) / (w + 1) if 1 <= w <= m - 2 else 1.0


def after_climbing(value: float, S: float, starts: Starts, *, delta: float = 0.1) -> Multistart:
    """The estimates from v, S and the runs."""
    p, miss = (1.0, MISS_SHARED) if starts.shared else (chance_of_a_miss(starts.m, starts.distinct), MISS)
    gap = miss * p * S
    return Multistart(p, gap, value + max(gap, miss * S * math.log(p / delta)))


def runs_for(w: int, gap: float, S: float) -> int:
    """The least m for which ĝ ≤ gap if the m runs end on w hills."""
    if not gap > 0.0:
        return MOST_RUNS
    product = MISS * S * w / gap  # m (m − 1) is to be at least this
    return min(MOST_RUNS, max(w + 2, math.ceil(0.5 + math.sqrt(0.25 + product))))
