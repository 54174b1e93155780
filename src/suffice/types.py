"""The seams: what the parts of the library pass to each other.

d      int          columns of the unit cube (a choice of m options takes m of them)
X      (m, d)       rows are points of the unit cube, float64
alpha  Score        the frozen acquisition function of step t; always maximized
t      int          1 + the number of model-based asks before this one
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Kind: TypeAlias = Literal["float", "int", "choice"]


class Levels(Protocol):
    """The separate values of a column, from the lowest, level 0, to the highest, level count − 1.

    A wide logarithmic range of integers ends in cells finer than the model can see: above its last level it is smooth,
    and `index` says `count` there.
    """

    @property
    def count(self) -> int:
        """How many there are."""

    def at(self, k: Indices) -> Array:
        """The column's value at level k; both of any one shape."""

    def index(self, u: Array) -> Indices:
        """The level whose cell holds u, from [0, 1]; both of any one shape."""


@dataclass(frozen=True)
class Coordinate:
    """One parameter as the model sees it: columns start … stop − 1 of the unit cube."""

    name: str
    kind: Kind
    start: int
    stop: int
    smooth: bool  # False: the columns do not take every value between 0 and 1
    levels: Levels | None = None  # of the one column that takes separate values in a row; None: smooth, or a choice

    @property
    def columns(self) -> slice:
        return slice(self.start, self.stop)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value that a column takes."""
        if self.levels is None:
            return 0.0, 1.0
        first, last = self.levels.at(np.array([0, self.levels.count - 1])).tolist()
        return first, 1.0 if self.levels.index(np.ones(1))[0] == self.levels.count else last


class Domain(Protocol):
    """A set of points that can be sampled: all a solver may know about the search space."""

    @property
    def dim(self) -> int:
        """Number of columns d."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """What the columns are, in order; together the coordinates cover all d of them."""

    @property
    def product(self) -> bool:
        """Whether every combination of the coordinates' values is a member."""

    @property
    def size(self) -> float:
        """Number of distinct points; `math.inf` as soon as one coordinate is smooth."""

    def sample(self, n: int, rng: Generator) -> Array:
        """n i.i.d. uniform members, (n, d)."""

    def place(self, U: Array) -> Array:
        """Members at U, (n, number of coordinates) in [0, 1]: spread as evenly as U, (n, d)."""

    def snap(self, X: Array) -> Array:
        """The nearest members of the domain, (m, d); the identity on members."""

    def contains(self, X: Array) -> NDArray[np.bool_]:
        """Which rows are members, (m,)."""

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        """n members near x, (d,), at distances of about these scales; never x itself where there is another, (n, d)."""

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        """Every point of a finite domain, (size, d), or those from `start` up to `stop`."""


def smooth_columns(domain: Domain) -> NDArray[np.bool_]:
    """Which of the d columns a local search may move, (d,)."""
    mask = np.zeros(domain.dim, dtype=np.bool_)
    for coordinate in domain.coordinates:
        mask[coordinate.columns] = coordinate.smooth
    return mask


Score: TypeAlias = Callable[[Array], Array]
"""alpha(X) -> (m,): pure, deterministic, float64. The protocols below are what it may offer besides."""


@runtime_checkable
class HasGradient(Protocol):
    """A smooth score."""

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """alpha(X), (m,), and its gradient in X, (m, d)."""


@runtime_checkable
class HasTop(Protocol):
    """A score that ranks without finishing every value."""

    def top(self, X: Array, k: int) -> tuple[NDArray[np.intp], Array]:
        """Indices and exact values of the k largest alpha(X), largest first."""


@runtime_checkable
class HasWidth(Protocol):
    """A score whose regret bound pays 2 β_t σ(x) for x, however well it is maximized (UCB, Thompson)."""

    def width(self, X: Array) -> Array:
        """2 β_t σ(X), (m,)."""


@runtime_checkable
class HasShift(Protocol):
    """A score that can be negative, and knows what to add to it for the paper's ratio η."""

    def shift(self, n: int) -> float:
        """C with alpha + C ≥ 0 on the n points that were looked at."""


@runtime_checkable
class HasDomain(Protocol):
    """A score that is defined on its own finite set only (an exact joint draw)."""

    @property
    def domain(self) -> Domain:
        """Where to solve instead of the whole space."""


@dataclass(frozen=True)
class Ledger:
    """The two sums of the regret bound R_T ≤ Σ g_i + Σ w_i over the steps so far (proof of Theorem 1)."""

    gaps: float = 0.0  # Σ ĝ_i, estimated inaccuracies α* − α(x_i)
    widths: float = 0.0  # Σ w_i, w_i = 2 β_i σ_{i−1}(x_i)


@dataclass(frozen=True)
class Step:
    """What a solver may know about the run."""

    t: int
    design: Array  # (n, d): the points observed so far, best first
    ledger: Ledger = Ledger()
    deadline: float | None = None  # time.monotonic() at which the best point so far is wanted; None: no hurry
    evaluation_seconds: float | None = None  # median time of an evaluation of the objective, where known

    @property
    def best(self) -> Array | None:
        """The incumbent, (d,); None before anything was observed."""
        return self.design[0] if len(self.design) else None


class Status(Enum):
    """How a solve ended, as a sentence."""

    DONE = "finished"
    BUDGET = "stopped at the evaluation budget; the best point so far is returned"
    NO_DESCENT = "no local run improved on its start; the best start is returned"


@dataclass(frozen=True)
class Draws:
    """What the draws of a solver say about the maximum: facts for the accuracy estimates."""

    n: int  # how many points were drawn
    iid: bool  # independent and uniform on the domain
    points: Array  # (k, d): the k best, best first
    values: Array  # (k,): their values
    median: float | None = None  # of alpha over uniform draws, where it was computed
    looks: int = 1  # how often more were drawn because the answer was not good enough


@dataclass(frozen=True)
class Starts:
    """What the local runs of a solver found."""

    m: int  # how many runs
    distinct: int  # how many different maxima they ended in
    tolerance: float  # end points closer than this (max norm) count as one


@dataclass(frozen=True)
class Solution:
    """The answer of a solver, with the facts that tell how good it is."""

    x: Array  # (d,)
    value: float  # alpha(x[None])[0], exactly
    n_evals: int  # value rows + (smooth columns + 1) * gradient rows
    n_grads: int = 0  # gradient rows among them
    status: Status = Status.DONE
    draws: Draws | None = None
    starts: Starts | None = None
    allowance: float | None = None  # α* − value that the solver was content with; None: it had no such aim


class Candidates(Protocol):
    """A rule that proposes points."""

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        """n members of the domain, (n, d); `design` holds the observed points, best first."""


class Solver(Protocol):
    """A rule that maximizes a score over a domain."""

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        """The best point seen, also when it stopped early."""
