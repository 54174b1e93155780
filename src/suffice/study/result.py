"""What a run found: a SciPy OptimizeResult with every trial."""

import math
import os
from dataclasses import replace
from functools import cached_property
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

from suffice.accuracy.series import Accuracy
from suffice.markup import short_point
from suffice.store.files import FilePath
from suffice.study.assumptions import premises
from suffice.study.failures import failures, is_failure
from suffice.study.finding import Findings
from suffice.study.history import History
from suffice.study.modelling import Fits
from suffice.study.reading.check import check, stated
from suffice.study.reading.html import study_html
from suffice.study.reading.importance import Importance, importance
from suffice.study.reading.predict import predict
from suffice.study.reading.table import to_dataframe
from suffice.study.recommend import Recommendation, recommend
from suffice.study.replay import replayed
from suffice.study.saving import Record, read, write
from suffice.study.trial import own
from suffice.study.words import to_read
from suffice.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]

LONG = 100  # values of a point that is printed whole


class Result(OptimizeResult):
    """What a run found: the best point, its value, and every evaluation. It is a SciPy OptimizeResult.

    With noise `fun` is the best draw, luck included: `x_recommended` and what belongs to it are about the evaluated
    point with the best posterior mean, which without noise is nearly always the same one. docs/howto/reading.md shows
    how a result is read.

    Attributes
    ----------
    x : ndarray, dict, list or None
        The best point, in the form in which the objective got it; None if no trial succeeded.
    fun : float
        Its value, in the user's sense and never sign-flipped; nan if no trial succeeded.
    nfev : int
        Evaluations, failed ones included.
    nit : int
        How many of them the model proposed.
    success : bool
        Whether a best point exists and no more than half of the evaluations failed.
    message : str
        Why the run ended.
    trials : tuple of Trial
        Every trial in order, failed and pending ones too.
    x_iters : list
        The points of the evaluated trials, in order.
    func_vals : ndarray
        Their values; nan where the evaluation failed.
    accuracy : Accuracy
        How well the model's points were searched for and how good its predictions were: printed, a verdict. It does not
        say how far x is from the optimum.
    settings : Settings
        What the run was made of: space, sense, seed, model, acquisition, solver, …
    seed : int
        Runs the same run again.
    notes : tuple of str
        What was done about numerical trouble, each note once.
    history : History
        The record itself: every event, and the history as it was before any ask.

    See Also
    --------
    minimize : Returns one.
    load : Reads one from a file.

    Examples
    --------
    >>> import suffice as sf
    >>> result = sf.minimize(lambda p: p["x"] ** 2, {"x": (-1.0, 2.0)}, 10, seed=0)
    >>> result.success, result.nfev, len(result.trials)
    (True, 10, 10)
    """

    @cached_property
    def _recommendation(self) -> Recommendation | None:
        return recommend(self.history)

    @cached_property
    def x_recommended(self) -> Any:
        """The evaluated point with the best posterior mean; None if no trial succeeded."""
        found = self._recommendation
        return None if found is None else own(found.trial.point)

    @property
    def fun_recommended(self) -> float:
        """The posterior median of the objective, its noise left out, at x_recommended; nan if there is none."""
        return math.nan if self._recommendation is None else self._recommendation.value

    @property
    def fun_recommended_sd(self) -> float:
        """The posterior deviation of the objective about fun_recommended, as `predict` has it; nan if there is none."""
        return math.nan if self._recommendation is None else self._recommendation.deviation

    def predict(self, points: Any) -> tuple[Any, Any]:
        """Predict the objective at any points: mean and standard deviation by the model of all values.

        Both are in the objective's units and sense, and about the objective itself, without the noise of a measurement
        and as if it did not fail there. Far from all evaluations they are what the model assumes.

        Parameters
        ----------
        points : list, ndarray, dict of columns or table
            Points as the objective takes them: a list of them, an array (m, d) where they are arrays, a dict of columns
            or a table such as a pandas.DataFrame; or one point.

        Returns
        -------
        mean : ndarray or float
            What is expected, (m,), or a float for one point. Where the model has warped the values it is the median.
        sd : ndarray or float
            How far from it the objective may be: half the width of what holds 68 %.

        Examples
        --------
        >>> import suffice as sf
        >>> result = sf.minimize(lambda p: p["x"] ** 2, {"x": (-1.0, 2.0)}, 10, seed=0)
        >>> mean, sd = result.predict([{"x": 0.0}, {"x": 0.1}])
        >>> mean.shape, sd.shape
        ((2,), (2,))
        """
        return predict(self.history, points)

    def importance(self) -> Importance:
        """Rank the parameters by how much they matter, the most important first: print it.

        The numbers are about the model's mean over the whole space, under the uniform distribution that the space
        itself is sampled by; what is near the best point may depend on other parameters.

        Returns
        -------
        Importance
            Shares of the variance, with their errors, and length-scales.
        """
        return importance(self.history)

    def plot(self) -> Any:
        """Draw the run in one figure of four panels: how it went, which parameters matter, the model, the searches.

        `sf.plot` has each of them, and more.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which a notebook shows by itself.

        Raises
        ------
        MissingExtra
            If matplotlib is not installed.
        """
        return import_module("suffice.plot").overview(self)  # which knows results, and not the other way round

    def check(self) -> Findings:
        """Say what is worth looking at, each with a remedy, warnings first: print it.

        All that is printed with the result is in it, and what takes a fit of the model to find out.

        Returns
        -------
        Findings
            A tuple of `Finding`; an empty one is good news.
        """
        return check(self.history, self.accuracy)

    def to_dataframe(self) -> "pd.DataFrame":
        """All trials as a pandas.DataFrame, a row for each in the order they were asked for.

        Its columns are number, state, value, one for each parameter (of one that is called like another column,
        `parameter:…`), noise_var, seconds, origin, what the model expected of the value when it asked for it
        (`predicted`, and `predicted_sd` with the noise), relative_gap, cause and reason.

        Returns
        -------
        pandas.DataFrame
            What a trial lacks is NaN or NA.
        """
        return to_dataframe(self.history)

    def __repr__(self) -> str:
        """The answer, then how far its search and its model can be trusted, and what is worth doing about it."""
        rows = [(key, self[key]) for key in ("message", "success", "fun", "x", "nfev", "nit", "seed") if key in self]
        rows = [(key, short_point(value) if key == "x" and np.size(value) > LONG else value) for key, value in rows]
        lines = [f"{key:>8}: {value}" for key, value in rows]
        if "trials" in self and (failed := failures(self.trials)) and failed not in self.message:
            lines.insert(1, f"{'failed':>8}: {failed}")
        if "accuracy" in self and self.accuracy.verdict:
            lines.append(str(self.accuracy))
        if "history" in self:
            lines += map(str, stated(self.history, self.accuracy))
        return "\n".join(lines) or "Result()"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """For notebooks: the best point, the way to it, and what the record says about how far it can be trusted."""
        if "history" not in self:
            return f"<pre>{escape(repr(self))}</pre>"
        return study_html(self.history, "Result", self.message, self.accuracy)

    def __getattr__(self, name: str) -> Any:
        """What is not there is refused, with what it is called here."""
        if name not in self:
            raise AttributeError(f"a result has no {name!r}: {to_read(name, list(self))}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*self, *(name for name in vars(Result) if not name.startswith("_"))]

    def report(self, path: FilePath) -> None:
        """Write one HTML page about the run: verdict, best points, checks, figures, data.

        It needs suffice[plot].

        Parameters
        ----------
        path : path
            The file to write, such as "report.html". An older page in its place is replaced, any other file is left
            alone.

        See Also
        --------
        suffice.report.write : Does the same, and can give the study a name.
        """
        import_module("suffice.report").write(self, path)  # which lies above this module

    def save(self, path: FilePath) -> None:
        """Write everything into one JSON file, from which `load` makes the same result.

        Parameters
        ----------
        path : path
            The file to write, such as "run.json"; an older file is replaced.

        See Also
        --------
        load : Reads it.
        """
        write(Record(self.history.events, self.message, self.accuracy), path)


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
    with one_thread(len(history.done)):
        return make_result(history, "the study so far", accuracy_of(history, replayed(history)))


def accuracy_of(history: History, fits: Fits | None) -> Accuracy:
    """How good the suggestions of a study were; the regret bound needs the models behind the last one."""
    told = Accuracy(history.reports, outputs=history.outputs, evaluation_seconds=history.seconds_evaluating)
    if fits is None:
        return told
    fitted = fits[history.settings.objective]
    return replace(told, gain=fitted.posterior.gain, premises=premises(fitted, history))


def make_result(history: History, message: str, accuracy: Accuracy) -> Result:
    """The result of a study so far."""
    best, settings = history.best, history.settings
    evaluated = [trial for trial in history.trials if trial.state in ("done", "failed")]
    values = [math.nan if trial.value is None else trial.value for trial in evaluated]
    result = Result()
    result.update(
        x=None if best is None else own(best.point),
        fun=math.nan if best is None else best.value,
        nfev=len(evaluated),
        nit=sum(trial.origin == "model" for trial in evaluated),
        success=not is_failure(history.trials),
        message=message,
        trials=history.trials,
        x_iters=[trial.point for trial in evaluated],
        func_vals=np.array(values, dtype=float),
        settings=settings,
        seed=settings.seed,
        notes=history.notes,
        accuracy=accuracy,
        history=history,
    )
    return result
