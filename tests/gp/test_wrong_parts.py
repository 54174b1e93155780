"""A part of the model that cannot work is refused when it is made, with what was got and what is wanted."""

import math
import re

import numpy as np
import pytest

from suffice.gp import GP, RBF, LogNormal, Matern, Prior, Refit
from suffice.gp.model import Observations
from suffice.space import UnitCube


def refused(make, error, *words):
    with pytest.raises(error, match=".*".join(map(re.escape, words))):
        make()


@pytest.mark.parametrize(
    ("wrong", "error", "wanted"),
    [
        ({"kernel": "rbf"}, TypeError, "an object such as Matern(2.5)"),
        ({"kernel": Matern}, TypeError, "an object such as Matern(2.5)"),
        ({"kernel": Matern(2.5, lengthscale=1e-3)}, ValueError, "they are fitted"),
        ({"kernel": RBF((0.1, 0.2))}, ValueError, "lengthscale_bounds=(low, high)"),
        ({"ard": 1}, TypeError, "True or False: got 1"),
        ({"warp": "no"}, TypeError, "True or False: got 'no'"),
        ({"standardize": None}, TypeError, "True or False: got None"),
        ({"noise": -1.0}, ValueError, "a variance ≥ 0"),
        ({"noise": math.nan}, ValueError, "finite"),
        ({"noise": math.inf}, ValueError, "finite"),
        ({"noise": "small"}, TypeError, "a number: got 'small'"),
        ({"prior": None}, TypeError, "a Prior, such as Prior(): got None"),
        ({"prior": LogNormal(1.0, 1.0)}, TypeError, "a Prior, such as Prior(): got LogNormal"),
        ({"refit": None}, TypeError, "a Refit, such as Refit(): got None"),
        ({"refit": 0.1}, TypeError, "a Refit, such as Refit(): got 0.1"),
        ({"max_points": 9}, ValueError, "a whole number ≥ 10: got 9"),
        ({"max_points": 20.5}, ValueError, "a whole number ≥ 10: got 20.5"),
        ({"max_points": True}, ValueError, "a whole number ≥ 10: got True"),
        ({"max_points": None}, ValueError, "a whole number ≥ 10: got None"),
    ],
)
def test_a_wrong_word_of_the_model(wrong, error, wanted):
    refused(lambda: GP(**wrong), error, f"{next(iter(wrong))} must", wanted)


@pytest.mark.parametrize(
    ("wrong", "error", "wanted"),
    [
        ({"lengthscale": 0.5}, TypeError, "lengthscale must be a LogNormal"),
        ({"lengthscale": 0.5}, TypeError, "give lengthscale_bounds=(value, value)"),
        ({"scale": (1.0, 2.0)}, TypeError, "scale must be a LogNormal"),
        ({"tau": LogNormal}, TypeError, "tau must be a LogNormal"),
        ({"warp": 0.0}, ValueError, "warp must be a standard deviation > 0"),
        ({"warp": True}, TypeError, "warp must be a number"),
        ({"lengthscale_bounds": (1, 0.1)}, ValueError, "lengthscale_bounds must be (low, high) with 0 < low ≤ high"),
        ({"scale_bounds": (0.0, 1.0)}, ValueError, "scale_bounds must be (low, high) with 0 < low ≤ high"),
        ({"tau_bounds": (1e-6, math.inf)}, ValueError, "tau_bounds must be finite"),
        ({"tau_bounds": 1e-6}, TypeError, "tau_bounds must be a tuple (low, high): got 1e-06"),
        ({"tau_bounds": ("a", "b")}, TypeError, "tau_bounds must be a number: got 'a'"),
    ],
)
def test_a_wrong_word_of_the_prior(wrong, error, wanted):
    refused(lambda: Prior(**wrong), error, wanted)


@pytest.mark.parametrize(("centre", "sd"), [(-1, 1), (0, 1), (1, 0), (1, -1)])
def test_a_log_normal_has_a_positive_centre_and_deviation(centre, sd):
    refused(lambda: LogNormal(centre, sd), ValueError, "needs centre > 0 and sd > 0", "not its logarithm")


@pytest.mark.parametrize(("centre", "sd"), [("a", 1), (1, None), (True, 1)])
def test_a_log_normal_is_made_of_numbers(centre, sd):
    refused(lambda: LogNormal(centre, sd), TypeError, "of a LogNormal must be a number")


@pytest.mark.parametrize(
    ("wrong", "error", "wanted"),
    [
        ({"growth": -0.1}, ValueError, "Refit needs growth ≥ 0 and surprise > 0"),
        ({"surprise": 0.0}, ValueError, "Refit needs growth ≥ 0 and surprise > 0"),
        ({"growth": math.nan}, ValueError, "growth must be finite"),
        ({"growth": "a"}, TypeError, "growth must be a number: got 'a'"),
        ({"surprise": None}, TypeError, "surprise must be a number: got None"),
    ],
)
def test_a_wrong_word_of_the_refit_schedule(wrong, error, wanted):
    refused(lambda: Refit(**wrong), error, wanted)


@pytest.mark.parametrize("nu", ["a", None, True])
def test_a_smoothness_is_a_number(nu):
    refused(lambda: Matern(nu), TypeError, "nu must be a number")


def test_equal_bounds_fix_a_length_scale():
    """What the message about a kernel's own length-scales says."""
    X = np.random.default_rng(0).random((20, 2))
    data = Observations(X, np.sin(5 * X).sum(axis=1), np.full(20, np.nan))
    fitted = GP(prior=Prior(lengthscale_bounds=(0.125, 0.125)))(data, UnitCube(2))
    assert fitted.hyper.lengthscale == pytest.approx((0.125, 0.125), rel=1e-12)
