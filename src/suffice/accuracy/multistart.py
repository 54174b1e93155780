"""The maximum of alpha, estimated after polishing: how much do local searches from the best draws leave unseen?

m  int    searches, from the m best of N i.i.d. draws       v     float  the best value they reached
w  int    different maxima they ended in                    a_(1) float  the best value among the draws
p  float  expected share of unseen basins                   U     float  upper confidence limit of α* from the draws

Given the (m+1)-th largest value, the m best draws are independent and uniform on the level set above it, which
contains the maximizer. So the searches from all of them, and from them alone, sample the basins by their size, and
p = w(w+1) / (m(m−1)) is the expected share of that level set in basins not yet seen [Boender and Rinnooy Kan 1987].
"""

from dataclasses import dataclass

from suffice.types import Starts


@dataclass(frozen=True)
class Multistart:
    """What the searches say about the maximum."""

    share: float  # p
    gap: float  # estimate of α* − v: p (U − v)
    upper: float  # upper confidence limit of α*


def unseen_share(m: int, w: int) -> float:
    """p = w(w+1) / (m(m−1)); 1 as long as m < w + 2, or if no search ended anywhere."""
    return w * (w + 1) / (m * (m - 1)) if 1 <= w <= m - 2 else 1.0


def after_polishing(
    value: float, best_draw: float, tail: float, starts: Starts, *, tolerance: float, delta: float = 0.1
) -> Multistart:
    """The estimates from v, a_(1), U and the searches; `tolerance` is how far a search may stop below its maximum.

    A limit U below v is known to be wrong; polishing gained v − a_(1), so as much again stands in its place. `upper`
    is U as long as p > δ: then an unseen basin is likely enough to hold the maximum. Else it is v + tolerance.
    """
    if tail < value:
        tail = value + max(0.0, value - best_draw)
    share = unseen_share(starts.m, starts.distinct)
    return Multistart(share, share * (tail - value), tail if share > delta else value + tolerance)
