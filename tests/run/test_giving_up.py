"""A run over an executor is given up when its first evaluations have all raised, counted by their start."""

import itertools
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from suffice import Optimizer, minimize
from suffice.run.minimize import run

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def scripted(*steps):
    """An objective that raises the exceptions and returns the values of a script, the last one for ever."""
    script = itertools.chain(steps, itertools.repeat(steps[-1]))

    def f(x):
        step = next(script)
        if isinstance(step, Exception):
            raise step
        return step

    return f


class FirstIsSlow:
    """An executor that finishes its first call when it is given the n-th, and every other one at once."""

    def __init__(self, n):
        self.n, self.calls = n, 0

    def submit(self, fn, *args):
        future, self.calls = Future(), self.calls + 1
        if self.calls == 1:
            self.first = lambda: future.set_result(fn(*args))
            return future
        if self.calls == self.n:
            self.first()
        future.set_result(fn(*args))
        return future


def test_an_evaluation_under_way_may_still_save_the_run(quick):
    f = scripted(ValueError("a"), ValueError("b"), ValueError("c"), 1.0, 2.0)
    result = minimize(f, SQUARE, 8, executor=FirstIsSlow(5), n_parallel=2, **quick)
    assert [trial.state for trial in result.trials] == ["done"] + ["failed"] * 3 + ["done"] * 4
    assert result.trials[0].value == 1.0


def test_a_run_whose_slow_first_evaluation_raises_too_is_given_up(quick):
    f = scripted(ValueError("a"), ValueError("b"), ValueError("c"), KeyError("slow"), ValueError("d"))
    with pytest.raises(KeyError, match="slow") as caught:
        minimize(f, SQUARE, 20, executor=FirstIsSlow(5), n_parallel=2, **quick)
    assert [trial.state for trial in caught.value.trials] == ["failed"] * 5


def test_a_later_success_saves_a_run_whose_first_evaluations_raise(quick):
    f = scripted(ValueError("a"), ValueError("b"), 1.0, ValueError("slow"), 2.0)
    result = minimize(f, SQUARE, 8, executor=FirstIsSlow(5), n_parallel=2, **quick)
    assert [trial.state for trial in result.trials] == ["failed"] * 3 + ["done"] * 5


def test_all_that_start_together_are_heard(quick):
    three = threading.Event()
    calls = itertools.count()

    def f(x):
        if next(calls) == 0:
            assert three.wait(60)
            return 1.0
        if three.is_set():
            return 2.0
        raise ValueError("fast")

    def callback(result):
        if result.nfev >= 3:
            three.set()

    with ThreadPoolExecutor(4) as pool:
        result = minimize(f, SQUARE, 8, executor=pool, n_parallel=4, callback=callback, **quick)
    assert result.nfev == 8
    assert 1.0 in result.func_vals


def test_an_objective_that_always_raises_is_given_up_over_four_workers(quick):
    with ThreadPoolExecutor(4) as pool, pytest.raises(ValueError, match="always") as caught:
        minimize(scripted(ValueError("always")), SQUARE, 200, executor=pool, n_parallel=4, **quick)
    assert [trial.state for trial in caught.value.trials[:4]] == ["failed"] * 4


def test_a_wrong_type_does_not_end_a_run_with_an_earlier_evaluation_under_way(quick):
    result = minimize(scripted(None, 1.0, 2.0), SQUARE, 5, executor=FirstIsSlow(3), n_parallel=2, **quick)
    assert [trial.state for trial in result.trials] == ["done", "failed", "done", "done", "done"]


def test_a_wrong_type_of_all_ends_the_run(quick):
    with pytest.raises(TypeError, match="got NoneType") as caught:
        minimize(scripted(None), SQUARE, 20, executor=FirstIsSlow(3), n_parallel=2, **quick)
    assert [trial.state for trial in caught.value.trials] == ["failed"] * 3


def test_a_study_that_has_values_is_gone_on_with_when_a_later_run_begins_with_failures(quick):
    calls = []

    def f(x):
        calls.append(x)
        if len(calls) in (3, 4, 5):
            raise ValueError("for the moment")
        return float(x[0])

    optimizer = Optimizer([(0.0, 1.0)], **quick)
    run(optimizer, f, 2)
    assert run(optimizer, f, 7).nfev == 7


def test_values_from_outside_do_not_show_that_the_objective_works(quick):
    def f(x):
        raise ValueError("a typo")

    optimizer = Optimizer([(0.0, 1.0)], **quick)
    optimizer.tell([0.5], 1.0)
    with pytest.raises(ValueError, match="a typo"):
        run(optimizer, f, 9)


def test_who_is_patient_goes_on(quick):
    def f(x):
        raise ValueError("always")

    assert run(Optimizer([(0.0, 1.0)], **quick), f, 6, patient=True).nfev == 6
