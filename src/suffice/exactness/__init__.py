"""How exactly optimizers maximize their acquisition functions, measured for one search or a whole run."""

from suffice.exactness.meter import SolveQuality, solve_quality
from suffice.exactness.watch import Solve, Solves, watch_solves

__all__ = ["Solve", "SolveQuality", "Solves", "solve_quality", "watch_solves"]
