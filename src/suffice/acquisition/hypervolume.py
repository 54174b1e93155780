"""Several objectives: by how much a point may raise the volume that the front dominates.

m        int     objectives, each larger-is-better          h_j   the monotone map from model units back to its own
Y        (k, m)  the front: h_j of the posterior means at the points that count as found
r        (m,)    the reference point: only what is better than it in every objective counts
u(x)     (N, m)  h_j(μ_j(x) + β σ_j(x)), the best values that the models hold possible, or values of a sample
gain     (N,)    the volume that u adds to that of Y above r (pareto/boxes.py); 1 is the box from r to the best values
lack     (N,)    how much u lacks in every objective, in lengths of that box, where it adds nothing

    α(x) = log(ε + gain(u(x))) − lack(u(x))

The gain is deterministic and grows with every u_j, so that a bound of μ_j + β σ_j over a box bounds α, and a proof of
how large α can be is one about the volume. Affine changes of an objective, and their order, change nothing.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator

from suffice.acquisition.beta import Beta, Constant, as_beta
from suffice.acquisition.reference import Frame, frame
from suffice.acquisition.ucb import UCBScore
from suffice.belief import Beliefs
from suffice.gp.outcome import Outcome
from suffice.pareto.boxes import Improving
from suffice.types import Array, Domain, Score, Step

LEAST = 1e-9  # ε, of the box from the reference point to the best values: finer gains are worth nothing to anybody
ROUNDING = 1e-9  # of a bound: the gain of a box is a sum of products


@dataclass(frozen=True)
class Hypervolume:
    """For several objectives: try the point that may raise the hypervolume of the front most, optimistically.

    The hypervolume is the volume of all that the front is better than, down to a reference point. What a point may add
    to it is judged by the best values that the models still hold possible there, `beta` deviations above the
    prediction.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Constant(0.5)
        How far above the predictions to look, in deviations: a larger one explores more.

    Notes
    -----
    α_t(x) = log HVI(h(μ(x) + β_t σ(x))), HVI the hypervolume improvement over the front of the posterior means.
    """

    beta: Beta = Constant(0.5)

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", as_beta(self.beta))

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "HypervolumeScore":
        sides = tuple(
            Optimistic(UCBScore(posterior, self.beta(step, posterior)), beliefs.outcomes[name])
            for name, posterior in beliefs.aims.items()
        )
        return HypervolumeScore(sides, frame(beliefs, domain, rng))


class Side(Protocol):
    """One objective as the score sees it: values in larger-is-better units."""

    @property
    def seen(self) -> Score:
        """The same in model units."""

    def __call__(self, X: Array) -> Array:
        """u_j, (N,)."""

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """u_j, (N,), and its gradient in X, (N, d)."""

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least u_j of every point of a box, (N,)."""


@dataclass(frozen=True, eq=False)
class Optimistic:
    """h(α_j(x)) of a score α_j in model units, such as μ + βσ."""

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

    def _back(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return self.outcome.inverse(z)


@dataclass(frozen=True, eq=False)
class HypervolumeScore(Score):
    """log(ε + gain(u(x))) − lack(u(x))."""

    sides: tuple[Side, ...]
    frame: Frame
    smooth: bool = field(init=False, repr=False)
    bounded: bool = field(init=False, repr=False)
    reference: Array | None = field(init=False, repr=False)
    unit: float | None = field(init=False, repr=False)
    logarithmic = True

    def __post_init__(self) -> None:
        for word in ("smooth", "bounded"):
            object.__setattr__(self, word, all(getattr(side.seen, word) for side in self.sides))
        object.__setattr__(self, "reference", self.frame.reference)
        object.__setattr__(self, "unit", self.frame.unit)

    def __call__(self, X: Array) -> Array:
        return self._worth(np.column_stack([side(X) for side in self.sides]))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        known = [side.value_and_grad(X) for side in self.sides]
        U = self.frame.inside(np.column_stack([u for u, _ in known]))
        gain, by_gain = self.improving.gain_and_grad(U)
        lack, by_lack = self.improving.shortfall_and_grad(U)
        by_u = (by_gain / (LEAST + gain)[:, None] - by_lack) / self.frame.span
        gradient = sum(by_u[:, j, None] * du for j, (_, du) in enumerate(known))
        return np.log(LEAST + gain) - lack, np.asarray(gradient)

    def bound(self, lower: Array, upper: Array) -> Array:
        """α of the largest u_j of each box, (m,), proven: α grows with every one of them."""
        limits = self._worth(np.column_stack([side.bound(lower, upper) for side in self.sides]))
        return limits + ROUNDING * (1.0 + np.abs(limits))

    @property
    def seeds(self) -> Array | None:
        """Points of the front, between which there is most to gain."""
        return self.frame.seeds

    @property
    def scales(self) -> Array | None:
        """The shortest length-scales, (d,)."""
        known = [side.seen.scales for side in self.sides]
        return None if any(scales is None for scales in known) else np.min(np.array(known), axis=0)

    @cached_property
    def improving(self) -> Improving:
        """What the front leaves to be improved, in lengths of the box."""
        return Improving.of(self.frame.inside(self.frame.front), np.zeros(len(self.sides)))

    def _worth(self, values: Array) -> Array:
        U = self.frame.inside(values)
        return np.log(LEAST + self.improving.gain(U)) - self.improving.shortfall(U)
