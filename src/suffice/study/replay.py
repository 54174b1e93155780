"""The models of a study as its last ask left them, made again from the record, bit for bit.

A model is grown: fitted now and then, appended to in between. From scratch the same data give the same model up to
rounding, and a last bit is enough for another suggestion. So the record is followed: the last fit is rebuilt with the
parameters that were found then, and the observations are appended in the same portions.
"""

from collections.abc import Iterable

from suffice.accuracy.report import Binding
from suffice.gp.model import Fitted
from suffice.study.events import Asked, Event, Stopped, Told
from suffice.study.history import History
from suffice.study.modelling import Fits, model_of
from suffice.study.settings import Opaque


def replayed(history: History) -> Fits | None:
    """The models behind the last suggestion; None if there is none, or if the file could only describe the model."""
    if isinstance(history.settings.model, Opaque):
        return None
    found = {name: _replayed(history, name) for name in history.settings.outputs}
    return {name: fitted for name, fitted in found.items() if fitted is not None} or None


def _replayed(history: History, name: str) -> Fitted | None:
    settings, steps = history.settings, list(_steps(history.events, name, history.settings.objective))
    if not steps:
        return None
    model, data, space = model_of(settings, name), history.observations(name), settings.space
    last = steps[-1][1].n_refit
    since = next(i for i, (_, binding) in enumerate(steps) if binding.n_refit == last)  # the ask that made the fit
    n, binding = steps[since]
    posterior = model.rebuild(
        data.take(slice(n)), space, binding.hyper, binding.outcome, binding.constant, binding.n_refit
    )
    fitted = Fitted(posterior, binding.outcome, binding.hyper, n, binding.n_refit, binding.n_cold, binding.notes)
    for n, _ in steps[since + 1 :]:
        fitted = model(data.take(slice(n)), space, fitted, hurry=True)  # no parameters are fitted
    return fitted


def _steps(events: Iterable[Event], name: str, objective: str) -> Iterable[tuple[int, Binding]]:
    """Each suggestion of the model: how many values of an output were known, and what rebuilds its model."""
    known = 0
    for event in events:
        if isinstance(event, Told):
            known += name in event.values
        elif isinstance(event, Stopped):
            known += event.expected is not None and name == objective
        elif isinstance(event, Asked) and event.report is not None and event.report.binding is not None:
            yield known, event.report.binding.of(name)
