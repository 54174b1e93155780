"""scikit-optimize's plots, drawn by this library's; each returns matplotlib's axes.

Where no axes are given, those that pyplot has at hand are drawn into, and new ones if there are none.
Arguments that are about looks (levels, size, wspace, hspace, cmap, …) have no effect.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from suffice.ask.suggest import freeze
from suffice.belief import VALUE
from suffice.compat.skopt.arguments import Border, explained
from suffice.compat.skopt.utils import OptimizeResult
from suffice.plot import convergence, evaluations, partial_dependence, regret
from suffice.plot import slice as slice_of
from suffice.plot.axes import legend_above
from suffice.plot.convergence import draw_series
from suffice.plot.style import BLACK, COLOURS, FULL, GREY, current_axes, looks, new_figure, styled, words
from suffice.result.predict import surface
from suffice.result.result import Result
from suffice.threads import one_thread
from suffice.types import Array

__all__ = [
    "plot_convergence",
    "plot_evaluations",
    "plot_gaussian_process",
    "plot_histogram",
    "plot_objective",
    "plot_objective_2D",
    "plot_regret",
]

Axes: TypeAlias = Any  # matplotlib's
drawing = partial(explained, returns=("matplotlib.axes.Axes", "The axes."))


@drawing()
@styled()
def plot_convergence(*args: Any, true_minimum: float | None = None, yscale: str | None = None, ax: Axes = None) -> Axes:
    """Plot the least value so far against the evaluations."""
    groups, log = list(_groups(args)), yscale == "log"
    ax = current_axes() if ax is None else ax
    if len(groups) == 1 and len(groups[0][1]) == 1:
        convergence(groups[0][1][0].suffice, ax, log=log)
    else:
        lines, drawn = [_mean_least(results) for _, results in groups], looks({label: label for label, _ in groups})
        draw_series(ax, lines, list(drawn.values()), "best value so far", larger=False, log=log)
    if true_minimum is not None:
        ax.axhline(true_minimum, color=GREY, linestyle="--", linewidth=0.8)
        low, high = ax.get_ylim()
        beneath = true_minimum / 1.2 if log else true_minimum - 0.05 * (high - true_minimum)
        ax.set_ylim(low if log and true_minimum <= 0 else min(low, beneath), high)
    return ax


@drawing(
    args=(
        "OptimizeResult or pair",
        "Results, pairs (label, result), or pairs (label, list of results), one line each.",
    ),
    true_minimum="The true minimum; None takes the least value of all results.",
)
@styled()
def plot_regret(*args: Any, ax: Axes = None, true_minimum: float | None = None, yscale: str | None = None) -> Axes:
    """Plot the cumulative regret, relative to the minimum."""
    single = {
        label if len(results) == 1 else f"{label} {i}": result
        for label, results in _groups(args)
        for i, result in enumerate(results, start=1)
    }
    least = min(float(np.nanmin(result.func_vals)) for result in single.values())
    optimum = least if true_minimum is None else true_minimum
    native = {label: result.suffice for label, result in single.items()}
    return regret(native, optimum, "cumulative", current_axes() if ax is None else ax, log=yscale == "log")


@explained(
    dimensions="Labels of the dimensions.",
    ax=("ndarray or None", "An array of axes to draw into, (D, D) for D dimensions; None makes a new figure."),
    returns=("ndarray", "The axes, (D, D)."),
)
def plot_evaluations(
    result: OptimizeResult,
    bins: Any = 20,  # noqa: ARG001
    dimensions: Sequence[str] | None = None,
    plot_dims: Sequence[str | int] | None = None,
    size: float = 2,  # noqa: ARG001
    wspace: float = 0.35,  # noqa: ARG001
    hspace: float = 0.35,  # noqa: ARG001
    cmap: str = "viridis",  # noqa: ARG001
    ax: Any = None,
) -> Any:
    """Plot the evaluations by pairs of dimensions, and how often each value was tried."""
    names = _names(result, plot_dims)
    return _labelled(evaluations(result.suffice, names, ax), names, dimensions)


@explained(
    n_samples="It has no effect.",
    dimensions="Labels of the dimensions.",
    ax=("ndarray, Axes or None", "Axes to draw into, (D, D), or one for a single dimension; None makes a new figure."),
    returns=("ndarray or matplotlib.axes.Axes", "The axes."),
)
@styled()
def plot_objective(
    result: OptimizeResult,
    levels: int = 10,  # noqa: ARG001
    n_points: int = 40,  # noqa: ARG001
    n_samples: int = 250,  # noqa: ARG001
    size: float = 2,  # noqa: ARG001
    wspace: float = 0.35,  # noqa: ARG001
    hspace: float = 0.35,  # noqa: ARG001
    zscale: str = "linear",  # noqa: ARG001
    dimensions: Sequence[str] | None = None,
    sample_source: Any = "random",  # noqa: ARG001
    minimum: Any = "result",  # noqa: ARG001
    n_minimum_search: int | None = None,  # noqa: ARG001
    plot_dims: Sequence[str | int] | None = None,
    show_points: bool = True,  # noqa: ARG001
    cmap: str = "viridis_r",  # noqa: ARG001
    ax: Any = None,
) -> Any:
    """Plot the partial dependence on each dimension and on each pair of them.

    On the diagonal are curves with a band of 95 %, below it the pairs. `sf.plot.slice(result.suffice)` and
    `sf.plot.contour(result.suffice)` draw the objective near the best point.
    """
    native, names = result.suffice, _names(result, plot_dims)
    D = len(names)
    if D == 1:
        alone = partial_dependence(native, names[0], current_axes() if ax is None else ax)
        return _labelled(np.array([[alone]]), names, dimensions)[0, 0]
    side = max(FULL, D * FULL / 4)  # four panels fill the width of a page
    axes: Any = new_figure(side, side).subplots(D, D, squeeze=False) if ax is None else np.asarray(ax, dtype=object)
    for i, j in np.ndindex(D, D):
        if j > i:
            axes[i, j].set_axis_off()
            continue
        partial_dependence(native, names[i] if i == j else (names[j], names[i]), axes[i, j])
        _remove_legend(axes[i, j])
        axes[i, j].set_xlabel(axes[i, j].get_xlabel() if i == D - 1 else "")  # labels at the edge only
        axes[i, j].set_ylabel(axes[i, j].get_ylabel() if j == 0 < i else "")
    return _labelled(axes, names, dimensions)


@drawing(n_samples="It has no effect.")
def plot_objective_2D(  # noqa: N802
    result: OptimizeResult,
    dimension_identifier1: str | int,
    dimension_identifier2: str | int,
    n_points: int = 40,  # noqa: ARG001
    n_samples: int = 250,  # noqa: ARG001
    levels: int = 10,  # noqa: ARG001
    zscale: str = "linear",  # noqa: ARG001
    sample_source: Any = "random",  # noqa: ARG001
    minimum: Any = "result",  # noqa: ARG001
    n_minimum_search: int | None = None,  # noqa: ARG001
    ax: Axes = None,
) -> Axes:
    """Plot the partial dependence on two dimensions."""
    pair = _names(result, (dimension_identifier1, dimension_identifier2))
    return partial_dependence(result.suffice, pair, current_axes() if ax is None else ax)


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
    show_acq_func      whether to draw the acquisition function, on an axis of its own; show_next_point: its maximum
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
    """The acquisition function α at places x, (m,), as it was for the next point, in its own units."""
    border, history = Border.of(res.space), native.history
    space, fitted = history.settings.space, surface(history).fitted
    X = np.array([space.to_unit(dict(zip(space.names, border.inward([v]).values(), strict=True))) for v in x.tolist()])
    with one_thread(fitted.posterior.n):
        frozen = freeze(history.settings, history, {VALUE: fitted}, number=len(history.trials))
        return np.asarray(frozen.alpha(X))


def _draw_objective(ax: Axes, x: Array, y: Array, noise_level: float) -> None:
    ax.plot(x, y, color=BLACK, linestyle="--", linewidth=0.8, label="objective")
    if noise_level:
        half = ndtri(0.975) * noise_level  # a band that holds 95 %
        ax.fill_between(x, y - half, y + half, color=BLACK, alpha=0.1, linewidth=0)
    low, high = ax.get_ylim()
    room = 0.05 * float(np.ptp(y))
    ax.set_ylim(min(low, float(y.min()) - room), max(high, float(y.max()) + room))


def _draw_rule(ax: Axes, x: Array, alpha: Array, *, next_point: bool) -> None:
    ax.plot(x, alpha, color=COLOURS[1], linewidth=0.9, label="rule")
    ax.set_ylabel("acquisition value")
    if next_point:
        best = int(np.argmax(alpha))
        ax.plot(x[best], alpha[best], linestyle="", marker="o", markersize=4, color=COLOURS[1], label="next point")


def _legends(panels: list[Axes], wanted: bool) -> None:
    """One legend for all, or none."""
    for ax in panels:
        _remove_legend(ax)
    if wanted:
        first = panels[0]
        for line in (line for ax in panels if ax is not first for line in ax.lines):
            (copied,) = first.plot([], [])
            copied.update_from(line)
            copied.set_label(line.get_label())
        legend_above(first)


@drawing()
def plot_histogram(
    result: OptimizeResult,
    dimension_identifier: str | int,
    bins: int = 20,  # noqa: ARG001
    rotate_labels: float = 0,  # noqa: ARG001
    ax: Axes = None,
) -> Axes:
    """Plot how often each value of a dimension was tried."""
    ax = current_axes() if ax is None else ax
    evaluations(result.suffice, _names(result, [dimension_identifier]), ax)
    ax.set_ylabel("evaluations")
    return ax


def _groups(args: Sequence[Any]) -> Iterator[tuple[str, list[OptimizeResult]]]:
    """Labels and results, of whatever of the forms they come in."""
    for i, given in enumerate(args, start=1):
        label, results = given if isinstance(given, tuple) else (f"run {i}", given)
        several = list(results) if isinstance(results, list | tuple) else [results]
        for result in several:
            if not isinstance(result, OptimizeResult):
                raise TypeError(
                    "a plot takes results, pairs (label, result) or pairs (label, list of results): "
                    f"got {type(result).__name__}"
                )
        yield str(label), several


def _mean_least(results: Sequence[OptimizeResult]) -> Array:
    """The least value so far, in the mean over the runs, as far as all of them go, (n,)."""
    n = min(len(result.func_vals) for result in results)
    least = [np.fmin.accumulate(np.asarray(result.func_vals, dtype=np.float64))[:n] for result in results]
    return np.asarray(np.mean(least, axis=0))


def _place(result: OptimizeResult, wanted: str | int) -> int:
    """The number of a dimension, of its number or name."""
    names = result.space.dimension_names
    if wanted in names:
        return int(names.index(wanted))
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return wanted
    raise ValueError(f"a dimension is one of {', '.join(names)}, or its number from 0: got {wanted!r}")


def _names(result: OptimizeResult, plot_dims: Sequence[str | int] | None) -> list[str]:
    """The names of the dimensions that are drawn, as the study has them."""
    varied = [j for j, dimension in enumerate(result.space.dimensions) if not dimension.is_constant]
    places = varied if plot_dims is None else [_place(result, wanted) for wanted in plot_dims]
    named, inside = result.space.dimension_names, result.suffice.settings.space.names
    # The study has another order where parameters of an estimator are searched, and other names where two are the same.
    return [named[j] if named[j] in inside else inside[j] for j in places]


def _labelled(axes: Any, names: Sequence[str], labels: Sequence[str] | None) -> Any:
    """The panels of a matrix, (D, D), with other labels for the dimensions if there are any."""
    if labels is None:
        return axes
    if len(labels) != len(names):
        raise ValueError(f"dimensions has a label for each of the {len(names)} dimensions drawn: got {len(labels)}")
    for j, label in enumerate(labels):
        axes[-1, j].set_xlabel(words(label))
    for i, label in enumerate(labels[1:], start=1):
        axes[i, 0].set_ylabel(words(label))
    return axes


def _remove_legend(ax: Axes) -> None:
    if (legend := ax.get_legend()) is not None:
        legend.remove()
