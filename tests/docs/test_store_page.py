"""The page about studies in files: its examples run, one after the other, and what it says about them is true."""

import re

import pytest

import suffice as sf
from suffice.errors import DifferentStudy

from .pages import Page

PAGE = Page("docs/howto/store.md")


def test_the_second_call_goes_on_with_the_first(ran):
    result = ran.after[0]["result"]
    assert result.nfev == 20
    alone = sf.minimize(ran.after[0]["f"], ran.after[0]["space"], 20, seed=0, n_initial=result.settings.n_initial)
    assert [trial.point for trial in alone.trials] == [trial.point for trial in result.trials]


def test_the_study_by_hand_is_in_the_file(ran):
    assert ran.after[1]["trial"].number == 20
    assert ran.after[1]["opt"].pending == ()
    assert len(sf.load(ran.folder / "run.db").trials) == 21


def test_the_values_are_taken_along(ran):
    assert len(sf.load(ran.folder / "wider.db").trials) == 21


def test_nothing_is_lost(ran):
    saved = next(names["saved"] for names in ran.after if "saved" in names)
    assert (len(saved.trials), saved.lost) == (21, ())


def test_the_refusal_is_as_printed(ran):
    space = sf.Space(rate=sf.Float(1e-4, 1.0, log=True), depth=sf.Int(1, 12))
    with pytest.raises(DifferentStudy) as error:
        sf.Optimizer(space, seed=1, storage=ran.folder / "run.db")
    (printed,) = re.findall(r"^DifferentStudy: run\.db (.*?)```", PAGE.text, re.MULTILINE | re.DOTALL)
    assert printed.strip() in str(error.value)
