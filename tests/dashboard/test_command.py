"""`suffice dashboard` as a program: it leaves the files and their writers alone, and ends when it is told to."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

import suffice as sf
from suffice.cli import main
from suffice.dashboard.follow import Watched

from .conftest import SPACE, grow, make, objective


@contextmanager
def running(path, *words):
    """The program, and the address that it printed."""
    command = [sys.executable, "-m", "suffice", "dashboard", str(path), "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            yield program, program.stdout.readline().split()[-1]
        finally:
            program.kill()


def get(address, path):
    with urllib.request.urlopen(address + path, timeout=20) as answer:
        return json.load(answer)


def test_it_ends_by_a_signal_without_a_word_too_much(tmp_path):
    make(tmp_path / "a.db", 3)
    for number in (signal.SIGINT, signal.SIGTERM):
        with running(tmp_path) as (program, address):
            while not (studies := get(address, "api/studies")["studies"]):
                time.sleep(0.05)
            stream = urllib.request.urlopen(f"{address}api/events?study={studies[0]['id']}", timeout=20)
            stream.readline()
            program.send_signal(number)
            stream.read()  # it ends
            assert program.wait(20) == 0
            assert (program.stdout.read(), program.stderr.read()) == ("Ctrl-C ends it.\n", "")


def test_a_run_that_is_watched_is_the_run_that_is_not(tmp_path):
    words = {"seed": 5, "n_initial": 4, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(50))}
    alone = sf.Optimizer(SPACE, **words)
    grow(alone, 12)
    with running(tmp_path) as (_, address), sf.Optimizer(SPACE, storage=tmp_path / "a.db", **words) as watched:
        with urllib.request.urlopen(f"{address}api/events", timeout=20) as events:
            for i in range(12):
                trial = watched.ask()
                watched.tell(trial, objective(trial.point), seconds=0.5)
                while i % 4 == 0 and f'"done":{i + 1},'.encode() not in events.readline():
                    pass  # so that every stage of it is read meanwhile
        watched.close()
        assert (
            {"a.db"} <= set(os.listdir(tmp_path)) <= {"a.db", "a.db-wal", "a.db-shm"}
        )  # if it was being read just then
    assert [trial.point for trial in watched.trials] == [trial.point for trial in alone.trials]
    assert [trial.value for trial in watched.trials] == [trial.value for trial in alone.trials]


def test_a_writer_waits_for_no_reader(tmp_path, monkeypatch):
    told, seen = [], []
    with sf.Optimizer(SPACE, storage=tmp_path / "a.db", seed=0, n_initial=50) as opt:
        grow(opt, 3)
        opt._record.journal._book.database._connection.execute("PRAGMA busy_timeout = 0")

        def written_meanwhile(data):
            seen.append(data)
            if len(seen) in (1, 4):  # a reader has the file open, between two rows
                grow(opt, 1)
                told.append(len(seen))
            return json.loads(data)

        monkeypatch.setattr("suffice.dashboard.files.light", written_meanwhile)
        watched = Watched(tmp_path / "a.db", "a.db")
        watched.look()
        watched.work()
        assert told == [1, 4]
        assert len(watched.columns) == 3  # the state at which it began
        watched.look()
        watched.work()
        assert len(watched.columns) == 5


def test_files_of_a_killed_writer_are_left_as_they_are(tmp_path):
    program = (
        "import os, sys, suffice as sf\n"
        "opt = sf.Optimizer({'x': (0.0, 1.0)}, storage=sys.argv[1], seed=0)\n"
        "opt.tell(opt.ask(), 1.0)\n"
        "os._exit(1)\n"
    )
    path = tmp_path / "a.db"
    subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    for beside in (["-lock", "-shm", "-wal"], ["-lock", "-wal"]):  # as they are, and after a copy of what matters
        before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
        assert sorted(before) == ["a.db", *(f"a.db{end}" for end in beside)]
        watched = Watched(path, "a.db")
        watched.look()
        watched.work()
        assert len(watched.columns) == 1
        after = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
        assert {name: data for name, data in after.items() if not name.endswith("-shm")} == {
            name: data for name, data in before.items() if not name.endswith("-shm")
        }
        assert sorted(after) == sorted(before)
        (tmp_path / "a.db-shm").unlink(missing_ok=True)


def test_what_is_wrong_is_said(tmp_path, capsys):
    assert main(["dashboard", str(tmp_path / "nothing")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"suffice: {tmp_path / 'nothing'} does not exist: wanted a folder of studies"), said
    assert "a folder may be empty" in said
    with pytest.raises(SystemExit) as wrong:
        main(["dashboard", str(tmp_path), "--port", "70000"])
    assert wrong.value.code == 2
    assert "from 0 to 65535" in capsys.readouterr().err


def test_a_package_that_is_missing_is_named(tmp_path):
    program = "import sys; sys.modules['uvicorn'] = None; from suffice.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "dashboard", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs uvicorn, which is not installed: pip install 'suffice[dashboard]'" in done.stderr
