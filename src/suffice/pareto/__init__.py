"""Fronts of several objectives, all maximized: what is dominated, how much volume that is, and what would add to it."""

from suffice.pareto.directions import Directions, weights
from suffice.pareto.front import nondominated
from suffice.pareto.hypervolume import Improving, hypervolume, hypervolumes

__all__ = ["Directions", "Improving", "hypervolume", "hypervolumes", "nondominated", "weights"]
