"""Several objectives: by how much a point may raise the volume that the front dominates.

m        int     objectives, each larger-is-better          h_j   the monotone map from model units back to its own
Y        (k, m)  the front: h_j of the posterior means at the points that count as found
r        (m,)    the reference point: only what is better than it in every objective counts
u(x)     (N, m)  h_j(μ_j(x) + β σ_j(x)), the best values that the models hold possible, or values of a sample
gain     (N,)    the volume that u adds to that of Y above r, 1 being the box from r to the best values
lack     (N,)    how much u lacks in every objective, in lengths of that box, where it adds nothing

    α(x) = log(ε + gain(u(x))) − lack(u(x))

The reference point decides which part of the front is looked for. Far away it rewards the ends of the front, where one
objective is at its best and the others may be anything; close to the front it rewards the middle, and a part of the
front that lies beyond it is never explored. So the steps take turns:

    wide     r is a little worse than the worst values of all points that were found; under constraints, of the
             feasible ones and of the front that the models predict
    narrow   r is NARROW of the way from the best to the worst values of the front that the models predict

The predicted front is that of the posterior means over many points, which reaches further than the observed one.

The gain is deterministic and grows with every u_j, so that a bound of μ_j + β σ_j over a box bounds α, and a proof of
how large α can be is one about the volume. Affine changes of an objective, and their order, change nothing.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.acquisition.thompson import PathScore, stretched
from suffice.acquisition.ucb import Constant, Scheduled, UCBScore
from suffice.belief import Beliefs
from suffice.checks import RESOLUTION, as_bool, as_count
from suffice.gp.posterior import sample_path
from suffice.gp.screening import FEW
from suffice.gp.transform import Outcome
from suffice.pareto import BEYOND, Directions, Improving, hypervolume, nondominated, weights
from suffice.types import Array, Domain, Indices, Score, Step, derived, largest

DRAWS = 512  # uniform points, by which the models are asked how far the front reaches
NEAR = 64  # draws around each end of the observed front, at the distances of REACHES
REACHES = (0.01, 0.05, 0.2)  # of the cube
NARROW = 0.6  # chosen with BEYOND on problems that nothing is reported of (measurements/fronts.md)
SEEDS = 8  # points of the front to look around at
EXACT = 4  # objectives: of more, boxes are too many
DIRECTIONS = 256  # an error of a few per cent of the volume, at a time like that of the boxes of four objectives


@dataclass(frozen=True, eq=False)
class Frame:
    """The box from the reference point to the best values, and the front in it."""

    front: Array = field(repr=False)  # (k, m)
    points: Array = field(repr=False)  # (k, d): where it was found
    reference: Array  # (m,)
    span: Array  # (m,): the sides of the box

    def inside(self, Y: Array) -> Array:
        """Values in lengths of the box, from the reference point, (n, m); cut off where powers of them are finite."""
        with np.errstate(over="ignore"):
            return np.clip((Y - self.reference) / self.span, -1.0 / RESOLUTION, 1.0 / RESOLUTION)

    @cached_property
    def volume(self) -> float:
        """What the front dominates of the box."""
        return hypervolume(self.inside(self.front), np.zeros(len(self.span)))

    @property
    def unit(self) -> float | None:
        """The box as a fraction of the volume; None where no point is above the reference point."""
        return 1.0 / self.volume if self.volume > 0.0 else None

    @cached_property
    def seeds(self) -> Array:
        """The points of the front next to the largest gaps."""
        return self.points[largest(spacing(self.inside(self.front)), SEEDS)]


def frame(beliefs: Beliefs, domain: Domain, rng: Generator, *, wide: bool) -> Frame:
    """The box of what is known and predicted; with the reference point that was given, if one was."""
    X = beliefs.standing
    found = means(beliefs, X)
    front = nondominated(found, distinct=True)
    X, Y = X[front], found[front]
    seen = found
    if not (wide and len(found)) or beliefs.levels:  # the feasible points found may be few of those there are
        seen = np.vstack([found if wide else Y, _predicted(beliefs, domain, X, Y, rng)])
    ideal, worst = seen.max(axis=0), seen.min(axis=0)
    with np.errstate(over="ignore"):  # objectives that span more than there are floats
        far = np.minimum(ideal - worst, BEYOND * np.finfo(float).max)
    length = np.where(ideal > worst, far, RESOLUTION * np.maximum(np.abs(ideal), 1.0))
    r = beliefs.reference
    if r is None:
        r = worst - BEYOND * length if wide else ideal - NARROW * length
    span = np.where(ideal > r, ideal - r, length)
    return Frame(Y, X, r, span)


def spacing(Y: Array) -> Array:
    """How far each row is from the nearest other one, in the objective in which they differ most, (n,)."""
    if len(Y) < 2:
        return np.ones(len(Y))
    apart = np.abs(Y[:, None] - Y[None]).max(axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest: Array = apart.min(axis=1)
    return nearest


def means(beliefs: Beliefs, X: Array) -> Array:
    """The posterior medians of the objectives, larger-is-better units, (n, m)."""
    with np.errstate(over="ignore"):
        columns = [beliefs.outcomes[name].inverse(posterior.mean(X)) for name, posterior in beliefs.aims.items()]
    return np.column_stack(columns)


def _predicted(beliefs: Beliefs, domain: Domain, X: Array, Y: Array, rng: Generator) -> Array:
    """The front of the posterior means over draws anywhere and around the observed front, with the latter, (k, m)."""
    ends = X[np.unique(Y.argmax(axis=0))] if len(Y) else X
    around = [domain.near(x, NEAR, rng, REACHES) for x in ends]
    draws = np.vstack([domain.sample(DRAWS, rng), *around])
    if beliefs.levels:
        allowed = beliefs.violation(draws) == 0.0
        draws = draws[allowed] if allowed.any() or len(Y) else draws
    both = np.vstack([Y, means(beliefs, draws)])
    return both[nondominated(both)]


@dataclass(frozen=True)
class Hypervolume:
    """For several objectives: try the point that may raise the hypervolume of the front most, optimistically.

    The hypervolume is the volume that the front dominates, down to a reference point. The possible gain of a point is
    computed from the best values that the models still consider possible there, `beta` standard deviations above the
    prediction.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Constant(0.5)
        The weight of the standard deviations; a larger value explores more.
    sampled : bool, default: False
        Whether to use one function sampled for each objective (Thompson sampling) instead, whose distance from the
        prediction is multiplied by beta. Points that are asked for at the same time then differ by themselves.
    directions : int or None, default: None
        The number of random directions along which the volume is measured. None measures it exactly for up to four
        objectives, and along 256 directions for more. With one, every step improves one random compromise.

    Notes
    -----
    α_t(x) = log HVI(h(μ(x) + β_t σ(x))), HVI the hypervolume improvement over the front of the posterior means.
    """

    beta: Scheduled = Scheduled(Constant(0.5))
    sampled: bool = False
    directions: int | None = None

    def __post_init__(self) -> None:
        as_bool(self.sampled, "Hypervolume: sampled")
        if self.directions is not None:
            as_count(self.directions, "Hypervolume: directions", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "HypervolumeScore":
        found = frame(beliefs, domain, rng, wide=step.t % 2 == 0)
        sides = tuple(
            Valued(self._seen(beliefs, name, step, rng), beliefs.outcomes[name]) for name in beliefs.objectives
        )
        return HypervolumeScore(sides, found, self._left(found, rng))

    def _seen(self, beliefs: Beliefs, name: str, step: Step, rng: Generator) -> Score:
        """What an objective may come to, in model units."""
        if not self.sampled:
            believed = beliefs.believed[name]
            return UCBScore(believed, self.beta(step, believed))
        observed = beliefs.posteriors[name]  # a sample explores by itself: conditioned on its mean it would be greedy
        beta = self.beta(step, observed)
        return PathScore(stretched(sample_path(observed, rng), beta), beta)

    def _left(self, found: Frame, rng: Generator) -> Improving | Directions:
        """What the front leaves to be improved, in lengths of the box."""
        Y, m = found.inside(found.front), len(found.span)
        k = DIRECTIONS if self.directions is None and m > EXACT else self.directions
        return Improving.of(Y, np.zeros(m)) if k is None else Directions.of(Y, np.zeros(m), weights(k, m, rng))


@dataclass(frozen=True, eq=False)
class Valued:
    """u_j = h(α_j(x)), larger-is-better units, of a score α_j in model units, such as μ + βσ or a sample."""

    seen: Score
    outcome: Outcome

    def __call__(self, X: Array) -> Array:
        return self._back(self.seen(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        z, dz = self.seen.value_and_grad(X)
        y = self._back(z)
        with np.errstate(divide="ignore", over="ignore"):
            slope = 1.0 / self.outcome.derivative(y)
        return y, np.where(np.isfinite(slope), slope, 0.0)[:, None] * dz

    def bound(self, lower: Array, upper: Array) -> Array:
        return self._back(self.seen.bound(lower, upper))

    def at_most(self, X: Array) -> Array:
        """u_j with the prior's standard deviation, which needs only the means, (N,)."""
        assert isinstance(self.seen, UCBScore)
        posterior = self.seen.posterior
        return self._back(posterior.mean(X) + self.seen.beta * posterior.scale)

    def _back(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return self.outcome.inverse(z)


@dataclass(frozen=True, eq=False)
class HypervolumeScore(Score):
    """log(ε + gain(u(x))) − lack(u(x))."""

    sides: tuple[Valued, ...]
    frame: Frame
    left: Improving | Directions = field(repr=False)  # what the front leaves to be improved, in lengths of the box
    ranks, logarithmic = True, True
    smooth = derived(lambda self: all(side.seen.smooth for side in self.sides))
    bounded = derived(lambda self: all(side.seen.bounded for side in self.sides))
    reference = derived(lambda self: self.frame.reference)
    unit = derived(lambda self: self.frame.unit)

    def __call__(self, X: Array) -> Array:
        return self._worth(np.column_stack([side(X) for side in self.sides]))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        known = [side.value_and_grad(X) for side in self.sides]
        U = self.frame.inside(np.column_stack([u for u, _ in known]))
        gain, by_gain = self.left.gain_and_grad(U)
        lack, by_lack = self.left.shortfall_and_grad(U)
        by_u = by_gain / (RESOLUTION + gain)[:, None] - by_lack
        with np.errstate(over="ignore", invalid="ignore"):  # a box of denormal sides
            parts = (by_u[:, j, None] * (du / self.frame.span[j]) for j, (_, du) in enumerate(known))
            gradient = np.asarray(sum(parts))
        # a gradient has a finite square; what is steeper is a step, which no search can follow
        return np.log(RESOLUTION + gain) - lack, np.where(np.abs(gradient) < 1e100, gradient, 0.0)

    def top(self, X: Array, k: int) -> tuple[Indices, Array]:
        """The k best, exactly, without computing most σ_j: α grows with each σ_j, which is at most the prior's."""
        if len(X) <= max(FEW, 4 * k) or not all(isinstance(side.seen, UCBScore) for side in self.sides):
            return super().top(X, k)
        rows = np.arange(len(X))
        U = np.column_stack([side.at_most(X) for side in self.sides])
        bounds = self._worth(U)
        reached = np.sort(self(X[largest(bounds, 4 * k)]))[-k]
        for j, side in enumerate(self.sides):  # one objective after the other uses its own standard deviation
            keep = bounds >= reached - RESOLUTION * (1.0 + abs(reached))
            rows, U = rows[keep], U[keep]
            U[:, j] = side(X[rows])
            bounds = self._worth(U)
        values = self(X[rows])
        order = np.lexsort((rows, -values))[:k]
        return rows[order], values[order]

    def bound(self, lower: Array, upper: Array) -> Array:
        """α of the largest u_j of each box, (m,), proven: α grows with every one of them."""
        bounds = self._worth(np.column_stack([side.bound(lower, upper) for side in self.sides]))
        return bounds + RESOLUTION * (1.0 + np.abs(bounds))

    @property
    def seeds(self) -> Array | None:
        """Points of the front, between which there is most to gain."""
        return self.frame.seeds

    @property
    def scales(self) -> Array | None:
        """The shortest length-scales, (d,)."""
        known = [side.seen.scales for side in self.sides]
        return None if any(scales is None for scales in known) else np.min(np.array(known), axis=0)

    def _worth(self, values: Array) -> Array:
        U = self.frame.inside(values)
        return np.log(RESOLUTION + self.left.gain(U)) - self.left.shortfall(U)
