"""The page about several objectives: its examples run, and what it says about them is true."""

import re

import numpy as np
import pytest

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/objectives.md")
SHOWN = re.sub(r"\s+", " ", PAGE.text)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    pytest.importorskip("matplotlib").use("agg")
    return PAGE.run(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def truth(ran):
    """Error and throughput of every point, (n, 2)."""
    values = [
        ran["serve"]({"width": width, "layers": layers, "threads": threads})
        for width in range(16, 1025)
        for layers in range(1, 13)
        for threads in range(1, 17)
    ]
    return np.array([[v["error"], v["throughput"]] for v in values])


def test_the_front_is_sorted_and_no_trial_of_it_beats_another(ran):
    values = np.array([list(trial.values.values()) for trial in ran["result"].front])
    assert len(values) > 10
    assert np.all(np.diff(values[:, 0]) > 0)
    assert np.all(np.diff(values[:, 1]) > 0)


def test_what_is_picked_is_nearly_the_best_there_is(ran, truth):
    error, throughput = truth.T
    accurate, fast = ran["accurate"].values, ran["fast"].values
    assert accurate["error"] <= 0.12
    assert accurate["throughput"] > 0.9 * throughput[error <= 0.12].max()
    assert fast["throughput"] >= 120
    assert fast["error"] < 1.1 * error[throughput >= 120].min()
    assert ran["middle"].number in [trial.number for trial in ran["result"].front]


def test_there_is_no_best_point_and_words_say_what_there_is(ran):
    result, opt = ran["result"], ran["opt"]
    assert result.x is None
    assert result.func_vals.shape == (30, 2)
    with pytest.raises(AttributeError, match="front"):
        _ = result.x_recommended
    with pytest.raises(AttributeError, match="front"):
        _ = opt.best


def test_a_reference_leads_the_search_to_the_useful_part(ran):
    useful = ran["useful"]

    def share(result):
        asked = [trial.values for trial in result.trials if trial.solve]
        return np.mean([v["error"] < useful["error"] and v["throughput"] > useful["throughput"] for v in asked])

    assert share(ran["aimed"]) >= share(ran["result"])
    hopeless = sf.optimize(
        ran["serve"], ran["space"], 9, seed=0, objectives=ran["aims"], reference={"error": 0.01, "throughput": 50}
    )
    assert not hopeless.hypervolume.any()


def test_the_front_is_within_the_limit(ran):
    front = ran["small"].front
    assert len(front) > 5
    assert all(trial.values["memory"] <= 2 for trial in front)


def test_a_stored_study_goes_on(ran):
    assert ran["again"].nfev == 20
    assert [t.values for t in ran["again"].trials[:16]] == [t.values for t in ran["opt"].trials[:16]]


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
