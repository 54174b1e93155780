"""How runs went: their values, the hypervolumes of their fronts, and how far they were from a known optimum.

n      int    evaluations, in the order they ended
value  (n,)   in the user's units and sign; nan where the evaluation has none
r      (n,)   the shortfall of each value from a known optimum, ≥ 0 without noise; nan where there is none
simple        the smallest shortfall so far          cumulative   the sum of all shortfalls so far
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.checks import as_bool, as_float, short
from suffice.errors import NoFinishedTrial
from suffice.plot.axes import ROOM, Window, axis_name, ending, legend_above, note, room_for, settle
from suffice.plot.data import as_results, evaluated, infeasible, values_of
from suffice.plot.labels import floor
from suffice.plot.slices import INFEASIBLE, draw_star, scatter
from suffice.plot.style import BLACK, BLUE, FAINT, GREY, ORANGE, Look, axes_for, decades, looks, styled
from suffice.record.history import History
from suffice.record.trial import EVALUATED, Trial
from suffice.result.display import VERMILION
from suffice.result.front import Front
from suffice.result.predict import TWO_SIDED, Recommendation, point_to_use
from suffice.result.result import Result
from suffice.text import visible, with_error
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mask = NDArray[np.bool_]
Kind: TypeAlias = Literal["simple", "cumulative"]

VISIBLE = 0.01  # of the axis: a band that is wider is drawn


@styled()
def convergence(
    result: Result | Sequence[Result] | Mapping[str, Result],
    ax: "Axes | None" = None,
    *,
    log: bool = False,
    recommended: bool = True,
) -> "Axes":
    """Draw the values of a run, trial by trial, with the best so far and the point to use.

    Rings are initial points, dots are the model's, crosses at the bottom are failures, upright crosses infeasible
    evaluations, and triangles at the edge are values beyond the axis. The star is the best point or, with noise,
    the recommended one at the value that the model expects there, with a band of 95 %. Several results have a line
    each.

    Of several objectives, the hypervolume of the front is drawn, above `result.reference` or, for several results,
    above the worst of their reference points. A dot is an evaluation that raised it.

    Parameters
    ----------
    result : Result, list of Result or dict
        A result, a list of results, or a dict of labels and results.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    log : bool, default: False
        Whether the axis of the values is logarithmic, for which all values have to be above 0; for one objective.
    recommended : bool, default: True
        Whether to mark the best or recommended point; with noise, a model is fitted for it.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    results = as_results(result, "convergence")
    log, wanted = as_bool(log, "log"), as_bool(recommended, "recommended") and len(results) == 1
    if next(iter(results.values())).settings.several:
        if log:
            raise ValueError("plot.convergence: log=True needs one objective; hypervolumes may be 0")
        name, runs = "hypervolume", growths([one.history for one in results.values()])
    else:
        name, runs = "best value so far", [run_of(one, wanted) for one in results.values()]
        if log:
            _refuse_logarithms(runs)
    ax = axes_for(ax)
    if len(runs) == 1:
        draw_run(ax, runs[0], log=log)
    else:
        draw_series(ax, [run.best for run in runs], _looks(results, ax), name, larger=runs[0].larger, log=log)
    return ax


def _looks(results: Mapping[str, Result], ax: "Axes") -> list[Look]:
    most = max(24, room_for(ax) // 2)
    return list(looks({label: visible(label, most) for label in results}).values())


@dataclass(frozen=True)
class Run:
    """What happened, (n,) each: the values of one objective, or of several the hypervolumes that raised the last."""

    name: str
    larger: bool  # larger values are better
    values: Array
    best: Array  # so far, of the feasible ones; nan before there is one
    trials: Sequence[Trial]  # by number
    infeasible: Mask  # infeasible, with or without a value
    failed: Mask
    recommended: Recommendation | None = None
    several: bool = False

    @property
    def numbers(self) -> Array:
        """The numbers of the trials, (n,)."""
        return np.array([trial.number for trial in self.trials], dtype=float)

    @property
    def feasible(self) -> Array:
        """The values of the others; nan elsewhere."""
        values: Array = np.where(self.infeasible, np.nan, self.values)
        return values


def run_of(result: Result, recommended: bool) -> Run:
    ended, larger = evaluated(result), result.settings.sign() > 0
    order = np.argsort([trial.number for trial in ended]).astype(np.intp)
    trials, values, beyond = [ended[i] for i in order], values_of(result)[order], infeasible(result)[order]
    found = point_to_use(result.history) if recommended else None  # also None if nothing is feasible
    best = (np.fmax if larger else np.fmin).accumulate(np.where(beyond, np.nan, values))
    return Run(result.settings.objective, larger, values, best, trials, beyond, np.isnan(values) & ~beyond, found)


def growths(histories: Sequence[History]) -> list[Run]:
    """The hypervolumes of the fronts of runs, above the worst of their reference points."""
    fronts = [Front(history) for history in histories]
    references = [front.reference for front in fronts if front.reference is not None]
    runs = []
    for front in fronts:
        volume, trials = front.above(references), [t for t in front.history.trials if t.state in EVALUATED]
        failed = np.array([trial.state == "failed" for trial in trials], dtype=np.bool_)
        beyond = np.array([trial.state == "done" and not trial.feasible for trial in trials], dtype=np.bool_)
        values = np.where(np.diff(volume, prepend=0.0) > 0.0, volume, np.nan)
        runs.append(Run("hypervolume", True, values, volume, trials, beyond, failed, several=True))
    return runs


def _refuse_logarithms(runs: Sequence[Run]) -> None:
    for run in runs:
        low = np.nanmin(run.values, initial=np.inf)
        if low <= 0:
            raise ValueError(
                f"log=True needs values above 0: got {low:g}; leave it out, or plot the distance to a known optimum "
                "with sf.plot.regret(result, optimum)"
            )


def draw_run(ax: "Axes", run: Run, *, log: bool = False) -> None:
    """Dots for evaluations, a line for the best so far, crosses at the bottom for failures, a star and a band for the
    value recommended; upright crosses for infeasible ones, at the bottom where it has no value."""
    shown = ending(run.best, run.best, larger=True) if run.several else _window(run, log)
    steps = run.numbers
    _draw_evaluations(ax, run, steps, shown)
    if np.isfinite(run.best).any():
        label, layer = ("the front so far", 1) if run.several else ("best so far", 3)
        ax.plot(steps, run.best, color=BLACK, drawstyle="steps-post", label=label, zorder=layer)
    absent = np.isnan(run.values) & run.infeasible
    _draw_infeasible(ax, run, steps, shown, absent)
    if run.failed.any():
        cross: dict[str, Any] = {"linestyle": "", "marker": "x", "markersize": 3.5, "color": VERMILION, "zorder": 2}
        cross |= {"label": f"failed ({int(run.failed.sum())})", "transform": ax.get_xaxis_transform()}
        ax.plot(steps[run.failed], np.full(int(run.failed.sum()), ROOM / 2), **cross)
    if run.recommended is not None:
        _draw_recommended(ax, run.recommended, shown)
    shown.lay(ax, below=2 * ROOM if run.failed.any() or absent.any() else ROOM)
    ends = (int(steps.min()), int(steps.max())) if len(steps) else (0, 0)
    finish(ax, ends, run.name, f" ({_better(run.larger)})", counted="trial")


def _better(larger: bool) -> str:
    return "larger is better" if larger else "smaller is better"


def draw_series(
    ax: "Axes", series: Sequence[Array], looks: Sequence[Look], name: str, *, larger: bool, log: bool = False
) -> None:
    """Something of several runs by evaluation, a line each."""
    for values, look in zip(series, looks, strict=True):
        line(ax, values, look)
    first, *others = (ending(values, values, larger=larger, log=log) for values in series)
    for shown in others:
        first = first.including(np.array([shown.low, shown.high]))
    first.lay(ax)
    finish(ax, (1, max(map(len, series))), name, f" ({_better(larger)})")


def line(ax: "Axes", values: Array, look: Look) -> None:
    """A series by evaluation, as steps."""
    style = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "label": look.label}
    steps = np.arange(1.0, len(values) + 1.0)
    ax.plot(steps, values, markevery=max(1, len(steps) // 6), drawstyle="steps-post", **style)


def _window(run: Run, log: bool) -> Window:
    """The range of the feasible values and the one recommended; of infeasible ones, what is not far from these."""
    known = run.feasible if np.isfinite(run.feasible).any() else run.values
    shown = ending(known, run.best, larger=run.larger, log=log)
    shown = shown if run.recommended is None else shown.including(np.array([run.recommended.value]))
    others = run.values[run.infeasible & np.isfinite(run.values)]
    width = shown.high / shown.low if log else shown.high - shown.low
    low, high = (shown.low / width, shown.high * width) if log else (shown.low - width, shown.high + width)
    return shown.including(others[(others >= low) & (others <= high)])


def _draw_evaluations(ax: "Axes", run: Run, steps: Array, shown: Window) -> None:
    beyond, heights = shown.beyond(run.values), shown.inside(run.values)
    size = 12.0 if len(steps) <= 200 else 5.0
    looks: dict[tuple[str, ...], dict[str, Any]] = {  # by origin; filled or not, so that they differ in print too
        ("given", "design"): {"label": "initial", "facecolors": "white", "edgecolors": ORANGE, "marker": "o"},
        ("model", "polish"): {"label": "by the model", "facecolors": BLUE, "edgecolors": BLUE, "marker": "o"},
        ("foreign",): {"label": "evaluated elsewhere", "facecolors": "white", "edgecolors": GREY, "marker": "s"},
    }
    for of, look in looks.items():
        these = np.isin([trial.origin for trial in run.trials], of) & np.isfinite(run.feasible)
        for far in (False, True):
            here, named = these & (beyond == far), (these & ~beyond).any()
            caret = ({"label": "_beyond"} if named else {}) | {"marker": shown.caret} if far else {}
            scatter(ax, steps, heights, here, s=size, **{"linewidths": 0.7} | look | caret)


def _draw_infeasible(ax: "Axes", run: Run, steps: Array, shown: Window, absent: Mask) -> None:
    """Upright crosses at the values, or triangles at the edge; those without a value at the bottom."""
    inside = (run.values >= shown.low) & (run.values <= shown.high)
    heights, label = shown.inside(run.values), f"infeasible ({int(run.infeasible.sum())})"
    for marker, side in (("+", inside), ("v", run.values < shown.low), ("^", run.values > shown.high)):
        cross = marker == "+"
        look = INFEASIBLE | {"marker": marker, "linewidths": 0.8 if cross else 0.0, "s": 18.0 if cross else 10.0}
        scatter(ax, steps, heights, run.infeasible & side, label=label, **look)
        label = "_beyond" if (run.infeasible & side).any() else label
    if absent.any():
        look = INFEASIBLE | {"s": 18.0, "transform": ax.get_xaxis_transform()}
        scatter(ax, steps, np.full(len(steps), ROOM / 2), absent, label=label, **look)


def _draw_recommended(ax: "Axes", recommended: Recommendation, shown: Window) -> None:
    """A star at its trial; a band of 95 % where the model leaves the value open, as noise does."""
    value, half = recommended.value, TWO_SIDED * recommended.deviation
    if 2 * half > VISIBLE * (shown.high - shown.low) and not (shown.log and half >= value):
        expected = f"{with_error(value, recommended.deviation)} (sd)"
        ax.axhspan(value - half, value + half, color=FAINT, linewidth=0, zorder=0, label="95 % band")
        ax.axhline(value, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1, label=expected)
    number = recommended.trial.number
    draw_star(ax, (number, value, f"{recommended.kind}: trial {number}"))


def finish(
    ax: "Axes",
    ends: tuple[int, int],
    name: str,
    after: str = "",
    *,
    legend: bool = True,
    counted: str = "number of evaluations",
) -> None:
    """The axis of evaluations, from the first to the last, the name of the other one, and a legend.

    A figure of one run has the numbers of its trials, from 0, as text has; elsewhere evaluations are counted from 1.
    """
    from matplotlib.ticker import MaxNLocator

    (first, last), room = ends, 0.5 + 0.02 * (ends[1] - ends[0])
    ax.set_xlim(first - room, max(first, last) + room)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel(counted)
    axis_name(ax, "y", name, after)
    settle(ax)
    if legend:
        legend_above(ax)


# ---------------------------------------------------------------------- regret


@styled()
def regret(
    result: Result | Sequence[Result] | Mapping[str, Result],
    optimum: float,
    kind: Kind = "simple",
    ax: "Axes | None" = None,
    *,
    log: bool | None = None,
) -> "Axes":
    """Plot the regret of a run against a known optimum: simple or cumulative.

    The values are those observed, noise included. Failed and infeasible evaluations do not count.
    Several objectives have no single optimum: `convergence` plots their hypervolume.

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
            "plot.regret plots the distance to one value, and there are several objectives; use convergence"
        )
    if kind not in ("simple", "cumulative"):
        raise ValueError(f"kind must be 'simple' or 'cumulative': got {short(kind)}")
    best = as_float(optimum, "optimum")
    if not any(one.history.feasible for one in results.values()):
        within = " that is feasible" if any(one.history.done for one in results.values()) else ""
        raise NoFinishedTrial(f"plot.regret plots values, and no evaluation has one{within} yet")
    shortfalls = [_shortfall(one, best) for one in results.values()]
    ax = axes_for(ax)
    logarithmic = kind == "simple" if log is None else as_bool(log, "log")
    label = "simple regret" if kind == "simple" else "cumulative regret"
    _draw_regrets(ax, [regret_series(r, kind) for r in shortfalls], _looks(results, ax), label, log=logarithmic)
    beyond = sum(int((r < 0).sum()) for r in shortfalls)
    if beyond:
        note(ax, f"{beyond} of the values are better than the given optimum")
    return ax


def _shortfall(result: Result, optimum: float) -> Array:
    """How much worse than the optimum each value is, (n,)."""
    sign = result.settings.sign()
    worse: Array = sign * (optimum - np.where(infeasible(result), np.nan, values_of(result)))
    known = worse[np.isfinite(worse)]
    if len(known) and (known < 0).all():
        side = "above" if sign > 0 else "below"
        raise ValueError(
            f"optimum={optimum:g} is not an optimum: every value is {side} it; give the "
            f"{'largest' if sign > 0 else 'smallest'} value that the objective can take, in its own units"
        )
    return worse


def _draw_regrets(ax: "Axes", series: Sequence[Array], looks: Sequence[Look], label: str, *, log: bool) -> None:
    """A line for each run; on a logarithmic axis what is 0 or less lies on the bottom, where the axis says so."""
    bottom = floor(series) if log else -np.inf
    for values, look in zip(series, looks, strict=True):
        line(ax, np.maximum(values, bottom), look)
    if log:
        decades(ax, "y")
        if any(np.nanmin(values, initial=np.inf) < bottom for values in series):
            note(ax, f"{bottom:.1g} stands for all smaller values")
    finish(ax, (1, max(map(len, series))), label, legend=len(looks) > 1)


def regret_series(shortfall: Array, kind: Kind) -> Array:
    """The series of a kind, (n,): a failed evaluation improves nothing and adds nothing; nan before the first value."""
    if kind == "simple":
        return np.asarray(np.fmin.accumulate(shortfall), dtype=float)
    summed: Array = np.where(np.isfinite(shortfall), shortfall, 0.0).cumsum()
    return summed
