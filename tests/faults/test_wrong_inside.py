"""Stores that are whole, with right checksums, and wrong inside: each leaf of each event replaced by wrong kinds."""

import copy
import json
import re
import sqlite3

import pytest

import suffice as sf
from suffice.errors import UnreadableFile
from suffice.record.recovery import salvage
from suffice.store.sqlite import Fact, rows_of

WRONG = ["x", 5, {}, [], None, True, -1.5, {"dict": {"zzz": 1.0}}, {"is": "Status", "name": "DONE"}, 10**400]


def asking(trial):
    """An objective that defines its space, which changes in the middle of the run."""
    kind = trial.choice("kind", ["a", "b"])
    x = trial.float("x", 0.0, 1.0)
    trial.note(epochs=trial.number)
    trial.report(x, step=0)
    if trial.number == 4:
        raise RuntimeError("out of memory")
    return x + (trial.int("n", 1, 9) if kind == "a" else 0.0)


def squares(x):
    return (x[0] - 0.3) ** 2 + x[1] ** 2


@pytest.fixture(scope="module", params=["asking", "given"])
def facts(request, tmp_path_factory):
    """The events of a study with those of all kinds."""
    path = tmp_path_factory.mktemp("store") / "study.db"
    words = {"n_trials": 8, "n_initial": 3, "seed": 0, "storage": path}
    if request.param == "asking":
        sf.minimize(asking, **words)
    else:
        sf.minimize(squares, [(-1.0, 1.0), (-1.0, 1.0)], **words)
    return path, stored(path)


def stored(path):
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT kind, data FROM events ORDER BY number").fetchall()
    connection.close()
    return [Fact(kind, json.loads(data)) for kind, data in rows]


def write(path, facts):
    """The events, each with the checksum that belongs to it."""
    connection = sqlite3.connect(path)
    with connection:
        for row in rows_of(facts, 0, 0):
            connection.execute(
                "UPDATE events SET data = ?, before = ?, crc = ? WHERE number = ?",
                (row.data, row.before, row.crc, row.number),
            )
    connection.close()


def leaves(data, path=()):
    """The places of all values, those of dicts and lists too."""
    if path:
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in items:
        yield from leaves(item, (*path, key))


def replaced(fact, path, wrong):
    data = copy.deepcopy(fact.data)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = wrong
    return Fact(fact.kind, data)


def changes(facts):
    """Each place once for each kind of event, with the wrong values in turn."""
    seen = set()
    i = 0
    for n, fact in reversed(list(enumerate(facts))):
        for path in leaves(fact.data):
            place = fact.kind, path
            if place not in seen:
                seen.add(place)
                yield n, path, WRONG[i % len(WRONG)]
                i += 1


def test_what_is_wrong_inside_a_store_is_refused_by_name_or_read(facts):
    path, whole = facts
    refused = []
    try:
        for n, place, wrong in changes(whole):
            write(path, [replaced(fact, place, wrong) if i == n else fact for i, fact in enumerate(whole)])
            try:
                str(sf.load(path))
            except UnreadableFile as error:
                refused.append(str(error))
            except Exception as error:
                pytest.fail(f"{wrong!r} for {place} of event {n + 1}, {whole[n].kind}: {error!r}")
    finally:
        write(path, whole)
    assert len(refused) > 50
    wanted = r"(?s)(event \d+, \w+, cannot be read|trial \d+ cannot be made again): .*--salvage"
    assert [said for said in refused if not re.search(wanted, said)] == []


def test_the_rest_of_a_store_that_is_wrong_inside_is_salvaged(facts):
    path, whole = facts
    known = {trial.number: trial.value for trial in sf.load(path).trials}
    last = max(n for n, fact in enumerate(whole) if fact.kind == "asked" and fact.data["report"])
    number = whole[last].data["number"]
    try:
        for place, wrong in [
            (("report", "binding"), 5),
            (("report", "kind"), {}),
            (("point",), {"dict": {"zzz": 5.0}}),
        ]:
            write(path, [replaced(fact, place, wrong) if i == last else fact for i, fact in enumerate(whole)])
            with pytest.raises(UnreadableFile, match=rf"event {last + 1}, asked, cannot be read: .*--salvage"):
                sf.Optimizer.resume(path)
            found = salvage(path)
            assert {trial.number: trial.value for trial in found.trials}.items() <= known.items()
            assert number not in [trial.number for trial in found.trials]
            assert f"event {last + 1}, asked, cannot be read" in found.lost[0]
    finally:
        write(path, whole)


def test_an_error_inside_a_property_is_shown_as_it_is(monkeypatch):
    def broken(_):
        return (5).outcome

    monkeypatch.setattr(sf.Optimizer, "history", property(broken))
    with pytest.raises(AttributeError, match="'int' object has no attribute 'outcome'"):
        _ = sf.Optimizer([(0.0, 1.0)]).history
