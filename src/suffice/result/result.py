"""What a run found: a SciPy OptimizeResult with every trial.

`make_result` builds it from the record of a study, wherever that is: in memory, in a store, or in a saved file.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

from suffice.accuracy.estimate import DELTA
from suffice.accuracy.regret import Premises
from suffice.accuracy.series import Accuracy
from suffice.acquisition import UCB, Beta, Hypervolume, LookAround, Theory, Thompson
from suffice.aliases import to_read
from suffice.ask.models import Fits, replayed
from suffice.errors import UnreadableFile
from suffice.gp.model import GP, Fitted
from suffice.record.history import History
from suffice.record.trial import EVALUATED, Trial, own
from suffice.result.diagnostics import check
from suffice.result.display import study_html
from suffice.result.exhausted import Exhaustion, exhausted
from suffice.result.feasibility import Feasibility, feasibility, infeasible_in_words
from suffice.result.findings import Findings, is_failure
from suffice.result.front import Front
from suffice.result.importance import Importance, importance
from suffice.result.predict import Prediction, Recommendation, predict, recommend
from suffice.result.saved import Record, read, write
from suffice.result.screen import screen
from suffice.result.table import to_dataframe
from suffice.store.files import FilePath, as_path
from suffice.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd


INTERRUPTED = "interrupted"  # the message of a run that Ctrl-C has ended


class Result(OptimizeResult):
    """What a run found: the best point, its value, and every evaluation. It is a SciPy OptimizeResult.

    With noise, `fun` is a single noisy value. `x_recommended` is the evaluated point with the best posterior mean,
    among those that are probably feasible; without noise it is nearly always `x`. docs/howto/reading.md shows how to
    read a result.

    Attributes
    ----------
    x : ndarray, dict, list or None
        The best point, in the form in which the objective got it; None if no trial succeeded.
    fun : float
        Its value, never sign-flipped; nan if no trial succeeded.
    nfev : int
        The number of evaluations, including failed ones.
    nit : int
        The number of points that a model proposed.
    success : bool
        Whether a best point exists, no more than half of the evaluations failed, and Ctrl-C has not ended the run.
    status : int
        The same as a number: 0 for success, 1 where there is no best point or most evaluations failed, 2 after Ctrl-C.
    message : str
        Why the run ended.
    trials : tuple of Trial
        Every trial in order, failed and pending ones too.
    x_iters : list
        The points of the evaluated trials, in order.
    func_vals : ndarray
        Their values; nan where the evaluation failed.
    accuracy : Accuracy
        How accurate acquisition maximization and the predictions were: print it for a summary. It does not measure how
        far x is from the optimum.
    settings : Settings
        The settings of the run: space, direction, seed, model, acquisition, solver, …
    seed : int
        The seed that reproduces the run.
    notes : tuple of str
        Notes about numerical problems and how they were handled, each once.
    history : History
        The record: every event, and the history as it was before any ask.
    front : tuple of Trial
        With several objectives (`optimize`), the trials that no other trial dominates, sorted by the first; then x is
        None, `fun` is nan and `func_vals` has a column for each. `pick` and `knee` choose one.
    hypervolume : ndarray
        With several objectives, the volume that the front of the first 1, 2, … evaluations dominates, above
        `reference`.
    reference : dict or None
        With several objectives, the worst values that count in the hypervolume, by name.

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
        if self.settings.several:
            raise AttributeError("_recommendation")  # for which __getattr__ has the words
        return recommend(self.history)

    @cached_property
    def x_recommended(self) -> Any:
        """The evaluated point with the best posterior mean, probably feasible; None without any."""
        found = self._recommendation
        return None if found is None else own(found.trial.point)

    @property
    def fun_recommended(self) -> float:
        """The posterior median of the objective, its noise left out, at x_recommended; nan if there is none."""
        return math.nan if self._recommendation is None else self._recommendation.value

    @property
    def fun_recommended_sd(self) -> float:
        """The posterior standard deviation of the objective there, as from `predict`; nan if there is none."""
        return math.nan if self._recommendation is None else self._recommendation.deviation

    @cached_property
    def exhausted(self) -> Exhaustion | None:
        """Since when no further improvement was expected, and what was found since; None if not exhausted."""
        return exhausted(self.history)

    def predict(self, points: Any, output: str | None = None) -> Prediction:
        """Predict an output at any points: mean and standard deviation by the model of all its values.

        Both are in the output's units and sign. They describe the output without measurement noise, and ignore
        failures. Far from all evaluations they are the prior of the model.

        Parameters
        ----------
        points : list, ndarray, dict of columns or table
            Points as the objective takes them: a list of them, an array (m, d) where they are arrays, a dict of columns
            or a table such as a pandas.DataFrame; or one point.
        output : str or None, default: None
            An objective or a constrained output by its name; None takes the only objective.

        Returns
        -------
        Prediction
            A tuple of two: `mean`, the prediction, an array (m,) or a float for one point (where the model has warped
            the values it is the median); and `sd`, the standard deviation, half the width of the 68 % interval.

        Examples
        --------
        >>> import suffice as sf
        >>> result = sf.minimize(lambda p: p["x"] ** 2, {"x": (-1.0, 2.0)}, 10, seed=0)
        >>> mean, sd = result.predict([{"x": 0.0}, {"x": 0.1}])
        >>> mean.shape, sd.shape
        ((2,), (2,))
        >>> result.predict({"x": 0.5}).mean > 0
        True
        """
        return predict(self.history, points, output)

    def importance(self, output: str | None = None) -> Importance:
        """Rank the parameters by how much they matter, the most important first: print it.

        The numbers describe the model's mean over the whole space, under a uniform distribution. Near the best point
        other parameters may matter.

        Parameters
        ----------
        output : str or None, default: None
            The output: an objective or a constrained one by its name; None takes the only objective.

        Returns
        -------
        Importance
            Fractions of the variance, with their errors, and length-scales.
        """
        return importance(self.history, output)

    def plot(self, *, panels: str | Sequence[str] | None = None, size: tuple[float, float] | None = None) -> Any:
        """Plot the run in one figure of four panels: convergence, importance, the model, and accuracy.

        `sf.plot` has each of them, and more.

        Parameters
        ----------
        panels : str, sequence of str or None, default: None
            The panels to draw instead: any of "convergence", "importance", "contour", "accuracy", "front", "parallel"
            and "time".
        size : tuple of float or None, default: None
            Width and height of the figure in inches; None takes 7 by 5.4.

        Returns
        -------
        matplotlib.figure.Figure
            The figure; a notebook displays it.

        Raises
        ------
        MissingExtra
            If matplotlib is not installed.
        """
        return import_module("suffice.plot").overview(
            self, panels=panels, size=size
        )  # which knows results, and not the other way round

    def pick(self, **limits: float) -> Trial:
        """Choose a trial from the front: at least as good as given in some objectives, and best in the others.

        Parameters
        ----------
        **limits : float
            A bound for each named objective: pick(error=0.1) returns a trial with an error of at most 0.1 if the error
            is minimized. If several objectives are left, the trial whose worst one is best is chosen, each relative to
            its range on the front.

        Returns
        -------
        Trial
            One of `front`, with its `point` and `values`.

        Raises
        ------
        ValueError
            If no trial of the front is as good; the message has the best values.
        """
        return Front(self.history).pick(limits)

    def knee(self) -> Trial:
        """Choose a compromise from the front: the trial whose worst objective is best.

        Each objective counts as a fraction of its range on the front, from 0 for its worst value there to 1 for its
        best.

        Returns
        -------
        Trial
            One of `front`.
        """
        return Front(self.history).knee()

    def feasibility(self) -> Feasibility:
        """Report whether feasible points exist: print it.

        If no trial is feasible, the models of the constrained outputs estimate the largest margin anywhere in the
        space, and a proof is attempted that no feasible point exists under them.

        Returns
        -------
        Feasibility
            Counts, the largest margin, and what is proven about it.
        """
        return feasibility(self.history)

    def diagnose(self) -> Findings:
        """List the findings about the run, each with a remedy, warnings first: print it.

        It contains what is printed with the result, and checks that need a fit of the model.

        Returns
        -------
        Findings
            A tuple of `Finding`, empty if there are none.
        """
        return check(self.history, self.accuracy)

    def to_dataframe(self) -> "pd.DataFrame":
        """All trials as a pandas.DataFrame, a row for each in the order they were asked for.

        Its columns are number, state, value, one for each parameter (of one that is called like another column,
        `parameter:…`), noise_var, seconds, origin, what the model expected of the value when it asked for it
        (`predicted`, and `predicted_sd` with the noise), relative_gap, cause and reason. Of several outputs each has a
        column, and what is about one of them has its name, `predicted:latency`, unless it is the only objective. What
        you noted is in `note` and `attribute:…`, where there is any. With
        constraints there are `feasible`, as measured, and `p_feasible`, as expected.

        Returns
        -------
        pandas.DataFrame
            What a trial lacks is NaN or NA.
        """
        return to_dataframe(self.history)

    def __repr__(self) -> str:
        """One screen: the answer in readable digits, what matters, what to look at, counts and time."""
        if "history" not in self:
            return "\n".join(f"{key:>8}: {value}" for key, value in self.items()) or "Result()"
        return screen(self.history, self.message, self.accuracy)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """For notebooks: the best point, the way to it, and what the record says about how far it can be trusted."""
        if "history" not in self:
            return f"<pre>{escape(repr(self))}</pre>"
        return study_html(self.history, "Result", self.message, self.accuracy)

    def __getattr__(self, name: str) -> Any:
        """What is not there is refused, with what it is called here."""
        if "recommend" in name and "settings" in self and self["settings"].several:
            raise AttributeError(
                f"a result of several objectives has no {name!r}: pick(…) and knee() choose from its front"
            )
        if hasattr(type(self), name):  # it is there, and lacks something itself: that is the error to show
            return object.__getattribute__(self, name)
        if name not in self:
            raise AttributeError(f"a result has no {name!r}: {to_read(name, list(self))}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*self, *(name for name in vars(Result) if not name.startswith("_"))]

    def report(self, path: FilePath, *, title: str | None = None) -> None:
        """Write a report of the run as one HTML page: verdict, best points, checks, figures, data.

        It needs suffice[plot].

        Parameters
        ----------
        path : path
            The file to write, such as "report.html". An older report is replaced; any other file is left alone.
        title : str or None, default: None
            The heading of the page; None takes "Report: a study".

        See Also
        --------
        suffice.report.write : The same, also for an Optimizer.
        """
        import_module("suffice.report").write(self, path, title=title)  # which lies above this module

    def save(self, path: FilePath) -> None:
        """Save the result as one JSON file, which `load` reads.

        Parameters
        ----------
        path : path
            The file to write, such as "run.json"; an older file is replaced.

        See Also
        --------
        load : Reads it.
        """
        write(Record(self.history.events, self.message, self.accuracy), path)


# ---------------------------------------------------------------------- from the record to the result


def load(path: FilePath) -> Result:
    """Read the result in a file: a study (`storage=`), even while a run writes it, or a file of `Result.save`.

    No code in the file is executed, so it is safe to load files from others.

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
    from suffice.record.study_file import MEANINGLESS, read_events
    from suffice.store.postgres import is_address
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file

    path = path if is_address(path) else as_path(path)
    if not is_address(path) and not is_database(path):
        record = read(path)
        return make_result(History.of(record.events), record.message, record.accuracy)
    history = History.of(read_events(path))
    with one_thread(history.model_rows):
        try:
            accuracy = accuracy_of(history, replayed(history))
        except MEANINGLESS as error:  # numbers of the right types that no model can have
            last = max(trial.number for trial in history.trials if trial.solve is not None)
            raise UnreadableFile(
                f"{path} is damaged: the model that proposed trial {last} cannot be made again: {error}; recover what "
                f"is intact with: suffice export {path} --salvage"
            ) from error
        return make_result(history, "the study so far", accuracy)


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
    beyond = infeasible_in_words(history) or _all_stopped(history)
    status = 2 if message == INTERRUPTED else int(is_failure(history.trials) or bool(beyond))
    result = Result()
    result.update(
        x=None if best is None else own(best.point),
        fun=math.nan if best is None else best.value,
        nfev=len(evaluated),
        nit=sum(trial.origin in ("model", "polish") for trial in evaluated),
        success=status == 0,
        status=status,
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
    return f"no trial has a value: {len(history.stopped)} were pruned, and none finished"


def premises(fitted: Fitted, history: History) -> Premises:
    """What the regret bound of a run rests on: its model, the trials, and the assumptions of β that fail."""
    posterior, settings = fitted.posterior, history.settings
    bindings = [report.binding for report in history.reports if report.binding is not None]
    beta: Beta | None = None
    broken: tuple[str, ...] = ("the acquisition has no β with known assumptions",)
    ucb = False
    match settings.acquisition:
        case Hypervolume(beta=beta):
            broken = beta.broken(posterior)
        case UCB(beta=beta) | LookAround(improve=UCB(beta=beta)):
            broken, ucb = beta.broken(posterior), True
        case Thompson(beta=beta):
            broken = beta.broken(posterior)
    B, R, delta = (beta.B, beta.R, beta.delta) if isinstance(beta, Theory) else (None, None, DELTA)
    return Premises(
        kernel=posterior.kernel,
        tau=float(posterior.factor.tau.max()) if posterior.n else fitted.hyper.tau,
        dimension=settings.space.dim,
        scale=posterior.scale,
        B=B,
        R=R,
        delta=delta,
        fitted=is_fitted(history),
        warped=any(one.outcome.lam != 1.0 for binding in bindings for one in (binding, *binding.others.values())),
        beta_broken=broken,
        ucb=ucb,
        failed=len(history.failed),
        left_out=fitted.n_seen - posterior.n,
        objectives=len(settings.objectives),
        limited=tuple(settings.constraints),
        feasible=len(history.feasible) if settings.constraints else None,
        lacking=sum(len(trial.values) < len(settings.outputs) for trial in history.done),
    )


def is_fitted(history: History) -> bool:
    """Whether the model estimates something from the data; of a model that is not ours nothing is known."""
    model, outputs = history.settings.model, history.settings.outputs
    return not (isinstance(model, GP) and all(model.is_fixed(history.observations(name)) for name in outputs))
