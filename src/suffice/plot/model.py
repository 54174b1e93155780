"""What the model of a run says about the objective, or about another output, along one parameter and over two."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.belief import VALUE
from suffice.checks import short
from suffice.figures.axes import legend_above
from suffice.figures.contours import Field, Spots, draw_field
from suffice.figures.limits import window
from suffice.figures.shading import shading
from suffice.figures.slices import Curve, Dots, Level, Star, draw_curve
from suffice.figures.style import COLUMN, FULL, axes_for, styled
from suffice.plot.chances import chance
from suffice.plot.dimensions import Dimension, chosen, of_parameters
from suffice.plot.given import evaluated, infeasible, output_of, values_of, with_values
from suffice.plot.ranking import most_important
from suffice.plot.sections import centre, made_of_parameters, through
from suffice.study.history import rows
from suffice.study.reading.predict import Surface, surface
from suffice.study.result import Result
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    taken = chosen(names, known, space, "slice")
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
        chosen(name, known, space, what)  # refused before anything is fitted
    if len(named) < 2:
        others = iter(n for n in most_important(result, list(known), target)[0] if n not in named)
        named = [next(others) if name is None else name for name in (x, y)]
    return chosen(named, known, space, what)


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
