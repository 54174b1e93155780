"""Executions: in any executor, through crashes, interruptions and kills, every run is there exactly once."""

import importlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path

import numpy as np
import pytest

from suffice.errors import WorkersLost
from suffice.lab import runner
from suffice.lab.plan import Job, Method, Task
from suffice.lab.results import COLUMNS, Results, run_job
from suffice.lab.runner import execute
from suffice.run.evaluation import Inline
from suffice.run.processes import THREADS
from suffice.solvers import Fixed, Grid

TIMES = {"fit", "bind", "solve", "report", "objective"}
FACTS = [name for name in COLUMNS if name not in TIMES]
PATIENCE = 300  # seconds: reached only if something hangs


@pytest.fixture(scope="module")
def toys():
    """The module `toys` under a name that a spawned process finds too."""
    sys.path.insert(0, str(Path(__file__).parent))
    yield importlib.import_module("toys")
    sys.path.remove(str(Path(__file__).parent))


@pytest.fixture
def results(tmp_path):
    with Results(tmp_path / "results.db") as results:
        yield results


def facts(run):
    return {name: run.columns[name].tolist() for name in FACTS if not np.isnan(run.columns[name]).all()}


def same(runs, jobs):
    """Whether the runs are those of the jobs, each exactly once, with the numbers that `run_job` gives."""
    traces = {(job.plan, job.task.problem, job.method.name, job.seed): run_job(job) for job in jobs}
    assert [(run.plan, run.problem, run.method, run.seed) for run in runs] == sorted(traces)
    for run in runs:
        trace = traces[run.plan, run.problem, run.method, run.seed]
        assert run.points == trace.points
        assert run.initial == trace.initial
        assert facts(run) == {name: [getattr(row, name) for row in trace.rows] for name in facts(run)}
    return True


# ------------------------------------------------------------------ in this process


def test_runs_are_those_of_run_job_and_are_not_run_again(toys, results):
    jobs = toys.jobs(toys.method("one"), toys.method("two", Grid(size=Fixed(8))), seeds=2)
    outcome = execute(jobs, results, executor=Inline())
    assert (outcome.done, outcome.skipped, outcome.failed, outcome.interrupted) == (4, 0, (), False)
    assert same(results.runs(), jobs)
    more = toys.jobs(toys.method("one"), toys.method("two", Grid(size=Fixed(8))), seeds=3)
    outcome = execute(iter(more), results, executor=Inline())
    assert (outcome.done, outcome.skipped) == (2, 4)
    assert same(results.runs(), more)


def test_a_job_of_another_definition_is_run_again_and_replaces_the_run(toys, results):
    execute(toys.jobs(toys.method("one"), seeds=2), results, executor=Inline())
    changed = toys.jobs(toys.method("one", Grid(size=Fixed(8))), seeds=1)
    outcome = execute(changed, results, executor=Inline())
    assert (outcome.done, outcome.skipped) == (1, 0)
    assert same(results.runs(), [*changed, *toys.jobs(toys.method("one"), seeds=2)[1:]])


def test_a_job_that_raises_is_reported_and_the_others_go_on(toys, results):
    unknown = Job("toy", Task("brannin", 4, 3), toys.method("one"), 0)
    wrong = Job("toy", Task("branin", 4, 3), Method("wrong", "wrong", lambda problem: {"slover": None}), 0)
    jobs = [unknown, *toys.jobs(toys.method("raises", toys.Raises()), toys.method("good")), wrong]
    outcome = execute(jobs, results, executor=Inline())
    assert outcome.done == 1
    assert [failure.key for failure in outcome.failed] == [
        "toy/brannin/one/0",
        "toy/branin/raises/0",
        "toy/branin/wrong/0",
    ]
    first, second, third = outcome.failed
    assert first.message.startswith("ValueError: there is no problem 'brannin'")
    assert second.message.startswith("Unpicklable: threads [")  # one line
    assert "slover" in third.message
    assert [run.method for run in results.runs()] == ["good"]
    assert len(execute(jobs, results, executor=Inline()).failed) == 3  # tried again, not remembered


def test_two_jobs_of_one_name_are_refused_before_anything_runs(toys, results):
    with pytest.raises(ValueError, match="two jobs are called toy/branin/one/0"):
        execute(toys.jobs(toys.method("one"), toys.method("one")), results, executor=Inline())
    assert results.runs() == []


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_workers_that_are_no_count_are_refused(toys, results, workers):
    with pytest.raises(ValueError, match="workers must be a whole number ≥ 1"):
        execute(toys.jobs(toys.method("one")), results, workers=workers)


def test_ctrl_c_keeps_what_is_finished_and_says_so(toys, results):
    jobs = toys.jobs(toys.method("one"), toys.method("two", toys.Interrupts()), seeds=3)
    outcome = execute(jobs, results, executor=Inline())
    assert (outcome.done, outcome.interrupted) == (3, True)
    assert same(results.runs(), jobs[:3])  # the second method was interrupted in its second run


class Counting(ThreadPoolExecutor):
    """It notes how many calls were submitted and not finished."""

    def __init__(self, workers):
        super().__init__(workers)
        self.futures, self.most = [], 0

    def submit(self, f, /, *args):
        self.futures = [future for future in self.futures if not future.done()]
        self.futures.append(super().submit(f, *args))
        self.most = max(self.most, len(self.futures))
        return self.futures[-1]


def test_only_a_few_jobs_wait_in_the_executor_and_progress_adds_up(toys, results):
    events = []
    jobs = toys.jobs(toys.method("one"), toys.method("raises", toys.Raises()), seeds=6)
    execute(jobs[:2], results, executor=Inline())
    with Counting(2) as executor:
        outcome = execute(jobs, results, executor=executor, progress=events.append)
        assert executor.most <= 4
    assert (outcome.done, outcome.skipped, len(outcome.failed)) == (5, 1, 6)
    assert {event.total for event in events} == {12}
    settled = [event.settled for event in events]
    assert settled == sorted(settled)
    assert [event.over for event in events] == [False] * (len(events) - 1) + [True]
    assert events[0].seconds is None
    assert events[-1].seconds == 0.0
    assert max(len(event.running) for event in events) == 2
    assert {key for event in events for key in event.running} <= {job.key for job in jobs}


def test_a_display_that_fails_does_not_fail_a_run(toys, results):
    def broken(event):
        raise OSError("the terminal is gone")

    outcome = execute(toys.jobs(toys.method("one"), seeds=2), results, executor=Inline(), progress=broken)
    assert outcome.done == 2


def test_an_executor_that_is_not_ours_is_left_open_and_its_waiting_jobs_are_cancelled(toys, results):
    started, release = threading.Event(), threading.Event()

    class Blocks:
        def __call__(self, alpha, domain, *, step, rng):
            started.set()
            release.wait(PATIENCE)
            return toys.GRID(alpha, domain, step=step, rng=rng)

    def interrupt(event):
        if event.running:
            assert started.wait(PATIENCE)
            raise KeyboardInterrupt

    with Counting(1) as executor:
        jobs = toys.jobs(toys.method("blocks", Blocks()), seeds=5)
        outcome = execute(jobs, results, workers=1, executor=executor, progress=interrupt)
        release.set()
        assert (outcome.done, outcome.interrupted) == (0, True)
        assert [future.cancelled() for future in executor.futures] == [False, True]
        assert executor.submit(abs, -3).result() == 3


# ------------------------------------------------------------------ in worker processes


@pytest.fixture(scope="module")
def ordeal(toys, tmp_path_factory):
    """Good jobs between one that raises, one that kills its worker and one that cannot travel."""
    before = dict(os.environ)
    jobs = toys.jobs(
        toys.method("good"),
        toys.method("raises", toys.Raises()),
        toys.method("dies", toys.Dies()),
        Method("stays", "stays", lambda problem: {}),
        toys.method("late", toys.Slow()),
        seeds=1,
    ) + toys.jobs(toys.method("more"), seeds=4)
    with Results(tmp_path_factory.mktemp("ordeal") / "results.db") as results:
        outcome = execute(jobs, results, workers=2)
        assert dict(os.environ) == before
        yield jobs, outcome, results.runs()


def test_every_job_that_can_be_run_is_run_in_spite_of_the_others(ordeal):
    jobs, outcome, runs = ordeal
    ill = {"raises", "dies", "stays"}
    assert {failure.key.split("/")[2] for failure in outcome.failed} == ill
    assert len(outcome.failed) == 3
    assert (outcome.done, outcome.interrupted) == (6, False)
    assert same(runs, [job for job in jobs if job.method.name not in ill])


def test_failures_say_what_happened(ordeal):
    messages = {failure.key.split("/")[2]: failure.message for failure in ordeal[1].failed}
    assert "its worker process died with exit code 1, twice" in messages["dies"]
    assert re.search("pickle", messages["stays"])
    assert messages["raises"].startswith("RuntimeError: Unpicklable: threads")


def test_workers_have_one_thread_each(ordeal):
    (message,) = (failure.message for failure in ordeal[1].failed if "raises" in failure.key)
    assert message.endswith(str(["1"] * len(THREADS)))


def test_no_worker_is_left_behind(ordeal):
    assert active_children() == []


def test_workers_that_all_die_end_the_execution_with_an_error(toys, results, monkeypatch):
    monkeypatch.setattr(runner, "HOPELESS", 1)
    with pytest.raises(WorkersLost, match="1 jobs killed their worker process and none has finished"):
        execute(toys.jobs(toys.method("dies", toys.Dies()), seeds=9), results, workers=1)


def test_a_pool_that_is_not_ours_is_not_replaced_and_its_finished_runs_are_kept(toys, results):
    jobs = toys.jobs(toys.method("good"), toys.method("dies", toys.Dies()), seeds=1)
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(runner.BrokenExecutor, match="the results contain the runs so far"),
    ):
        execute(jobs, results, executor=pool)
    assert same(results.runs(), jobs[:1])


# ------------------------------------------------------------------ interruptions and kills

groups = pytest.mark.skipif(not hasattr(os, "killpg"), reason="no SIGKILL and no groups of processes here")


def keys(path):
    """The runs in the file: key -> id, which changes if a run is written again."""
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path, timeout=60)) as db:
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return dict(db.execute("SELECT key, id FROM runs")) if tables else {}


def start(toys, path, least):
    """A process of its own that executes jobs without end, once it has written so many runs."""
    process = subprocess.Popen(
        [sys.executable, toys.__file__, str(path), str(path.parent / "go on")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C goes to a group of processes
    )
    latest = time.monotonic() + PATIENCE
    while len(keys(path)) < least and process.poll() is None and time.monotonic() < latest:
        time.sleep(0.05)
    if process.poll() is None and len(keys(path)) >= least:
        return process
    process.kill()  # no error if it has ended
    raise AssertionError(end(process))


def end(process):
    """What it printed; its workers hold the same pipes, so they have ended too."""
    try:
        return process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise


@pytest.fixture(scope="module")
def interrupted(toys, tmp_path_factory):
    """The results of an execution that was ended by Ctrl-C, and what it printed."""
    path = tmp_path_factory.mktemp("interrupted") / "results.db"
    process = start(toys, path, least=2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = end(process)
    return path, process.returncode, out, err


@groups
def test_ctrl_c_ends_all_processes_quietly_and_keeps_finished_runs(toys, interrupted):
    path, code, out, err = interrupted
    assert (code, err) == (0, "")
    assert "interrupted=True" in out
    assert f"done={len(keys(path))}," in out
    with Results(path) as results:
        finished = results.finished()
        assert len(finished) >= 2
        jobs = [job for job in toys.endless_jobs("", slow=toys.GRID) if job.key in finished]
        assert same(results.runs(), jobs)


@groups
def test_an_execution_killed_at_any_moment_goes_on_where_it_was(toys, interrupted, tmp_path):
    path, file = tmp_path / "results.db", tmp_path / "go on"
    before = keys(Path(shutil.copy(interrupted[0], path)))
    process = start(toys, path, least=12)
    process.kill()
    end(process)
    kept = keys(path)
    assert before.items() <= kept.items()  # nothing lost, nothing written again
    file.touch()
    jobs = toys.endless_jobs(file)
    with Results(path) as results, ThreadPoolExecutor(8) as executor:
        outcome = execute(jobs, results, executor=executor)
        assert (outcome.done, outcome.skipped) == (len(jobs) - len(kept), len(kept))
        assert same(results.runs(), toys.endless_jobs(file, slow=toys.GRID))  # the same, sooner
    assert kept.items() < keys(path).items()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert db.execute("SELECT count(*) FROM steps").fetchone()[0] == sum(job.task.iterations for job in jobs)


def test_several_processes_add_to_one_file_at_once(toys, tmp_path):
    path, n, spawn = tmp_path / "results.db", 40, get_context("spawn")
    both = partial(spawn.Barrier(2).wait, PATIENCE)  # so that they create the file together
    with ProcessPoolExecutor(2, mp_context=spawn, initializer=both) as pool:
        list(pool.map(partial(toys.add_many, path, n=n), ["a", "b"]))
    with Results(path) as results:
        assert [(run.plan, run.seed) for run in results.runs()] == [(plan, k) for plan in "ab" for k in range(n)]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
