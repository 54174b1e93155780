"""The search space: parameters as the user knows them, points of the unit cube as the core knows them."""

from suffice.space.absent import AbsentSpace
from suffice.space.cube import UnitCube
from suffice.space.own import OwnSpace, by_steps
from suffice.space.parameters import Choice, Float, Int, Listed, Ordinal, Parameter
from suffice.space.pointset import PointSet
from suffice.space.pool import Pool, scattered
from suffice.space.protocol import OwnPoints, SearchSpace, owns_points
from suffice.space.rows import blocks, held, listable, row_keys
from suffice.space.shape import Shaped, active_coordinates, exchangeable, free_columns, is_constrained
from suffice.space.slice import Slice, sliced
from suffice.space.space import Space, as_space

__all__ = [
    "AbsentSpace",
    "Choice",
    "Float",
    "Int",
    "Listed",
    "Ordinal",
    "OwnPoints",
    "OwnSpace",
    "Parameter",
    "PointSet",
    "Pool",
    "SearchSpace",
    "Shaped",
    "Slice",
    "Space",
    "UnitCube",
    "active_coordinates",
    "as_space",
    "blocks",
    "by_steps",
    "exchangeable",
    "free_columns",
    "held",
    "is_constrained",
    "listable",
    "owns_points",
    "row_keys",
    "scattered",
    "sliced",
]
