"""The models of a study: one for each output, all with the same settings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from suffice.gp.model import GP, Fitted
from suffice.study.history import History
from suffice.study.settings import Opaque, Settings

Fits: TypeAlias = Mapping[str, Fitted]  # by output, the first objective first


def fit_outputs(settings: Settings, history: History, previous: Fits | None, *, hurry: bool = False) -> Fits:
    """The model of every output, each of which extends the one before it.

    previous    those of an earlier suggestion of this study; None: there are none
    hurry       no parameters are fitted
    """
    before = previous or {}
    return {
        name: model_of(settings, name)(history.observations(name), settings.space, before.get(name), hurry=hurry)
        for name in settings.outputs
    }


def model_of(settings: Settings, name: str) -> Any:
    """The model of one output, as it is called."""
    model = settings.model
    if isinstance(model, Opaque):
        raise TypeError(f"the model is known by its description only: {model.text}; give it by hand")
    if isinstance(model, GP) and (settings.several or name in settings.constraints):
        # Nobody looks for the best value of these by itself: of a limited output the limit is what matters.
        return replace(model, sharp=False)
    return model
