"""Engines that are no executors of the standard library: jobs that are asked, factories, submitit, executorlib, Ray."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

import suffice as sf
from suffice import minimize
from suffice.run.executors import width
from suffice.run.processes import available

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
START = [[0.1, 0.1], [0.9, 0.5], [0.2, 0.4], [0.6, 0.7]]


def states(result):
    return [trial.state for trial in result.trials]


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


# ---------------------------------------------------------------------- jobs that are asked


class Job:
    """What a thread does, told only to who asks."""

    def __init__(self, fn, args):
        self.cancelled, self.found = threading.Event(), None
        self.state = "PENDING"
        self.thread = threading.Thread(target=self.work, args=(fn, args), daemon=True)
        self.thread.start()

    def work(self, fn, args):
        self.state = "RUNNING"
        self.found = fn(*args)

    def done(self):
        return not self.thread.is_alive()

    def result(self):
        if isinstance(self.found.value, str):
            raise RuntimeError("line one\nthe node is gone")
        return self.found

    def cancel(self):
        self.cancelled.set()


class Site:
    """An engine with jobs."""

    def __init__(self):
        self.jobs = []

    def submit(self, fn, *args):
        self.jobs.append(Job(fn, args))
        return self.jobs[-1]


def test_jobs_are_taken_and_the_budget_is_exact(quick):
    site = Site()
    result = minimize(bowl, SQUARE, 12, executor=site, n_parallel=3, **quick)
    assert states(result) == ["done"] * 12
    assert len(site.jobs) == 12
    assert all(trial.value == bowl(trial.point) for trial in result.trials)


def test_a_job_without_a_result_is_made_again_and_then_has_crashed(quick):
    tries = []

    def f(x):
        tries.append(x[0])
        lost = x[0] == 0.9 or (x[0] == 0.2 and tries.count(0.2) < 2)
        return "lost" if lost else bowl(x)

    result = minimize(f, SQUARE, 8, x0=START, executor=Site(), n_parallel=2, **quick)
    assert (tries.count(0.9), tries.count(0.2)) == (3, 2)
    assert states(result) == ["done", "failed", *["done"] * 6]
    failed = result.trials[1]
    assert failed.cause == "crashed"
    assert failed.reason == "its job has no result (RuntimeError: the node is gone), in all of 3 tries"


def test_a_job_that_takes_too_long_is_cancelled_once_it_runs(quick, clock):
    site, asked, hang = Site(), threading.Event(), threading.Event()

    class Noticed(Job):
        def done(self):
            asked.set()
            return super().done()

    def submit(fn, *args):
        job = Site.submit(site, fn, *args)
        job.__class__ = Noticed
        return job

    def f(x):
        if x[0] == 0.9:
            for _ in range(2):  # at the second question at the latest it is known that the job runs
                asked.clear()
                asked.wait(30)
            clock.ahead += 100.0
            hang.wait(30)
        return bowl(x)

    site.submit, limit = submit, sf.Evaluation(timeout=60)
    result = minimize(f, SQUARE, 6, x0=START, executor=site, n_parallel=1, evaluation=limit, **quick)
    assert (result.trials[1].cause, states(result).count("done")) == ("timed out", 5)
    assert [job.cancelled.is_set() for job in site.jobs] == [False, True, *[False] * 4]
    hang.set()


def test_a_job_that_waits_in_a_queue_is_not_late(quick):
    class Queue(Site):
        def submit(self, fn, *args):
            job = super().submit(lambda *args: (time.sleep(0.6), fn(*args))[1], *args)
            job.__class__ = Waiting
            return job

    class Waiting(Job):
        state = property(lambda self: "PENDING", lambda self, value: None)

    limit = sf.Evaluation(timeout=0.2)
    result = minimize(bowl, SQUARE, 2, executor=Queue(), n_parallel=2, evaluation=limit, **quick)
    assert states(result) == ["done"] * 2


def test_jobs_that_still_run_are_cancelled_at_the_end(quick, clock):
    site, hang, together = Site(), threading.Event(), threading.Barrier(3)

    def f(x):
        if x[0] != 0.1:
            if together.wait(30) == 0:
                clock.ahead += 100.0
            hang.wait(30)
        return bowl(x)

    result = minimize(f, SQUARE, 8, x0=START, executor=site, n_parallel=3, timeout=60, **quick)
    assert states(result) == ["done", *["cancelled"] * 3]
    assert [job.cancelled.is_set() for job in site.jobs] == [False, True, True, True]
    hang.set()


def test_the_same_job_twice_is_refused(quick):
    class Same(Site):
        def submit(self, fn, *args):
            return self.jobs[0] if self.jobs else super().submit(fn, *args)

    with pytest.raises(TypeError, match="submit of Same returned the same future twice"):
        minimize(bowl, SQUARE, 4, executor=Same(), n_parallel=2, **quick)


# ---------------------------------------------------------------------- factories, and all processors


def spawned():
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


def test_a_pool_that_breaks_is_made_again_by_its_factory(quick, objectives, tmp_path):
    made = []

    def factory():
        made.append(spawned())
        return made[-1]

    killer = objectives.DiesOnce(str(tmp_path / "killed"), 0.9)
    result = minimize(killer, SQUARE, 12, x0=START, executor=factory, n_parallel=2, **quick)
    assert states(result) == ["done"] * 12
    assert len(made) == 2
    for pool in made:
        with pytest.raises(RuntimeError, match=r"shutdown|terminated"):
            pool.submit(abs, 1)


def test_a_point_that_kills_every_worker_of_a_factory_fails_alone(quick, objectives):
    result = minimize(objectives.deadly_at_nine_tenths, SQUARE, 10, x0=START, executor=spawned, n_parallel=2, **quick)
    assert states(result) == ["done", "failed", *["done"] * 8]
    assert result.trials[1].cause == "crashed"


def test_a_factory_that_makes_no_executor_is_refused(quick):
    with pytest.raises(TypeError, match="must return an executor: got None from it"):
        minimize(bowl, SQUARE, 4, executor=lambda: None, **quick)


def test_a_factory_of_threads_is_shut_down(quick):
    made = []
    make = partial(lambda: made.append(ThreadPoolExecutor(2)) or made[-1])
    assert minimize(bowl, SQUARE, 6, executor=make, n_parallel=2, **quick).nfev == 6
    with pytest.raises(RuntimeError, match="shutdown"):
        made[0].submit(abs, 1)


def test_minus_one_is_all_processors():
    with ThreadPoolExecutor(7) as pool:
        assert width(None, -1) == width(pool, -1) == available()


def test_processes_evaluate_a_lambda_where_joblib_is_installed(quick):
    pytest.importorskip("joblib")
    centre = 0.3
    result = minimize(lambda x: float(((x - centre) ** 2).sum()), SQUARE, 6, n_parallel=2, **quick)
    assert states(result) == ["done"] * 6


def test_processes_refuse_a_lambda_without_joblib(quick, monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib.externals.loky", None)
    with pytest.raises(TypeError, match=r"cannot be sent to a worker process .* pip install joblib"):
        minimize(lambda x: 1.0, SQUARE, 6, n_parallel=2, **quick)


# ---------------------------------------------------------------------- real engines


def dies_once(marker):
    """An objective that kills its process at one place, the first time."""

    def f(x):
        if x[0] == 0.9 and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(((x - 0.3) ** 2).sum())

    return f


def hangs(x):
    if x[0] == 0.9:
        time.sleep(60)
    return float(((x - 0.3) ** 2).sum())


def test_submitit(quick, tmp_path):
    submitit = pytest.importorskip("submitit")
    executor = submitit.AutoExecutor(folder=tmp_path / "jobs", cluster="local")
    killed = tmp_path / "killed"
    result = minimize(dies_once(str(killed)), SQUARE, 6, x0=START, executor=executor, n_parallel=2, **quick)
    assert killed.exists()
    assert states(result) == ["done"] * 6


def test_submitit_ends_a_job_that_takes_too_long(quick, tmp_path):
    submitit = pytest.importorskip("submitit")
    executor = submitit.AutoExecutor(folder=tmp_path / "jobs", cluster="local")
    limit = sf.Evaluation(timeout=15)  # the start of a Python on a busy machine is part of a job
    result = minimize(hangs, SQUARE, 2, x0=START[:2], executor=executor, n_parallel=2, evaluation=limit, **quick)
    assert [trial.cause for trial in result.trials] == [None, "timed out"]


def test_executorlib(quick):
    executorlib = pytest.importorskip("executorlib")
    with executorlib.SingleNodeExecutor(max_workers=2) as executor:
        result = minimize(lambda x: float(x.sum()), SQUARE, 4, executor=executor, n_parallel=2, **quick)
    assert states(result) == ["done"] * 4


@pytest.fixture(scope="module")
def cluster():
    """Ray in this machine, with two processors."""
    ray, before = pytest.importorskip("ray"), signal.getsignal(signal.SIGTERM)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield ray
    ray.shutdown()
    signal.signal(signal.SIGTERM, before)  # else Ray's stays


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")
def test_ray(quick, cluster, tmp_path):
    executor = sf.executors.Ray(num_cpus=1)
    assert width(executor, None) == width(executor, -1) == 2
    killed = tmp_path / "killed"
    result = minimize(dies_once(str(killed)), SQUARE, 6, x0=START, executor=executor, **quick)
    assert killed.exists()
    assert states(result) == ["done"] * 6
    limit = sf.Evaluation(timeout=15)  # the start of a Python on a busy machine is part of a task
    result = minimize(hangs, SQUARE, 3, x0=START[:2], executor=executor, evaluation=limit, **quick)
    assert [trial.cause for trial in result.trials] == [None, "timed out", None]
    future = executor.submit(abs, -3)
    assert future.result(timeout=60) == 3


RANKS = """
import os, signal, sys, time
import suffice as sf
from mpi4py.futures import MPIPoolExecutor

def f(x):
    if "deadly" in sys.argv and x[0] > 0.8:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return float(((x - 0.3) ** 2).sum())

if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        words = {"x0": [[0.1, 0.1], [0.2, 0.4], [0.3, 0.2], [0.6, 0.7], [0.9, 0.5]], "storage": "run.db", "seed": 0}
        result = sf.minimize(f, [(0.0, 1.0), (0.0, 1.0)], 8, executor=pool, n_parallel=2, **words)
        print(result.nfev)
"""


def test_a_killed_rank_of_mpi_ends_the_job_and_the_same_line_resumes(need, tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "ranks.py").write_text(RANKS)
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
    paths = os.pathsep.join([str(Path(sf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [need("mpiexec", "openmpi-bin"), "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    words = {"cwd": tmp_path, "env": {**os.environ, **root, "PYTHONPATH": paths}, "capture_output": True, "text": True}
    first = subprocess.run([*command, "ranks.py", "deadly"], timeout=120, check=False, **words)
    assert first.returncode != 0
    known = [trial.value for trial in sf.load(tmp_path / "run.db").trials if trial.state == "done"]
    assert known
    second = subprocess.run([*command, "ranks.py"], timeout=120, check=False, **words)
    assert second.stdout.split() == ["8"], second.stderr
    result = sf.load(tmp_path / "run.db")
    assert result.nfev == 8
    assert [trial.value for trial in result.trials if trial.state == "done"][: len(known)] == known
