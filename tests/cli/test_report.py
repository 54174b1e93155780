"""suffice report: a page of a study from the command line."""

import json
import sqlite3

import pytest

import suffice as sf
from suffice.cli import main
from suffice.report import read


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here, capsys, monkeypatch):
    """Run a command; what it printed, and its errors. Figures, which take their time, are not drawn."""
    monkeypatch.setattr("suffice.report.page.drawn", lambda charts: "")

    def call(*arguments, code=0):
        assert main(["report", *map(str, arguments)]) == code
        return capsys.readouterr()

    return call


@pytest.fixture
def study(here):
    """A study with a few trials."""
    with sf.Optimizer({"x": (0.0, 1.0)}, storage="run.db", seed=0) as opt:
        for trial in opt.ask(3):
            opt.tell(trial, trial.number + 0.125)
    return "run.db"


def test_the_page_lies_beside_the_study_or_where_one_says(run, study, here):
    assert run(study).out == "The report of run.db is in run.html\n"
    assert run(study, "-o", "other.html").out == "The report of run.db is in other.html\n"
    assert (here / "run.html").read_bytes() == (here / "other.html").read_bytes()
    assert "<h1>Report: run.db</h1>" in (here / "run.html").read_text()
    (here / "deep").mkdir()
    (here / "run.db").rename(here / "deep" / "run.db")
    run("deep/run.db")
    assert (here / "deep" / "run.html").read_bytes() == (here / "run.html").read_bytes()


def test_a_saved_result_has_a_page_too(run, here):
    sf.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=3, seed=0).save("run.json")
    run("run.json")
    assert len(read("run.html")["rows"]) == 3


def test_a_page_is_made_while_the_study_is_open_and_goes_on_after_it(run, study):
    with sf.Optimizer.resume(study) as opt:
        trial = opt.ask()
        run(study)
        assert len(read("run.html")["rows"]) == 4
        opt.tell(trial, 0.5)
        run(study)
        assert read("run.html")["rows"][3][1] == "done"


def test_an_older_page_is_replaced_and_nothing_else(run, study, here):
    run(study)
    run(study)
    (here / "mine.html").write_text("<p>my own work</p>")
    assert "not a report of suffice" in run(study, "-o", "mine.html", code=1).err
    assert (here / "mine.html").read_text() == "<p>my own work</p>"
    before = (here / "run.db").read_bytes()
    assert "is a database" in run(study, "-o", "run.db", code=1).err
    assert (here / "run.db").read_bytes() == before
    (here / "empty.html").write_text("")
    run(study, "-o", "empty.html")
    sf.load("run.db").save("saved.json")
    saved = (here / "saved.json").read_bytes()
    assert "not a report of suffice" in run("saved.json", "-o", "saved.json", code=1).err
    assert (here / "saved.json").read_bytes() == saved


def test_a_study_whose_own_name_ends_in_html_is_not_lost(run, study, here):
    (here / "run.db").rename(here / "run.html")
    assert "is a database" in run("run.html", code=1).err
    run("run.html", "-o", "page.html")


def test_a_report_with_the_name_of_another_format_is_refused_with_the_right_name(run, study, here):
    assert "got run.pdf, wanted run.html" in run(study, "-o", "run.pdf", code=1).err
    assert not (here / "run.pdf").exists()


def test_an_output_that_cannot_be_written_is_refused_before_the_study_is_read(run, here):
    (here / "folder").mkdir()
    assert "is a directory" in run("missing.db", "-o", "folder", code=1).err
    assert "no folder" in run("missing.db", "-o", "nowhere/x.html", code=1).err


def test_what_is_no_study_is_refused_and_leaves_no_page(run, here):
    with sqlite3.connect("other.db") as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    (here / "text.db").write_text("hello")
    (here / "empty.db").write_text("")
    (here / "plain.json").write_text(json.dumps({"a": 1}))
    for name in ("missing.db", "other.db", "text.db", "empty.db", "plain.json"):
        assert run(name, code=1).err.startswith("suffice: ")
    assert list(here.glob("*.html")) == []


def test_a_damaged_study_is_called_damaged(run, study, here):
    content = (here / "run.db").read_bytes()
    assert content.count(b"2.125") == 1
    (here / "run.db").write_bytes(content.replace(b"2.125", b"9.125"))
    assert "checksum" in run(study, code=1).err
    assert not (here / "run.html").exists()
