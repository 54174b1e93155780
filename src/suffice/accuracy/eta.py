"""How close a solve came to the maximum: the paper's ratio η and the shift-free relative gap.

α(x)  float  value at the point          α*  float  maximum of alpha, or an estimate or limit of it
C     float  shift, such that α + C ≥ 0 everywhere                η = (α(x) + C) / (α* + C), in [0, 1]
m, s  float  prior mean and standard deviation                    μ, σ  posterior mean and standard deviation
β     float  factor of σ                                          ṽ     float  widening of inexact GP-TS
B     float  bound of the norm of f − m under the unit-variance kernel, model units, so |f − m| ≤ B

α contains m: α − m is the acquisition of f − m, to which the paper's zero-mean statements apply, so every shift here
has −m in it, and η does not change when the outputs are moved by a constant. η with a large C makes any solve look
good; rules and plots use the relative gap.
"""

import math
from collections.abc import Iterable

from suffice.gp.posterior import Posterior


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
