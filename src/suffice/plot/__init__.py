"""Figures of a result: each function draws into axes of yours, or into new ones, and returns them.

ax = sf.plot.convergence(result)
ax.figure.savefig("convergence.png")

docs/gallery.md shows them all.
"""

from suffice.plot.progress import convergence, regret
from suffice.plot.search import accuracy, time

__all__ = ["accuracy", "convergence", "regret", "time"]
