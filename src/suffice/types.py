"""The seams: what the parts of the library pass to each other.

d      int          columns of the unit cube (a choice takes several of them)
X      (m, d)       rows are points of the unit cube, float64
alpha  Score        the frozen acquisition function of step t; always maximized
t      int          1 + the number of model-based asks before this one
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Kind: TypeAlias = Literal["float", "int", "choice", "ordinal"]
Purpose: TypeAlias = Literal["improve", "refine", "explore"]


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


class Places(Protocol):
    """Where the options of a choice lie in its w columns, where that says which of them have something in common."""

    @property
    def points(self) -> Array:
        """Every option's place, (m, w)."""

    @property
    def groups(self) -> Indices:
        """Which columns share a length-scale, (w,): 0, 1, …"""

    def others(self, x: Array, n: int, rng: Generator) -> Array:
        """n places of options other than that of x, (w,), rather near ones than far ones, (n, w)."""

    def split(self, lower: Array, upper: Array, columns: Indices) -> tuple[Array, Array, Array, Array]:
        """Each box, (k, w), in two that share its options, across a column, (k,), in which they differ: lower and upper
        of the first parts and of the second ones, (k, w) each."""


@dataclass(frozen=True)
class Coordinate:
    """One parameter as the model sees it: columns start … stop − 1 of the unit cube."""

    name: str
    kind: Kind
    start: int
    stop: int
    smooth: bool  #: False: the columns do not take every value between 0 and 1
    levels: Levels | None = None  #: of the one column that takes separate values in a row; None: smooth, or a choice
    places: Places | None = field(default=None, compare=False)  #: of a choice that is no one-hot block

    @property
    def columns(self) -> slice:
        """Where they are in a row of the cube."""
        return slice(self.start, self.stop)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value that a column takes."""
        if self.levels is None:
            return 0.0, 1.0
        first, last = self.levels.at(np.array([0, self.levels.count - 1])).tolist()
        return first, 1.0 if self.levels.index(np.ones(1))[0] == self.levels.count else last


class Domain(Protocol):
    """A set of points that can be sampled: the search space as a solver sees it."""

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


def largest(values: Array, k: int) -> NDArray[np.intp]:
    """Rows of the k largest values, largest first; ties by first index, NaN behind every number."""
    ranked = np.where(np.isnan(values), -np.inf, values)
    k = min(k, len(ranked))
    if k < 1:
        return np.empty(0, dtype=np.intp)
    threshold = np.partition(ranked, len(ranked) - k)[len(ranked) - k]
    rows = np.flatnonzero(ranked >= threshold)
    return rows[np.lexsort((np.isnan(values[rows]), -ranked[rows]))[:k]]


class Score(ABC):
    """alpha_t, frozen: a pure and deterministic function of X that is to be maximized.

    A score states what else it offers by the attributes and methods that it overrides. A field of a dataclass that
    overrides an attribute below is written `beta: float = field()`: without `field()` it would inherit the default. An
    attribute that follows from the score's parts is `derived`.
    """

    smooth: bool = False  #: whether `value_and_grad` exists
    curved: bool = False  #: whether `with_hessian` exists; such a score is smooth and has `scales`
    bounded: bool = False  #: whether `bound` exists
    ranks: bool = False  #: whether `top` takes less work than scoring everything
    sieves: bool = False  #: whether `reach` takes less work than scoring everything
    believes: bool = False  #: pending points are in alpha, at the model's mean: one more lowers it around that point
    logarithmic: bool = False  #: alpha is the logarithm of an acquisition, so that ratios are differences
    domain: Domain | None = None  #: the finite set on which alpha is defined; None: the whole space
    ceiling: float | None = None  #: no value is above it; None: not known
    beta: float | None = None  #: β_t, where the score has one
    base: float | None = None  #: alpha (its exponential, if logarithmic) is an expected excess over this, model units
    kind: str | None = None  #: what a step with this score is for, in a word or two; None: nothing in particular
    eta_asked: float | None = None  #: η̃_t that inexact GP-TS was widened for
    reference: Array | None = None  #: (m,): of the hypervolume that alpha improves, larger-is-better units
    unit: float | None = None  #: 1 of alpha (of its exponential, if logarithmic) as a fraction of the hypervolume

    @abstractmethod
    def __call__(self, X: Array) -> Array:
        """alpha(X), (m,), float64."""

    @property
    def seeds(self) -> Array | None:
        """Members of the domain, (k, d), k small: where alpha may have a peak too narrow for samples; None: not known.

        The observed points are known to every solver from the step, and need not be among them.
        """
        return None

    @property
    def scales(self) -> Array | None:
        """Widths, (d,), over which alpha changes about equally much: boxes of these proportions bound it best."""
        return None

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """alpha(X), (m,), and its gradient in X, (m, d), if the score is smooth."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient: check `smooth` first")

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        """alpha(X), (m,), with its gradient, (m, p), and Hessian, (m, p, p), in some columns, (p,), if it is curved."""
        raise NotImplementedError(f"{type(self).__name__} has no Hessian: check `curved` first")

    def top(self, X: Array, k: int) -> tuple[NDArray[np.intp], Array]:
        """Rows and values of the k largest alpha(X), largest first; ties by first index, NaN behind every number."""
        values = self(X)
        rows = largest(values, k)
        return rows, values[rows]

    def reach(self, X: Array, floor: float) -> Indices:  # noqa: ARG002
        """Rows of X, in order, that may have alpha ≥ floor: all that have, and as few others as is cheap to say."""
        return np.arange(len(X))

    def width(self, X: Array) -> Array | None:  # noqa: ARG002
        """2 β_t σ(X), (m,): what the regret bound pays for X however well alpha is maximized; None: no such bound."""
        return None

    def shift(self, n: int) -> float | None:  # noqa: ARG002
        """C with alpha + C ≥ 0 on the n points that were looked at, for the ratio η of the paper.

        0.0 for a score that is never negative; None if no shift is known, and then there is no η.
        """
        return None

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least alpha(x) for every x with lower ≤ x ≤ upper, (m,), proven, if the score is bounded."""
        raise NotImplementedError(f"{type(self).__name__} has no bound over boxes: check `bounded` first")


def derived(compute: Callable[[Any], object]) -> Any:
    """A property in place of an attribute of `Score`, which is writable to a type checker: it refuses a plain one."""
    return property(compute)


@dataclass(frozen=True, eq=False)
class Wrapper(Score):
    """A score made of another one, nowhere above it: what the wrapper does not override is that of the inner score.

    The values, their gradient and their bound are the wrapper's own, and so are `curved` and `ranks`: an inner
    score's shortcuts to Hessians and rankings say nothing about other values.
    """

    inner: Score
    smooth = derived(attrgetter("inner.smooth"))
    bounded = derived(attrgetter("inner.bounded"))
    sieves = derived(attrgetter("inner.sieves"))
    believes = derived(attrgetter("inner.believes"))
    logarithmic = derived(attrgetter("inner.logarithmic"))
    domain = derived(attrgetter("inner.domain"))
    ceiling = derived(attrgetter("inner.ceiling"))
    beta = derived(attrgetter("inner.beta"))
    base = derived(attrgetter("inner.base"))
    kind = derived(attrgetter("inner.kind"))
    eta_asked = derived(attrgetter("inner.eta_asked"))
    reference = derived(attrgetter("inner.reference"))
    unit = derived(attrgetter("inner.unit"))
    seeds = derived(attrgetter("inner.seeds"))
    scales = derived(attrgetter("inner.scales"))

    def reach(self, X: Array, floor: float) -> Indices:
        return self.inner.reach(X, floor)

    def width(self, X: Array) -> Array | None:
        return self.inner.width(X)

    def shift(self, n: int) -> float | None:
        return self.inner.shift(n)


@dataclass(frozen=True)
class Plain(Score):
    """A function of X as a score: values and nothing else."""

    function: Callable[[Array], Array]

    def __call__(self, X: Array) -> Array:
        seen = X.view()
        seen.flags.writeable = False  # a function that changes its argument would change the solver's points
        values = np.asarray(self.function(seen), dtype=np.float64)
        if values.shape != (len(X),):
            raise ValueError(
                f"an acquisition function returns one value for each of the {len(X)} rows of X: got shape "
                f"{values.shape}"
            )
        return values


def as_score(alpha: Score | Callable[[Array], Array]) -> Score:
    """A score as it is, and a function X -> (m,) as a score that has its values only."""
    if isinstance(alpha, Score):
        return alpha
    if isinstance(alpha, type) or not callable(alpha):
        raise TypeError(f"an acquisition function is a suffice.types.Score or a function of X: got {alpha!r}")
    return Plain(alpha)


@dataclass(frozen=True)
class Ledger:
    """The two sums of the regret bound R_T ≤ Σ g_i + Σ w_i over the steps so far (proof of Theorem 1)."""

    inaccuracies: float = 0.0  #: Σ ĝ_i, the estimates of α* − α(x_i)
    widths: float = 0.0  #: Σ w_i, w_i = 2 β_i σ_{i−1}(x_i)


class Solved(Protocol):
    """What a step may know about the solve of the one before it."""

    @property
    def width(self) -> float | None:
        """w = 2 β σ(x), model units."""

    @property
    def eta_allowed(self) -> float | None:
        """The η that the solver's aim came to."""


@dataclass(frozen=True)
class Step:
    """The state of the run that acquisitions and solvers may use."""

    t: int  #: 1 + the number of model-based asks before this one
    design: Array  #: (n, d): the points observed so far, best first
    ledger: Ledger = Ledger()  #: the two sums of the regret bound so far
    deadline: float | None = None  #: time.monotonic() at which the best point so far is wanted; None: no hurry
    evaluation_seconds: float | None = None  #: median time of an evaluation of the objective, where known
    last: Solved | None = None  #: the report of the model-based step before this one; None at the first
    idle: int = 0  #: suggestions observed in a row that did not raise the best value by the resolution
    trail: tuple[bool, ...] = ()  #: of suggestions, in the order they were observed: whether each raised it so far
    purpose: Purpose = "improve"  #: other than that where no improvement is expected any more (acquisition.LookAround)
    #: (k, d): where steps that explored brought nothing, or nothing yet; None: there are none
    duds: Array | None = None
    since_explored: int | None = None  #: model-based asks since the last one that explored; None: none did
    in_vain: int = 0  #: explorations since the best value was last raised by the resolution, pending ones included
    resolution: float = 0.0  #: differences at the best value that do not matter to the user, model units

    @property
    def best(self) -> Array | None:
        """The incumbent, (d,); None before anything was observed."""
        return self.design[0] if len(self.design) else None


class Status(Enum):
    """How a solve ended, as a sentence."""

    DONE = "finished"
    BUDGET = "stopped at the evaluation budget; the best point so far is returned"
    NO_DESCENT = "no local search improved its start; the best start is returned"


@dataclass(frozen=True)
class Draws:
    """The samples of a solver: facts for estimating the accuracy of its maximum."""

    n: int  #: how many points were drawn
    iid: bool  #: independent and uniform on the domain
    points: Array  #: (k, d): the k best, best first
    values: Array  #: (k,): their values
    median: float | None = None  #: of alpha over uniform draws, where it was computed
    looks: int = 1  #: how often more were drawn because the answer was not good enough


@dataclass(frozen=True)
class Starts:
    """The results of the local searches of a solver."""

    m: int  #: how many runs that ended at a number
    distinct: int  #: how many different local maxima they ended on
    shared: bool = False  #: they were made for other points of the same batch, and nobody counted the maxima


@dataclass(frozen=True)
class Solution:
    """The answer of a solver, with the facts from which its accuracy is estimated."""

    x: Array  #: (d,), the best point seen
    value: float  #: alpha(x[None])[0], exactly
    n_evals: int  #: value rows + (p + 1) gradient rows + (p + 1)(p + 2)/2 Hessian rows, p smooth columns
    n_grads: int = 0  #: gradient rows among them, those with a Hessian included
    status: Status = Status.DONE  #: how the search ended
    draws: Draws | None = None  #: what was drawn, if anything was
    starts: Starts | None = None  #: what local runs found, if there were any
    allowance: float | None = None  #: α* − value that the solver was content with; None: it had no such aim
    attained: float | None = None  #: the value of the best point found, if it was proposed before and x is another


class Candidates(Protocol):
    """A rule that proposes points."""

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        """n members of the domain, (n, d); `design` holds the observed points, best first."""


class Solver(Protocol):
    """A solver: maximizes an acquisition function over a domain."""

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        """The best point seen, also when it stopped early."""


@runtime_checkable
class BatchSolver(Solver, Protocol):
    """A solver that has another way to solve for the points of one ask, one after the other."""

    def for_batch(self, n: int) -> Solver:
        """What solves for n points; itself, if that is as good."""
