"""What an objective may return, and what happens when it raises."""

import itertools
import math
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import suffice as sf
from suffice import AtMost, minimize
from suffice.errors import Infeasible
from suffice.run import evaluation

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


@dataclass(frozen=True)
class Frozen(Exception):
    """It takes neither attributes nor notes."""

    code: int


class Tensor:
    """A value that refuses to become an array, as a tensor does that requires a gradient."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("call detach() first")


class Shy(Tensor):
    """It cannot be shown either."""

    def __repr__(self):
        raise ValueError("no")


class Broken(Exception):
    """A local class with a lambda inside: it could not travel between processes."""

    def __init__(self, message):
        super().__init__(message)
        self.held = lambda: None


def scripted(*steps):
    """An objective that raises the exceptions and returns the values of a script, the last one for ever."""
    calls = []

    def f(x):
        calls.append(x)
        step = steps[min(len(calls), len(steps)) - 1]
        if isinstance(step, BaseException):
            raise step
        return step

    return f, calls


def test_the_time_of_an_evaluation_is_known_however_it_ends(quick, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(evaluation, "time", SimpleNamespace(perf_counter=lambda: 2.5 * next(ticks)))
    f, _ = scripted(1.0, ZeroDivisionError(), math.nan, "no number", 2.0)
    trials = minimize(f, SQUARE, 5, **quick).trials
    assert [trial.state for trial in trials] == ["done", "failed", "failed", "failed", "done"]
    assert [trial.seconds for trial in trials] == [2.5] * 5


def test_a_later_exception_is_a_failed_trial_with_its_traceback(quick):
    f, calls = scripted(1.0, ZeroDivisionError("oh no"), 0.5)
    result = minimize(f, SQUARE, 5, **quick)
    assert len(calls) == result.nfev == 5
    assert [trial.state for trial in result.trials] == ["done", "failed", "done", "done", "done"]
    failed = result.trials[1]
    assert (failed.cause, failed.reason) == ("raised", "ZeroDivisionError: oh no")
    assert failed.traceback.startswith("Traceback (most recent call last):")
    assert failed.traceback.endswith("ZeroDivisionError: oh no\n")
    assert "in f\n" in failed.traceback
    assert np.isnan(result.func_vals[1])


def test_exceptions_at_first_do_not_end_a_run_that_then_works(quick):
    f, _ = scripted(ValueError("a"), ValueError("b"), 1.0, ValueError("c"), ValueError("d"), ValueError("e"))
    assert minimize(f, SQUARE, 6, **quick).func_vals.tolist()[2] == 1.0


def test_three_exceptions_from_the_first_on_end_the_run_with_the_last_one(quick):
    f, calls = scripted(ValueError("a"), ValueError("b"), Broken("c"))
    with pytest.raises(Broken, match="c") as caught:
        minimize(f, SQUARE, 20, **quick)
    assert len(calls) == 3
    assert [trial.state for trial in caught.value.trials] == ["failed"] * 3
    assert "ValueError: a" in caught.value.trials[0].reason
    notes = "\n".join(caught.value.__notes__)
    assert ".trials" in notes
    last = caught.value.trials[-1].point.tolist()
    assert f"all failed, so the run has ended. The objective was called with the point array({last})." in notes


def test_a_budget_of_two_is_hopeless_after_two(quick):
    f, _ = scripted(ValueError("a"))
    with pytest.raises(ValueError, match="a") as caught:
        minimize(f, SQUARE, 2, **quick)
    assert len(caught.value.trials) == 2


def test_values_that_failed_by_nan_do_not_make_one_exception_hopeless(quick):
    f, _ = scripted(np.nan, np.nan, ValueError("once"), np.nan, 2.0)
    result = minimize(f, SQUARE, 5, **quick)
    assert [trial.state for trial in result.trials] == ["failed"] * 4 + ["done"]


def test_errors_are_raised_at_once_where_that_is_asked_for(quick):
    f, calls = scripted(1.0, Broken("mine"), 1.0)
    with pytest.raises(Broken, match="mine") as caught:
        minimize(f, SQUARE, 20, evaluation=sf.Evaluation(on_error="raise"), **quick)
    assert len(calls) == 2
    assert [trial.state for trial in caught.value.trials] == ["done", "failed"]
    frames = caught.traceback
    assert any(frame.name == "f" for frame in frames)  # the user's own line is in the traceback


def test_leaving_the_program_from_inside_the_objective_is_not_held_up(quick):
    f, _ = scripted(1.0, SystemExit(3))
    with pytest.raises(SystemExit) as caught:
        minimize(f, SQUARE, 20, **quick)
    assert [trial.state for trial in caught.value.trials] == ["done", "cancelled"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NoneType None"),
        ("0.5", "str '0.5'"),
        (1 + 2j, r"complex \(1\+2j\)"),
        ((0.5, 0.6), r"tuple \(0\.5, 0\.6\)"),
        (np.array([0.5, 0.6]), r"ndarray array\(\[0\.5, 0\.6\]\)"),
        ({"loss": 0.5}, r"dict \{'loss': 0\.5\}"),
        ("x" * 500, r"str 'x{78}…;"),
    ],
)
@pytest.mark.parametrize("on_error", ["record", "raise"])
def test_a_wrong_type_ends_the_run_at_the_first_trial_and_names_type_and_value(quick, value, shown, on_error):
    f, calls = scripted(value)
    with pytest.raises(TypeError, match=f"must be one real number: got {shown}") as caught:
        minimize(f, SQUARE, 20, evaluation=sf.Evaluation(on_error=on_error), **quick)
    assert len(calls) == 1
    assert [trial.state for trial in caught.value.trials] == ["failed"]


def test_a_wrong_type_later_is_a_failed_trial(quick):
    f, _ = scripted(1.0, None, 2.0)
    result = minimize(f, SQUARE, 4, **quick)
    assert [trial.state for trial in result.trials] == ["done", "failed", "done", "done"]
    assert "got NoneType None" in result.trials[1].reason
    f, _ = scripted(1.0, None, 2.0)
    with pytest.raises(TypeError, match="got NoneType None"):
        minimize(f, SQUARE, 4, evaluation=sf.Evaluation(on_error="raise"), **quick)


@pytest.mark.parametrize(
    "value",
    [True, 3, np.float32(0.5), np.float64(0.5), np.array(0.5), np.array([0.5]), Decimal("0.5"), Fraction(1, 2)],
    ids=lambda value: type(value).__name__,
)
def test_real_scalars_and_arrays_of_one_are_accepted(quick, value):
    result = minimize(lambda x: value, SQUARE, 3, **quick)
    assert result.fun == np.asarray(value, dtype=float).item()
    assert type(result.trials[0].value) is float


@pytest.mark.parametrize("on_error", ["record", "raise"])
def test_an_error_that_takes_no_attribute_is_still_the_one_that_comes_out(quick, on_error):
    f, _ = scripted(Frozen(7))
    with pytest.raises(Frozen) as caught:
        minimize(f, SQUARE, 20, evaluation=sf.Evaluation(on_error=on_error), **quick)
    assert caught.value.code == 7


@pytest.mark.parametrize("value", [Tensor(), Shy()], ids=["tensor", "shy"])
def test_a_value_that_raises_when_looked_at_is_a_failed_trial(quick, value):
    f, _ = scripted(1.0, value, 2.0)
    result = minimize(f, SQUARE, 4, **quick)
    assert [trial.state for trial in result.trials] == ["done", "failed", "done", "done"]
    assert "must be one real number: got " + type(value).__name__ in result.trials[1].reason
    assert "RuntimeError('call detach() first')" in result.trials[1].reason
    f, _ = scripted(value)
    with pytest.raises(TypeError, match="could not be turned into a number") as caught:
        minimize(f, SQUARE, 4, **quick)
    assert [trial.state for trial in caught.value.trials] == ["failed"]


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (ValueError("no such\nrate"), "ValueError: no such rate"),
        (KeyError("rate"), "KeyError: 'rate'"),
        (np.nan, "the value was nan"),
        (None, "the objective's value must be one real number: got NoneType None; return a float"),
        (ValueError("x" * 500), "ValueError: " + "x" * 185 + "..."),
    ],
    ids=["lines", "raised", "nan", "type", "long"],
)
def test_a_run_with_failures_says_how_many_and_why_and_warns_once(quick, caplog, last, reason):
    f, _ = scripted(1.0, ValueError("first"), 2.0, last)
    result = minimize(f, SQUARE, 4, **quick)
    start, said = "4 trials are done, ", " (1 raised, 1 nan)" if reason == "the value was nan" else ""
    assert result.message.startswith(f"{start}2 of 4 evaluations failed{said}; the last: {reason}")
    assert len(result.message.splitlines()) == 1
    (warning,) = [record.getMessage() for record in caplog.records if "failed" in record.getMessage()]
    assert warning == result.message.removeprefix(start)


def test_a_run_without_failures_does_not_speak_of_any(quick, caplog):
    assert minimize(lambda x: float(x.sum()), SQUARE, 4, **quick).message == "all 4 trials are done"
    assert caplog.records == []


@pytest.mark.parametrize("on_error", ["record", "raise"])
def test_an_objective_can_say_that_a_point_is_infeasible_which_is_no_error(quick, on_error):
    f, calls = scripted(*[sf.Infeasible("the beam would buckle")] * 4, 1.0)
    trials = minimize(f, SQUARE, 6, evaluation=sf.Evaluation(on_error=on_error), **quick).trials
    assert len(calls) == 6  # not given up after three
    assert [trial.cause for trial in trials] == ["infeasible"] * 4 + [None] * 2
    assert {(trial.reason, trial.traceback) for trial in trials[:4]} == {("the beam would buckle", None)}


def test_a_reason_is_one_line_whatever_the_exception_says(quick):
    f, _ = scripted(1.0, ValueError("first\n  second\n\nthird"), ValueError("x" * 1000), 2.0)
    _, lines, long, _ = minimize(f, SQUARE, 4, **quick).trials
    assert lines.reason == "ValueError: first second third"
    assert "first\n  second\n\nthird" in lines.traceback
    assert len(long.reason) == 200
    assert long.reason.startswith("ValueError: xxx")
    assert long.reason.endswith("...")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_run_without_any_value_ends_early_and_says_so(quick, bad):
    result = minimize(lambda x: bad, SQUARE, 60, **quick)
    assert (result.nfev, result.success, result.status) == (20, False, 1)
    assert result.message == "the first 20 evaluations have all failed, and there is no value to learn from"


def test_nan_and_exceptions_together_end_a_run_too(quick):
    def f(x):
        calls.append(x)
        if len(calls) % 2:
            return math.nan
        raise ValueError("even")

    calls = []
    assert minimize(f, SQUARE, 60, **quick).nfev == 20


def test_one_value_among_the_first_ones_keeps_a_run_going(quick):
    values = iter([math.nan] * 19 + [1.0])
    assert minimize(lambda x: next(values, math.nan), SQUARE, 40, **quick).nfev == 40


def test_infeasible_points_are_answers_and_end_no_run(quick):
    def f(x):
        raise Infeasible("not here")

    assert minimize(f, SQUARE, 25, **quick).nfev == 25


def test_an_output_that_is_never_returned_is_an_error_after_the_first_evaluation(quick):
    def f(x):
        calls.append(x)
        return {"value": x[0]}

    calls = []
    with pytest.raises(TypeError, match=r"2 outputs: got 'value' without 'weight'; return all of them"):
        minimize(f, SQUARE, 20, constraints={"weight": AtMost(1.0)}, **quick)
    assert len(calls) == 1


def test_a_violated_limit_excuses_missing_outputs_and_none_says_that_one_could_not_be_measured(quick):
    f, _ = scripted({"weight": 2.0}, {"value": 1.0, "weight": None}, {"value": 2.0, "weight": 0.5})
    result = minimize(f, SQUARE, 4, constraints={"weight": AtMost(1.0)}, **quick)
    assert [trial.state for trial in result.trials] == ["done", "failed", "done", "done"]


@pytest.mark.parametrize("value", [np.timedelta64(3, "ns"), np.timedelta64(3, "s"), timedelta(seconds=3)])
def test_a_duration_is_no_number(quick, value):
    with pytest.raises(TypeError, match=r"got timedelta.*in seconds it is value / np\.timedelta64\(1, 's'\)"):
        minimize(lambda x: value, SQUARE, 5, **quick)


def test_a_date_is_no_number(quick):
    with pytest.raises(TypeError, match=r"got datetime64.*seconds since a date"):
        minimize(lambda x: np.datetime64("2026-11-19", "ns"), SQUARE, 5, **quick)


def test_the_status_of_a_run_is_a_number_as_in_scipy(quick):
    assert minimize(lambda x: x[0], SQUARE, 5, **quick).status == 0
    mostly = minimize(scripted(1.0, math.nan)[0], SQUARE, 5, **quick)
    assert (mostly.status, mostly.success) == (1, False)


def test_a_rule_without_a_name_is_not_shown_by_its_address(quick):
    result = minimize(lambda x: x[0], SQUARE, 5, stop=lambda optimizer: True, **quick)
    assert (
        result.message
        == "stopped by the rule you gave; a rule that returns a sentence instead of True gives the reason"
    )
