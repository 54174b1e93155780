"""Local searches from many starts: draw points, climb from the best draws in one batch, return the best point.

starts  int  m, the number of local runs
screen  int  n, the number of uniform draws; runs start from the m best of them. 0: start from any m draws

Screening finds better starts, and the draws allow an estimate of the accuracy. The paper's experiments have `screen=0`.
With screening, runs also start near the best observed points, because peaks there may be too narrow for any draw. Every
solver in this file uses Nelder–Mead for a score without a gradient.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from suffice.accuracy.estimate import KEEP, spread
from suffice.candidates import local
from suffice.checks import as_count
from suffice.solvers.grid import Grid
from suffice.solvers.record import (
    SCORED,
    Work,
    enumerated,
    late,
    median,
    ranked,
    record,
    seen_whole,
    surroundings,
    top_in_time,
    valued,
)
from suffice.solvers.search.gradient import conjugate, lbfgs
from suffice.solvers.search.hills import facts
from suffice.solvers.search.mixed import TOL, ascend, check_search, status_of
from suffice.solvers.search.simplex import nelder_mead
from suffice.solvers.search.surface import Ascent, LocalSearch
from suffice.space import held
from suffice.types import Array, Domain, Draws, Score, Solution, Solver, Status, Step, as_score, largest

MEDIAN_ROWS = 1000  # draws of the heavy solver


@dataclass(frozen=True)
class Multistart:
    """Local runs of one method from the best of many draws."""

    starts: int = 10
    screen: int = 500
    max_iter: int | None = None
    tol: float = TOL
    search: ClassVar[LocalSearch]

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_search(name, self.starts, self.max_iter, self.tol)
        if as_count(self.screen, f"{name}: screen", 0) and self.screen < self.starts:
            raise ValueError(
                f"{name} got screen={self.screen!r}, fewer samples than starts={self.starts!r}; sample more, or set 0"
            )

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha, n = as_score(alpha), max(self.screen, self.starts)
        if domain.size <= n:
            return enumerated(alpha, domain)
        X, keep = domain.sample(n, rng), max(self.starts, KEEP)
        draws, work = None, Work()
        if self.screen:
            values = valued(alpha, X, step)
            draws, work = ranked(X[: len(values)], values, iid=True, keep=keep), Work(values=len(values))
            X = draws.points[: self.starts]
            if len(values) < n:
                return record(alpha, domain, X[0], work, status=Status.BUDGET, draws=draws)
            near, looked = surroundings(alpha, domain, step, rng)
            X, work = np.concatenate([X, near]), work + looked
        ascent = ascend(
            alpha, domain, X, search=self.search, max_iter=self.max_iter, tol=self.tol, deadline=step.deadline, rng=rng
        )
        draws = draws or ranked(X, ascent.initial, iid=True, keep=keep)
        return climbed(alpha, domain, ascent, work, draws=draws, step=step)


class LBFGSB(Multistart):
    """Maximize from several starts with L-BFGS: a fixed, thorough search for every point.

    Use it to spend the same effort on every point; sf.solvers.Adaptive() searches longer only where it matters.

    Parameters
    ----------
    starts : int, default: 10
        The number of local runs, all in one batch, from the best of the random points.
    screen : int, default: 500
        The number of random points.
    max_iter : int or None, default: None
        The largest number of trials in a run; None: 200.
    tol : float, default: 1e-05
        The fraction of the ascent that a run may leave, between 0 and 1.
    """

    search = staticmethod(lbfgs)


class CG(Multistart):
    """Maximize from several starts by nonlinear conjugate gradients (Polak–Ribière): one of the paper's solvers.

    Use it to reproduce the paper; L-BFGS usually needs fewer steps.

    Parameters
    ----------
    starts : int, default: 10
        The number of local runs, all in one batch, from the best of the random points.
    screen : int, default: 500
        The number of random points.
    max_iter : int or None, default: None
        The largest number of trials in a run; None: 400.
    tol : float, default: 1e-05
        The fraction of the ascent that a run may leave, between 0 and 1.
    """

    search = staticmethod(conjugate)


class NelderMead(Multistart):
    """Maximize from several starts by the simplex method of Nelder and Mead, which needs only values.

    Use it to reproduce the paper. Every solver uses it for acquisition functions without a gradient.

    Parameters
    ----------
    starts : int, default: 10
        The number of local runs, all in one batch, from the best of the random points.
    screen : int, default: 500
        The number of random points.
    max_iter : int or None, default: None
        The largest number of iterations in a run; None: 200 for each smooth column.
    tol : float, default: 1e-05
        The fraction of the ascent that a run may leave, between 0 and 1.
    """

    search = staticmethod(nelder_mead)


@dataclass(frozen=True)
class Polished:
    """Refine the best points of another solver with L-BFGS.

    Use it to refine a coarse solver, as in Polished(Grid(sobol)). The result is never worse than that of `coarse`.
    Local searches also start near the best observed points.

    Parameters
    ----------
    coarse : Solver, default: Grid()
        The solver that finds the points.
    starts : int, default: 5
        The number of its points that start local runs.
    max_iter : int or None, default: None
        The largest number of trials in a run; None: 200.
    tol : float, default: 1e-05
        The fraction of the ascent that a run may leave, between 0 and 1.
    """

    coarse: Solver = Grid()
    starts: int = 5  # after five runs into one maximum, others are expected to hold 2 / (5·4) = 0.1 of the space
    max_iter: int | None = None
    tol: float = TOL

    def __post_init__(self) -> None:
        check_search("Polished", self.starts, self.max_iter, self.tol)
        if isinstance(self.coarse, type) or not callable(self.coarse):
            raise TypeError(f"Polished takes a coarse solver such as Grid(): got {self.coarse!r}")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        coarse = self.coarse(alpha, domain, step=step, rng=rng)
        if late(step.deadline):
            return replace(coarse, status=Status.BUDGET)
        if coarse.draws is not None and not coarse.draws.iid and coarse.draws.n >= domain.size:
            return coarse  # every point was evaluated
        near, work = surroundings(alpha, domain, step, rng)
        best = np.concatenate([_best(coarse, self.starts), near])
        ascent = ascend(alpha, domain, best, max_iter=self.max_iter, tol=self.tol, deadline=step.deadline, rng=rng)
        fine = climbed(alpha, domain, ascent, work, draws=coarse.draws, step=step)
        better = fine if fine.value > coarse.value else coarse
        return replace(
            fine,
            x=better.x,
            value=better.value,
            status=Status.BUDGET if coarse.status is Status.BUDGET else fine.status,
            n_evals=coarse.n_evals + fine.n_evals,
            n_grads=coarse.n_grads + fine.n_grads,
        )


def _best(coarse: Solution, m: int) -> Array:
    """The point of the coarse solver and its best other draws, at most m rows."""
    x = coarse.x[None]
    if coarse.draws is None:
        return x
    others = coarse.draws.points[(coarse.draws.points != x).any(axis=1)]
    return np.concatenate((x, others))[:m]


@dataclass(frozen=True)
class Exhaustive:
    """The reference of an audit: it polishes all observed points and the `starts` best of `draws` uniform and `near`
    local draws to `tol`. It only finds the maximum from below; a certificate bounds it from above.
    """

    draws: int = 20_000
    near: int = 2_000
    starts: int = 50
    tol: float = TOL  # of the way: the value is accurate to 1e-10 of the gain

    def __post_init__(self) -> None:
        check_search("Exhaustive", self.starts, None, self.tol)
        as_count(self.draws, "Exhaustive: draws", 1)
        as_count(self.near, "Exhaustive: near", 1)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        if domain.size <= SCORED or seen_whole(alpha, domain, step):
            return enumerated(alpha, domain, deadline=step.deadline)
        uniform = domain.sample(min(self.draws, 4 * held(domain)), rng)
        rows, values, n = top_in_time(alpha, uniform, self.starts, step)
        first = uniform[: min(n, MEDIAN_ROWS)]
        draws = Draws(n, True, uniform[rows], values, median(alpha(first)))
        work = Work(values=n + len(first))
        if late(step.deadline):
            return record(alpha, domain, draws.points[0], work, status=Status.BUDGET, draws=draws)
        around = local(self.near, domain, design=step.design[:1], rng=rng)
        around = around[largest(alpha(around), self.starts)]
        work += Work(values=self.near)
        seeds = np.empty((0, domain.dim)) if alpha.seeds is None else alpha.seeds
        points = np.concatenate([draws.points, around, seeds, step.design])
        ascent = ascend(alpha, domain, points, tol=self.tol, deadline=step.deadline, rng=rng)
        found = climbed(alpha, domain, ascent, work, draws=draws, step=step)
        # If no run could climb, the maximum is found as well.
        return replace(found, status=Status.BUDGET if late(step.deadline) else Status.DONE)


def climbed(alpha: Score, domain: Domain, ascent: Ascent, work: Work, *, draws: Draws | None, step: Step) -> Solution:
    """The best end of the local runs, as a solution; `work` was done before."""
    best = int(np.argmax(ascent.values))
    middle = None if draws is None else draws.median
    lowest = np.min(ascent.initial[np.isfinite(ascent.initial)], initial=np.inf) if middle is None else middle
    top = float(ascent.values[best])
    S = spread(top, float(lowest), alpha.logarithmic) if np.isfinite(top) else 0.0
    starts, looked = facts(alpha, domain, ascent.points, ascent.values, spread=S, deadline=step.deadline)
    return record(
        alpha,
        domain,
        ascent.points[best],
        work + ascent.work + looked,
        status=status_of(ascent),
        draws=draws,
        starts=starts,
    )
