"""What a figure shows, read back from it."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Tick
from matplotlib.figure import Figure
from matplotlib.text import Text

COLUMN = 3.4  # inches


def column():
    """Axes of a figure as wide as a column."""
    return Figure(figsize=(COLUMN, 2.8), layout="constrained").add_subplot()


def dots(ax, label):
    """The places of the markers with this label, (n, 2)."""
    (found,) = (c for c in ax.collections if c.get_label() == label)
    return np.asarray(found.get_offsets())


def line(ax, label):
    (found,) = (line for line in ax.lines if str(line.get_label()).startswith(label))
    return np.asarray(found.get_xdata(), dtype=float), np.asarray(found.get_ydata(), dtype=float)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def texts(figure):
    """The letters that are drawn, with their boxes in pixels."""
    figure.draw_without_rendering()
    hidden = set()
    for ax in figure.findobj(Axes):
        for axis in (ax.xaxis, ax.yaxis):
            drawn = {tick.label1 for tick in axis._update_ticks() if tick.label1.get_visible()}
            shown = ax.axison and ax.get_visible() and axis.get_visible()
            of_ticks = {label for tick in axis.findobj(Tick) for label in (tick.label1, tick.label2)}
            hidden |= of_ticks - (drawn if shown else set())
            hidden |= set() if shown else {axis.label, axis.get_offset_text()}
    found = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in hidden]
    return [(t, t.get_window_extent()) for t in found]


def check_letters(figure):
    """No letter is small, none leaves the figure, and no two texts lie on each other."""
    shown = texts(figure)
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in shown:
        assert text.get_fontsize() >= 7.0, (text.get_text(), text.get_fontsize())
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        assert inside, (text.get_text(), box.extents, (width, height))
    for i, (text, box) in enumerate(shown):
        if text.get_rotation() not in (0.0, 90.0):
            continue  # the box of a slanted text is larger than the text
        for other, other_box in shown[i + 1 :]:
            if other.get_rotation() in (0.0, 90.0):
                shared = box.intersection(box, other_box)
                assert shared is None or shared.width * shared.height < 4.0, (text.get_text(), other.get_text())
