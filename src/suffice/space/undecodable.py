"""A space that a file could only describe: a large pool, or a space of the user's own.

Its trials are known, with their places in the cube, and so is what a model needs to be fitted to them. What it takes to
propose a point is not there, until the space is given again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.errors import SpaceAbsent
from suffice.space.parameters import Parameter
from suffice.space.rows import Border
from suffice.space.space import SearchSpace
from suffice.types import Array, Coordinate, Kind

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in the repr of an object that has none of its own: another one each time


@dataclass(frozen=True)
class AbsentSpace(Border):
    """What is known of a space that is not there."""

    text: str  # its repr
    digest: str  # what tells it from another one; "" if nothing does
    names: tuple[str, ...]
    named: bool
    size: float
    columns: tuple[tuple[str, str, int, int, bool], ...]  # of each coordinate: name, kind, start, stop, smooth

    @classmethod
    def of(cls, space: SearchSpace) -> "AbsentSpace":
        """The description of a space."""
        if isinstance(space, AbsentSpace):
            return space
        columns = tuple((c.name, c.kind, c.start, c.stop, c.smooth) for c in space.coordinates)
        digest = getattr(space, "digest", "")
        return cls(ADDRESS.sub("", repr(space)), digest, space.names, space.named, float(space.size), columns)

    def __post_init__(self) -> None:
        for _, kind, start, stop, _ in self.columns:
            if kind not in get_args(Kind) or not start < stop:
                raise ValueError(f"{self.columns!r} are no columns of a space")

    @property
    def dim(self) -> int:
        return max((stop for *_, stop, _ in self.columns), default=0)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(name, _kind(kind), i, j, smooth) for name, kind, i, j, smooth in self.columns)

    @property
    def product(self) -> bool:
        return False

    @property
    def params(self) -> Mapping[str, Parameter]:
        return MappingProxyType({})

    @property
    def advice(self) -> str:
        """What to do about it."""
        return (
            f"the space of this study is known by its description only: {self.text}; give it again: "
            "sf.Optimizer.resume(path, space=…). Until then values can be told to trials, and no point can be asked for"
        )

    def _missing(self) -> NoReturn:
        raise SpaceAbsent(self.advice)

    def to_unit(self, point: Any) -> Array:  # noqa: ARG002
        self._missing()

    def from_unit(self, x: Array) -> Any:  # noqa: ARG002
        self._missing()

    def to_plain(self, point: Any) -> Any:
        """Points are as the file has them."""
        return tuple(point.tolist()) if isinstance(point, np.ndarray) else point

    def from_plain(self, plain: Any) -> Any:
        """The point as far as the file has it."""
        is_row = isinstance(plain, tuple) and all(isinstance(value, int | float) for value in plain)
        return np.array(plain) if is_row else plain

    def sample(self, n: int, rng: Generator) -> Array:  # noqa: ARG002
        self._missing()

    def place(self, U: Array) -> Array:  # noqa: ARG002
        self._missing()

    def snap(self, X: Array) -> Array:  # noqa: ARG002
        self._missing()

    def contains(self, X: Array) -> "NDArray[Any]":  # noqa: ARG002
        self._missing()

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:  # noqa: ARG002
        self._missing()

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:  # noqa: ARG002
        self._missing()


def _kind(word: str) -> Kind:
    found: Kind = next(kind for kind in get_args(Kind) if kind == word)
    return found
