"""Real, Integer and Categorical: the dimensions of a search space, and what may be written in place of one.

v   a value                        m   number of categories
b   the base of the logarithm      k   the place of a category, from 0
g   g(v) = v, or log v / log b with the prior "log-uniform"

A transform turns values into the numbers that a model gets. Of ranges it is g(v) with "identity", and
(g(v) − g(low)) / (g(high) − g(low)) with "normalize". Of categories it is a row of m numbers with a 1 at place k
("onehot"; a single 0 or 1 where m = 2), k itself ("label"), k/(m − 1) ("normalize"), the category as a string
("string"), or the category itself ("identity").
"""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.checks import ROUNDING, short
from suffice.compat.skopt.arguments import explained
from suffice.integrations.sklearn.space import PRIORS
from suffice.types import Array


def one_of(word: Any, known: Iterable[str], what: str) -> Any:
    """The word, which must be one of those that are known."""
    if word not in (words := list(known)):
        raise ValueError(f"{what} must be one of {', '.join(map(repr, words))}: got {word!r}")
    return word


def as_random_state(given: Any) -> np.random.RandomState:
    """The generator that is meant; None, or `numpy.random` itself, is NumPy's global one, which np.random.seed sets."""
    if given is None or given is np.random:
        return np.random.RandomState(np.random.get_bit_generator())  # type: ignore[attr-defined]
    if isinstance(given, numbers.Integral):
        return np.random.RandomState(int(given))
    if isinstance(given, np.random.RandomState):
        return given
    raise ValueError(
        f"random_state must be None, a whole number or a numpy.random.RandomState: got {given!r} of type "
        f"{type(given).__name__}"
    )


def drawn_seed(rng: np.random.RandomState) -> int:
    """The seed of a study, drawn once: every random choice of the study follows from it."""
    return int(rng.randint(0, np.iinfo(np.int32).max))  # which every machine has


class Dimension(ABC):
    """One parameter of a search space, with a name or without.

    The original space has values as the objective gets them, the transformed one numbers as a model gets them.
    """

    prior: Any = None
    transforms: tuple[str, ...] = ()  # the words that `set_transformer` takes; the first is the default
    transform_: str
    size = 1  # numbers in one value
    transformed_size: Any = 1  # columns of the transformed space

    def rvs(self, n_samples: int | None = 1, random_state: Any = None) -> Any:
        """Random values of the dimension, by its prior: a list of n_samples, or a single value for None."""
        values = self._draw(1 if n_samples is None else n_samples, as_random_state(random_state))
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
    def is_constant(self) -> bool:
        """Whether there is only one value, which is never so of a range."""
        return len(self.bounds) == 1

    @property
    @abstractmethod
    def transformed_bounds(self) -> Any:
        """The lowest and the highest number, a pair for each column where there are several."""

    def set_transformer(self, transform: str | None = None) -> None:
        """Choose which numbers stand for the values."""
        word = self.transforms[0] if transform is None else transform
        self.transform_ = one_of(word, self.transforms, f"transform of {type(self).__name__}")

    def distance(self, a: Any, b: Any) -> Any:
        """How far apart two values are: |a − b|, and 0 or 1 for categories."""
        if not (a in self and b in self):
            raise RuntimeError(f"the distance is between values of the dimension {self!r}: got {a!r} and {b!r}")
        return int(a != b) if isinstance(self, Categorical) else abs(a - b)

    @property
    def name(self) -> str | None:
        """What the dimension is called; None: nothing."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        if not (value is None or isinstance(value, str)):
            raise ValueError(f"the name of a dimension must be a string or None: got {value!r}")
        self._name = value


class Range(Dimension):
    """Numbers from low to high, both included."""

    transforms = ("identity", "normalize")

    def __init__(
        self, low: Any, high: Any, prior: str, base: float, transform: str | None, name: str | None, dtype: Any
    ) -> None:
        if not low < high:
            raise ValueError(f"the lower bound must be below the upper one: got {low!r} and {high!r}")
        if one_of(prior, PRIORS, "prior") == "log-uniform" and low <= 0:
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

    def _is_like(self, other: object) -> bool:
        """Whether the other one is of the same kind, with the same bounds."""
        if not isinstance(other, Range) or type(self) is not type(other):
            return False
        return bool(np.allclose([self.low, self.high], [other.low, other.high]))

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The lowest and the highest value."""
        return self.low, self.high

    @property
    def transformed_bounds(self) -> tuple[Any, Any]:
        """The numbers that stand for the bounds."""
        if self.transform_ == "normalize":
            return 0.0, 1.0
        return self._bent_bounds if self.prior == "log-uniform" else self.bounds

    @property
    def _bent_bounds(self) -> tuple[float, float]:
        low, high = self._bent(_column([self.low, self.high])).tolist()
        return low, high

    def _bent(self, v: Array) -> Array:
        return np.log10(v) / self.log_base if self.prior == "log-uniform" else v

    def _straight(self, g: Array) -> Any:
        v = np.power(float(self.base), g) if self.prior == "log-uniform" else g
        return self.typed(np.clip(v, self.low, self.high))

    def transform(self, X: Any) -> Array:
        """The numbers that stand for values."""
        g = self._bent(_column(X))
        if self.transform_ == "identity":
            return g
        low, high = self._bent_bounds
        return self._checked((g - low) / (high - low))

    def _checked(self, u: Array) -> Array:
        if np.any(u > 1 + ROUNDING) or np.any(u < -ROUNDING):
            raise ValueError(f"values must be from {self.low!r} to {self.high!r}: got one that is not")
        return u

    def inverse_transform(self, Xt: Any) -> Any:
        """The values that numbers stand for, inside the bounds."""
        g = _column(Xt)
        if self.transform_ == "normalize":
            low, high = self._bent_bounds
            g = low + self._checked(g) * (high - low)
        return self._straight(g)

    def _draw(self, n: int, rng: np.random.RandomState) -> Any:
        low, high = self._bent_bounds
        return self._straight(low + rng.uniform(size=n) * (high - low))


@explained(dtype=("type or str, default: float", "Of the values: float, or one of NumPy's such as 'float32'."))
class Real(Range):
    """Real numbers from low to high, both included."""

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
        if not _is_kind(dtype, np.floating):
            raise ValueError(f"dtype must be float or one of NumPy's, such as 'float32': got {dtype!r}")
        super().__init__(low, high, prior, base, transform, name, dtype)

    def typed(self, v: Any) -> Any:
        """Python's floats in a list, or an array of another type."""
        found = _column(v)
        return found.tolist() if self.dtype in (float, "float") else found.astype(self.dtype)[()]

    def __eq__(self, other: object) -> bool:
        return self._is_like(other) and (self.prior, self.transform_) == (other.prior, other.transform_)  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]


@explained(
    dtype=("type or str, default: numpy.int64", "Of the values; with the default, and with int, they are Python's.")
)
class Integer(Range):
    """Whole numbers from low to high, both included."""

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
        if not _is_kind(dtype, np.integer):
            raise ValueError(f"dtype must be int or one of NumPy's, such as 'int32': got {dtype!r}")
        if low != int(low) or high != int(high):
            raise ValueError(f"the bounds of an Integer must be whole numbers: got {low!r} and {high!r}")
        super().__init__(low, high, prior, base, transform, name, dtype)

    def typed(self, v: Any) -> Any:
        """Python's whole numbers in a list, or an array of another type."""
        found = np.round(_column(v)).astype(np.int64)
        return found.tolist() if self.dtype in (int, "int", np.int64, "int64") else found.astype(self.dtype)[()]

    def transform(self, X: Any) -> Array:
        """The numbers that stand for values, which are rounded to whole ones."""
        return super().transform(np.round(_column(X)))

    def _draw(self, n: int, rng: np.random.RandomState) -> Any:
        if self.prior == "log-uniform":
            return super()._draw(n, rng)
        return self.typed(rng.randint(int(self.low), int(self.high) + 1, size=n))

    def __eq__(self, other: object) -> bool:
        return self._is_like(other)

    __hash__ = None  # type: ignore[assignment]


@explained(
    categories=("iterable", "The categories, at least one."),
    prior=("sequence of float or None", "The probability of each in random points; None: they are equally likely."),
    transform=("str or None", '"onehot", "label", "normalize", "string" or "identity".'),
)
class Categorical(Dimension):
    """One of several categories, which may be strings, numbers or anything that can be told apart."""

    transforms = ("onehot", "label", "normalize", "string", "identity")

    def __init__(
        self,
        categories: Iterable[Any],
        prior: Sequence[float] | None = None,
        transform: str | None = None,
        name: str | None = None,
    ) -> None:
        self.categories = tuple(categories)
        if not self.categories:
            raise ValueError("a Categorical needs at least one category: got none")
        self.prior, self.name = prior, name
        m = len(self.categories)
        self.prior_ = np.full(m, 1.0 / m) if prior is None else _column(prior)
        if self.prior_.shape != (m,) or np.any(self.prior_ < 0) or not np.isclose(self.prior_.sum(), 1.0):
            raise ValueError(f"prior must be {m} probabilities with the sum 1, one for each category: got {prior!r}")
        self.set_transformer(transform)

    def __repr__(self) -> str:
        shown = ", ".join(elided(map(repr, self.categories), ends=3))
        prior = None if self.prior is None else f"[{', '.join(elided(map(str, self.prior), ends=3))}]"
        return f"Categorical(categories=({shown}), prior={prior})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Categorical) or self.categories != other.categories:
            return False
        return bool(np.allclose(self.prior_, other.prior_))

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, point: Any) -> bool:
        return point in self.categories

    def typed(self, v: Any) -> Any:
        """A category as it is."""
        return v

    def _draw(self, n: int, rng: np.random.RandomState) -> list[Any]:
        places = rng.choice(len(self.categories), size=n, p=self.prior_ / self.prior_.sum())
        return [self.categories[k] for k in places.tolist()]

    def rvs(self, n_samples: int | None = None, random_state: Any = None) -> Any:
        """Random categories, by their probabilities: a list of n_samples, or a single one for None."""
        return super().rvs(n_samples, random_state)

    def transform(self, X: Any) -> Any:
        """What stands for each of the categories in X."""
        if self.transform_ == "identity":
            return X
        if self.transform_ == "string":
            return [str(x) for x in X]
        m, places = len(self.categories), np.array([self._place(x) for x in X], dtype=np.intp)
        if self.transform_ == "label":
            return places
        if self.transform_ == "normalize":
            return places / max(m - 1, 1)
        return places[:, None] if self.transformed_size == 1 else np.eye(m, dtype=np.intp)[places]

    def inverse_transform(self, Xt: Any) -> Any:
        """The categories that are meant, a list: of a row of numbers the place of the largest."""
        if self.transform_ == "identity":
            return Xt
        if self.transform_ == "string":
            texts = [str(category) for category in self.categories]
            return [self.categories[texts.index(str(x))] for x in Xt]
        return [self.categories[k] for k in self._places(_column(Xt)).tolist()]

    def _places(self, Xt: Array) -> NDArray[np.intp]:
        if self.transformed_size > 1:
            return np.asarray(np.argmax(np.atleast_2d(Xt), axis=1))
        last = len(self.categories) - 1
        k = np.atleast_1d(Xt).reshape(-1) * (last if self.transform_ == "normalize" else 1)
        return np.clip(np.floor(k + 0.5), 0, last).astype(np.intp)

    def _place(self, category: Any) -> int:
        try:
            return self.categories.index(category)
        except ValueError:
            raise ValueError(f"{category!r} is none of the categories {short(self.categories)}") from None

    @property
    def transformed_size(self) -> int:
        """Columns of the transformed space: with "onehot" one for each category, unless there are two."""
        m = len(self.categories)
        return m if self.transform_ == "onehot" and m > 2 else 1

    @property
    def bounds(self) -> tuple[Any, ...]:
        """All categories."""
        return self.categories

    @property
    def transformed_bounds(self) -> Any:
        """From 0 to 1, for each column where there are several."""
        return (0.0, 1.0) if self.transformed_size == 1 else [(0.0, 1.0)] * self.transformed_size


def _column(X: Any) -> Array:
    """Numbers as a float array, (n,) or () for a single one."""
    return np.asarray(X, dtype=np.float64)


def _is_kind(dtype: Any, kind: type) -> bool:
    try:
        return bool(np.issubdtype(np.dtype(dtype), kind))
    except TypeError:
        return False


def elided(texts: Iterable[str], ends: int) -> list[str]:
    """The texts, without the middle where there are many."""
    listed = list(texts)
    return listed if len(listed) <= 2 * ends + 1 else [*listed[:ends], "...", *listed[-ends:]]


def check_dimension(dimension: Any, transform: str | None = None) -> Dimension:
    """The dimension that is meant, by scikit-optimize's rules.

    Real, Integer, Categorical              itself
    (1, 9), [1, 9]                          Integer, since both bounds are whole numbers
    (0.0, 1.0), (0, 1.0)                    Real
    (1e-5, 1.0, "log-uniform")              Real or Integer with this prior, and (…, "log-uniform", 2) with this base
    ["a", "b"], (1, 2, 3), [True, False]    Categorical: anything else in a list, tuple or array
    """
    if isinstance(dimension, Dimension):
        return dimension
    if not isinstance(dimension, list | tuple | np.ndarray) or not len(dimension):
        raise ValueError(
            f"a dimension is Real, Integer, Categorical, a pair (low, high), a triple (low, high, prior) or a list of "
            f"categories: got {short(dimension)}"
        )
    pair = len(dimension) == 2 and not any(isinstance(one, str | bool | np.bool_) for one in dimension)
    if pair and not all(isinstance(bound, numbers.Real) for bound in dimension):
        raise ValueError(f"the bounds of a dimension are numbers: got {short(dimension)}")
    if not pair and not _is_range(tuple(dimension)):
        return Categorical(dimension, transform=transform)
    low, high = dimension[:2]
    prior = dimension[2] if len(dimension) > 2 else "uniform"
    base = dimension[3] if len(dimension) > 3 else 10
    if isinstance(low, numbers.Integral) and isinstance(high, numbers.Integral):
        return Integer(int(low), int(high), prior, base, transform)
    return Real(float(low), float(high), prior, base, transform)


def _is_range(given: tuple[Any, ...]) -> bool:
    """Two numbers and a prior, and perhaps the base of the logarithm."""
    if len(given) not in (3, 4) or not all(isinstance(bound, numbers.Real) for bound in given[:2]):
        return False
    if len(given) == 4:
        return given[2] == "log-uniform" and isinstance(given[3], int)
    return isinstance(given[2], str) and given[2] in PRIORS
