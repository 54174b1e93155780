"""Domains to solve in, scores whose maximum is known by hand, and assertions that a part is a value.

X      (m, d)   rows are points of the unit cube        at   (d,)   the top of a peak
"""

import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from suffice.space import Choice, Float, Int, PointSet, Space
from suffice.types import Array, Domain, Score

# Spaces of all kinds.
MIXED = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0.0, 1.0))
FINITE = Space(depth=Int(1, 4), loss=Choice("a", "b"))
CONDITIONAL = Space(
    rate=Float(0.0, 1.0),
    loss=Choice("a", "b", "c"),
    depth=Int(1, 5, when={"loss": "b"}),
    size=Float(0.0, 1.0, when={"loss": ("a", "b")}),
)


def below_the_diagonal(point: Mapping[str, Any]) -> bool:
    """The lower half of a square."""
    return bool(point["x"] + point["y"] <= 1.0)


CONSTRAINED = Space(x=Float(0.0, 1.0), y=Float(0.0, 1.0), depth=Int(1, 5), where=below_the_diagonal)
POINTS = PointSet(np.random.default_rng(0).random((3000, 2)))  # more than a solver looks at one by one


@dataclass(frozen=True)
class Peak(Score):
    """A score with one maximum, known by hand, and its gradient: α(x) = scale · (height − ``|x − at|²``).

    Parameters
    ----------
    at : ndarray
        Where the maximum is, (d,).
    scale : float, default: 1.0
        How steep it is.
    height : float, default: 0.0
        Its value, times scale.
    """

    at: Array
    scale: float = 1.0
    height: float = 0.0
    smooth = True

    def __call__(self, X: Array) -> Array:
        values: Array = self.scale * (self.height - ((X - self.at) ** 2).sum(axis=1))
        return values

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        return self(X), self.scale * (-2.0 * (X - self.at))


@dataclass(frozen=True)
class HalfKnown(Score):
    """A peak that has a value, and a gradient, only where the first column is above one half.

    Parameters
    ----------
    peak : Peak
        The peak.
    """

    peak: Peak
    smooth = True

    def __call__(self, X: Array) -> Array:
        return np.where(X[:, 0] > 0.5, self.peak(X), np.nan)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        known = X[:, :1] > 0.5
        return self(X), np.where(known, self.peak.value_and_grad(X)[1], np.nan)


@dataclass
class Counted(Score):
    """A peak that counts the rows it was asked for.

    Parameters
    ----------
    peak : Peak
        The peak.
    values, grads : int, default: 0
        The counts, of rows with values and of rows with gradients.
    """

    peak: Peak
    values: int = 0
    grads: int = 0
    smooth = True

    def __call__(self, X: Array) -> Array:
        self.values += len(X)
        return self.peak(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        self.grads += len(X)
        return self.peak.value_and_grad(X)


@dataclass(frozen=True)
class ValuesOnly(Score):
    """A score without a gradient.

    Parameters
    ----------
    score : Score
        The score whose values it has.
    """

    score: Score = field(repr=False)

    def __call__(self, X: Array) -> Array:
        return self.score(X)


@dataclass(frozen=True)
class Ramp(Score):
    """A weight: low at x = 0, high where the first column is 1; both alike, it is the same everywhere."""

    low: float = 1.0
    high: float = 1.0
    smooth, bounded = True, True

    def __call__(self, X: Array) -> Array:
        weights: Array = self.low + (self.high - self.low) * X[:, 0]
        return weights

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        gradient = np.zeros_like(X)
        gradient[:, 0] = self.high - self.low
        return self(X), gradient

    def bound(self, lower: Array, upper: Array) -> Array:
        return np.maximum(self(lower), self(upper))


def peak_in(domain: Domain, seed: int = 2) -> Peak:
    """Make a peak whose top is a member of the domain.

    Parameters
    ----------
    domain : Domain
        Where the top lies.
    seed : int, default: 2
        It chooses the member.

    Returns
    -------
    Peak
        The score.
    """
    return Peak(domain.sample(1, np.random.default_rng(seed))[0])


def assert_travels(part: object) -> None:
    """The pickled copy of a part is equal to it, with the same hash, and prints the same."""
    copy = pickle.loads(pickle.dumps(part))
    assert copy == part
    assert hash(copy) == hash(part)
    assert repr(copy) == repr(part)


def assert_frozen(part: object) -> None:
    """A part is a dataclass that no one can assign to."""
    assert is_dataclass(part)
    for name in [each.name for each in fields(part)] or ["anything"]:
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, None)
