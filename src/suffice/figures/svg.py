"""A figure as SVG text: its letters stay letters, which can be read, searched and drawn in the page's own font."""

import io
from typing import TYPE_CHECKING

from suffice.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Nothing that differs between two runs: the date and the version would make another file of the same figure.
SILENT = {"Date": None, "Creator": None, "Format": None, "Type": None}


@styled()
def as_svg(figure: "Figure") -> str:
    """The drawing of a matplotlib figure, as `page.drawing.figure_inline` wants it."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}):
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=SILENT)
        return text.getvalue()
