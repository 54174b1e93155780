"""From beliefs about several objectives to the box in which the volume of their front is measured.

Y     (k, m)  values of the points that count as found, by the posterior means, larger-is-better units
ideal (m,)    the best value of each objective, among the front         nadir  (m,)  the worst one
r     (m,)    the reference point

The reference point decides which part of the front is looked for. At the worst values of the observed front it would
leave the ends of the front out, and the search would never look there. So the front is that of the posterior means
over many points, which reaches further than the observed one, and r is a little worse than its worst values.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.belief import Beliefs
from suffice.pareto.front import nondominated
from suffice.pareto.hypervolume import contributions, hypervolume
from suffice.types import Array, Domain, largest

DRAWS = 512  # uniform points, by which the models are asked how far the front reaches
NEAR = 64  # draws around each of some points of the front
BEYOND = 0.1  # of the length of the front in each objective: how much worse than its worst values r is
SEEDS = 8  # points of the front to look around at
FARTHEST = 1e6  # in lengths of the box, from where on no volume is of interest: powers of it are finite


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
        """The points of the front that it would lose most without."""
        inside = self.inside(self.front)
        return self.points[largest(contributions(inside, np.zeros(len(self.span))), SEEDS)]


def frame(beliefs: Beliefs, domain: Domain, rng: Generator) -> Frame:
    """The box of what is known and predicted; with the reference point that was given, if one was."""
    X = beliefs.standing
    Y = means(beliefs, X)
    front = nondominated(Y, distinct=True)
    X, Y = X[front], Y[front]
    given = beliefs.reference
    predicted = Y if given is not None else _predicted(beliefs, domain, X, Y, rng)
    ideal, nadir = predicted.max(axis=0), predicted.min(axis=0)
    length = np.where(ideal > nadir, ideal - nadir, np.maximum(np.abs(ideal), 1.0) * 1e-9)
    r = nadir - BEYOND * length if given is None else given
    best = np.maximum(Y.max(axis=0), ideal)
    span = np.where(best > r, best - r, length)
    return Frame(Y, X, r, span)


def means(beliefs: Beliefs, X: Array) -> Array:
    """The posterior medians of the objectives, larger-is-better units, (n, m)."""
    with np.errstate(over="ignore"):
        columns = [beliefs.outcomes[name].inverse(posterior.mean(X)) for name, posterior in beliefs.aims.items()]
    return np.column_stack(columns)


def _predicted(beliefs: Beliefs, domain: Domain, X: Array, Y: Array, rng: Generator) -> Array:
    """The front of the posterior means over draws anywhere and around the observed front, with the latter, (k, m)."""
    ends = X[np.unique(Y.argmax(axis=0))]
    around = [domain.near(x, NEAR, rng, (0.01, 0.05, 0.2)) for x in ends]
    draws = np.vstack([domain.sample(DRAWS, rng), *around])
    if beliefs.levels:
        draws = draws[beliefs.violation(draws) == 0.0]
    both = np.vstack([Y, means(beliefs, draws)])
    return both[nondominated(both)]
