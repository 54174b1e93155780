"""The page about spaces: its examples run, one after the other, and what it says about them is true."""

import re

import numpy as np
import pytest

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/spaces.md")


def test_the_first_example_finds_what_the_page_says(ran):
    best = ran["result"].x
    assert best == {"rate": 0.35, "width": 64, "size": "medium", "optimizer": best["optimizer"], "epochs": 20}
    assert "{'rate': 0.35, 'width': 64, 'size': 'medium', 'optimizer': …, 'epochs': 20}" in PAGE.text


def test_a_box_has_arrays_and_a_mixed_list_has_lists(ran):
    assert isinstance(ran["box"].x, np.ndarray)
    assert [type(value) for value in ran["mixed"].x] == [float, int, str, int]


@pytest.mark.parametrize("row", re.findall(r"^\| (`.*?`.*?) \| (.*?) \|$", PAGE.text, re.MULTILINE))
def test_the_table_of_parameters_is_of_parameters(row):
    for text in re.findall(r"`([^`]+)`", row[0]):
        given = eval(text, {"sf": sf, "low": 1, "high": 9})
        (parameter,) = sf.Space(k=given).parameters
        wanted = re.search(r"\b(Float|Int|Choice|Ordinal)\b", text) or re.search(r"\b(Float|Int|constant)\b", row[1])
        assert type(parameter).__name__ == wanted[1].replace("constant", "Choice")
        assert parameter.constant == ("constant" in row[1])


def test_steps_are_those_of_the_page():
    assert [sf.Float(0, 1, step=0.3).from_unit(np.array([u])) for u in (0.1, 0.3, 0.6, 0.9)] == [0.0, 0.3, 0.6, 0.9]
