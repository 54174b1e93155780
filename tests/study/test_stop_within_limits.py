"""Rules that stop a run, where there are limits: a value beyond one is no value that was reached."""

import pytest

import suffice as sf


@pytest.fixture
def told():
    def told(*values, direction="minimize"):
        optimizer = sf.Optimizer({"x": (0.0, 1.0)}, direction=direction, constraints={"c": sf.AtMost(0.0)}, seed=0)
        for i, (value, c) in enumerate(values):
            optimizer.tell({"x": i / len(values)}, {"value": value, "c": c})
        return optimizer

    return told


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_a_target_is_reached_within_the_limits_alone(told, direction, sign):
    rule = sf.Target(sign * 1.0)
    assert rule(told((sign * 0.5, 2.0), (None, 1.0), direction=direction)) is None
    assert rule(told((sign * 0.5, 2.0), (sign * 1.5, -1.0), direction=direction)) is None
    assert rule(told((sign * 0.5, 2.0), (sign * 1.0, -1.0), direction=direction)) is not None


def test_what_is_beyond_a_limit_is_no_improvement_once_a_point_is_within_all(told):
    rule = sf.NoImprovement(2)
    assert rule(told(*5 * [(1.0, 1.0)])) is None  # the first point within the limits is still looked for
    assert rule(told((1.0, 1.0), (3.0, -1.0), (2.0, 1.0))) is None
    assert rule(told((1.0, 1.0), (3.0, -1.0), (2.0, 1.0), (1.0, 1.0))) is not None
    assert rule(told((1.0, 1.0), (3.0, -1.0), (2.0, 1.0), (2.0, -1.0))) is None
