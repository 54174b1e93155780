"""Files that are damaged while they are followed, or before: what was whole is shown, with what to do."""

import os
import shutil
import sqlite3

import pytest

from suffice.record.study_file import KIND
from suffice.store.sqlite import Book, Database, Fact

from .conftest import Followed, make


def change(path, statement):
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "trials"),
    [
        ("UPDATE events SET data = replace(data, '\"number\":4', '\"number\":3') WHERE number = 10", 4),
        ("DELETE FROM events WHERE number = 8", 3),
        ("DELETE FROM events WHERE number = 17", 8),
    ],
)
def test_what_came_before_the_damage_is_shown_with_what_to_do(tmp_path, statement, trials):
    path = make(tmp_path / "a.db", 8)
    change(path, statement)
    summary = Followed(tmp_path).look()["a.db"]
    assert (summary["state"], summary["trials"]) == ("damaged", trials)
    assert f"suffice export {path} --salvage" in summary["problem"]


def test_damage_to_what_was_read_already_is_seen_and_so_is_its_repair(tmp_path):
    path = make(tmp_path / "a.db", 8)
    whole = path.read_bytes()
    followed = Followed(tmp_path)
    followed.look()
    change(path, "UPDATE events SET data = replace(data, '\"number\":1', '\"number\":2') WHERE number = 4")
    for _ in range(3):  # it stays damaged
        summary = followed.look()["a.db"]
        assert (summary["state"], summary["trials"]) == ("damaged", 8)
    path.write_bytes(whole)
    summary = followed.look()["a.db"]
    assert (summary["state"], summary["problem"], summary["trials"]) == ("running", None, 8)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_file_that_is_cut_off_keeps_what_is_known_of_it(tmp_path, long, share):
    path = shutil.copy(long, tmp_path / "a.db")
    followed = Followed(tmp_path)
    followed.look()
    os.truncate(path, int(share * path.stat().st_size))
    summary = followed.look()["a.db"]
    assert (summary["state"], summary["trials"]) == ("damaged", 30)
    assert "--salvage" in summary["problem"]


def test_an_event_that_means_nothing_ends_what_is_shown(tmp_path):
    path = make(tmp_path / "a.db", 8)
    with Database(path, KIND) as database:
        book = Book(database)
        book.read()
        book.append([Fact("asked", {"number": 8, "point": [1, 2], "origin": "model", "report": None})])
    followed = Followed(tmp_path)
    summary = followed.look()["a.db"]
    assert (summary["state"], summary["trials"]) == ("damaged", 8)
    assert "event 18" in summary["problem"]
    revision = summary["revision"]
    with Database(path, KIND) as database:
        book = Book(database)
        book.read()
        book.append([Fact("cancelled", {"number": 3, "reason": "no"})])
    assert followed.look()["a.db"]["revision"] == revision
    path.unlink()
    make(path, 3)
    summary = followed.look()["a.db"]
    assert (summary["state"], summary["trials"]) == ("running", 3)


@pytest.mark.parametrize("first", [0, 16, 100])
def test_what_sqlite_cannot_read_is_brought_out_of_the_pages(tmp_path, long, first):
    path = shutil.copy(long, tmp_path / "a.db")
    with path.open("r+b") as file:
        file.seek(first)
        file.write(b"\xff" * 8)
    followed = Followed(path)
    for _ in range(2):
        summary = followed.look()["a.db"]
        assert (summary["state"], summary["trials"], summary["done"]) == ("damaged", 30, 30)
        assert f"suffice export {path} --salvage" in summary["problem"]
