"""What a run is made of: all that it takes to run it again, or to look back at it."""

from dataclasses import dataclass
from typing import Any

from suffice.acquisition import Acquisition
from suffice.gp.model import Model
from suffice.space import Space
from suffice.study.options import Sense
from suffice.types import Solver


@dataclass(frozen=True)
class Opaque:
    """A part that a file could only describe, because its class is not one of the library's."""

    text: str  # its repr


@dataclass(frozen=True)
class Settings:
    """The words that an optimizer was made with."""

    space: Space
    sense: Sense
    seed: int
    n_initial: int
    model: Model | Opaque
    acquisition: Acquisition | Opaque
    solver: Solver | Opaque
    repeat: bool

    @property
    def sign(self) -> float:
        """+1 if larger is better, −1 if smaller is."""
        return 1.0 if self.sense == "maximize" else -1.0


def as_part(given: Any, default: Any, word: str, example: str) -> Any:
    """A part of a run, checked before anything is evaluated: an object, not its class or its name."""
    if given is None:
        return default
    if isinstance(given, type) or not callable(given) or (word == "model" and not hasattr(given, "rebuild")):
        raise TypeError(f"{word} must be an object such as {example}: got {given!r}")
    return given
