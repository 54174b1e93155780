"""What figures have in common: looks that can be told apart, legends with room, marks where they belong."""

import numpy as np
import pytest

from suffice.figures import marks, style


def test_looks_differ_in_more_than_colour():
    looks = list(style.looks({name: name.upper() for name in "abcde"}).values())
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == 5
    assert len(set(style.COLOURS)) == len(set(style.MARKERS)) == 8


@pytest.mark.parametrize("n", [1, 3, 4, 7, 12])
def test_a_legend_has_room_for_its_columns(n):
    labels = ["a label of some length"] * n
    columns = style.legend_columns(labels, style.FULL)
    assert 1 <= columns <= min(n, 4)
    assert style.legend_columns(["ab"] * n, style.FULL) >= columns
    assert style.legend_columns([r"$\Sigma g_t$"] * n, 3.4) == style.legend_columns(["  gt"] * n, 3.4)


def test_a_tint_is_the_colour_with_the_background_behind_it():
    assert style.tint("#000000", 1.0) == (0.0, 0.0, 0.0, 1.0)
    assert style.tint("#ff0000", 0.25) == (1.0, 0.0, 0.0, 0.25)


def test_the_floor_is_the_smallest_positive_value_within_reason():
    assert marks.floor([np.array([0.0, -1.0, 0.5]), np.array([2.0])]) == 0.5
    assert marks.floor([np.array([1e-30, 1.0])]) == marks.SMALLEST
    assert marks.floor([]) > 0.0


def test_a_label_is_text_and_no_formula():
    assert [look.label for look in style.looks({"a": r"$\frac{$", "b": "plain"}).values()] == [r"\$\frac{\$", "plain"]
