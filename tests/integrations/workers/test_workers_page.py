"""The program of docs/howto/optuna-workers.md, as two processes; and two that share a file instead of a server."""

import subprocess
import sys
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from ...docs.pages import Page

PAGE = Page("docs/howto/optuna-workers.md")
ADDRESS = "postgresql+psycopg://user:password@host/database"
WORKERS = Path(__file__).with_name("workers.py")


def test_two_processes_of_the_page_share_the_work(server, create, tmp_path):
    study = create("tune")
    (tmp_path / "worker.py").write_text(PAGE.file("worker.py"), encoding="utf-8")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    processes = [subprocess.Popen([sys.executable, "worker.py", server], **pipes) for _ in range(2)]
    try:
        for process in processes:
            out, errors = process.communicate(timeout=300)
            assert process.returncode == 0, errors
            assert "'model': 'forest'" in out
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE}
    assert 20 <= len(study.trials) <= 21
    assert study.best_value < 0.5


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_the_storages_of_the_page_work(server, create, tmp_path):
    create("beating")
    names = {}
    for code in (block.code for block in PAGE.blocks if block.language == "python" and not block.file):
        here = code.replace(ADDRESS, server).replace('"/shared/tune.log"', repr(str(tmp_path / "tune.log")))
        exec(here.replace('"tune"', '"beating"'), names)
        names["study"].optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
        assert len(names["study"].trials) == 2
    names["storage"].engine.dispose()


def test_two_processes_share_a_journal_file(tmp_path):
    file = str(tmp_path / "study.log")
    study = optuna.create_study(study_name="shared", storage=JournalStorage(JournalFileBackend(file)))
    words = {"capture_output": True, "text": True, "timeout": 300, "check": False}
    done = subprocess.run([sys.executable, str(WORKERS), file, "shared", "16", "2"], **words)
    assert done.returncode == 0, done.stderr
    *told, ended = map(str.split, done.stdout.splitlines())
    assert ended == ["ended", "0", "0"]
    assert {int(number): float(value) for _, _, number, value in told} == {t.number: t.value for t in study.trials}
    assert len({pid for _, pid, _, _ in told}) == 2
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE}
