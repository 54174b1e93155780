"""What an evaluation returns: names and numbers, or a sentence about what is wrong."""

import math

import numpy as np
import pytest

import suffice as sf
from suffice.record.outputs import (
    as_objectives,
    as_reference,
    as_values,
    as_variances,
    in_words,
    is_allowed,
    is_violated,
)

AIMS = {"error": "minimize", "gain": "maximize"}
LIMITS = {"w": sf.AtMost(1.0), "r": sf.AtLeast(0.0)}


@pytest.mark.parametrize(
    ("objectives", "error", "said"),
    [
        (["error"], TypeError, "objectives must be a dict"),
        ({}, ValueError, "objectives must name at least one"),
        ({"error": "min"}, ValueError, r"objectives\['error'\] must be 'minimize' or 'maximize': got 'min'"),
        ({"error": np.array([1, 2])}, ValueError, r"objectives\['error'\] must be 'minimize' or 'maximize': got array"),
        ({1: "minimize"}, TypeError, "names that are strings"),
        ({"w": "minimize"}, ValueError, "'w' is an objective and a constraint"),
    ],
)
def test_objectives_that_are_none_are_refused(objectives, error, said):
    with pytest.raises(error, match=said):
        as_objectives(objectives, None, LIMITS)


def test_a_sense_beside_objectives_is_refused():
    with pytest.raises(
        ValueError, match="give direction or objectives, not both: got direction='minimize' and objectives="
    ):
        sf.Optimizer({"x": (0.0, 1.0)}, direction="minimize", objectives=AIMS)


def test_without_names_there_is_one_objective_called_value():
    assert as_objectives(None, "maximize", ()) == {"value": "maximize"}
    with pytest.raises(ValueError, match="direction must be"):
        as_objectives(None, "up", ())
    with pytest.raises(ValueError, match="'value' is an objective and a constraint"):
        as_objectives(None, "minimize", {"value": sf.AtMost(1)})


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ({"error": 1.0}, "worst value of interest of each objective, error, gain"),
        ([1.0, 2.0], "reference must be a dict"),
        ({"error": 1.0, "gain": math.inf}, r"reference\['gain'\] must be finite"),
    ],
)
def test_a_reference_has_a_finite_value_of_each_objective(reference, said):
    with pytest.raises(ValueError, match=said):
        as_reference(reference, AIMS)


def test_a_reference_is_for_several_objectives():
    with pytest.raises(ValueError, match="reference is for several objectives"):
        as_reference({"value": 1.0}, {"value": "minimize"})
    assert as_reference({"gain": 0, "error": 1}, AIMS) == {"error": 1.0, "gain": 0.0}


def test_one_output_is_a_number_or_a_dict_of_it():
    assert as_values(2, {"value": "minimize"}, {}) == {"value": 2.0}
    assert as_values({"value": 2}, {"value": "minimize"}, {}) == {"value": 2.0}
    with pytest.raises(TypeError, match=r"must be one real number: got dict .* constraints=\{.*\}, .* sf.optimize"):
        as_values({"loss": 2}, {"value": "minimize"}, {})
    with pytest.raises(TypeError, match=r"the values have 'eror', .* did you mean 'error'"):
        as_values({"eror": 2}, {"error": "minimize"}, {})


def test_several_outputs_are_a_dict_in_which_what_is_missing_is_nan():
    found = as_values({"gain": 2, "error": None}, AIMS, LIMITS)
    assert list(found) == ["error", "gain", "w", "r"]
    assert found["gain"] == 2.0
    assert all(math.isnan(found[name]) for name in ("error", "w", "r"))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3.0, "an evaluation of this study has 4 outputs: return a dict with 'error', 'gain', 'w', 'r'"),
        ([1, 2, 3, 4], "got .* of type list"),
        ({"eror": 1.0}, "neither an objective nor a constraint: did you mean 'error'"),
        ({"error": "high"}, "'error' must be one real number"),
    ],
)
def test_values_that_are_none_are_refused_by_name(value, said):
    with pytest.raises(TypeError, match=said):
        as_values(value, AIMS, LIMITS)


def test_a_variance_is_of_the_only_objective_or_by_name():
    one, outputs = {"value": "minimize"}, ("value", "w")
    assert as_variances(None, one, outputs) is None
    assert as_variances(0.1, one, outputs) == 0.1
    assert as_variances({"w": 0.1, "value": None}, one, outputs) == {"w": 0.1}
    assert as_variances({"w": None}, one, outputs) is None
    with pytest.raises(TypeError, match="noise_var must be a dict by the names of error, gain"):
        as_variances(0.1, AIMS, AIMS)
    with pytest.raises(ValueError, match="noise_var has 'v', which is no output"):
        as_variances({"v": 0.1}, one, outputs)
    with pytest.raises(ValueError, match="finite variance"):
        as_variances({"w": -1.0}, one, outputs)


def test_allowed_is_known_to_be_inside_and_violated_is_known_to_be_beyond():
    assert is_allowed({"w": 1.0, "r": 0.0}, LIMITS)
    assert not is_allowed({"w": 1.0}, LIMITS)
    assert not is_violated({"w": 1.0}, LIMITS)
    assert is_violated({"w": 1.1}, LIMITS)
    assert is_allowed({}, {})
    assert not is_violated({}, {})


def test_values_are_said_in_words():
    assert in_words({"value": 0.25}) == "0.25"
    assert in_words({"error": 0.07, "gain\x1b[31m": 120.0}) == "error 0.07, gain\\x1b[31m 120"
