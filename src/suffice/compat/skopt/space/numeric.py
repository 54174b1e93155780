"""Ranges of real and of whole numbers.

v   a value        b   the base of the logarithm        g(v) = v, or log v / log b with the prior "log-uniform"

The transform is g(v) with "identity", and (g(v) − g(low)) / (g(high) − g(low)) with "normalize".
"""

import numbers
from typing import Any

import numpy as np

from suffice.compat.skopt.space.dimension import Dimension, column
from suffice.types import Array

PRIORS = ("uniform", "log-uniform")
ROUNDING = 1e-8  # beyond 0 and 1, in which a normalised number still counts as inside
FLOATS = ("float", "float16", "float32", "float64")
INTS = ("int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


class Range(Dimension):
    """Numbers from low to high, both included."""

    transforms = ("identity", "normalize")

    def __init__(
        self, low: Any, high: Any, prior: str, base: float, transform: str | None, name: str | None, dtype: Any
    ) -> None:
        if not low < high:
            raise ValueError(f"the lower bound must be below the upper one: got {low!r} and {high!r}")
        if prior not in PRIORS:
            raise ValueError(f"prior must be 'uniform' or 'log-uniform': got {prior!r}")
        if prior == "log-uniform" and low <= 0:
            raise ValueError(f"a log-uniform prior needs bounds above 0: got {low!r} and {high!r}")
        if not base > 1:
            raise ValueError(f"base must be above 1: got {base!r}")
        self.low, self.high, self.prior, self.base = low, high, prior, base
        self.log_base = np.log10(base)
        self.name, self.dtype = name, dtype
        self.set_transformer(transform)

    def __repr__(self) -> str:
        word = type(self).__name__
        return f"{word}(low={self.low}, high={self.high}, prior={self.prior!r}, transform={self.transform_!r})"

    def __contains__(self, point: Any) -> bool:
        return isinstance(point, numbers.Real | np.ndarray) and bool(self.low <= point <= self.high)

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The lowest and the highest value."""
        return self.low, self.high

    @property
    def is_constant(self) -> bool:
        """Never: the lower bound is below the upper one."""
        return False

    @property
    def transformed_bounds(self) -> tuple[Any, Any]:
        """The numbers that stand for the bounds."""
        if self.transform_ == "normalize":
            return 0.0, 1.0
        return self._bent_bounds if self.prior == "log-uniform" else self.bounds

    @property
    def _bent_bounds(self) -> tuple[float, float]:
        low, high = self._bent(column([self.low, self.high])).tolist()
        return low, high

    def _bent(self, v: Array) -> Array:
        return np.log10(v) / self.log_base if self.prior == "log-uniform" else v

    def _straight(self, g: Array) -> Array:
        return np.power(float(self.base), g) if self.prior == "log-uniform" else g

    def transform(self, X: Any) -> Array:
        """The numbers that stand for values."""
        g = self._bent(column(X))
        if self.transform_ == "identity":
            return g
        low, high = self._bent_bounds
        u = (g - low) / (high - low)
        return self._checked(u)

    def _checked(self, u: Array) -> Array:
        if np.any(u > 1 + ROUNDING) or np.any(u < -ROUNDING):
            raise ValueError(f"values must be from {self.low!r} to {self.high!r}: got one that is not")
        return u

    def inverse_transform(self, Xt: Any) -> Any:
        """The values that numbers stand for, inside the bounds."""
        g = column(Xt)
        if self.transform_ == "normalize":
            low, high = self._bent_bounds
            g = low + self._checked(g) * (high - low)
        return self.typed(np.clip(self._straight(g), self.low, self.high))

    def _draw(self, n: int, rng: np.random.RandomState) -> Any:
        low, high = self._bent_bounds
        g = low + rng.uniform(size=n) * (high - low)
        return self.typed(np.clip(self._straight(g), self.low, self.high))

    def _distance(self, a: Any, b: Any) -> Any:
        return abs(a - b)

    def _is_like(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, Range)
            and np.allclose([self.low, self.high], [other.low, other.high])
        )


class Real(Range):
    """Real numbers from low to high, both included.

    Parameters
    ----------
    low, high : float
        The bounds.
    prior : {'uniform', 'log-uniform'}, default: 'uniform'
        "log-uniform" where the order of magnitude matters.
    base : float, default: 10
        Of the logarithm in the transformed space; it changes no point.
    transform : str or None, default: None
        "identity" or "normalize".
    name : str or None, default: None
        What the objective calls it, for `use_named_args`.
    dtype : type or str, default: float
        Of the values: float, or a type or name of NumPy's such as "float32".
    """

    def __init__(
        self,
        low: Any,
        high: Any,
        prior: str = "uniform",
        base: float = 10,
        transform: str | None = None,
        name: str | None = None,
        dtype: Any = float,
    ) -> None:
        if not (dtype in FLOATS if isinstance(dtype, str) else _is_kind(dtype, np.floating)):
            raise ValueError(f"dtype must be float or one of NumPy's, such as 'float32': got {dtype!r}")
        super().__init__(low, high, prior, base, transform, name, dtype)

    def typed(self, v: Any) -> Any:
        """Python's floats in a list, or an array of another type."""
        found = np.asarray(v, dtype=np.float64)
        return found.tolist() if self.dtype in (float, "float") else found.astype(self.dtype)[()]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Real)
            and self._is_like(other)
            and (self.prior, self.transform_) == (other.prior, other.transform_)
        )

    __hash__ = None  # type: ignore[assignment]


class Integer(Range):
    """Whole numbers from low to high, both included.

    Parameters
    ----------
    low, high : int
        The bounds.
    prior : {'uniform', 'log-uniform'}, default: 'uniform'
        "log-uniform" where the order of magnitude matters.
    base : float, default: 10
        Of the logarithm in the transformed space; it changes no point.
    transform : str or None, default: None
        "identity" or "normalize".
    name : str or None, default: None
        What the objective calls it, for `use_named_args`.
    dtype : type or str, default: numpy.int64
        Of the values; with the default, and with int, they are Python's.
    """

    def __init__(
        self,
        low: Any,
        high: Any,
        prior: str = "uniform",
        base: float = 10,
        transform: str | None = None,
        name: str | None = None,
        dtype: Any = np.int64,
    ) -> None:
        if not (dtype in INTS if isinstance(dtype, str) else _is_kind(dtype, np.integer) or dtype is int):
            raise ValueError(f"dtype must be int or one of NumPy's, such as 'int32': got {dtype!r}")
        if low != int(low) or high != int(high):
            raise ValueError(f"the bounds of an Integer must be whole numbers: got {low!r} and {high!r}")
        super().__init__(low, high, prior, base, transform, name, dtype)

    def typed(self, v: Any) -> Any:
        """Python's whole numbers in a list, or an array of another type."""
        found = np.round(np.asarray(v, dtype=np.float64)).astype(np.int64)
        return found.tolist() if self.dtype in (int, "int", np.int64, "int64") else found.astype(self.dtype)[()]

    def transform(self, X: Any) -> Array:
        """The numbers that stand for values, which are rounded to whole ones."""
        return super().transform(np.round(column(X)))

    def _draw(self, n: int, rng: np.random.RandomState) -> Any:
        if self.prior == "log-uniform":
            return super()._draw(n, rng)
        return self.typed(rng.randint(int(self.low), int(self.high) + 1, size=n))

    def __eq__(self, other: object) -> bool:
        return self._is_like(other)

    __hash__ = None  # type: ignore[assignment]


def _is_kind(dtype: Any, kind: type) -> bool:
    try:
        return bool(np.issubdtype(np.dtype(dtype), kind))
    except TypeError:
        return False
