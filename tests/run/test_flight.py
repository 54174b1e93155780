"""Tasks under way in an executor: order, width, what is held and what is let go."""

from concurrent.futures import BrokenExecutor, Future

import pytest

from suffice.run.evaluation import Flight


class Held:
    """An executor whose futures the test finishes itself."""

    def __init__(self):
        self.futures, self.calls = [], []

    def submit(self, f, *args):
        self.futures.append(Future())
        self.calls.append((f, args))
        return self.futures[-1]


def started(width, *names):
    flight = Flight(Held(), width)
    for name in names:
        flight.start(name, abs, -3)
    return flight, flight.executor.futures


def names(tasks):
    return [task.what for task in tasks]


def test_the_executor_gets_the_call_and_the_flight_fills_up():
    flight, _ = started(2, "a")
    assert (len(flight), flight.full) == (1, False)
    flight.start("b", divmod, 7, 2)
    assert flight.executor.calls == [(abs, (-3,)), (divmod, (7, 2))]
    assert (len(flight), flight.full, names(flight)) == (2, True, ["a", "b"])


def test_finished_tasks_come_in_the_order_of_their_start_and_are_held_until_forgotten():
    flight, (a, b, c) = started(3, "a", "b", "c")
    assert flight.finished() == []
    c.set_result(30)
    a.set_result(10)
    assert flight.wait(60)
    assert [(task.what, task.result()) for task in flight.finished()] == [("a", 10), ("c", 30)]
    for task in flight.finished():
        flight.forget(task)
    assert names(flight) == ["b"]
    b.set_result(20)
    assert names(flight.finished()) == ["b"]


def test_waiting_says_whether_anything_is_finished():
    flight, (a, _) = started(2, "a", "b")
    assert not flight.wait(0)
    a.set_exception(ValueError("a"))
    assert flight.wait(60)
    assert flight.wait(60)  # it is still there


def test_a_task_knows_whether_it_has_a_result_and_whether_it_is_lost():
    flight, (well, ill, broken, cancelled, _) = started(5, "well", "ill", "broken", "cancelled", "running")
    well.set_result(1)
    ill.set_exception(ValueError("mine"))
    broken.set_exception(BrokenExecutor("dead"))
    cancelled.cancel()
    assert names(task for task in flight if task.has_result) == ["well"]
    assert names(task for task in flight if task.lost) == ["broken", "cancelled"]
    with pytest.raises(ValueError, match="mine"):
        flight.finished()[1].result()
    with pytest.raises(TimeoutError):  # it does not wait
        next(task for task in flight if task.what == "running").result()


def test_the_end_takes_back_what_has_not_begun_and_hands_over_everything():
    flight, (done, running, waiting) = started(3, "done", "running", "waiting")
    done.set_result(1)
    running.set_running_or_notify_cancel()
    tasks = flight.end()
    assert names(tasks) == ["done", "running", "waiting"]
    assert [task.has_result for task in tasks] == [True, False, False]
    assert [task.future.cancelled() for task in tasks] == [False, False, True]
    assert not waiting.running()
    assert len(flight) == 0


def test_a_task_that_the_executor_refuses_is_not_under_way():
    class Full:
        def submit(self, f, *args):
            raise RuntimeError("no more")

    flight = Flight(Full(), 2)
    with pytest.raises(RuntimeError, match="no more"):
        flight.start("a", abs, -3)
    assert len(flight) == 0


def test_what_is_no_future_is_refused():
    class Eager:
        def submit(self, f, *args):
            return f(*args)

    with pytest.raises(TypeError, match=r"submit of Eager must return a concurrent\.futures\.Future: got int"):
        Flight(Eager(), 2).start("a", abs, -3)


def test_one_future_for_two_tasks_is_refused_even_after_the_first_is_forgotten():
    class Same:
        future = Future()

        def submit(self, f, *args):
            return self.future

    flight = Flight(Same(), 2)
    flight.start("a", abs, -3)
    with pytest.raises(TypeError, match="submit of Same returned the same future twice"):
        flight.start("b", abs, -3)
    flight.forget(next(iter(flight)))
    with pytest.raises(TypeError, match="twice"):
        flight.start("c", abs, -3)
