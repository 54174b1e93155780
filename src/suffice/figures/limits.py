"""What part of the values an axis shows: all of them, or without a few that would leave the others no room."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 0.85  # of the values, from the best: they decide what is shown where the rest is far away
FAR = 3.0  # times the range of these: what is beyond is at the edge
ROOM = 0.06  # of the range, beyond its ends


@dataclass(frozen=True)
class Window:
    """The range of an axis, and which side of it was cut: values beyond are drawn at its edge."""

    low: float
    high: float
    log: bool
    larger: bool  # larger values are better

    def inside(self, values: Array) -> Array:
        """The values, those beyond at the edge."""
        return np.clip(values, self.low, self.high)

    def beyond(self, values: Array) -> NDArray[np.bool_]:
        """Which values are worse than what the axis shows."""
        worse: NDArray[np.bool_] = values < self.low if self.larger else values > self.high
        return worse

    def including(self, values: Array) -> "Window":
        """The window that also shows these values."""
        known = values[np.isfinite(values)]
        ends = (self.low, self.high, *known.tolist())
        return Window(min(ends), max(ends), self.log, self.larger)

    @property
    def caret(self) -> str:
        """The marker that points at what is beyond."""
        return "v" if self.larger else "^"

    def lay(self, ax: "Axes", *, below: float = ROOM, above: float = ROOM) -> None:
        """Give the vertical axis this range, with room at both ends."""
        if self.log:
            width = math.log(self.high) - math.log(self.low)
            ends = math.exp(math.log(self.low) - below * width), math.exp(math.log(self.high) + above * width)
        else:
            width = self.high - self.low
            ends = self.low - below * width, self.high + above * width
        if self.log:
            ax.set_yscale("log")
        ax.set_ylim(*ends)


def window(values: Array, *, larger: bool, log: bool = False) -> Window:
    """The range that shows the best MOST of the finite values, and the rest unless it is far away."""
    known = values[np.isfinite(values)]
    if not len(known):
        return Window(1.0 if log else 0.0, 10.0 if log else 1.0, log, larger)
    seen = np.log(known) if log else known
    best, worst = (seen.max(), seen.min()) if larger else (seen.min(), seen.max())
    usual = float(np.quantile(seen, 1 - MOST if larger else MOST))
    end = usual if 0 < FAR * abs(usual - best) < abs(worst - best) else worst
    low, high = sorted((float(best), float(end)))
    if low == high:
        room = 1.0 if log else abs(low) / 10 or 1.0
        low, high = low - room, high + room
    return Window(math.exp(low), math.exp(high), log, larger) if log else Window(low, high, log, larger)
