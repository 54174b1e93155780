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
from suffice.plot.axes import ROOM, Window, legend_above, note, settle, window
from suffice.plot.data import as_results, evaluated, infeasible, values_of
from suffice.plot.labels import floor
from suffice.plot.slices import INFEASIBLE, MANY, draw_star
from suffice.plot.style import (
    BLACK,
    BLUE,
    FAINT,
    GREY,
    ORANGE,
    VERMILION,
    Look,
    axes_for,
    decades,
    looks,
    number,
    styled,
    words,
)
from suffice.record.settings import Opaque
from suffice.record.trial import EVALUATED
from suffice.result.front import Front
from suffice.result.predict import TWO_SIDED, Recommendation
from suffice.result.result import Result
from suffice.text import visible
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mask = NDArray[np.bool_]
Kind: TypeAlias = Literal["simple", "cumulative"]

# How evaluations look by the origins of their trials: filled or not, so that they differ in print too.
ORIGINS: dict[tuple[str, ...], dict[str, Any]] = {
    ("given", "design"): {"label": "initial", "facecolors": "white", "edgecolors": ORANGE, "marker": "o"},
    ("model",): {"label": "by the model", "facecolors": BLUE, "edgecolors": BLUE, "marker": "o"},
    ("foreign",): {"label": "told from elsewhere", "facecolors": "white", "edgecolors": GREY, "marker": "s"},
}
VISIBLE = 0.01  # of the axis: a band that is wider is drawn


@styled()
def convergence(
    result: Result | Sequence[Result] | Mapping[str, Result],
    ax: "Axes | None" = None,
    *,
    log: bool = False,
    recommended: bool = True,
) -> "Axes":
    """Draw the values of a run, evaluation by evaluation, with the best so far and the value recommended.

    Rings are initial points, dots are the model's, crosses at the bottom are failures, upright crosses infeasible
    evaluations, and triangles at the edge are values beyond the axis. The star is the recommended point at the value
    that the model expects there, with a band of 95 % where noise leaves it open. Several results have a line each.

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


def _looks(results: Mapping[str, Result]) -> list[Look]:
    return list(looks({label: visible(label, 24) for label in results}).values())


def _run(result: Result, recommended: bool) -> "Run":
    trials = evaluated(result)
    found = None
    if recommended and result.history.done and not isinstance(result.settings.model, Opaque):
        chosen = result._recommendation
        if chosen is not None:  # else nothing is within all limits
            place = next(i for i, trial in enumerate(trials, start=1) if trial.number == chosen.trial.number)
            found = place, chosen
    origins = tuple(trial.origin for trial in trials)
    name, larger = result.settings.objective, result.settings.sign() > 0
    return Run(values_of(result), origins, larger, found, infeasible(result), name)


def _refuse_logarithms(runs: "Sequence[Run]") -> None:
    for run in runs:
        low = np.nanmin(run.values, initial=np.inf)
        if low <= 0:
            raise ValueError(
                f"log=True needs values above 0: got {low:g}; leave it out, or draw the distance to a known optimum "
                "with sf.plot.regret(result, optimum)"
            )


# ---------------------------------------------------------------------- values


@dataclass(frozen=True)
class Run:
    """What happened, (n,) each."""

    values: Array
    origins: tuple[str, ...]  # of the trials
    larger: bool  # larger values are better
    recommended: tuple[int, Recommendation] | None = None  # its evaluation, from 1
    infeasible: Mask | None = None  # beyond a limit, with or without a value; None: none is
    name: str = "value"

    @property
    def best(self) -> Array:
        """The best feasible value so far; nan before there is one."""
        better = np.fmax if self.larger else np.fmin
        return np.asarray(better.accumulate(self.feasible), dtype=float)

    @property
    def beyond(self) -> Mask:
        """Which evaluations are beyond a limit."""
        return np.zeros(len(self.values), dtype=np.bool_) if self.infeasible is None else self.infeasible

    @property
    def feasible(self) -> Array:
        """The values of the others; nan elsewhere."""
        values: Array = np.where(self.beyond, np.nan, self.values)
        return values


def draw_run(ax: "Axes", run: Run, *, log: bool = False) -> None:
    """Dots for evaluations, a line for the best so far, crosses at the bottom for failures, a star and a band for the
    value recommended; upright crosses for what is beyond a limit, at the bottom where it has no value."""
    shown = _window(run, log)
    steps = np.arange(1.0, len(run.values) + 1.0)
    _draw_evaluations(ax, run, steps, shown)
    if np.isfinite(run.best).any():
        ax.plot(steps, run.best, color=BLACK, drawstyle="steps-post", label="best so far", zorder=3)
    failed, absent = np.isnan(run.values) & ~run.beyond, np.isnan(run.values) & run.beyond
    _draw_infeasible(ax, run, steps, shown, at_bottom=absent)
    draw_failures(ax, steps[failed])
    if run.recommended is not None:
        _draw_recommended(ax, *run.recommended, shown)
    shown.lay(ax, below=2 * ROOM if failed.any() or absent.any() else ROOM)
    better = "larger" if run.larger else "smaller"
    finish(ax, len(steps), f"{words(run.name, 20)} ({better} is better)")


def draw_growth(ax: "Axes", volume: Array, origins: Sequence[str], failed: Mask, infeasible: Mask) -> None:
    """The hypervolume of the front so far, (n,), with a dot where an evaluation raised it; the rest at the bottom."""
    steps, raised = np.arange(1.0, len(volume) + 1.0), np.diff(volume, prepend=0.0) > 0.0
    ax.plot(steps, volume, color=BLACK, drawstyle="steps-post", label="the front so far", zorder=1)
    for of, look in ORIGINS.items():
        here = raised & np.isin(origins, of)
        if here.any():
            ax.scatter(steps[here], volume[here], s=12.0, linewidths=0.7, zorder=2, **look)
    _draw_marks(ax, steps[infeasible])
    draw_failures(ax, steps[failed])
    shown = window(volume, larger=True).including(np.zeros(1))
    shown.lay(ax, below=2 * ROOM if failed.any() or infeasible.any() else ROOM)
    finish(ax, len(steps), "hypervolume (larger is better)")


def draw_runs(ax: "Axes", runs: Sequence[Run], looks: Sequence[Look], *, log: bool = False) -> None:
    """The best value so far of several runs, a line each."""
    larger = runs[0].larger
    label = f"best value so far ({'larger' if larger else 'smaller'} is better)"
    draw_series(ax, [run.best for run in runs], looks, label, larger=larger, log=log)


def draw_series(
    ax: "Axes", series: Sequence[Array], looks: Sequence[Look], label: str, *, larger: bool, log: bool = False
) -> None:
    """Something of several runs by evaluation, a line each."""
    for values, look in zip(series, looks, strict=True):
        line(ax, values, look)
    window(np.concatenate(list(series)), larger=larger, log=log).lay(ax)
    finish(ax, max(map(len, series)), label)


def line(ax: "Axes", values: Array, look: Look) -> None:
    """A series by evaluation, as steps."""
    style = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "label": look.label}
    steps = np.arange(1.0, len(values) + 1.0)
    ax.plot(steps, values, markevery=max(1, len(steps) // 6), drawstyle="steps-post", **style)


def _window(run: Run, log: bool) -> Window:
    """The range of the feasible values and the one recommended; of those beyond a limit, what is not far from these."""
    known = run.feasible if np.isfinite(run.feasible).any() else run.values
    known = known if run.recommended is None else np.append(known, run.recommended[1].value)
    shown = window(known, larger=run.larger, log=log)
    others = run.values[run.beyond & np.isfinite(run.values)]
    width = shown.high / shown.low if log else shown.high - shown.low
    low, high = (shown.low / width, shown.high * width) if log else (shown.low - width, shown.high + width)
    return shown.including(others[(others >= low) & (others <= high)])


def _draw_evaluations(ax: "Axes", run: Run, steps: Array, shown: Window) -> None:
    beyond = shown.beyond(run.values)
    size = 12.0 if len(steps) <= 200 else 5.0
    for of, look in ORIGINS.items():
        for far in (False, True):
            here = np.isin(run.origins, of) & np.isfinite(run.feasible) & (beyond == far)
            if here.any():
                label: dict[str, Any] = {"label": "_beyond", "marker": shown.caret} if far else {}
                ax.scatter(
                    steps[here],
                    shown.inside(run.values[here]),
                    s=size,
                    linewidths=0.7,
                    zorder=2,
                    rasterized=len(steps) > MANY,
                    **look | label,
                )


def _draw_infeasible(ax: "Axes", run: Run, steps: Array, shown: Window, *, at_bottom: Mask) -> None:
    """Upright crosses at the values, or triangles at the edge; those without a value at the bottom."""
    valued = run.beyond & np.isfinite(run.values)
    label: str | None = f"infeasible ({int(run.beyond.sum())})"
    sides = (("+", (run.values >= shown.low) & (run.values <= shown.high)), ("v", run.values < shown.low))
    for marker, side in (*sides, ("^", run.values > shown.high)):
        those = valued & side
        if those.any():
            look = INFEASIBLE | {"marker": marker, "linewidths": 0.8 if marker == "+" else 0.0}
            heights = shown.inside(run.values[those])
            ax.scatter(steps[those], heights, s=18.0 if marker == "+" else 10.0, zorder=2, label=label, **look)
            label = "_beyond"
    _draw_marks(ax, steps[at_bottom], label)


def _draw_marks(ax: "Axes", steps: Array, label: str | None = None) -> None:
    """Upright crosses at the bottom, for evaluations beyond a limit."""
    if len(steps):
        said = f"infeasible ({len(steps)})" if label is None else label
        heights, transform = np.full(len(steps), ROOM / 2), ax.get_xaxis_transform()
        ax.scatter(steps, heights, s=18.0, transform=transform, zorder=2, label=said, **INFEASIBLE)


def draw_failures(ax: "Axes", steps: Array) -> None:
    """Crosses at the bottom, for evaluations that failed."""
    if len(steps):
        cross: dict[str, Any] = {"linestyle": "", "marker": "x", "markersize": 3.5, "color": VERMILION, "zorder": 2}
        heights, transform = np.full(len(steps), ROOM / 2), ax.get_xaxis_transform()
        ax.plot(steps, heights, transform=transform, label=f"failed ({len(steps)})", **cross)


def _draw_recommended(ax: "Axes", evaluation: int, recommended: Recommendation, shown: Window) -> None:
    """A star where it was evaluated; a band of 95 % where the model leaves the value open, as noise does."""
    value, half = recommended.value, TWO_SIDED * recommended.deviation
    said = f"recommended: {number(value)}"
    if 2 * half > VISIBLE * (shown.high - shown.low) and not (shown.log and half >= value):
        ax.axhspan(value - half, value + half, color=FAINT, linewidth=0, zorder=0, label="_band")
        ax.axhline(value, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1, label="_level")
        said = f"recommended: {value:.3g} ± {half:.1g}"
    draw_star(ax, (evaluation, value, said))


def finish(ax: "Axes", count: int, label: str) -> None:
    """The axis of evaluations, the name of the other one, and a legend."""
    evaluations_axis(ax, count)
    ax.set_ylabel(label)
    settle(ax)
    legend_above(ax)


def evaluations_axis(ax: "Axes", count: int) -> None:
    """The horizontal axis, from the first evaluation to the last."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(0.5 - 0.02 * count, max(count, 1) + 0.5 + 0.02 * count)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel("evaluations")


# ---------------------------------------------------------------------- hypervolumes


def _volumes(results: Mapping[str, Result], log: bool, ax: "Axes | None") -> "Axes":
    """The hypervolume of one run, or of several above one reference point."""
    if log:
        raise ValueError("plot.convergence: log=True is for the values of one objective; hypervolumes may be 0")
    histories = [one.history for one in results.values()]
    ax = axes_for(ax)
    if len(histories) > 1:
        fronts = [Front(history) for history in histories]
        references = [front.reference for front in fronts if front.reference is not None]
        volumes = [front.above(references) for front in fronts]
        draw_series(ax, volumes, _looks(results), "hypervolume (larger is better)", larger=True)
        return ax
    trials = [trial for trial in histories[0].trials if trial.state in EVALUATED]
    failed = np.array([trial.state == "failed" for trial in trials], dtype=np.bool_)
    beyond = np.array([trial.state == "done" and not trial.feasible for trial in trials], dtype=np.bool_)
    draw_growth(ax, Front(histories[0]).hypervolume, [trial.origin for trial in trials], failed, beyond)
    return ax


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


def draw_regrets(ax: "Axes", shortfalls: Sequence[Array], looks: Sequence[Look], *, kind: Kind, log: bool) -> None:
    """A line for each run; on a logarithmic axis what is 0 or less lies on the bottom, where the axis says so."""
    series = [regret_series(r, kind) for r in shortfalls]
    bottom = floor(series) if log else -np.inf
    for values, look in zip(series, looks, strict=True):
        line(ax, np.maximum(values, bottom), look)
    evaluations_axis(ax, max(map(len, shortfalls)))
    if log:
        decades(ax, "y")
        if any(np.nanmin(values, initial=np.inf) < bottom for values in series):
            note(ax, f"{bottom:.1g} stands for all that is smaller")
    ax.set_ylabel("regret of the best so far" if kind == "simple" else "sum of the regrets so far")
    settle(ax)
    if len(looks) > 1:
        legend_above(ax)


def regret_series(shortfall: Array, kind: Kind) -> Array:
    """The series of a kind, (n,): a failed evaluation improves nothing and adds nothing; nan before the first value."""
    if kind == "simple":
        return np.asarray(np.fmin.accumulate(shortfall), dtype=float)
    summed: Array = np.where(np.isfinite(shortfall), shortfall, 0.0).cumsum()
    return summed
