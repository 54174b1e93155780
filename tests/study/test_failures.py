"""What failed is counted, named and tried again."""

import math

import pytest

import suffice as sf
from suffice.ask.models import fit_outputs
from suffice.result.findings import failures, where_it_fails

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
QUICK = {"seed": 0, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(64))}


def told(space, values, points=None, **words):
    """An optimizer whose trials had these values, or failed for these reasons."""
    opt = sf.Optimizer(space, **(QUICK | words))
    for i, value in enumerate(values):
        trial = opt.ask() if points is None else opt.tell(points[i], math.nan)
        if isinstance(value, tuple):
            opt.fail(trial, value[1], cause=value[0])
        else:
            opt.tell(trial, value)
    return opt


def test_failures_are_counted_by_cause_with_the_reason_of_the_last():
    opt = told(SQUARE, [1.0, ("raised", "a"), ("timed out", "b"), ("raised", "MemoryError: no more")])
    assert failures(opt.trials) == "3 of 4 evaluations failed (2 raised, 1 timed out); the last: MemoryError: no more"
    assert failures(told(SQUARE, [1.0, ("crashed", "gone")]).trials) == "1 of 2 evaluations failed; the last: gone"
    assert failures(told(SQUARE, [1.0, 2.0]).trials) == ""


@pytest.mark.parametrize(("elsewhere", "found"), [(0, True), (6, False)])
def test_an_option_that_failed_twice_is_found_where_that_is_no_chance(elsewhere, found):
    """The search stays away from what failed, so that it is rarely tried more often."""
    opt = sf.Optimizer({"c": sf.Choice("a", "b", "d"), "x": (0.0, 1.0)}, **QUICK)
    for i in range(26):
        bad = i < 2 + elsewhere
        opt.tell({"c": "b" if i < 2 else "ad"[i % 2], "x": i / 30}, math.nan if bad else i / 30)
    said = [finding.sentence for finding in where_it_fails(opt.history)]
    assert ("All 2 evaluations with c='b' failed." in said) is found


@pytest.mark.parametrize(
    ("values", "success"),
    [([], False), ([math.nan], False), ([1.0], True), ([1.0, math.nan], True), ([1.0, math.nan, math.nan], False)],
)
def test_a_run_is_a_success_if_something_was_found_and_no_more_than_half_of_it_failed(values, success):
    assert told(SQUARE, values).result().success is success


def test_pending_and_cancelled_trials_are_no_evaluations():
    opt = told(SQUARE, [1.0, math.nan])
    opt.cancel(opt.ask())
    opt.ask()
    assert failures(opt.trials).startswith("1 of 2 evaluations failed")
    assert opt.result().success


def test_a_result_says_once_how_many_failed_whatever_its_message_is():
    result = told(SQUARE, [1.0, math.nan]).result("enough")
    assert "failed        1 of 2 evaluations failed; the last: the value was nan" in str(result)
    run = sf.minimize(lambda x: math.nan if x[0] > 0.5 else x[0], SQUARE, 8, **QUICK)
    assert str(run).count("evaluations failed;") == 1
    assert "failed" not in str(told(SQUARE, [1.0]).result("enough"))


def test_an_option_that_always_fails_is_named():
    space = {"opt": sf.Choice("adam", "sgd"), "lr": (0.0, 1.0)}
    points = [{"opt": "sgd" if i % 2 else "adam", "lr": i / 10} for i in range(8)]
    opt = told(space, [math.nan if point["opt"] == "sgd" else 1.0 for point in points], points)
    (finding,) = where_it_fails(opt.history)
    assert finding.sentence == "All 4 evaluations with opt='sgd' failed."
    assert "all 4 evaluations with opt='sgd' failed" in str(opt.result())


def test_a_side_of_a_number_that_always_fails_is_named():
    points = [
        {"n": n, "x": x} for n, x in zip((1, 5, 9, 20, 30, 40, 15), (0.1, 0.9, 0.4, 0.2, 0.3, 0.5, 0.6), strict=True)
    ]
    opt = told({"n": sf.Int(1, 64), "x": (0.0, 1.0)}, [1.0, 2.0, 3.0, *[math.nan] * 4], points)
    assert [finding.sentence for finding in where_it_fails(opt.history)] == [
        "All 4 evaluations with n above 9 failed; most of the failures were there."
    ]
    assert where_it_fails(told(SQUARE, [math.nan] * 5).history) == ()


@pytest.mark.parametrize("solver", [sf.solvers.Adaptive(), sf.solvers.Grid()], ids=["enough", "grid"])
def test_a_transient_failure_at_the_optimum_of_a_finite_space_is_tried_again(solver):
    calls = []

    def flaky(point):
        calls.append(point["i"])
        if point["i"] == 7 and calls.count(7) == 1:
            raise OSError("the network was down")
        return abs(point["i"] - 7)

    result = sf.minimize(flaky, {"i": sf.Int(0, 11)}, 12, seed=0, solver=solver)
    assert (result.x, result.fun) == ({"i": 7}, 0)
    first, second = (k for k, i in enumerate(calls) if i == 7)
    assert second > first + 1  # something else was tried in between
    assert all(calls.count(i) == 1 for i in set(calls) - {7})


def test_a_point_that_always_fails_is_tried_three_times_and_then_the_space_is_exhausted():
    calls = []

    def broken(point):
        calls.append(point["i"])
        return math.nan if point["i"] % 2 else float(point["i"])

    result = sf.minimize(broken, {"i": sf.Int(0, 3)}, 20, **QUICK)
    assert sorted(calls) == [0, 1, 1, 1, 2, 3, 3, 3]
    assert result.message.startswith("all 4 points of the space have been proposed")


def test_the_last_point_of_a_space_is_tried_again_at_once():
    opt = sf.Optimizer({"i": sf.Int(0, 1)}, **QUICK)
    opt.tell(opt.ask(), 1.0)
    failed = opt.fail(opt.ask())
    assert opt.ask().point == failed.point


def test_while_others_are_left_a_design_repeats_no_failed_point():
    opt = sf.Optimizer({"i": sf.Int(0, 7)}, **QUICK)
    for _ in range(8):
        opt.fail(opt.ask())
    assert sorted(trial.point["i"] for trial in opt.trials) == list(range(8))


def test_cancelled_trials_teach_nothing():
    plain, cancelled = (told(SQUARE, [3.0, 1.0, 2.0, 5.0, 4.0, 2.5, 1.5]) for _ in range(2))
    for _ in range(2):
        cancelled.cancel(cancelled.ask())
    ask = [fit_outputs(opt.settings, opt.history, opt._fitted)["value"].posterior for opt in (plain, cancelled)]
    assert ask[0].n == ask[1].n == 7
    assert not cancelled.history.failed


def test_a_run_without_failures_knows_nothing_of_their_model(monkeypatch):
    monkeypatch.setattr("suffice.ask.suggest.where_it_succeeds", lambda *words: 1 / 0)
    opt = told(SQUARE, [3.0, 1.0, 2.0, 5.0, 4.0, 2.5, 1.5])
    assert opt.ask().solve is not None
    opt.fail(opt.ask())
    with pytest.raises(ZeroDivisionError):
        opt.ask()


def test_suggestions_that_fail_get_nowhere_like_those_that_do_not_improve():
    opt = told(SQUARE, [3.0, 1.0, 2.0, 5.0, 4.0, 2.5], n_initial=6)
    assert opt.history.idle == 0
    opt.fail(opt.ask())
    assert opt.history.idle == 1
    opt.tell(opt.ask(), 0.5)
    assert opt.history.idle == 0
