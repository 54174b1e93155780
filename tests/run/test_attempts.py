"""Whatever happens to workers, and whenever Ctrl-C comes: every trial is recorded once, and none is left over."""

from collections import Counter
from concurrent.futures import BrokenExecutor, Future

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import GP, Optimizer
from suffice.run.attempts import Attempts
from suffice.run.evaluation import Evaluator
from suffice.run.loop import Limits, Loop
from suffice.solvers import Fixed, Grid

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
QUICK = {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(8)), "n_initial": 20}


class Crew:
    """Workers that do what a script says, call by call, several calls at a time in the order of a second script."""

    shared, capacity, pulse = False, None, None

    def __init__(self, script, order, interrupt):
        self.script, self.order, self.interrupt = list(script), list(order), interrupt
        self.waiting, self.calls, self.steps = [], Counter(), 0

    def step(self):
        """One step of the script; Ctrl-C comes at one of them."""
        self.steps += 1
        if self.steps == self.interrupt:
            raise KeyboardInterrupt

    def receive(self, seconds):
        self.step()

    def submit(self, f, point):
        self.step()
        future = Future()
        self.calls[point.tobytes()] += 1
        self.waiting.append((future, f, point))
        return future

    def go_on(self):
        """Finish one of the calls that wait, as a worker would meanwhile."""
        self.step()
        future, f, point = self.waiting.pop((self.order.pop(0) if self.order else 0) % len(self.waiting))
        what = self.script.pop(0) if self.script else "value"
        if what == "value":
            future.set_result(f(point))
        elif what == "dies":
            future.set_exception(BrokenExecutor("a worker died"))
        elif what == "cancelled":
            future.cancel()
        else:
            future.set_exception(ValueError("a point that cannot be pickled"))

    def blames(self, future, others):
        self.step()
        return True

    def obituary(self, future):
        self.step()
        return "its worker died"

    def heir(self):
        self.step()
        return self

    def look(self):
        raise AssertionError("not asked for")

    def gather(self):
        self.step()

    def close(self):
        self.closed = True


class Workers(Attempts):
    """Attempts whose workers go on while somebody waits for them."""

    def _any_done(self, seconds):
        self.crew.go_on()
        return True


@settings(max_examples=60)
@given(
    script=st.lists(st.sampled_from(["value", "value", "dies", "cancelled", "error"]), max_size=30),
    order=st.lists(st.integers(0, 5), max_size=20),
    width=st.integers(1, 4),
    retries=st.integers(0, 2),
    interrupt=st.one_of(st.none(), st.integers(1, 40)),
)
def test_every_trial_is_recorded_once_and_none_is_left_over(script, order, width, retries, interrupt):
    optimizer, n = Optimizer(SQUARE, **QUICK), 7
    crew = Crew(script, order, interrupt)
    attempts = Workers(Evaluator(lambda x: float(x.sum())), crew, width, retries)
    loop = Loop(optimizer, attempts, Limits(n), raising=False)
    loop.hope.returned()  # a run is given up elsewhere
    message = loop.run()
    trials, calls = optimizer.trials, crew.calls
    assert crew.closed
    assert len(attempts) == 0
    assert not optimizer.history.pending
    assert optimizer.history.settled == len(trials)  # each once
    assert all(calls[trial.point.tobytes()] <= retries + 1 for trial in trials)
    assert all(trial.value == trial.point.sum() for trial in trials if trial.state == "done")
    assert {trial.cause for trial in trials if trial.state == "failed"} <= {"crashed"}
    if message == "interrupted":
        assert interrupt is not None
        assert len(trials) <= n
    else:
        assert [trial.state for trial in trials if trial.state == "cancelled"] == []
        assert len(trials) == n


def test_a_trial_that_crashed_was_tried_as_often_as_it_may(quick):
    optimizer, crew = Optimizer(SQUARE, **quick), Crew(["dies"] * 3, [], None)
    attempts = Workers(Evaluator(lambda x: 1.0), crew, 1, 2)
    heard = []

    def watch(moment):
        heard.append((moment.kind, moment.trial and moment.trial.number))

    Loop(optimizer, attempts, Limits(2), raising=False, watchers=[watch]).run()
    assert [(trial.state, trial.cause) for trial in optimizer.trials] == [("failed", "crashed"), ("done", None)]
    assert optimizer.trials[0].reason == "its worker died, in all of 3 tries"
    first = [("started", 0), ("again", 0), ("again", 0), ("settled", 0)]
    assert heard == [*first, ("started", 1), ("settled", 1), ("ended", None)]


def test_the_executor_that_does_not_return_what_was_called_is_no_success(quick):
    class Liar(Crew):
        def go_on(self):
            self.waiting.pop()[0].set_result(3.0)

    attempts = Workers(Evaluator(lambda x: 1.0), Liar([], [], None), 1)
    with pytest.raises(TypeError, match="must return what the call returned: got float instead"):
        Loop(Optimizer(SQUARE, **quick), attempts, Limits(3), raising=False).run()
