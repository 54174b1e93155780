"""Where the points of a run lie: as lines across all parameters and objectives, and by pairs of parameters.

places   (n, D)   along the axes; nan where an evaluation lacks the parameter
shares   (n, D)   the same from 0 to 1, the ends of the axes
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.plot.axes import FEW, PANELS, ROOM, Scale, Shading, axis_name, colour_bar, room_for, settle, shading, slant
from suffice.plot.data import (
    Dimension,
    as_result,
    chosen,
    chosen_parameters,
    dimensions,
    evaluated,
    most_important,
    places_of,
    subject,
)
from suffice.plot.slices import MANY, draw_star, spread
from suffice.plot.style import BLUE, FAINT, FULL, LABEL, SMALL, axes_for, folded, number, panels_for, styled, tint
from suffice.record.trial import Trial
from suffice.result.front import Front
from suffice.result.result import Result
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Placed: TypeAlias = tuple[Scale, Array]  # an axis, and where trials lie on it, (n,)
State: TypeAlias = Literal["feasible", "infeasible", "failed"]
States: TypeAlias = NDArray[np.object_]  # of State

ACROSS = 8  # axes of a figure of lines, if none are named


@styled()
def parallel(
    result: Result, names: Sequence[str] | None = None, ax: "Axes | None" = None, *, output: str | None = None
) -> "Axes":
    """Plot every evaluation as a line across one axis for each parameter, coloured by its value.

    Darker is better, in both senses, and the best evaluation, with noise the recommended
    one, is a thicker line on top. A line has a gap where a
    parameter is inactive. Failed evaluations are left out, infeasible ones are faint. Of several objectives the front
    is coloured, across the objectives first, and the knee is the thicker line.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it; of a pool the axes are its features.
    names : list of str or None, default: None
        Parameters, objectives and constrained outputs in the order of their axes; None: all parameters, before them
        the objectives if there are several; or the most important parameters, where there are more than eight axes.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    output : str or None, default: None
        The output by which lines are coloured; None: the first objective.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    first = as_result(result, "parallel").settings.objective
    result, target = subject(result, first if output is None else output, "parallel")
    trials = [trial for trial in evaluated(result) if target in (trial.values or {})]
    axes, said = _axes(result, names, trials)
    values = np.array([trial.values[target] for trial in trials], dtype=float)
    strong, top = _strong(result, trials)
    ax = axes_for(ax, FULL, 3.0)
    colours = shading(values[strong] if strong.any() else values, larger=result.settings.sign(target) > 0)
    places = np.column_stack([places for _, places in axes])
    draw_parallel(ax, [scale for scale, _ in axes], places, values, colours, strong=strong, top=top, label=target)
    _say(ax, said)
    return ax


@styled()
def evaluations(result: Result, names: Sequence[str] | None = None, axes: Any = None) -> Any:
    """Plot the evaluations by pairs of parameters, coloured by their order, and how often each value was tried.

    Later evaluations are darker, crosses failed, upright crosses are infeasible, the star is the best point, with
    noise the recommended one, or the knee of the front of several objectives. Options are drawn a little apart from
    each other.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it; of a pool the axes are its features.
    names : list of str or None, default: None
        The parameters; None: all, or the most important ones of more than five.
    axes : ndarray or None, default: None
        An array (D, D) of axes to draw into, for D parameters; None makes a new figure.

    Returns
    -------
    ndarray
        The axes, (D, D): `axes.ravel()[0].figure` is the figure.
    """
    trials = evaluated(as_result(result, "evaluations"))
    if not trials:
        raise ValueError("plot.evaluations plots evaluations, but the result has none yet")
    taken, said = _taken(result, names, PANELS, "evaluations")
    D = len(taken)
    side = min(FULL, 1.3 * D + 1.0)
    axes = panels_for(axes, (D, D), (side + 0.6, side), f"plot.evaluations needs axes of shape ({D}, {D})")
    best, text = chosen(result.history)
    star = None if best is None else next(i for i, trial in enumerate(trials) if trial.number == best.number)
    states = np.array([_state(trial) for trial in trials], dtype=object)
    places = np.column_stack([places_of(result, d, trials) for d in taken])
    draw_matrix(axes, [d.scale for d in taken], places, states, star, f"the {text}")
    _say(axes[0, 0], said)
    return axes


def _state(trial: Trial) -> State:
    return "failed" if trial.state != "done" else "feasible" if trial.feasible else "infeasible"


def _strong(result: Result, trials: Sequence[Trial]) -> tuple[NDArray[np.bool_], int | None]:
    """Which lines are coloured, (n,), and which is on top: the front and its knee, or what is feasible and the best."""
    kept = Front(result.history).trials if result.settings.several else result.history.feasible
    numbers, (best, _) = {trial.number for trial in kept}, chosen(result.history)
    strong = np.array([trial.number in numbers for trial in trials], dtype=np.bool_)
    return strong, next((i for i, trial in enumerate(trials) if best is not None and trial.number == best.number), None)


def _axes(result: Result, names: Sequence[str] | None, trials: Sequence[Trial]) -> tuple[list[Placed], str]:
    """The axes of a figure of lines, each with the places of the trials on it, and what is to be said of others."""
    settings = result.settings
    known, outputs = dimensions(settings.space, "parallel"), settings.outputs
    if names is None:
        first = [_of_output(result, name, trials) for name in settings.objectives] if settings.several else []
        taken, said = _taken(result, None, max(ACROSS - len(first), 2), "parallel")
        return [*first, *_of_parameters(result, taken, trials)], said
    listed = [names] if isinstance(names, str) else list(names)
    mine = [name for name in listed if name not in outputs or name in settings.space.params]
    found = (
        {d.name: d for d in chosen_parameters(mine, known, settings.space, "parallel")} if mine or not listed else {}
    )
    placed = dict(zip(found, _of_parameters(result, list(found.values()), trials), strict=True))
    return [placed.get(name) or _of_output(result, name, trials) for name in listed], ""


def _of_parameters(result: Result, taken: Sequence[Dimension], trials: Sequence[Trial]) -> list[Placed]:
    return [(dimension.scale, places_of(result, dimension, trials)) for dimension in taken]


def _of_output(result: Result, name: str, trials: Sequence[Trial]) -> Placed:
    """The axis of an output, as far as the coloured lines reach; a little further than equal values."""
    y = np.array([trial.values.get(name, np.nan) for trial in trials], dtype=float)
    strong = _strong(result, trials)[0]
    known = y[np.isfinite(y) & (strong if strong.any() else True)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.0 if high > low else abs(low) / 10 or 1.0
    return Scale(name, low - room, high + room), y


def _taken(result: Result, names: Sequence[str] | None, most: int, what: str) -> tuple[list[Dimension], str]:
    """The axes of a figure, and what is to be said about those left out."""
    space = result.settings.space
    known = dimensions(space, what)
    if names is not None:
        return chosen_parameters(names, known, space, what), ""
    if not known:
        raise ValueError(f"plot.{what}: every parameter of the space is a constant")
    if len(known) <= most:
        return chosen_parameters(list(known), known, space, what), ""
    order, ranked = most_important(result, list(known))
    best = set(order[:most])
    said = f"{most} of {len(known)} parameters, " + ("the most important" if ranked else "the first")
    return [d for name, d in known.items() if name in best], said


def _say(ax: "Axes", text: str) -> None:
    if text:
        ax.set_title(text, loc="right", fontsize=SMALL)


# ---------------------------------------------------------------------- lines across all axes


def draw_parallel(
    ax: "Axes",
    scales: Sequence[Scale],
    places: Array,
    values: Array,
    shading: Shading,
    *,
    strong: NDArray[np.bool_],
    top: int | None,
    label: str = "value",
) -> None:
    """A line for each evaluation, (n, D) places and (n,) values, the best on top; a gap where a parameter is absent.

    strong   (n,)   which are coloured: the others are faint and behind          top   the thick one, a row
    """
    from matplotlib.collections import LineCollection

    shares = np.column_stack([_along(scale, places[:, j]) for j, scale in enumerate(scales)])
    best_last = np.argsort(values if shading.larger else -values, kind="stable")
    thick = -1 if top is None else top
    best_last = best_last[np.argsort(strong[best_last] + (best_last == thick), kind="stable")]
    drawn, owner = _pieces(shares[best_last])
    rows = best_last[owner]
    colours = shading.colours(values[rows])
    colours[~strong[rows]] = FAINT
    widths, opacity = np.where(rows == thick, 2.2, 0.8), np.where(strong[rows], 0.85, FAINT[3])
    look: dict[str, Any] = {"capstyle": "round", "rasterized": len(values) > MANY, "label": "evaluations"}
    lines = LineCollection(drawn, colors=colours, linewidths=widths, alpha=opacity, **look)
    ax.add_collection(lines, autolim=False)
    _draw_axes(ax, scales)
    shading.bar(ax, label)


def _along(scale: Scale, places: Array) -> Array:
    """Shares of an axis; options lie inside of it, as bars would."""
    if scale.options:
        share: Array = (places + 0.5) / len(scale.options)
        return share
    return scale.share(places)


def _pieces(shares: Array) -> tuple[list[Array], Array]:
    """The stretches of each line without a gap, (k, 2) each, and which line each is of; a single point is a dash."""
    pieces, owner = [], []
    for row, line in enumerate(shares):
        known = np.flatnonzero(np.isfinite(line))
        for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1) if len(known) else ():
            x = run.astype(float) if len(run) > 1 else np.array([run[0] - 0.08, run[0] + 0.08])
            pieces.append(np.column_stack([x, line[run] if len(run) > 1 else np.repeat(line[run], 2)]))
            owner.append(row)
    return pieces, np.array(owner, dtype=np.intp)


def _draw_axes(ax: "Axes", scales: Sequence[Scale]) -> None:
    """A vertical line for each parameter, its name below, its ends or options beside it."""
    from matplotlib.ticker import NullLocator

    letters = max(3, int(0.8 * room_for(ax) / max(len(scales), 1)) - 1)  # a colour bar takes the rest
    for j, scale in enumerate(scales):
        ax.axvline(j, ymin=ROOM / (1 + 2 * ROOM), ymax=1 - ROOM / (1 + 2 * ROOM), color="#555555", linewidth=0.8)
        for share, text in ticks(scale, letters):
            box = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4}
            ax.text(j, share, f" {text}", fontsize=SMALL, va="center", ha="left", zorder=5, bbox=box)
    slanted = any(len(scale.name) > letters for scale in scales)
    names = [folded(scale.name, 24 if slanted else letters, 2) for scale in scales]
    ax.set_xticks(range(len(scales)), names, fontsize=LABEL if letters > 6 else SMALL)
    if slanted:
        slant(ax)
    ax.yaxis.set_major_locator(NullLocator())
    ax.set_xlim(-0.1, max(len(scales), 1) - 1 + 0.8)
    ax.set_ylim(-ROOM, 1 + ROOM)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def ticks(scale: Scale, letters: int) -> list[tuple[float, str]]:
    """What stands beside an axis: options, or the two ends of a range."""
    if scale.options:
        every = -(-len(scale.options) // (FEW // 2))
        places = range(0, len(scale.options), every)
        return [((k + 0.5) / len(scale.options), folded(scale.options[k], letters, 2)) for k in places]
    return [(0.0, _end(scale.low, letters)), (1.0, _end(scale.high, letters))]


def _end(value: float, letters: int) -> str:
    """An end of a range, with as many of its digits as there is room for."""
    plain = (text for digits in (4, 3, 2) if "e" not in (text := f"{value:.{digits}g}") and len(text) <= letters)
    return next(plain, number(value, min(letters, 7)))


# ---------------------------------------------------------------------- pairs of parameters


def draw_matrix(
    axes: Any, scales: Sequence[Scale], places: Array, states: States, best: int | None, text: str = "the best point"
) -> None:
    """The panels of a matrix, (D, D): histograms on its diagonal, pairs below, nothing above.

    states   (n,)   what became of the evaluations        best   the one that is a star
    """
    D, drawn = len(scales), None
    for i in range(D):
        for j in range(D):
            ax = axes[i, j]
            if j > i:
                ax.set_axis_off()
                continue
            if i == j:
                _draw_counts(ax, scales[i], places[:, i])
            else:
                drawn = _draw_pair(ax, (scales[j], scales[i]), places[:, j], places[:, i], states)
                if best is not None and np.isfinite(places[best, [i, j]]).all():
                    x, y = (float(spread(places[:, k], scales[k], t)[best]) for t, k in enumerate((j, i)))
                    draw_star(ax, (x, y, text))
            _name(ax, scales[j], scales[i], bottom=i == D - 1, left=j == 0 and i > 0)
    if drawn is not None and D > 1:
        colour_bar(axes.ravel().tolist(), drawn, "order of evaluation", whole=True, shrink=0.6)


def _draw_pair(ax: "Axes", scales: tuple[Scale, Scale], x: Array, y: Array, states: States) -> Any:
    order, drawn = np.arange(1, len(x) + 1), {}
    here, size = np.isfinite(x) & np.isfinite(y), 7.0 if len(x) <= 300 else 3.0
    x, y = spread(x, scales[0]), spread(y, scales[1], 1)
    shade: dict[str, Any] = {"cmap": "cividis_r", "vmin": 1, "vmax": max(len(x), 2), "rasterized": len(x) > MANY}
    kinds: dict[State, tuple[str, float, str]] = {  # the marker, the width of its lines, and what it is; dark is late
        "feasible": ("o", 0.0, "evaluations"),
        "infeasible": ("+", 0.8, "infeasible"),
        "failed": ("x", 0.8, "failed"),
    }
    for state, (marker, width, label) in kinds.items():
        those = here & (states == state)
        look: dict[str, Any] = {"marker": marker, "linewidths": width, "s": size * (2.0 if marker == "+" else 1.0)}
        drawn[state] = ax.scatter(x[those], y[those], c=order[those], label=label, **shade, **look)
    return drawn["feasible"]


def _draw_counts(ax: "Axes", scale: Scale, places: Array) -> None:
    known = places[np.isfinite(places)]
    even = np.linspace(0.0, 1.0, 13)
    bounds = np.arange(len(scale.options) + 1) - 0.5 if scale.options else scale.place(even)
    counts, _ = np.histogram(known, bounds)
    look: dict[str, Any] = {"align": "edge", "color": tint(BLUE, 0.5), "edgecolor": "white", "linewidth": 0.4}
    ax.bar(bounds[:-1], counts, np.diff(bounds), **look)
    ax.set_ylim(0, max(1, counts.max()) * 1.08)


def _name(ax: "Axes", across: Scale, along: Scale, *, bottom: bool, left: bool) -> None:
    """Names and ticks at the outer panels only; a histogram's counts have none."""
    from matplotlib.ticker import NullFormatter, NullLocator

    across.lay(ax, "x", ticks=3, label=False)
    if across is along:
        ax.yaxis.set_major_locator(NullLocator())
    else:
        along.lay(ax, "y", ticks=3, label=False)
    for axis, named in ((ax.xaxis, bottom), (ax.yaxis, left)):
        if not named:
            axis.set_major_formatter(NullFormatter())
    if bottom:
        axis_name(ax, "x", across.name)
    if left:
        axis_name(ax, "y", along.name)
    settle(ax)
