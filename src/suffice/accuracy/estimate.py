"""How far a solve is from the maximum α* of its score, estimated from what the solver saw.

v       float  the value found                      p   float  probability that the highest hill was missed
a_(1)   float  the largest draw                     ĝ   float  the estimate of α* − v, an expectation
δ       float  1 − confidence                       S   float  the spread, v − the median of alpha (multistart.py)

draws alone (tail.py)                    ĝ = E max(α* − v, 0), and no limit: a peak that no draw is on leaves no trace
local runs (multistart.py)               ĝ = θ p S, upper = v + max(ĝ, θ S log(p/δ)), each plus what a run leaves
runs shared by a batch (multistart.py)   ĝ = θ' S, and no limit
a finite domain, enumerated              α* = upper = the largest value
a proof (certificate.py)                 neither α* nor upper is above the proven limit
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from suffice.accuracy.certificate import Certificate
from suffice.accuracy.multistart import after_climbing, spread
from suffice.accuracy.tail import expected_excess, exponent, faces_near, faces_touched
from suffice.types import Array, Domain, Draws, Starts

UpperKind: TypeAlias = Literal["multistart", "enumerated", "certified", "tail"]  # the last one in older files only
DELTA = 0.1  # upper limits hold with confidence 0.9
LOCAL = 1e-6  # of v − a_(1): what the best run leaves in 95 of 100 solves (its last step promises less than 1e-6)


@dataclass(frozen=True)
class Estimate:
    """What the draws and the local runs say about α*."""

    best: float  # point estimate of α*
    upper: float | None  # limit of α* at level 1 − DELTA; None: there is none
    kind: UpperKind | None  # where the limit comes from
    unseen: float  # p; 1 without local runs, 0 after an enumeration

    def below(self, ceiling: float) -> "Estimate":
        """The same, where no value of the score is above the ceiling."""
        upper = None if self.upper is None else min(self.upper, ceiling)
        return replace(self, best=min(self.best, ceiling), upper=upper)

    def gap(self, value: float) -> float:
        """ĝ = the point estimate of α* − value."""
        return max(0.0, self.best - value)


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
