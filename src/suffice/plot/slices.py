"""What the model of a run says about the objective, or about another output, along one parameter and over two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.belief import VALUE
from suffice.checks import short
from suffice.plot.axes import UPWARDS, Scale, Shading, Window, legend_above, settle, shading, window
from suffice.plot.data import (
    Dimension,
    centre,
    chance,
    chosen_parameters,
    evaluated,
    infeasible,
    made_of_parameters,
    most_important,
    of_parameters,
    output_of,
    through,
    values_of,
    with_values,
)
from suffice.plot.style import (
    COLOURS,
    COLUMN,
    FULL,
    axes_for,
    styled,
    tint,
    words,
)
from suffice.record.history import rows
from suffice.result.predict import Surface, surface
from suffice.result.result import Result
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

#| -- figures.slices: The objective along one parameter, as the model has it, and the evaluations beside it.
#|
#| places   (m,)   along the axis                    median, low, high   (m,)   nan where no point of the space is
#| chance   (m,)   that a point is feasible, nan where none is

BLUE, VERMILION, BLACK, GREY = COLOURS[0], COLOURS[4], COLOURS[5], COLOURS[7]
FEW = 16  # values of a parameter: each has a marker of its own, and nothing is drawn between them
# What is added for each evaluation, modulo 1, on the first and the second axis: the multiples lie evenly in a square.
EVEN = (0.7548776662466927, 0.5698402909980532)
WIDTH = 90.0  # points: what all whiskers of a panel may cover
MANY = 1000  # markers: more are stored as an image in files of lines
EVEN_CHANCE = 0.5  # that a point is feasible: below, it is shaded
UNLIKELY = "probably infeasible"
VEIL = tint(BLACK, 0.1)
# What is beyond a limit: an upright cross, faint; what failed is a slanted one.
INFEASIBLE: dict[str, Any] = {"marker": "+", "color": tint(BLACK, 0.45), "linewidths": 0.8}


@dataclass(frozen=True)
class Curve:
    """What is said of the objective at places along an axis."""

    places: Array
    median: Array
    low: Array
    high: Array
    chance: Array | None = None  # None: there are no limits


@dataclass(frozen=True)
class Dots:
    """Evaluations: where they lie along the axis, nan if they have no value of it, and what came of them."""

    places: Array
    values: Array
    infeasible: NDArray[np.bool_]  # beyond a limit


@dataclass(frozen=True)
class Level:
    """A height at which something begins, such as a limit."""

    value: float
    text: str


@dataclass(frozen=True)
class Star:
    """The point that a figure is about."""

    x: float
    y: float
    text: str


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
    level: Level | None = None,
) -> None:
    """A line with its band; where the parameter takes a few values only, a marker with a whisker for each.

    Where a point is probably infeasible the background is grey.
    """
    if dots is not None:
        _draw_dots(ax, scale, dots, shown)
    separate = bool(scale.options) or (scale.whole and len(curve.places) <= FEW)
    if separate:
        _draw_whiskers(ax, curve, labels)
    else:
        ax.fill_between(
            curve.places, curve.low, curve.high, color=tint(BLUE, 0.22), linewidth=0, zorder=1, label=labels[1]
        )
        ax.plot(curve.places, curve.median, color=BLUE, label=labels[0], zorder=3)
    if star is not None:
        draw_star(ax, star)
    if level is not None:
        ax.axhline(level.value, color=VERMILION, linewidth=0.9, linestyle=(0, (4, 2)), zorder=2, label=level.text)
    if curve.chance is not None:
        _shade(ax, scale, curve.places, curve.chance)
    shown.lay(ax)
    scale.lay(ax, "x")
    ax.set_ylabel(words(vertical, UPWARDS))
    settle(ax)


def draw_star(ax: "Axes", star: Star) -> None:
    """A star at the point."""
    ax.plot(
        [star.x],
        [star.y],
        linestyle="",
        marker="*",
        markersize=9,
        color=BLACK,
        markerfacecolor="white",
        markeredgewidth=0.8,
        zorder=4,
        label=words(star.text),
    )


def spread(places: Array, scale: Scale, which: int = 0) -> Array:
    """Places of evaluations, those of options a little beside them, so that equal ones are seen apart."""
    if not scale.options:
        return places
    even = (np.arange(len(places)) * EVEN[which]) % 1.0
    beside: Array = places + 0.4 * (even - 0.5)
    return beside


def edges(places: Array, scale: Scale) -> Array:
    """Where cells around places begin and end, (m + 1,): half way to the next place on the axis."""
    share = scale.share(places)
    if len(share) == 1:
        return np.array(scale.limits)
    middle = (share[1:] + share[:-1]) / 2
    ends = np.concatenate([[2 * share[0] - middle[0]], middle, [2 * share[-1] - middle[-1]]])
    low, high = scale.share(np.array(scale.limits))
    inside: Array = np.clip(ends, low, high)
    whole: Array = scale.low + inside * (scale.high - scale.low)
    return np.exp(np.log(scale.low) + inside * np.log(scale.high / scale.low)) if scale.log else whole


def _shade(ax: "Axes", scale: Scale, places: Array, chance: Array) -> None:
    """A grey background behind each stretch of places that are probably infeasible."""
    ends, label = edges(places, scale), UNLIKELY
    unlikely = np.concatenate([[False], chance < EVEN_CHANCE, [False]]).astype(np.int8)
    for start, end in zip(np.flatnonzero(np.diff(unlikely) > 0), np.flatnonzero(np.diff(unlikely) < 0), strict=True):
        ax.axvspan(ends[start], ends[end], color=VEIL, linewidth=0, zorder=0, label=label)
        label = "_unlikely"


def _draw_dots(ax: "Axes", scale: Scale, dots: Dots, shown: Window) -> None:
    here = np.isfinite(dots.places) & np.isfinite(dots.values)
    places, beyond = spread(dots.places, scale), shown.beyond(dots.values)
    plain: dict[str, Any] = {"s": 7.0, "color": tint(BLACK, 0.35), "linewidths": 0}
    for far, violating in ((False, False), (False, True), (True, False), (True, True)):
        those = here & (beyond == far) & (dots.infeasible == violating)
        look = plain | ({"s": 14.0} | INFEASIBLE if violating else {}) | ({"marker": shown.caret} if far else {})
        if those.any():
            ax.scatter(
                places[those],
                shown.inside(dots.values[those]),
                zorder=2,
                label="_beyond" if far else "infeasible" if violating else "evaluations",
                rasterized=len(places) > MANY,
                **look,
            )


def _draw_whiskers(ax: "Axes", curve: Curve, labels: tuple[str, str]) -> None:
    known = np.isfinite(curve.median)
    ax.vlines(
        curve.places[known],
        curve.low[known],
        curve.high[known],
        color=tint(BLUE, 0.4),
        linewidth=min(3.0, WIDTH / len(curve.places)),
        zorder=1,
        label=labels[1],
    )
    ax.plot(
        curve.places[known],
        curve.median[known],
        linestyle="",
        marker="o",
        markersize=min(4.5, max(2.0, WIDTH / len(curve.places))),
        color=BLUE,
        label=labels[0],
        zorder=3,
    )


#| -- figures.contours: The objective over two parameters, as the model has it, and the evaluations.
#|
#| x, y   (m,), (k,)   places along the axes          Z   (k, m)   nan where no point of the space is
#| P      (k, m)       the chance that a point is feasible


@dataclass(frozen=True)
class Field:
    """Values over a grid of places."""

    x: Array
    y: Array
    Z: Array
    P: Array | None = None  # None: there are no limits


@dataclass(frozen=True)
class Spots:
    """Evaluations in the plane: their places, nan if they lack a parameter, which have a value, which break a limit."""

    x: Array
    y: Array
    done: NDArray[np.bool_]
    infeasible: NDArray[np.bool_]


def draw_field(
    ax: "Axes",
    scales: tuple[Scale, Scale],
    field: Field,
    shading: Shading,
    *,
    spots: Spots | None = None,
    star: Star | None = None,
    label: str = "value",
) -> None:
    """Filled contours, or cells where a parameter takes a few values only; rings for evaluations, a star.

    What is probably infeasible is hatched.
    """
    across, along = scales
    cells = any(bool(s.options) or (s.whole and len(p) <= FEW) for s, p in ((across, field.x), (along, field.y)))
    drawn = _draw_cells(ax, scales, field, shading) if cells else _draw_contours(ax, field, shading)
    if field.P is not None:
        _draw_unlikely(ax, scales, field.x, field.y, field.P, cells=cells)
    ax.grid(visible=False)
    across.lay(ax, "x")
    along.lay(ax, "y")
    if spots is not None:
        _draw_spots(ax, scales, spots)
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


def _draw_spots(ax: "Axes", scales: tuple[Scale, Scale], spots: Spots) -> None:
    x, y = spread(spots.x, scales[0]), spread(spots.y, scales[1], 1)
    here = np.isfinite(x) & np.isfinite(y)
    kinds: tuple[tuple[str, NDArray[np.bool_], dict[str, Any]], ...] = (
        ("evaluations", spots.done & ~spots.infeasible, {"marker": "o", "facecolors": "white", "edgecolors": "black"}),
        ("infeasible", spots.infeasible, INFEASIBLE | {"color": "white", "s": 18.0}),
        ("failed", ~spots.done & ~spots.infeasible, {"marker": "x", "facecolors": "#D55E00", "linewidths": 1.0}),
    )
    for name, which, look in kinds:
        those = here & which
        if those.any():
            words: dict[str, Any] = {"s": 10.0, "linewidths": 0.5, "zorder": 3, "label": name} | look
            ax.scatter(x[those], y[those], rasterized=len(x) > MANY, **words)


ALONG, OVER = 101, 41  # places of a slice, and of each side of a contour
OPTIONS = 60  # of a parameter: cells that can still be seen
BEYOND = 0.25  # of the range of the values: what is seen of an output beyond its limit
SLICES = 4  # of a figure, if no parameters are named


@styled()
def slice(
    result: Result,
    name: str | Sequence[str] | None = None,
    at: Any = None,
    ax: Any = None,
    *,
    output: str | None = None,
) -> Any:
    """Draw what the model says along one parameter, all others staying as they are at a point.

    The line is the posterior median and the band holds 95 % of what the model thinks possible, noise left out; where a
    parameter takes a few values only, each has a marker. Dots are all evaluations, whatever their other parameters
    are, so they need not lie on the line. The star is the point itself. An option that brings parameters up which the
    point lacks has them at the values of the best point that has them. Where constraints hold no point, there is a gap.

    With limits on outputs, upright crosses are evaluations beyond one, and the background is grey where the models give
    a point a probability below ½ to be within all of them. A dashed line is the limit of the output that is drawn.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    name : str, list of str or None, default: None
        A parameter, or a list of them; None: the most important ones, four at most.
    at : point or None, default: None
        A point, as the objective takes it; None: the recommended point, or the best one that has the parameter; of
        several objectives the knee of the front.
    ax : matplotlib.axes.Axes, list or None, default: None
        Axes to draw into, for several names a list of as many; None makes a new figure.
    output : str or None, default: None
        The output that is drawn, an objective or a constrained one; None: the only objective.

    Returns
    -------
    matplotlib.axes.Axes or ndarray
        The axes for one name, else an array of them, a panel for each name.
    """
    result = with_values(result, "slice")
    target = output_of(result, output, "slice")
    space = result.settings.space
    known = of_parameters(space, "slice")
    names = most_important(result, list(known), target)[0][:SLICES] if name is None else name
    taken = chosen_parameters(names, known, space, "slice")
    found, values = surface(result.history, name=target), values_of(result, target)
    cuts = [_cut(result, found, dimension, at) for dimension in taken]
    medians = [curve.median for curve, _ in cuts]
    level = _limit(result, target)
    shown = window(np.concatenate([values, *medians]), larger=result.settings.sign(target) > 0)
    if level is not None:  # and some of what is beyond it
        beyond = level.value - result.settings.sign(target) * BEYOND * (shown.high - shown.low)
        shown = shown.including(np.array([level.value, beyond]))
    for dimension, (curve, _) in zip(taken, cuts, strict=True):
        shown = shown.including(curve.median) if dimension.scale.options else shown  # every option is seen
    axes = [axes_for(ax)] if isinstance(name, str) else panels_for(ax, len(taken), "slice")
    for panel, dimension, (curve, star) in zip(axes, taken, cuts, strict=True):
        dots = Dots(_places(result, dimension), values, infeasible(result))
        draw_curve(panel, dimension.scale, curve, shown, dots=dots, star=star, vertical=target, level=level)
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
    """Draw what the model says over two parameters, all others staying as they are at a point.

    Colours are the posterior median, darker is better in both senses; where a parameter takes a few values only there
    are cells instead of contours. Rings are all evaluations, whatever their other parameters are, crosses those that
    failed, and the star is the point itself. Where constraints or conditions hold no point, nothing is drawn. With
    limits on outputs, upright crosses are evaluations beyond one, and what the models give a probability below ½ to be
    within all of them is hatched.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    x, y : str or None, default: None
        Two parameters; None: the most important ones.
    at : point or None, default: None
        A point, as the objective takes it; None: the recommended point, or the best one that has both parameters; of
        several objectives the knee of the front.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    output : str or None, default: None
        The output that is drawn, an objective or a constrained one; None: the only objective.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    result = with_values(result, "contour")
    target, space = output_of(result, output, "contour"), result.settings.space
    pair = _pair(result, x, y, target, "contour")
    middle = centre(result, at, pair, "contour")
    across, along, rows_at = crossed(pair, OVER)
    X, allowed = through(made_of_parameters(space), middle.base, pair, rows_at)
    Z, P = np.full(len(X), np.nan), np.full(len(X), np.nan)
    Z[allowed] = surface(result.history, name=target).median(X[allowed])
    probable = chance(result, X[allowed])
    P[allowed] = np.nan if probable is None else probable
    shape = len(along), len(across)
    field = Field(across, along, Z.reshape(shape), None if probable is None else P.reshape(shape))
    done = np.isfinite(values_of(result, target))
    spots = Spots(_places(result, pair[0]), _places(result, pair[1]), done, infeasible(result))
    x_here, y_here = (float(dimension.places(space, middle.x[None])[0]) for dimension in pair)
    star = Star(x_here, y_here, middle.text)
    ax = axes_for(ax, FULL * 0.7, 3.6)
    colours = shading(Z, larger=result.settings.sign(target) > 0)
    label = "median" if target == VALUE else f"median of {target}"
    draw_field(ax, (pair[0].scale, pair[1].scale), field, colours, spots=spots, star=star, label=label)
    return ax


def crossed(pair: Sequence[Dimension], count: int) -> tuple[Array, Array, list[Array]]:
    """The places along both axes, (m,) and (k,), and the columns of all pairs of them, (k m, w) each."""
    for dimension in pair:
        if len(dimension.scale.options) > OPTIONS:
            raise ValueError(
                f"{dimension.name!r} has {len(dimension.scale.options)} options, and a figure of two parameters has "
                f"room for {OPTIONS}; draw it with plot.slice"
            )
    (across, across_blocks), (along, along_blocks) = (dimension.grid(count) for dimension in pair)
    blocks = [np.tile(across_blocks, (len(along), 1)), np.repeat(along_blocks, len(across), axis=0)]
    return across, along, blocks


def panels_for(given: Any, count: int, what: str) -> list[Any]:
    """A panel for each of several names: those given, or new ones, two in a row."""
    if given is None:
        from matplotlib import pyplot

        columns = min(2, count)
        down = -(-count // columns)
        figure = pyplot.figure(figsize=(FULL if columns > 1 else COLUMN, 0.4 + 2.1 * down), layout="constrained")
        return [figure.add_subplot(down, columns, i + 1) for i in range(count)]
    panels = list(np.asarray(given, dtype=object).ravel())
    if len(panels) != count:
        raise ValueError(f"plot.{what} needs {count} axes, one for each name: got {len(panels)}")
    return panels


def _pair(result: Result, x: str | None, y: str | None, target: str, what: str) -> list[Dimension]:
    """Two parameters, the most important ones in place of those that are not named."""
    space = result.settings.space
    known = of_parameters(space, what)
    for name in (x, y):
        if isinstance(name, list | tuple):
            raise TypeError(f"plot.{what} takes two names, plot.{what}(result, 'x', 'y'): got the list {short(name)}")
    named = [name for name in (x, y) if name is not None]
    if len(known) < 2:
        raise ValueError(
            f"plot.{what} draws two parameters, and the space has one, {next(iter(known))!r}; draw it with plot.slice"
        )
    for name in named:
        chosen_parameters(name, known, space, what)  # refused before anything is fitted
    if len(named) < 2:
        others = iter(n for n in most_important(result, list(known), target)[0] if n not in named)
        named = [next(others) if name is None else name for name in (x, y)]
    return chosen_parameters(named, known, space, what)


def _cut(result: Result, found: Surface, dimension: Dimension, at: Any) -> tuple[Curve, Star]:
    """The curve of a slice and the place of the point on it."""
    space = made_of_parameters(result.settings.space)
    middle = centre(result, at, [dimension], "slice")
    places, blocks = dimension.grid(ALONG)
    X, allowed = through(space, middle.base, [dimension], [blocks])
    said = np.full((3, len(X)), np.nan)
    said[:, allowed] = found.at(X[allowed])
    probable, P = chance(result, X[allowed]), np.full(len(X), np.nan)
    P[allowed] = np.nan if probable is None else probable
    place = float(dimension.places(space, middle.x[None])[0])
    curve = Curve(places, said[0], said[1], said[2], None if probable is None else P)
    return curve, Star(place, float(found.median(middle.x[None])[0]), middle.text)


def _limit(result: Result, target: str) -> Level | None:
    """The limit of an output, as a line."""
    limit = result.settings.constraints.get(target)
    return None if limit is None else Level(limit.limit, str(limit))


def _places(result: Result, dimension: Dimension) -> Array:
    """Where all evaluations lie on an axis, (n,)."""
    space = result.settings.space
    return dimension.places(space, rows(evaluated(result), space.dim))
