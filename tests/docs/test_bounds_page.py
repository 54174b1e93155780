"""The page about the regret bound: its examples run, and what it says about them is true."""

import re

import numpy as np

from .pages import Page

PAGE = Page("docs/ideas/bounds.md")


def test_a_default_run_breaks_what_the_page_says(ran):
    bound = ran["result"].accuracy.bound
    assert bound.value is not None
    shown = re.sub(r"\s+", " ", PAGE.text)
    assert all(sentence in shown for sentence in bound.broken)
    assert len(bound.broken) == len(re.findall(r"^  - ", PAGE.text, re.MULTILINE))


def test_the_run_of_the_theory_breaks_nothing_and_stays_below_its_bounds(ran):
    known, g = ran["known"], ran["g"]
    best = max(g(x) for x in np.linspace(0, 1, 10_001))
    regret = sum(best - g(trial.point) for trial in known.trials if trial.solve is not None)
    found = ran["bounds"](known)
    assert found["Theorem 1, observed"].broken == found["Theorem 3"].broken == ()
    assert regret < found["Theorem 1, observed"].value < found["Theorem 1"].value < 2 * 1.3 * 30
    assert regret < found["Theorem 3"].value
    assert ran["norm"] < 1.3
