"""The search space: parameters as the user knows them, points of the unit cube as the core knows them."""

from suffice.space.custom import OwnSpace, by_steps
from suffice.space.parameters import (
    Choice,
    Float,
    Int,
    Listed,
    Ordinal,
    Parameter,
)
from suffice.space.pool import PointSet, Pool, scattered
from suffice.space.product import (
    Shaped,
    UnitCube,
    active_coordinates,
    exchangeable,
    free_columns,
    is_constrained,
)
from suffice.space.rows import blocks, held, listable, row_keys
from suffice.space.slice import Slice, sliced
from suffice.space.space import OwnPoints, SearchSpace, Space, as_space, owns_points
from suffice.space.undecodable import AbsentSpace

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
