"""Evaluations on a real Dask cluster: two workers, each a process of its own, that die and hang."""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import suffice as sf
from suffice import minimize

distributed = pytest.importorskip("distributed")

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
START = [[0.1, 0.1], [0.9, 0.5], [0.2, 0.4], [0.6, 0.7]]


@pytest.fixture(scope="module")
def client():
    """A client of a cluster in this machine."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    words = {"threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=2, **words) as cluster, distributed.Client(cluster) as client:
        yield client


def states(result):
    return [trial.state for trial in result.trials]


def test_a_worker_is_killed_and_the_run_is_finished(quick, client, tmp_path):
    def f(x):
        if x[0] == 0.9 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(((x - 0.3) ** 2).sum())

    result = minimize(f, SQUARE, 12, x0=START, executor=client.get_executor(), **quick)
    assert (tmp_path / "killed").exists()
    assert states(result) == ["done"] * 12
    assert result.trials[1].value == pytest.approx(0.4)


def test_a_second_measurement_of_a_point_is_not_taken_for_the_first(quick, client):
    def f(x):
        return float(np.random.default_rng().random())

    pure = client.get_executor()
    result = minimize(f, SQUARE, 6, x0=[[0.5, 0.5]] * 6, executor=pure, repeat=True, **quick)
    assert len(set(result.func_vals)) == 6
    assert len({point.tobytes() for point in result.x_iters}) == 1


def test_a_value_that_cannot_travel_is_a_failed_trial(quick, client):
    def f(x):
        return threading.Lock() if x[0] == 0.9 else float(x.sum())

    result = minimize(f, SQUARE, 5, x0=START, executor=client.get_executor(), **quick)
    assert states(result) == ["done", "failed", "done", "done", "done"]
    assert "value cannot be pickled" in result.trials[1].reason


def test_a_client_is_taken_for_its_executor(quick, client):
    result = minimize(lambda x: float(x.sum()), SQUARE, 3, executor=client, **quick)
    assert states(result) == ["done"] * 3


def test_the_executor_of_another_client_than_the_current_one_is_refused(quick, client):
    with distributed.Client(client.scheduler_info()["address"]) as current:
        assert distributed.Client.current() is current
        with pytest.raises(TypeError, match="give executor=client"):
            minimize(lambda x: 1.0, SQUARE, 3, executor=client.get_executor(), **quick)


def test_an_objective_that_cannot_travel_is_refused(quick, client):
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"cannot be sent to a worker process .*lock.*create them inside f") as caught:
        minimize(lambda x: lock and 1.0, SQUARE, 5, executor=client.get_executor(), **quick)
    assert caught.value.trials == ()


def test_as_many_are_under_way_as_the_cluster_has_threads(quick, client):
    client.wait_for_workers(2, timeout=60)

    def f(x):
        return float(x.sum())

    result = minimize(f, SQUARE, 6, n_initial=2, executor=client.get_executor(), **quick)
    pending = [len(trial.solve.binding.pending) for trial in result.trials if trial.solve]
    assert max(pending) == 1


def test_a_worker_that_hangs_is_replaced(quick, client):
    def f(x):
        if x[0] == 0.9:
            time.sleep(600)
        return float(x.sum())

    limit = sf.Evaluation(timeout=15)  # the start of a Python on a busy machine is part of a call
    result = minimize(f, SQUARE, 6, x0=START, executor=client.get_executor(), evaluation=limit, **quick)
    assert states(result) == ["done", "failed", "done", "done", "done", "done"]
    assert result.trials[1].cause == "timed out"
    assert result.trials[1].reason.endswith("and was ended")


def test_a_scheduler_that_restarts_with_its_workers_is_waited_for(quick):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def start(what, *words):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, "--no-dashboard"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def cluster():
        address = ("--host", "127.0.0.1", "--port", str(port))
        return [
            start("scheduler", *address),
            start("worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--no-nanny", "--death-timeout", "30"),
        ]

    programs, done = cluster(), threading.Event()

    def callback(result):
        if result.nfev == 4:
            done.set()

    def restart():
        done.wait(60)
        for program in reversed(programs):
            program.kill()
            program.wait()
        programs[:] = cluster()

    def f(x):
        time.sleep(0.1)
        return float(x.sum())

    try:
        with distributed.Client(f"tcp://127.0.0.1:{port}", timeout=30) as client:
            client.wait_for_workers(1, timeout=30)
            thread = threading.Thread(target=restart)
            thread.start()
            result = minimize(f, SQUARE, 12, executor=client, n_parallel=1, callback=callback, **quick)
            thread.join()
        assert states(result) == ["done"] * 12
    finally:
        for program in programs:
            program.kill()
            program.wait()
