"""Acquisition functions of other libraries as scores on the unit cube of a space, checked before the search.

X      (m, d)  rows of the unit cube           V  (m, w)  the same points in the units of the acquisition
h      float   half the step of a finite difference, in units of the cube
u±     (m, d)  X moved by h along one column, and kept inside the cube

For a function without a gradient, the gradient is (α(u+) − α(u−)) / (u+ − u−), with one call for a whole batch.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from suffice.space import Float, SearchSpace, Space
from suffice.streams import Streams
from suffice.types import Array, Score, derived, smooth_columns

# Half the step of a finite difference: the cube root of the resolution balances rounding and curvature.
H, H_SINGLE = float(np.finfo(np.float64).eps) ** (1 / 3), float(np.finfo(np.float32).eps) ** (1 / 3)
LOOKED = 16  # points at which an acquisition is called twice, and alone, before the search
SAME, SAME_SINGLE = 1e-6, 1e-3  # of the size of the values: a larger difference between two calls is an error
CHUNK = 1000  # rows of a call: an acquisition may need a matrix of the observations for each row


@dataclass(frozen=True)
class Units:
    """Converts rows of the unit cube to the arguments of an acquisition: rows of numbers, or points of a space."""

    space: SearchSpace

    @cached_property
    def numbers(self) -> bool:
        """Whether the acquisition takes an array, so that points are lists of numbers."""
        space = self.space
        return isinstance(space, Space) and not space.named and all(map(_has_numbers, space.parameters))

    @cached_property
    def columns(self) -> tuple[tuple[int, Any, slice], ...]:
        """For each parameter: its place in a point, the parameter, and its columns of the cube; constants have none."""
        if not isinstance(self.space, Space):
            return ()
        stops = np.cumsum([parameter.width for parameter in self.space.parameters]).tolist()
        parts = enumerate(zip(self.space.parameters, stops, strict=True))
        return tuple((j, parameter, slice(stop - parameter.width, stop)) for j, (parameter, stop) in parts)

    @cached_property
    def sloped(self) -> bool:
        """Whether gradients in the units of the acquisition can be converted to gradients in the cube."""
        smooth = (parameter for _, parameter, _ in self.columns if parameter.smooth)
        return self.numbers and all(isinstance(parameter, Float) for parameter in smooth)

    def __call__(self, X: Array) -> Any:
        if not isinstance(self.space, Space):
            return [self.space.from_unit(x) for x in X]
        if not self.numbers:
            return self.space.points(X)
        return np.array([parameter.values(X[:, c]) for _, parameter, c in self.columns], dtype=np.float64).T

    def in_cube(self, V: Array, gradients: Array) -> Array:
        """Gradients in the columns of the cube, (m, d), from those in the units of the acquisition, (m, w)."""
        found = np.zeros((len(V), self.space.dim))
        for j, parameter, c in self.columns:
            if parameter.smooth:
                low, high = parameter.low, parameter.high
                slope = V[:, [j]] * np.log(high / low) if parameter.log else high - low
                found[:, c] = gradients[:, [j]] * slope
        return found


def _has_numbers(parameter: Any) -> bool:
    options = getattr(parameter, "options", ())
    return all(isinstance(option, int | float | np.number) and not isinstance(option, bool) for option in options)


@dataclass(frozen=True, eq=False)
class Foreign(Score):
    """An acquisition function of another library, or of the user's, on the unit cube of a space.

    with_grads    values, (m,), and gradients, (m, w), in its own units; None: there are none
    """

    function: Callable[[Any], Any]
    units: Units
    with_grads: Callable[[Array], tuple[Array, Array]] | None = None
    logarithmic: bool = field(default=False)
    single: bool = False  # its values are in single precision
    positive: bool = False  # no value seen was negative
    widths: Array | None = field(default=None, repr=False)  # (d,): distances over which it changes about equally much
    chunk: int = CHUNK  # rows of a call
    smooth = True
    scales = derived(lambda self: self.widths)

    @property
    def by_differences(self) -> bool:
        """Whether gradients are differences of values."""
        return self.with_grads is None or not self.units.sloped

    def shift(self, n: int) -> float | None:  # noqa: ARG002
        return 0.0 if self.positive else None

    def __call__(self, X: Array) -> Array:
        parts = [self._values(X[i : i + self.chunk]) for i in range(0, len(X), self.chunk)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _values(self, X: Array) -> Array:
        return checked(real(called(self.function, self.units(X))), (len(X),), "one value for each row")

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        if self.by_differences:
            return self(X), self._differences(X)
        parts = [self._both(X[i : i + self.chunk]) for i in range(0, len(X), self.chunk)]
        return np.concatenate([v for v, _ in parts]), np.concatenate([g for _, g in parts])

    def _both(self, X: Array) -> tuple[Array, Array]:
        assert self.with_grads is not None
        V = self.units(X)
        values, gradients = called(self.with_grads, V)
        values = checked(real(values), (len(X),), "one value for each row")
        gradients = checked(real(gradients), V.shape, "a gradient for each row")
        return values, self.units.in_cube(V, gradients)

    def _differences(self, X: Array) -> Array:
        columns = np.flatnonzero(smooth_columns(self.units.space))
        h, gradients = H_SINGLE if self.single else H, np.zeros_like(X)
        ends = np.repeat(X[None], 2 * len(columns), axis=0)
        for k, j in enumerate(columns.tolist()):
            ends[2 * k, :, j], ends[2 * k + 1, :, j] = np.minimum(X[:, j] + h, 1.0), np.maximum(X[:, j] - h, 0.0)
        values = self(ends.reshape(-1, X.shape[1])).reshape(len(ends), len(X))
        for k, j in enumerate(columns.tolist()):
            with np.errstate(invalid="ignore"):  # inf − inf: a run stops here
                rise = values[2 * k] - values[2 * k + 1]
            gradients[:, j] = rise / (ends[2 * k, :, j] - ends[2 * k + 1, :, j])
        return gradients


def called(function: Callable[[Any], Any], given: Any) -> Any:
    """The return value of a foreign function; its errors become ValueErrors with the shape of the argument."""
    try:
        return function(given)
    except Exception as error:
        shape = f"rows of shape {given.shape}" if isinstance(given, np.ndarray) else f"a list of {len(given)} points"
        raise ValueError(
            f"the acquisition raised {type(error).__name__} when it was called with {shape}: {error}; it must take "
            "many rows at once and return one value for each"
        ) from error


def real(found: Any) -> Array:
    """The return value of a foreign function in float64; TypeError for complex numbers."""
    if np.iscomplexobj(found):
        raise TypeError(
            "the acquisition and its gradient must return real numbers: got complex ones; if their imaginary parts are "
            "rounding errors, return values.real"
        )
    return np.asarray(found, dtype=np.float64)


def checked(found: Array, shape: tuple[int, ...], what: str) -> Array:
    """An array of this shape, or an error."""
    if found.shape != shape:
        raise ValueError(
            f"the acquisition must return {what}, shape {shape}: got shape {found.shape}; wrap a function of a single "
            "point, as in lambda V: np.array([f(v) for v in V])"
        )
    return found


class Looks(NamedTuple):
    """The findings of the first calls of an acquisition."""

    values: Array
    single: bool  # they are in single precision

    @property
    def positive(self) -> bool:
        """Whether no value is below 0."""
        return bool(np.nanmin(self.values) >= 0.0)


def looked_at(alpha: Foreign, known: Array) -> Looks:
    """Before the search, call an acquisition twice at some points and the known ones, (k, d), and once at a single
    point.

    Raises an error if it is random, depends on the other rows of a call, or is defined nowhere.
    """
    X = np.concatenate([alpha.units.space.sample(LOOKED, Streams(0)("audit")), known[:LOOKED]])
    raw = np.asarray(called(alpha.function, alpha.units(X)))
    first = checked(real(raw), (len(X),), "one value for each row")
    single = raw.dtype == np.float32 or alpha.single
    finite = np.isfinite(first)
    if np.isnan(first).all():
        raise ValueError(
            f"the acquisition is nan at all of {len(X)} points, so there is nothing to maximize; check the "
            "predictions of its model"
        )
    if np.isposinf(first).any():
        raise ValueError(
            f"the acquisition is infinite at {np.isposinf(first).sum()} of {len(X)} points, so there is no maximum; "
            "check the predictions of its model"
        )
    near = (SAME_SINGLE if single else SAME) * float(np.abs(first[finite]).max(initial=0.0))
    alone = np.append(alpha(X[:1]), first[1:])
    for other, words in ((alpha(X), "two calls at the same points"), (alone, "a row by itself and among others")):
        apart = np.abs(np.where(finite, other, 0.0) - np.where(finite, first, 0.0)).max(initial=0.0)
        if not apart <= near:
            raise ValueError(
                f"the acquisition is random: {words} differ by {apart:.3g}. Fix its randomness, such as the base "
                "samples of a sampler, by a seed, and return for each row a value that depends on that row only"
            )
    return Looks(first, single)
