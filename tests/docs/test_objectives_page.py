"""The page about several objectives: its examples run, and what it says about them is true."""

import re

import numpy as np
import pytest

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


def test_the_front_is_within_the_limit(ran):
    front = ran["small"].front
    assert len(front) > 5
    assert all(trial.values["memory"] <= 2 for trial in front)


def test_a_stored_study_goes_on(ran):
    assert ran["again"].nfev == 20
    assert [t.values for t in ran["again"].trials[:16]] == [t.values for t in ran["opt"].trials[:16]]
