"""Ten restarts of a SciPy minimizer, as in the paper's experiments: what most codes do, and what the paper compares.

u  (p,)    smooth columns in the box's own units, u = low + (high − low) z, z in the unit cube
h  float   SciPy's step of a finite difference: 1e-8 for L-BFGS-B, √ε for CG

SciPy's tolerances and steps are absolute, so the box is part of the method. Runs start anywhere, follow differences
and are dropped where SciPy calls them failed. L-BFGS-B knows the box; the others search everywhere, the score being
that of the nearest point of the box.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from scipy.optimize import Bounds, minimize

from suffice.paper.differences import forward
from suffice.paper.downhill import downhill
from suffice.solvers.drawing import KEEP, enumerated, ranked
from suffice.solvers.record import Work, record
from suffice.solvers.search.cells import facts
from suffice.solvers.search.surface import Mask, Rows, Surface, numbers
from suffice.types import Array, Domain, Score, Solution, Status, Step, smooth_columns

Method: TypeAlias = Literal["L-BFGS-B", "Nelder-Mead", "CG"]

STEP = {"L-BFGS-B": 1e-8, "CG": float(np.sqrt(np.finfo(float).eps))}


@dataclass(frozen=True)
class Restarts:
    """The best end of `starts` runs of `scipy.optimize.minimize` with finite differences."""

    method: Method = "L-BFGS-B"
    box: tuple[tuple[float, float], ...] | None = None  # (low, high) of each column; None: the unit cube
    starts: int = 10
    tol: float = 0.01  # gtol, or xatol and fatol
    iterations: int = 200  # for each smooth column

    def __post_init__(self) -> None:
        if self.method not in ("L-BFGS-B", "Nelder-Mead", "CG"):
            raise ValueError(f"Restarts knows the methods L-BFGS-B, Nelder-Mead and CG: got {self.method!r}")
        if self.starts < 1 or not self.tol > 0 or self.iterations < 1:
            raise ValueError(f"Restarts needs starts ≥ 1, tol > 0 and iterations ≥ 1: got {self!r}")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:  # noqa: ARG002
        smooth = smooth_columns(domain)
        if domain.size <= self.starts:
            return enumerated(alpha, domain)
        X = domain.sample(self.starts, rng)
        initial = numbers(alpha(X))
        draws, work = ranked(X, initial, iid=True, keep=KEEP), Work(values=len(X))
        if not smooth.any() or not np.isfinite(initial).any():
            return record(alpha, domain, draws.points[0], work, draws=draws)
        box = Box(Surface(alpha, X, smooth), *self._sides(domain.dim)[smooth].T)
        U, kept = self._descend(box)
        ends = domain.snap(box.points(U, np.arange(len(X))))  # SciPy knows no constraints
        values = numbers(alpha(ends))
        kept &= np.isfinite(values)
        best = int(np.argmax(np.where(kept, values, -np.inf) if kept.any() else values))
        lowest = float(initial[np.isfinite(initial)].min())
        starts, looked = facts(alpha, domain, ends, values, spread=max(0.0, float(values[best]) - lowest))
        work += Work(values=box.rows + len(ends)) + looked
        status = Status.DONE if kept.any() else Status.NO_DESCENT
        return record(alpha, domain, ends[best], work, status=status, draws=draws, starts=starts)

    def _sides(self, d: int) -> Array:
        if self.box is not None and len(self.box) != d:
            raise ValueError(f"box needs (low, high) for each of the {d} columns of the space: got {self.box!r}")
        return np.array(((0.0, 1.0),) * d if self.box is None else self.box, dtype=float)

    def _descend(self, box: "Box") -> tuple[Array, Mask]:
        """Where the runs ended, (m, p), and which of them SciPy calls a success."""
        limit = self.iterations * len(box.low)
        if self.method == "Nelder-Mead":
            return downhill(box.negative, box.starts, xatol=self.tol, fatol=self.tol, limit=limit)
        ends, kept = box.starts.copy(), np.zeros(len(box.starts), dtype=np.bool_)
        inside = self.method == "L-BFGS-B"
        for i, start in enumerate(box.starts):
            found = minimize(
                box.value_and_slopes,
                start,
                args=(i, STEP[self.method], inside),
                jac=True,
                method=self.method,
                bounds=Bounds(box.low, box.high) if inside else None,
                options={"gtol": self.tol, "maxiter": limit},
            )
            ends[i], kept[i] = found.x, found.success
        return ends, kept


class Box:
    """What SciPy sees: −alpha in the box's units, and how often it looked."""

    def __init__(self, surface: Surface, low: Array, high: Array) -> None:
        self.surface, self.low, self.high, self.side = surface, low, high, high - low
        self.rows = 0
        self.starts = low + self.side * surface.origin

    def points(self, U: Array, runs: Rows) -> Array:
        """The points of the unit cube nearest to the rows of U, (a, p) -> (a, d)."""
        return self.surface.points(np.minimum(np.maximum((U - self.low) / self.side, 0.0), 1.0), runs)

    def negative(self, U: Array, runs: Rows) -> Array:
        """−alpha, (a,), for points of these runs."""
        self.rows += len(U)
        return -numbers(self.surface.alpha(self.points(U, runs)))

    def value_and_slopes(self, u: Array, run: int, step: float, inside: bool) -> tuple[float, Array]:
        """−alpha and its forward differences, (p,), in one batch; backward ones where these would leave the box."""
        values, slopes = forward(
            lambda U: self.negative(U, np.full(len(U), run)), u[None], step, self.high if inside else np.inf
        )
        return float(values[0]), slopes[0]
