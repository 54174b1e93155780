"""From what a storage holds to the next point: the ask of a study, made of nothing but its trials.

The model is fitted now and then, and its parameters are kept with the trial that it was fitted for. In between, the
model is that fit, rebuilt and extended by what was told since, so that two workers with the same trials have the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from suffice.accuracy.report import SolveReport
from suffice.belief import VALUE
from suffice.errors import SpaceExhausted
from suffice.gp.model import Fitted
from suffice.integrations.optuna.allowed import Allowed, allowance
from suffice.integrations.optuna.attributes import Fit, Proposal
from suffice.integrations.optuna.lessons import NOT_ALLOWED, Lesson, Read, Target, lessons
from suffice.integrations.optuna.memory import Memory
from suffice.integrations.optuna.record import Rows, history_of
from suffice.integrations.optuna.spaces import Mapped
from suffice.streams import Streams
from suffice.study.history import History
from suffice.study.settings import Opaque, Settings
from suffice.study.suggest import suggest
from suffice.threads import one_thread


@dataclass(frozen=True)
class Proposed:
    """What is to be evaluated next, and what is to be kept of how it was found."""

    proposal: Proposal
    report: SolveReport | None


def propose(
    settings: Settings, mapped: Mapped, reads: Sequence[Read], number: int, fixed: Mapping[str, Any], memory: Memory
) -> Proposed:
    """The point of the trial with this number, with these values fixed."""
    told, target = lessons(reads, Streams(settings.seed)("acquisition", number))
    rows, of = memory.rows_in(mapped), _digest(settings, mapped, target)
    last = next((read.fit for read in reversed(reads) if read.fit is not None and read.fit.digest == of), None)
    settings = _within_constraints(settings, reads, told, rows) if target != "violation" else settings
    history, fit = history_of(settings, reads, told, rows, number, None if target == "weighted" else last)
    with one_thread(min(len(history.done), getattr(settings.model, "max_points", len(history.done)))):
        previous = None if fit is None else _rebuilt(settings, history, fit, memory)
        given, before = fixed or None, None if previous is None else {VALUE: previous}
        try:
            found = suggest(settings, history, before, fixed=given)
        except SpaceExhausted:  # the study goes on as long as its user likes
            found = suggest(replace(settings, repeat=True), history, before, fixed=given)
    made, fitted = None, None if found.fitted is None else found.fitted[VALUE]
    new = fitted is not None and (previous is None or fitted.n_refit != previous.n_refit)
    if found.report is not None and fitted is not None and new and target != "weighted":
        numbers = frozenset(trial.number for trial in history.done)
        made = Fit.of(fitted, fitted.posterior.constant, of, numbers)
    return Proposed(Proposal(mapped.params(found.point), found.origin, made), found.report)


def _within_constraints(settings: Settings, reads: Sequence[Read], told: Sequence[Lesson], rows: Rows) -> Settings:
    """Settings whose acquisition counts as far as a point is probably allowed; infeasible trials are of the design."""
    weight = allowance(reads, rows, settings.space)
    if weight is None or isinstance(settings.acquisition, Opaque):
        return settings
    infeasible = sum(lesson is NOT_ALLOWED for lesson in told)
    n_initial = max(0, settings.n_initial - infeasible)
    return replace(settings, acquisition=Allowed(settings.acquisition, weight), n_initial=n_initial)


def _digest(settings: Settings, mapped: Mapped, target: Target) -> str:
    """What is modelled, and by what."""
    return blake2b(f"{mapped.digest} {settings.model!r} {target}".encode(), digest_size=8).hexdigest()


def _rebuilt(settings: Settings, history: History, fit: Fit, memory: Memory) -> Fitted:
    """The model as the fit left it."""
    n = len(fit.numbers)
    data = history.observations().take(slice(n))
    what = blake2b(f"{fit.digest} {fit.hyper} {fit.outcome} {fit.constant}".encode(), digest_size=16)
    what.update(data.X.tobytes() + data.y.tobytes())
    known = memory.fitted
    if known is not None and known[0] == what.hexdigest():
        return known[1]
    model: Any = settings.model
    posterior = model.rebuild(data, settings.space, fit.hyper, fit.outcome, fit.constant, n)
    fitted = Fitted(posterior, fit.outcome, fit.hyper, n, n, fit.n_cold, fit.notes)
    memory.fitted = what.hexdigest(), fitted
    return fitted
