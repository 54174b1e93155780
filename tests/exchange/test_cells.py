"""One cell: what is written can be read back, and a spreadsheet does not calculate with it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.exchange.columns import (
    Labels,
    from_number,
    guarded,
    rounds_to,
    to_number,
    unguarded,
)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_comes_back_bit_for_bit(x):
    for decimal in ".,":
        assert math.copysign(1, float(to_number(from_number(x, decimal), decimal == ","))) == math.copysign(1, x)
        assert to_number(from_number(x, decimal), decimal == ",") == x


@given(st.integers(-(10**400), 10**400))
def test_an_integer_is_exact_at_any_size(i):
    assert to_number(from_number(i)) == i
    assert type(to_number(from_number(i))) is int


@pytest.mark.parametrize(
    "cell", ["", "x", "1_000", "1,5", "1 000", "1.5.2", "٣", "0x10", "1e", "nan", "inf", "=1", "1" * 5000]
)
def test_what_is_no_number_is_none(cell):
    assert to_number(cell) is None


def test_a_decimal_comma_counts_where_commas_do_not_separate():
    assert to_number(" -0,25 ", comma=True) == -0.25
    assert to_number("0.25", comma=True) == 0.25
    assert to_number("1.234,5", comma=True) is None  # a thousand and more, or not
    assert to_number("−3") == -3  # a typographer's minus


@given(st.text())
def test_a_guarded_text_comes_back(text):
    plain = text.encode("utf-8", "backslashreplace").decode()
    assert unguarded(guarded(text)) == plain


@given(st.sampled_from("=+-@\t\r\n＝＋－＠"), st.text())
def test_no_text_that_leaves_begins_like_a_formula(mark, rest):
    cell = guarded(mark + rest)
    assert to_number(cell) is not None or cell.startswith("'")
    assert guarded("  " + mark + rest + "A1").startswith("'")


def test_a_text_of_ones_own_keeps_its_apostrophe():
    assert unguarded("'tis broken") == "'tis broken"


options = st.lists(
    st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none(), st.tuples(st.integers(), st.text())),
    min_size=1,
    max_size=8,
    unique_by=lambda option: (type(option), repr(option)),
)


@given(options)
def test_every_option_has_a_text_of_its_own_and_is_found_by_it(options):
    labels = Labels.of(options)
    assert [labels.find(guarded(text)) for text in labels.texts] == list(range(len(options)))


def test_options_that_look_alike_are_told_apart_and_others_are_written_as_they_are():
    assert Labels.of(("adam", "sgd", 3)).texts == ("adam", "sgd", "3")
    assert Labels.of(("1", 1, True, None, "None", (1, 2))).texts == ('"1"', "1", "True", "None", '"None"', "(1, 2)")
    assert Labels.of((1.0, np.float64(1.0), "", " a ")).texts == ("1.0", "np.float64(1.0)", '""', '" a "')


def test_what_a_spreadsheet_makes_of_an_option_is_understood_where_it_is_clear():
    labels = Labels.of((True, False, 1.0, 0.5, "Adam"))
    assert [labels.find(cell) for cell in ("TRUE", "false", "1", " adam ", "ADAM")] == [0, 1, 2, 4, 4]
    assert labels.find("0,5", comma=True) == 3
    assert labels.find("2") is None
    assert Labels.of(("a", "A")).find("a") == 0
    assert Labels.of(("aa", "AA")).find("Aa") is None


def test_a_known_number_is_recognized_in_the_digits_of_a_spreadsheet():
    third, small = 1 / 3, 1.23456789e-5
    assert rounds_to(third, "0.333333333333333")
    assert rounds_to(third, "0.333333333")
    assert rounds_to(small, "1.23457E-05")
    assert rounds_to(0.0, "0")
    assert rounds_to(third, "0,333333333", comma=True)


def test_another_number_is_not_taken_for_a_rounded_one():
    assert not rounds_to(1 / 3, "0.333333334")  # the last digit is another one
    assert not rounds_to(1 / 3, "0.33")  # a person's digits, not a spreadsheet's
    assert not rounds_to(0.4812, "0.5")
    assert not rounds_to(0.0, "1e-12")
    assert not rounds_to(1.0, "-1")
    assert not rounds_to(1.0, "x")
