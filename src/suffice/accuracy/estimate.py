"""How far a solve is from the maximum α* of its score, estimated from what the solver saw.

v       float  the value found                      U   float  limit of α* from the k largest draws (tail.py)
a_(1)   float  the largest draw                     p   float  share of the level set in unseen basins (multistart.py)
δ       float  1 − confidence                       w   int    different maxima that the local runs ended in
                                                    ĝ   float  the estimate of α* − v

draws alone      upper = U at level 1 − δ,  α* ≈ U at level 1/2
after polishing  ĝ = p (U − v) / (w + 1),  upper = U if p > δ, else v + ĝ
a finite domain, enumerated: α* = upper = the largest value
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from suffice.accuracy.multistart import after_polishing
from suffice.accuracy.tail import exponent, faces_near, faces_touched, upper_limit
from suffice.types import Array, Domain, Draws, Starts

UpperKind: TypeAlias = Literal["tail", "multistart", "enumerated"]
DELTA = 0.1  # upper limits hold with confidence 0.9
LOCAL = 1e-4  # of v − a_(1): what a local run leaves when it stops at a hundredth of the way


@dataclass(frozen=True)
class Estimate:
    """What the draws and the local runs say about α*."""

    upper: float  # limit of α* at level 1 − DELTA
    kind: UpperKind
    best: float  # point estimate of α*
    unseen: float  # p; 1 without local runs, 0 after an enumeration

    def gap(self, value: float) -> float:
        """ĝ = the point estimate of α* − value."""
        return max(0.0, self.best - value)


def is_best(draws: Draws, x: Array, value: float) -> bool:
    """Whether no draw is better than x. The best draw itself may round below its value in a batch, as one row."""
    return bool(value >= draws.values[0]) or np.array_equal(x, draws.points[0])


def estimate(draws: Draws | None, starts: Starts | None, x: Array, value: float, domain: Domain) -> Estimate | None:
    """The estimate from the facts of a solution; None where they do not determine one.

    x need not be the best point seen: where that one was proposed before, the next best new point takes its place.
    """
    if draws is None or not len(draws.values) or not math.isfinite(value):
        return None
    first = float(draws.values[0])
    highest = value if is_best(draws, x, value) else first
    if not draws.iid:  # draws with repetitions may outnumber the points of a domain and still miss the best
        return Estimate(highest, "enumerated", highest, 0.0) if draws.n >= domain.size else None
    if starts is None:
        kappa = exponent(draws, domain.coordinates, faces_touched(x, domain) | faces_near(draws))
        upper, best = (max(highest, upper_limit(draws, kappa, delta)) for delta in (DELTA, 0.5))
        return Estimate(upper, "tail", best, 1.0) if np.isfinite(upper) else None
    limit = upper_limit(draws, exponent(draws, domain.coordinates, faces_touched(x, domain)), DELTA)
    if not np.isfinite(limit):
        return None
    local = LOCAL * max(0.0, highest - first)
    found = after_polishing(highest, first, limit, starts, tolerance=local, delta=DELTA)
    # An unseen basin matters only if its maximum is the highest of w + 1; audited, this is still conservative.
    best = highest + max(local, found.gap / (starts.distinct + 1))
    return Estimate(max(found.upper, best), "multistart", best, found.share)
