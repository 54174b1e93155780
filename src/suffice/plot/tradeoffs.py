"""What several objectives cost each other: the front of a run."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.checks import as_bool
from suffice.figures.axes import SMALL
from suffice.figures.fronts import Aim, Outcomes, draw_front
from suffice.figures.projections import draw_projections
from suffice.figures.style import FULL, axes_for, styled
from suffice.plot.foreseeing import foreseen
from suffice.plot.given import evaluated, known_name, with_values
from suffice.study.front import Front
from suffice.study.result import Result

MOST = 5  # objectives of a figure, if none are named: panels of an inch and a half


@styled()
def front(result: Result, ax: Any = None, names: Sequence[str] | None = None, *, predicted: bool = True) -> Any:
    """Draw what several objectives cost each other: the front, all other evaluations, and the front predicted.

    Of two objectives, blue dots are the front, the trials that no other one beats in both, and the stairs are the edge
    of what they dominate; grey dots are all other evaluations, upright crosses those beyond a limit. The star is the
    knee, `result.knee()`, the square the reference point, above which the hypervolume is measured. Axes are in your
    units; each says whether it is to be minimized or maximized.

    The orange line is the front that the models predict: of the posterior medians at thousands of points, drawn from
    the space and around the front. Its band lies between the fronts at two deviations worse and two better in every
    output, limited ones included. It shows where the models leave room, and how much; it is no band of confidence,
    since a front need not differ from the prediction in the same direction everywhere.

    Of more objectives there is a panel for each pair. Blue dots are the front by all of them, so some lie behind the
    stairs, which are the front by these two alone.

    Parameters
    ----------
    result : Result
        A result of several objectives, as sf.optimize returns it.
    ax : matplotlib.axes.Axes, ndarray or None, default: None
        Axes to draw into, for D > 2 objectives an array (D − 1, D − 1) of them; None makes a new figure.
    names : list of str or None, default: None
        Two or more of the objectives; None: all, or the first five.
    predicted : bool, default: True
        Whether to draw the predicted front, where there is one panel; it takes a model of each output.

    Returns
    -------
    matplotlib.axes.Axes or ndarray
        The axes; of more than two objectives an array (D − 1, D − 1): `axes.ravel()[0].figure` is the figure.

    Examples
    --------
    >>> import suffice as sf
    >>> def f(point):
    ...     return {"error": (point["x"] - 1.0) ** 2, "speed": 2.0 - point["x"] ** 2}
    >>> aims = {"error": "minimize", "speed": "maximize"}
    >>> result = sf.optimize(f, {"x": (-2.0, 2.0)}, 12, objectives=aims, seed=0)
    >>> ax = sf.plot.front(result)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('error (minimize)', 'speed (maximize)')
    """
    result = with_values(result, "front")
    wanted, taken = as_bool(predicted, "predicted"), _taken(result, names)
    aims = [Aim(name, result.settings.sign(name) > 0) for name in taken]
    if len(taken) == 2:
        panel = axes_for(ax, 0.7 * FULL, 3.6)
        x, y = taken
        prediction = foreseen(result, (x, y)) if wanted else None
        draw_front(panel, (aims[0], aims[1]), _outcomes(result, (x, y)), prediction)
        return panel
    axes = _square(ax, len(taken) - 1)
    draw_projections(axes, aims, {pair: _outcomes(result, pair) for pair in _pairs(taken)})
    if names is None and len(taken) < len(result.settings.objectives):
        said = f"the first {len(taken)} of {len(result.settings.objectives)} objectives"
        axes[0, 0].set_title(said, loc="left", fontsize=SMALL)
    return axes


def _taken(result: Result, names: object) -> list[str]:
    """The objectives of a figure, at least two."""
    known = list(result.settings.objectives)
    if len(known) < 2:
        raise ValueError(
            f"plot.front draws several objectives, and the result has one, {known[0]!r}; plot.convergence and "
            "plot.slice draw one"
        )
    if names is None:
        return known[:MOST]
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"plot.front: names must be a list of objectives, such as {known[:2]!r}: got {names!r}")
    taken = [known_name(name, known, "front", "objective") for name in names]
    if len(taken) < 2 or len(set(taken)) < len(taken):
        raise ValueError(f"plot.front draws two or more objectives, each once: got {list(names)!r}")
    return taken


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Each pair once, what is across before what is upwards."""
    return [(across, upwards) for i, upwards in enumerate(names) for across in names[:i]]


def _outcomes(result: Result, pair: tuple[str, str]) -> Outcomes:
    trials, found = evaluated(result), Front(result.history)
    Y = np.array([[(trial.values or {}).get(name, np.nan) for name in pair] for trial in trials], dtype=float)
    best = {trial.number for trial in found.trials}
    knee = found.knee().number if best else None
    reference = found.reference
    return Outcomes(
        Y,
        feasible=np.array([bool(trial.feasible) for trial in trials], dtype=np.bool_),
        front=np.array([trial.number in best for trial in trials], dtype=np.bool_),
        knee=next((i for i, trial in enumerate(trials) if trial.number == knee), None),
        reference=None if reference is None else np.array([reference[name] for name in pair]),
    )


def _square(axes: Any, size: int) -> Any:
    """An array (size, size) of axes."""
    if axes is None:
        from matplotlib import pyplot

        side = min(FULL, 2.0 * size + 1.0)
        figure = pyplot.figure(figsize=(side, side - 0.4), layout="constrained")
        return figure.subplots(size, size, squeeze=False)
    given = np.asarray(axes, dtype=object)
    if given.size != size * size:
        raise ValueError(
            f"plot.front needs axes of shape ({size}, {size}) for {size + 1} objectives, a panel for each pair: got an "
            f"array of shape {given.shape}; names= chooses two of them for one panel"
        )
    return given.reshape(size, size)
