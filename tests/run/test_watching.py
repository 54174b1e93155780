"""Watchers hear of a run while it goes on, and cannot harm it."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest

import suffice as sf
from suffice import Optimizer
from suffice.run.attempts import Attempts
from suffice.run.backends import Given
from suffice.run.evaluation import Evaluator, Inline
from suffice.run.loop import Limits, Loop
from suffice.run.minimize import run

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def heard_by(moments):
    """A watcher that writes down what happened to which trial."""

    def watch(moment):
        state = None if moment.trial is None else (moment.trial.number, moment.trial.state)
        moments.append((moment.kind, state))

    return watch


def test_a_start_is_heard_before_the_evaluation_and_its_end_after(quick, objectives):
    moments = []

    def f(x):
        moments.append("evaluated")
        if len(moments) > 7:
            raise ValueError("late")
        return objectives.bowl(x)

    run(Optimizer(SQUARE, **quick), f, 3, watchers=[heard_by(moments)])
    assert moments == [
        *(("started", (0, "pending")), "evaluated", ("settled", (0, "done"))),
        *(("started", (1, "pending")), "evaluated", ("settled", (1, "done"))),
        *(("started", (2, "pending")), "evaluated", ("settled", (2, "failed"))),
        ("ended", None),
    ]


def test_cancelled_evaluations_are_settled_too(quick, objectives):
    moments = []
    optimizer = Optimizer(SQUARE, **quick)
    with ThreadPoolExecutor(1) as pool:
        stop = {"executor": pool, "n_parallel": 3, "callback": lambda result: True}
        run(optimizer, objectives.slow_bowl, 9, watchers=[heard_by(moments)], **stop)
    started = [state[0] for kind, state in moments if kind == "started"]
    settled = {state for kind, state in moments if kind == "settled"}
    assert started == [trial.number for trial in optimizer.trials]
    assert settled == {(trial.number, trial.state) for trial in optimizer.trials}
    assert {state for _, state in settled} == {"done", "cancelled"}


def test_the_end_is_heard_with_its_reason_also_if_it_is_an_error(quick):
    ends = []

    def watch(moment):
        if moment.kind == "ended":
            ends.append((moment.message, moment.budget, {trial.state for trial in moment.optimizer.trials}))

    with pytest.raises(ZeroDivisionError):
        run(
            Optimizer(SQUARE, **quick), lambda x: 1 / 0, 7, watchers=[watch], evaluation=sf.Evaluation(on_error="raise")
        )
    run(Optimizer(SQUARE, **quick), lambda x: 1.0, 2, watchers=[watch])
    assert ends == [
        ("the run ended: ZeroDivisionError: division by zero", 7, {"failed"}),
        ("all 2 trials are done", 2, {"done"}),
    ]


def test_a_watcher_that_raises_is_left_out_and_the_run_goes_on(quick, objectives, caplog):
    calls, moments = [], []

    def broken(moment):
        calls.append(moment)
        raise RuntimeError("no terminal")

    result = run(Optimizer(SQUARE, **quick), objectives.bowl, 4, watchers=[broken, heard_by(moments)])
    assert result.nfev == 4
    assert len(calls) == 1
    assert len(moments) == 9
    (record,) = caplog.records
    assert "is disabled for this run" in record.getMessage()


def test_trials_that_were_asked_for_before_are_evaluated_first(quick, objectives):
    optimizer = Optimizer(SQUARE, **quick)
    held = optimizer.ask(2)
    waiting = deque(reversed(held))
    attempts = Attempts(Evaluator(objectives.bowl), Given(Inline(), 1), 1)
    Loop(optimizer, attempts, Limits(4), raising=False, waiting=waiting).run()
    assert [trial.state for trial in optimizer.trials] == ["done"] * 4
    assert [trial.order for trial in optimizer.trials] == [1, 0, 2, 3]
    assert not waiting
