"""The search space of a program, whose points are lists, and the border to a study, whose points have names."""

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import suffice.space as native
from suffice.compat.skopt.dimensions import (
    Categorical,
    Dimension,
    Integer,
    Real,
    as_random_state,
    check_dimension,
    elided,
)
from suffice.integrations.sklearn.space import as_parameter
from suffice.types import Array

__all__ = ["Categorical", "Dimension", "Integer", "Real", "Space", "check_dimension"]

ROUNDS = 10_000  # of random points before a constraint is held to have none


class Space:
    """Dimensions in a row: points are lists of one value for each.

    Parameters
    ----------
    dimensions : iterable
        Real, Integer, Categorical, or what stands for one of them: a pair is a range, a list has options. Or another
        Space.
    constraint : callable or None, default: None
        A function of a point that says whether it may be evaluated; None: all may.
    """

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
        given = {"prior": priors or {}, "base": bases or {}, "transform": transforms or {}}
        dimensions: list[Dimension] = []
        for name in df.columns:
            series = df[name]
            words: dict[str, Any] = {word: of[name] for word, of in given.items() if name in of}
            if series.dtype.kind == "f":
                dimensions.append(Real(float(series.min()), float(series.max()), name=str(name), **words))
            elif series.dtype.kind in "iu":
                dimensions.append(Integer(int(series.min()), int(series.max()), name=str(name), **words))
            else:
                dimensions.append(Categorical(series.unique().tolist(), name=str(name), **words))
        return cls(dimensions)

    @classmethod
    def from_yaml(cls, yml_path: Any, namespace: str | None = None) -> "Space":
        """Not here: read the file with a YAML package, and make the dimensions of what is in it."""
        raise NotImplementedError(
            f"spaces are not read from YAML files here, which would take one more package: got {yml_path!r}; read it "
            f"with yaml.safe_load, and write Space([Real(...), Integer(...)]) (namespace={namespace!r})"
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
            columns = [dimension.rvs(n_samples, rng) for dimension in self.dimensions]
            drawn = [list(row) for row in zip(*columns, strict=True)]
            points += drawn if self.constraint is None else [row for row in drawn if self.constraint(row)]
            if len(points) >= n_samples:
                return points[:n_samples]
        raise RuntimeError(
            f"{n_samples} points that satisfy the constraint were wanted, and {ROUNDS * n_samples} random ones had "
            f"{len(points)}: is it too narrow, or always False?"
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


@dataclass(frozen=True, eq=False)
class Border:
    """Points on both sides: lists in the order of the dimensions, and a study's dicts by their names."""

    inside: native.Space
    dimensions: tuple[Dimension, ...]

    @classmethod
    def of(cls, space: Space) -> "Border":
        """The border of a space; dimensions that share a name are told apart by their places."""
        names, dimensions = space.dimension_names, tuple(space.dimensions)
        distinct = [f"{name}[{j}]" if names.count(name) > 1 else name for j, name in enumerate(names)]
        parameters = dict(zip(distinct, map(as_parameter, dimensions), strict=True))
        where = None if space.constraint is None else Where(space.constraint, dimensions)
        return cls(native.Space(parameters, where=where), dimensions)

    def inward(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the study: an Integer takes the nearest whole number, as the models of scikit-optimize do."""
        values = (
            round(value) if isinstance(dimension, Integer) else value
            for value, dimension in zip(point, self.dimensions, strict=True)
        )
        return dict(zip(self.inside.names, values, strict=True))

    def outward(self, point: dict[str, Any]) -> list[Any]:
        """A point of the program."""
        return _typed(point, self.dimensions)


@dataclass(frozen=True)
class Where:
    """A constraint of the program, as a function of points of the study."""

    constraint: Callable[[Any], Any]
    dimensions: tuple[Dimension, ...]

    def __call__(self, point: dict[str, Any]) -> bool:
        return bool(self.constraint(_typed(point, self.dimensions)))


def _typed(point: dict[str, Any], dimensions: Sequence[Dimension]) -> list[Any]:
    """The values in the types of their dimensions."""
    return [dimension.typed(value) for value, dimension in zip(point.values(), dimensions, strict=True)]
