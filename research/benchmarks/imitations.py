"""How other systems maximize their acquisition function by default, imitated as solvers for the same frozen alpha_t.

n, m    int     candidates of the first stage, local runs of the second        p       int     smooth columns
X       (n, d)  the candidates                                                 values  (n,)    alpha(X), NaN included
x       (d,)    the incumbent, step.design[0]                                  rows    (m,)    of X, where runs start

A recipe reproduces a published *search*: how many points are drawn and how, which of them are starts, how many local
runs follow and how long they may be. It is not the other system: its model, its acquisition function and its code are
not here. Every recipe solves our alpha_t with our batched L-BFGS and one tolerance, so that nothing but the search
differs. What that leaves out, where it matters:

- `max_iter` counts trial points of a run, which L-BFGS-B needs about one of in each iteration.
- BoTorch's joint runs of several starts become independent ones; Optuna's preconditioning by length-scales is left out,
  for a score does not tell its length-scales.
- TuRBO's trust region has the side it starts with, equal in all columns: its history is no part of a frozen alpha_t.
  It looks for a good point near the incumbent on purpose, so its distance to the global maximum is no fault of its.
- laGP counts all evaluations as t; here t counts the model-based steps, as everywhere in this library.

Not expressible by our parts, and not imitated: DIRECT (Dragonfly), NSGA-II on three acquisitions (HEBO), a swarm of
75 000 evaluations (OSS Vizier), draws from a density of good points (Optuna's TPE), and random one-exchange hill
climbing (SMAC3 2.4): our local searches draw no random numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.accuracy.estimate import KEEP
from suffice.candidates import latin, sobol, uniform
from suffice.paper.solvers import forward
from suffice.solvers.grid import Fixed, Growth, Linear
from suffice.solvers.multistart import climbed
from suffice.solvers.record import Work, enumerated, ranked, record
from suffice.solvers.search.mixed import TOL, check_search, polish
from suffice.solvers.search.surface import Ascent, Mask
from suffice.types import Array, Candidates, Domain, Score, Solution, Solver, Step, as_score, largest, smooth_columns

SHAKEN = 20  # TuRBO: expected coordinates that move at once in high dimension
SCIPY, BOTORCH = 15_000, 2_000  # their default limits on the iterations of L-BFGS-B
DIFFERENCE = 1e-8  # of the cube: the step of SciPy's L-BFGS-B where it gets no gradient


# ---------------------------------------------------------------------- how many candidates, and which


@dataclass(frozen=True)
class PerColumn:
    """c·d points, but at least `least` and at most `most`."""

    c: int
    least: int = 1
    most: int = 100_000

    def __post_init__(self) -> None:
        if not (self.c >= 1 and 1 <= self.least <= self.most):
            raise ValueError(
                f"PerColumn got c={self.c!r}, least={self.least!r}, most={self.most!r}; "
                "wanted c >= 1 and 1 <= least <= most"
            )

    def __call__(self, t: int, dim: int) -> int:  # noqa: ARG002
        return min(self.most, max(self.least, self.c * dim))


@dataclass(frozen=True)
class TrustRegion:
    """Sobol points in the box of this side around the incumbent (TuRBO, Eriksson et al. 2019).

    Each of the D coordinates moves with probability min(1, 20/D). A lattice coordinate that moves takes any of its
    values: a box around one option holds no other. Sobol points of the whole domain before anything was observed.
    """

    side: float = 0.8  # TuRBO's first one; it later varies between 2⁻⁷ and 1.6

    def __post_init__(self) -> None:
        if not self.side > 0.0:
            raise ValueError(f"TrustRegion got side={self.side!r}; a box needs a positive side, in units of the cube")

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        P = sobol(n, domain, design=design, rng=rng)
        if not len(design) or not domain.dim:
            return P
        x, smooth = design[0], smooth_columns(domain)
        lower, upper = np.maximum(x - self.side / 2, 0.0), np.minimum(x + self.side / 2, 1.0)
        P[:, smooth] = (lower + (upper - lower) * P)[:, smooth]
        D = len(domain.coordinates)
        moves = rng.random((n, D)) < min(1.0, SHAKEN / D)
        width = [coordinate.stop - coordinate.start for coordinate in domain.coordinates]
        return domain.snap(np.where(np.repeat(moves, width, axis=1), P, x))


# ---------------------------------------------------------------------- which candidates are starts


class StartRule(Protocol):
    """A rule that picks the starts among the candidates; the best candidate is always one of them."""

    def __call__(self, values: Array, m: int, rng: Generator) -> NDArray[np.intp]:
        """Rows of at most m candidates, (m,)."""


def best(values: Array, m: int, rng: Generator) -> NDArray[np.intp]:  # noqa: ARG001
    """The m largest values."""
    return largest(values, m)


def boltzmann(values: Array, m: int, rng: Generator) -> NDArray[np.intp]:
    """m draws without replacement, P ∝ exp((alpha − mean)/deviation); the best replaces the last if it is not drawn.

    BoTorch's `initialize_q_batch` with its default temperature 1.
    """
    known = values[np.isfinite(values)]
    mean, deviation = (np.mean(known), np.std(known, ddof=1)) if len(known) > 1 else (0.0, 0.0)
    rows = _drawn((values - mean) / (deviation or 1.0), m, rng)  # equal weights where all values are equal
    top = largest(values, 1)[0]
    if top not in rows:
        rows[-1] = top
    return rows


def roulette(values: Array, m: int, rng: Generator) -> NDArray[np.intp]:
    """The best, then m − 1 of the others without replacement, P ∝ exp(alpha − max alpha): Optuna's GPSampler.

    The weights depend on the units of alpha. Optuna's alpha is log EI, where they are EI / max EI; on a confidence
    bound in units of the observations' deviation they are much flatter.
    """
    top = largest(values, 1)
    others = np.delete(np.arange(len(values)), top)
    if m == 1 or not len(others):
        return top
    return np.concatenate((top, others[_drawn(values[others], m - 1, rng)]))


def _drawn(log_weights: Array, m: int, rng: Generator) -> NDArray[np.intp]:
    """m rows one after the other without replacement, P ∝ exp(log_weights) among those left; no weight where NaN.

    The m largest of log_weights + Gumbel noise, in order (Yellott 1977), which neither overflows nor underflows.
    """
    return largest(log_weights + rng.gumbel(size=len(log_weights)), m)


# ---------------------------------------------------------------------- the recipe


@dataclass(frozen=True)
class Differences(Score):
    """A score whose gradient is taken by forward differences, as SciPy does without one: p + 1 value rows a point."""

    alpha: Score
    movable: Mask  # (d,): the columns of the gradient
    smooth = True

    def __call__(self, X: Array) -> Array:
        return self.alpha(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        def scores(U: Array) -> Array:
            Z = np.tile(X, (len(U) // len(X), 1))
            Z[:, self.movable] = U
            return self.alpha(Z)

        gradients = np.zeros_like(X)
        values, gradients[:, self.movable] = forward(scores, X[:, self.movable], DIFFERENCE, upper=1.0)
        return values, gradients


@dataclass(frozen=True)
class Recipe:
    """Draw candidates, choose starts among them, climb from all of them; the best point seen is the answer."""

    source: str  # "as in …": whose recipe it is, and which version was read
    candidates: Candidates = uniform
    size: Growth = Fixed(1000)
    starts: Growth | None = Fixed(10)  # None: no second stage, the best candidate is the answer
    choice: StartRule = best
    max_iter: int | None = None  # 200 trials a run
    incumbent: bool = False  # whether the best observed point is one of the starts
    differences: bool = False  # whether gradients are taken by differences, at p + 1 value rows each

    def __post_init__(self) -> None:
        check_search("Recipe", 1, self.max_iter, TOL)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha, n = as_score(alpha), self.size(step.t, domain.dim)
        if domain.size <= n:
            return enumerated(alpha, domain)
        X = self.candidates(n, domain, design=step.design, rng=rng)
        values = alpha(X)
        draws, work = ranked(X, values, iid=self.candidates == uniform, keep=KEEP), Work(values=n)
        if self.starts is None or not smooth_columns(domain).any():
            return record(alpha, domain, draws.points[0], work, draws=draws)
        warm = step.design[:1] if self.incumbent else X[:0]
        m = self.starts(step.t, domain.dim) - len(warm)
        rows = self.choice(values, max(m, 1), rng)
        ascent = self._climb(alpha, domain, np.concatenate((X[rows], warm)))
        return climbed(alpha, domain, ascent, work, draws=draws, step=step)

    def _climb(self, alpha: Score, domain: Domain, starts: Array) -> Ascent:
        """The second stage, its work counted in the rows that alpha was asked for."""
        if not self.differences:
            return polish(alpha, domain, starts, max_iter=self.max_iter)
        ascent = polish(Differences(alpha, smooth_columns(domain)), domain, starts, max_iter=self.max_iter)
        rows = Work(values=ascent.work.evals(domain))
        return Ascent(ascent.points, ascent.values, ascent.initial, ascent.cut, rows)


RECIPES: dict[str, Callable[[], Solver]] = {
    "paper": partial(Recipe, "as in the paper's experiments", size=Linear(100), starts=None),
    "lagp": partial(Recipe, "as in R laGP", candidates=latin, size=Linear(1), starts=None),
    "turbo": partial(Recipe, "as in TuRBO", candidates=TrustRegion(), size=PerColumn(100, most=5000), starts=None),
    "baybe": partial(Recipe, "as in BayBE 2026", candidates=sobol, size=Fixed(64), choice=boltzmann, max_iter=BOTORCH),
    "botorch": partial(
        Recipe, "as in BoTorch's tutorials 0.18", candidates=sobol, size=Fixed(512), choice=boltzmann, max_iter=BOTORCH
    ),
    "ax": partial(
        Recipe,
        "as in Ax 1.3 and BoFire",
        candidates=sobol,
        size=Fixed(1024),
        starts=Fixed(20),
        choice=boltzmann,
        max_iter=BOTORCH,
    ),
    "optuna": partial(
        Recipe,
        "as in Optuna's GPSampler 5.0",
        candidates=sobol,
        size=Fixed(2048),
        choice=roulette,
        max_iter=200,
        incumbent=True,
    ),
    "trieste": partial(
        Recipe, "as in Trieste 2024", size=PerColumn(1000, least=5000), starts=PerColumn(10), max_iter=SCIPY
    ),
    "skopt": partial(Recipe, "as in scikit-optimize 0.10", size=Fixed(10_000), starts=Fixed(5), max_iter=20),
    "bayes_opt": partial(Recipe, "as in bayes_opt 3.4", size=Fixed(10_000), max_iter=SCIPY, differences=True),
}
"""Name -> the recipe. Not among `SOLVERS`: these are yardsticks, and two of them promise nothing about accuracy."""
