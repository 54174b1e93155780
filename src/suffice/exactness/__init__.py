"""How exactly optimizers maximize their acquisition functions: a meter for any of them, and watchers of whole runs."""

from suffice.exactness.meter import SolveQuality, solve_quality

__all__ = ["SolveQuality", "solve_quality"]
