"""From beliefs about several objectives to the box in which the volume of their front is measured.

Y      (k, m)  values of the points that count as found, by the posterior means, larger-is-better units
ideal  (m,)    the best value of each objective on the front        worst  (m,)  the worst one
r      (m,)    the reference point: only what is better than it in every objective counts

The reference point decides which part of the front is looked for. Far away it rewards the ends of the front, where one
objective is at its best and the others may be anything; close to the front it rewards the middle, and a part of the
front that lies beyond it is never looked for. So the steps take turns:

    wide     r is a little worse than the worst values of all points that were found; where there are limits, of those
             within them and of the front that the models predict
    narrow   r is NARROW of the way from the best to the worst values of the front that the models predict

The predicted front is that of the posterior means over many points, which reaches further than the observed one.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.belief import Beliefs
from suffice.pareto import hypervolume, nondominated
from suffice.types import Array, Domain, largest

DRAWS = 512  # uniform points, by which the models are asked how far the front reaches
NEAR = 64  # draws around each end of the observed front, at the distances of REACHES
REACHES = (0.01, 0.05, 0.2)  # of the cube
BEYOND = 0.1  # of the lengths that were seen: how much worse than the worst values r is
NARROW = 0.6  # chosen with BEYOND on problems that nothing is reported of (docs/measurements/fronts.md)
SEEDS = 8  # points of the front to look around at
FARTHEST = 1e6  # in lengths of the box, from where on no volume is of interest: powers of it are finite
LARGEST = 1e300  # of a length
FLAT = 1e-9  # of a value: what an objective that has a single value is taken to be long


@dataclass(frozen=True, eq=False)
class Frame:
    """The box from the reference point to the best values, and the front in it."""

    front: Array = field(repr=False)  # (k, m)
    points: Array = field(repr=False)  # (k, d): where it was found
    reference: Array  # (m,)
    span: Array  # (m,): the sides of the box

    def inside(self, Y: Array) -> Array:
        """Values in lengths of the box, from the reference point, (n, m)."""
        with np.errstate(over="ignore"):
            return np.clip((Y - self.reference) / self.span, -FARTHEST, FARTHEST)

    @cached_property
    def volume(self) -> float:
        """What the front dominates of the box."""
        return hypervolume(self.inside(self.front), np.zeros(len(self.span)))

    @property
    def unit(self) -> float | None:
        """What the box is as a share of the volume; None where no point is above the reference point."""
        return 1.0 / self.volume if self.volume > 0.0 else None

    @cached_property
    def seeds(self) -> Array:
        """The points of the front beside which there is most room: something is to be found between them and others."""
        return self.points[largest(spacing(self.inside(self.front)), SEEDS)]


def frame(beliefs: Beliefs, domain: Domain, rng: Generator, *, wide: bool) -> Frame:
    """The box of what is known and predicted; with the reference point that was given, if one was."""
    X = beliefs.standing
    found = means(beliefs, X)
    front = nondominated(found, distinct=True)
    X, Y = X[front], found[front]
    seen = found
    if not (wide and len(found)) or beliefs.levels:  # what was found within limits may be little of what there is
        seen = np.vstack([found if wide else Y, _predicted(beliefs, domain, X, Y, rng)])
    ideal, worst = seen.max(axis=0), seen.min(axis=0)
    with np.errstate(over="ignore"):  # objectives that span more than there are floats
        far = np.minimum(ideal - worst, LARGEST)
    length = np.where(ideal > worst, far, FLAT * np.maximum(np.abs(ideal), 1.0))
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
