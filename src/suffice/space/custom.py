"""Custom spaces: anything from which you can draw a random point, change a point a little, and encode it by numbers.

point   whatever the objective takes: a permutation, a string, a graph       row   (d,)   its numbers, in [0, 1]

A model compares rows, by a kernel of the library or a custom one, and a solver goes from point to point by `neighbour`.
Nothing else has to be known about the space.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from suffice.checks import short
from suffice.space.domain import Mask, OwnPoints, same_rows
from suffice.types import Array, Coordinate

STEPS = (1, 1, 1, 2, 1, 1, 1, 4)  # from neighbour to neighbour, in turn: most of what is near is next to it
LOOKED = 8  # points by which the methods are judged
PATIENCE = 20  # steps that may lead back to where they began


class CustomSpace(OwnPoints):
    """Base class of custom spaces: permutations, strings, graphs, programs.

    A subclass has the methods draw, neighbour, encode and decode. Points with the same numbers are the same point. Make
    it a frozen dataclass, because a study identifies it by its repr. docs/howto/own-space.md has examples,
    `suffice.testing.OwnSpaceContract` tests the four methods.
    """

    @abstractmethod
    def draw(self, rng: Generator) -> Any:
        """Draw a random point.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the randomness comes from.

        Returns
        -------
        object
            A point, as the objective takes it.
        """

    @abstractmethod
    def neighbour(self, point: Any, rng: Generator) -> Any:
        """Return a point that differs slightly from this one; enough such steps must reach every point.

        Parameters
        ----------
        point : object
            The point to start from; it must not be changed.
        rng : numpy.random.Generator
            Where the randomness comes from.

        Returns
        -------
        object
            Another point.
        """

    @abstractmethod
    def encode(self, point: Any) -> ArrayLike:
        """Encode a point as numbers in [0, 1], equally many for every point; ValueError for anything else.

        Parameters
        ----------
        point : object
            A point.

        Returns
        -------
        array_like
            Its numbers, (d,).
        """

    @abstractmethod
    def decode(self, row: Array) -> Any:
        """Decode any numbers in [0, 1] to a point; the code of a point must give that point.

        Parameters
        ----------
        row : ndarray
            The numbers, (d,).

        Returns
        -------
        object
            A point.
        """

    def parts(self) -> Mapping[str, int]:
        """The named parts of the code, in order, with their sizes: every part has its own length-scale.

        Override it if some numbers may matter more than others; by default there is one part.

        Returns
        -------
        dict
            The name of each part, and how many numbers it has.
        """
        return {type(self).__name__.lower(): self.dim}

    # ------------------------------------------------------------------ the border

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    @property
    def named(self) -> bool:
        return False

    def to_unit(self, point: Any) -> Array:
        """The numbers of a point, (d,), checked."""
        row = self._row(point)
        again = self._row(self.decode(row.copy()))
        if not np.array_equal(row, again):
            raise ValueError(
                f"{type(self).__name__}: decode does not undo encode: {short(point)} has the numbers {short(row)}, "
                f"which decode to a point with {short(again)}"
            )
        return row

    def from_unit(self, x: Array) -> Any:
        """The point at x, (d,)."""
        x = np.asarray(x, dtype=np.float64)
        if x.shape != (self.dim,) or not np.all((x >= 0.0) & (x <= 1.0)):
            raise ValueError(f"x must be {self.dim} numbers in [0, 1]: got {short(x)}")
        return self.decode(x.copy())

    def to_plain(self, point: Any) -> Any:
        """What a file shows of a point: the point itself if it is plain, else its numbers."""
        shown = tuple(point.tolist()) if isinstance(point, np.ndarray) and point.ndim == 1 else point
        shown = tuple(shown) if isinstance(shown, list) else shown
        items = shown if isinstance(shown, tuple) else (shown,)
        plain = all(type(item) in (str, int, float, bool, type(None)) for item in items)
        return shown if plain else {"row": tuple(self.to_unit(point).tolist())}

    def from_plain(self, plain: Any) -> Any:
        """The point again."""
        row = np.array(plain["row"]) if isinstance(plain, Mapping) and set(plain) == {"row"} else self.to_unit(plain)
        return self.from_unit(row)

    def _row(self, point: Any) -> Array:
        row: Array = self._checked([self.encode(point)])[0]
        return row

    def _checked(self, codes: list[Any]) -> Array:
        """What `encode` returned for some points, as rows, (m, d)."""
        try:
            rows = np.array(codes, dtype=np.float64) + 0.0  # −0.0 is 0.0: a point has one place
        except ValueError:
            raise ValueError(f"{type(self).__name__}.encode must return as many numbers for every point") from None
        if rows.ndim != 2 or (rows.size and not (rows.min() >= 0.0 and rows.max() <= 1.0)):
            raise ValueError(f"{type(self).__name__}.encode must return numbers in [0, 1]: got {short(codes[0])}")
        return rows

    # ------------------------------------------------------------------ the domain

    @cached_property
    def dim(self) -> int:
        """How many numbers a point has; the first few points are looked at, so that an error shows before a run."""
        rng = np.random.default_rng(0)
        return {len(self.to_unit(self.draw(rng))) for _ in range(LOOKED)}.pop()

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """One for each part."""
        parts = self.parts()
        stops = np.cumsum(list(parts.values())).tolist()
        if min(parts.values(), default=0) < 1 or stops[-1] != self.dim:
            raise ValueError(
                f"{type(self).__name__}: a point has {self.dim} numbers, but parts() returns {dict(parts)}"
            )
        widths = zip(parts.items(), stops, strict=True)
        return tuple(Coordinate(name, "float", stop - width, stop, False) for (name, width), stop in widths)

    @property
    def size(self) -> float:
        """Not known, and taken to be more than can be listed."""
        return math.inf

    def sample(self, n: int, rng: Generator) -> Array:
        """n draws, (n, d)."""
        return self._rows([self.draw(rng) for _ in range(n)])

    def place(self, U: Array) -> Array:
        """A draw for each row of U, (n, d), which is the stream of it."""
        streams = (np.random.default_rng(u.view(np.uint64).tolist()) for u in np.ascontiguousarray(U, dtype=float))
        return self._rows([self.draw(rng) for rng in streams])

    def snap(self, X: Array) -> Array:
        """The points that these numbers are decoded to, (m, d)."""
        inside = np.clip(np.nan_to_num(X, nan=0.5), 0.0, 1.0)
        return self._rows([self.decode(x) for x in inside])

    def contains(self, X: Array) -> Mask:
        return same_rows(self.snap(X), X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:  # noqa: ARG002
        """Points a few steps from x, (n, d): what is near is what a neighbour is, and needs no scales."""
        here = self.decode(x.copy())
        codes = [self._wandered(here, x, STEPS[i % len(STEPS)], rng) for i in range(n)]
        return self._checked(codes) if n else np.empty((0, self.dim))

    def _wandered(self, here: Any, x: Array, steps: int, rng: Generator) -> Any:
        """The code of a point that is so many steps away, and is not x, (d,), again."""
        point, code = here, None
        for taken in range(1, steps + PATIENCE):
            point = self.neighbour(point, rng)
            if taken >= steps:
                code = self.encode(point)
                if (np.asarray(code) != x).any():
                    break
        return code

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:  # noqa: ARG002
        raise ValueError(f"the points of {type(self).__name__} cannot be listed; sample it instead")

    def _rows(self, points: list[Any]) -> Array:
        return self._checked([self.encode(point) for point in points]) if points else np.empty((0, self.dim))
