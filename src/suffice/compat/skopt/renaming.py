"""A run with other names for its parameters, as the labels of a figure."""

import math
from collections.abc import Mapping
from typing import Any

from suffice.space import Space
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result


def renamed(result: Result, names: Mapping[str, str]) -> Result:
    """The same evaluations in the same space, whose parameters have other names where `names` has one."""
    settings = result.settings
    where = getattr(settings.space, "where", ()) or None
    space = Space({names.get(name, name): given for name, given in settings.space.params.items()}, where=where)
    study = Optimizer(space, sense=settings.sense, seed=settings.seed, n_initial=0, model=_known(settings.model))
    with study.together():
        for trial in result.trials:
            if trial.state in ("done", "failed"):
                point = {names.get(name, name): value for name, value in trial.point.items()}
                study.tell(point, math.nan if trial.value is None else trial.value)
    return study.result()


def _known(model: Any) -> Any:
    return model if callable(model) else None
