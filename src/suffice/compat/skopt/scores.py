"""The result of a search for the best score, as scikit-optimize has it: points in lists, and scores negated."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from suffice.compat.skopt.result import OptimizeResult, create_result
from suffice.compat.skopt.space import Dimension, Space
from suffice.compat.skopt.surrogate import Surrogate
from suffice.integrations.sklearn.labels import Labelled, labelled
from suffice.study.result import Result


@dataclass(frozen=True, eq=False)
class Negated:
    """Reads the results of one space."""

    labelled: Labelled
    space: Space  # its dimensions in the order of their names

    @classmethod
    def of(cls, dimensions: Mapping[str, Dimension]) -> "Negated":
        """For the space of these dimensions."""
        ordered = [dimensions[name] for name in sorted(dimensions)]
        return cls(labelled(dimensions), Space(ordered).normalized())

    def __call__(self, result: Result) -> OptimizeResult:
        """The result so far: the least value is that of the best score."""
        done = [trial for trial in result.trials if trial.state in ("done", "failed")]
        points = [self._listed(trial.point) for trial in done]
        values = [math.nan if trial.value is None else -trial.value for trial in done]
        models = [] if self.labelled.objects else [Surrogate(self.space, points, values, result.settings.model)]
        return create_result(points, values, self.space, models=models, history=result.history)

    def _listed(self, point: Mapping[str, Any]) -> list[Any]:
        params = self.labelled.params(point)
        return [params[name] for name in sorted(params)]
