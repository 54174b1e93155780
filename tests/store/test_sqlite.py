"""An SQLite file of one kind: made, migrated, refused by name where it is another one, written in transactions."""

import os
import sqlite3
from dataclasses import replace

import pytest

from suffice.errors import UnreadableFile, UnusableFile
from suffice.store import sqlite
from suffice.store.sqlite import Database, Kind

FIRST = Kind("notes", 0x4E4F5445, (("CREATE TABLE notes (text TEXT NOT NULL)",),))
SECOND = replace(FIRST, migrations=(*FIRST.migrations, ("ALTER TABLE notes ADD COLUMN stars INTEGER",)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a folder" / "notes.db"


def add(database, text):
    with database.writing() as db:
        db.execute("INSERT INTO notes (text) VALUES (?)", (text,))


def texts(database):
    with database.reading() as db:
        return [text for (text,) in db.execute("SELECT text FROM notes ORDER BY rowid")]


def test_what_is_written_is_there_when_the_file_is_opened_again(path):
    with Database(path, FIRST) as database:
        add(database, "one")
    with Database(path, FIRST) as database:
        assert texts(database) == ["one"]
    assert [file.name for file in path.parent.iterdir()] == ["notes.db"]


def test_an_older_file_gets_what_it_lacks_and_keeps_what_it_has(path):
    with Database(path, FIRST) as database:
        add(database, "one")
    for _ in range(2):  # the second time there is nothing left to do
        with Database(path, SECOND) as database, database.reading() as db:
            assert db.execute("SELECT text, stars FROM notes").fetchall() == [("one", None)]
    with pytest.raises(UnreadableFile, match=r"notes\.db has version 2, this suffice uses version 1; upgrade"):
        Database(path, FIRST)


def test_a_migration_that_fails_leaves_the_file_as_it_was(path):
    Database(path, FIRST).close()
    broken = replace(SECOND, migrations=(*SECOND.migrations, ("ALTER TABLE absent ADD COLUMN x INTEGER",)))
    with pytest.raises(UnusableFile, match="no such table"):
        Database(path, broken)
    with Database(path, FIRST) as database:
        assert texts(database) == []


def test_an_exception_takes_everything_back(path):
    def fails(database):
        with database.writing() as db:
            db.execute("INSERT INTO notes (text) VALUES ('two')")
            raise KeyboardInterrupt

    with Database(path, FIRST) as database:
        add(database, "one")
        with pytest.raises(KeyboardInterrupt):
            fails(database)
        assert texts(database) == ["one"]
        add(database, "three")
        assert texts(database) == ["one", "three"]


def test_a_file_of_another_kind_is_refused_and_stays_as_it_is(path):
    Database(path, FIRST).close()
    before = path.read_bytes()
    with pytest.raises(UnreadableFile, match="is an SQLite file, but not one of stamps"):
        Database(path, replace(FIRST, name="stamps", application=1))
    assert path.read_bytes() == before


def test_a_version_that_no_file_has_is_refused(path):
    Database(path, FIRST).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = -1")
    connection.close()
    with pytest.raises(UnreadableFile, match="it was changed"):
        Database(path, FIRST)


def test_a_file_with_two_names_is_read_but_not_written(path, tmp_path):
    Database(path, FIRST).close()
    other = tmp_path / "other.db"
    os.link(path, other)
    for name in (path, other):
        with pytest.raises(UnusableFile, match=r"has 2 names.*write to a copy"):
            Database(name, FIRST)
        with Database.unprepared(name, FIRST, "mode=ro") as database:
            assert database.version() == FIRST.version


def test_damaged_text_is_damage_and_not_a_passing_trouble(path):
    with Database(path, FIRST) as database:
        add(database, "one")
        with database.writing() as db:
            db.execute("UPDATE notes SET text = CAST(x'ff' AS TEXT)")
        with pytest.raises(UnreadableFile, match=r"notes\.db is damaged: Could not decode"):
            texts(database)


def test_a_wrong_use_is_not_blamed_on_the_file(path):
    with Database(path, FIRST) as database, pytest.raises(sqlite3.IntegrityError), database.writing() as db:
        db.execute("INSERT INTO notes (text) VALUES (NULL)")


def test_a_file_that_stays_locked_is_an_error_that_names_it(path, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE", 0.01)
    locked = pytest.raises(UnusableFile, match=r"notes\.db cannot be used: database is locked")
    with Database(path, FIRST) as first, Database(path, FIRST) as second, first.writing(), locked:
        add(second, "two")


def test_a_reader_has_one_state_and_hinders_no_writer(path, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE", 0.0)
    with Database(path, FIRST) as one, Database(path, FIRST) as other:
        add(one, "first")
        with one.reading() as db:
            count = "SELECT count(*) FROM notes"
            before = db.execute(count).fetchone()
            add(other, "second")
            assert db.execute(count).fetchone() == before == (1,)
        assert texts(one) == ["first", "second"]


def test_what_belongs_to_a_row_goes_with_it(path):
    answers = "CREATE TABLE answers (text TEXT, note INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE)"
    keyed = Kind("notes", 0x4E4F5445, (("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)", answers),))
    with Database(path, keyed) as database:
        with database.writing() as db:
            db.execute("INSERT INTO notes VALUES (1, 'a'), (2, 'b')")
            db.execute("INSERT INTO answers VALUES ('to a', 1), ('to b', 2)")
            db.execute("DELETE FROM notes WHERE id = 1")
        with database.reading() as db:
            assert db.execute("SELECT text FROM answers").fetchall() == [("to b",)]
