"""Fronts of several objectives, all maximized: what is dominated, how much volume that is, and what would add to it."""

from suffice.pareto.boxes import Improving
from suffice.pareto.directions import Directions
from suffice.pareto.front import nondominated
from suffice.pareto.hypervolume import contributions, hypervolume, hypervolumes
from suffice.pareto.scalarise import weights

__all__ = ["Directions", "Improving", "contributions", "hypervolume", "hypervolumes", "nondominated", "weights"]
