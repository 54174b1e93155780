"""What an acquisition is told: the posterior of each output, and the points that are being evaluated.

Pending points count as the model's own mean; they are appended to the posterior when somebody asks for it, and once. Of
failed points an acquisition is told nothing: its score is weighted by the probability of success (feasibility.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from suffice.gp.posterior import Posterior
from suffice.types import Array

VALUE = "value"  # the name of a single objective


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posteriors by the name of their output, and where evaluations are under way."""

    posteriors: Mapping[str, Posterior]
    pending: Array = field(repr=False)  #: (p, d)

    @classmethod
    def of(cls, posteriors: Posterior | Mapping[str, Posterior], *, pending: Array | None = None) -> Self:
        """The beliefs about one objective, or about outputs by name."""
        named = posteriors if isinstance(posteriors, Mapping) else {VALUE: posteriors}
        nowhere = np.empty((0, next(iter(named.values())).X.shape[1]))
        return cls(named, nowhere if pending is None else pending)

    @property
    def observed(self) -> Posterior:
        """The objective's posterior without the pending points.

        It is for a random acquisition, which explores by itself: conditioned on its mean it would only be greedy.
        """
        return self.posteriors[VALUE]

    @cached_property
    def objective(self) -> Posterior:
        """The objective's posterior with the pending points at the mean."""
        return self.observed.believe(self.pending) if len(self.pending) else self.observed
