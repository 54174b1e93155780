"""From what a storage holds to the next point: the ask of a study, made of nothing but its trials.

Each output has a model. It is fitted now and then, and its parameters are kept with the trial that it was fitted for.
In between, the model is that fit, rebuilt and extended by what was told since, so that two workers with the same
trials have the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from suffice.accuracy.report import SolveReport
from suffice.errors import SpaceExhausted
from suffice.gp.model import Fitted
from suffice.integrations.optuna.attributes import Fit, Proposal
from suffice.integrations.optuna.lessons import Lesson, Read
from suffice.integrations.optuna.memory import Memory
from suffice.integrations.optuna.record import history_of
from suffice.integrations.optuna.spaces import Mapped
from suffice.study.history import History
from suffice.study.modelling import model_of
from suffice.study.settings import Settings
from suffice.study.suggest import suggest
from suffice.threads import one_thread


@dataclass(frozen=True)
class Proposed:
    """What is to be evaluated next, and what is to be kept of how it was found."""

    proposal: Proposal
    report: SolveReport | None


def propose(
    settings: Settings,
    mapped: Mapped,
    reads: Sequence[Read],
    told: Sequence[Lesson],
    number: int,
    fixed: Mapping[str, Any],
    memory: Memory,
) -> Proposed:
    """The point of the trial with this number, with these values fixed."""
    digests = {name: _digest(settings, mapped, name) for name in settings.outputs}
    history, fits = history_of(settings, reads, told, memory.rows_in(mapped), number, _last(reads, digests))
    with one_thread(history.model_rows):
        previous = {name: _rebuilt(settings, history, name, fit, memory) for name, fit in fits.items()}
        given = fixed or None
        try:
            found = suggest(settings, history, previous, fixed=given)
        except SpaceExhausted:  # the study goes on as long as its user likes
            found = suggest(replace(settings, repeat=True), history, previous, fixed=given)
    numbers = frozenset(trial.number for trial in (*history.done, *history.known()))
    made = {
        name: Fit.of(fitted, digests[name], numbers)
        for name, fitted in (found.fitted or {}).items()
        if found.report is not None and (name not in previous or fitted.n_refit != previous[name].n_refit)
    }
    return Proposed(Proposal(mapped.params(found.point), found.origin, made), found.report)


def _digest(settings: Settings, mapped: Mapped, name: str) -> str:
    """What is modelled, and by what."""
    said = f"{mapped.digest} {model_of(settings, name)!r} {name}"
    return blake2b(said.encode(), digest_size=8).hexdigest()


def _last(reads: Sequence[Read], digests: Mapping[str, str]) -> dict[str, Fit]:
    """The newest fit of each output that is modelled as it is now."""
    found: dict[str, Fit] = {}
    for read in reversed(reads):
        for name, fit in read.fits.items():
            if name not in found and digests.get(name) == fit.digest:
                found[name] = fit
        if len(found) == len(digests):
            break
    return found


def _rebuilt(settings: Settings, history: History, name: str, fit: Fit, memory: Memory) -> Fitted:
    """The model of an output as its fit left it."""
    n = sum(trial.number in fit.numbers for trial in history.known(name))
    data = history.observations(name).take(slice(n))
    what = blake2b(f"{fit.digest} {fit.hyper} {fit.outcome} {fit.constant}".encode(), digest_size=16)
    what.update(data.X.tobytes() + data.y.tobytes() + data.noise_var.tobytes())
    known = memory.fitted.get(name)
    if known is not None and known[0] == what.hexdigest():
        return known[1]
    model = model_of(settings, name)
    posterior = model.rebuild(data, settings.space, fit.hyper, fit.outcome, fit.constant, n)
    fitted = Fitted(posterior, fit.outcome, fit.hyper, n, n, fit.n_cold, fit.notes)
    memory.fitted[name] = what.hexdigest(), fitted
    return fitted
