"""A run in one figure of four panels, to show to someone else."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from suffice.errors import SufficeError
from suffice.figures.axes import LABEL, nothing
from suffice.figures.style import FULL, new_figure, styled
from suffice.plot.effects import importance
from suffice.plot.given import as_result
from suffice.plot.model import contour, slice
from suffice.plot.progress import convergence
from suffice.plot.search import accuracy
from suffice.study.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT = 5.4  # inches
ROW = 11.0  # points, of a legend: a panel's title stands above


@styled()
def overview(result: Result) -> "Figure":
    """Draw a run in four panels: `result.plot()`.

    How the values went, with the recommended one; which parameters matter; what the model says over the two that
    matter most, or along the only one; and how exact the searches for the points were. A panel for which there is
    nothing to draw, as with two evaluations, says why. It returns a figure, since there are several axes; each panel
    is a function of `sf.plot`.

    result    a result, as sf.minimize returns it
    """
    result = as_result(result, "overview")
    figure = new_figure(FULL, HEIGHT)
    places = figure.subplots(2, 2).ravel()
    panels: list[tuple[str, Callable[[Axes], object]]] = [
        ("How it went", lambda ax: convergence(result, ax)),
        ("Which parameters matter", lambda ax: importance(result, ax)),
        ("What the model says", lambda ax: _model(result, ax)),
        ("How exact the searches were", lambda ax: accuracy(result, ax)),
    ]
    for ax, (title, draw) in zip(places, panels, strict=True):
        try:
            draw(ax)
        except (SufficeError, ValueError) as reason:
            ax.clear()
            nothing(ax, str(reason))
        _entitle(ax, title)
    return figure


def _model(result: Result, ax: "Axes") -> object:
    """Over two parameters, or along the only one."""
    space = result.settings.space
    if len(space.coordinates) == 1 and space.params:
        return slice(result, space.coordinates[0].name, ax=ax)
    return contour(result, ax=ax)


def _entitle(ax: "Axes", title: str) -> None:
    """A title above the legend."""
    legend = ax.get_legend()
    lines = 0
    if legend is not None:
        columns = max(1, legend._ncols)  # type: ignore[attr-defined]
        lines = -(-len(legend.get_texts()) // columns)
    ax.set_title(title, loc="left", pad=5.0 + ROW * lines, fontsize=LABEL + 1, fontweight="bold")
