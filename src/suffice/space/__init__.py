"""The search space: parameters as the user knows them, points of the unit cube as the core knows them."""

from suffice.space.custom import CustomSpace
from suffice.space.domain import (
    OwnPoints,
    SearchSpace,
    Shaped,
    active_coordinates,
    blocks,
    exchangeable,
    free_columns,
    held,
    is_constrained,
    listable,
    row_keys,
)
from suffice.space.parameters import Choice, Float, Int, Listed, Ordinal, Parameter
from suffice.space.pointset import PointSet
from suffice.space.pool import AbsentSpace, Pool, Scattered
from suffice.space.product import UnitCube
from suffice.space.slice import Slice
from suffice.space.space import OpenSpace, Space, as_space, is_unknown, sliced

__all__ = [
    "AbsentSpace",
    "Choice",
    "CustomSpace",
    "Float",
    "Int",
    "Listed",
    "OpenSpace",
    "Ordinal",
    "OwnPoints",
    "Parameter",
    "PointSet",
    "Pool",
    "Scattered",
    "SearchSpace",
    "Shaped",
    "Slice",
    "Space",
    "UnitCube",
    "active_coordinates",
    "as_space",
    "blocks",
    "exchangeable",
    "free_columns",
    "held",
    "is_constrained",
    "is_unknown",
    "listable",
    "row_keys",
    "sliced",
]
