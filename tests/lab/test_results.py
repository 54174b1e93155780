"""The results file: what goes in comes out, each run whole or not at all, and no other file is touched."""

import math
import sqlite3
from collections import deque
from dataclasses import replace

import numpy as np
import pytest

import suffice
from suffice.errors import UnreadableFile, UnusableFile
from suffice.lab.plan import Job, Method, Task
from suffice.lab.results import COLUMNS, KIND, Results, Row, Trace
from suffice.store import sqlite

POINT = (0.1, 3, "a ü 𝄞", None, True, 5e-324)


def job(seed=0, *, plan="plan", problem="branin", method="grid"):
    return Job(plan, Task(problem, 4, 3), Method(method, method, dict), seed)


def trace(values):
    """A run whose numbers are the given ones in turn, (T, 14); t and n_evals are whole."""
    rows = []
    for t, numbers in enumerate(np.asarray(values).tolist(), 1):
        filled = dict(zip([name for name in COLUMNS if name != "t"], numbers, strict=True))
        rows.append(Row(t=t, **filled | {"n_evals": 100 * t}))
    return Trace(tuple(rows), (POINT,) * len(rows), 0.1 + 0.2, math.pi, ("numerical trouble: “so it is”",))


SMALL = trace(np.arange(28.0).reshape(2, 14))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a folder" / "results.db"


@pytest.fixture
def results(path):
    with Results(path) as results:
        yield results


def test_a_run_is_read_back_bit_for_bit(results):
    bits = np.random.default_rng(0).integers(0, 2**64, size=(500, 14), dtype=np.uint64)  # every kind of float
    values = bits.view(np.float64)
    values[0] = [0.1, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 2.0**53 + 2, *(math.nan,) * 7]
    written = trace(values)
    results.add(job(), "digest", written)
    (run,) = results.runs()
    assert (run.plan, run.problem, run.method, run.seed) == ("plan", "branin", "grid", 0)
    assert (run.initial, run.seconds, run.notes) == (0.1 + 0.2, math.pi, written.notes)
    assert run.version == suffice.__version__
    assert tuple(run.columns) == COLUMNS
    for name in COLUMNS:
        assert run.columns[name].dtype == np.float64
        np.testing.assert_array_equal(run.columns[name], [getattr(row, name) for row in written.rows])
    assert run.points == written.points
    assert [type(value) for value in run.points[0]] == [type(value) for value in POINT]


def test_nan_is_null_in_the_file(results, path):
    results.add(job(), "digest", replace(SMALL, rows=(replace(SMALL.rows[0], gap=math.nan),), points=(POINT,)))
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT gap, eta IS NULL FROM steps").fetchall() == [(None, 0)]
    db.close()


def test_a_run_without_iterations_or_a_known_start_is_read_back(results):
    results.add(job(), "digest", Trace((), (), math.nan, math.nan))
    (run,) = results.runs()
    assert math.isnan(run.initial)
    assert math.isnan(run.seconds)
    assert {len(column) for column in run.columns.values()} == {0}
    assert len(run.cumulative) == 0


def test_the_columns_of_the_tables_are_those_of_version_2(results, path):
    """If this fails, old files lack a column: add a migration to KIND that gives it to them."""
    assert KIND.version == 2
    with sqlite3.connect(path) as db:
        tables = {
            table: " ".join(row[1] for row in db.execute(f"PRAGMA table_info({table})")) for table in ("runs", "steps")
        }
    db.close()
    assert tables == {
        "runs": "id key plan problem method seed digest initial seconds notes version checksum",
        "steps": "run t value regret fit bind solve report objective n_evals gap eta width "
        "audited_gap audited_eta audited_inaccuracy point",
    }


def test_runs_come_by_plan_and_in_order(results):
    for seed in (10, 9, 0):
        for method in ("uniform", "cg"):
            for problem in ("levy5", "branin"):
                results.add(job(seed, method=method, problem=problem), "digest", SMALL)
    results.add(job(plan="other"), "digest", SMALL)
    cells = [(run.problem, run.method, run.seed) for run in results.runs("plan")]
    assert cells == sorted(cells)
    assert len(cells) == 12
    assert len(results.runs()) == 13
    assert [run.plan for run in results.runs("other")] == ["other"]
    assert results.runs("neither") == []


def test_a_run_replaces_the_one_of_the_same_key(results):
    results.add(job(0), "old", trace(np.zeros((5, 14))))
    results.add(job(1), "same", SMALL)
    results.add(job(0), "new", SMALL)
    assert results.finished() == {job(0).key: "new", job(1).key: "same"}
    assert [len(run.points) for run in results.runs()] == [2, 2]


def test_a_run_that_cannot_be_written_leaves_the_earlier_one_whole(results):
    results.add(job(), "old", SMALL)
    for wrong in (replace(SMALL, points=(POINT,)), replace(SMALL, points=(POINT, (object(),)))):
        with pytest.raises((ValueError, TypeError)):
            results.add(job(), "new", wrong)
    assert results.finished() == {job().key: "old"}
    assert [len(run.points) for run in results.runs()] == [2]


def test_the_file_is_one_file_again_once_it_is_closed(path):
    with Results(path) as results:
        results.add(job(), "digest", SMALL)
    assert [file.name for file in path.parent.iterdir()] == ["results.db"]
    with Results(path) as results:
        assert results.finished() == {job().key: "digest"}


def test_a_reader_sees_whole_runs_while_another_writes(results, path):
    with Results(path) as reader:
        for seed in range(5):
            results.add(job(seed), "digest", SMALL)
            assert [len(run.points) for run in reader.runs()] == [2] * (seed + 1)


# ------------------------------------------------------------------ files that are something else


def _text(path):
    path.write_text("seed,regret\n" + "0,1.0\n" * 500, encoding="utf-8")


def _other_database(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE runs (id INTEGER)")
    db.close()


def _newer(path):
    with Results(path) as results:
        results.add(job(), "digest", SMALL)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 7")
    db.close()


def _damaged(path):
    Results(path).close()
    content = bytearray(path.read_bytes())
    content[100:400] = bytes(300)  # the head of the table of tables
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_text, "is no file of results, or damaged"),
        (_other_database, "is an SQLite file, but not one of results"),
        (_newer, "has version 7, this suffice uses version 2"),
        (_damaged, "is no file of results, or damaged"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_name_and_left_alone(tmp_path, make, why):
    path = tmp_path / "results.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(UnreadableFile, match=why) as caught:
        Results(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_file_is_a_new_one(tmp_path):
    path = tmp_path / "results.db"
    path.touch()  # what is left of a program that was killed at its first step
    with Results(path) as results:
        assert results.finished() == {}


def test_a_folder_or_a_file_in_the_way_is_an_error_that_names_it(tmp_path):
    with pytest.raises(UnusableFile, match="cannot be used") as caught:
        Results(tmp_path)
    assert str(tmp_path) in str(caught.value)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        Results(tmp_path / "file" / "results.db")


def test_a_file_that_stays_locked_is_an_error_that_names_it(path, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE", 0.01)
    with Results(path) as results:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnusableFile, match=r"results\.db cannot be used: database is locked"):
            results.add(job(), "digest", SMALL)
        other.execute("ROLLBACK")
        other.close()
        results.add(job(), "digest", SMALL)
        assert len(results.runs()) == 1


def test_a_full_disk_is_an_error_that_loses_no_earlier_run(path):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    large, seeds = trace(np.random.default_rng(0).random((100, 14))), iter(range(100))
    with Results(path) as results:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
            with pytest.raises(UnusableFile, match=r"results\.db cannot be used"):
                deque(results.add(job(seed), "digest", large) for seed in seeds)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        added = next(seeds) - 1  # and one more that was refused
        assert 0 < added < 98
        assert [len(run.points) for run in results.runs()] == [100] * added
        results.add(job(added), "digest", large)
    with Results(path) as results:
        assert [run.seed for run in results.runs()] == list(range(added + 1))


# ------------------------------------------------------------------ damage


def changed(path, statement, *values):
    with sqlite3.connect(path) as db:
        db.execute(statement, values)
    db.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET seed = 3 WHERE seed = 1",
        "UPDATE runs SET method = 'gris' WHERE seed = 1",
        "UPDATE runs SET initial = -initial WHERE seed = 1",
        "UPDATE runs SET notes = '[\"numerical' WHERE seed = 1",
        "UPDATE runs SET checksum = checksum + 1 WHERE seed = 1",
        "UPDATE steps SET regret = regret + 1e-9 WHERE run = 2 AND t = 2",
        "UPDATE steps SET regret = NULL WHERE run = 2 AND t = 2",
        "UPDATE steps SET regret = 'no number' WHERE run = 2 AND t = 2",
        "UPDATE steps SET point = '[0.1' WHERE run = 2 AND t = 1",
        "DELETE FROM steps WHERE run = 2 AND t = 1",
    ],
)
def test_a_run_that_was_changed_is_named_and_made_again(statement, results, path):
    for seed in range(3):
        results.add(job(seed), "digest", SMALL)
    changed(path, statement)
    with pytest.raises(UnreadableFile, match=r"results\.db is damaged: the run plan/branin/grid/1 does not match"):
        results.runs()
    assert job(1).key not in results.finished()
    assert {job(0).key, job(2).key} <= results.finished().keys()
    results.add(job(1), "digest", SMALL)
    assert [run.seed for run in results.runs()] == [0, 1, 2]


def test_a_flipped_bit_is_never_taken_for_a_result(path):
    with Results(path) as results:
        for seed in range(3):
            results.add(job(seed), "digest", SMALL)
        whole = {run.key: repr((run, dict(run.columns), run.points)) for run in results.runs()}
    before, rng, noticed = path.read_bytes(), np.random.default_rng(0), 0
    for place, bit in zip(rng.integers(len(before), size=200), rng.integers(8, size=200), strict=True):
        content = bytearray(before)
        content[place] ^= 1 << bit
        path.write_bytes(content)
        try:
            with Results(path) as results:
                found = {run.key: repr((run, dict(run.columns), run.points)) for run in results.runs()}
        except (UnreadableFile, UnusableFile):
            noticed += 1
            continue
        assert found.items() <= whole.items()
    assert noticed > 0


def test_a_file_of_version_1_is_opened_and_its_runs_are_taken_as_they_are(path):
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        for statement in KIND.migrations[0]:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {KIND.application}")
        db.execute("PRAGMA user_version = 1")
        for i in range(2):
            row = (i, job(i).key, "plan", "branin", "grid", i, "digest", 0.5, 2.0, "[]", "0.1")
            db.execute(f"INSERT INTO runs VALUES ({', '.join('?' * 11)})", row)
        db.execute(f"INSERT INTO steps VALUES ({', '.join('?' * 17)})", (0, 1, *[0.5] * 7, 10, *[0.25] * 6, "[1, 2]"))
    db.close()
    with Results(path) as results:
        assert results.finished() == {job(i).key: "digest" for i in range(2)}
        first, _ = results.runs()
        assert first.points == ((1, 2),)
        results.add(job(1), "digest", SMALL)
        assert [len(run.points) for run in results.runs()] == [1, 2]
    changed(path, "UPDATE steps SET point = '[1, 2' WHERE run = 0")
    with Results(path) as results, pytest.raises(UnreadableFile, match="grid/0 cannot be read"):
        results.runs()
