"""From the record of a study to its result, wherever the record is: in memory, in a store, or in a saved file."""

import math
import os
from dataclasses import replace
from typing import Any

import numpy as np

from suffice.accuracy.series import Accuracy
from suffice.store.files import FilePath
from suffice.study.assumptions import premises
from suffice.study.failures import is_failure
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.modelling import Fits
from suffice.study.reading.feasibility import beyond_limits
from suffice.study.replay import replayed
from suffice.study.result import Result
from suffice.study.saving import read
from suffice.study.trial import EVALUATED, own
from suffice.threads import one_thread


def load(path: FilePath) -> Result:
    """Read the result in a file: a study (`store=`), whoever is writing it meanwhile, or what `Result.save` wrote.

    Nothing in the file is run, so it may come from anyone.

    Parameters
    ----------
    path : path
        The file, such as "run.db" or "run.json".

    Returns
    -------
    Result
        The study so far, or the result as it was saved.

    Raises
    ------
    UnreadableFile
        If the file holds no study and no result, or is damaged, or was written by a newer version.
    FileNotFoundError
        If there is no such file.
    UnusableFile
        If it cannot be read now.
    """
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file
    from suffice.study.file_journal import read_events

    path = os.path.expanduser(path)  # as store= has it
    if not is_database(path):
        record = read(path)
        return make_result(History.of(record.events), record.message, record.accuracy)
    history = History.of(read_events(path))
    with one_thread(history.model_rows):
        return make_result(history, "the study so far", accuracy_of(history, replayed(history)))


def accuracy_of(history: History, fits: Fits | None) -> Accuracy:
    """How good the suggestions of a study were; the regret bound needs the models behind the last one."""
    if fits is None:
        return history.accuracy
    fitted = fits[history.settings.objective]
    return replace(history.accuracy, gain=fitted.posterior.gain, premises=premises(fitted, history))


def make_result(history: History, message: str, accuracy: Accuracy) -> Result:
    """The result of a study so far."""
    best, settings = history.best, history.settings
    evaluated = [trial for trial in history.trials if trial.state in EVALUATED]
    front = Front(history) if settings.several else None
    if front is None:
        values: Any = [math.nan if trial.value is None else trial.value for trial in evaluated]
    else:
        values = [[(trial.values or {}).get(name, math.nan) for name in settings.objectives] for trial in evaluated]
    beyond = beyond_limits(history) or _all_stopped(history)
    result = Result()
    result.update(
        x=None if best is None else own(best.point),
        fun=math.nan if best is None else best.value,
        nfev=len(evaluated),
        nit=sum(trial.origin == "model" for trial in evaluated),
        success=not is_failure(history.trials) and not beyond,
        message=f"{message}; {beyond}" if beyond and beyond not in message else message,
        trials=history.trials,
        x_iters=[trial.point for trial in evaluated],
        func_vals=np.array(values, dtype=float),
        settings=settings,
        seed=settings.seed,
        notes=history.notes,
        accuracy=accuracy,
        history=history,
    )
    if front is not None:
        result.update(front=front.trials, hypervolume=front.hypervolume, reference=front.reference)
    return result


def _all_stopped(history: History) -> str:
    """A sentence where there is no value because evaluations were stopped; "" elsewhere."""
    if history.done or not history.stopped:
        return ""
    return f"there is no value: {len(history.stopped)} evaluations were stopped early, and none was finished"
