"""Five of the figures in Plotly: they zoom, and the mouse shows which trial a mark is and where it was evaluated.

figure = sf.plot.interactive.contour(result)
figure.write_html("contour.html")

The numbers are those of the figures of `sf.plot` with the same names, which explain them. Nothing here needs
matplotlib, and Plotly is loaded when something is drawn.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from suffice.belief import VALUE
from suffice.errors import MissingExtra
from suffice.plot.axes import Scale
from suffice.plot.convergence import growths, run_of
from suffice.plot.data import (
    as_result,
    chosen_parameters,
    evaluated,
    infeasible,
    most_important,
    of_parameters,
    places_of,
    subject,
    values_of,
    with_values,
)
from suffice.plot.fronts import objectives_of
from suffice.plot.slices import EVEN_CHANCE, UNLIKELY, cut_of, field_of, pair_of
from suffice.plot.style import BLACK, BLUE, GREY, ORANGE
from suffice.record.trial import Trial, point_rows
from suffice.result.display import VERMILION
from suffice.result.front import Front
from suffice.result.predict import TWO_SIDED, surface
from suffice.result.result import Result
from suffice.text import visible
from suffice.types import Array

ROWS = 20  # parameters that are shown of a point


def convergence(result: Result, *, log: bool = False) -> Any:
    """Plot the values of a run in order, with the best so far and the point to use.

    Parameters
    ----------
    result : Result
        A result; of several objectives the hypervolume of the front is drawn.
    log : bool, default: False
        Whether the axis of the values is logarithmic.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.
    """
    result = as_result(result, "interactive.convergence")
    several = result.settings.several
    run = growths([result.history])[0] if several else run_of(result, recommended=True)
    trials, places = run.trials, run.numbers
    initial = np.array([t.origin != "model" for t in trials], dtype=bool)
    good = ~run.failed & ~run.infeasible
    marks = [
        _marks("initial points", places, run.values, good & initial, trials, symbol="circle-open", color=BLUE),
        _marks("chosen by the model", places, run.values, good & ~initial, trials, color=BLUE),
        _marks("infeasible", places, run.values, run.infeasible, trials, symbol="cross-thin-open", color=GREY),
        _marks("failed", places, np.full(len(trials), 0.02), run.failed, trials, symbol="x", color=VERMILION),
    ]
    marks[-1]["yaxis"] = "y2"  # which has the bottom of the figure, wherever the values are
    best = {"type": "scatter", "mode": "lines", "name": "best so far", "x": places, "y": run.best}
    traces = [*marks, {**best, "line": {"shape": "hv", "color": BLACK}, "hoverinfo": "skip"}]
    if run.recommended is not None:
        found = run.recommended
        said = f"{found.kind}: trial {found.trial.number}"
        star: dict[str, Any] = {"type": "scatter", "mode": "markers", "x": [found.trial.number], "y": [found.value]}
        if found.kind == "recommended":
            said += ", with its 95 % interval"
            star["error_y"] = {"type": "data", "array": [TWO_SIDED * found.deviation]}
        traces.append({**star, "name": said, "marker": {"symbol": "star", "size": 13, "color": ORANGE}})
    under = {"overlaying": "y", "range": [0, 1], "visible": False}
    y = {"title": run.name, "type": "log" if log else "-"}
    return _figure(traces, {"title": "trial"}, y, yaxis2=under)


def importance(result: Result, *, output: str | None = None) -> Any:
    """Plot which parameters matter: their fractions of the variance of the model's mean.

    Parameters
    ----------
    result : Result
        A result.
    output : str or None, default: None
        The output for which they matter; None: the only objective.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.
    """
    result, target = subject(result, output, "interactive.importance")
    found = result.importance(target)
    names = [_text(name) for name in found.names]
    error = {"type": "data", "array": 2 * np.nan_to_num(found.total_error)}
    bar = {"type": "bar", "orientation": "h", "y": names}
    traces = [
        {**bar, "name": "with others", "x": found.total, "error_x": error, "marker": {"color": BLUE}, "opacity": 0.4},
        {**bar, "name": "alone", "x": np.maximum(found.first, 0.0), "marker": {"color": BLUE}, "width": 0.35},
    ]
    return _figure(traces, {"title": "share of the variance"}, {"autorange": "reversed"}, barmode="overlay")


def slice(result: Result, name: str | None = None, at: Any = None, *, output: str | None = None) -> Any:
    """Plot the prediction along one parameter, with all others fixed at a point.

    Parameters
    ----------
    result : Result
        A result.
    name : str or None, default: None
        A parameter; None: the most important one.
    at : point or None, default: None
        A point, as the objective takes it; None: the best or recommended point.
    output : str or None, default: None
        The output that is drawn; None: the only objective.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.
    """
    what = "interactive.slice"
    result, target = subject(result, output, what)
    known = of_parameters(result.settings.space, what)
    name = most_important(result, list(known), target)[0][0] if name is None else name
    (dimension,) = chosen_parameters([name], known, result.settings.space, what)
    curve, (x, y, said) = cut_of(result, surface(result.history, name=target), dimension, at)
    mode = "markers" if dimension.scale.options else "lines"
    line = {"type": "scatter", "mode": mode, "x": curve.places, "line": {"color": BLUE}, "marker": {"color": BLUE}}
    edge = {**line, "line": {"width": 0}, "marker": {"color": BLUE, "symbol": "line-ew-open"}, "showlegend": False}
    between = {} if dimension.scale.options else {"fill": "tonexty"}
    traces = [
        {**edge, "y": curve.low, "hoverinfo": "skip"},
        {**edge, "y": curve.high, "hoverinfo": "skip", "name": "95 % band", "showlegend": True, **between},
        {**line, "y": curve.median, "name": "median"},
        *_evaluations(result, target, places_of(result, dimension), values_of(result, target)),
        *([] if curve.inactive else [_star(x, y, said)]),
    ]
    return _figure(traces, _axis(dimension.scale, curve.inactive), {"title": target})


def contour(
    result: Result, x: str | None = None, y: str | None = None, at: Any = None, *, output: str | None = None
) -> Any:
    """Plot the prediction over two parameters, with all others fixed at a point.

    Parameters
    ----------
    result : Result
        A result.
    x, y : str or None, default: None
        Two parameters; None: the most important ones.
    at : point or None, default: None
        A point, as the objective takes it; None: the best or recommended point.
    output : str or None, default: None
        The output that is drawn; None: the only objective.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.
    """
    result, target = subject(result, output, "interactive.contour")
    pair = pair_of(result, x, y, target)
    found, section = field_of(result, pair, target, at, "interactive.contour")
    field = {"x": found.x, "y": found.y}
    smooth = not any(dimension.scale.options for dimension in pair)
    darker = "Blues" if result.settings.sign(target) > 0 else "Blues_r"  # is better
    bar = {"title": {"text": "median" if target == VALUE else f"median of {_text(target)}"}}
    shown = {"type": "contour" if smooth else "heatmap", "colorscale": darker, "colorbar": bar, "name": "median"}
    traces: list[dict[str, Any]] = [{**shown, **field, "z": found.Z}]
    if found.P is not None:
        edge = {"start": EVEN_CHANCE, "end": EVEN_CHANCE, "coloring": "none"}
        line = {"type": "contour", "contours": edge, "line": {"color": BLACK, "dash": "dash"}, "showscale": False}
        traces.append({**line, **field, "z": found.P, "name": f"{UNLIKELY} beyond", "hoverinfo": "skip"})
    first, second = (places_of(result, dimension) for dimension in pair)
    traces += _evaluations(result, target, first, second)
    if not section.centre.inactive:
        traces.append(_star(section.here[0], section.here[1], section.centre.text))
    return _figure(traces, _axis(pair[0].scale, section.centre.inactive), _axis(pair[1].scale))


def front(result: Result, names: Sequence[str] | None = None) -> Any:
    """Plot the trade-off between two or three objectives: the front and all other evaluations.

    Parameters
    ----------
    result : Result
        A result of several objectives.
    names : list of str or None, default: None
        Two or three of the objectives; None: the first three at most. Three are drawn in space.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.
    """
    result = with_values(result, "interactive.front")
    taken = objectives_of(result, names)[:3]
    trials, found = evaluated(result), Front(result.history)
    best = {trial.number for trial in found.trials}
    columns = [values_of(result, name) for name in taken]
    on, beyond = np.array([trial.number in best for trial in trials], dtype=bool), infeasible(result)
    looks = [("the front", on, BLUE, "circle"), ("infeasible", beyond & ~on, VERMILION, "cross")]
    looks.append(("others", ~on & ~beyond & ~np.isnan(columns[0]), GREY, "circle"))
    if best:
        knee = np.array([trial.number == found.knee().number for trial in trials], dtype=bool)
        looks.append(("the knee", knee, ORANGE, "diamond"))
    kind = "scatter3d" if len(taken) == 3 else "scatter"
    traces = [
        {
            **_marks(name, columns[0], columns[1], which, trials, color=colour, symbol=symbol),
            "type": kind,
            **({"z": columns[2][which]} if len(taken) == 3 else {}),
        }
        for name, which, colour, symbol in looks
    ]
    axes = [{"title": f"{_text(name)} ({result.settings.objectives[name]})"} for name in taken]
    if len(taken) == 3:
        scene = {f"{letter}axis": {"title": {"text": axis["title"]}} for letter, axis in zip("xyz", axes, strict=True)}
        return _figure(traces, {}, {}, scene=scene)
    return _figure(traces, axes[0], axes[1])


# ---------------------------------------------------------------------- marks, axes, figures


def _evaluations(result: Result, target: str, x: Array, y: Array) -> list[dict[str, Any]]:
    """All evaluations at these places, with those that are infeasible or failed apart."""
    trials, beyond = evaluated(result), infeasible(result)
    failed = np.isnan(values_of(result, target)) & ~beyond
    return [
        _marks("evaluations", x, y, ~beyond & ~failed, trials, symbol="circle-open", color=BLACK),
        _marks("infeasible", x, y, beyond, trials, symbol="cross-thin-open", color=GREY),
        _marks("failed", x, y, failed, trials, symbol="x", color=VERMILION),
    ]


def _marks(name: str, x: Array, y: Array, which: Any, trials: Sequence[Trial], **marker: Any) -> dict[str, Any]:
    """Some of the trials as marks that say what they are."""
    texts = [_said(trial) for trial, shown in zip(trials, which, strict=True) if shown]
    here = {"x": x[which], "y": y[which], "hovertext": texts, "hoverinfo": "text"}
    return {"type": "scatter", "mode": "markers", "name": name, "marker": marker, "showlegend": bool(texts), **here}


def _star(x: float, y: float, text: str) -> dict[str, Any]:
    marker = {"symbol": "star", "size": 13, "color": ORANGE, "line": {"color": BLACK, "width": 1}}
    return {"type": "scatter", "mode": "markers", "name": text, "x": [x], "y": [y], "marker": marker}


def _said(trial: Trial) -> str:
    """A trial, its values and its point, a line each."""
    values = [f"{_text(name)}: {value:.6g}" for name, value in (trial.values or {}).items()]
    rows = [f"{_text(name)} = {_text(value)}" for name, value in point_rows(trial.point)]
    more = [f"… ({len(rows)} parameters)"] if len(rows) > ROWS else []
    return "<br>".join([f"trial {trial.number}, {trial.state}", *values, *rows[:ROWS], *more])


def _text(words: str) -> str:
    """Plotly reads HTML in its texts."""
    return escape(visible(words, 60))


def _axis(scale: Scale, more: str = "") -> dict[str, Any]:
    ticks = {"tickvals": list(range(len(scale.options))), "ticktext": [_text(option) for option in scale.options]}
    title = f"{_text(scale.name)}<br>{_text(more)}" if more else _text(scale.name)
    return {"title": title, "type": "log" if scale.log else "-", **(ticks if scale.options else {})}


def _figure(traces: Sequence[Any], x: dict[str, Any], y: dict[str, Any], **layout: Any) -> Any:
    try:
        from plotly.graph_objects import Figure
    except ModuleNotFoundError as error:
        raise MissingExtra("interactive", "plotly", "an interactive figure") from error
    axes = [{**axis, "title": {"text": axis.get("title", "")}} for axis in (x, y)]
    legend = {"orientation": "h", "yanchor": "bottom", "y": 1.0}
    return Figure(list(traces), dict(template="plotly_white", xaxis=axes[0], yaxis=axes[1], legend=legend, **layout))
