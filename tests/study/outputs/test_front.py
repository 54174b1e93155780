"""The front of several objectives: who is on it, its volume, and the choice of one trial."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import NoFinishedTrial
from suffice.pareto import hypervolume
from suffice.result.front import Front, found

AIMS = {"error": "minimize", "gain": "maximize"}
LIMITS = {"w": sf.AtMost(1.0)}


def told(*rows, **words):
    """A study of these values; None: the evaluation failed."""
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0, **({"objectives": AIMS} | words))
    for i, values in enumerate(rows):
        trial = optimizer.tell([i / 100], dict.fromkeys(optimizer.settings.outputs, 0.0) if values is None else values)
        assert trial.state == "done"
    return optimizer


def values(*pairs):
    return [dict(zip(AIMS, pair, strict=True)) for pair in pairs]


def numbers(trials):
    return [trial.number for trial in trials]


def test_the_front_is_what_nobody_beats_by_the_first_objective_its_best_value_first():
    opt = told(*values((3.0, 1.0), (1.0, 0.0), (2.0, 5.0), (2.5, 5.0), (1.0, 0.0), (4.0, 9.0)))
    assert numbers(Front(opt.history).trials) == [1, 2, 5]  # of equals the first
    assert numbers(opt.result().front) == [1, 2, 5]
    assert found(opt.history) == "a front of 3 trials"


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
def test_the_front_is_that_of_comparing_all_pairs(pairs):
    front = Front(told(*values(*pairs)).history)

    def beats(a, b):
        return a[0] <= b[0] and a[1] >= b[1] and a != b

    best = {pair for pair in pairs if not any(beats(other, pair) for other in pairs)}
    assert sorted((t.values["error"], t.values["gain"]) for t in front.trials) == sorted(best)


def test_the_hypervolume_is_that_of_the_first_trials_above_one_reference():
    pairs = [(3.0, 1.0), (1.0, 0.0), (2.0, 5.0), (9.0, 9.0)]
    opt = told(*values(*pairs), reference={"error": 4.0, "gain": -1.0})
    Y, r = np.array([(-error, gain) for error, gain in pairs]), np.array([-4.0, -1.0])
    series = opt.result().hypervolume
    assert series == pytest.approx([hypervolume(Y[: n + 1], r) for n in range(len(Y))])
    assert series[0] == pytest.approx(1.0 * 2.0)
    assert series[-1] == series[-2]  # what is beyond the reference point adds nothing
    assert numbers(Front(opt.history).counted) == [1, 2]


def test_failed_and_infeasible_trials_have_a_place_in_the_series_and_add_nothing():
    opt = told(
        {"error": 1.0, "gain": 1.0, "w": 0.5},
        {"error": 0.0, "gain": 9.0, "w": 2.0},
        {"w": 3.0},
        constraints=LIMITS,
        reference={"error": 2.0, "gain": 0.0},
    )
    opt.tell([0.9], {"error": np.nan, "gain": 1.0, "w": 0.0})
    result = opt.result()
    assert result.hypervolume == pytest.approx([1.0, 1.0, 1.0, 1.0])
    assert numbers(result.front) == [0]


def test_a_chosen_reference_is_a_little_worse_than_the_front_in_every_sense():
    reference = Front(told(*values((3.0, 5.0), (1.0, 0.0))).history).reference
    assert reference == pytest.approx({"error": 3.2, "gain": -0.5})
    single = Front(told(*values((3.0, 5.0))).history).reference  # no length: its own size
    assert single == pytest.approx({"error": 3.3, "gain": 4.5})


def test_every_suggestion_says_which_reference_it_was_made_with(studies):
    opt = studies.run("several", 8)
    asked = [trial.solve.reference for trial in opt.trials if trial.solve is not None]
    assert all(set(reference) == {"error", "gain"} for reference in asked)
    assert asked[-1] != asked[-2]  # the steps take turns: the ends of the front, and its middle


def test_pick_takes_the_best_of_the_others_within_limits():
    opt = told(*values((1.0, 1.0), (2.0, 5.0), (3.0, 6.0), (4.0, 9.0)))
    result = opt.result()
    assert result.pick(error=3.5).number == 2
    assert result.pick(error=3.0).number == 2  # it may be reached exactly
    assert result.pick(gain=5.5).number == 2
    assert result.pick(error=3.5, gain=4.0).number in (1, 2)
    assert result.pick().number == result.knee().number


def test_pick_says_what_there_is_where_nothing_is_as_good():
    result = told(*values((1.0, 1.0), (2.0, 5.0))).result()
    with pytest.raises(ValueError, match=r"reaches error=0\.5: the best value .* error 1"):
        result.pick(error=0.5)
    with pytest.raises(ValueError, match="no objective 'eror': did you mean 'error'"):
        result.pick(eror=0.5)
    with pytest.raises(TypeError, match="error"):
        result.pick(error="low")


def test_the_knee_is_the_trial_whose_worst_objective_is_the_best():
    opt = told(*values((0.0, 0.0), (1.0, 8.0), (10.0, 10.0)))
    assert opt.result().knee().number == 1
    assert told(*values((1.0, 2.0))).result().knee().number == 0


def test_values_that_span_more_than_there_are_floats_have_a_reference_and_a_knee():
    opt = told(*values((-1.7e308, -1.7e308), (0.0, 1e308), (1.7e308, 1.7e308)))
    assert np.isfinite(list(Front(opt.history).reference.values())).all()
    assert opt.result().knee().number == 1


@pytest.mark.parametrize(("unit", "size"), [(2.0**600, "large"), (2.0**-600, "small")])
def test_a_hypervolume_without_a_float_is_said_and_changes_no_suggestion(unit, size):
    aims = {"a": "minimize", "b": "maximize"}

    def run(unit):
        def f(point):
            return {"a": unit * point["x"] ** 2, "b": unit * (1.0 - (point["x"] - 1.0) ** 2)}

        return sf.optimize(f, {"x": (-1.0, 2.0)}, 12, objectives=aims, seed=0)

    plain, scaled = run(1.0), run(unit)
    assert [trial.point for trial in scaled.trials] == [trial.point for trial in plain.trials]
    assert f"The hypervolume of the front is too {size} for a float" in str(scaled)
    assert "hypervolume" not in [found.name for found in plain.diagnose()]
    assert "<svg" in scaled._repr_html_()


@pytest.mark.parametrize("unit", [1e307, 1e-310])
def test_objectives_at_both_ends_of_the_floats_cause_no_warning(unit):
    def f(point):
        return {"a": unit * point["x"] ** 2, "b": unit * (1.0 - (point["x"] - 1.0) ** 2), "c": unit * abs(point["x"])}

    aims = {"a": "minimize", "b": "maximize", "c": "minimize"}
    result = sf.optimize(f, {"x": (-1.0, 2.0)}, 12, objectives=aims, reference={"a": 1.0, "b": -1.0, "c": 2.0}, seed=0)
    assert len({trial.point["x"] for trial in result.trials}) == 12


def test_without_feasible_trials_there_is_no_front():
    for opt in (told(), told({"error": 1.0, "gain": 1.0, "w": 2.0}, constraints=LIMITS)):
        front = Front(opt.history)
        assert front.trials == front.counted == front.some(3) == ()
        assert front.reference is None
        assert np.array_equal(front.hypervolume, np.zeros(len(opt.trials)))
        assert str(front) == "0 trials"
        for choose in (front.knee, lambda front=front: front.pick({"error": 1.0})):
            with pytest.raises(NoFinishedTrial, match="the front is empty"):
                choose()


def test_some_of_a_long_front_have_both_ends():
    front = Front(told(*values(*((float(i), float(i)) for i in range(20)))).history)
    assert numbers(front.some(5)) == [0, 5, 10, 14, 19]
    assert front.some(20) == front.some(99) == front.trials


def test_a_front_is_the_same_in_another_order_of_telling():
    pairs = [(3.0, 1.0), (1.0, 0.0), (2.0, 5.0)]
    a, b = told(*values(*pairs)).result(), told(*values(*pairs[::-1])).result()
    assert [t.values for t in a.front] == [t.values for t in b.front]
    assert a.hypervolume[-1] == pytest.approx(b.hypervolume[-1])
