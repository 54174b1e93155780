"""suffice itself, as it comes."""

from __future__ import annotations

from typing import Any

from suffice import Choice, Float, Int, Optimizer
from suffice.acquisition import ACQUISITIONS


class Peer:
    """All defaults, but for the acquisition function if one is named."""

    def __init__(
        self,
        space: list[dict[str, Any]],
        points: list[list[float]],
        values: list[float],
        seed: int,
        acquisition: str | None = None,
    ) -> None:
        parameters = {f"x{i}": parameter(**words) for i, words in enumerate(space)}
        parts: Any = {"acquisition": ACQUISITIONS[acquisition]()} if acquisition else {}
        self.optimizer = Optimizer(parameters, seed=seed, n_initial=len(points), **parts)
        for i, point in enumerate(points):
            known = zip(parameters, parameters.values(), point, strict=True)
            self.optimizer.tell({name: x if isinstance(p, Float) else int(x) for name, p, x in known}, values[i])
        self.trial: Any = None

    def ask(self) -> Any:
        self.trial = self.optimizer.ask()
        return self.trial.point.values()

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.optimizer.tell(self.trial, value)


def parameter(kind: str, **words: Any) -> Any:
    """What suffice calls a parameter; its options are their places."""
    if kind == "choice":
        return Choice(*range(len(words["options"])))
    return (Int if kind == "int" else Float)(**words)
