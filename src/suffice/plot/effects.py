"""What parameters do on average over the space: how much of the objective they explain, and its mean along them.

g   int   values of the parameter, or of a pair          n   int   draws of all others
h         the map back to the objective's units; h' its slope, where it is the same everywhere (without a warp)
C   (n, n)  posterior covariance of the draws

    mean = Σ h(μ_i)/n          its band: without a warp ± 1.96 h' √ΣC/n; else the quantiles of Σ h(Z_i)/n, Z ~ N(μ, C)

After a warp the slope changes over the band: to first order in h a band that should hold 95 % was seen to hold half.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from suffice.belief import VALUE
from suffice.plot.axes import FEW, legend_above, note, room_for, settle, shading, window
from suffice.plot.data import Dimension, chosen_parameters, drawn, made_of_parameters, of_parameters, placed, subject
from suffice.plot.slices import Curve, Field, crossed, draw_curve, draw_field
from suffice.plot.style import BLACK, BLUE, FULL, SMALL, axes_for, folded, styled, tint
from suffice.result.importance import FEWEST, SOME, Importance
from suffice.result.predict import TWO_SIDED, Surface, surface
from suffice.result.result import Result
from suffice.streams import Streams
from suffice.threads import one_thread
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THICK = 0.75  # of a row: the bar of the total
ALONG, OVER = 31, 15  # values along one parameter, and along each of two


@styled()
def importance(result: Result, ax: "Axes | None" = None, *, output: str | None = None) -> "Axes":
    """Plot which parameters matter: their fractions of the variance of the model's mean.

    The pale bar is the total effect, including interactions, with two standard errors; the dark bar is the effect of
    the parameter alone. The bars describe what the model has learned. Next to each stands the length-scale ℓ, as a
    fraction of the parameter's range. `result.importance()` has the numbers.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    output : str or None, default: None
        The output for which they matter, an objective or a constrained one; None: the only objective.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    result, target = subject(result, output, "importance")
    found = result.importance(target)
    if not len(found):
        raise ValueError("plot.importance: every parameter of the space is a constant")
    some = min(len(found), FEW)
    ax = axes_for(ax, FULL, 1.0 + 0.2 * some)
    _draw_bars(ax, found, some)
    if some < len(found):
        note(ax, f"{some} of {len(found)} parameters", y="bottom")
    return ax


def _draw_bars(ax: "Axes", found: Importance, some: int) -> None:
    """A pale bar for the total and a dark one inside it for what the parameter does alone, with a whisker of two
    standard errors; the length-scale stands behind. Only the first `some` parameters."""
    places, total, errors = np.arange(float(some)), found.total[:some], 2 * np.nan_to_num(found.total_error[:some])
    ax.barh(places, total, THICK, color=tint(BLUE, 0.35), label="with others", zorder=1)
    first = np.maximum(found.first[:some], 0.0)
    known = np.isfinite(first)
    if known.any():
        ax.barh(places[known], first[known], 0.5 * THICK, color=BLUE, label="alone", zorder=2)
    whisker: dict[str, Any] = {"elinewidth": 0.8, "capsize": 1.5, "capthick": 0.8}
    ax.errorbar(total, places, xerr=errors, linestyle="", color=BLACK, zorder=3, label="_error", **whisker)
    for place, end, length in zip(places, total + errors, found.lengthscales[:some], strict=True):
        if np.isfinite(length):
            behind = (float(end), float(place))
            ax.annotate(f"ℓ {length:.2g}", behind, (3, 0), textcoords="offset points", va="center", fontsize=SMALL)
    lines = int(np.clip(room_for(ax, "y") / (2.5 * some), 1, 3))  # a line is as high as two and a half letters are wide
    ax.set_yticks(places, [folded(name, max(22, room_for(ax) // 4), lines) for name in found.names[:some]])
    ax.set_ylim(some - 0.5, -0.5)
    ax.set_xlim(0.0, 1.2 * max(float(np.nanmax(total + errors, initial=0.0)), 0.1))
    ax.set_xlabel("fraction of the variance of the mean")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    settle(ax)
    legend_above(ax)


@styled()
def partial_dependence(
    result: Result, name: str | Sequence[str], ax: "Axes | None" = None, *, output: str | None = None
) -> "Axes":
    """Plot the mean of the objective over the space for each value of a parameter, or of a pair of them.

    For each value the posterior median is averaged over random points of the space in which the parameter is active and
    has that value. The band of 95 % is for this mean, not for single points. `slice` shows the effect of a parameter
    near the best point.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    name : str or pair of str
        A parameter, or a pair of them.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    output : str or None, default: None
        The output that is drawn, an objective or a constrained one; None: the only objective.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    result, target = subject(result, output, "partial_dependence")
    space = result.settings.space
    varied = chosen_parameters(name, of_parameters(space, "partial_dependence"), space, "partial_dependence")
    if len(varied) > 2:
        raise ValueError(f"plot.partial_dependence plots one parameter or two: got {len(varied)}")
    with one_thread(result.history.model_rows):
        if len(varied) == 2:
            return _over(result, varied, target, ax)
        places, blocks = varied[0].grid(ALONG)
        curve = Curve(places, *_means(result, target, varied, [blocks], band=True))
    ax = axes_for(ax)
    shown = window(np.concatenate([curve.median, curve.low, curve.high]), larger=result.settings.sign(target) > 0)
    labels = ("mean over the space", "95 % band of the mean")
    draw_curve(ax, varied[0].scale, curve, shown, labels=labels, vertical=_mean_of(target))
    legend_above(ax)
    return ax


def _mean_of(target: str) -> str:
    return "mean value" if target == VALUE else f"mean of {target}"


def _over(result: Result, pair: Sequence[Dimension], target: str, ax: "Axes | None") -> "Axes":
    across, along, blocks = crossed(pair, OVER)
    Z = _means(result, target, pair, blocks, band=False)[0].reshape(len(along), len(across))
    ax = axes_for(ax, 0.7 * FULL, 3.6)
    colours = shading(Z, larger=result.settings.sign(target) > 0)
    draw_field(ax, (pair[0].scale, pair[1].scale), Field(across, along, Z), colours, label=_mean_of(target))
    return ax


def _means(result: Result, target: str, varied: Sequence[Dimension], blocks: Sequence[Array], *, band: bool) -> Array:
    """The mean for each value, and the ends of its band, (3, g); nan where the space has no point with it."""
    space, found = made_of_parameters(result.settings.space), surface(result.history, name=target)
    n = max(FEWEST, min(SOME, 20_000 // len(blocks[0])))  # so many points are looked at in all
    X = drawn(space, n, Streams(result.seed)("dependence"))  # the same for each value: differences are its own
    said = np.full((3, len(blocks[0])), np.nan)
    for i in range(len(blocks[0])):
        same = [np.repeat(block[i : i + 1], len(X), axis=0) for block in blocks]
        rows, allowed = placed(space, X, varied, same)
        if allowed.any():
            said[:, i] = _mean(found, rows[allowed], Streams(result.seed)("dependence", 1) if band else None)
    return said


def _mean(found: Surface, X: Array, rng: Generator | None) -> tuple[float, float, float]:
    """The mean of the median over rows, (n, d), and the ends of its band; None: without one."""
    if rng is None:
        middle = float((found.median(X) / len(X)).sum())
        return middle, middle, middle
    posterior, outcome = found.fitted.posterior, found.fitted.outcome
    mu, C = posterior.mean(X), posterior.covariance(X, X)
    median, slope = found.mapped(mu, np.ones(len(X)))
    middle = float((median / len(X)).sum())
    if outcome.lam == 1.0:
        sd = float(slope[0]) * float(np.sqrt(max(0.0, float(C.mean()))))
        return middle, middle - TWO_SIDED * sd, middle + TWO_SIDED * sd
    w, V = np.linalg.eigh(C)
    root = (V * np.sqrt(np.maximum(w, 0.0))) @ V.T  # symmetric: from one value to the next it changes as little as C
    normal = rng.standard_normal((400, len(X)))  # ten of them are beyond each end of a band
    with np.errstate(over="ignore"):  # a far end may be beyond float64
        means = (found.sign * outcome.inverse(mu + normal @ root) / len(X)).sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975], method="nearest")  # nothing between infinities
    return middle, min(middle, float(low)), max(middle, float(high))
