"""The page about the hypervolume: its examples run, and what it says about them is true."""

import re

import numpy as np
import pytest

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/hypervolume.md")
SHOWN = re.sub(r"\s+", " ", PAGE.text)


def test_a_reference_leads_the_search_to_the_useful_part(ran):
    useful = ran["useful"]

    def share(result):
        asked = [trial.values for trial in result.trials if trial.solve]
        return np.mean([v["error"] < useful["error"] and v["throughput"] > useful["throughput"] for v in asked])

    without = sf.optimize(ran["serve"], ran["space"], 30, seed=0, objectives=ran["aims"])
    assert share(ran["aimed"]) >= share(without)
    hopeless = sf.optimize(
        ran["serve"], ran["space"], 9, seed=0, objectives=ran["aims"], reference={"error": 0.01, "throughput": 50}
    )
    assert not hopeless.hypervolume.any()


def test_the_rules_of_the_page_end_a_run_or_refuse_it(ran):
    assert 20 < ran["ended"].nfev < 60
    for rule in (sf.Target(0.1), sf.RegretBelow(0.1)):
        with pytest.raises(ValueError, match="one objective"):
            sf.optimize(ran["serve"], ran["space"], 9, objectives=ran["aims"], stop=rule)


def test_the_numbers_about_the_rule_are_those_of_the_code():
    default = sf.acquisition.Hypervolume()
    assert default.beta == sf.acquisition.Constant(0.5)
    assert "half a standard deviation better than predicted" in SHOWN
    from suffice.acquisition.hypervolume import DIRECTIONS, EXACT

    assert EXACT == 4
    assert f"along {DIRECTIONS} random directions" in SHOWN
