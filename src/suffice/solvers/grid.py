"""The paper's solver: the best point of a finite candidate set."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.candidates import uniform
from suffice.checks import as_bool, as_count, short
from suffice.solvers.drawing import KEEP, MEDIAN_ROWS, enumerated, median, ranked, valued
from suffice.solvers.growth import Growth, Linear
from suffice.solvers.record import Work, late, record
from suffice.solvers.search.exchange import exchanges
from suffice.solvers.surroundings import surroundings
from suffice.types import Array, Candidates, Domain, Draws, Score, Solution, Status, Step, as_score, largest


@dataclass(frozen=True)
class Grid:
    """The paper's solver: look at many candidate points and take the best of them, without any local search.

    Choose it to repeat the paper (with near=False), or for a score that no local search can climb; elsewhere take
    sf.Enough(), which climbs as well. How far the best candidate is from the best point can be estimated, but not
    limited: a peak between them leaves no trace.

    Parameters
    ----------
    candidates : callable, default: uniform
        The rule that proposes points, such as sf.uniform or sf.sobol.
    size : Fixed, Linear, Power or callable, default: Linear(100)
        How many points: sf.Fixed(n), or sf.Linear(c), which grows with the steps.
    keep : int, default: 10
        How many of the best points and values the solution carries.
    near : bool, default: True
        Whether to look around the best observed points as well; the paper's grid does not.

    Notes
    -----
    x_t = argmax of alpha_t over X_t (paper, Sec. 4); a finite domain no larger than X_t is enumerated.
    """

    candidates: Candidates = uniform
    size: Growth = Linear(100)  # |X_t| = 100 t: linear growth is enough
    keep: int = KEEP
    near: bool = True

    def __post_init__(self) -> None:
        if not callable(self.size) or not callable(self.candidates):
            raise TypeError(
                "Grid takes candidates such as uniform and a size such as Fixed(1000) or Linear(100): "
                f"got {self.candidates!r} and {self.size!r}"
            )
        as_count(self.keep, "Grid: keep", 1)
        as_bool(self.near, "Grid: near")

    def __repr__(self) -> str:
        rule = getattr(self.candidates, "__name__", None) or repr(self.candidates)
        return f"Grid(candidates={rule}, size={self.size!r}, keep={self.keep!r}, near={self.near!r})"

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha, n = as_score(alpha), as_count(self.size(step.t, domain.dim), "Grid: the number of points", 1)
        if domain.size <= n:
            return enumerated(alpha, domain, self.keep)
        X = self.candidates(n, domain, design=step.design, rng=rng)
        if np.ndim(X) != 2 or len(X) == 0 or X.shape[1] != domain.dim:
            raise ValueError(f"candidates must be points, an array (n, {domain.dim}) with n ≥ 1: got {short(X)}")
        draws = _best(alpha, X, step, iid=self.candidates == uniform, keep=self.keep)
        status = Status.DONE if draws.n == len(X) else Status.BUDGET
        x, work = draws.points[0], Work(values=draws.n)
        if self.near and not late(step.deadline):
            around, looked = surroundings(alpha, domain, step, rng)
            others = np.concatenate([around, exchanges(np.concatenate([around[:1], x[None]]), domain)[1]])
            if len(others):
                values = alpha(others)
                work += looked + Work(values=len(others))
                best = largest(values, 1)[0]
                x = others[best] if values[best] > draws.values[0] else x
        return record(alpha, domain, x, work, status=status, draws=draws)


def _best(alpha: Score, X: Array, step: Step, *, iid: bool, keep: int) -> Draws:
    """The k best rows of X, without finishing the rest where the score knows how."""
    if not alpha.ranks:
        values = valued(alpha, X, step)
        return ranked(X[: len(values)], values, iid=iid, keep=keep)
    rows, values = alpha.top(X, keep)
    middle = median(alpha(X[:MEDIAN_ROWS])) if iid else None  # rows of X again, so counted already
    return Draws(len(X), iid, X[rows], values, middle)
