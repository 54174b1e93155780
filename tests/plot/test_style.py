"""What figures have in common: looks that can be told apart, legends with room, marks where they belong."""

import numpy as np
import pytest

import suffice as sf
from suffice.plot import labels as marks
from suffice.plot import style
from suffice.text import with_error

from .reading import texts


def test_looks_differ_in_more_than_colour():
    looks = list(style.looks({name: name.upper() for name in "abcdefghijklm"}).values())
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == 13


def test_no_two_looks_are_alike_however_many_there_are():
    names = [f"method {i}" for i in range(60)]
    looks = style.looks({name: name for name in ["suffice", *names]})
    assert len({(look.colour, look.marker) for look in looks.values()}) == 61
    assert list(looks) == ["suffice", *names]


def test_suffice_has_the_same_strong_look_wherever_it_stands_and_nobody_else_has():
    first, last = (
        style.looks({name: name for name in names}) for names in (["suffice", "a", "b"], ["a", "b", "suffice"])
    )
    assert first["suffice"] == last["suffice"]
    assert first["a"] == last["a"]
    strong, weak = first["suffice"], first["a"]
    assert strong.strong
    assert strong.width > 2 * weak.width
    assert strong.layer > weak.layer
    everyone = style.looks({f"{i}": f"{i}" for i in range(60)}).values()
    assert not any(look.strong or look.colour == strong.colour for look in everyone)


@pytest.mark.parametrize("colour", [colour for colour in style.COLOURS if colour != style.BLACK])
def test_a_colour_of_data_can_be_told_from_white_and_from_a_dark_page(colour):
    def luminance(code):
        parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    own = luminance(colour)
    assert 1.05 / (own + 0.05) > 2.2  # Okabe and Ito's orange has 2.25
    assert (own + 0.05) / (luminance("#16181b") + 0.05) > 3.0


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
    assert marks.floor([np.array([1e-30, 1.0])]) == marks.RESOLUTION
    assert marks.floor([]) > 0.0


def test_a_label_is_text_and_no_formula():
    assert [look.label for look in style.looks({"a": r"$\frac{$", "b": "plain"}).values()] == [r"\$\frac{\$", "plain"]


def test_a_long_name_is_broken_where_its_words_end_and_nothing_is_lost():
    name = "learning_rate_of_the_second_layer_optimizer"
    assert style.folded(name, 18) == "learning_rate_of_\nthe_second_layer_\noptimizer"
    assert style.folded("x", 18) == "x"
    assert style.folded("a" * 40, 18) == f"{'a' * 18}\n{'a' * 18}\naaaa"
    assert style.folded("word " * 30, 10, 2) == "word word\nword word…"
    assert style.folded("cost in $", 20) == r"cost in \$"


def test_names_of_forty_letters_are_whole_in_every_figure():
    names = ["learning_rate_of_the_second_layer", "number of estimators in the ensemble", "regularization_strength"]
    result = sf.minimize(lambda p: -sum(p.values()), dict.fromkeys(names, (-1.0, 1.0)), 12, seed=0)
    for draw in (sf.plot.importance, sf.plot.parallel, sf.plot.evaluations, sf.plot.contour, sf.plot.slice):
        figure = np.ravel(draw(result))[0].figure
        shown = [text for text, _ in texts(figure)]
        assert not [text.get_text() for text in shown if "…" in text.get_text()]


def test_all_negative_numbers_have_the_same_minus_sign():
    result = sf.minimize(lambda x: -3.0 - x[0], [(-2.0, -1.0)], 12, seed=0)
    figure = sf.plot.convergence(result).figure
    everything = [text.get_text() for text, _ in texts(figure)] + [str(result), with_error(-0.5, 0.1)]
    assert any(text.startswith("-2") for text in everything)
    assert "best seen     -2" in str(result)
    assert "\N{MINUS SIGN}" not in "".join(everything)
