"""Commands end, and everything that they started ends with them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from suffice.tune.process import Processes, signal_name

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
PARENT = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", {DEAF!r}], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
"""


@pytest.fixture(autouse=True)
def no_guard_is_left(monkeypatch):
    made, start = [], Processes.__post_init__
    monkeypatch.setattr(Processes, "__post_init__", lambda self: (made.append(self), start(self)))
    yield
    for processes in made:
        processes.close()


def run(processes, folder, code, **options):
    return processes.run([sys.executable, "-S", "-c", code], folder, cwd=folder, env=dict(os.environ), **options)


def alive(pid):
    """Whether a process runs: one that has ended may wait for its parent as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(happened):
    """At most half a minute."""
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")


def test_output_is_kept_and_an_exit_code_is_said(tmp_path):
    ended = run(Processes(), tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (ended.code, ended.fault) == (3, "exit code 3")
    assert (tmp_path / "stdout").read_text() == "out\n"
    assert (tmp_path / "stderr").read_text() == "err\n"


def test_a_success_has_no_fault_and_its_input_is_empty(tmp_path):
    ended = run(Processes(), tmp_path, "import sys; print(repr(sys.stdin.read()))")
    assert ended.fault is None
    assert (tmp_path / "stdout").read_text() == "''\n"


def test_a_signal_is_named(tmp_path):
    ended = run(Processes(), tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert ended.fault == "ended by SIGKILL"
    assert signal_name(4711) == "signal 4711"


@linux
def test_a_timeout_ends_grandchildren_that_ignore_the_signal(tmp_path):
    ended = run(Processes(grace=0.1), tmp_path, PARENT + "time.sleep(60)", timeout=1.5)
    assert ended.timed_out
    assert ended.fault.startswith("timed out after 1.5")
    assert not alive(int((tmp_path / "stdout").read_text()))


@linux
def test_what_a_command_leaves_behind_is_ended(tmp_path):
    ended = run(Processes(grace=0.1), tmp_path, PARENT)
    assert ended.fault is None
    assert not alive(int((tmp_path / "stdout").read_text()))


@linux
def test_a_stop_ends_all_and_starts_no_more(tmp_path):
    processes, found = Processes(grace=60.0), []
    thread = threading.Thread(target=lambda: found.append(run(processes, tmp_path, PARENT + "time.sleep(60)")))
    thread.start()
    wait_until(lambda: (tmp_path / "stdout").exists() and (tmp_path / "stdout").read_text().endswith("\n"))
    processes.stop()
    processes.stop()  # the second time it does not wait for the grace to be over
    processes.close()  # waits for them
    assert not alive(int((tmp_path / "stdout").read_text()))
    thread.join(30)
    assert found[0].stopped
    assert found[0].fault == "stopped before it was done"
    assert run(processes, tmp_path, "print(1)").stopped


@linux
def test_a_program_that_is_killed_takes_its_commands_with_it(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from suffice.tune.process import Processes\n"
        f"Processes(grace=0.1).run([sys.executable, '-S', '-c', {PARENT + 'time.sleep(60)'!r}], Path('.'),"
        " cwd=Path('.'), env=dict(os.environ))"
    )
    killed = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    wait_until(lambda: (tmp_path / "stdout").exists() and (tmp_path / "stdout").read_text().endswith("\n"))
    killed.kill()
    killed.wait()
    wait_until(lambda: not alive(int((tmp_path / "stdout").read_text())))


def test_a_command_has_a_session_of_its_own_so_that_ctrl_c_does_not_reach_it(tmp_path):
    run(Processes(), tmp_path, "import os; print(os.getsid(0) == os.getpid())")
    assert (tmp_path / "stdout").read_text() == "True\n"


def test_one_that_ends_well_when_asked_to_is_timed_out_all_the_same(tmp_path):
    code = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); time.sleep(60)"
    ended = run(Processes(), tmp_path, code, timeout=0.5)
    assert ended.timed_out
    assert ended.code in (0, -signal.SIGTERM)
