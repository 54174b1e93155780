"""How many points a solver may look at in step t.

t      int   1 + the number of model-based asks before this one
dim    int   columns d of the domain
|X_t|  int   the answer, at least 1

Random grids of size Θ(t) already give sublinear regret, with T^((d−1)/d) of it owed to the grid; t^d points leave
about log T (paper, Sec. 4).
"""

import math
from dataclasses import dataclass
from typing import Protocol

from suffice.checks import as_count, as_real


class Growth(Protocol):
    """A rule for the number of points."""

    def __call__(self, t: int, dim: int) -> int:
        """How many points step t gets in a domain of `dim` columns."""


@dataclass(frozen=True)
class Fixed:
    """The same number of candidates at every step.

    Parameters
    ----------
    n : int
        How many.
    """

    n: int

    def __post_init__(self) -> None:
        _check_cap("Fixed", "n", self.n)

    def __call__(self, t: int, dim: int) -> int:  # noqa: ARG002
        return self.n


@dataclass(frozen=True)
class Linear:
    """Candidates in proportion to the step, ceil(c·t): the paper's Θ(t), and its experiments' 100·t.

    Parameters
    ----------
    c : float, default: 100.0
        How many more candidates each step has.
    cap : int, default: 100000
        How many there are at most.
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
    """Candidates by a power of the step, ceil(c·t^p).

    Parameters
    ----------
    c : float
        How many there are in the first step.
    p : float or None, default: 1.0
        The power; None stands for the dimension of the domain, t^d.
    cap : int, default: 100000
        How many there are at most.
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
