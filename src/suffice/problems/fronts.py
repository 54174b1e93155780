"""A test problem with several objectives: a function whose outputs cannot all be best at once, with a known front.

m   number of objectives        reference   (m,)   the corner up to which the volume of a front is measured

The volume, or hypervolume, is that of all points between the reference and some point of the front, and the largest
possible is known: from the formula, or from a long search, as is said beside it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from suffice.space import Space
from suffice.types import Array

Sense = Literal["minimize", "maximize"]


@dataclass(frozen=True)
class TradeOff:
    """A function with several outputs, each to be minimized or maximized.

    `problem(point)` is {objective: value}, as an optimizer wants it; `function` also takes arrays in place of the
    numbers of a point.
    """

    name: str
    function: Callable[[Mapping[str, Any]], dict[str, Any]] = field(repr=False)
    space: Space = field(repr=False)
    objectives: Mapping[str, Sense] = field(repr=False)
    reference: tuple[float, ...]  # in the units and the order of the objectives
    hypervolume: float  # of the best known front
    source: str = field(repr=False)

    def __call__(self, point: Mapping[str, Any]) -> dict[str, float]:
        """The objectives at one point."""
        return {name: float(output) for name, output in self.function(point).items()}

    def losses(self, outputs: Mapping[str, Any]) -> Array:
        """Outputs as numbers of which all are to be minimized, (m,); for arrays (n,) of outputs (n, m)."""
        return np.stack(np.broadcast_arrays(*(self._sign(o) * outputs[o] for o in self.objectives)), axis=-1)

    @property
    def worst(self) -> Array:
        """The reference in the same sense, (m,)."""
        return self.losses(dict(zip(self.objectives, self.reference, strict=True)))

    def _sign(self, objective: str) -> float:
        return 1.0 if self.objectives[objective] == "minimize" else -1.0


def minimized(*names: str) -> dict[str, Sense]:
    return dict.fromkeys(names, "minimize")
