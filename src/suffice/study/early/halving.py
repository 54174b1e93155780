"""Asynchronous successive halving: at steps that grow by a factor, only the best part goes on.

r_k = min_step · eta^k, k = 0, 1, …    the rungs

Li et al. (2020), A System for Massively Parallel Hyperparameter Tuning (ASHA), in the form that stops: who is not among
the best 1/eta of all that came to a rung ends there. The prediction of outlook.py keeps slow starters.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from suffice.checks import as_count, as_real
from suffice.study.early.curves import Curve, Field, Level, best
from suffice.study.early.outlook import FEWEST, is_hopeless
from suffice.study.early.risk import as_risk


@dataclass(frozen=True)
class Halving:
    """Stop evaluations that are not among the best part at certain steps: asynchronous successive halving.

    The steps are min_step, min_step · eta, min_step · eta², and so on. At each of them a trial goes on if its best
    report so far is among the best 1/eta of all trials that came as far, or if its final value, predicted from what
    finished trials gained from there on, would be better than the best one with a probability of at least `risk`.

    Parameters
    ----------
    min_step : int, default: 1
        The first step at which something is stopped.
    eta : float, default: 3.0
        What the steps grow by, and the part that goes on: with 3, every third.
    risk : float, default: 0.01
        The chance to become the best with which a trial is given up. With 1 the ranks alone decide, and slow starters
        are stopped.

    See Also
    --------
    Median : Decides at every step.
    Race : For folds and repetitions.

    Examples
    --------
    >>> import suffice as sf
    >>> sf.Halving(min_step=2, eta=4)
    Halving(min_step=2, eta=4, risk=0.01)
    """

    min_step: int = 1
    eta: float = 3.0
    risk: float = 0.01
    level: ClassVar[Level] = staticmethod(best)

    def __post_init__(self) -> None:
        as_count(self.min_step, "Halving: min_step", 1)
        if not 1.0 < as_real(self.eta, "Halving: eta") < math.inf:
            raise ValueError(f"Halving: eta must be a number above 1: got {self.eta!r}")
        as_risk(self.risk, "Halving: risk")

    def __call__(self, mine: Curve, field: Field) -> bool:
        rung = self.rung(mine)
        if rung is None:
            return False
        level = best(mine.upto(rung))
        there = [
            best(reached)
            for curve in field.curves.values()
            if curve is not mine and _came(curve, rung)
            if (reached := curve.upto(rung))
        ]
        if sum(other > level for other in there) < max(1.0, (len(there) + 1) / self.eta):
            return False
        column = field.column(best, rung)
        if len(column[0]) < FEWEST:
            return False
        return self.risk == 1.0 or is_hopeless(level, field, column, self.risk)

    def rung(self, mine: Curve) -> int | None:
        """The rung that the last report has reached, where the one before had not; None if there is none."""
        step, before = mine.steps[-1], mine.steps[-2] if len(mine.steps) > 1 else 0
        if step < self.min_step:
            return None
        k = math.floor(math.log(step / self.min_step) / math.log(self.eta) + 1e-9)  # exact where it is a whole number
        rung = math.ceil(self.min_step * self.eta**k - 1e-9)
        return rung if before < rung <= step else None


def _came(curve: Curve, rung: int) -> bool:
    return bool(curve.steps) and curve.steps[-1] >= rung
