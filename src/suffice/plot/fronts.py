"""What several objectives cost each other: the front of a run, as stairs, and the front that the models predict.

Y      (n, 2)   outputs in the user's units; nan where an evaluation lacks one
S      (n, 2)   the same, larger is better in both
e      (2,)     the worse corner of what is drawn, at which stairs end, larger is better
X      (n, d)   rows of the cube: samples of the space, and more around those that are on a front already
μ, σ   (n,)     posterior mean and standard deviation of an output, larger is better, model units

    front(z)   of the outputs h(μ + zσ) at the rows where every constrained output is feasible at μ + zσ

z = 0 is the predicted front, as medians; z = ±2 are the ends of its band. That is no confidence band for the front:
outputs that are off by two standard deviations in the same direction everywhere are one way to differ among many, and
each of the three fronts may consist of other points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.checks import as_bool
from suffice.errors import SufficeError
from suffice.pareto import nondominated
from suffice.plot.axes import FAR, PANELS, ROOM, TICKS, Window, axis_name, legend_above, note, plain, settle, window
from suffice.plot.data import evaluated, known_name, with_values
from suffice.plot.slices import INFEASIBLE, draw_star, scatter
from suffice.plot.style import BLACK, BLUE, FULL, GREY, ORANGE, SMALL, axes_for, panels_for, styled, tint
from suffice.record.history import rows
from suffice.result.front import Front
from suffice.result.predict import TWO_SIDED, Surface, surface
from suffice.result.result import Result
from suffice.streams import Streams
from suffice.threads import one_thread
from suffice.types import Array, Domain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mask = NDArray[np.bool_]

NEAR = 0.5  # of the range of what is feasible: what is better by less, infeasible or predicted, is shown as well
DRAWS = 2048  # of the space
ROUNDS, AROUND, EACH = 3, 40, 24  # rounds of looking around so many points of the fronts, at so many rows each


@styled()
def front(result: Result, ax: Any = None, names: Sequence[str] | None = None, *, predicted: bool = True) -> Any:
    """Plot the trade-off between objectives: the front, all other evaluations, and the predicted front.

    Blue dots are the front, the trials that no other trial dominates, and the steps bound the region that they
    dominate. Grey dots are other evaluations, upright crosses infeasible ones, the star is the knee, `result.knee()`,
    and the square the reference point of the hypervolume.

    The orange line is the predicted front: of the posterior medians at thousands of points of the space. Its band lies
    between the fronts at two standard deviations worse and two better in every output. It shows where the models are
    uncertain, but is not a confidence band: a front need not differ from the prediction in the same direction
    everywhere.

    More objectives have a panel for each pair. Blue dots are the front in all objectives, so some lie behind the steps,
    which are the front in these two alone.

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
    wanted, taken = as_bool(predicted, "predicted"), objectives_of(result, names)
    aims = [Aim(name, result.settings.sign(name) > 0) for name in taken]
    if len(taken) == 2:
        panel = axes_for(ax, 0.7 * FULL, 3.6)
        x, y = taken
        prediction = foreseen(result, (x, y)) if wanted else None
        draw_front(panel, (aims[0], aims[1]), _outcomes(result, (x, y)), prediction)
        return panel
    size = len(taken) - 1
    side = min(FULL, 2.0 * size + 1.0)
    needed = f"plot.front needs axes of shape ({size}, {size}) for {size + 1} objectives, a panel for each pair"
    axes = panels_for(ax, (size, size), (side, side - 0.4), f"{needed} (names= selects two of them for one panel)")
    draw_projections(axes, aims, {pair: _outcomes(result, pair) for pair in _pairs(taken)})
    if names is None and len(taken) < len(result.settings.objectives):
        said = f"the first {len(taken)} of {len(result.settings.objectives)} objectives"
        axes[0, 0].set_title(said, loc="left", fontsize=SMALL)
    return axes


def objectives_of(result: Result, names: object) -> list[str]:
    """The objectives of a figure, at least two."""
    known = list(result.settings.objectives)
    if len(known) < 2:
        raise ValueError(
            f"plot.front plots several objectives, but the result has one, {known[0]!r}; use plot.convergence or "
            "plot.slice"
        )
    if names is None:
        return known[:PANELS]
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"plot.front: names must be a list of objectives, such as {known[:2]!r}: got {names!r}")
    taken = [known_name(name, known, "front", "objective") for name in names]
    if len(taken) < 2 or len(set(taken)) < len(taken):
        raise ValueError(f"plot.front plots two or more objectives, each once: got {list(names)!r}")
    return taken


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Each pair once, what is across before what is upwards."""
    return [(across, upwards) for i, upwards in enumerate(names) for across in names[:i]]


def _outcomes(result: Result, pair: tuple[str, str]) -> "Outcomes":
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


# ---------------------------------------------------------------------- drawing


@dataclass(frozen=True)
class Aim:
    """One objective, as an axis."""

    name: str
    larger: bool  # larger values are better

    @property
    def sign(self) -> float:
        """What turns its values into larger-is-better."""
        return 1.0 if self.larger else -1.0


@dataclass(frozen=True)
class Outcomes:
    """What came of the evaluations, by two objectives."""

    Y: Array
    feasible: Mask  # (n,)
    front: Mask  # (n,): not dominated by any other one, in all objectives there are
    knee: int | None  # a row
    reference: Array | None  # (2,)


@dataclass(frozen=True)
class Foreseen:
    """Fronts that models predict, (k, 2) each, in the user's units: by their medians, and at the ends of a band."""

    median: Array
    worse: Array
    better: Array


def draw_front(
    ax: "Axes",
    aims: tuple[Aim, Aim],
    outcomes: Outcomes,
    foreseen: Foreseen | None = None,
    *,
    legend: bool = True,
    ticks: int = TICKS,
) -> None:
    """Dots for evaluations, upright crosses for infeasible ones, stairs for the front, a star for the knee.

    The stairs are the front by these two objectives alone; where there are more, others belong to the front as well.
    """
    signs = np.array([aim.sign for aim in aims])
    windows = [_window(j, aim, outcomes, foreseen) for j, aim in enumerate(aims)]
    e = _corner(signs, windows, outcomes)
    _draw_best(ax, signs, e, outcomes)
    _draw_others(ax, outcomes)
    if foreseen is not None:
        _draw_foreseen(ax, signs, e, foreseen)
    _lay(ax, aims, windows, ticks)
    _say_beyond(ax, aims, windows, outcomes.Y)
    if legend:
        legend_above(ax)


def _window(j: int, aim: Aim, outcomes: Outcomes, foreseen: Foreseen | None) -> Window:
    """The range of an axis: the feasible outcomes but for a few bad ones, the front, and what is not far from these."""
    y = outcomes.Y[:, j]
    inside = y[outcomes.feasible] if outcomes.feasible.any() else y
    shown = window(inside, larger=aim.larger).including(y[outcomes.front])
    width = shown.high - shown.low
    others = np.concatenate([y, np.empty(0) if foreseen is None else foreseen.median[:, j]])
    others = others[np.isfinite(others) & ~shown.beyond(others)]
    shown = shown.including(others[(others >= shown.low - NEAR * width) & (others <= shown.high + NEAR * width)])
    if outcomes.reference is not None:
        r = outcomes.reference[j : j + 1]
        far = (r < shown.low - FAR * width) | (r > shown.high + FAR * width)
        shown = shown if far else shown.including(r)
    return shown


def _corner(signs: Array, windows: list[Window], outcomes: Outcomes) -> Array:
    """Where stairs end: at the reference point, or beyond the front where it is no worse; inside of the axes."""
    edge = np.array([sign * (w.low if sign > 0 else w.high) for sign, w in zip(signs, windows, strict=True)])
    width = np.array([w.high - w.low for w in windows])
    edge = edge - ROOM * width
    S = signs * outcomes.Y[outcomes.front]
    r = edge if outcomes.reference is None else signs * outcomes.reference
    worst = S.min(axis=0) - ROOM * width if len(S) else edge
    found: Array = np.maximum(edge, np.minimum(r, worst))
    return found


def _draw_best(ax: "Axes", signs: Array, e: Array, outcomes: Outcomes) -> None:
    """The front with its knee, and the point from which its volume is measured."""
    front = outcomes.Y[outcomes.front]
    if len(front):
        edge = signs * stairs(signs * front, e)
        ax.plot(*edge.T, color=BLUE, linewidth=1.2, zorder=3, label="_stairs")
        look: dict[str, Any] = {"s": 2 * _size(outcomes), "color": BLUE, "linewidths": 0, "zorder": 3}
        ax.scatter(*front.T, label=f"front ({len(front)})", **look)
    if outcomes.knee is not None:
        x, y = outcomes.Y[outcomes.knee]
        draw_star(ax, (float(x), float(y), "knee"))
    if outcomes.reference is not None:
        square: dict[str, Any] = {"marker": "s", "markersize": 4, "markerfacecolor": "white", "color": GREY}
        ax.plot(*outcomes.reference[:, None], linestyle="", zorder=3, label="reference point", **square)


def _draw_others(ax: "Axes", outcomes: Outcomes) -> None:
    """What is not on the front: dominated, or infeasible."""
    (x, y), known = outcomes.Y.T, np.isfinite(outcomes.Y).all(axis=1)
    others, beyond = known & outcomes.feasible & ~outcomes.front, known & ~outcomes.feasible
    look: dict[str, Any] = {"s": _size(outcomes), "color": tint(BLACK, 0.35), "linewidths": 0}
    scatter(ax, x, y, others, label="evaluations", **look)
    said = f"infeasible ({int(beyond.sum())})"
    scatter(ax, x, y, beyond, s=2.5 * _size(outcomes), label=said, **INFEASIBLE)


def _size(outcomes: Outcomes) -> float:
    """Of a marker."""
    return 9.0 if len(outcomes.Y) <= 300 else 4.0


def _draw_foreseen(ax: "Axes", signs: Array, e: Array, foreseen: Foreseen) -> None:
    from matplotlib.patches import Polygon

    median, worse, better = (stairs(signs * Y, e) for Y in (foreseen.median, foreseen.worse, foreseen.better))
    outline = signs * between(better, worse)
    if len(median) > 1:
        ax.plot(*(signs * median).T, color=ORANGE, linewidth=1.1, zorder=1, label="predicted front")
    band = Polygon(outline, facecolor=tint(ORANGE, 0.25), linewidth=0, zorder=0.5, label="95 % band")
    ax.add_patch(band)


def _lay(ax: "Axes", aims: tuple[Aim, Aim], windows: list[Window], ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator

    names: tuple[Literal["x", "y"], ...] = ("x", "y")
    for which, axis, shown, aim in zip(names, (ax.xaxis, ax.yaxis), windows, aims, strict=True):
        direction = f" ({'maximize' if aim.larger else 'minimize'})"
        ax.set(**{f"{which}lim": shown.ends()})
        axis_name(ax, which, aim.name, direction)
        axis.set_major_locator(MaxNLocator(ticks))
        axis.set_major_formatter(plain())
    settle(ax)


def _say_beyond(ax: "Axes", aims: tuple[Aim, Aim], windows: list[Window], Y: Array) -> None:
    """How many evaluations the axes leave out, in the corner that is better in both objectives: nothing is there."""
    low, high = np.array([shown.ends() for shown in windows]).T
    known = Y[np.isfinite(Y).all(axis=1)]
    out = ((known < low) | (known > high)).any(axis=1)
    if out.any():
        said = f"{int(out.sum())} beyond the axes"
        note(ax, said, "right" if aims[0].larger else "left", "top" if aims[1].larger else "bottom")


def draw_projections(axes: Any, aims: Sequence[Aim], outcomes: Mapping[tuple[str, str], Outcomes]) -> None:
    """The panels of a matrix, (D − 1, D − 1): pairs on and below its diagonal, the legend above.

    Rows are the second, third, … objective, columns the first, second, …; names stand at the outer panels.
    """
    from matplotlib.ticker import NullFormatter

    last = len(aims) - 2
    for i, upwards in enumerate(aims[1:]):
        for j, across in enumerate(aims[:-1]):
            ax = axes[i, j]
            if j > i:
                ax.set_axis_off()
                continue
            draw_front(ax, (across, upwards), outcomes[across.name, upwards.name], legend=False, ticks=TICKS - 1)
            if i < last:
                ax.set_xlabel("")
                ax.xaxis.set_major_formatter(NullFormatter())
            if j > 0:
                ax.set_ylabel("")
                ax.yaxis.set_major_formatter(NullFormatter())
    handles, labels = axes[-1, 0].get_legend_handles_labels()
    axes[0, -1].legend(handles, labels, loc="center", fontsize=SMALL, handlelength=1.2)


def stairs(S: Array, e: Array) -> Array:
    """The corners of the edge of what the rows dominate above e, (k, 2), from the first objective's worse end.

    A row that is not above e in both objectives counts for nothing. Without rows it is e itself.
    """
    S = S[(S > e).all(axis=1)]
    F = S[nondominated(S, distinct=True)]
    F = F[np.argsort(F[:, 0])]
    if not len(F):
        return np.array([e])
    x = np.concatenate([[e[0]], np.repeat(F[:, 0], 2)])
    y = np.concatenate([np.repeat(F[:, 1], 2), [e[1]]])
    return np.column_stack([x, y])


def between(better: Array, worse: Array) -> Array:
    """The outline of what lies between two stairs with the same ends, (k, 2)."""
    return np.concatenate([better, worse[::-1]])


# ---------------------------------------------------------------------- the predicted front


@dataclass(frozen=True)
class _Outputs:
    """The two objectives, and limits of others in model units."""

    objectives: tuple[Surface, Surface]
    limited: tuple[tuple[Surface, float], ...]

    def at(self, X: Array) -> Array:
        """Outcomes at z standard deviations for each front, larger is better, (3, n, 2); nan if infeasible."""
        bands = 0.0, -TWO_SIDED, TWO_SIDED
        said = np.empty((len(bands), len(X), 2))
        for j, found in enumerate(self.objectives):
            mean, std = found.fitted.posterior.predict(X)
            with np.errstate(over="ignore"):  # the far end of a band after a warp may be beyond float64
                said[:, :, j] = [found.fitted.outcome.inverse(mean + z * std) for z in bands]
        for found, level in self.limited:
            mean, std = found.fitted.posterior.predict(X)
            for k, z in enumerate(bands):
                said[k, mean + z * std < level] = np.nan
        said[~np.isfinite(said).all(axis=2)] = np.nan
        return said


def foreseen(result: Result, names: tuple[str, str]) -> Foreseen | None:
    """The predicted front of two objectives, in the user's units; None where there is no model to ask."""
    try:
        outputs = _outputs(result, names)
    except SufficeError:
        return None
    space, history = result.settings.space, result.history
    rng = Streams(result.seed)("dependence", 2)
    with one_thread(history.model_rows):
        X = np.concatenate([space.sample(DRAWS, rng), rows(history.done, space.dim)])
        S = outputs.at(X)
        for _ in range(ROUNDS):
            more = _around(space, X, S, rng)
            X, S = np.concatenate([X, more]), np.concatenate([S, outputs.at(more)], axis=1)
    signs = np.array([result.settings.sign(name) for name in names])
    median, worse, better = (signs * outcomes[nondominated(outcomes)] for outcomes in S)
    return Foreseen(median, worse, better)


def _outputs(result: Result, names: tuple[str, str]) -> _Outputs:
    history = result.history
    first, second = (surface(history, name=name) for name in names)
    limited = []
    for name, limit in result.settings.constraints.items():
        found = surface(history, name=name)
        limited.append((found, float(found.fitted.outcome(np.array([limit.sign * limit.limit]))[0])))
    return _Outputs((first, second), tuple(limited))


def _around(space: Domain, X: Array, S: Array, rng: Generator) -> Array:
    """Members near points of the three fronts, evenly chosen along them."""
    chosen: list[int] = []
    for outcomes in S:
        front = np.flatnonzero(nondominated(outcomes, distinct=True))
        front = front[np.argsort(outcomes[front, 0])]
        chosen += front[np.linspace(0, len(front) - 1, min(AROUND, len(front))).round().astype(np.intp)].tolist()
    # how far around, in units of the cube
    near = [space.near(X[row], EACH, rng, (0.1, 0.03, 0.01, 0.003)) for row in dict.fromkeys(chosen)]
    return np.concatenate([np.empty((0, X.shape[1])), *near])
