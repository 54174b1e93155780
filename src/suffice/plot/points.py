"""Where the points of a run lie: across all parameters and objectives, and by pairs of parameters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import SMALL
from suffice.figures.matrix import State, draw_matrix
from suffice.figures.parallel import draw_parallel
from suffice.figures.scale import Scale
from suffice.figures.shading import shading
from suffice.figures.style import FULL, axes_for, styled
from suffice.plot import merit
from suffice.plot.dimensions import Dimension, chosen, dimensions
from suffice.plot.given import as_result, evaluated, output_of, with_values
from suffice.plot.ranking import most_important
from suffice.study.front import Front
from suffice.study.history import rows
from suffice.study.result import Result
from suffice.study.trial import Trial
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Placed: TypeAlias = tuple[Scale, Array]  # an axis, and where trials lie on it, (n,)

ACROSS, PAIRED = 8, 5  # parameters of a figure, if none are named: as many as have room


@styled()
def parallel(
    result: Result, names: Sequence[str] | None = None, ax: "Axes | None" = None, *, output: str | None = None
) -> "Axes":
    """Draw every evaluation as a line across one axis for each parameter, coloured by its value.

    Darker is better, in both senses, and the best evaluation is a thicker line on top. Axes of logarithmic parameters
    are logarithmic, those of choices have a place for each option. A line has a gap where its point lacks a parameter.
    Evaluations that failed are left out, those beyond a limit are faint.

    Of several objectives the lines are those of the front, across the objectives first; all others are faint, and the
    knee is the thicker one.

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
    result = with_values(result, "parallel")
    target = output_of(result, result.settings.objective if output is None else output, "parallel")
    trials = [trial for trial in evaluated(result) if target in (trial.values or {})]
    axes, said = _axes(result, names, trials)
    values = np.array([trial.values[target] for trial in trials], dtype=float)
    strong, top = _strong(result, trials)
    ax = axes_for(ax, FULL, 3.0)
    chosen = values[strong] if strong.any() else values
    colours = shading(chosen, larger=result.settings.sign(target) > 0)
    places = np.column_stack([places for _, places in axes])
    draw_parallel(ax, [scale for scale, _ in axes], places, values, colours, strong=strong, top=top, label=target)
    _say(ax, said)
    return ax


@styled()
def evaluations(result: Result, names: Sequence[str] | None = None, axes: Any = None) -> Any:
    """Draw the evaluations by pairs of parameters, coloured by their order, and how often each value was tried.

    Later evaluations are darker, crosses failed, upright crosses are beyond a limit, the star is the best, or the knee
    of the front of several objectives. Options are drawn a little apart from each other.

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
    best = merit.chosen(result.history)
    star = None if best is None else next(i for i, trial in enumerate(trials) if trial.number == best.number)
    states = np.array([_state(trial) for trial in trials], dtype=object)
    draw_matrix(axes, [d.scale for d in taken], _places(result, taken, trials), states, star)
    _say(axes[0, 0], said)
    return axes


def _state(trial: Trial) -> State:
    return "failed" if trial.state != "done" else "feasible" if trial.feasible else "infeasible"


def _strong(result: Result, trials: Sequence[Trial]) -> tuple[NDArray[np.bool_], int | None]:
    """Which lines are coloured, (n,), and which is on top: the front and its knee, or what is feasible and the best."""
    kept = Front(result.history).trials if result.settings.several else result.history.feasible
    numbers, best = {trial.number for trial in kept}, merit.chosen(result.history)
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
    found = {d.name: d for d in chosen(mine, known, settings.space, "parallel")} if mine or not listed else {}
    placed = dict(zip(found, _of_parameters(result, list(found.values()), trials), strict=True))
    return [placed.get(name) or _of_output(result, name, trials) for name in listed], ""


def _of_parameters(result: Result, taken: Sequence[Dimension], trials: Sequence[Trial]) -> list[Placed]:
    return [(dimension.scale, _places(result, [dimension], trials)[:, 0]) for dimension in taken]


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
