"""Names at points and curves: never on each other, near to what they name, and a legend where there is no room."""

import numpy as np
import pytest

from suffice.plot import style
from suffice.plot.labels import Spot, label_points, overlap

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure
from matplotlib.text import Text

NAMES = ["suffice", "L-BFGS-B", "Nelder-Mead", "scikit-optimize", "BoTorch LogEI", "a", "HEBO", "Optuna TPE"]
LOOKS = list(style.looks({name: name for name in NAMES}).values())


def panel(width=7.0, height=3.5):
    ax = Figure(figsize=(width, height), layout="constrained").add_subplot()
    ax.set(xlim=(0, 10), ylim=(0, 10))
    return ax


def boxes(ax):
    ax.figure.draw_without_rendering()
    return np.array([Text.get_window_extent(text).extents for text in ax.texts])


@pytest.mark.parametrize("seed", range(4))
def test_labels_lie_on_no_other_label_and_on_no_mark_and_inside(seed):
    rng, ax = np.random.default_rng(seed), panel()
    spots = [Spot(*rng.uniform(3, 7, 2), look, y_error=0.5) for look in LOOKS]
    assert label_points([(ax, spots)])
    placed = boxes(ax)
    assert sorted(text.get_text() for text in ax.texts) == sorted(NAMES)
    for row, box in enumerate(placed):
        assert not overlap(box, np.delete(placed, row, axis=0)).any()
    points = ax.transData.transform([(spot.x, spot.y) for spot in spots])
    assert not any(overlap(box, np.hstack((points - 1, points + 1))).any() for box in placed)
    frame = ax.get_window_extent().extents
    assert (placed[:, :2] >= frame[:2]).all()
    assert (placed[:, 2:] <= frame[2:]).all()


def test_a_point_with_room_around_it_has_its_name_close_by_and_no_line():
    ax = panel()
    label_points([(ax, [Spot(2.0, 2.0, LOOKS[1]), Spot(8.0, 8.0, LOOKS[0])])])
    assert not any(text.arrow_patch.get_visible() for text in ax.texts)
    assert {text.get_text(): text.get_fontweight() for text in ax.texts} == {"suffice": "bold", "L-BFGS-B": "normal"}
    for text, (left, bottom, _, top) in zip(ax.texts, boxes(ax), strict=True):
        x, y = ax.transData.transform(text.xy)
        assert 0 < left - x < 15 * 100 / 72
        assert bottom < y < top


def test_points_in_one_place_are_named_with_lines():
    ax = panel()
    assert label_points([(ax, [Spot(5.0, 5.0, look) for look in LOOKS])])
    assert sum(text.arrow_patch.get_visible() for text in ax.texts) >= len(LOOKS) - 5


def test_without_room_in_one_panel_no_panel_has_labels():
    figure = Figure(figsize=(6, 3), layout="constrained")
    wide, narrow = figure.add_subplot(1, 8, (1, 7)), figure.add_subplot(1, 8, 8)
    assert not label_points([(wide, [Spot(0.5, 0.5, LOOKS[0])]), (narrow, [Spot(0.5, 0.5, look) for look in LOOKS])])
    assert not wide.texts
    assert not narrow.texts
    assert label_points([])
