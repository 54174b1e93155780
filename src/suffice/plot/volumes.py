"""The hypervolume of the front of a run, evaluation by evaluation, above a reference point that runs may share."""

from collections.abc import Mapping, Sequence

import numpy as np

from suffice.pareto.hypervolume import hypervolumes
from suffice.study.front import Front, objectives
from suffice.study.history import History
from suffice.study.settings import Settings
from suffice.study.trial import Trial
from suffice.types import Array


def in_order(history: History) -> list[Trial]:
    """The evaluated trials, in the order of asking: a hypervolume for each."""
    return [trial for trial in history.trials if trial.state in ("done", "failed")]


def shared_volumes(histories: Sequence[History]) -> list[Array]:
    """The hypervolumes of several runs, (n,) each, above the worst of their reference points."""
    references = [reference for history in histories if (reference := Front(history).reference) is not None]
    return [_above(history, references) for history in histories]


def _above(history: History, references: Sequence[Mapping[str, float]]) -> Array:
    settings, trials = history.settings, in_order(history)
    Y = np.full((len(trials), len(settings.objectives)), -np.inf)
    rows = [i for i, trial in enumerate(trials) if trial.state == "done" and trial.feasible]
    Y[rows] = objectives([trials[i] for i in rows], settings)
    return hypervolumes(Y, _worst(references, settings)) if references else np.zeros(len(trials))


def _worst(references: Sequence[Mapping[str, float]], settings: Settings) -> Array:
    """The point that is as bad as any of these in each objective, larger is better, (m,)."""
    return np.array([min(settings.sign(name) * point[name] for point in references) for name in settings.objectives])
