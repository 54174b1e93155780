"""The page about conditions and constraints: what its examples print is what it says."""

import pytest

from .pages import Page

PAGE = Page("docs/howto/conditional.md")


def test_the_best_points_satisfy_conditions_and_constraints(ran):
    assert ran["near"].x["x"] == pytest.approx(0.65, abs=0.03)
    assert ran["near"].x["y"] == pytest.approx(0.35, abs=0.03)
    assert all(ran["fits"](trial.point) for trial in ran["near"].trials)
    record = {"kernel": "linear", "C": 1.0, "gamma": 0.1, "degree": 3}
    assert ran["svm"].only_active(record) == {"kernel": "linear", "C": 1.0}
