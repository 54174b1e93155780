"""The search space of a program: Real, Integer and Categorical in a row.

v   a value                        m   number of categories
b   the base of the logarithm      k   the place of a category, from 0
g   g(v) = v, or log v / log b with the prior "log-uniform"

A transform turns values into the numbers that a model gets. Of ranges it is g(v) with "identity", and
(g(v) − g(low)) / (g(high) − g(low)) with "normalize". Of categories it is a row of m numbers with a 1 at place k
("onehot"; a single 0 or 1 where m = 2), k itself ("label"), k/(m − 1) ("normalize"), the category as a string
("string"), or the category itself ("identity").
"""

import copy
import itertools
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.checks import ROUNDING, short
from suffice.compat.skopt.arguments import as_random_state, explained, one_of
from suffice.integrations.sklearn.space import PRIORS
from suffice.types import Array

__all__ = ["Categorical", "Dimension", "Integer", "Real", "Space", "check_dimension"]

ROUNDS = 10_000  # of random points before a constraint is held to have none


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
    def _draw(self, n: int, rng: np.random.RandomState) -> Any: ...

    @abstractmethod
    def transform(self, X: Any) -> Any:
        """The numbers that stand for values."""

    @abstractmethod
    def inverse_transform(self, Xt: Any) -> Any:
        """The values that numbers stand for."""

    @abstractmethod
    def typed(self, v: Any) -> Any:
        """A value, or an array of them, in the type of the dimension: Python's own, unless another was wished for."""

    def inward(self, v: Any) -> Any:
        """A value as a study takes it."""
        return v

    @abstractmethod
    def __contains__(self, point: Any) -> bool:
        """Whether a value is one of the dimension."""

    bounds: tuple[Any, ...]  # the lowest and the highest value, or all categories

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
        self.low, self.high, self.prior, self.base, self.log_base = low, high, prior, base, np.log10(base)
        self.name, self.dtype, self.bounds = name, dtype, (low, high)
        self.set_transformer(transform)

    def __repr__(self) -> str:
        word = type(self).__name__
        return f"{word}(low={self.low}, high={self.high}, prior={self.prior!r}, transform={self.transform_!r})"

    def __contains__(self, point: Any) -> bool:
        if isinstance(point, list):  # as `rvs` returns it
            return bool(point) and all(one in self for one in point)
        return isinstance(point, numbers.Real | np.ndarray) and bool(np.all((self.low <= point) & (point <= self.high)))

    def __eq__(self, other: object) -> bool:
        """Whether the other one is of the same kind, with the same bounds."""
        if not isinstance(other, Range) or type(self) is not type(other):
            return False
        return bool(np.allclose([self.low, self.high], [other.low, other.high]))

    __hash__ = None  # type: ignore[assignment]

    @property
    def transformed_bounds(self) -> tuple[Any, Any]:
        """The numbers that stand for the bounds."""
        return (0.0, 1.0) if self.transform_ == "normalize" else self._bent_bounds

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
            raise ValueError(f"values must be from {self.low!r} to {self.high!r}: got one outside")
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
        same = isinstance(other, Real) and (self.prior, self.transform_) == (other.prior, other.transform_)
        return same and super().__eq__(other)

    __hash__ = None


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

    def inward(self, v: Any) -> Any:
        """The nearest whole number, as the models of scikit-optimize have it."""
        return round(v)

    def transform(self, X: Any) -> Array:
        """The numbers that stand for values, which are rounded to whole ones."""
        return super().transform(np.round(_column(X)))

    def _draw(self, n: int, rng: np.random.RandomState) -> Any:
        if self.prior == "log-uniform":
            return super()._draw(n, rng)
        return self.typed(rng.randint(int(self.low), int(self.high) + 1, size=n))


@explained(
    categories="The categories, at least one.",
    prior=("sequence of float or None", "The probability of each in random points; None makes them equally likely."),
    transform='"onehot", "label", "normalize", "string" or "identity".',
)
class Categorical(Dimension):
    """One of several categories, which may be strings, numbers or any distinguishable objects."""

    transforms = ("onehot", "label", "normalize", "string", "identity")

    def __init__(
        self,
        categories: Iterable[Any],
        prior: Sequence[float] | None = None,
        transform: str | None = None,
        name: str | None = None,
    ) -> None:
        self.categories = self.bounds = tuple(categories)
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
        """Random categories, by their probabilities: a list of n_samples, or a single one for None.

        With "normalize" it is an array, also of a single one, as in scikit-optimize.
        """
        if self.transform_ == "normalize":
            return np.array(super().rvs(1 if n_samples is None else n_samples, random_state))
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
            raise ValueError(f"{category!r} is not one of the categories {short(self.categories)}") from None

    @property
    def transformed_size(self) -> int:
        """Columns of the transformed space: with "onehot" one for each category, unless there are two."""
        m = len(self.categories)
        return m if self.transform_ == "onehot" and m > 2 else 1

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


@explained(
    dimensions="Real, Integer, Categorical, or an abbreviation: a pair is a range, a list has options. Or another "
    "Space.",
    constraint="A function of a point that returns whether it is allowed; None allows all.",
)
class Space:
    """Dimensions in a row: points are lists of one value for each."""

    def __init__(self, dimensions: Iterable[Any], constraint: Callable[[Any], Any] | None = None) -> None:
        if constraint is None and isinstance(dimensions, Space):
            constraint = dimensions.constraint
        if not (constraint is None or callable(constraint)):
            raise ValueError(f"constraint must be a function of a point, or None: got {constraint!r}")
        self.dimensions: list[Dimension] = [check_dimension(given) for given in dimensions]
        self.constraint: Callable[[Any], Any] | None = constraint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.dimensions == other.dimensions

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        listed = ",\n       ".join(elided(map(repr, self.dimensions), ends=15))
        return f"Space([{listed}])"

    def __iter__(self) -> Iterator[Dimension]:
        return iter(self.dimensions)

    def __contains__(self, point: Any) -> bool:
        inside = all(value in dimension for value, dimension in zip(point, self.dimensions, strict=False))
        return inside and (self.constraint is None or bool(self.constraint(point)))

    def __getitem__(self, names: str | int | Sequence[str | int]) -> Any:
        """The place and the dimension of a name or number, (None, None) if there is none; a list of them for a list."""
        if isinstance(names, str | int):
            for place, dimension in enumerate(self.dimensions):
                if names in (dimension.name, place):
                    return place, dimension
            return None, None
        if isinstance(names, list | tuple):
            return [self[name] for name in names]
        raise ValueError(f"a dimension is looked up by its name, or several by a list of names: got {names!r}")

    @classmethod
    def from_df(
        cls,
        df: Any,
        priors: Mapping[str, str] | None = None,
        bases: Mapping[str, float] | None = None,
        transforms: Mapping[str, str] | None = None,
    ) -> "Space":
        """The space that a data frame spans: its numbers from the least to the largest, and its categories."""
        given: dict[str, Any] = {"prior": priors or {}, "base": bases or {}, "transform": transforms or {}}
        dimensions: list[Dimension] = []
        for name in df.columns:
            series, words = df[name], {word: of[name] for word, of in given.items() if name in of}
            kind: Any = {"f": Real, "i": Integer, "u": Integer}.get(series.dtype.kind, Categorical)
            values = [series.unique()] if kind is Categorical else [series.min(), series.max()]
            dimensions.append(kind(*(value.tolist() for value in values), name=str(name), **words))
        return cls(dimensions)

    @classmethod
    def from_yaml(cls, yml_path: Any, namespace: str | None = None) -> "Space":
        """Not here: read the file with a YAML package, and make the dimensions of what is in it."""
        raise NotImplementedError(
            f"reading spaces from YAML files is not supported, because it needs another package: got {yml_path!r}; "
            f"read it with yaml.safe_load, and write Space([Real(...), Integer(...)]) (namespace={namespace!r})"
        )

    def normalized(self) -> "Space":
        """A copy whose transform is what a model gets: ranges from 0 to 1, categories as columns of zeros and ones."""
        dimensions = [copy.copy(dimension) for dimension in self.dimensions]
        for dimension in dimensions:
            dimension.set_transformer("onehot" if isinstance(dimension, Categorical) else "normalize")
        return Space(dimensions, self.constraint)

    def rvs(self, n_samples: int = 1, random_state: Any = None) -> list[list[Any]]:
        """Random points, by the priors of the dimensions, that satisfy the constraint."""
        rng = as_random_state(random_state)
        points: list[list[Any]] = []
        for _ in range(ROUNDS):
            columns = [dimension._draw(n_samples, rng) for dimension in self.dimensions]
            drawn = [list(row) for row in zip(*columns, strict=True)]
            points += drawn if self.constraint is None else [row for row in drawn if self.constraint(row)]
            if len(points) >= n_samples:
                return points[:n_samples]
        raise RuntimeError(
            f"{n_samples} points that satisfy the constraint are required, but {ROUNDS * n_samples} random points "
            f"contained {len(points)}: is it too narrow, or always False?"
        )

    def transform(self, X: Any) -> Array:
        """The numbers of points, (n, transformed_n_dims)."""
        columns = zip(*X, strict=True)
        parts = (dimension.transform(column) for dimension, column in zip(self.dimensions, columns, strict=True))
        return np.hstack([np.asarray(part).reshape(len(X), -1) for part in parts])

    def inverse_transform(self, Xt: Any) -> list[list[Any]]:
        """The points at rows of numbers, (n, transformed_n_dims)."""
        Xt = np.asarray(Xt)
        ends = list(itertools.accumulate((dimension.transformed_size for dimension in self.dimensions), initial=0))
        columns = []
        for dimension, start, end in zip(self.dimensions, ends, ends[1:], strict=False):
            part = Xt[:, start] if end == start + 1 else Xt[:, start:end]
            columns.append(dimension.inverse_transform(part))
        return [list(row) for row in zip(*columns, strict=True)]

    def distance(self, point_a: Sequence[Any], point_b: Sequence[Any]) -> float:
        """The sum of the distances in each dimension."""
        pairs = zip(point_a, point_b, self.dimensions, strict=False)
        return sum((dimension.distance(a, b) for a, b, dimension in pairs), start=0.0)

    def set_transformer(self, transform: str | list[str]) -> None:
        """The transform of all dimensions, or of each of them."""
        words = transform if isinstance(transform, list) else [transform] * self.n_dims
        for dimension, word in zip(self.dimensions, words, strict=True):
            dimension.set_transformer(word)

    def set_transformer_by_type(self, transform: str, dim_type: type) -> None:
        """The transform of the dimensions of one kind."""
        for dimension in self.dimensions:
            if isinstance(dimension, dim_type):
                dimension.set_transformer(transform)

    def get_transformer(self) -> list[str]:
        """The transform of each dimension."""
        return [dimension.transform_ for dimension in self.dimensions]

    @property
    def dimension_names(self) -> list[str]:
        """The names of the dimensions, X_0, X_1, … for those without one."""
        return [f"X_{j}" if d.name is None else d.name for j, d in enumerate(self.dimensions)]

    @dimension_names.setter
    def dimension_names(self, names: Sequence[str]) -> None:
        if len(names) != self.n_dims:
            raise ValueError(f"the space has {self.n_dims} dimensions: got {len(names)} names")
        for dimension, name in zip(self.dimensions, names, strict=True):
            dimension.name = name

    @property
    def n_dims(self) -> int:
        """Number of dimensions."""
        return len(self.dimensions)

    @property
    def transformed_n_dims(self) -> int:
        """Number of columns of the transformed space."""
        return sum(dimension.transformed_size for dimension in self.dimensions)

    @property
    def bounds(self) -> list[tuple[Any, ...]]:
        """The bounds of each dimension, or its categories."""
        return [dimension.bounds for dimension in self.dimensions]

    @property
    def transformed_bounds(self) -> list[tuple[float, float]]:
        """The bounds of each column of the transformed space."""
        found: list[tuple[float, float]] = []
        for dimension in self.dimensions:
            found += dimension.transformed_bounds if dimension.transformed_size > 1 else [dimension.transformed_bounds]
        return found

    @property
    def is_real(self) -> bool:
        """Whether all dimensions are Real."""
        return all(isinstance(dimension, Real) for dimension in self.dimensions)

    @property
    def is_categorical(self) -> bool:
        """Whether all dimensions are Categorical."""
        return all(isinstance(dimension, Categorical) for dimension in self.dimensions)

    @property
    def is_partly_categorical(self) -> bool:
        """Whether any dimension is Categorical."""
        return any(isinstance(dimension, Categorical) for dimension in self.dimensions)

    @property
    def n_constant_dimensions(self) -> int:
        """How many dimensions have only one value."""
        return sum(dimension.is_constant for dimension in self.dimensions)
