"""What Real, Integer and Categorical have in common."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from suffice.compat.skopt.randomness import as_random_state
from suffice.types import Array


class Dimension(ABC):
    """One parameter of a search space, with a name or without.

    The original space has values as the objective gets them, the transformed one numbers as a model gets them.
    """

    prior: Any = None
    transforms: tuple[str, ...] = ()  # the words that `set_transformer` takes; the first is the default
    transform_: str

    def rvs(self, n_samples: int | None = 1, random_state: Any = None) -> Any:
        """Random values of the dimension, by its prior: a list of n_samples, or a single value for None."""
        rng = as_random_state(random_state)
        values = self._draw(1 if n_samples is None else n_samples, rng)
        return values[0] if n_samples is None else values

    @abstractmethod
    def _draw(self, n: int, rng: np.random.RandomState) -> Any:
        """n values."""

    @abstractmethod
    def transform(self, X: Any) -> Any:
        """The numbers that stand for values."""

    @abstractmethod
    def inverse_transform(self, Xt: Any) -> Any:
        """The values that numbers stand for."""

    @abstractmethod
    def typed(self, v: Any) -> Any:
        """A value, or an array of them, in the type of the dimension: Python's own, unless another was wished for."""

    @abstractmethod
    def __contains__(self, point: Any) -> bool:
        """Whether a value is one of the dimension."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[Any, ...]:
        """The lowest and the highest value, or all categories."""

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether there is only one value."""

    @property
    @abstractmethod
    def transformed_bounds(self) -> Any:
        """The lowest and the highest number, a pair for each column where there are several."""

    def set_transformer(self, transform: str | None = None) -> None:
        """Choose which numbers stand for the values."""
        word = self.transforms[0] if transform is None else transform
        if word not in self.transforms:
            raise ValueError(
                f"transform must be one of {', '.join(map(repr, self.transforms))} for {type(self).__name__}: "
                f"got {transform!r}"
            )
        self.transform_ = word

    def distance(self, a: Any, b: Any) -> Any:
        """How far apart two values are: |a − b|, and 0 or 1 for categories."""
        if not (a in self and b in self):
            raise RuntimeError(f"the distance is between values of the dimension {self!r}: got {a!r} and {b!r}")
        return self._distance(a, b)

    @abstractmethod
    def _distance(self, a: Any, b: Any) -> Any:
        """The distance of two values of the dimension."""

    @property
    def size(self) -> int:
        """Numbers in one value."""
        return 1

    @property
    def transformed_size(self) -> int:
        """Columns of the transformed space."""
        return 1

    @property
    def name(self) -> str | None:
        """What the dimension is called; None: nothing."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        if not (value is None or isinstance(value, str)):
            raise ValueError(f"the name of a dimension must be a string or None: got {value!r}")
        self._name = value


def column(X: Any) -> Array:
    """Numbers as a float array, (n,) or () for a single one."""
    return np.asarray(X, dtype=np.float64)
