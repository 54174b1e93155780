"""Callbacks: what is printed, timed and saved, and when a run ends."""

import numpy as np
import pytest

from suffice.compat.skopt import callbacks, dummy_minimize, gp_minimize
from suffice.compat.skopt.benchmarks import bench1
from suffice.compat.skopt.space import Space
from suffice.compat.skopt.utils import create_result


def seen(values, points=None):
    points = [[float(i)] for i in range(len(values))] if points is None else points
    return create_result(points, values, Space([(0.0, 100.0)]))


def test_the_best_values_within_delta_end_a_run():
    stop = callbacks.DeltaYStopper(0.2, n_best=3)
    assert stop(seen([1.0, 2.0])) is None
    assert stop(seen([1.0, 2.0, 3.0])) is False
    assert stop(seen([1.0, 5.0, 1.1, 1.15])) is True


def test_two_close_points_end_a_run():
    stop = callbacks.DeltaXStopper(0.5)
    assert stop(seen([1.0])) is None
    assert stop(seen([1.0, 2.0], [[1.0], [2.0]])) is False
    assert stop(seen([1.0, 2.0], [[1.0], [1.2]])) is True


def test_no_improvement_ends_a_run():
    stop = callbacks.HollowIterationsStopper(2, threshold=0.1)
    assert stop(seen([3.0, 2.0])) is False
    assert stop(seen([3.0, 2.0, 1.0])) is False
    assert stop(seen([3.0, 1.0, 2.0, 0.95])) is True
    assert stop(seen([3.0, 1.0, float("nan"), 2.0])) is True


def test_a_low_value_ends_a_run():
    assert callbacks.ThresholdStopper(0.5)(seen([3.0, 0.5])) is True
    assert callbacks.ThresholdStopper(0.5)(seen([3.0, 0.6])) is False


def test_too_little_time_ends_a_run(monkeypatch):
    clock = iter([0.0, 1.0, 3.0, 6.0])
    monkeypatch.setattr("suffice.compat.skopt.callbacks.time.time", lambda: next(clock))
    stop = callbacks.DeadlineStopper(7.5)
    assert [stop(seen([1.0])), stop(seen([1.0])), stop(seen([1.0]))] == [False, False, True]
    assert stop.iter_time == [1.0, 2.0, 3.0]


def test_a_rule_of_ones_own_ends_a_run():
    class Third(callbacks.EarlyStopper):
        def _criterion(self, result):
            return len(result.x_iters) >= 3

    assert len(dummy_minimize(bench1, [(-1.0, 1.0)], n_calls=9, callback=Third()).x_iters) == 3
    with pytest.raises(NotImplementedError, match="_criterion"):
        callbacks.EarlyStopper()(seen([1.0]))


def test_little_spread_of_the_values_ends_a_run(capsys):
    stop = callbacks.StdStopper(0.1, log_interval=2)
    result = gp_minimize(bench1, [(-1.0, 1.0)], n_calls=6, n_initial_points=5, random_state=0)
    assert stop(result) == (np.std(result.func_vals[:5]) <= 0.1 or np.std(result.func_vals) <= 0.1)
    assert "2 models" in capsys.readouterr().out
    assert stop(seen([1.0])) is False


def test_all_callbacks_are_called_whatever_the_first_one_says():
    calls = []
    timer = callbacks.TimerCallback()
    result = gp_minimize(
        bench1,
        [(-1.0, 1.0)],
        n_calls=6,
        n_initial_points=2,
        callback=[lambda r: len(r.x_iters) == 4, timer, calls.append],
        random_state=0,
    )
    assert len(result.x_iters) == len(timer.iter_time) == len(calls) == 4
    assert [len(one.x_iters) for one in calls] == [1, 2, 3, 4]


def test_verbose_says_what_happens(capsys):
    gp_minimize(bench1, [(-1.0, 1.0)], n_calls=4, n_initial_points=2, x0=[[0.5]], verbose=True, random_state=0)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("evaluation")] == [
        "evaluation 1 of 4, at a given point",
        "evaluation 2 of 4, at an initial point",
        "evaluation 3 of 4, at an initial point",
        "evaluation 4 of 4, at a point chosen by the model",
    ]
    assert sum("least so far" in line for line in lines) == 4


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path):
    saver = callbacks.CheckpointSaver(tmp_path / "run.pkl", store_objective=False, compress=9)
    assert saver.load() == {}
    calls = []

    def interrupted(x):
        if len(calls) == 6:
            raise KeyboardInterrupt
        calls.append(x)
        return bench1(x)

    words = {"n_calls": 8, "n_initial_points": 3, "random_state": 0, "callback": [saver]}
    with pytest.raises(KeyboardInterrupt):
        gp_minimize(interrupted, [(-1.0, 1.0)], **words)
    state = saver.load()
    assert state["x0"] == calls
    assert state["y0"].tolist() == [bench1(x) for x in calls]
    result = gp_minimize(bench1, [(-1.0, 1.0)], **words, **state)
    assert result.x_iters[:6] == calls
    assert len(result.x_iters) == 14
