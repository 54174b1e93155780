"""A space that a file could only describe: a large pool, or a custom space.

Its trials are known, with their places in the cube, and so is what a model needs to be fitted to them. It proposes no
point until you give the space again.
"""

import re
from dataclasses import dataclass
from typing import Any, NoReturn, cast, get_args

import numpy as np

from suffice.errors import SpaceAbsent
from suffice.space.domain import OwnPoints, SearchSpace
from suffice.space.pool import Pool
from suffice.types import Coordinate, Kind

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in the repr of an object that has none of its own: another one each time


@dataclass(frozen=True)
class AbsentSpace(OwnPoints):
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
        digest = space.digest if isinstance(space, Pool) else ""
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
        return tuple(Coordinate(name, cast(Kind, kind), i, j, smooth) for name, kind, i, j, smooth in self.columns)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return (
            f"the space of this study is known only by its description: {self.text}; pass it again: "
            "sf.Optimizer.resume(path, space=…). Until then you can record values, but not ask for points"
        )

    def _missing(self, *_: Any, **__: Any) -> NoReturn:
        raise SpaceAbsent(self.advice)

    to_unit = from_unit = sample = place = snap = contains = near = enumerate = _missing

    def to_plain(self, point: Any) -> Any:
        """Points are as the file has them."""
        return tuple(point.tolist()) if isinstance(point, np.ndarray) else point

    def from_plain(self, plain: Any) -> Any:
        """The point as far as the file has it."""
        is_row = isinstance(plain, tuple) and all(isinstance(value, int | float) for value in plain)
        return np.array(plain) if is_row else plain
