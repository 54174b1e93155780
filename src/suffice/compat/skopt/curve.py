"""The model of a function of one dimension, and the rule that scores its points.

x   (m,)   places along the dimension, in the user's units        α   (m,)   the score there, in the rule's own units
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from suffice.belief import VALUE
from suffice.compat.skopt.border import Border
from suffice.compat.skopt.result import OptimizeResult
from suffice.figures.axes import legend_above
from suffice.figures.style import COLOURS, current_axes, styled
from suffice.plot import slice as slice_of
from suffice.study.reading.predict import surface
from suffice.study.result import Result
from suffice.study.suggest import freeze
from suffice.threads import one_thread
from suffice.types import Array

Axes: TypeAlias = Any  # matplotlib's

ORANGE, BLACK = COLOURS[1], COLOURS[5]


@styled()
def plot_gaussian_process(
    res: OptimizeResult,
    ax: Axes = None,
    n_calls: int = -1,
    objective: Callable[[Any], Any] | None = None,
    n_points: int = 1000,
    noise_level: float = 0,
    show_legend: bool = True,
    show_title: bool = True,
    show_acq_func: bool = False,
    show_next_point: bool = False,
    show_observations: bool = True,
    show_mu: bool = True,
) -> Axes:
    """Draw what the model says about a function of one dimension, with its band of 95 % and the evaluations.

    n_calls            which of the models: −1 is the last
    objective          the function itself, drawn beside it, with a band of ±1.96 noise_level
    show_acq_func      whether to draw the rule that scores points, on an axis of its own; show_next_point: its maximum
    show_mu, show_observations    whether to draw the model with the evaluations; both are drawn if one is True
    """
    if res.space.n_dims != 1:
        raise ValueError(f"plot_gaussian_process draws functions of one dimension: the space has {res.space.n_dims}")
    native = res.models[n_calls].suffice if res.models else res.suffice
    ax = current_axes() if ax is None else ax
    modelled = show_mu or show_observations
    if modelled:
        slice_of(native, native.settings.space.names[0], ax=ax)
    low, high = res.space.bounds[0]
    x = np.linspace(low, high, n_points)
    if objective is not None:
        _draw_objective(ax, x, np.array([float(objective([value])) for value in x.tolist()]), noise_level)
    panels = [ax]
    if show_acq_func:
        panels.append(ax if not modelled and objective is None else ax.twinx())
        _draw_rule(panels[-1], x, _scores(native, res, x), next_point=show_next_point)
    _legends(panels, show_legend)
    if show_title:
        ax.figure.text(0.99, 0.01, f"x* = {res.x[0]:.4g}, f(x*) = {res.fun:.4g}", ha="right", va="bottom", fontsize=7)
    return ax


def _scores(native: Result, res: OptimizeResult, x: Array) -> Array:
    """α at places, as it was frozen for the next point."""
    border, history = Border.of(res.space), native.history
    space, fitted = history.settings.space, surface(history).fitted
    X = np.array([space.to_unit(dict(zip(space.names, border.inward([v]).values(), strict=True))) for v in x.tolist()])
    with one_thread(fitted.posterior.n):
        frozen = freeze(history.settings, history, {VALUE: fitted}, number=len(history.trials))
        return np.asarray(frozen.alpha(X))


def _draw_objective(ax: Axes, x: Array, y: Array, noise_level: float) -> None:
    ax.plot(x, y, color=BLACK, linestyle="--", linewidth=0.8, label="objective")
    if noise_level:
        half = 1.96 * noise_level
        ax.fill_between(x, y - half, y + half, color=BLACK, alpha=0.1, linewidth=0)
    low, high = ax.get_ylim()
    room = 0.05 * float(np.ptp(y))
    ax.set_ylim(min(low, float(y.min()) - room), max(high, float(y.max()) + room))


def _draw_rule(ax: Axes, x: Array, alpha: Array, *, next_point: bool) -> None:
    ax.plot(x, alpha, color=ORANGE, linewidth=0.9, label="rule")
    ax.set_ylabel("score of the rule")
    if next_point:
        best = int(np.argmax(alpha))
        ax.plot(x[best], alpha[best], linestyle="", marker="o", markersize=4, color=ORANGE, label="next point")


def _legends(panels: list[Axes], wanted: bool) -> None:
    """One legend for all, or none."""
    for ax in panels:
        if (legend := ax.get_legend()) is not None:
            legend.remove()
    if wanted:
        first = panels[0]
        for other in panels[1:]:
            if other is not first:
                for line in other.lines:
                    first.plot([], [], **_look(line))
        legend_above(first)


def _look(line: Any) -> dict[str, Any]:
    return {
        "color": line.get_color(),
        "linestyle": line.get_linestyle(),
        "marker": line.get_marker(),
        "markersize": line.get_markersize(),
        "linewidth": line.get_linewidth(),
        "label": line.get_label(),
    }
