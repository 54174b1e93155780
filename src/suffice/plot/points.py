"""Where the points of a run lie: across all parameters, and by pairs of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.figures.axes import SMALL
from suffice.figures.matrix import draw_matrix
from suffice.figures.parallel import draw_parallel
from suffice.figures.shading import shading
from suffice.figures.style import FULL, axes_for, styled
from suffice.plot.dimensions import Dimension, chosen, dimensions
from suffice.plot.given import as_result, evaluated, with_values
from suffice.plot.ranking import most_important
from suffice.study.history import rows
from suffice.study.result import Result
from suffice.study.trial import Trial
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACROSS, PAIRED = 8, 5  # parameters of a figure, if none are named: as many as have room


@styled()
def parallel(result: Result, names: Sequence[str] | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw every evaluation as a line across one axis for each parameter, coloured by its value.

    Darker is better, in both senses, and the best evaluation is a thicker line on top. Axes of logarithmic parameters
    are logarithmic, those of choices have a place for each option. A line has a gap where its point lacks a parameter.
    Evaluations that failed are left out.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it; of a pool the axes are its features.
    names : list of str or None, default: None
        The parameters in the order of their axes; None: all, or the most important ones of more than eight.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    trials = [trial for trial in evaluated(with_values(result, "parallel")) if trial.state == "done"]
    taken, said = _taken(result, names, ACROSS, "parallel")
    values = np.array([trial.value for trial in trials], dtype=float)
    ax = axes_for(ax, FULL, 3.0)
    colours = shading(values, larger=result.settings.sign() > 0)
    draw_parallel(ax, [d.scale for d in taken], _places(result, taken, trials), values, colours)
    _say(ax, said)
    return ax


@styled()
def evaluations(result: Result, names: Sequence[str] | None = None, axes: Any = None) -> Any:
    """Draw the evaluations by pairs of parameters, coloured by their order, and how often each value was tried.

    Later evaluations are darker, crosses failed, the star is the best. Options are drawn a little apart from each
    other.

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
        raise ValueError("plot.evaluations draws evaluations, and the result has none yet")
    taken, said = _taken(result, names, PAIRED, "evaluations")
    axes = _square(axes, len(taken))
    best = result.history.best
    star = None if best is None else next(i for i, trial in enumerate(trials) if trial.number == best.number)
    done = np.array([trial.state == "done" for trial in trials], dtype=np.bool_)
    draw_matrix(axes, [d.scale for d in taken], _places(result, taken, trials), done, star)
    _say(axes[0, 0], said)
    return axes


def _taken(result: Result, names: Sequence[str] | None, most: int, what: str) -> tuple[list[Dimension], str]:
    """The axes of a figure, and what is to be said about those left out."""
    space = result.settings.space
    known = dimensions(space, what)
    if names is not None:
        return chosen(names, known, space, what), ""
    if not known:
        raise ValueError(f"plot.{what}: every parameter of the space is a constant")
    if len(known) <= most:
        return chosen(list(known), known, space, what), ""
    order, ranked = most_important(result, list(known))
    best = set(order[:most])
    said = f"{most} of {len(known)} parameters, " + ("the most important" if ranked else "the first")
    return [d for name, d in known.items() if name in best], said


def _places(result: Result, taken: Sequence[Dimension], trials: Sequence[Trial]) -> Array:
    """Where trials lie on the axes, (n, D)."""
    space = result.settings.space
    X = rows(trials, space.dim)
    return np.column_stack([dimension.places(space, X) for dimension in taken])


def _square(axes: Any, size: int) -> Any:
    """An array (size, size) of axes."""
    if axes is None:
        from matplotlib import pyplot

        side = min(FULL, 1.3 * size + 1.0)
        figure = pyplot.figure(figsize=(side + 0.6, side), layout="constrained")
        return figure.subplots(size, size, squeeze=False)
    given = np.asarray(axes, dtype=object)
    if given.size != size * size:
        raise ValueError(f"plot.evaluations needs axes of shape ({size}, {size}): got an array of shape {given.shape}")
    return given.reshape(size, size)


def _say(ax: "Axes", text: str) -> None:
    if text:
        ax.set_title(text, loc="right", fontsize=SMALL)
