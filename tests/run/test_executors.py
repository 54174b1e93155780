"""Evaluation over executors: the exact budget, the same record, faults of workers."""

import os
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import ClassVar

import pytest

from suffice import Target, minimize
from suffice.run.executors import width

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


@pytest.fixture(scope="module")
def processes(objectives):
    """Two worker processes, started afresh: what they run they import."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize(("workers", "n_trials"), [(1, 5), (3, 10), (8, 4)])
def test_the_budget_is_exact_with_many_threads(quick, objectives, workers, n_trials):
    calls, lock, most = [], threading.Lock(), [0, 0]

    def f(x):
        with lock:
            calls.append(x)
            most[0] += 1
            most[1] = max(most)
        time.sleep(0.01)
        with lock:
            most[0] -= 1
        return objectives.bowl(x)

    with ThreadPoolExecutor(workers) as pool:
        result = minimize(f, SQUARE, n_trials, executor=pool, n_parallel=workers, **quick)
    assert len(calls) == result.nfev == len(result.trials) == n_trials
    assert most[1] <= workers
    assert len({trial.unit.tobytes() for trial in result.trials}) == n_trials
    assert result.message == f"all {n_trials} trials are done"


def test_parallel_evaluations_overlap_and_know_of_each_other(quick):
    barrier = threading.Barrier(3)

    def f(x):
        barrier.wait(timeout=10)  # passes only if three evaluations are under way at the same time
        return float(x.sum())

    with ThreadPoolExecutor(8) as pool:
        result = minimize(f, SQUARE, 9, executor=pool, n_parallel=3, n_initial=3, **quick)
    assert result.nfev == 9
    assert max(len(trial.solve.binding.pending) for trial in result.trials if trial.solve) == 2


def test_one_worker_gives_the_same_run_as_none(quick, objectives):
    alone = minimize(objectives.bowl, SQUARE, 10, **quick)
    with ThreadPoolExecutor(1) as pool:
        threaded = minimize(objectives.bowl, SQUARE, 10, executor=pool, n_parallel=1, **quick)
    assert [x.tolist() for x in alone.x_iters] == [x.tolist() for x in threaded.x_iters]


def test_processes_evaluate_a_module_level_function_within_the_budget(quick, objectives, processes):
    result = minimize(objectives.bowl, SQUARE, 12, executor=processes, n_parallel=2, **quick)
    assert result.nfev == 12
    assert all(objectives.bowl(trial.point) == trial.value for trial in result.trials)


@pytest.mark.parametrize("name", ["unpicklable_above_half", "unbuildable_above_half", "frozen_above_half"])
def test_an_exception_that_cannot_travel_is_a_failed_trial_and_the_pool_survives(quick, objectives, processes, name):
    result = minimize(getattr(objectives, name), SQUARE, 10, executor=processes, n_parallel=2, **quick)
    states = {trial.state for trial in result.trials}
    assert states == {"done", "failed"}
    for trial in result.trials:
        assert (trial.state == "failed") == (trial.point[0] > 0.5)
    failed = next(trial for trial in result.trials if trial.state == "failed")
    assert f"in {name}" in failed.traceback
    assert failed.traceback.strip().splitlines()[-1].endswith(failed.reason)  # the name of the one that could not
    assert processes.submit(abs, -3).result() == 3


@pytest.mark.parametrize("name", ["unpicklable_value_above_half", "unloadable_value_above_half"])
def test_a_value_that_cannot_travel_is_a_failed_trial_and_the_pool_survives(quick, objectives, processes, name):
    result = minimize(getattr(objectives, name), SQUARE, 10, executor=processes, n_parallel=2, **quick)
    assert {trial.state for trial in result.trials} == {"done", "failed"}
    for trial in result.trials:
        assert (trial.state == "failed") == (trial.point[0] > 0.5)
        assert trial.state == "done" or "value cannot be pickled" in trial.reason
    assert processes.submit(abs, -3).result() == 3


def test_an_exception_that_cannot_travel_is_raised_as_one_that_says_the_same(quick, objectives, processes):
    with pytest.raises(RuntimeError, match=r"Unpicklable: no value at 0\.\d") as caught:
        minimize(objectives.always_unpicklable, SQUARE, 20, executor=processes, n_parallel=2, **quick)
    assert "in always_unpicklable" in "".join(caught.value.__notes__)  # where it happened
    assert sum(trial.state == "failed" for trial in caught.value.trials) >= 3


def test_an_exception_stays_itself_in_threads(quick, objectives):
    with ThreadPoolExecutor(2) as pool, pytest.raises(objectives.Unpicklable, match="no value"):
        minimize(objectives.always_unpicklable, SQUARE, 20, executor=pool, n_parallel=2, **quick)


def test_an_objective_that_cannot_travel_is_refused_before_anything_is_asked_for(quick, processes):
    with pytest.raises(
        TypeError, match=r"cannot be sent to a worker process .*define it by `def` at the top"
    ) as caught:
        minimize(lambda x: 1.0, SQUARE, 20, executor=processes, n_parallel=2, **quick)
    assert caught.value.trials == ()
    assert processes.submit(abs, -3).result() == 3


def test_an_objective_whose_values_never_travel_ends_the_run_with_an_error(quick, objectives, processes):
    with pytest.raises(TypeError, match=r"value cannot be pickled.*: got function") as caught:
        minimize(objectives.unpicklable_value, SQUARE, 20, executor=processes, n_parallel=2, **quick)
    assert [trial.state for trial in caught.value.trials][:3] == ["failed"] * 3


class Breaks:
    """A pool whose worker dies with the first of two calls, after the second was finished."""

    def __init__(self):
        self.futures = []

    def submit(self, fn, *args):
        self.futures.append(Future())
        if len(self.futures) == 2:
            self.futures[1].set_result(fn(*args))
            self.futures[0].set_exception(BrokenProcessPool("a process in the pool was terminated"))
        return self.futures[-1]


def test_a_value_that_was_there_when_a_worker_died_is_kept(quick, objectives):
    with pytest.raises(BrokenProcessPool) as caught:
        minimize(objectives.bowl, SQUARE, 5, executor=Breaks(), n_parallel=2, **quick)
    dead, alive = caught.value.trials
    assert (dead.state, dead.reason) == ("cancelled", "its worker process died, or that of another")
    assert alive.state == "done"
    assert any("use a new executor" in note for note in caught.value.__notes__)
    assert caught.value.result.x.tolist() == alive.point.tolist()
    assert alive.value == objectives.bowl(alive.point)


def test_an_executor_that_is_shut_down_takes_no_trial_with_it(quick, objectives):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="shutdown") as caught:
        minimize(objectives.bowl, SQUARE, 5, executor=pool, n_parallel=1, **quick)
    (trial,) = caught.value.trials
    assert (trial.state, trial.reason) == (
        "cancelled",
        "no value: RuntimeError: cannot schedule new futures after shutdown",
    )


class OneFuture:
    """An executor that has one future only, which is done."""

    def __init__(self):
        self.future = Future()

    def submit(self, fn, *args):
        if not self.future.done():
            self.future.set_result(fn(*args))
        return self.future


@pytest.mark.parametrize("n_parallel", [1, 3])
def test_an_executor_that_returns_one_future_twice_is_refused(quick, objectives, n_parallel):
    with pytest.raises(TypeError, match="submit of OneFuture returned the same future twice") as caught:
        minimize(objectives.bowl, SQUARE, 5, executor=OneFuture(), n_parallel=n_parallel, **quick)
    assert [trial.state for trial in caught.value.trials] == ["done", "cancelled"]


class Eager:
    """An executor that returns the value itself."""

    def submit(self, fn, *args):
        return fn(*args)


def test_an_executor_that_returns_no_future_is_refused(quick, objectives):
    with pytest.raises(TypeError, match=r"submit of Eager must return .* done\(\) and result\(\): got Evaluated"):
        minimize(objectives.bowl, SQUARE, 5, executor=Eager(), n_parallel=1, **quick)


def test_without_n_parallel_an_executor_gets_one_trial_per_processor_of_this_process(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 99)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3}, raising=False)
    assert width(Together(), None) == 2
    with ThreadPoolExecutor(7) as pool:
        assert (width(pool, None), width(pool, 7)) == (2, 7)


def test_time_that_is_up_cancels_what_still_runs(quick, clock):
    clock.runs, release = False, threading.Event()

    def f(x):
        clock.ahead += 1.0
        assert release.wait(60)  # set when the run is over
        return 1.0

    with ThreadPoolExecutor(2) as pool:
        result = minimize(f, SQUARE, 10, executor=pool, n_parallel=2, timeout=0.1, **quick)
        release.set()
    assert (result.nfev, result.message) == (0, "the time is up")
    assert {(trial.state, trial.reason) for trial in result.trials} == {("cancelled", "the time is up")}


def test_a_run_that_ends_takes_its_waiting_evaluations_out_of_the_queue(quick):
    release, calls = threading.Event(), []

    def f(x):
        calls.append(x)
        if len(calls) > 1:
            release.wait(10)
        return 1.0

    with ThreadPoolExecutor(1) as pool:
        result = minimize(f, SQUARE, 10, executor=pool, n_parallel=4, callback=lambda result: True, **quick)
        release.set()
    assert result.nfev == 1
    assert [trial.state for trial in result.trials] == ["done"] + ["cancelled"] * 3
    assert len(calls) <= 2  # the one that had started already


class Together:
    """An executor that finishes evaluations only when three are waiting, all at once, the last one first."""

    def __init__(self):
        self.waiting = []

    def submit(self, fn, *args):
        future = Future()
        self.waiting.append((future, fn, args))
        if len(self.waiting) == 3:
            for done, f, given in reversed(self.waiting):
                done.set_result(f(*given))
            self.waiting.clear()
        return future


def test_evaluations_that_finish_together_are_told_in_the_order_of_the_asks(quick, objectives):
    result = minimize(objectives.bowl, SQUARE, 6, executor=Together(), n_parallel=3, **quick)
    assert [trial.order for trial in result.trials] == list(range(6))


def test_a_rule_that_ends_the_run_keeps_what_is_done_already(quick):
    result = minimize(lambda x: 1.0, SQUARE, 6, executor=Together(), n_parallel=3, stop=Target(2.0), **quick)
    assert result.message == "the target 2 was reached"
    assert [trial.state for trial in result.trials] == ["done"] * 3


def test_a_callback_hears_of_each_of_them_and_may_end_the_run_at_any(quick):
    words = {"executor": Together(), "n_parallel": 3, **quick}
    result = minimize(lambda x: 1.0, SQUARE, 6, callback=lambda result: result.nfev == 2, **words)
    assert result.message == "stopped by the callback"
    assert [trial.state for trial in result.trials] == ["done"] * 3


def test_ctrl_c_in_a_worker_thread_returns_the_result_so_far(quick, objectives):
    def f(x):
        if len(calls) == 4:
            raise KeyboardInterrupt
        calls.append(x)
        return objectives.bowl(x)

    calls = []
    with ThreadPoolExecutor(1) as pool:
        result = minimize(f, SQUARE, 20, executor=pool, n_parallel=1, **quick)
    assert (result.nfev, result.message) == (4, "interrupted")
    assert [trial.state for trial in result.trials] == ["done"] * 4 + ["cancelled"]


@pytest.mark.parametrize("n_parallel", [0, -2, 1.5, True])
def test_a_parallelism_that_is_no_count_is_refused(quick, objectives, n_parallel):
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(ValueError, match="n_parallel must be a whole number ≥ 1, or -1 for one"),
    ):
        minimize(objectives.bowl, SQUARE, 5, executor=pool, n_parallel=n_parallel, **quick)


class Closing(ProcessPoolExecutor):
    """A pool that breaks while it is given a call: it starts a process, and its pipes are closed already."""

    def submit(self, fn, /, *args):
        if self.given:
            raise OSError(9, "Bad file descriptor")
        self.given.append(fn)
        return super().submit(fn, *args)

    given: ClassVar[list] = []


def test_a_pool_that_breaks_while_it_is_given_a_call_is_replaced(quick, objectives):
    with Closing(1, mp_context=get_context("spawn")) as pool:
        assert minimize(objectives.bowl, SQUARE, 3, executor=pool, n_parallel=1, **quick).nfev == 3
