"""The values in a point that a user gave, by name or by position; refuses what has too few or too many."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suffice.space.naming import listed, nearest_name


def by_name(point: object, names: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    """The values of a dict that has all the names that are needed, and no others than these."""
    if not isinstance(point, Mapping):
        raise TypeError(f"a point of this space is a dict of {listed(names)}: got {type(point).__name__}")
    known = set(names)
    missing, unknown = [name for name in needed if name not in point], [name for name in point if name not in known]
    if unknown:
        raise ValueError(f"the point has unknown {listed(unknown)}: {nearest_name(unknown[0], names)}")
    if missing:
        raise ValueError(f"the point is missing {listed(missing)}; a point has a value for {listed(names)}")
    return {name: point[name] for name in names if name in point}


def by_position(point: Any, names: Sequence[str]) -> dict[str, Any]:
    """The values of a list or 1-D array of as many, by the names of their positions."""
    wanted = f"a point of this space is a list or 1-D array of length {len(names)}"
    values = np.asarray(point) if hasattr(point, "__array__") else point  # arrays, and what converts itself to one
    if isinstance(values, str | bytes) or not isinstance(values, np.ndarray | Sequence):
        raise TypeError(f"{wanted}: got {type(point).__name__}")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueError(f"{wanted}: got shape {values.shape}")
    if len(values) != len(names):
        raise ValueError(f"{wanted}: got length {len(values)}")
    return dict(zip(names, values, strict=True))
