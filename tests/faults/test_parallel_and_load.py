"""Workers that die, hang or come late, and interruptions, from end to end.

Not here: a scheduler that is restarted. Evaluations that Dask gives up then are made again (a fake shows it below); if
the connection is gone, the run ends with an error that carries the result, like that of any other lost executor.
test_dask.py has a real cluster. Studies of 10^5 trials are those of the store.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import Pipe, current_process, get_context

import pytest

import suffice as sf
from suffice import GP, Optimizer, minimize
from suffice.errors import WorkerDied, WorkersLost
from suffice.run.processes import HEAD, Process
from suffice.solvers import Fixed, Grid

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
QUICK = {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}
POISON = [0.9, 0.5]
posix = pytest.mark.skipif(sys.platform == "win32", reason="forks are POSIX")
START = [[0.1, 0.1], POISON, [0.2, 0.4], [0.6, 0.7]]


def states(result):
    return [trial.state for trial in result.trials]


# ---------------------------------------------------------------------- 38, 39, 46: workers that die


def test_a_worker_that_is_killed_costs_nothing_but_time_and_the_budget_is_exact(faulty, fast, tmp_path, caplog):
    f = faulty.Counted(tmp_path, kills=1)
    with ProcessPoolExecutor(3, mp_context=fast) as pool:
        faulty.begun(pool, 3)
        result = minimize(f, SQUARE, 12, x0=START, executor=pool, n_parallel=3, **QUICK)
    assert states(result) == ["done"] * 12
    assert all(trial.value == faulty.bowl(trial.point) for trial in result.trials)
    assert f.calls(result.trials[1]) == 2
    again = [trial for trial in result.trials if f.calls(trial) > 1]
    assert all(f.calls(trial) == 2 for trial in again)
    assert sum(trial.point[0] <= 0.8 for trial in again) <= 2  # the neighbours that were lost with the pool
    assert "trial 1 is evaluated again: a worker process died" in caplog.text


def test_a_poison_point_fails_alone_after_a_bounded_number_of_tries(faulty, fast, tmp_path):
    f = faulty.Counted(tmp_path, kills=99)
    with ProcessPoolExecutor(3, mp_context=fast) as pool:
        faulty.begun(pool, 3)
        result = minimize(
            f, SQUARE, 10, x0=START, executor=pool, n_parallel=3, evaluation=sf.Evaluation(retries=1), **QUICK
        )
    poisoned = [trial for trial in result.trials if trial.point[0] > 0.8]
    assert result.nfev == 10
    assert {trial.number for trial in result.trials if trial.state == "failed"} == {trial.number for trial in poisoned}
    assert {trial.cause for trial in poisoned} == {"crashed"}
    assert "died by SIGKILL, as when memory runs out, in all of 2 tries" in poisoned[0].reason
    assert f.calls(poisoned[0]) in (2, 3)  # once more if at first nobody could see that it was the one
    assert all(f.calls(trial) <= 2 for trial in result.trials if trial.point[0] <= 0.8)


def test_a_lone_evaluation_is_known_to_be_the_one(faulty, fast, tmp_path):
    f = faulty.Counted(tmp_path, kills=99)
    with ProcessPoolExecutor(1, mp_context=fast) as pool:
        result = minimize(
            f, SQUARE, 4, x0=START, executor=pool, n_parallel=1, evaluation=sf.Evaluation(retries=0), **QUICK
        )
        assert states(result) == ["done", "failed", "done", "done"]
        assert f.calls(result.trials[1]) == 1


def test_a_run_whose_first_evaluations_all_kill_their_workers_is_given_up(faulty, fast, tmp_path):
    f, always = faulty.Counted(tmp_path, kills=99), {"x": (0.9, 1.0)}
    with ProcessPoolExecutor(1, mp_context=fast) as pool, pytest.raises(WorkerDied) as caught:
        minimize(
            f, [always["x"], (0.0, 1.0)], 20, executor=pool, n_parallel=1, evaluation=sf.Evaluation(retries=0), **QUICK
        )
    assert [trial.cause for trial in caught.value.trials] == ["crashed"] * 3
    assert caught.value.result.nfev == 3


def test_on_error_raise_ends_a_run_with_the_death_of_a_worker(faulty, fast, tmp_path):
    f = faulty.Counted(tmp_path, kills=99)
    with ProcessPoolExecutor(1, mp_context=fast) as pool, pytest.raises(WorkerDied) as caught:
        minimize(
            f,
            SQUARE,
            20,
            x0=START,
            executor=pool,
            n_parallel=1,
            evaluation=sf.Evaluation(retries=0, on_error="raise"),
            **QUICK,
        )
    assert states(caught.value.result) == ["done", "failed"]


def fail_to_begin():
    raise RuntimeError("no licence")


def test_workers_that_cannot_even_start_end_the_run_with_a_sentence(faulty, fast):
    with (
        ProcessPoolExecutor(2, mp_context=get_context("fork"), initializer=fail_to_begin) as pool,
        pytest.raises(WorkersLost, match="a worker process died before the first evaluation") as caught,
    ):
        minimize(faulty.bowl, SQUARE, 5, executor=pool, n_parallel=2, **QUICK)
    assert caught.value.trials == ()


def test_a_script_that_starts_workers_at_its_import_gets_one_traceback_with_the_remedy(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import suffice as sf\nsf.minimize(abs, [(0.0, 1.0)], 6, n_parallel=2)\n")
    found = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr.count("Traceback (most recent call last)") == 1
    assert "WorkersLost: a worker process died before the first evaluation" in found.stderr
    assert "call under `if __name__ == '__main__':`" in found.stderr


def test_processes_of_our_own_need_no_executor_and_are_gone_afterwards(faulty, tmp_path):
    f = faulty.Counted(tmp_path, kills=1)
    result = minimize(f, SQUARE, 6, x0=START, n_parallel=2, **QUICK)
    assert states(result) == ["done"] * 6
    workers = {int(path.name.rpartition("-")[2]) for path in tmp_path.iterdir()}
    assert os.getpid() not in workers
    assert all(gone(worker) for worker in workers)
    assert f.calls(result.trials[0]) == f.calls(result.trials[2]) == 1  # neighbours go on


def gone(process):
    """Whether a process has ended, within ten seconds; whether anyone buries it is up to the system."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            with open(f"/proc/{process}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_loky_sends_what_it_can_and_its_workers_die_alone(faulty, tmp_path):
    loky = pytest.importorskip("joblib.externals.loky")
    f = faulty.Counted(tmp_path, kills=99)
    executor = loky.get_reusable_executor(2, timeout=60)
    result = minimize(
        lambda x: f(x),
        SQUARE,
        5,
        x0=START,
        executor=executor,
        n_parallel=2,
        evaluation=sf.Evaluation(retries=0),
        **QUICK,
    )
    crashed = [trial.number for trial in result.trials if trial.cause == "crashed"]
    assert crashed == [trial.number for trial in result.trials if trial.point[0] > 0.8]
    assert crashed[0] == 1
    assert sum(trial.state == "done" for trial in result.trials) == 5 - len(crashed)
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"cannot be sent to a worker process .*create them inside f"):
        minimize(lambda x: lock and 1.0, SQUARE, 5, executor=loky.get_reusable_executor(2), **QUICK)
    loky.get_reusable_executor().shutdown(kill_workers=True)


# ---------------------------------------------------------------------- forks that the objective makes


@posix
def test_a_fork_that_comes_back_from_the_objective_answers_nothing(faulty):
    result = minimize(faulty.forks, SQUARE, 9, x0=START, n_parallel=2, **QUICK)
    assert [trial.value for trial in result.trials] == [trial.point[0] for trial in result.trials]


@posix
def test_a_fork_that_lives_on_does_not_hide_the_death_of_its_worker(faulty, tmp_path):
    f = faulty.DiesBesideAFork(tmp_path)
    result = minimize(f, SQUARE, 4, x0=START, n_parallel=2, evaluation=sf.Evaluation(retries=0), **QUICK)
    (tmp_path / "over").touch()
    assert states(result) == ["done", "failed", "done", "done"]
    assert not (tmp_path / "late").exists()


def test_a_stray_answer_is_taken_for_none():
    ours, theirs = Pipe()
    process = Process(current_process(), ours)

    def answer():
        for value in (1.0, 2.0):
            call = theirs.recv_bytes()
            theirs.send_bytes((99).to_bytes(HEAD, "big") + pickle.dumps((-1.0, None)))
            theirs.send_bytes(call[:HEAD] + pickle.dumps((value, None)))

    worker = threading.Thread(target=answer)
    worker.start()
    assert [process.call(b"one"), process.call(b"two")] == [1.0, 2.0]
    worker.join()


# ---------------------------------------------------------------------- 40, 47: evaluations that hang, or come late


def test_an_evaluation_that_hangs_is_ended_with_all_that_it_started(faulty, fast, tmp_path):
    f = faulty.Counted(tmp_path, hang=True)
    with ProcessPoolExecutor(2, mp_context=fast) as pool:
        result = minimize(
            f, SQUARE, 6, x0=START, executor=pool, n_parallel=2, evaluation=sf.Evaluation(timeout=1.0), **QUICK
        )
    late = result.trials[1]
    assert (late.state, late.cause) == ("failed", "timed out")
    assert late.reason == "the evaluation took more than 1 s, its timeout, and was ended"
    assert late.seconds >= 1.0
    assert all((trial.state == "done") == (trial.point[0] <= 0.8) for trial in result.trials)
    assert gone(int((tmp_path / "child").read_text()))


def test_a_thread_that_hangs_is_left_behind_and_what_it_says_later_is_only_logged(faulty, caplog, clock):
    caplog.set_level(logging.INFO, "suffice")
    release, ended = threading.Event(), threading.Event()
    clock.runs = False

    def f(x):
        if x[0] == 0.9:
            clock.ahead += 1.0
            release.wait(60)
            ended.set()
        return faulty.bowl(x)

    with ThreadPoolExecutor(1) as pool:
        result = minimize(
            f, SQUARE, 5, x0=START, executor=pool, n_parallel=1, evaluation=sf.Evaluation(timeout=0.6), **QUICK
        )
        assert states(result) == ["done", "failed", "done", "done", "done"]
        assert result.trials[1].cause == "timed out"
        assert "cannot be stopped: it keeps running" in result.trials[1].reason
        release.set()
        assert ended.wait(60)
    assert "trial 1 ended after it was given up" in caplog.text
    assert states(result) == ["done", "failed", "done", "done", "done"]


def test_the_clock_of_an_evaluation_runs_from_its_beginning_and_not_from_the_queue(faulty, clock):
    clock.runs = False

    def f(x):
        time.sleep(0.03)  # for the run to look
        clock.ahead += 1.0
        return faulty.bowl(x)

    with ThreadPoolExecutor(1) as pool:
        result = minimize(f, SQUARE, 8, executor=pool, n_parallel=8, evaluation=sf.Evaluation(timeout=1.5), **QUICK)
    assert states(result) == ["done"] * 8  # the last one after 8 s


class Stuck:
    """An executor that begins calls and never ends them."""

    def submit(self, f, *args):
        future = Future()
        future.set_running_or_notify_cancel()
        return future


def test_a_run_ends_when_every_worker_of_an_unknown_kind_is_held_up(faulty):
    with pytest.raises(WorkersLost, match="every worker is blocked") as caught:
        minimize(
            faulty.bowl, SQUARE, 9, executor=Stuck(), n_parallel=2, evaluation=sf.Evaluation(timeout=0.05), **QUICK
        )
    assert [trial.cause for trial in caught.value.trials[:2]] == ["timed out"] * 2


# ---------------------------------------------------------------------- 48: what cannot travel


def test_an_objective_that_a_worker_cannot_read_is_refused_and_the_pool_survives(faulty, fast):
    def f(x):
        return 1.0

    f.__module__, f.__qualname__ = "__main__", "abs_of_a_notebook"  # as one of a notebook, which no other process has
    import __main__

    __main__.abs_of_a_notebook = f
    try:
        with ProcessPoolExecutor(1, mp_context=fast) as pool:
            with pytest.raises(TypeError, match=r"cannot be sent .*abs_of_a_notebook.*not in a notebook") as caught:
                minimize(f, SQUARE, 9, executor=pool, n_parallel=1, **QUICK)
            assert caught.value.trials == ()
            assert pool.submit(abs, -3).result() == 3
    finally:
        del __main__.abs_of_a_notebook


# ---------------------------------------------------------------------- 42, 44, 45: what workers share


def test_workers_that_ask_at_once_get_different_points():
    optimizer = Optimizer(SQUARE, **QUICK)
    for trial in optimizer.ask(6):
        optimizer.tell(trial, float(trial.point.sum()))
    with ThreadPoolExecutor(8) as pool:
        trials = [future.result() for future in [pool.submit(optimizer.ask) for _ in range(24)]]
    assert sorted(trial.number for trial in trials) == list(range(6, 30))
    assert len({trial.unit.tobytes() for trial in trials}) == 24


def test_workers_of_our_own_do_not_share_a_generator(faulty):
    result = minimize(faulty.noisy, SQUARE, 6, n_parallel=2, **QUICK)
    assert len(set(result.func_vals)) == 6


class Scripted:
    """An executor that finishes calls in the order of a script, each when its turn comes."""

    def __init__(self, order):
        self.order, self.waiting = list(order), {}
        self.started = 0

    def submit(self, f, *args):
        future = Future()
        self.waiting[self.started] = (future, f, args)
        self.started += 1
        if len(self.waiting) == 3 or self.started == len(self.order) + 2:
            self.finish(self.order.pop(0))
        return future

    def finish(self, number):
        future, f, args = self.waiting.pop(number)
        future.set_result(f(*args))


def suggested(order, faulty):
    points = []

    def f(x):
        points.append(x.tolist())
        return faulty.bowl(x)

    executor = Scripted(order)

    def finish_the_rest(result):
        if executor.started == 9:  # all are handed out
            while executor.waiting:
                executor.finish(min(executor.waiting))

    result = minimize(f, SQUARE, 9, executor=executor, n_parallel=3, n_initial=3, callback=finish_the_rest, **QUICK)
    return [trial.point.tolist() for trial in result.trials], [trial.order for trial in result.trials]


def test_the_same_seed_and_the_same_order_of_completion_give_the_same_suggestions(faulty):
    one, two = [1, 0, 2, 4, 3, 5, 6], [1, 0, 2, 5, 4, 3, 6]
    assert suggested(one, faulty) == suggested(one, faulty)
    assert suggested(one, faulty)[0] != suggested(two, faulty)[0]  # the order is what is known at an ask
    assert suggested(one, faulty)[0][:3] == suggested(two, faulty)[0][:3]


# ---------------------------------------------------------------------- 36, 37, 41: interruptions, clocks


def test_ctrl_c_returns_the_result_and_a_second_one_stops_at_once_with_the_result_attached(faulty, monkeypatch):
    def f(x):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(x)
        return faulty.bowl(x)

    calls = []
    result = minimize(f, SQUARE, 9, **QUICK)
    assert (states(result), result.message) == (["done"] * 3 + ["cancelled"], "interrupted")

    cancel, came = Optimizer.cancel, []

    def again(optimizer, trial, reason="cancelled"):
        if reason == "interrupted" and not came:
            came.append(trial)
            raise KeyboardInterrupt
        return cancel(optimizer, trial, reason)

    calls.clear()
    monkeypatch.setattr(Optimizer, "cancel", again)
    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt) as caught:
        minimize(f, SQUARE, 9, executor=pool, n_parallel=1, **QUICK)
    assert states(caught.value.result) == ["done"] * 3 + ["cancelled"]


STARTING = """
import suffice as sf


def f(x):
    return float(x[0])


if __name__ == "__main__":
    result = sf.minimize(f, [(0.0, 1.0)], 20, evaluation=sf.Evaluation(timeout=60), seed=0, storage="run.db")
    print(result.message)
"""
# Python runs this before anything else.
SITE = """
import os
import sys
import time

if "--multiprocessing-fork" in sys.orig_argv:
    print(os.getpid(), flush=True)
    time.sleep(1)
    print("started", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group of processes")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_a_terminal_while_workers_start_is_quiet_and_leaves_nothing_behind(tmp_path, times):
    """A terminal sends it to the program and its workers alike."""
    (tmp_path / "starting.py").write_text(STARTING, "utf-8")
    (tmp_path / "sitecustomize.py").write_text(SITE, "utf-8")
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    ways = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    ways["env"] = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen([sys.executable, "starting.py"], start_new_session=True, **ways) as program:
        os.kill(int(program.stdout.readline()), signal.SIGINT)
        assert program.stdout.readline() == "started\n"
        for _ in range(times):
            os.killpg(program.pid, signal.SIGINT)
        said, complaints = program.communicate(timeout=60)
    assert complaints.count("Traceback") <= times - 1  # of the program itself, which a second one ends at once
    assert times > 1 or said.endswith("interrupted\n")
    assert [path.name for path in tmp_path.glob("run.db*")] == ["run.db"]


def test_sigterm_ends_the_run_in_order_and_then_the_program(faulty):
    def f(x):
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        calls.append(x)
        return faulty.bowl(x)

    calls = []
    with pytest.raises(SystemExit) as caught:
        minimize(f, SQUARE, 9, **QUICK)
    assert caught.value.code == 143
    assert states(caught.value.result) == ["done"] * 3 + ["cancelled"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_program_that_handles_sigterm_itself_goes_on_to_do_so(faulty):
    came = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))

    def f(x):
        if not came:
            os.kill(os.getpid(), signal.SIGTERM)
        return faulty.bowl(x)

    try:
        assert minimize(f, SQUARE, 3, **QUICK).nfev == 3
        assert came == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_exception_in_a_callback_has_the_result_with_it(faulty):
    def callback(result):
        if result.nfev == 4:
            raise LookupError("no such plot")

    with ThreadPoolExecutor(2) as pool, pytest.raises(LookupError, match="no such plot") as caught:
        minimize(faulty.bowl, SQUARE, 9, executor=pool, n_parallel=2, callback=callback, **QUICK)
    assert caught.value.result.nfev >= 4
    assert caught.value.result.message == "the run ended: LookupError: no such plot"
    assert not any(trial.state == "pending" for trial in caught.value.trials)


def test_a_clock_that_is_set_back_changes_nothing(faulty, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: pytest.fail("the clock on the wall was asked"))
    with ThreadPoolExecutor(2) as pool:
        result = minimize(
            faulty.bowl,
            SQUARE,
            6,
            executor=pool,
            n_parallel=2,
            timeout=60,
            evaluation=sf.Evaluation(timeout=60),
            **QUICK,
        )
    assert states(result) == ["done"] * 6
    assert all(trial.seconds >= 0 for trial in result.trials)


class Forgetful:
    """A Dask client that gives up the second call once, as Dask does with all calls when it is restarted."""

    def __init__(self):
        self.calls = 0
        self.futures = {}
        self.status = "running"

    def get_executor(self):
        return self

    def submit(self, f, *args, key, pure):
        future, self.calls = Future(), self.calls + 1
        self.futures[key] = future
        if self.calls == 3:  # the first is the greeting
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(f(*args))
        return future


Forgetful.__module__ = "distributed.client"


def test_evaluations_that_a_cluster_gives_up_when_it_is_restarted_are_made_again(faulty):
    executor = Forgetful()
    result = minimize(faulty.bowl, SQUARE, 5, executor=executor, n_parallel=1, **QUICK)
    assert states(result) == ["done"] * 5
    assert executor.calls == 1 + 5 + 1


def test_a_cluster_without_a_connection_ends_the_run_with_the_result(faulty):
    executor = Forgetful()
    executor.status = "closed"
    with pytest.raises(WorkersLost, match="the executor cancelled its calls") as caught:
        minimize(faulty.bowl, SQUARE, 5, executor=executor, n_parallel=1, **QUICK)
    assert states(caught.value.result) == ["done", "cancelled"]
