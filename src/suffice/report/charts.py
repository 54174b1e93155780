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
from suffice.report.progress import Progress
from suffice.report.values import number, sentence
from suffice.study.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 3.2  # inches


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


def progress_charts(result: Result, progress: Progress | None) -> list[Chart]:
    """How the values came."""
    if progress is None:
        return []
    best, first = number(progress.best.value), number(progress.first.value)
    return [
        Chart(
            "Convergence",
            "Every evaluation in order, and the best value so far. The star is the point that the model recommends, at "
            "the value that it expects there without noise.",
            f"{progress.evaluated} evaluations in order. The first value is {first}, the best is {best}.",
            lambda figure: plot.convergence(result, figure.add_subplot()),
        )
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
