"""The commands, and the dashboard's file, on a study that many share."""

import sys
import threading
import time

import pytest

import suffice as sf
from suffice.cli import main
from suffice.dashboard.follow import mirrored
from suffice.dashboard.table import Columns
from suffice.record.study_file import KIND
from suffice.report.verdict import ages, shared
from suffice.store.sqlite import Book, Database

BOX = {"x": (0.0, 1.0)}


def f(point):
    return (point["x"] - 0.3) ** 2


@pytest.fixture
def begun(place, quick):
    """A study with four trials."""
    assert sf.minimize(f, BOX, 4, storage=place, **quick).nfev == 4
    return place


def test_two_tunes_share_the_trials(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "import sys; print('loss=' + repr((float(sys.argv[1]) - 0.3) ** 2))"
    line = ["tune", "--minimize", "loss", "--param", "x=float:0:1", "-n", "10", "--seed", "0", "--quiet"]
    words = [*line, "--storage", place, "--", sys.executable, "-c", code, "{x}"]
    codes = []
    threads = [threading.Thread(target=lambda: codes.append(main(words))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0, 0]
    assert sf.load(place).nfev == 10


def test_work_evaluates_a_function_of_a_module(begun, tmp_path, monkeypatch, capsys):
    (tmp_path / "shared_loss.py").write_text("def loss(point):\n    return (point['x'] - 0.3) ** 2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert main(["work", begun, "shared_loss:loss", "-n", "9"]) == 0
    assert sf.load(begun).nfev == 9
    assert "study=" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run.db", "a:b"), "wanted the address of a study"),
        (("postgresql://h/d", "loss"), "wanted MODULE:FUNCTION"),
        (("postgresql://h/d", "no_such_module:f"), "no_such_module"),
        (("postgresql://h/d", "math:pi"), "math:pi is no function"),
    ],
)
def test_wrong_words_are_refused_before_anything(words, said, capsys):
    assert main(["work", *words, "-n", "3"]) == 2
    assert said in capsys.readouterr().err


def test_it_is_shown_exported_and_reported(begun, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    secret = begun.replace("owner@", "owner:hidden@")
    assert main(["show", secret]) == 0
    assert main(["export", secret]) == 0
    out = capsys.readouterr().out
    assert out.count("done") >= 4
    assert main(["report", secret, "-o", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "hidden" not in out + capsys.readouterr().out + page


def test_the_report_says_how_old_the_models_were(place, quick):
    with sf.Optimizer(BOX, storage=place, **quick) as one:
        one.journal.hired = True
        for count in (11, 2, 2):  # the models of both pairs know what was told before; the second of a pair waits
            one.propose(count)
            for _ in range(count):
                trial = one.trials[one.journal.claim((), 0).number]
                one.tell(trial, f(trial.point))
        result = one.result()
    modelled = [trial.number for trial in result.trials if trial.origin == "model"]
    assert len(modelled) >= 4
    assert ages(result.history)[-4:] == [0, 1, 0, 1]
    assert "at most" in shared(result.history)
    assert shared(sf.minimize(f, BOX, 4, **quick).history) == ""


def test_the_dashboard_follows_it(begun, quick):
    def read():
        with Database.unprepared(file, KIND, "mode=ro") as database:
            columns = Columns()
            for fact in Book(database).read():
                columns.add(fact)
        return columns.counts["done"]

    with mirrored(begun) as file:
        assert read() == 4
        sf.minimize(f, BOX, 7, storage=begun, **quick)
        end = time.monotonic() + 600
        while read() < 7 and time.monotonic() < end:
            time.sleep(0.05)
        assert read() == 7
    assert not file.exists()
