"""A run in one figure of four panels, to show to someone else."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from suffice.checks import as_number, short
from suffice.errors import SufficeError
from suffice.plot.axes import nothing
from suffice.plot.convergence import convergence
from suffice.plot.data import as_result, most_important
from suffice.plot.effects import importance
from suffice.plot.fronts import front
from suffice.plot.points import parallel
from suffice.plot.search import accuracy, time
from suffice.plot.slices import SLICES, contour, slice
from suffice.plot.style import FULL, LABEL, new_figure, styled
from suffice.result.result import Result
from suffice.space.parameters import nearest_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Panel: TypeAlias = "tuple[str, Callable[[Axes], object]]"


@styled()
def overview(
    result: Result, *, panels: str | Sequence[str] | None = None, size: tuple[float, float] | None = None
) -> "Figure":
    """Draw a run in four panels: `result.plot()`.

    How the values went, with the recommended one; which parameters matter; the prediction over the two that
    matter most, or along the only one; and how exact the searches for the points were. Of several objectives: how the
    hypervolume grew, the front (of more than two objectives by the first two), its points, and the searches. A
    panel without enough data, as with two evaluations, explains why.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    panels : str, sequence of str or None, default: None
        What to draw, by the names of functions of `sf.plot`: "convergence", "importance", "contour", "accuracy",
        "front", "parallel" or "time"; None draws the four above.
    size : tuple of float or None, default: None
        Width and height in inches; None takes 7 inches, and 2.7 for each row of two panels.

    Returns
    -------
    matplotlib.figure.Figure
        A figure, since there are several axes; each panel is a function of `sf.plot`.
    """
    result = as_result(result, "overview")
    chosen = _chosen(_panels(result), panels, result.settings.several)
    rows, columns = math.ceil(len(chosen) / 2), min(2, len(chosen))
    figure = new_figure(*((FULL, 2.7 * rows) if size is None else _as_size(size)))  # inches for each row of panels
    left = iter(chosen)
    for row in figure.subplots(rows, columns, squeeze=False):
        titles = []
        for ax, (title, draw) in zip(row, left, strict=False):
            titles.append(title)
            try:
                draw(ax)
            except (SufficeError, ValueError) as reason:
                ax.clear()
                nothing(ax, str(reason))
        for ax in row[len(titles) :]:
            ax.remove()
        _entitle(row[: len(titles)], titles)
    return figure


def _panels(result: Result) -> dict[str, Panel]:
    """Every panel by the name of its function."""
    several, first = result.settings.several, list(result.settings.objectives)[:2]

    def where(ax: "Axes") -> object:
        return parallel(result, [*first, *_important(result)[:SLICES]] if several else None, ax)

    return {
        "convergence": ("How it went", lambda ax: convergence(result, ax)),
        "importance": ("Which parameters matter", lambda ax: importance(result, ax)),
        "contour": ("What the model predicts", lambda ax: _model(result, ax)),
        "front": ("What one objective costs another", lambda ax: front(result, ax, first)),
        "parallel": (f"Where the {'front lies' if several else 'points lie'}", where),
        "accuracy": ("How exact the searches were", lambda ax: accuracy(result, ax)),
        "time": ("Where the time went", lambda ax: time(result, ax)),
    }


def _chosen(known: Mapping[str, Panel], names: object, several: bool) -> list[Panel]:
    if names is None:
        middle = ("front", "parallel") if several else ("importance", "contour")
        names = ("convergence", *middle, "accuracy")
    if isinstance(names, str):
        names = (names,)
    if not isinstance(names, Sequence) or not names:
        raise TypeError(f"panels must be names such as ['convergence', 'importance'], or None: got {short(names)}")
    for name in names:
        if name not in known:
            raise ValueError(f"there is no panel {name!r}: {nearest_name(name, known)}")
    return [known[name] for name in names]


def _as_size(size: object) -> tuple[float, float]:
    if not isinstance(size, Sequence) or isinstance(size, str) or len(size) != 2:
        raise TypeError(f"size must be width and height in inches, such as (10, 6): got {short(size)}")
    width, height = (as_number(inches, "size", "inches > 0", lambda v: v > 0) for inches in size)
    if width is None or height is None:
        raise TypeError(f"size must be width and height in inches, such as (10, 6): got {short(size)}")
    return width, height


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
