"""The figures of a page with their captions: the progress, what the model has learned, and the search.

A figure is drawn by `sf.plot` into its own matplotlib figure and becomes a part of the page.

important   the names of the parameters, the most important first
learned     which parameters matter, by the name of the objective
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from suffice import plot
from suffice.errors import MissingExtra
from suffice.plot.axes import FEW, PANELS
from suffice.plot.data import chosen
from suffice.plot.points import ACROSS
from suffice.plot.slices import MANY, SLICES
from suffice.plot.style import FULL, HEIGHT, as_svg, styled
from suffice.record.history import rows
from suffice.report.html import figure_inline, paragraphs
from suffice.report.verdict import Progress
from suffice.result.front import Front
from suffice.result.importance import Importance
from suffice.result.result import Result
from suffice.space import Pool, Space, active_coordinates
from suffice.text import name, number, sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Chart:
    """A figure, not yet drawn, and its words."""

    name: str
    caption: str  # what is drawn, and what to look for
    alt: str  # for those who do not see it
    draw: Callable[["Figure"], object]
    height: float = HEIGHT


def check_drawable() -> None:
    """MissingExtra, with the command that installs it, if there is nothing to draw with."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("plot", "matplotlib", "a report") from error


@styled()
def drawn(charts: Sequence[Chart]) -> str:
    """The figures, one below the other; where one cannot be drawn, a line says so, and the rest is drawn."""
    pieces = []
    for chart in charts:
        try:
            svg = _svg(chart)
        except (ValueError, ArithmeticError) as error:  # such as values whose differences are beyond float64
            pieces.append(paragraphs([f"{chart.name} could not be drawn: {sentence(str(error))}"], "note"))
        else:
            pieces.append(figure_inline(svg, name=chart.name, alt=chart.alt, caption=chart.caption))
    return "\n".join(pieces)


def _svg(chart: Chart) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(FULL, chart.height), layout="constrained")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # Letters stay letters: the browser has the fonts that matplotlib may lack.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        chart.draw(figure)
        return as_svg(figure)


def progress_charts(result: Result) -> list[Chart]:
    """How the values came; of several objectives, the front and how it grew."""
    if result.settings.several:
        return _front_charts(result)
    if not result.history.done:
        return []
    progress, evaluated = Progress.of(result.history), len(result.history.done) + len(result.history.failed)
    best = "" if progress is None else f", the best is {number(progress.best.value)}"
    first = "No value is feasible" if progress is None else f"The first value is {number(progress.first.value)}"
    limited = " Upright crosses violate a constraint." if result.settings.constraints else ""
    what = chosen(result.history)[1]
    at = ", at its predicted mean" if what == "recommended point" else ""
    return [
        Chart(
            "Convergence",
            f"Every evaluation in order, and the best value so far. The star is the {what}{at}.{limited}",
            f"{evaluated} evaluations in order. {first}{best}.",
            lambda figure: plot.convergence(result, figure.add_subplot()),
        )
    ]


def _front_charts(result: Result) -> list[Chart]:
    front, objectives = Front(result.history), result.settings.objectives
    if not result.history.done:
        return []
    names = ", ".join(map(name, objectives))
    pairs = min(len(objectives), PANELS) - 1
    volume = number(float(front.hypervolume[-1]))
    return [
        Chart(
            "Front",
            (
                "Blue is the front, with steps around the region it dominates; the star is its knee, the square the "
                "reference point. The orange line is the front that the models predict, with a band of two standard "
                "deviations in each output, which is not a confidence band."
            )
            if pairs == 1
            else (
                "A panel for each pair of objectives. Blue is the front in all of them, the star its knee; the steps "
                "are the front in these two alone."
            ),
            f"Evaluations by {names}, {len(front.trials)} of which are on the front; the table above lists them.",
            lambda figure: plot.front(
                result, figure.add_subplot() if pairs == 1 else figure.subplots(pairs, pairs, squeeze=False)
            ),
            3.8 if pairs == 1 else min(FULL, 1.8 * pairs + 1.0),
        ),
        Chart(
            "Hypervolume",
            "The volume that the front dominates, measured from the reference point: it grows with every trial that "
            "improves the front.",
            f"The hypervolume after each of {len(front.hypervolume)} evaluations; the last one is {volume}.",
            lambda figure: plot.convergence(result, figure.add_subplot()),
        ),
    ]


def search_charts(result: Result) -> list[Chart]:
    """How exact the searches were, and where the time went."""
    found = []
    if result.accuracy.reports:
        found.append(
            Chart(
                "Accuracy of acquisition maximization",
                "How far the acquisition value of each chosen point may be below the maximum, as a fraction of the "
                "acquisition's spread. Lower is better; less than a hundredth does not matter.",
                f"The optimality gaps of {len(result.accuracy.reports)} steps; the text above summarizes them.",
                lambda figure: plot.accuracy(result, figure.add_subplot()),
            )
        )
    if result.accuracy.reports or any(trial.seconds for trial in result.trials):
        found.append(
            Chart(
                "Time",
                "How long each suggestion and each evaluation took, by phase.",
                "The seconds of each suggestion and each evaluation, in order.",
                lambda figure: plot.time(result, figure.add_subplot()),
            )
        )
    return found


def model_charts(result: Result, learned: Mapping[str, Importance]) -> list[Chart]:
    """Importance, slices, a contour and parallel coordinates, as far as the space has them; of several objectives the
    first and the last of these, and slices for each."""
    if not learned:
        return []
    space, important = result.settings.space, most_important(learned)
    found = [_importance(result, learned[output], output) for output in list(learned)[:PANELS]]
    if isinstance(space, Space):
        for output in list(learned)[:PANELS]:
            found += _slices(result, space, learned[output].names, output)
        found += _contour(result, space, important) if not result.settings.several else []
    few = len(result.history.done) <= MANY  # more lines are a carpet
    if isinstance(space, Space | Pool) and len(important) > 1 and few:
        found.append(_parallel(result, important))
    return found


def most_important(learned: Mapping[str, Importance]) -> tuple[str, ...]:
    """The parameters by the objective for which each matters most, the most important first."""
    total: dict[str, float] = {}
    for found in learned.values():
        for part, share in zip(found.names, found.total, strict=True):
            total[part] = max(total.get(part, 0.0), float(share))
    return tuple(sorted(total, key=lambda part: -total[part]))


def _about(result: Result, output: str) -> tuple[str, str]:
    """For which objective, and of which one, where there are several."""
    return (f" for {name(output)}", f" of {name(output)}") if result.settings.several else ("", "")


def _importance(result: Result, learned: Importance, output: str) -> Chart:
    shares = [f"{name(part)} {100 * share:.0f} %" for part, share in zip(learned.names, learned.total, strict=True)]
    about, of = _about(result, output)
    return Chart(
        f"Importance{about}",
        f"The fraction of the variance of the model's mean{of} due to each parameter: pale including interactions, "
        "dark alone; next to it the length-scale, as a fraction of the range.",
        f"Importance of the parameters{about}: {', '.join(shares[:FEW])}.",
        lambda figure: plot.importance(result, figure.add_subplot(), output=output),
        1.0 + 0.2 * min(len(learned), FEW),
    )


def _slices(result: Result, space: Space, important: Sequence[str], output: str) -> list[Chart]:
    taken = [part for part in important if _together(result, space, [part])][:SLICES]
    if not taken:
        return []
    across = min(2, len(taken))
    down = -(-len(taken) // across)
    point = chosen(result.history)[1]
    _, of = _about(result, output)
    return [
        Chart(
            f"Slices{of}",
            f"The model's prediction{of} along the most important parameters, with a 95 % band; all others are fixed "
            f"at the {point} (the star). Dots are all evaluations, which differ in other parameters as well and need "
            f"not lie on the line.{_limited(result)}",
            f"The value{of} that the model predicts along {', '.join(map(name, taken))}.",
            lambda figure: plot.slice(
                result, taken, ax=[figure.add_subplot(down, across, i + 1) for i in range(len(taken))], output=output
            ),
            0.4 + 2.1 * down,
        )
    ]


def _contour(result: Result, space: Space, important: Sequence[str]) -> list[Chart]:
    pairs = combinations(important[:ACROSS], 2)
    pair = next((pair for pair in pairs if _together(result, space, pair)), None)
    if pair is None:
        return []
    return [
        Chart(
            "Contour",
            "The model's prediction over two of the most important parameters; darker is better. Rings are "
            "evaluations, crosses failed ones, the star is the "
            f"{chosen(result.history)[1]}."
            f"{_limited(result, 'hatched')}",
            f"The value that the model predicts over {name(pair[0])} and {name(pair[1])}.",
            lambda figure: plot.contour(result, *pair, ax=figure.add_subplot()),
            3.6,
        )
    ]


def _limited(result: Result, look: str = "grey") -> str:
    """What constraints look like in a figure of the model; "" without any."""
    if not result.settings.constraints:
        return ""
    return f" Upright crosses violate a constraint; {look} marks where the models predict a violation."


def _parallel(result: Result, important: Sequence[str]) -> Chart:
    shown = ", ".join(map(name, important[:ACROSS]))
    several = result.settings.several
    return Chart(
        "All points",
        "A line for each trial of the front, through its objectives and its parameters; the knee is thick, and "
        "all other evaluations are faint."
        if several
        else "A line for each evaluation, through its parameters to its value; darker is better.",
        f"{'The front' if several else 'Evaluations'} as lines through the parameters {shown}.",
        lambda figure: plot.parallel(result, ax=figure.add_subplot()),
        3.0,
    )


def _together(result: Result, space: Space, names: Sequence[str]) -> bool:
    """Whether a trial with a value has all these parameters."""
    places = [i for i, coordinate in enumerate(space.coordinates) if coordinate.name in names]
    active = active_coordinates(space, rows(result.history.done, space.dim))
    return bool(active[:, places].all(axis=1).any())
