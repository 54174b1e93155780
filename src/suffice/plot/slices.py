"""What the model of a run predicts for an output, along one parameter and over two, with the evaluations beside it.

places   (m,)         along the axis                median, low, high   (m,)   nan where no point of the space is
P        (m,)         probability that a point is feasible, nan where none is
x, y     (m,), (k,)   places along two axes         Z, P   (k, m)   the median and P over them
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.belief import VALUE
from suffice.checks import short
from suffice.plot.axes import FEW, Scale, Shading, Window, axis_name, legend_above, room_for, settle, shading, window
from suffice.plot.data import (
    Centre,
    Dimension,
    centre,
    chosen_parameters,
    feasible_probability,
    infeasible,
    made_of_parameters,
    most_important,
    of_parameters,
    places_of,
    subject,
    through,
    values_of,
)
from suffice.plot.style import BLACK, BLUE, COLUMN, FAINT, FULL, axes_for, folded, panels_for, styled, tint, words
from suffice.record.outputs import Limit
from suffice.result.display import VERMILION
from suffice.result.predict import Surface, surface
from suffice.result.result import Result
from suffice.threads import usual_errors
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

Star: TypeAlias = tuple[float, float, str]  # its place, and what it is

ALONG, OVER = 101, 41  # places of a slice, and of each side of a contour
SLICES = 4  # of a figure, if no parameters are named
OPTIONS = 60  # of a parameter: cells that can still be seen
# What is added for each evaluation, modulo 1, on the first and the second axis: the multiples lie evenly in a square.
EVEN = (0.7548776662466927, 0.5698402909980532)
MANY = 1000  # markers: more are stored as an image in files of lines
EVEN_CHANCE = 0.5  # that a point is feasible: below, it is shaded
# The label of the shade, in slices as in contours.
UNLIKELY = "probably infeasible"
# An infeasible evaluation is an upright cross, faint; one that failed is a slanted one.
INFEASIBLE: dict[str, Any] = {"marker": "+", "color": tint(BLACK, 0.45), "linewidths": 0.8}


@styled()
def slice(
    result: Result,
    name: str | Sequence[str] | None = None,
    at: Any = None,
    ax: Any = None,
    *,
    output: str | None = None,
) -> Any:
    """Plot the prediction along one parameter, with all others fixed at a point.

    The line is the posterior median with a band of 95 %, noise left out; where a parameter takes a few values only,
    each has a marker. Dots are all evaluations, whatever their other parameters are, so they need not lie on the line.
    The star is the point itself. Parameters that an option activates have the values of the best point that has them;
    where the point lacks the parameter there is no star, and the label has the options that are assumed.

    Upright crosses are infeasible evaluations, the background is grey where the predicted probability to be feasible is
    below ½, and a dashed line is the constraint of the plotted output. There is a gap where no point is allowed.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    name : str, list of str or None, default: None
        A parameter, or a list of them; None: the most important ones, four at most.
    at : point or None, default: None
        A point, as the objective takes it; None: the best point, with noise the recommended one, or the best one that
        has the parameter; of several objectives the knee of the front.
    ax : matplotlib.axes.Axes, list or None, default: None
        Axes to draw into, for several names a list of as many; None makes a new figure.
    output : str or None, default: None
        The output that is drawn, an objective or a constrained one; None: the only objective.

    Returns
    -------
    matplotlib.axes.Axes or ndarray
        The axes for one name, else an array of them, a panel for each name.
    """
    result, target = subject(result, output, "slice")
    space, sign = result.settings.space, result.settings.sign(target)
    known = of_parameters(space, "slice")
    names = most_important(result, list(known), target)[0][:SLICES] if name is None else name
    taken = chosen_parameters(names, known, space, "slice")
    found = surface(result.history, name=target)
    cuts = [cut_of(result, found, dimension, at) for dimension in taken]
    limit = result.settings.constraints.get(target)
    shown = window(np.concatenate([values_of(result, target), *(curve.median for curve, _ in cuts)]), larger=sign > 0)
    if limit is not None:  # and some of what is beyond it
        # a quarter of the range beyond the constraint is shown
        shown = shown.including(np.array([limit.limit, limit.limit - sign * 0.25 * (shown.high - shown.low)]))
    for dimension, (curve, _) in zip(taken, cuts, strict=True):
        shown = shown.including(curve.median) if dimension.scale.options else shown  # every option is seen
    axes = [axes_for(ax)] if isinstance(name, str) else _panels(ax, len(taken))
    for panel, dimension, (curve, star) in zip(axes, taken, cuts, strict=True):
        dots = _dots(result, [dimension], target)
        draw_curve(panel, dimension.scale, curve, shown, dots=dots, star=star, vertical=target, limit=limit)
    legend_above(axes[0])
    return axes[0] if isinstance(name, str) else np.array(axes, dtype=object)


@styled()
def contour(
    result: Result,
    x: str | None = None,
    y: str | None = None,
    at: Any = None,
    ax: "Axes | None" = None,
    *,
    output: str | None = None,
) -> "Axes":
    """Plot the prediction over two parameters, with all others fixed at a point.

    Colours are the posterior median, darker is better in both senses; where a parameter takes a few values only there
    are cells instead of contours. Rings are all evaluations, whatever their other parameters are, crosses failed ones,
    upright crosses infeasible ones, and the star is the point itself. What is probably infeasible is hatched, and where
    no point is allowed nothing is drawn.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    x, y : str or None, default: None
        Two parameters; None: the most important ones.
    at : point or None, default: None
        A point, as the objective takes it; None: the best point, with noise the recommended one, or the best one that
        has both parameters; of several objectives the knee of the front.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    output : str or None, default: None
        The output that is drawn, an objective or a constrained one; None: the only objective.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    result, target = subject(result, output, "contour")
    pair = pair_of(result, x, y, target)
    field, section = field_of(result, pair, target, at, "contour")
    ax = axes_for(ax, FULL * 0.7, 3.6)
    draw_field(
        ax,
        (pair[0].scale, pair[1].scale),
        field,
        shading(field.Z.ravel(), larger=result.settings.sign(target) > 0),
        dots=_dots(result, pair, target),
        star=None if section.centre.inactive else (section.here[0], section.here[1], section.centre.text),
        label="median" if target == VALUE else f"median of {target}",
    )
    _say_inactive(ax, section.centre.inactive)
    return ax


@dataclass(frozen=True)
class Section:
    """Rows of the cube through a point, and which of them are points of the space."""

    centre: Centre
    here: tuple[float, ...]  # the place of the point on each axis
    X: Array
    allowed: NDArray[np.bool_]
    probability: Array | None  # that they are feasible, nan where no point is allowed; None: there are no constraints


def section_of(result: Result, at: Any, varied: Sequence[Dimension], blocks: Sequence[Array], what: str) -> Section:
    space, middle = made_of_parameters(result.settings.space), centre(result, at, varied, what)
    X, allowed = through(space, middle.base, varied, blocks)
    probable, P = feasible_probability(result, X[allowed]), np.full(len(X), np.nan)
    P[allowed] = np.nan if probable is None else probable
    here = tuple(float(dimension.places(space, middle.x[None])[0]) for dimension in varied)
    return Section(middle, here, X, allowed, None if probable is None else P)


def _dots(result: Result, varied: Sequence[Dimension], target: str) -> "Dots":
    return Dots(tuple(places_of(result, d) for d in varied), values_of(result, target), infeasible(result))


def crossed(pair: Sequence[Dimension], count: int) -> tuple[Array, Array, list[Array]]:
    """The places along both axes, (m,) and (k,), and the columns of all pairs of them, (k m, w) each."""
    for dimension in pair:
        if len(dimension.scale.options) > OPTIONS:
            raise ValueError(
                f"{dimension.name!r} has {len(dimension.scale.options)} options, but a figure of two parameters has "
                f"room for {OPTIONS}; plot it with plot.slice"
            )
    (across, across_blocks), (along, along_blocks) = (dimension.grid(count) for dimension in pair)
    blocks = [np.tile(across_blocks, (len(along), 1)), np.repeat(along_blocks, len(across), axis=0)]
    return across, along, blocks


def _panels(given: Any, count: int) -> list[Any]:
    """A panel for each of several names: those given, or new ones, two in a row."""
    if given is not None:
        return list(panels_for(given, (1, count), (FULL, FULL), f"plot.slice needs {count} axes, one for each name")[0])
    columns = min(2, count)
    down = -(-count // columns)
    axes = panels_for(None, (down, columns), (FULL if columns > 1 else COLUMN, 0.4 + 2.1 * down), "").ravel()
    for empty in axes[count:]:
        empty.remove()
    return list(axes[:count])


def pair_of(result: Result, x: str | None, y: str | None, target: str) -> list[Dimension]:
    """Two parameters, the most important ones in place of those that are not named."""
    space = result.settings.space
    known = of_parameters(space, "contour")
    for name in (x, y):
        if isinstance(name, list | tuple):
            raise TypeError(f"plot.contour takes two names, plot.contour(result, 'x', 'y'): got the list {short(name)}")
    named = [name for name in (x, y) if name is not None]
    if len(known) < 2:
        raise ValueError(
            f"plot.contour plots two parameters, but the space has one, {next(iter(known))!r}; plot it with plot.slice"
        )
    for name in named:
        chosen_parameters(name, known, space, "contour")  # refused before anything is fitted
    if len(named) < 2:
        others = iter(n for n in most_important(result, list(known), target)[0] if n not in named)
        named = [next(others) if name is None else name for name in (x, y)]
    return chosen_parameters(named, known, space, "contour")


@usual_errors()
def field_of(
    result: Result, pair: Sequence[Dimension], target: str, at: Any, what: str, count: int = OVER
) -> "tuple[Field, Section]":
    """The prediction over two parameters, at `count` places of each, and the section that it is made of."""
    across, along, blocks = crossed(pair, count)
    section, shape = section_of(result, at, pair, blocks, what), (len(along), len(across))
    Z = np.full(len(section.X), np.nan)
    Z[section.allowed] = surface(result.history, name=target).median(section.X[section.allowed])
    P = None if section.probability is None else section.probability.reshape(shape)
    return Field(across, along, Z.reshape(shape), P), section


@usual_errors()
def cut_of(result: Result, found: Surface, dimension: Dimension, at: Any) -> "tuple[Curve, Star]":
    """The curve of a slice and the place of the point on it."""
    places, block = dimension.grid(ALONG)
    section = section_of(result, at, [dimension], [block], "slice")
    said = np.full((3, len(section.X)), np.nan)
    said[:, section.allowed] = found.at(section.X[section.allowed])
    height = float(found.median(section.centre.x[None])[0])
    curve = Curve(places, said[0], said[1], said[2], section.probability, section.centre.inactive)
    return curve, (section.here[0], height, section.centre.text)


# ---------------------------------------------------------------------- along one parameter


@dataclass(frozen=True)
class Curve:
    """What is said of the objective at places along an axis."""

    places: Array
    median: Array
    low: Array
    high: Array
    probability: Array | None = None  # None: there are no constraints
    inactive: str = ""  # the point to use lacks the parameter, so there is no star: what is assumed instead


@dataclass(frozen=True)
class Dots:
    """Evaluations: where they lie along the axis or axes, nan if they lack a parameter, and what came of them."""

    places: tuple[Array, ...]  # (n,) for each axis
    values: Array  # nan where there is none
    infeasible: NDArray[np.bool_]


def draw_curve(
    ax: "Axes",
    scale: Scale,
    curve: Curve,
    shown: Window,
    *,
    dots: Dots | None = None,
    star: Star | None = None,
    labels: tuple[str, str] = ("median", "95 % band"),
    vertical: str = "value",
    limit: Limit | None = None,
) -> None:
    """A line with its band; where the parameter takes a few values only, a marker with a whisker for each.

    Where a point is probably infeasible the background is grey.
    """
    if dots is not None:
        _draw_dots(ax, scale, dots, shown)
    if _separate(scale, curve.places):
        _draw_whiskers(ax, curve, labels)
    else:
        ax.fill_between(
            curve.places, curve.low, curve.high, color=tint(BLUE, 0.22), linewidth=0, zorder=1, label=labels[1]
        )
        ax.plot(curve.places, curve.median, color=BLUE, label=labels[0], zorder=3)
    if star is not None and not curve.inactive:
        draw_star(ax, star)
    if limit is not None:
        ax.axhline(limit.limit, color=VERMILION, linewidth=0.9, linestyle=(0, (4, 2)), zorder=2, label=str(limit))
    if curve.probability is not None:
        _shade(ax, scale, curve.places, curve.probability)
    shown.lay(ax)
    scale.lay(ax, "x")
    _say_inactive(ax, curve.inactive)
    axis_name(ax, "y", vertical)
    settle(ax)


def _say_inactive(ax: "Axes", text: str) -> None:
    """Below the name of an axis, that the point to use lacks its parameter."""
    if text:
        ax.set_xlabel(f"{ax.get_xlabel()}\n{folded(text, max(14, 2 * room_for(ax) // 3), 3)}")


def draw_star(ax: "Axes", star: Star) -> None:
    """A star at the point that a figure is about."""
    x, y, text = star
    look: dict[str, Any] = {"color": BLACK, "markerfacecolor": "white", "markeredgewidth": 0.8, "zorder": 4}
    ax.plot([x], [y], linestyle="", marker="*", markersize=9, label=words(text), **look)


def scatter(ax: "Axes", x: Array, y: Array, which: NDArray[np.bool_], **look: Any) -> None:
    """Markers for some evaluations, if there are any; many are stored as an image in files of lines."""
    if which.any():
        ax.scatter(x[which], y[which], rasterized=len(x) > MANY, **{"zorder": 2} | look)


def spread(places: Array, scale: Scale, which: int = 0) -> Array:
    """Places of evaluations, those of options a little beside them, so that equal ones are seen apart."""
    if not scale.options:
        return places
    even = (np.arange(len(places)) * EVEN[which]) % 1.0
    beside: Array = places + 0.4 * (even - 0.5)
    return beside


def _separate(scale: Scale, places: Array) -> bool:
    """Whether a parameter takes a few values only, between which nothing is drawn."""
    return bool(scale.options) or (scale.whole and len(places) <= FEW)


def edges(places: Array, scale: Scale) -> Array:
    """Where cells around places begin and end, (m + 1,): half way to the next place on the axis."""
    share = scale.share(places)
    if len(share) == 1:
        return np.array(scale.limits)
    middle = (share[1:] + share[:-1]) / 2
    ends = np.concatenate([[2 * share[0] - middle[0]], middle, [2 * share[-1] - middle[-1]]])
    low, high = scale.share(np.array(scale.limits))
    return scale.at(np.clip(ends, low, high))


def _shade(ax: "Axes", scale: Scale, places: Array, probability: Array) -> None:
    """A grey background behind each stretch of places that are probably infeasible."""
    ends, label = edges(places, scale), UNLIKELY
    unlikely = np.concatenate([[False], probability < EVEN_CHANCE, [False]]).astype(np.int8)
    for start, end in zip(np.flatnonzero(np.diff(unlikely) > 0), np.flatnonzero(np.diff(unlikely) < 0), strict=True):
        ax.axvspan(ends[start], ends[end], color=FAINT, linewidth=0, zorder=0, label=label)
        label = "_unlikely"


def _draw_dots(ax: "Axes", scale: Scale, dots: Dots, shown: Window) -> None:
    here = np.isfinite(dots.places[0]) & np.isfinite(dots.values)
    places, heights, beyond = spread(dots.places[0], scale), shown.inside(dots.values), shown.beyond(dots.values)
    plain: dict[str, Any] = {"s": 7.0, "color": tint(BLACK, 0.35), "linewidths": 0}
    for far, violating in ((False, False), (False, True), (True, False), (True, True)):
        look = plain | ({"s": 14.0} | INFEASIBLE if violating else {}) | ({"marker": shown.caret} if far else {})
        label = "_beyond" if far else "infeasible" if violating else "evaluations"
        scatter(ax, places, heights, here & (beyond == far) & (dots.infeasible == violating), label=label, **look)


def _draw_whiskers(ax: "Axes", curve: Curve, labels: tuple[str, str]) -> None:
    known, width = np.isfinite(curve.median), 90.0 / len(curve.places)  # points that all whiskers of a panel may cover
    places, median, low, high = (part[known] for part in (curve.places, curve.median, curve.low, curve.high))
    whisker: dict[str, Any] = {"color": tint(BLUE, 0.4), "linewidth": min(3.0, width), "zorder": 1}
    ax.vlines(places, low, high, label=labels[1], **whisker)
    dot: dict[str, Any] = {"marker": "o", "markersize": min(4.5, max(2.0, width)), "color": BLUE, "zorder": 3}
    ax.plot(places, median, linestyle="", label=labels[0], **dot)


# ---------------------------------------------------------------------- over two parameters


@dataclass(frozen=True)
class Field:
    """Values over a grid of places."""

    x: Array
    y: Array
    Z: Array
    P: Array | None = None  # None: there are no constraints


def draw_field(
    ax: "Axes",
    scales: tuple[Scale, Scale],
    field: Field,
    shading: Shading,
    *,
    dots: Dots | None = None,
    star: Star | None = None,
    label: str = "value",
) -> None:
    """Filled contours, or cells where a parameter takes a few values only; rings for evaluations, a star.

    What is probably infeasible is hatched.
    """
    across, along = scales
    cells = _separate(across, field.x) or _separate(along, field.y)
    drawn = _draw_cells(ax, scales, field, shading) if cells else _draw_contours(ax, field, shading)
    if field.P is not None:
        _draw_unlikely(ax, scales, field.x, field.y, field.P, cells=cells)
    ax.grid(visible=False)
    across.lay(ax, "x")
    along.lay(ax, "y")
    if dots is not None:
        _draw_spots(ax, scales, dots)
    if star is not None:
        draw_star(ax, star)
    settle(ax)
    shading.bar(ax, label, drawn)


def _draw_contours(ax: "Axes", field: Field, shading: Shading) -> "ScalarMappable":
    Z = np.ma.masked_invalid(np.clip(field.Z, shading.low, shading.high))
    drawn = ax.contourf(field.x, field.y, Z, levels=shading.levels, cmap=shading.map, norm=shading.norm)
    ax.contour(field.x, field.y, Z, levels=shading.levels[1:-1], colors="white", linewidths=0.3, alpha=0.6)
    return drawn


def _draw_cells(ax: "Axes", scales: tuple[Scale, Scale], field: Field, shading: Shading) -> "ScalarMappable":
    return ax.pcolormesh(
        edges(field.x, scales[0]),
        edges(field.y, scales[1]),
        np.ma.masked_invalid(field.Z),
        cmap=shading.map,
        norm=shading.norm,
        rasterized=True,
    )


def _draw_unlikely(ax: "Axes", scales: tuple[Scale, Scale], x: Array, y: Array, P: Array, *, cells: bool) -> None:
    """White lines over what is probably infeasible, and a line around it."""
    from matplotlib import rc_context

    unlikely = np.ma.masked_invalid(P)
    if not (unlikely < EVEN_CHANCE).any():
        return
    with rc_context({"hatch.color": "white", "hatch.linewidth": 0.5}):
        if cells:
            inside = np.ma.masked_where(~(np.nan_to_num(P, nan=1.0) < EVEN_CHANCE), P)
            ends = edges(x, scales[0]), edges(y, scales[1])
            ax.pcolor(*ends, inside, facecolor=(0, 0, 0, 0.25), hatch="////", linewidth=0, label=UNLIKELY)
            return
        drawn = ax.contourf(x, y, unlikely, levels=[-1.0, EVEN_CHANCE], colors=[(0, 0, 0, 0.25)], hatches=["////"])
        drawn.set_label(UNLIKELY)
        ax.contour(x, y, unlikely, levels=[EVEN_CHANCE], colors="black", linewidths=0.8)


def _draw_spots(ax: "Axes", scales: tuple[Scale, Scale], dots: Dots) -> None:
    x, y = (spread(places, scale, i) for i, (places, scale) in enumerate(zip(dots.places, scales, strict=True)))
    here, done = np.isfinite(x) & np.isfinite(y), np.isfinite(dots.values)
    kinds: tuple[tuple[str, NDArray[np.bool_], dict[str, Any]], ...] = (
        ("evaluations", done & ~dots.infeasible, {"marker": "o", "facecolors": "white", "edgecolors": "black"}),
        ("infeasible", dots.infeasible, INFEASIBLE | {"color": "white", "s": 18.0}),
        ("failed", ~(done | dots.infeasible), {"marker": "x", "facecolors": VERMILION, "linewidths": 1.0}),
    )
    for label, which, look in kinds:
        scatter(ax, x, y, here & which, label=label, **{"s": 10.0, "linewidths": 0.5, "zorder": 3} | look)
