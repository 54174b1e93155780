"""Limits: what they allow, how they are written, and what is refused."""

import math

import pytest

import suffice as sf
from suffice.record.outputs import as_constraints


@pytest.mark.parametrize(("limit", "inside", "beyond"), [(sf.AtMost(2), 1.5, 2.5), (sf.AtLeast(2), 2.5, 1.5)])
def test_a_violation_is_how_far_a_value_is_beyond(limit, inside, beyond):
    assert limit.violation(inside) == limit.violation(2.0) == 0.0
    assert limit.violation(beyond) == 0.5
    assert limit.sign * (beyond - 2.0) < 0.0 < limit.sign * (inside - 2.0)


def test_limits_are_said_in_words():
    assert (str(sf.AtMost(50)), str(sf.AtLeast(0.9))) == ("at most 50", "at least 0.9")


@pytest.mark.parametrize("limit", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kind", [sf.AtMost, sf.AtLeast])
def test_a_limit_is_finite(kind, limit):
    with pytest.raises(ValueError, match=f"{kind.__name__} needs a finite limit"):
        kind(limit)


@pytest.mark.parametrize("limit", ["5", None, [5], True])
def test_a_limit_is_a_number(limit):
    with pytest.raises(TypeError, match="AtMost: limit"):
        sf.AtMost(limit)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([sf.AtMost(5)], "constraints must be a dict of outputs and bounds"),
        (lambda p: p, r"sf.Space\(\.\.\., where=\.\.\.\)"),
        ({"w": 5}, r"constraints\['w'\] must be sf.AtMost\(limit\) or sf.AtLeast\(limit\)"),
        ({1: sf.AtMost(5)}, "names that are strings: got 1"),
        ({"": sf.AtMost(5)}, "names that are strings"),
    ],
)
def test_constraints_that_are_none_are_refused_by_name(given, said):
    with pytest.raises(TypeError, match=said):
        as_constraints(given)


def test_no_constraints_are_an_empty_dict_and_others_are_a_copy():
    given = {"w": sf.AtMost(5)}
    assert as_constraints(None) == {}
    assert as_constraints(given) == given
    assert as_constraints(given) is not given
