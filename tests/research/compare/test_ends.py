"""Names at the ends of curves: in the order of the curves, never on each other, none where there is no room for all."""

import numpy as np
import pytest

from suffice.plot import style
from suffice.plot.labels import overlap

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure
from matplotlib.text import Text

from research.compare.charts import label_ends, spread

LOOKS = list(style.looks({name: name for name in ("suffice", *"abcdefg")}).values())


def panel(height=3.5):
    ax = Figure(figsize=(7.0, height), layout="constrained").add_subplot()
    ax.set(xlim=(0, 10), ylim=(0, 10))
    return ax


def boxes(ax):
    ax.figure.draw_without_rendering()
    return np.array([Text.get_window_extent(text).extents for text in ax.texts])


def test_ends_are_named_in_their_order_and_apart():
    ax = panel()
    heights = [5.0, 5.0, 5.1, 9.9, 0.0, 5.05, 10.0, 2.0]
    assert label_ends([(ax, list(zip(heights, LOOKS, strict=True)))])
    placed = boxes(ax)
    shrunk = placed + np.array([0.0, 0.1, 0.0, -0.1])  # they may touch
    assert not any(overlap(box, np.delete(shrunk, row, axis=0)).any() for row, box in enumerate(shrunk))
    middles = placed[:, 1] + placed[:, 3]
    assert (np.argsort(middles, kind="stable") == np.argsort(heights, kind="stable")).all()
    assert (placed[:, 0] > ax.get_window_extent().x1).all()
    low = panel(height=0.9)
    assert not label_ends([(low, list(zip(heights, LOOKS, strict=True)))])
    assert not low.texts


def test_what_is_apart_already_stays_and_what_is_not_moves_as_little_as_can_be():
    apart = np.array([30.0, 0.0, 10.0])
    assert spread(apart, 5.0, (-100, 100)).tolist() == apart.tolist()
    assert spread(np.array([0.0, 0.0, 0.0]), 4.0, (-100, 100)).tolist() == [-4.0, 0.0, 4.0]
    assert spread(np.array([9.0, 10.0]), 4.0, (0, 10)).tolist() == [6.0, 10.0]
    assert spread(np.array([]), 4.0, (0, 10)).tolist() == []
    rng = np.random.default_rng(0)
    for _ in range(50):
        heights, gap = rng.uniform(0, 100, 8), rng.uniform(1, 12)
        placed = spread(heights, gap, (0, 100))
        order = np.argsort(heights)
        assert (np.diff(placed[order]) >= gap - 1e-9).all()
        assert (placed >= 0).all()
        assert (placed <= 100 + 1e-9).all()
