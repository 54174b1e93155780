"""The page about limits: its examples run, and what it says about them is true."""

import math
import re

import pytest

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/constraints.md")
SHOWN = re.sub(r"\s+", " ", PAGE.text)


def test_the_best_point_is_within_all_limits_and_the_best_of_all(ran):
    serve, result, (low, high) = ran["serve"], ran["result"], (16, 1024)
    points = [
        {"width": width, "layers": layers, "threads": threads}
        for width in range(low, 1 + high)
        for layers in range(1, 13)
        for threads in range(1, 17)
    ]
    assert f"{len(points):,}".replace(",", " ") in SHOWN
    assert len(points) == sf.Space(**ran["space"]).size
    allowed = [outputs["value"] for outputs in map(serve, points) if outputs.get("latency", 99) <= 12]
    assert result.fun == pytest.approx(min(allowed), rel=0.01)
    assert result.trials[-1].solve.p_feasible is not None
    share = sum(outputs.get("latency", 99) <= 6 for outputs in map(serve, points)) / len(points)
    assert share < 0.01


def test_suggestions_come_close_to_the_limit_from_both_sides(ran):
    suggested = [trial for trial in ran["result"].trials if trial.solve]
    beyond = [trial for trial in suggested if not trial.feasible]
    assert 0 < len(beyond) < len(suggested)


def test_a_number_leads_to_the_limit_and_a_no_does_not(ran):
    limited = ran["with_limits"]
    assert limited.fun == pytest.approx(0.14705, rel=0.05)
    assert limited.trials[8].solve.kind == "find a feasible point"
    assert not any(trial.feasible for trial in limited.trials[:8])

    def only_says_no(point):
        outputs = ran["serve"](point)
        if outputs.get("latency", math.inf) > 6:
            raise sf.Infeasible("too slow, or too large")
        return outputs["value"]

    assert sf.minimize(only_says_no, ran["space"], n_trials=30, seed=0).x is None


def test_other_limits_judge_the_old_values_anew(ran):
    old, new = ran["begun"], ran["stricter"]
    assert [trial.values for trial in new.trials[:10]] == [trial.values for trial in old.trials]
    assert sum(bool(trial.feasible) for trial in new.trials[:10]) <= sum(bool(trial.feasible) for trial in old.trials)
    with ran.entered(), pytest.raises(sf.errors.SufficeError, match=r"latency at most 12, .* -> latency at most 9"):
        sf.minimize(ran["serve"], ran["space"], 12, constraints={"latency": sf.AtMost(9)}, storage="serve.db")
