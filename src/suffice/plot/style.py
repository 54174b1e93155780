"""How figures look: one palette, one look for each method, and the figures and axes to draw into.

Sizes are final: 7 inches is the text of two columns, 3.4 one of them, and no letter is below 7 points. Nothing here
touches matplotlib's global state for longer than a figure takes to draw. The user's names pass through `words`: one
line of bounded length that nothing reads as a formula.
"""

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.errors import MissingExtra
from suffice.result.display import VERMILION
from suffice.text import LONG, WIDE, visible
from suffice.threads import usual_errors

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Okabe and Ito's colours, which the colour-blind can tell apart; grey stands in for their yellow, too pale on white. No
# fourteen colours are such: those after the eighth need their markers. All can be told from white and from black.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#E69F00", "#009E73", "#777777"
BLACK = "#000000"  # the text's, which only the strong look has: in a dark page it is the brightest colour
COLOURS = (
    *(BLUE, ORANGE, GREEN, "#CC79A7", VERMILION, BLACK, "#56B4E9", GREY),
    *("#AA4499", "#999933", "#44AA99", "#CC6677", "#7E6BC4", "#A0522D"),
)
OURS = "suffice"  # the thing of this name has the strong look, in every figure in which others are beside it

FULL, COLUMN, HEIGHT = 7.0, 3.4, 3.2  # inches: the width of two columns and of one, and the usual height
SMALL, LABEL = 7.0, 8.0  # points: the smallest letters, and those of an axis' name
LETTER = 0.57  # of the size of letters: the width of one
# What all figures have in common; sizes are points, as printers measure them.
RC = {
    "font.size": LABEL,
    "axes.titlesize": LABEL,
    "axes.labelsize": LABEL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": LABEL,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "svg.hashsalt": "suffice",  # the same figure is the same file
}


@dataclass(frozen=True)
class Look:
    """What one thing, such as a method, has in common in all figures."""

    label: str
    colour: str
    line: Any
    marker: str
    strong: bool = False  # the one that a reader looks for: a thick line above all others, a large mark, a bold name

    @property
    def width(self) -> float:
        """Of its line, in points."""
        return 2.4 if self.strong else 1.1

    @property
    def size(self) -> float:
        """Of a mark that stands alone, in points."""
        return 7.0 if self.strong else 5.0

    @property
    def layer(self) -> float:
        """matplotlib's zorder: lines have 2."""
        return 3.0 if self.strong else 2.0


def looks(labels: Mapping[str, str]) -> dict[str, Look]:
    """The look of each thing, by name, and no two alike: decided by its place among the labels, which are no formulas.

    Colours are repeated after thirteen things, with other markers. `OURS` has the strong look whatever its place.
    """
    lines: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
    markers = ("s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h", "d", "8", "o")
    colours = [colour for colour in COLOURS if colour != BLACK]
    others = [name for name in labels if name != OURS]
    made = {
        name: Look(
            words(labels[name], LONG), colours[i % len(colours)], lines[i % len(lines)], markers[i % len(markers)]
        )
        for i, name in enumerate(others)
    }
    if OURS in labels:
        made[OURS] = Look(words(labels[OURS], LONG), BLACK, "-", "o", strong=True)
    return {name: made[name] for name in labels}


def tint(colour: str, share: float = 0.35) -> tuple[float, float, float, float]:
    """A colour of which `share` is left, and through which the background is seen: pale on white, dim on black."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue, share


FAINT = tint(BLACK, 0.12)  # a background, and lines behind all others


@contextmanager
def styled() -> Iterator[None]:
    """The settings of all figures, for a while; `@styled()` before a function that draws."""
    try:
        from matplotlib import style
    except ModuleNotFoundError as error:
        raise MissingExtra("plot", "matplotlib", "a figure") from error
    with usual_errors(), style.context(RC, after_reset=True):  # whatever the user's own settings are
        yield


def axes_for(ax: "Axes | None", width: float = FULL, height: float = HEIGHT) -> "Axes":
    """The axes given, of which there must be one, or new ones of a figure that pyplot shows."""
    from matplotlib.axes import Axes

    if ax is None:
        return _figure(width, height).add_subplot()
    if not isinstance(ax, Axes):
        several = "; pass a single one, such as axes[0]" if np.size(ax) > 1 else ""
        raise TypeError(f"ax must be matplotlib axes, as from plt.subplots(): got {type(ax).__name__}{several}")
    return ax


def current_axes() -> "Axes":
    """The axes that pyplot draws into at the moment, as its own functions do; of a new figure if there is none."""
    from matplotlib import pyplot

    return pyplot.gca() if pyplot.get_fignums() else axes_for(None)


def panels_for(given: Any, shape: tuple[int, int], size: tuple[float, float], needed: str) -> Any:
    """The array of axes given, of this shape, or a new one in a figure of this size; `needed` says for what."""
    if given is None:
        return _figure(*size).subplots(*shape, squeeze=False)
    axes = np.asarray(given, dtype=object)
    if axes.size != shape[0] * shape[1]:
        raise ValueError(f"{needed}: got an array of shape {axes.shape}")
    return axes.reshape(shape)


def _figure(width: float, height: float) -> "Figure":
    """A new figure that pyplot knows: a notebook shows it, and so does `plt.show()`."""
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def new_figure(width: float, height: float) -> "Figure":
    """A new figure that `plt.show()` shows, too; a notebook shows it where it is the last line of a cell, and once."""
    from matplotlib import get_backend, pyplot

    figure = _figure(width, height)
    if "inline" in get_backend():
        pyplot.close(figure)  # else the notebook would show it a second time, as what pyplot has open
    return figure


def panels(
    titles: Sequence[str], *, x: str, y: str, height: float = 1.7, most: int = 3
) -> tuple["Figure", list["Axes"]]:
    """A figure with a panel for each title, at most three in a row, or `most`; x and y label the outer axes."""
    from matplotlib.figure import Figure

    columns = min({1: 1, 2: 2, 4: 2}.get(len(titles), 3), most)
    rows = math.ceil(len(titles) / columns)
    size = (COLUMN, 1.35 * height) if columns == 1 else (FULL, rows * height * (1.2 if columns == 2 else 1.0))
    figure = Figure(figsize=size, layout="constrained")
    axes = [figure.add_subplot(rows, columns, place) for place in range(1, len(titles) + 1)]
    for place, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        ax.set_title(title, loc="left")
        ax.set_xlabel(x if place + columns >= len(titles) else "")
        ax.set_ylabel(y if place % columns == 0 else "")
    return figure, axes


def bar_panels(
    titles: Sequence[str], rows: Sequence[str], *, x: str, thickness: float = 0.18
) -> tuple["Figure", list["Axes"]]:
    """Panels for horizontal bars: `rows` are the labels of the places 0, 1, …, from top to bottom."""
    figure, axes = panels(titles, x=x, y="", height=0.55 + thickness * max(len(rows), 2))
    for ax in axes:
        place = ax.get_subplotspec()
        named = place is None or place.is_first_col()
        ax.set_yticks(range(len(rows)), rows if named else [""] * len(rows))
        ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
    return figure, axes


def from_zero(ax: "Axes") -> None:
    """Let the vertical axis begin at 0, with room for a marker that lies there."""
    top = ax.get_ylim()[1]
    ax.set_ylim(-0.03 * top, top)


def make_room(ax: "Axes") -> None:
    """Let the axis begin at 0 and end where the digits behind the longest bar do."""
    longest = ax.dataLim.x1
    ax.set_xlim(0.0, 1.25 * longest if 0.0 < longest < math.inf else 1.0)


def finish(figure: "Figure", axes: Iterable["Axes"], handles: Iterable["Artist"]) -> "Figure":
    """Say where there is nothing to see, and add one legend above all panels, by which the figure grows."""
    for ax in axes:
        if not ax.has_data():
            ax.text(0.5, 0.5, "no runs", transform=ax.transAxes, ha="center", va="center", color=GREY)
    shown = list(handles)
    if shown:
        columns = legend_columns([str(handle.get_label()) for handle in shown], figure.get_figwidth())
        figure.set_figheight(figure.get_figheight() + 0.17 * math.ceil(len(shown) / columns))
        figure.legend(handles=shown, loc="outside upper center", ncols=columns)
    return figure


def legend_columns(labels: Sequence[str], width: float, size: float = LABEL, mark: float = 5.4) -> int:
    """The most columns that a legend of `width` inches has room for; entries fill it column by column.

    size   points, of its letters      mark   what stands before and between labels, in units of that size
    """
    letters = [len(re.sub(r"[${}_^]", "", re.sub(r"\\[A-Za-z]+", "x", label))) for label in labels]  # of formulas too
    for rows in range(1, len(labels)):
        columns = [letters[start : start + rows] for start in range(0, len(letters), rows)]
        if sum(mark + LETTER * max(column) for column in columns) * size <= 72 * width:
            return len(columns)
    return 1


def decades(ax: "Axes", axis: str) -> None:
    """A logarithmic axis; over less than two decades, numbers are written out and 2 and 5 have one too."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter

    if not ax.has_data():  # an empty panel has limits that no logarithm has
        return
    ax.set(**{f"{axis}scale": "log"})
    low, high = sorted(ax.get_xlim() if axis == "x" else ax.get_ylim())
    chosen = ax.xaxis if axis == "x" else ax.yaxis
    if high <= 100 * low:
        chosen.set_major_locator(LogLocator(subs=(1, 2, 5)))
        chosen.set_major_formatter(StrMethodFormatter("{x:g}"))
        chosen.set_minor_formatter(NullFormatter())
    else:
        chosen.set_minor_locator(NullLocator())


@styled()
def save(figure: "Figure", folder: Path, name: str) -> Path:
    """Write name.png and name.svg; the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the panels have their places: finding them takes half of the time of a file
    figure.savefig(folder / f"{name}.png", dpi=200)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return folder / f"{name}.svg"


@styled()
def as_svg(figure: "Figure") -> str:
    """A figure as SVG text, as `report.html.figure_inline` wants it: letters stay letters, to be read and searched."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}):
        text = io.StringIO()
        # Nothing that differs between two runs: a date or a version would make another file of the same figure.
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
        return text.getvalue()


def words(text: object, most: int = WIDE) -> str:
    """A text in one line of at most `most` letters, for matplotlib: "$" is a dollar."""
    return visible(str(text), most).replace("$", r"\$")


def folded(text: object, most: int, lines: int = 3) -> str:
    """A name in at most so many lines of at most `most` letters, broken where its words end, for matplotlib."""
    parts = re.findall(r"[^\s_./:-]*[\s_./:-]*", visible(str(text), most * lines))
    pieces = [part[i : i + most] for part in parts for i in range(0, len(part), most)]
    rows = [""]
    for piece in pieces:
        if len(rows[-1]) + len(piece.rstrip()) > most:
            rows.append("")
        rows[-1] += piece
    rows = [*rows[: lines - 1], "".join(rows[lines - 1 :])]  # what is left is cut
    return "\n".join(words(row.strip(), most) for row in rows if row.strip())


def number(value: float, most: int = 7) -> str:
    """A number to four digits; as a power of ten where that takes more than `most` letters otherwise."""
    plain = f"{value:.4g}"
    if len(plain) > most or "e" in plain:
        digits, power = f"{value:.2e}".split("e")
        plain = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    return plain
