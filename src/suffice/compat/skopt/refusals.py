"""Modules of scikit-optimize that are not here: a name that is imported from one says why, and what to take instead."""

from collections.abc import Callable
from typing import Any


def refusing(module: str, names: str, reason: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has none of these names, which are separated by spaces."""

    def missing(name: str) -> Any:
        if name in names.split():
            raise ImportError(f"{module}.{name} is not here: {reason}", name=module)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return missing
