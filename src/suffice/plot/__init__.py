"""Figures of a result: each function draws into axes of yours, or into new ones, and returns them.

ax = sf.plot.convergence(result)
ax.figure.savefig("convergence.png")

docs/gallery.md shows them all.
"""

from typing import Any

from suffice.aliases import PLOTS, called_here
from suffice.plot import interactive
from suffice.plot.convergence import convergence, regret
from suffice.plot.effects import importance, partial_dependence
from suffice.plot.fronts import front
from suffice.plot.overview import overview
from suffice.plot.points import evaluations, parallel
from suffice.plot.search import accuracy, time
from suffice.plot.slices import contour, slice

__all__ = [
    "accuracy",
    "contour",
    "convergence",
    "evaluations",
    "front",
    "importance",
    "interactive",
    "overview",
    "parallel",
    "partial_dependence",
    "regret",
    "slice",
    "time",
]


def __getattr__(name: str) -> Any:
    """Raise an error that names the figure of another library's name."""
    said = "" if name.startswith("_") else called_here(name, __all__, PLOTS)
    raise AttributeError(f"module 'suffice.plot' has no attribute {name!r}{said and ': '}{said}")
