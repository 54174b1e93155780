"""The page about reading a result: its examples run, one after the other, and what it says about them is true."""

import re

import pytest

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/reading.md")


def test_predictions_are_near_the_objective(ran):
    assert abs(ran["mean"] - ran["loss"](ran["point"])) < 5 * ran["sd"] + 0.2
    assert ran["means"].shape == ran["sds"].shape == (2,)


def test_the_table_of_importance_is_the_one_that_is_printed(ran):
    found = ran["importance"]
    assert found.names[0] == "lr"
    assert found.names[-1] == "workers"
    printed = PAGE.code("text")[0].splitlines()
    assert [line.split()[0] for line in printed[:6]] == [line.split()[0] for line in repr(found).splitlines()[:6]]
    for line, total in zip(printed[1:5], found.total, strict=True):
        assert float(line.split()[1]) == pytest.approx(total, abs=0.02)


def test_the_table_of_trials_has_the_columns_of_the_page(ran):
    assert list(ran["table"].columns)[:7] == ["number", "state", "value", "lr", "dropout", "optimizer", "workers"]
    assert len(ran["good"]) == len(ran["again"]) == 5
    words = PAGE.text.split("A row for each trial")[1]
    for column in list(ran["table"].columns):
        assert column in words or column in ran["space"].names


def test_every_method_of_a_result_exists():
    for word in set(re.findall(r"\bresult\.(\w+)\(", PAGE.text)):
        assert hasattr(sf.Result, word), word
