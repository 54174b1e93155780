"""A solver that is wrong on purpose, by as much as it is told: what does inexact maximization cost?

α*   float  the largest value known: of the inner solver's point, or of a draw that is better
m    float  median of alpha over uniform draws
a    (n,)   accuracy of the draws, (alpha − m) / (α* − m): 1 is exact, 0 no better than a guess; 1 − relative gap

The paper's ratio η is not what is aimed at: its shift makes any point look accurate.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from suffice.candidates import Local
from suffice.solvers import Enough
from suffice.solvers.drawing import median, ranked
from suffice.solvers.record import Work, record
from suffice.types import Array, Domain, Score, Solution, Solver, Step

AROUND = Local(scales=(0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4))  # a smooth peak falls by the square: by 1e-8 at the last


@dataclass(frozen=True)
class Degraded:
    """The draw whose accuracy is closest to 1 − c t^(−q), of uniform draws and draws around the maximizer.

    The maximizer of `inner` is one of the draws, and c = 0 is `inner` itself. Accumulated over T steps the relative
    gaps grow like T for q = 0, like √T for q = ½ and like log T for q = 1.
    """

    c: float = 0.5
    q: float = 0.5
    inner: Solver = Enough()
    draws: int = 2000  # uniform ones, and as many around the maximizer

    def __post_init__(self) -> None:
        if not (0.0 <= self.c <= 1.0 and self.q >= 0.0):
            raise ValueError(
                f"Degraded got c={self.c!r} and q={self.q!r}; the relative gap c·t^(−q) is a share: 0 ≤ c ≤ 1, q ≥ 0"
            )
        if self.draws < 1:
            raise ValueError(f"Degraded got draws={self.draws!r}; it chooses among its draws, so wanted at least 1")

    def target(self, t: int) -> float:
        """1 − c t^(−q), the accuracy that step t aims at."""
        gap: float = self.c * float(t) ** -self.q
        return 1.0 - gap

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        found = self.inner(alpha, domain, step=step, rng=rng)
        if self.c == 0.0:
            return found
        uniform = domain.sample(self.draws, rng)
        X = np.concatenate([found.x[None], uniform, AROUND(self.draws, domain, design=found.x[None], rng=rng)])
        values = alpha(X)
        at_random = values[1 : 1 + self.draws]
        middle = median(at_random)
        accuracy = _accuracy(values, middle)
        row = int(np.argmin(np.abs(accuracy - self.target(step.t))))
        if row == 0:
            return replace(found, n_evals=found.n_evals + len(X))
        # The tail of the uniform draws estimates α*: a report never sees what the inner solver knew, and may be too
        # careful in many dimensions. The inner solver's own facts would call the chosen point the best one.
        draws = replace(ranked(uniform, at_random, iid=True), median=middle)
        chosen = record(alpha, domain, X[row], Work(values=len(X)), draws=draws)
        return replace(chosen, n_evals=found.n_evals + chosen.n_evals, n_grads=found.n_grads)


def _accuracy(values: Array, middle: float | None) -> Array:
    """a, (n,); −∞ where alpha has no value. On a flat surface every point is exact."""
    known = np.where(np.isnan(values), -np.inf, values)
    top = float(known.max())
    if middle is None or not top > middle:
        return np.where(known == top, 1.0, -np.inf)
    accuracy: Array = (known - middle) / (top - middle)
    return accuracy
