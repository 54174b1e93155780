"""Whether a point within all limits exists: counts, and what the models prove."""

import numpy as np
import pytest

import suffice as sf
from suffice.result.feasibility import feasibility, infeasible_in_words, least_violated

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def run(limits, n=10, f=lambda x, y: {"value": x, "a": x + y, "b": x - y}):
    optimizer = sf.Optimizer(SPACE, seed=0, n_initial=6, constraints=limits)
    for _ in range(n):
        trial = optimizer.ask()
        values = f(**trial.point)
        optimizer.tell(trial, {name: values[name] for name in optimizer.settings.outputs})
    return optimizer


def test_an_impossible_problem_is_proven_to_be():
    opt = run({"a": sf.AtMost(-1.0)})
    found = opt.result().feasibility()
    assert found.impossible
    assert (found.feasible, found.evaluated, found.satisfied) == (0, 10, {"a": 0})
    assert found.slack <= found.slack_proven < 0.0
    assert "This is proven" in str(found)
    assert "0 of 10 evaluated points are feasible (a satisfied by 0)" in str(found)


def test_limits_that_exclude_each_other_are_proven_to():
    found = feasibility(run({"a": sf.AtMost(0.3), "b": sf.AtLeast(0.6)}, 14).history)  # b ≤ a
    assert found.impossible
    assert found.satisfied["a"] + found.satisfied["b"] > 0


def upper_right(n, limit):
    """Values of x + y at n points, none of them near the corner where it is small."""
    opt = sf.Optimizer(SPACE, seed=0, constraints={"a": sf.AtMost(limit)})
    for x, y in 0.4 + 0.6 * np.random.default_rng(0).random((n, 2)):
        opt.tell({"x": x, "y": y}, {"value": x, "a": x + y})
    return opt


def test_a_possible_problem_is_not_called_impossible():
    found = feasibility(upper_right(8, 0.3).history)
    assert found.feasible == 0
    assert not found.impossible
    assert found.slack >= 0.0
    assert "there may still be feasible points" in str(found)


def test_few_values_prove_nothing():
    found = feasibility(upper_right(5, -3.0).history)
    assert found.slack < 0.0
    assert found.slack_proven is None
    assert not found.impossible
    assert "it is not proven that there is none" in str(found)


def test_a_limit_of_which_no_value_is_known_is_open():
    opt = sf.Optimizer(SPACE, seed=0, constraints={"a": sf.AtMost(0.0), "b": sf.AtMost(0.0)})
    for x in np.linspace(0.0, 1.0, 8):
        opt.tell({"x": x, "y": 0.5}, {"a": 1.0 + x})
    found = feasibility(opt.history)
    assert found.satisfied == {"a": 0, "b": 0}
    assert not found.impossible
    assert "b is not known" in infeasible_in_words(opt.history)


def test_a_measured_point_overrules_the_models():
    found = feasibility(run({"a": sf.AtMost(1.0)}, 8).history)
    assert found.feasible > 0
    assert not found.impossible
    assert str(found).endswith(").")


def test_without_constraints_there_is_nothing_to_ask():
    opt = sf.Optimizer(SPACE, seed=0)
    opt.tell({"x": 0.5, "y": 0.5}, 1.0)
    with pytest.raises(ValueError, match="this study has no constraints"):
        opt.result().feasibility()


def test_the_least_violated_trial_counts_each_limit_in_the_spread_of_its_output():
    opt = sf.Optimizer(SPACE, seed=0, constraints={"a": sf.AtMost(0.0), "b": sf.AtMost(0.0)})
    for i, (a, b) in enumerate([(1.0, 900.0), (2.0, 100.0), (3.0, 500.0), (4.0, 700.0)]):
        opt.tell({"x": i / 10, "y": 0.5}, {"a": a, "b": b})
    assert least_violated(opt.history).number == 1
    said = infeasible_in_words(opt.history)
    assert said.startswith("none of the 4 evaluated points is feasible; the one closest to feasible is trial 1")
    assert "a is 2 and must be at most 0, b is 100 and must be at most 0" in said
    assert said in opt.result().message


def test_an_output_that_is_missing_counts_as_a_violation():
    opt = sf.Optimizer(SPACE, seed=0, constraints={"a": sf.AtMost(0.0), "b": sf.AtMost(0.0)})
    opt.tell({"x": 0.1, "y": 0.5}, {"a": 1.0})
    opt.tell({"x": 0.2, "y": 0.5}, {"value": 3.0, "a": 1.0, "b": -1.0})
    assert least_violated(opt.history).number == 1
    assert "b is not known" not in infeasible_in_words(opt.history)


def test_before_any_value_and_with_a_feasible_one_nothing_is_said():
    opt = sf.Optimizer(SPACE, seed=0, constraints={"a": sf.AtMost(0.0)})
    assert least_violated(opt.history) is None
    assert infeasible_in_words(opt.history) == ""
    opt.tell({"x": 0.2, "y": 0.5}, {"value": 3.0, "a": -1.0})
    assert infeasible_in_words(opt.history) == ""


def test_a_proof_does_not_depend_on_the_unit_of_an_output():
    small, large = (
        feasibility(run({"a": sf.AtMost(-u)}, f=lambda x, y, u=u: {"value": x, "a": u * (x + y)}).history)
        for u in (1.0, 1e6)
    )
    assert small.impossible
    assert large.impossible
    assert large.slack_proven == pytest.approx(small.slack_proven, rel=0.05)
