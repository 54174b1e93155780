"""Files that were made to hurt: each is refused in a sentence, and the others are followed as if it were not there."""

import json
import sqlite3

import pytest

from suffice.dashboard import files, follow
from suffice.record.study_file import KIND
from suffice.store.sqlite import Book, Database, checksum

from .conftest import followed, make

COLUMNS = "1 AS number, 'x' AS kind, {data} AS data, 0 AS before, 0 AS crc"
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT {columns} FROM r WHERE n < 0"
REST = "kind TEXT, data TEXT GENERATED ALWAYS AS (hex(zeroblob(400000000))), before INTEGER, crc INTEGER"


def of_our_kind(path, *statements):
    """An SQLite file that says it is a study."""
    connection = sqlite3.connect(path)
    for statement in ("CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)", *statements):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {KIND.application}")
    connection.execute(f"PRAGMA user_version = {KIND.version}")
    connection.commit()
    connection.close()


def storage(path, *events):
    """A store of events that were never checked; the first of them is that of a real study."""
    make(path, 1)
    with Database(path, KIND) as database, database.writing() as connection:
        connection.execute("DELETE FROM events WHERE number > 1")
        (crc,) = connection.execute("SELECT crc FROM events").fetchone()
        for number, (kind, data) in enumerate(events, 2):
            before, crc = crc, checksum(number, kind, data, crc)
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (number, kind, data, before, crc))
        connection.execute("UPDATE sqlite_sequence SET seq = ?", (len(events) + 1,))
    return path


def asked(number, x="0.5", n="3"):
    return "asked", f'{{"number": {number}, "point": [{x}, 0.1, {n}, "a"], "origin": "design", "report": null}}'


def told(number, value):
    return "told", f'{{"number": {number}, "values": {{"value": {value}}}, "noise_var": null, "seconds": null}}'


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW events AS " + ENDLESS.format(columns=COLUMNS.format(data="'{}'")),
        "CREATE VIEW events AS SELECT " + COLUMNS.format(data="hex(zeroblob(400000000))"),
        f"CREATE TABLE events (number INTEGER PRIMARY KEY, {REST})",
        "CREATE TRIGGER more AFTER INSERT ON t BEGIN DELETE FROM t; END",
    ],
)
def test_a_file_that_has_its_reader_compute_is_not_read(tmp_path, serve, statement):
    of_our_kind(tmp_path / "evil.db", statement)
    make(tmp_path / "good.db", 2)
    site = serve(tmp_path)
    assert site.loaded("good.db")["done"] == 2
    evil = site.loaded("evil.db")
    assert (evil["state"], evil["trials"]) == ("damaged", 0)
    assert "that do not belong to a file of" in evil["problem"]


@pytest.mark.parametrize(
    "events",
    [
        [asked(0), told(0, "Infinity")],
        [asked(0), told(0, "1e999")],
        [asked(0), told(0, "NaN")],
        [asked(0), told(0, "9" * 400)],
        [asked(0, x="-1e999")],
        [asked(0, n="NaN")],
        [asked(0, n="9" * 400)],
    ],
)
def test_a_number_that_json_does_not_have_damages_its_own_study_alone(tmp_path, serve, events):
    storage(tmp_path / "evil.db", *events)
    make(tmp_path / "good.db", 2)
    site = serve(tmp_path)
    evil = site.loaded("evil.db")
    assert (evil["state"], evil["best"]) == ("damaged", None)
    assert site.loaded("good.db")["done"] == 2
    assert site.get(f"/api/studies/{evil['id']}")["trials"]["value"] == [None] * evil["trials"]


def test_an_event_that_is_too_long_is_not_read(tmp_path, monkeypatch, serve):
    monkeypatch.setattr(files, "LARGEST", 100_000)
    reason = json.dumps({"number": 0, "reason": "A" * 200_000, "cause": "raised", "seconds": None})
    storage(tmp_path / "long.db", asked(0), ("failed", reason))
    summary = serve(tmp_path).loaded("long.db")
    assert summary["state"] == "damaged"
    assert "too big" in summary["problem"]


def test_large_events_are_read_in_smaller_portions(tmp_path, monkeypatch):
    path = make(tmp_path / "a.db", 30)
    with Database(path, KIND) as database:
        lengths = [len(json.dumps(fact.data, separators=(",", ":"))) for fact in Book(database).read()]
    monkeypatch.setattr(files, "PORTION", 5000)
    reader, sizes = files.Tail(path), []
    while (portion := reader.read()).more:
        sizes.append(len(portion.facts))
    sizes.append(len(portion.facts))
    assert sum(sizes) == len(lengths)
    assert min(sizes) >= 1
    for i, size in enumerate(sizes):
        start = sum(sizes[:i])
        assert size == 1 or sum(lengths[start : start + size]) <= 5000
    study = followed(path)
    assert (study.columns.counts["done"], study.problem) == (30, None)


def test_a_folder_that_becomes_a_link_leads_nowhere(tmp_path, serve):
    make(tmp_path / "runs" / "sub" / "a.db", 2)
    make(tmp_path / "elsewhere" / "a.db", 5)
    site = serve(tmp_path / "runs")
    assert site.loaded("sub/a.db")["trials"] == 2
    with site.events() as events:
        (tmp_path / "runs" / "sub").rename(tmp_path / "old")
        (tmp_path / "runs" / "sub").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
        events.until(lambda _, data: [study["state"] for study in data["studies"]] == ["gone"])
        make(tmp_path / "runs" / "b.db", 1)
        events.until(lambda _, data: any(study["name"] == "b.db" for study in data["studies"]))
    assert list(site.studies()) == ["b.db"]


def test_the_folder_itself_may_become_a_link(tmp_path, serve):
    make(tmp_path / "runs" / "a.db", 2)
    site = serve(tmp_path / "runs")
    site.loaded("a.db")
    (tmp_path / "runs").rename(tmp_path / "larger")
    (tmp_path / "runs").symlink_to(tmp_path / "larger", target_is_directory=True)
    make(tmp_path / "larger" / "b.db", 1)
    assert list(site.until(lambda studies: len(studies) == 2)) == ["a.db", "b.db"]


def test_a_large_study_that_somebody_looks_at_leaves_the_others_their_turn(tmp_path, monkeypatch):
    make(tmp_path / "large.db", 12)
    make(tmp_path / "small.db", 1)
    monkeypatch.setattr(follow, "PAUSE", 0.0)
    monkeypatch.setattr(files, "PORTION", 1)  # an event at a time
    following = follow.Watcher(tmp_path)
    following._search()
    large, small = (
        next(s for s in following.studies.values() if s.name == f"{name}.db") for name in ("large", "small")
    )
    large.wanted = True
    for _ in range(4):
        following.step()
    assert (large.summary["state"], large.summary["trials"], small.summary["done"]) == ("loading", 2, 1)
    for _ in range(24):
        following.step()
    assert (large.summary["done"], large.wanted) == (12, False)


def test_a_file_that_may_be_read_only_later_is_found_then(tmp_path, monkeypatch):
    path = make(tmp_path / "a.db", 1)
    found = files.Folder(tmp_path)
    with monkeypatch.context() as forbidden:
        forbidden.setattr(files, "sort_of", lambda _: None)  # root may read everything
        assert found.studies() == []
    path.chmod(0o640)
    assert found.studies() == ["a.db"]
