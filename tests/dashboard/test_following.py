"""Files that are followed: what appears, grows, is replaced or deleted is seen, and left alone."""

import json
import math
import os
import shutil
import sqlite3
import time

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.verdict import exact_enough
from suffice.dashboard.detail import detail
from suffice.dashboard.files import light
from suffice.dashboard.follow import Watcher
from suffice.dashboard.table import Columns
from suffice.errors import UnusableFile
from suffice.record.history import History
from suffice.record.study_file import KIND, read_events
from suffice.result.display import DRAWN
from suffice.store.sqlite import SELECT, Database, Fact, Row

from .conftest import SPACE, Followed, followed, grow, make


def test_the_columns_of_a_study_whose_objective_asks_for_its_parameters(tmp_path):
    def f(trial):
        x, kind = trial.float("x", 0, 1), trial.choice("kind", ["a", None])
        return x if kind is None else trial.int("n", 1, 3) - x

    followed = Followed(tmp_path)
    for n in (2, 9):  # it grows while it is followed
        result = sf.minimize(f, n_trials=n, n_initial=9, seed=0, storage=tmp_path / "a.db", polish=False)
        followed.look()
        watched = followed.columns("a.db")
        columns = watched.json(range(n))["params"]
        for i, trial in enumerate(result.trials):
            shown = {name: column[i] for name, column in columns.items() if column[i] is not None}
            assert shown == {**trial.point, "kind": str(trial.point["kind"])}
            page = detail(next(iter(followed.watcher.studies.values())), i)
            assert page["problem"] is None
            assert set(page["point"]) == set(trial.point)
    assert {part["name"]: part["when"] for part, _ in watched.parameters()} == {
        "x": None,
        "kind": None,
        "n": "kind = a",
    }


def test_the_columns_of_a_study_are_its_history(tmp_path):
    space = {**SPACE, "k": sf.Float(0, 1, when={"c": "a"}), "o": sf.Ordinal(1, 2.5, "z"), "three": 3}
    with sf.Optimizer(
        space, storage=tmp_path / "a.db", seed=0, n_initial=4, solver=sf.solvers.Grid(size=sf.solvers.Fixed(20))
    ) as opt:
        for i in range(12):
            trial = opt.ask()
            if i % 4 == 1:
                opt.tell(trial, math.nan, seconds=0.1)
            elif i % 4 == 2:
                opt.fail(trial, "it\nbroke")
            elif i == 3:
                opt.cancel(trial, "enough")
            elif i != 8:
                opt.tell(trial, trial.point["x"], seconds=float(i))
        opt.withdraw(opt.trials[0], "wrong unit")
        opt.withdraw(opt.trials[4], "wrong unit")
        opt.tell(opt.trials[4], -3.0)
    followed = Followed(tmp_path)
    summary = followed.look()["a.db"]
    history = History.of(read_events(tmp_path / "a.db"))
    columns = followed.columns("a.db").json(range(len(history.trials)))
    for i, trial in enumerate(history.trials):
        assert columns["number"][i] == trial.number
        assert columns["state"][i] == trial.state
        assert columns["value"][i] == trial.value
        assert columns["seconds"][i] == trial.seconds
        assert columns["origin"][i] == trial.origin
        assert columns["reason"][i] == trial.reason
        assert columns["cause"][i] == trial.cause
        assert columns["gap"][i] == (None if trial.solve is None else trial.solve.relative_gap)
        shown = {name: column[i] for name, column in columns["params"].items() if column[i] is not None}
        assert shown == {**trial.point, "o": str(trial.point["o"]), "three": "3"}
    assert summary["best"] == history.best.value
    assert summary["best_number"] == history.best.number
    assert summary["trials"] == 12
    assert summary["pending"] == len(history.pending) == 1
    assert summary["failed"] == len(history.failed)
    assert summary["done"] == len(history.done)


def test_what_was_exact_enough_is_what_the_verdict_counts(tmp_path, long):
    shutil.copy(long, tmp_path / "a.db")
    followed = Followed(tmp_path)
    followed.look()
    trials = History.of(read_events(tmp_path / "a.db")).trials
    columns = followed.columns("a.db").json(range(30))
    assert columns["enough"] == [None if trial.solve is None else exact_enough(trial.solve) for trial in trials]
    kinds = [trial.solve is not None and trial.solve.kind == "explore" for trial in trials]
    assert columns["looked_elsewhere"] == kinds
    assert any(kinds)


def test_what_is_left_out_of_an_event_is_what_rebuilds_its_score(long):
    with Database(long, KIND) as database:
        rows = [Row(*found) for found in database._connection.execute(SELECT, (0, -1))]
    shorter = 0
    for row in rows:
        whole = json.loads(row.data)
        shorter += (whole.get("report") or {}).pop("binding", None) is not None
        assert light(row.data) == whole
    assert shorter == 26
    names = {"binding": {"dict": {"is": "Binding"}}, "allowance": ',"binding":{"is":"Binding",', "x": ',"allowance":'}
    assert light(json.dumps(names, separators=(",", ":"))) == names


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_small_picture_ends_at_the_best_value_and_never_gets_worse(tmp_path, direction):
    make(tmp_path / "a.db", 10, direction=direction, n_initial=DRAWN + 50)
    with sf.Optimizer.resume(tmp_path / "a.db") as opt:
        grow(opt, DRAWN + 40)
    summary = Followed(tmp_path).look()["a.db"]
    assert len(summary["spark"]) == DRAWN
    steps = np.diff(summary["spark"])
    assert np.all(steps <= 0 if direction == "minimize" else steps >= 0)
    assert summary["spark"][-1] == summary["best"]


def test_a_growing_study_is_read_on_while_its_writer_has_it(tmp_path):
    followed = Followed(tmp_path)
    assert followed.look() == {}
    with sf.Optimizer(SPACE, storage=tmp_path / "a.db", seed=0, n_initial=50) as opt:
        assert followed.look()["a.db"]["state"] == "empty"
        before = None
        for n in range(1, 5):
            trial = opt.ask()
            assert followed.look()["a.db"]["pending"] == 1
            opt.tell(trial, 1.0 / n)
            summary = followed.look()["a.db"]
            assert (summary["state"], summary["trials"], summary["pending"]) == ("running", n, 0)
            assert summary["best"] == 1.0 / n
            columns = followed.columns("a.db")
            assert columns.since(before) == (None if before is None else [n - 1])
            before = columns.revision
    assert followed.look()["a.db"]["trials"] == 4
    assert sorted(os.listdir(tmp_path)) == ["a.db"]  # nothing is left beside it


def test_a_study_that_is_looked_at_is_read_before_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr("suffice.dashboard.files.PORTION", 1000)
    for name in "abc":
        make(tmp_path / f"{name}.db", 8)
    watcher = Watcher(tmp_path)
    watcher.step()
    last = list(watcher.studies.values())[-1]
    assert {study.summary["state"] for study in watcher.studies.values()} == {"loading"}
    last.wanted = True
    watcher.step()
    assert [study.behind for study in watcher.studies.values()] == [True, True, False]
    assert len(last.columns) == 8


def test_a_file_that_another_program_has_locked_is_read_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("suffice.dashboard.files.LOCK_TIMEOUT", 0.01)
    path = make(tmp_path / "a.db", 8)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    other.execute("DELETE FROM events WHERE number > 3")  # and will be taken back
    followed = Followed(tmp_path)
    summary = followed.look()["a.db"]
    assert (summary["trials"], summary["problem"]) == (8, None)
    other.execute("ROLLBACK")
    other.close()
    assert followed.look()["a.db"]["trials"] == 8


def test_a_file_that_cannot_be_read_now_is_tried_again(tmp_path, monkeypatch):
    os.utime(make(tmp_path / "a.db", 8), (1.0, 1.0))  # written long ago
    followed = Followed(tmp_path)

    def refused(*_):
        raise UnusableFile("the disk sleeps")

    for pause in (3600.0, 0.0):
        with monkeypatch.context() as patch:
            patch.setattr("suffice.dashboard.follow.AGAIN", pause)
            patch.setattr("suffice.dashboard.files.read_from", refused)
            os.utime(tmp_path / "a.db", (2.0 + pause, 2.0 + pause))
            summary = followed.look()["a.db"]
        assert summary["state"] == "loading"
        assert "retrying: the disk sleeps" in summary["problem"]
        summary = followed.look()["a.db"]
        assert summary["trials"] == (8 if pause == 0.0 else 0)
    assert summary["problem"] is None


def test_the_best_of_equal_values_is_the_first_asked_for(tmp_path):
    with sf.Optimizer(SPACE, storage=tmp_path / "a.db", seed=0, n_initial=50) as opt:
        first, second = opt.ask(), opt.ask()
        opt.tell(second, 1.0)
        opt.tell(first, 1.0)
    assert Followed(tmp_path).look()["a.db"]["best_number"] == 0


def test_folders_are_looked_through_and_what_is_not_a_study_is_left_alone(tmp_path):
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    make(outside / "secret.db")
    make(inside / "deep" / "er" / "a study.sqlite")
    (inside / ".hidden").mkdir()
    shutil.copy(outside / "secret.db", inside / ".hidden" / "b.db")
    (inside / "link.db").symlink_to(outside / "secret.db")
    (inside / "linked").symlink_to(outside)
    with sqlite3.connect(inside / "other.db") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    (inside / "notes.json").write_text('{"format": "something else"}')
    (inside / "text.db").write_text("no database")
    (inside / "empty.db").touch()
    os.mkfifo(inside / "pipe.db")
    assert list(Followed(inside).look()) == ["deep/er/a study.sqlite"]


def test_a_folder_that_is_too_large_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("suffice.dashboard.files.STUDIES", 2)
    for name in "abc":
        make(tmp_path / f"{name}.db", 1)
    followed = Followed(tmp_path)
    assert list(followed.look()) == ["a.db", "b.db"]
    assert "name a folder inside it" in followed.watcher.note


def test_a_deleted_study_is_gone_and_comes_back(tmp_path):
    make(tmp_path / "a.db", 8)
    shutil.copy(tmp_path / "a.db", tmp_path / "kept")
    followed = Followed(tmp_path)
    before = followed.look()["a.db"]
    (tmp_path / "a.db").unlink()
    gone = followed.look()["a.db"]
    assert (gone["state"], gone["trials"], gone["id"]) == ("gone", 8, before["id"])
    assert followed.watcher.present() == [study for study in followed.watcher.present() if study["name"] == "kept"]
    shutil.copy(tmp_path / "kept", tmp_path / "a.db")
    back = followed.look()["a.db"]
    assert back["state"] != "gone"
    assert back["revision"] == before["revision"]


def test_another_study_in_the_place_of_one_is_read_anew(tmp_path):
    make(tmp_path / "a.db", 8)
    followed = Followed(tmp_path)
    before = followed.look()["a.db"]["revision"]
    make(tmp_path / "new", 10, seed=2)
    os.replace(tmp_path / "new", tmp_path / "a.db")
    summary = followed.look()["a.db"]
    assert (summary["trials"], summary["problem"]) == (10, None)
    assert followed.columns("a.db").since(before) is None


def test_an_emptied_file_is_an_empty_study(tmp_path):
    make(tmp_path / "a.db", 8)
    followed = Followed(tmp_path)
    followed.look()
    (tmp_path / "a.db").write_bytes(b"")
    assert followed.look()["a.db"]["state"] == "empty"


def test_one_file_can_be_followed_whatever_it_is(tmp_path):
    path = make(tmp_path / "a.db", 8)
    make(tmp_path / "b.db", 8)
    assert list(Followed(path).look()) == ["a.db"]
    (tmp_path / "text").write_text("hello")
    summary = Followed(tmp_path / "text").look()["text"]
    assert summary["state"] == "damaged"
    assert "no file of studies" in summary["problem"]


def test_a_saved_result_is_shown_as_its_study_was(tmp_path, long):
    path = shutil.copy(long, tmp_path / "a.db")
    sf.load(path).save(tmp_path / "a.json")
    followed = Followed(tmp_path)
    storage, saved = followed.look().values()
    kept = ("best", "best_number", "trials", "done", "failed", "pending", "spark", "direction")
    assert {word: storage[word] for word in kept} == {word: saved[word] for word in kept}
    assert saved["state"] == "quiet"
    rows = range(30)
    assert followed.columns("a.db").json(rows) == followed.columns("a.json").json(rows)
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "a.json").write_text(text[: len(text) // 2])
    damaged = followed.look()["a.json"]
    assert (damaged["state"], damaged["trials"]) == ("damaged", 30)


def test_a_pool_and_a_list_of_numbers_have_columns_too(tmp_path):
    rows = [{"solvent": name, "t": float(t)} for name in ("water", "oil") for t in range(5)]
    with sf.Optimizer(sf.Pool(rows), storage=tmp_path / "pool.db", seed=0, n_initial=6) as opt:
        for _ in range(6):
            trial = opt.ask()
            opt.tell(trial, trial.point["t"])
        told = [trial.point for trial in opt.trials]
    with sf.Optimizer([(0.0, 1.0), (0.0, 2.0)], storage=tmp_path / "list.db", seed=0) as opt:
        opt.tell([0.5, 1.5], 1.0)
    followed = Followed(tmp_path)
    followed.look()
    columns = followed.columns("pool.db").json(range(6))
    assert columns["params"] == {name: [point[name] for point in told] for name in ("solvent", "t")}
    assert followed.columns("list.db").json([0])["params"] == {"x[0]": [0.5], "x[1]": [1.5]}


def test_a_file_says_when_its_trials_ran_and_an_older_one_in_which_order(tmp_path):
    before = time.time()
    path = make(tmp_path / "a.db", 4)
    columns = followed(path).columns
    rows = columns.json(range(4))
    assert columns.timed
    assert all(before - 1 < begun <= ended for begun, ended in zip(rows["begun"], rows["ended"], strict=True))
    untimed = Columns()
    for kind, data in followed(path).all_facts(9):
        untimed.add(Fact(kind, {word: value for word, value in data.items() if word != "clock"}))
    rows = untimed.json(range(4))
    assert not untimed.timed
    assert (rows["begun"], rows["ended"]) == ([1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0])
    assert "worker" not in rows


def test_the_worker_that_took_a_trial_up_and_notes_come_with_the_row(tmp_path):
    columns = followed(make(tmp_path / "a.db", 2)).columns
    columns.add(Fact("claimed", {"number": 1, "worker": "host-<b>7", "clock": 12.5}))
    columns.add(Fact("noted", {"number": 0, "note": "odd\u202e", "attributes": {"operator": "Ann"}}))
    columns.add(Fact("noted", {"number": 0, "note": None, "attributes": {"sizes": [1, 2]}}))
    rows = columns.json([0, 1])
    assert rows["worker"] == [None, "host-<b>7"]
    assert rows["begun"][1] == 12.5
    assert rows["note"] == ["odd\\u202e; operator = Ann; sizes = [1, 2]", None]
