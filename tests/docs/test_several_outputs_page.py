"""The page about several outputs: its examples run, and what it says about them is true."""

import re

import numpy as np
import pytest

from suffice.acquisition.constraints import Confined, LogProduct
from suffice.acquisition.wrappers import Weighted

from .pages import Page

PAGE = Page("docs/ideas/several-outputs.md")
SHOWN = re.sub(r"\s+", " ", PAGE.text)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return PAGE.run(tmp_path_factory.mktemp("page"))


def test_the_default_has_points_within_the_limit_and_the_bound_comes_from_outside(ran):
    default, careful = ran["result"], ran["careful"]
    assert default.fun < careful.fun
    kept = [sum(bool(t.feasible) for t in run.trials if t.solve is not None) for run in (default, careful)]
    assert kept[0] > 4
    assert kept[1] == 0


def test_the_sentences_are_those_of_the_runs(ran):
    broken = ran["front"].accuracy.bound.broken
    assert all(sentence in SHOWN for sentence in broken)
    assert len(re.findall(r"^  - ", PAGE.text, re.MULTILINE)) == len(broken)
    assert ran["careful"].accuracy.bound.violations["cost"] > 0


def test_with_known_constants_nothing_is_broken_and_both_numbers_hold(ran):
    bound = ran["known"].accuracy.bound
    assert bound.broken == ()
    assert ran["regret"] < bound.value
    assert ran["violations"] < bound.violations["c"]
    assert max(ran["norms"].values()) < 1.3
    assert bound.probability == pytest.approx(0.8)


def test_that_nothing_is_within_the_limit_is_proven(ran):
    assert ran["never"].feasibility().impossible
    solve = ran["solve"]
    assert solve.kind == "find a feasible point"
    assert solve.value <= solve.upper_certified < -10
    assert np.isfinite(solve.upper_certified)


def test_the_table_has_the_scores_of_the_code():
    for part in (LogProduct, Confined, Weighted):  # test_ideas_pages.py looks for them where the table says
        assert f"`{part.__name__}` in `suffice.acquisition`" in PAGE.text
