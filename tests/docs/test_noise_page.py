"""The page about noise: its examples run, one after the other, and what it says about them is true."""

import re

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/noise.md")


def value(x):
    return (x[0] - 0.3) ** 2 + 2 * (x[1] - 0.6) ** 2


def test_the_recommended_point_is_better_than_the_luckiest_one(ran):
    result = ran.after[0]["result"]
    assert value(result.x_recommended) < value(result.x)
    assert result.fun < -0.1 < 0 < value(result.x)
    assert abs(result.fun_recommended - value(result.x_recommended)) < 3 * result.fun_recommended_sd < 0.1


def test_a_told_variance_is_kept(ran):
    assert all(trial.noise_var > 0 for trial in ran.after[1]["opt"].trials[:12])


def test_points_are_measured_again(ran):
    result, trials = ran["result"], ran["opt"].trials
    assert result.nfev == 30
    assert result.x_recommended == {"arm": 4}
    assert trials[-1].point.tolist() == trials[-2].point.tolist() == [0.3, 0.6]


def test_every_name_exists():
    for name in set(re.findall(r"`([A-Z][A-Za-z]+)`", PAGE.text)):
        assert hasattr(sf, name) or hasattr(sf.acquisition, name), name
    for word in set(re.findall(r"`(?:result\.)?(\w+_recommended\w*)`", PAGE.text)):
        assert hasattr(sf.Result, word), word
