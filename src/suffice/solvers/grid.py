"""The paper's solver: the best point of a finite candidate set, whose size may grow with the steps.

t      int   1 + the number of model-based asks before this one        |X_t|  int   points in step t, at least 1

Random grids of size Θ(t) already have sublinear regret; the grid contributes T^((d−1)/d). Grids of t^d points
contribute about log T (paper, Sec. 4).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

from suffice.accuracy.estimate import KEEP
from suffice.candidates import uniform
from suffice.checks import as_bool, as_count, as_real, short
from suffice.solvers.record import MEDIAN_ROWS, Work, enumerated, late, median, ranked, record, surroundings, valued
from suffice.solvers.search.mixed import exchanges
from suffice.types import Array, Candidates, Domain, Draws, Score, Solution, Status, Step, as_score, largest


class Growth(Protocol):
    """A rule for the number of points."""

    def __call__(self, t: int, dim: int) -> int:
        """The number of points in step t, in a domain with `dim` columns."""


@dataclass(frozen=True)
class Fixed:
    """The same number of candidates at every step.

    Parameters
    ----------
    n : int
        The number of candidates.
    """

    n: int

    def __post_init__(self) -> None:
        _check_cap("Fixed", "n", self.n)

    def __call__(self, t: int, dim: int) -> int:  # noqa: ARG002
        return self.n


@dataclass(frozen=True)
class Linear:
    """A number of candidates proportional to the step, ceil(c·t): the paper's Θ(t), and 100·t in its experiments.

    Parameters
    ----------
    c : float, default: 100.0
        The number of additional candidates in each step.
    cap : int, default: 100000
        The largest number of candidates.
    """

    c: float = 100.0
    cap: int = 100_000

    def __post_init__(self) -> None:
        _check_rate("Linear", self.c)
        _check_cap("Linear", "cap", self.cap)

    def __call__(self, t: int, dim: int) -> int:
        return Power(self.c, 1.0, self.cap)(t, dim)


@dataclass(frozen=True)
class Power:
    """A number of candidates that is a power of the step, ceil(c·t^p).

    Parameters
    ----------
    c : float
        The number of candidates in the first step.
    p : float or None, default: 1.0
        The power; None stands for the dimension of the domain, t^d.
    cap : int, default: 100000
        The largest number of candidates.
    """

    c: float
    p: float | None = 1.0
    cap: int = 100_000

    def __post_init__(self) -> None:
        _check_rate("Power", self.c)
        _check_cap("Power", "cap", self.cap)
        if self.p is not None and not 0.0 <= as_real(self.p, "Power: p") < math.inf:
            raise ValueError(f"Power got p={self.p!r}; p is a finite number >= 0, or None for the domain's dimension")

    def __call__(self, t: int, dim: int) -> int:
        p = float(dim) if self.p is None else self.p
        if math.log(self.c) + p * math.log(t) >= math.log(self.cap):  # the power itself may overflow
            return self.cap
        return min(self.cap, math.ceil(self.c * math.pow(t, p)))


def _check_rate(name: str, c: float) -> None:
    if not 0.0 < as_real(c, f"{name}: c") < math.inf:
        raise ValueError(f"{name} got c={c!r}; c, the number of points in step 1, must be finite and positive")


def _check_cap(name: str, field: str, n: int) -> None:
    as_count(n, f"{name}: {field}, a number of points,", 1)


@dataclass(frozen=True)
class Grid:
    """The paper's solver: evaluate many candidate points and return the best one, without local search.

    Use it with near=False to reproduce the paper, or if local searches are impossible; otherwise use Adaptive. The
    distance of the best candidate from the maximum can be estimated but not bounded, because the grid misses peaks
    between the candidates.

    Parameters
    ----------
    candidates : callable, default: uniform
        The rule that proposes points, such as sf.candidates.uniform or sf.candidates.sobol.
    size : Fixed, Linear, Power or callable, default: Linear(100)
        The number of points: sf.solvers.Fixed(n), or sf.solvers.Linear(c), which grows with the steps.
    keep : int, default: 10
        The number of best points and values kept in the solution.
    near : bool, default: True
        Whether to add candidates around the best observed points; the paper's grid does not.

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
    """The k best rows of X; a score that ranks evaluates the others only roughly."""
    if not alpha.ranks:
        values = valued(alpha, X, step)
        return ranked(X[: len(values)], values, iid=iid, keep=keep)
    rows, values = alpha.top(X, keep)
    middle = median(alpha(X[:MEDIAN_ROWS])) if iid else None  # rows of X, already counted
    return Draws(len(X), iid, X[rows], values, middle)
