"""A run in one figure of four panels, to show to someone else."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from suffice.errors import SufficeError
from suffice.plot.axes import nothing
from suffice.plot.convergence import convergence
from suffice.plot.data import as_result, most_important
from suffice.plot.effects import importance
from suffice.plot.fronts import front
from suffice.plot.points import parallel
from suffice.plot.search import accuracy
from suffice.plot.slices import SLICES, contour, slice
from suffice.plot.style import FULL, LABEL, new_figure, styled
from suffice.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Panel: TypeAlias = "tuple[str, Callable[[Axes], object]]"
HEIGHT = 5.4  # inches


@styled()
def overview(result: Result) -> "Figure":
    """Draw a run in four panels: `result.plot()`.

    How the values went, with the recommended one; which parameters matter; the prediction over the two that
    matter most, or along the only one; and how exact the searches for the points were. Of several objectives: how the
    hypervolume grew, the front (of more than two objectives by the first two), its points, and the searches. A
    panel without enough data, as with two evaluations, explains why.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.

    Returns
    -------
    matplotlib.figure.Figure
        A figure, since there are several axes; each panel is a function of `sf.plot`.
    """
    result = as_result(result, "overview")
    figure = new_figure(FULL, HEIGHT)
    panels = iter(_panels(result))
    for row in figure.subplots(2, 2):
        titles = []
        for ax, (title, draw) in zip(row, panels, strict=False):
            titles.append(title)
            try:
                draw(ax)
            except (SufficeError, ValueError) as reason:
                ax.clear()
                nothing(ax, str(reason))
        _entitle(row, titles)
    return figure


def _panels(result: Result) -> list[Panel]:
    first = list(result.settings.objectives)[:2]
    middle: list[Panel] = [
        ("Which parameters matter", lambda ax: importance(result, ax)),
        ("What the model predicts", lambda ax: _model(result, ax)),
    ]
    if result.settings.several:
        middle = [
            ("What one objective costs another", lambda ax: front(result, ax, first)),
            ("Where the front lies", lambda ax: parallel(result, [*first, *_important(result)[:SLICES]], ax)),
        ]
    return [
        ("How it went", lambda ax: convergence(result, ax)),
        *middle,
        ("How exact the searches were", lambda ax: accuracy(result, ax)),
    ]


def _important(result: Result) -> list[str]:
    """The parameters, the most important first."""
    return most_important(result, [coordinate.name for coordinate in result.settings.space.coordinates])[0]


def _model(result: Result, ax: "Axes") -> object:
    """Over the two most important parameters, or along the first where there is one or it has many options."""
    try:
        return contour(result, ax=ax)
    except ValueError:
        if not result.settings.space.coordinates:  # all are constants, as the reason says
            raise
        return slice(result, _important(result)[0], ax=ax)


def _entitle(axes: Sequence["Axes"], titles: Sequence[str]) -> None:
    """Titles of panels side by side, at one height above all their legends."""
    legends = [legend for ax in axes if (legend := ax.get_legend()) is not None]
    high = max((legend.get_window_extent().height * 72 / legend.figure.dpi for legend in legends), default=0.0)
    for legend in legends:
        legend.set_in_layout(False)  # the title makes room above it, and right of it there is room
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, loc="left", pad=5.0 + high, fontsize=LABEL + 1, fontweight="bold")
