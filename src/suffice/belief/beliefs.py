"""What an acquisition is told: the posterior of each output, and the points that are being evaluated.

Pending points count as the model's own mean; they are appended to a posterior when somebody asks for it, and once. Of
failed points an acquisition is told nothing: its score is weighted by the probability of success (feasibility.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from suffice.belief.pending import Believed
from suffice.gp.posterior import Posterior
from suffice.gp.transform import Outcome
from suffice.types import Array

VALUE = "value"  # the name of a single objective


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posteriors by the name of their output, and where evaluations are under way."""

    posteriors: Mapping[str, Posterior]
    pending: Array = field(repr=False)  #: (p, d)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict, repr=False)  #: larger-is-better units to the model's
    levels: Mapping[str, float] = field(default_factory=dict)  #: what a constrained output must reach, model units
    feasible: Array | None = field(default=None, repr=False)  #: (k, d): observed within all limits; None: all are
    reference: Array | None = field(default=None, repr=False)  #: (m,), larger-is-better units, where the user gave it

    @classmethod
    def of(cls, posteriors: Posterior | Mapping[str, Posterior], *, pending: Array | None = None) -> Self:
        """The beliefs about one objective, or about outputs by name."""
        named = posteriors if isinstance(posteriors, Mapping) else {VALUE: posteriors}
        nowhere = np.empty((0, next(iter(named.values())).X.shape[1]))
        return cls(named, nowhere if pending is None else pending, outcomes=dict.fromkeys(named, Outcome()))

    @property
    def objectives(self) -> tuple[str, ...]:
        """The names of what is to be improved, in the user's order."""
        return tuple(name for name in self.posteriors if name not in self.levels)

    @property
    def observed(self) -> Posterior:
        """The objective's posterior without the pending points.

        It is for a random acquisition, which explores by itself: conditioned on its mean it would only be greedy.
        """
        return self.posteriors[self._only]

    @property
    def objective(self) -> Posterior:
        """The objective's posterior with the pending points at the mean."""
        return self.believed[self._only]

    @cached_property
    def believed(self) -> Mapping[str, Posterior]:
        """The posteriors with the pending points at the mean."""
        if not len(self.pending):
            return self.posteriors
        return {name: Believed.of(posterior, self.pending) for name, posterior in self.posteriors.items()}

    @property
    def hallucinated(self) -> float:
        """What the pending points are believed to tell about the objective, in nats; the most of any of several."""
        believed = (self.believed[name] for name in self.objectives)
        return max((found.hallucinated for found in believed if isinstance(found, Believed)), default=0.0)

    def with_pending(self, X: Array) -> "Beliefs":
        """The same with m more points under way, (m, d): what is believed of the others is extended, not made again."""
        more = replace(self, pending=np.vstack([self.pending, X]))
        if len(self.pending) and len(X):
            believed = {name: posterior.believe(X) for name, posterior in self.believed.items()}
            more.__dict__["believed"] = believed  # where `cached_property` keeps it
        return more

    @property
    def aims(self) -> Mapping[str, Posterior]:
        """The posteriors of the objectives by name, with the pending points at the mean."""
        return {name: self.believed[name] for name in self.objectives}

    @cached_property
    def standing(self) -> Array:
        """The points whose values count as found, (k, d): without constraints all that the posteriors know.

        Of the pending ones those that are expected to be within all limits.
        """
        if self.feasible is None:
            return self.believed[self.objectives[0]].X
        return np.vstack([self.feasible, self.pending[self.violation(self.pending) == 0.0]])

    @property
    def known(self) -> Array:
        """The observed points, (n, d): those of the output that has been observed most often."""
        return max(self.posteriors.values(), key=lambda posterior: posterior.n).X

    def violation(self, X: Array) -> Array:
        """How far the constrained outputs are expected to be from their limits, in deviations, added up, (m,)."""
        total = np.zeros(len(X))
        for name, level in self.levels.items():
            posterior = self.posteriors[name]
            total += np.maximum(0.0, level - posterior.mean(X)) / posterior.scale
        return total

    @property
    def _only(self) -> str:
        names = self.objectives
        if len(names) > 1:
            raise TypeError(
                f"this acquisition is for one objective, and the study has {len(names)}: {', '.join(names)}; leave "
                "acquisition= out, or take sf.Hypervolume()"
            )
        return names[0]
