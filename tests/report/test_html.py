"""The building blocks of a page: what is escaped, what stays in one line, how wide a table is."""

import re

from suffice.report.html import (
    Entry,
    numbers,
    page,
    paragraphs,
    prose,
    table,
)


def test_short_names_with_hyphens_or_dimensions_stay_in_one_line():
    whole = '<span class="whole">{}</span>'.format
    assert prose("by L-BFGS-B on Hartmann 3d.") == f"by {whole('L-BFGS-B')} on {whole('Hartmann 3d')}."
    assert prose("to 0.1 %") == f"to {whole('0.1 %')}"
    assert prose("a - b") == "a - b"
    assert prose("-".join("abc" * 9)) == "-".join("abc" * 9)  # longer than a phone is wide
    assert prose("<b>-x") == "&lt;b&gt;-x"
    assert "whole" in paragraphs(["L-BFGS-B"])


def letters(*words):
    return int(re.search(r"--letters:(\d+)", table("c", *words))[1])


def test_a_table_knows_how_many_letters_wide_it_is():
    assert letters(("one", "by two words"), []) == 3 + 5 + 4
    rows = [[Entry("a name", header=True), *numbers("1.25")], [Entry("b"), *numbers("123456")]]
    assert letters(("one", "two"), rows) == 6 + 6 + 4
    assert letters(("one", "two"), [[Entry("x" * 999, "text"), Entry("y")]]) < 40


def test_a_broad_table_may_be_wider_than_the_text():
    assert 'class="scroll broad"' in table("c", ["head"] * 8, [])
    assert 'class="scroll"' in table("c", ["head"] * 7, [])


def test_rules_of_ones_own_come_after_those_of_every_page():
    text = page("h", "", [], style=".mine { color: var(--soft) }")
    assert text.index(".mine") > text.index(".scroll")
