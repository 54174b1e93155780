"""What a trial may still come to: the final values of finished trials, seen from the step that it has reached.

m   int    finished trials with a report by step s       d_i  (m,)   final_i − level_i(s), what was gained from there
d̄   float  mean of d                                     S    float  sample deviation of d, with m − 1 for m

If the gains are draws of one normal distribution, that of a new trial has, with everything estimated,
(d − d̄) / (S √(1 + 1/m)) ~ t with m − 1 degrees of freedom, whose variance is (m − 1)/(m − 3) for m > 3 (Geisser 1993,
Predictive Inference, section 2.2).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from suffice.study.early.curves import Field
from suffice.types import Array

FEWEST = 4  # finished trials from which a variance can be predicted: with fewer it is infinite


@dataclass(frozen=True)
class Outlook:
    """A prediction of a trial's final value, larger being better."""

    mean: float
    scale: float  # S √(1 + 1/m)
    m: int

    @classmethod
    def of(cls, level: float, levels: Array, finals: Array) -> "Outlook | None":
        """From the level of a trial and the column of the finished ones; None if there are fewer than FEWEST."""
        m = len(levels)
        if m < FEWEST or not math.isfinite(level):
            return None
        gains = finals - levels
        spread = float(np.std(gains, ddof=1)) * math.sqrt(1.0 + 1.0 / m)
        return cls(level + float(gains.mean()), spread, m)

    @property
    def variance(self) -> float:
        """Of the final value about its mean."""
        return self.scale**2 * (self.m - 1) / (self.m - 3)

    def upper(self, risk: float) -> float:
        """What the final value exceeds with this probability."""
        return self.mean + self.scale * float(stdtrit(self.m - 1, 1.0 - risk))


def is_hopeless(level: float, field: Field, column: tuple[Array, Array], risk: float) -> bool:
    """Whether a trial would reach the best final value with less than this probability; never if it cannot be said."""
    outlook = Outlook.of(level, *column)
    return outlook is not None and outlook.upper(risk) < field.best
