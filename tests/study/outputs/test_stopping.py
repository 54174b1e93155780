"""Rules to stop by, where there are limits or several objectives."""

import pytest

import suffice as sf

SPACE = {"x": (0.0, 1.0)}
LIMITS = {"w": sf.AtMost(1.0)}
AIMS = {"error": "minimize", "gain": "maximize"}


def told(*values, **words):
    optimizer = sf.Optimizer(SPACE, seed=0, **words)
    for i, one in enumerate(values):
        optimizer.tell({"x": i / 50}, one)
    return optimizer


def limited(*pairs):
    return told(*({"value": value, "w": w} for value, w in pairs), constraints=LIMITS)


def several(*pairs, **words):
    return told(*({"error": error, "gain": gain} for error, gain in pairs), objectives=AIMS, **words)


def test_a_target_is_reached_within_all_limits():
    rule = sf.Target(0.5)
    assert rule(limited((0.1, 2.0), (0.7, 0.5))) is None
    assert rule(limited((0.1, 2.0), (0.4, 0.5))) == "the target 0.5 was reached"
    assert rule(told({"w": 2.0}, constraints=LIMITS)) is None


def test_values_beyond_a_limit_are_no_improvement_and_count_as_trials():
    rule = sf.NoImprovement(3)
    assert rule(limited((1.0, 0.5), (0.1, 2.0), (0.0, 2.0))) is None
    assert rule(limited((1.0, 0.5), (0.1, 2.0), (0.0, 2.0), (-1.0, 2.0))) == "no improvement in the last 3 trials"
    assert rule(limited((1.0, 0.5), (0.1, 2.0), (0.0, 2.0), (0.9, 0.5))) is None


def test_nothing_is_counted_before_the_first_trial_within_all_limits():
    rule = sf.NoImprovement(2)
    assert rule(limited(*[(1.0, 2.0)] * 9)) is None
    assert rule(limited(*[(1.0, 2.0)] * 9, (1.0, 0.5), (1.0, 0.5))) is None
    assert rule(limited(*[(1.0, 2.0)] * 9, (1.0, 0.5), (1.0, 0.5), (2.0, 0.5))) is not None


def test_of_several_objectives_the_front_has_to_improve():
    rule = sf.NoImprovement(2)
    assert rule(several((1.0, 1.0))) is None
    assert rule(several((1.0, 1.0), (2.0, 0.0), (3.0, 0.0))) == "no improvement in the last 2 trials"
    assert rule(several((1.0, 1.0), (2.0, 0.0), (3.0, 2.0))) is None  # another compromise
    assert rule(several((1.0, 1.0), (1.0, 1.0), (1.0, 1.0))) is not None  # the same again is none


def test_what_is_worse_than_the_reference_point_is_no_improvement():
    rule = sf.NoImprovement(2)
    trials = [(1.0, 1.0), (5.0, 2.0), (6.0, 3.0)]
    assert rule(several(*trials)) is None
    assert rule(several(*trials, reference={"error": 2.0, "gain": 0.0})) is not None


@pytest.mark.parametrize(
    ("rule", "words", "said"),
    [
        (sf.Target(0.5), {"objectives": AIMS}, r"sf.Target\(0.5\) supports one objective"),
        (sf.Exhausted(), {"objectives": AIMS}, "sf.Exhausted supports one objective"),
        (sf.RegretBelow(0.5), {"objectives": AIMS}, "this study has several objectives"),
        (sf.RegretBelow(0.5), {"objectives": AIMS, "constraints": LIMITS}, "this study has several objectives"),
    ],
)
def test_what_a_rule_cannot_judge_is_refused_before_anything_is_evaluated(rule, words, said):
    def f(point):
        raise AssertionError("it was evaluated")

    with pytest.raises(ValueError, match=said):
        sf.optimize(f, SPACE, 5, stop=[sf.NoImprovement(2), rule], seed=0, **words)
    with pytest.raises(ValueError, match=said):
        rule(several((1.0, 1.0)))


def test_a_regret_is_not_limited_with_constraints():
    with pytest.raises(ValueError, match="this study has constraints"):
        sf.minimize(lambda p: pytest.fail("evaluated"), SPACE, 5, constraints=LIMITS, stop=sf.RegretBelow(0.1))


def test_a_rule_of_ones_own_needs_no_check():
    def three(optimizer):
        return len(optimizer.trials) >= 3

    result = sf.minimize(lambda p: {"value": p["x"], "w": p["x"]}, SPACE, 9, constraints=LIMITS, stop=three, seed=0)
    assert result.nfev == 3


def test_a_run_of_several_objectives_ends_by_itself():
    result = sf.optimize(
        lambda p: {"error": 1.0, "gain": p["x"] >= 0.0}, SPACE, 30, objectives=AIMS, stop=sf.NoImprovement(4), seed=0
    )
    assert result.nfev == 5
    assert result.message == "no improvement in the last 4 trials"
