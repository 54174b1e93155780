"""How runs went: their values, their fronts, and how far they were from an optimum that is known."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from suffice.checks import as_bool, as_float, short
from suffice.errors import NoFinishedTrial
from suffice.figures.axes import note
from suffice.figures.convergence import Recommended, Run, draw_growth, draw_run, draw_runs, draw_series
from suffice.figures.regret import Kind, draw_regrets
from suffice.figures.style import Look, axes_for, looks, styled
from suffice.figures.words import one_line
from suffice.plot.given import as_results, evaluated, infeasible, values_of
from suffice.plot.volumes import in_order, shared_volumes
from suffice.study.front import Front
from suffice.study.result import Result
from suffice.study.settings import Opaque
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORIGINS = {"given": "initial", "design": "initial", "model": "model", "foreign": "told"}


@styled()
def convergence(
    result: Result | Sequence[Result] | Mapping[str, Result],
    ax: "Axes | None" = None,
    *,
    log: bool = False,
    recommended: bool = True,
) -> "Axes":
    """Draw the values of a run, evaluation by evaluation, with the best so far and the value recommended.

    Of several objectives, draw the hypervolume of the front so far.

    Rings are points of the initial design and those given with x0, dots are the model's, crosses at the bottom are
    failures, small triangles at the edge are values beyond the axis. The star is the point that the model recommends,
    at the value that the model holds likely there; a grey band of 95 % is drawn where it leaves the value open, as it
    does with noise. Of several results only the best values so far are drawn, a line each. With limits on outputs the
    best is the best feasible one; upright crosses are evaluations beyond a limit, at the bottom where they have no
    value of the objective.

    Of several objectives a dot is an evaluation that raised the hypervolume, which is measured above
    `result.reference`; of several results above the worst of their reference points.

    Parameters
    ----------
    result : Result, list of Result or dict
        A result, a list of results, or a dict of labels and results.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    log : bool, default: False
        Whether the axis of the values is logarithmic, for which all values have to be above 0; for one objective.
    recommended : bool, default: True
        Whether to draw the recommended point, for which a model is fitted.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    results = as_results(result, "convergence")
    if next(iter(results.values())).settings.several:
        return _volumes(results, as_bool(log, "log"), ax)
    log, wanted = as_bool(log, "log"), as_bool(recommended, "recommended") and len(results) == 1
    runs = [_run(one, wanted) for one in results.values()]
    if log:
        _refuse_logarithms(runs)
    ax = axes_for(ax)
    if len(runs) == 1:
        draw_run(ax, runs[0], log=log)
    else:
        draw_runs(ax, runs, _looks(results), log=log)
    return ax


@styled()
def regret(
    result: Result | Sequence[Result] | Mapping[str, Result],
    optimum: float,
    kind: Kind = "simple",
    ax: "Axes | None" = None,
    *,
    log: bool | None = None,
) -> "Axes":
    """Draw how far a run was from a known optimum: of the best point so far, or summed over all evaluations.

    The values are those observed, noise included. An evaluation that failed, or is beyond a limit, counts for nothing.
    Of several objectives there is no single optimum: `convergence` draws their hypervolume.

    Parameters
    ----------
    result : Result, list of Result or dict
        A result, a list of results, or a dict of labels and results.
    optimum : float
        The best value that the objective can take.
    kind : {'simple', 'cumulative'}, default: 'simple'
        "simple": of the best so far; "cumulative": the sum over all evaluations so far.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    log : bool or None, default: None
        Whether the axis is logarithmic; None: for "simple" it is.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    results = as_results(result, "regret")
    if next(iter(results.values())).settings.several:
        raise ValueError(
            "plot.regret draws the distance to one value, and there are several objectives; use convergence"
        )
    if kind not in ("simple", "cumulative"):
        raise ValueError(f"kind must be 'simple' or 'cumulative': got {short(kind)}")
    best = as_float(optimum, "optimum")
    if not any(one.history.feasible for one in results.values()):
        within = " within all limits" if any(one.history.done for one in results.values()) else ""
        raise NoFinishedTrial(f"plot.regret draws values, and none of the evaluations has one{within} yet")
    shortfalls = [_shortfall(one, best) for one in results.values()]
    ax = axes_for(ax)
    logarithmic = kind == "simple" if log is None else as_bool(log, "log")
    draw_regrets(ax, shortfalls, _looks(results), kind=kind, log=logarithmic)
    beyond = sum(int((r < 0).sum()) for r in shortfalls)
    if beyond:
        note(ax, f"{beyond} of the values are better than the optimum given")
    return ax


def _looks(results: Mapping[str, Result]) -> list[Look]:
    return list(looks({label: one_line(label, 24) for label in results}).values())


def _run(result: Result, recommended: bool) -> Run:
    trials = evaluated(result)
    found = None
    if recommended and result.history.done and not isinstance(result.settings.model, Opaque):
        chosen = result._recommendation
        if chosen is not None:  # else nothing is within all limits
            place = next(i for i, trial in enumerate(trials, start=1) if trial.number == chosen.trial.number)
            found = Recommended(place, chosen.value, chosen.deviation)
    origins = tuple(ORIGINS[trial.origin] for trial in trials)
    name, larger = result.settings.objective, result.settings.sign() > 0
    return Run(values_of(result), origins, larger, found, infeasible(result), name)


def _volumes(results: Mapping[str, Result], log: bool, ax: "Axes | None") -> "Axes":
    """The hypervolume of one run, or of several above one reference point."""
    if log:
        raise ValueError("plot.convergence: log=True is for the values of one objective; hypervolumes may be 0")
    histories = [one.history for one in results.values()]
    ax = axes_for(ax)
    if len(histories) > 1:
        draw_series(ax, shared_volumes(histories), _looks(results), "hypervolume (larger is better)", larger=True)
        return ax
    trials = in_order(histories[0])
    failed = np.array([trial.state == "failed" for trial in trials], dtype=np.bool_)
    beyond = np.array([trial.state == "done" and not trial.feasible for trial in trials], dtype=np.bool_)
    draw_growth(ax, Front(histories[0]).hypervolume, [ORIGINS[trial.origin] for trial in trials], failed, beyond)
    return ax


def _shortfall(result: Result, optimum: float) -> Array:
    """How much worse than the optimum each value is, (n,)."""
    sign = result.settings.sign()
    worse: Array = sign * (optimum - np.where(infeasible(result), np.nan, values_of(result)))
    known = worse[np.isfinite(worse)]
    if len(known) and (known < 0).all():
        side = "above" if sign > 0 else "below"
        raise ValueError(
            f"optimum={optimum:g} is no optimum: every value is {side} it; give the "
            f"{'largest' if sign > 0 else 'smallest'} value that the objective can take, in its own units"
        )
    return worse


def _refuse_logarithms(runs: Sequence[Run]) -> None:
    for run in runs:
        low = np.nanmin(run.values, initial=np.inf)
        if low <= 0:
            raise ValueError(
                f"log=True needs values above 0: got {low:g}; leave it out, or draw the distance to a known optimum "
                "with sf.plot.regret(result, optimum)"
            )
