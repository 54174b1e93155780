"""Evaluations that report to the run and are stopped on their way, wherever an executor runs them."""

import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import suffice as sf
from suffice.run.live_trial import Desk, Line, LiveTrial

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
GOOD = [[0.3, 0.3], [0.35, 0.3], [0.3, 0.25], [0.4, 0.3], [0.3, 0.4], [0.25, 0.3]]
BAD = [[1.0, 1.0], [0.9, 1.0]]


@pytest.fixture
def early(quick):
    """A run whose last two points are hopeless."""
    return {**quick, "x0": GOOD + BAD, "n_trials": 8, "n_initial": 8, "pruner": sf.pruning.Median()}


def seen(result):
    return [(trial.state, len(trial.reports)) for trial in result.trials]


def test_an_objective_that_takes_the_trial_reports_and_is_stopped(early, objectives):
    result = sf.minimize(objectives.learning, SQUARE, **early)
    assert seen(result)[:6] == [("done", 10)] * 6
    assert all(state == "pruned" and steps < 10 for state, steps in seen(result)[6:])
    assert result.nfev == 8
    assert result.message == "all 8 trials are done"


def test_an_objective_written_for_optuna_is_pruned_by_its_exception(early, objectives):
    TrialPruned = type("TrialPruned", (Exception,), {"__module__": "optuna.exceptions"})

    def f(point, trial):
        for step in range(10):
            trial.report(objectives.bowl(point) + 1.0 / (step + 1), step)
            if trial.should_prune():
                raise TrialPruned
        return objectives.bowl(point)

    result = sf.minimize(f, SQUARE, **early)
    assert [trial.state for trial in result.trials] == ["done"] * 6 + ["pruned"] * 2
    other = type("TrialPruned", (Exception,), {"__module__": "mine"})

    def g(point):
        raise other

    with pytest.raises(other):  # only Optuna's is known to mean that
        sf.minimize(g, SQUARE, 3, seed=0)


def test_without_a_rule_nothing_is_stopped_and_reports_are_kept(early, objectives):
    result = sf.minimize(objectives.learning, SQUARE, **early | {"pruner": None})
    assert seen(result) == [("done", 10)] * 8


@pytest.mark.parametrize("kind", ["threads", "processes", "own", "limited"])
def test_every_executor_brings_the_reports_and_the_answer(early, objectives, kind, caplog):
    words = {"own": {"n_parallel": 2}, "limited": {"evaluation": sf.Evaluation(timeout=60)}}.get(kind, {})
    if kind == "threads":
        with ThreadPoolExecutor(1) as pool:
            result = sf.minimize(objectives.learning, SQUARE, executor=pool, n_parallel=1, **early)
    elif kind == "processes":
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            result = sf.minimize(objectives.learning, SQUARE, executor=pool, n_parallel=1, **early)
    else:
        result = sf.minimize(objectives.learning, SQUARE, **early, **words)
    assert seen(result)[:4] == [("done", 10)] * 4
    assert "pruned" in [trial.state for trial in result.trials][6:]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_worker_that_dies_half_way_is_replaced_and_the_reports_begin_anew(early, objectives, tmp_path):
    f = objectives.KilledOnce(str(tmp_path / "killed"), 0.4)
    result = sf.minimize(f, SQUARE, **early, n_parallel=2)
    assert (tmp_path / "killed").exists()
    trial = result.trials[3]
    assert (trial.state, len(trial.reports)) == ("done", 10)
    assert all(value < 50 for _, value in trial.reports)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_run_that_is_killed_half_way_goes_on_and_the_trial_reports_anew(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent("""
        import os, pathlib, sys, time
        import suffice as sf

        first = not os.path.exists("halfway")

        def f(x, trial):
            for step in range(1, 6):
                trial.report((100 if first else 0) + x[0] + 1 / step, step)
                if first and trial.number == 2 and step == 3:
                    pathlib.Path("halfway").touch()
                    time.sleep(60)
            return float(x[0])

        sf.minimize(f, [(0, 1)], 5, seed=0, storage="run.db")
        """)
    )
    killed = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path)
    until = time.monotonic() + 60
    while not (tmp_path / "halfway").exists() and time.monotonic() < until:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    left = sf.load(tmp_path / "run.db").trials[-1]
    assert (left.number, left.state, len(left.reports)) == (2, "pending", 3)
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, check=True)
    trials = sf.load(tmp_path / "run.db").trials
    assert [len(trial.reports) for trial in trials] == [5] * 5
    assert all(value < 50 for _, value in trials[2].reports)


def test_what_the_objective_does_after_it_was_told_to_stop_decides():
    said = []

    def f(x, trial):
        for step in range(1, 6):
            trial.report(1.0 if trial.number < 6 else 9.0, step)
            if trial.should_prune():
                said.append(trial.number)
                if trial.number == 6:
                    raise sf.Pruned
                if trial.number == 7:
                    return None
                if trial.number == 8:
                    return 9.0
        return 1.0 if trial.number < 6 else 9.0  # trial 9 goes on all the same

    result = sf.minimize(f, [(0, 1)], 10, seed=0, n_initial=10, pruner=sf.pruning.Median())
    assert [trial.state for trial in result.trials] == ["done"] * 6 + ["pruned"] * 3 + ["done"]
    assert {6, 7, 8, 9} <= set(said)
    assert [trial.value for trial in result.trials[6:]] == [None, None, None, 9.0]


def test_a_run_that_stopped_all_of_its_trials_says_why_there_is_no_value():
    def f(x, trial):
        raise sf.Pruned

    result = sf.minimize(f, [(0, 1)], 3, seed=0, pruner=sf.pruning.Median())
    assert not result.success
    assert result.message.endswith("no trial has a value: 3 were pruned, and none finished")
    assert [str(result).count(words) for words in ("no trial has a value", "pruned")] == [1, 1]


def test_an_exception_after_the_stop_is_a_failure_and_a_stop_of_ones_own_is_a_stop():
    def f(x, trial):
        trial.report(1.0, 1)
        if trial.number == 1:
            raise sf.Pruned
        if trial.number == 2:
            raise RuntimeError("broken")
        return 1.0

    result = sf.minimize(f, [(0, 1)], 4, seed=0)
    assert [trial.state for trial in result.trials] == ["done", "pruned", "failed", "done"]


def test_the_second_argument_is_known_by_its_name():
    with pytest.raises(TypeError, match="called trial"):
        sf.minimize(lambda x, y: x[0] + y, [(0, 1)], 3)
    result = sf.minimize(lambda x, scale=2.0: scale * x[0], [(0, 1)], 3, seed=0)
    assert result.nfev == 3
    numbers = []

    def f(x, *, trial):
        assert repr(trial) == f"<trial {trial.number}, being evaluated>"
        assert trial.point is x
        assert not trial.should_prune()
        numbers.append(trial.number)
        return x[0]

    sf.minimize(f, [(0, 1)], 3, seed=0)
    assert numbers == [0, 1, 2]


@pytest.mark.parametrize("given", [("low", 1), (None, 1), (1.0, 0.5), (1.0, -1), ([1.0, 2.0], 1)])
def test_a_report_that_makes_no_sense_is_refused_where_it_is_made(given):
    line = Line(0, Desk(sf.Optimizer([(0, 1)], seed=0)))
    with pytest.raises((TypeError, ValueError), match="report"):
        LiveTrial(0, None, line).report(*given)


def test_a_worker_that_cannot_reach_the_run_goes_on_and_says_so():
    optimizer = sf.Optimizer([(0, 1)], seed=0)
    optimizer.ask()
    desk = Desk(optimizer)
    address, key = desk.address()
    line = Line(0, None, address, key)
    line.ask("report", value=1.0, step=1)
    assert optimizer.trials[0].reports == ((1, 1.0),)
    assert not line.trouble
    stranger = Line(0, None, address, b"another key")
    assert stranger.ask("report", value=2.0, step=2) is None
    assert stranger.trouble
    desk.close()
    trial = LiveTrial(0, None, line)
    trial.report(2.0, 2)
    assert not trial.should_prune()
    assert line.trouble
    assert optimizer.trials[0].reports == ((1, 1.0),)
    late = Line(0, None, address, key)
    assert late.ask("should_prune") is None
    assert late.trouble


def test_a_fork_of_a_worker_reports_by_a_connection_of_its_own(monkeypatch):
    optimizer = sf.Optimizer([(0, 1)], seed=0)
    optimizer.ask()
    desk = Desk(optimizer)
    line = Line(0, None, *desk.address())
    line.ask("report", value=1.0, step=1)
    ours = line._connection
    line.ask("report", value=1.5, step=2)
    assert line._connection is ours
    monkeypatch.setattr("suffice.run.live_trial.os.getpid", lambda: -1)
    line.ask("report", value=2.0, step=3)
    assert not line.trouble
    assert line._connection is not ours
    assert optimizer.trials[0].reports == ((1, 1.0), (2, 1.5), (3, 2.0))
    line.close()
    desk.close()


def test_trouble_with_reports_is_logged(objectives, early, caplog, monkeypatch):
    monkeypatch.setattr(Desk, "address", lambda self: ("/nowhere/at/all", b"key"))  # where nobody listens
    result = sf.minimize(objectives.learning, SQUARE, **early | {"n_trials": 2}, evaluation=sf.Evaluation(timeout=60))
    assert [trial.state for trial in result.trials] == ["done", "done"]
    assert "trial 0 could not report" in caplog.text


def test_dask_brings_the_reports_too(early, objectives):
    distributed = pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *([before] if before else [])])
    try:
        words = {"threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
        with distributed.LocalCluster(n_workers=1, **words) as cluster, distributed.Client(cluster) as client:
            result = sf.minimize(objectives.learning, SQUARE, executor=client.get_executor(), **early)
    finally:
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)
    assert seen(result)[:6] == [("done", 10)] * 6
    assert all(state == "pruned" for state, _ in seen(result)[6:])
