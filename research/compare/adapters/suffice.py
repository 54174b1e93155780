"""suffice itself, as it comes."""

from __future__ import annotations

from ast import literal_eval
from typing import Any

from suffice import Choice, Float, Int, Optimizer
from suffice.acquisition import ACQUISITIONS


class Peer:
    """All defaults, but for the parts that are given; an acquisition function may be given by its name."""

    def __init__(
        self,
        space: list[dict[str, Any]],
        points: list[list[float]],
        values: list[float],
        seed: int,
        acquisition: Any = None,
        **parts: Any,
    ) -> None:
        self.space = {f"x{i}": parameter(**words) for i, words in enumerate(space)}
        if acquisition is not None:
            parts["acquisition"] = ACQUISITIONS[acquisition]() if isinstance(acquisition, str) else acquisition
        self.optimizer = Optimizer(self.space, seed=seed, n_initial=len(points), **parts)
        for i, point in enumerate(points):
            settings = {name: value(known, point[j]) for j, (name, known) in enumerate(self.space.items())}
            self.optimizer.tell(settings, values[i])
        self.trial: Any = None

    def ask(self) -> list[float]:
        self.trial = self.optimizer.ask()
        return [number(known, self.trial.point[name]) for name, known in self.space.items()]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.optimizer.tell(self.trial, value)


def parameter(kind: str, **words: Any) -> Any:
    """What suffice calls a parameter; options are what they were, since it learns from what some have in common."""
    if kind == "choice":
        return Choice(*map(literal_eval, words["options"]))
    return (Int if kind == "int" else Float)(**words)


def value(known: Any, x: float) -> Any:
    """The value that a number of a point stands for."""
    return x if isinstance(known, Float) else int(x) if isinstance(known, Int) else known.options[int(x)]


def number(known: Any, chosen: Any) -> float:
    """The number that stands for a value."""
    return known.options.index(chosen) if isinstance(known, Choice) else chosen
