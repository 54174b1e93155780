"""A trust region: search near the best point, in a box that grows with success and shrinks with failure.

d      int       columns                     c     (d,)   the best observed point, the middle of the box
side   float     of the box; the cube has 1. From 2 on, the box around any point holds the whole cube
w      (d,)      shape of the box: the widths over which the score changes equally much, their geometric mean 1
low, size  (d,)  the box is low … low + size; its point u of the unit cube is x = low + size · u

With many columns, a model is uncertain in most of the cube, and the largest scores are on far faces. Near the best
point it is more certain, and few draws search a box well (TuRBO, Eriksson et al. 2019). The inner solver sees the box
as if it were the whole cube. Columns that are not smooth keep all their values.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.checks import as_count, as_real
from suffice.solvers.adaptive import Adaptive
from suffice.types import Array, Domain, Score, Solution, Solver, Step, as_score, smooth_columns

WHOLE = 2.0  # the side of a box that holds the cube, whatever its centre is


@dataclass(frozen=True)
class Region:
    """A trust region: let another solver search in a box around the best point, which shrinks without improvements.

    Use it for many parameters if the default explores too widely. The box is the whole space at first. It is halved
    after `failures` suggestions in a row without an improvement, doubled after `successes` in a row with one, and reset
    to the whole space once it is narrower than `smallest`. Its sides are proportional to the model's length-scales.
    Parameters that are not real numbers, and spaces with conditions or constraints, are not confined.

    The accuracy over the whole space is not known, so reports have none.

    Parameters
    ----------
    solver : Solver, default: Adaptive()
        The solver that searches in the box.
    failures : int or None, default: None
        The number of failures after which the box is halved; None takes the number of parameters, at least 4.
    successes : int, default: 3
        The number of successes after which it is doubled.
    smallest : float, default: 0.0078125
        The width, 1 being the whole range of a parameter, below which the box is reset.
    """

    solver: Solver = field(default_factory=Adaptive)
    failures: int | None = None
    successes: int = 3
    smallest: float = 2.0**-7

    def __post_init__(self) -> None:
        if isinstance(self.solver, type) or not callable(self.solver):
            raise TypeError(f"Region takes a solver such as Adaptive(): got {self.solver!r}")
        if self.failures is not None:
            as_count(self.failures, "Region: failures", 1)
        as_count(self.successes, "Region: successes", 1)
        if not 0.0 < as_real(self.smallest, "Region: smallest") < 1.0:
            raise ValueError(f"Region got smallest={self.smallest!r}; it is a fraction of the range, between 0 and 1")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha, smooth = as_score(alpha), smooth_columns(domain)
        side = self.side(step.trail, len(domain.coordinates))
        if side >= WHOLE or step.best is None or not domain.product or not smooth.any():
            return self.solver(alpha, domain, step=step, rng=rng)
        glass = Glass(alpha, *box(step.best, side, alpha.scales, smooth))
        inside = glass.holds(step.design)
        near = replace(step, design=domain.snap(glass.back(step.design[inside])))
        return glass.solution(self.solver(glass, domain, step=near, rng=rng), domain)

    def side(self, trail: Iterable[bool], coordinates: int) -> float:
        """The side of the box after a sequence of improvements and failures."""
        patience = max(4, coordinates) if self.failures is None else self.failures
        side, won, lost = WHOLE, 0, 0
        for success in trail:
            won, lost = (won + 1, 0) if success else (0, lost + 1)
            if won == self.successes:
                side, won = min(WHOLE, 2.0 * side), 0
            elif lost == patience:
                side, lost = side / 2.0, 0
                side = WHOLE if side < self.smallest else side
        return side


def box(centre: Array, side: float, scales: Array | None, smooth: NDArray[np.bool_]) -> tuple[Array, Array]:
    """low and size, (d,) each, of the part of the cube within side · w/2 of the centre; whole columns if not smooth."""
    half = np.full(len(centre), side / 2.0)
    if scales is not None:
        logs = np.log(scales)
        half *= np.exp(logs - logs[smooth].mean())
    low = np.where(smooth, np.maximum(centre - half, 0.0), 0.0)
    high = np.where(smooth, np.minimum(centre + half, 1.0), 1.0)
    return low, high - low


class Glass(Score):
    """A score in the coordinates of the box: α(low + size · u)."""

    def __init__(self, inner: Score, low: Array, size: Array) -> None:
        self.inner, self.low, self.size = inner, low, size
        self.smooth, self.ranks, self.logarithmic = inner.smooth, inner.ranks, inner.logarithmic
        self.ceiling, self.beta, self.kind = inner.ceiling, inner.beta, inner.kind

    def through(self, U: Array) -> Array:
        """The points of the domain at U in the box, (m, d)."""
        return np.minimum(self.low + self.size * U, self.low + self.size)

    def back(self, X: Array) -> Array:
        """The coordinates of points in units of the box, (m, d)."""
        return np.clip((X - self.low) / np.where(self.size > 0.0, self.size, 1.0), 0.0, 1.0)

    def holds(self, X: Array) -> NDArray[np.bool_]:
        """Which points are in the box, (m,)."""
        within: NDArray[np.bool_] = np.all((X >= self.low) & (X <= self.low + self.size), axis=1)
        return within

    def __call__(self, U: Array) -> Array:
        return self.inner(self.through(U))

    def value_and_grad(self, U: Array) -> tuple[Array, Array]:
        values, gradients = self.inner.value_and_grad(self.through(U))
        return values, gradients * self.size

    def top(self, U: Array, k: int) -> tuple[NDArray[np.intp], Array]:
        return self.inner.top(self.through(U), k)

    def width(self, U: Array) -> Array | None:
        return self.inner.width(self.through(U))

    @property
    def seeds(self) -> Array | None:
        seeds = self.inner.seeds
        return None if seeds is None else self.back(seeds[self.holds(seeds)])

    @property
    def scales(self) -> Array | None:
        scales = self.inner.scales
        return None if scales is None else scales / np.where(self.size > 0.0, self.size, 1.0)

    def solution(self, found: Solution, domain: Domain) -> Solution:
        """The solution in the box as a member of the domain, without its draws, which are not uniform in the domain."""
        x = domain.snap(self.through(found.x[None]))
        draws = found.draws
        if draws is not None:
            points = domain.snap(self.through(draws.points))
            draws = replace(draws, points=points, iid=False)
        return replace(found, x=x[0], value=float(self.inner(x)[0]), draws=draws, starts=None, allowance=None)
