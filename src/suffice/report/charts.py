"""The figures of a page: which of them there is something to draw in, and what they say to those who do not see them.

A figure is drawn by `sf.plot` into a figure of its own, which nothing else knows, and becomes a part of the page.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice import plot
from suffice.errors import MissingExtra
from suffice.figures.style import FULL, styled
from suffice.figures.svg import as_svg
from suffice.page.drawing import figure_inline
from suffice.page.html import paragraphs
from suffice.plot.tradeoffs import MOST
from suffice.report.progress import Progress
from suffice.report.values import name, number, sentence
from suffice.study.front import Front
from suffice.study.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 3.2  # inches
STAIRS = (
    "Blue is the front, with stairs around what it dominates; the star is its knee, the square the reference point. "
    "The orange line is the front that the models predict, with a band of two deviations in each output, which is no "
    "band of confidence."
)
PAIRS = (
    "A panel for each pair of objectives. Blue is the front by all of them, the star its knee; the stairs are the "
    "front by these two alone."
)


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
    """The figures, one below the other; where one cannot be drawn, a line says so, since the rest is worth having."""
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
    first = (
        "No value is within all limits" if progress is None else f"The first value is {number(progress.first.value)}"
    )
    limited = " Upright crosses are beyond a limit." if result.settings.constraints else ""
    return [
        Chart(
            "Convergence",
            "Every evaluation in order, and the best value so far. The star is the point that the model recommends, at "
            f"the value that it expects there without noise.{limited}",
            f"{evaluated} evaluations in order. {first}{best}.",
            lambda figure: plot.convergence(result, figure.add_subplot()),
        )
    ]


def _front_charts(result: Result) -> list[Chart]:
    front, objectives = Front(result.history), result.settings.objectives
    if not result.history.done:
        return []
    names = ", ".join(map(name, objectives))
    pairs = min(len(objectives), MOST) - 1
    volume = number(float(front.hypervolume[-1]))
    return [
        Chart(
            "Front",
            STAIRS if pairs == 1 else PAIRS,
            f"Evaluations by {names}, {len(front.trials)} of which are the front; the table above has them.",
            lambda figure: plot.front(
                result, figure.add_subplot() if pairs == 1 else figure.subplots(pairs, pairs, squeeze=False)
            ),
            3.8 if pairs == 1 else min(FULL, 1.8 * pairs + 1.0),
        ),
        Chart(
            "Hypervolume",
            "What the front so far dominates, measured from the reference point: it grows with every trial that is "
            "better than the front somewhere.",
            f"The hypervolume after each of {len(front.hypervolume)} evaluations; at last it is {volume}.",
            lambda figure: plot.convergence(result, figure.add_subplot()),
        ),
    ]


def search_charts(result: Result) -> list[Chart]:
    """How exact the searches were, and where the time went."""
    found = []
    if result.accuracy.reports:
        found.append(
            Chart(
                "Exactness of the search",
                "What the search for each point may have missed, as a share of the spread of the scores. The lower the "
                "better; what is below a hundredth does not matter.",
                f"What {len(result.accuracy.reports)} searches missed, step by step; the text above sums it up.",
                lambda figure: plot.accuracy(result, figure.add_subplot()),
            )
        )
    if result.accuracy.reports or any(trial.seconds for trial in result.trials):
        found.append(
            Chart(
                "Time",
                "How long each suggestion and each evaluation took, phase by phase.",
                "The seconds of each suggestion and each evaluation, in order.",
                lambda figure: plot.time(result, figure.add_subplot()),
            )
        )
    return found
