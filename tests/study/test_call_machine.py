"""Any order of calls keeps the record consistent: a state machine with a second, simpler record beside it."""

import math

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from suffice import GP, Choice, Float, Int, Optimizer, Space
from suffice.errors import NoFinishedTrial, SpaceExhausted
from suffice.record.history import History
from suffice.solvers import Fixed, Grid

SPACES = {
    "box": [(-1.0, 1.0), (0.0, 5.0)],
    "mixed": Space(x=Float(0.01, 1, log=True), n=Int(0, 4), c=Choice("a", "b", "c")),
    "finite": Space(n=Int(1, 4), c=Choice(True, False)),
}
values = st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0, -0.0])
broken = st.sampled_from([math.nan, math.inf, -math.inf])


class Calls(RuleBasedStateMachine):
    """ask, tell, fail, cancel, withdraw and foreign points in any order."""

    @initialize(name=st.sampled_from(sorted(SPACES)), direction=st.sampled_from(["minimize", "maximize"]))
    def begin(self, name, direction):
        self.opt = Optimizer(
            SPACES[name], direction=direction, seed=0, n_initial=2, model=GP(warp=False), solver=Grid(size=Fixed(16))
        )
        self.states: list[str] = []
        self.values: dict[int, float] = {}
        self.told: list[int] = []

    def pick(self, index):
        return self.opt.trials[index % len(self.opt.trials)]

    def settle(self, trial, value):
        """What telling does, in other words."""
        number = trial.number
        if number == len(self.states):
            self.states.append("pending")
        if math.isfinite(value):
            self.states[number], self.values[number] = "done", value
            self.told.append(number)
        else:
            self.states[number] = "failed"

    @rule(n=st.integers(1, 3))
    def ask(self, n):
        taken = {t.unit.tobytes() for t in self.opt.trials if t.state in ("pending", "done")}
        failed = {t.unit.tobytes() for t in self.opt.trials if t.state == "failed"} - taken
        never_tried = self.opt.space.size - len(taken | failed)
        try:
            batch = self.opt.ask(n)
        except SpaceExhausted:
            assert never_tried == 0
            return
        assert min(n, never_tried) <= len(batch) <= min(n, never_tried + len(failed))  # what failed may be tried again
        assert not taken & {trial.unit.tobytes() for trial in batch}
        assert [trial.number for trial in batch] == list(range(len(self.states), len(self.states) + len(batch)))
        self.states += ["pending"] * len(batch)

    @precondition(lambda self: self.states)
    @rule(index=st.integers(0, 99), value=values | broken)
    def tell(self, index, value):
        trial = self.pick(index)
        if trial.state == "done" and value != trial.value:
            with pytest.raises(ValueError, match="already"):
                self.opt.tell(trial, value)
        elif trial.state == "done":
            assert self.opt.tell(trial, value) is trial
        else:
            self.settle(self.opt.tell(trial, value), value)

    @precondition(lambda self: self.states)
    @rule(index=st.integers(0, 99), value=values | broken)
    def tell_point(self, index, value):
        """The point of a pending trial is that trial; any other is a new one."""
        trial = self.pick(index)
        pending = [
            t.number for t in self.opt.trials if t.state == "pending" and t.unit.tobytes() == trial.unit.tobytes()
        ]
        told = self.opt.tell(trial.point, value)
        assert told.number == (pending[0] if pending else len(self.states))
        self.settle(told, value)

    @rule(value=values | broken, seed=st.integers(0, 5))
    def tell_foreign(self, value, seed):
        space = self.opt.space
        x = space.snap(np.random.default_rng(seed).random((1, space.dim)))[0]
        self.settle(self.opt.tell(space.from_unit(x), value), value)

    @precondition(lambda self: self.states)
    @rule(index=st.integers(0, 99))
    def fail(self, index):
        trial = self.pick(index)
        if trial.state == "done":
            with pytest.raises(ValueError, match="can no longer fail"):
                self.opt.fail(trial)
        else:
            assert self.opt.fail(trial, "boom").reason == "boom"
            self.states[trial.number] = "failed"

    @precondition(lambda self: self.states)
    @rule(index=st.integers(0, 99))
    def cancel(self, index):
        trial = self.pick(index)
        self.opt.cancel(trial)
        if trial.state == "pending":
            self.states[trial.number] = "cancelled"

    @precondition(lambda self: self.states)
    @rule(index=st.integers(0, 99))
    def withdraw(self, index):
        trial = self.pick(index)
        if trial.state in ("pending", "failed"):
            with pytest.raises(ValueError, match="has no value to withdraw"):
                self.opt.withdraw(trial)
        elif trial.state == "done":
            self.opt.withdraw(trial)
            self.states[trial.number] = "cancelled"
            del self.values[trial.number]
            self.told.remove(trial.number)

    @invariant()
    def the_record_is_consistent(self):
        if not hasattr(self, "opt"):
            return
        trials = self.opt.trials
        assert [trial.number for trial in trials] == list(range(len(trials)))
        assert [trial.state for trial in trials] == self.states
        assert {t.number: t.value for t in trials if t.state == "done"} == self.values
        done = [trial for trial in trials if trial.state == "done"]
        assert [trial.number for trial in sorted(done, key=lambda trial: trial.order)] == self.told
        assert all((trial.value is None) == (trial.state != "done") for trial in trials)
        assert all(trial.order is None for trial in trials if trial.state == "pending")
        assert all((trial.solve is not None) == (trial.origin == "model") for trial in trials)
        assert np.array_equal(self.opt.history.table.done, History.of(self.opt.history.events).table.done)

    @invariant()
    def pending_points_are_distinct(self):
        if hasattr(self, "opt"):
            pending = [trial.unit.tobytes() for trial in self.opt.trials if trial.state == "pending"]
            assert len(set(pending)) == len(pending)

    @invariant()
    def the_best_is_the_best_and_the_result_says_so(self):
        if not hasattr(self, "opt"):
            return
        result = self.opt.result()
        evaluated = [state for state in self.states if state in ("done", "failed")]
        assert (result.nfev, len(result.x_iters), len(result.func_vals)) == (len(evaluated),) * 3
        assert result.success == (bool(self.values) and 2 * evaluated.count("failed") <= len(evaluated))
        if not self.values:
            with pytest.raises(NoFinishedTrial):
                _ = self.opt.best
            return
        best = (min if self.opt.direction == "minimize" else max)(self.values.values())
        assert self.opt.best.value == result.fun == best
        assert self.opt.best.number == min(number for number, value in self.values.items() if value == best)


class TestCalls(Calls.TestCase):
    settings = settings(deadline=None, max_examples=40, stateful_step_count=25)
