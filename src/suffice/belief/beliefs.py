"""What an acquisition is told: the posterior of each output, and the points that have no value.

Failed points count as bad as the worst value seen, pending ones as the model's own mean. Both are appended to the
posterior when somebody asks for it, and once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from suffice.gp.posterior import Posterior
from suffice.types import Array

VALUE = "value"  # the name of a single objective

# Appending k failed points to n observed ones costs (n + k)² numbers of memory and about n²k + k³ operations at every
# ask. With 300 that is as much as the observations of a usual run cost; older failures are where nobody looks any more.
MOST_FAILED = 300


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posteriors by the name of their output, and where evaluations failed or are under way."""

    posteriors: Mapping[str, Posterior]
    failed: Array = field(repr=False)  # (k, d), in the order they were asked
    pending: Array = field(repr=False)  # (p, d)

    @classmethod
    def of(
        cls,
        posteriors: Posterior | Mapping[str, Posterior],
        *,
        failed: Array | None = None,
        pending: Array | None = None,
    ) -> Self:
        """The beliefs about one objective, or about outputs by name; of many failed points the latest count."""
        named = posteriors if isinstance(posteriors, Mapping) else {VALUE: posteriors}
        nowhere = np.empty((0, next(iter(named.values())).X.shape[1]))
        last = nowhere if failed is None else failed[-MOST_FAILED:]
        return cls(named, last, nowhere if pending is None else pending)

    @cached_property
    def observed(self) -> Posterior:
        """The objective's posterior with the failed points at the worst value, and without the pending ones.

        It is for a random acquisition, which explores by itself: conditioned on its mean it would only be greedy.
        """
        posterior = self.posteriors[VALUE]
        if not len(self.failed):
            return posterior
        return posterior.append(self.failed, np.full(len(self.failed), posterior.z.min()))

    @cached_property
    def objective(self) -> Posterior:
        """The objective's posterior with the failed points at the worst value and the pending ones at the mean."""
        return self.observed.believe(self.pending) if len(self.pending) else self.observed
