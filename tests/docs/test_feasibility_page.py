"""The page about feasibility: its examples run, and what it says about them is true."""

import re

import pytest

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/feasibility.md")
SHOWN = re.sub(r"\s+", " ", PAGE.text)


def test_that_nothing_is_within_all_limits_is_said_and_proven(ran):
    never = ran["never"]
    assert never.x is None
    assert not never.success
    assert never.feasibility().impossible
    assert str(never.feasibility()).partition(". ")[2] in SHOWN
    assert re.sub(r"trial \d+, .*", "", never.message) in SHOWN
    with pytest.raises(sf.errors.NoFinishedTrial):
        _ = sf.Optimizer([(0, 1)], constraints={"c": sf.AtMost(1)}).best


def test_the_attributes_of_feasibility_are_explained(ran):
    found = ran["never"].feasibility()
    table = PAGE.text.partition("| attribute |")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", table)
    assert set(named) == {"impossible", *vars(found)} - {"kappa"}


def test_with_noise_the_recommended_point_is_nearer_to_the_limit_than_the_lucky_one(ran):
    noisy = ran["noisy"]
    loads = [x[0] + x[1] ** 2 for x in (noisy.x, noisy.x_recommended)]
    assert loads[1] < 1.05
    assert noisy.predict(noisy.x_recommended, "load")[0] <= 1.0 + 1e-9


def test_a_band_is_kept_and_one_side_of_it_would_have_done(ran):
    close, one = ran["close"], {"acid again": sf.AtMost(0.81), "acid": sf.AtLeast(0)}
    assert any(trial.feasible for trial in close.trials)
    alone = sf.minimize(ran["mixture"], [(0, 1), (0, 1)], n_trials=20, seed=0, constraints=one)
    assert alone.fun == pytest.approx(close.fun, abs=0.01)
