"""When the model is fitted again."""

import math
from dataclasses import dataclass

from suffice.checks import as_float


@dataclass(frozen=True)
class Refit:
    """How often the model's parameters are fitted again, which is the dear part of an ask.

    Between two fits new values are added to the model, so that it always knows all of them; only its length-scales,
    scale and noise stay.

    Parameters
    ----------
    growth : float, default: 0.1
        It is fitted again once there are this share more observations. Choose 0 to fit at every step, as in the paper,
        where evaluations take long anyway; a larger one where asks have to be fast.
    surprise : float, default: 3.0
        And when a value is further than so many deviations from what was predicted of it.
    """

    growth: float = 0.1
    surprise: float = 3.0

    def __post_init__(self) -> None:
        for word in ("growth", "surprise"):
            if getattr(self, word) != math.inf:  # which is never
                as_float(getattr(self, word), word)
        if not (self.growth >= 0 and self.surprise > 0):
            raise ValueError(f"Refit needs growth ≥ 0 and surprise > 0, got {self.growth!r} and {self.surprise!r}")
