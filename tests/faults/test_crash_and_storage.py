"""Crash and storage: whatever ends the program or happens to its file, nothing that was told is lost, and all is said.

A SIGKILL leaves the files as they are at that instant, so that a copy of them is what a killed program leaves behind;
`python -m research.benchmarks.kills` kills for real, hundreds of times, and one test here does so once. NFS and
Windows: what is promised there is in docs/howto/store.md; the lock is one of the operating system on a plain file, and
no links are made.
"""

import contextlib
import copy
import json
import os
import pickle
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

import suffice as sf
from suffice.errors import DifferentStudy, NotStored, UnreadableFile, UnusableFile
from suffice.record import study_file as file_journal
from suffice.record.recovery import salvage
from suffice.record.settings import Opaque
from suffice.store.sqlite import Database, Kind

posix = pytest.mark.skipif(os.name != "posix", reason="limits, signals and owners are POSIX")
FAST = sf.solvers.Grid(size=sf.solvers.Fixed(40))
SPACE = sf.Space(x=sf.Float(0, 1), kind=sf.Choice("a", "b"))
OPTIONS = {"seed": 1, "n_initial": 3, "solver": FAST, "model": sf.GP(warp=False)}


def value(point):
    return (point["x"] - 0.3) ** 2 + (point["kind"] == "a")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture
def study(path):
    with sf.Optimizer(SPACE, storage=path, **OPTIONS) as opt:
        yield opt


def drive(opt, n):
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, value(trial.point))


def killed(path, folder):
    """The files of a study as a SIGKILL now would leave them."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        if os.path.exists(f"{path}{suffix}"):
            shutil.copy(f"{path}{suffix}", folder / f"{path.name}{suffix}")
    return folder / path.name


def facts(opt):
    return [(t.number, t.point, t.state, t.values, t.reason, t.solve and t.solve.value) for t in opt.trials]


# ---------------------------------------------------------------------- 27, 31: killed


class Killed(RuleBasedStateMachine):
    """A stored study that is killed now and then, beside one in memory that lives on."""

    pending = Bundle("pending")

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self.root, self.lives = Path(self.folder.name), 0
        self.path = self.root / "study.db"
        self.stored = sf.Optimizer(SPACE, storage=self.path, **OPTIONS)
        self.twin = sf.Optimizer(SPACE, **OPTIONS)

    def teardown(self):
        self.stored.close()
        self.folder.cleanup()

    def both(self, act):
        for opt in (self.stored, self.twin):
            act(opt)

    @rule(target=pending, n=st.integers(1, 3))
    def ask(self, n):
        first = len(self.twin.trials)
        self.both(lambda opt: opt.ask(n))
        return first

    @rule(number=pending, y=st.floats(-5, 5))
    def tell(self, number, y):
        if self.twin.trials[number].state != "done":
            self.both(lambda opt: opt.tell(opt.trials[number], y, seconds=0.1))

    @rule(number=pending)
    def fail(self, number):
        if self.twin.trials[number].state != "done":
            self.both(lambda opt: opt.fail(opt.trials[number], "no luck"))

    @rule(number=pending)
    def cancel(self, number):
        self.both(lambda opt: opt.cancel(opt.trials[number]))

    @rule(x=st.floats(0, 1), y=st.sampled_from([0.5, float("nan"), float("inf")]))
    def tell_foreign(self, x, y):
        self.both(lambda opt: opt.tell({"x": x, "kind": "b"}, y))

    @rule()
    def kill(self):
        self.lives += 1
        copy = killed(self.path, self.root / str(self.lives))
        self.stored.close()
        self.path = copy
        self.stored = sf.Optimizer.resume(copy)

    @rule()
    def close_and_continue(self):
        self.stored.close()
        self.stored = sf.Optimizer(SPACE, storage=self.path, **OPTIONS)

    @invariant()
    def nothing_is_lost_and_all_is_the_same(self):
        assert facts(self.stored) == facts(self.twin)
        assert [t.number for t in self.stored.pending] == [t.number for t in self.twin.pending]


TestKilled = Killed.TestCase
TestKilled.settings = settings(
    max_examples=5, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)

VICTIM = """
import sys, time
import suffice as sf

def f(point):
    print(point["x"], flush=True)
    time.sleep(0.01)
    return point["x"] ** 2

told = lambda result: print("told", result.trials[-1].number, result.trials[-1].value, flush=True)
sf.minimize(f, {"x": (0.0, 1.0)}, 30, seed=0, n_initial=30, storage=sys.argv[1], callback=told)
"""


@posix
def test_27_33_a_killed_program_has_lost_nothing_and_its_lock_is_gone_at_once(path):
    told = {}
    for lines in (9, 13):
        victim = subprocess.Popen([sys.executable, "-c", VICTIM, path], stdout=subprocess.PIPE, text=True)
        said = [victim.stdout.readline().split() for _ in range(lines)]
        with pytest.raises(UnusableFile, match=f"written by another process .process {victim.pid} on"):
            sf.Optimizer.resume(path)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        victim.stdout.close()
        told |= {int(words[1]): float(words[2]) for words in said if words[0] == "told"}
        with sf.Optimizer.resume(path) as opt:
            assert told.items() <= {trial.number: trial.value for trial in opt.trials}.items()
            assert [trial.number for trial in opt.pending] in ([], [len(opt.trials) - 1])
    assert len(told) >= 9


def test_27_a_trial_pending_at_the_kill_is_evaluated_again_first_or_cancelled_by_hand(path, tmp_path):
    with sf.Optimizer({"x": (0.0, 1.0)}, storage=path, seed=0, n_initial=4) as opt:
        first, second = opt.ask(2)
    for choice, states in (("again", ["done"] * 4), ("drop", ["cancelled"] * 2 + ["done"] * 4)):
        points, copy = [], killed(path, tmp_path / choice)
        if choice == "drop":
            with sf.Optimizer.resume(copy) as left:
                for trial in left.pending:
                    left.cancel(trial)
        result = sf.minimize(
            lambda p, seen=points: seen.append(p) or p["x"],
            {"x": (0.0, 1.0)},
            4,
            storage=copy,
        )
        assert [trial.state for trial in result.trials] == states
        assert (points[:2] == [first.point, second.point]) == (choice == "again")


def test_27_a_program_killed_before_its_first_event_leaves_a_file_that_can_begin(path):
    for content in ("empty", "tables"):
        path.touch() if content == "empty" else Database(path, file_journal.KIND).close()
        with pytest.raises(UnreadableFile):
            sf.load(path)
        with pytest.raises(UnreadableFile, match="holds no study yet"):
            sf.Optimizer.resume(path)
        with sf.Optimizer(SPACE, storage=path) as opt:
            assert opt.trials == ()
        path.unlink()


# ---------------------------------------------------------------------- 28, 30, 35, 50: the content


def test_28_a_torn_tail_costs_the_last_events_only_and_writing_goes_on(study, path, tmp_path):
    drive(study, 6)
    size = os.path.getsize(f"{path}-wal")
    for i, cut in enumerate((size - 1, size - 5000, size // 2, 40)):
        torn = killed(path, tmp_path / str(i))
        os.truncate(f"{torn}-wal", cut)
        if i == 3:  # what was made before the log began is there: the tables
            with pytest.raises(UnreadableFile, match="holds no study yet"):
                sf.load(torn)
            continue
        with sf.Optimizer.resume(torn) as opt:
            known = facts(opt)
            done = [trial.number for trial in opt.trials if trial.state == "done"]
            assert [k for k in known if k[0] in done] == [k for k in facts(study) if k[0] in done]
            assert len(done) >= (5 if i == 0 else 1)
            drive(opt, 1)


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_30_damage_in_the_log_of_a_killed_study_is_found_and_all_that_is_whole_comes_out(study, path, tmp_path, place):
    drive(study, 8)
    copy = killed(path, tmp_path / "copy")
    log = Path(f"{copy}-wal")
    data = bytearray(log.read_bytes())
    data[int(place * len(data))] ^= 16
    log.write_bytes(data)
    for read in (sf.load, sf.Optimizer.resume, lambda path: sf.Optimizer(SPACE, storage=path), sf.load):
        with pytest.raises(UnreadableFile, match=r"damaged: its log has event \d+, .*suffice export .*db --salvage"):
            read(copy)
        assert log.read_bytes() == data
    assert len(salvage(copy).trials) == 8


def test_32_a_run_whose_file_another_optimizer_takes_over_ends_with_its_result(path):
    def f(point):
        sf.Optimizer.resume(path).close()
        return point["x"]

    with pytest.raises(UnusableFile, match="has taken over") as caught:
        sf.minimize(f, SPACE, 4, storage=path, **OPTIONS)
    assert [trial.state for trial in caught.value.result.trials] == ["pending"]


def test_a_log_that_was_left_over_by_a_study_that_was_removed_means_nothing(study, path, tmp_path):
    drive(study, 4)
    copy = killed(path, tmp_path / "copy")
    copy.unlink()
    with sf.Optimizer(SPACE, storage=copy) as opt:
        assert opt.trials == ()


@pytest.mark.parametrize("statement", ["DELETE FROM events WHERE number = 4", "UPDATE events SET crc = 7"])
def test_30_damage_in_the_middle_is_found_and_the_way_out_is_named(study, path, statement):
    drive(study, 3)
    study.close()
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    for read in (sf.load, sf.Optimizer.resume, lambda path: sf.Optimizer(SPACE, storage=path)):
        with pytest.raises(UnreadableFile, match=r"damaged: event \d .*suffice export .*study\.db --salvage"):
            read(path)


def test_35_a_newer_file_is_refused_with_both_versions(study, path):
    study.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    for read in (sf.load, sf.Optimizer.resume):
        with pytest.raises(UnreadableFile, match="has version 7, this suffice uses version 1; upgrade"):
            read(path)


def test_35_an_older_file_is_brought_up_to_date_and_only_by_who_writes_it(study, path, monkeypatch):
    drive(study, 2)
    study.close()
    kind = file_journal.KIND
    more = (*kind.migrations, ("ALTER TABLE events ADD COLUMN mood TEXT",))
    monkeypatch.setattr(file_journal, "KIND", Kind(kind.name, kind.application, more, kind.remedy))
    before = path.read_bytes()
    assert len(sf.load(path).trials) == 2
    assert path.read_bytes() == before
    with sf.Optimizer.resume(path) as opt:
        drive(opt, 2)
    assert len(sf.load(path).trials) == 4


def test_35_another_database_is_refused_and_stays_as_it_is(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    before = path.read_bytes()
    for read in (sf.load, lambda path: sf.Optimizer(SPACE, storage=path)):
        with pytest.raises(UnreadableFile, match="is an SQLite file, but not one of studies"):
            read(path)
    assert path.read_bytes() == before


@dataclass(frozen=True)
class Mine:
    """Somebody's own acquisition."""

    pull: float = 1.0

    def __call__(self, beliefs, domain, *, step, rng):
        return sf.UCB(sf.acquisition.Constant(self.pull))(beliefs, domain, step=step, rng=rng)


def test_50_a_study_with_a_part_that_is_not_known_gives_its_trials_and_says_what_to_give(path, caplog):
    whole = sf.Optimizer(SPACE, acquisition=Mine(2.0), **OPTIONS)
    drive(whole, 7)
    with sf.Optimizer(SPACE, acquisition=Mine(2.0), storage=path, **OPTIONS) as opt:
        drive(opt, 5)
    assert sf.load(path).settings.acquisition == Opaque("Mine(pull=2.0)")
    assert len(sf.load(path).trials) == 5
    with sf.Optimizer.resume(path) as opt:
        assert "the acquisition of this study is known only by its description: Mine(pull=2.0)" in caplog.text
        with pytest.raises(TypeError, match=r"Mine\(pull=2.0\)"):
            opt.ask()
    with pytest.raises(DifferentStudy, match=r"acquisition: Mine\(pull=2.0\) -> Mine\(pull=3.0\)"):
        sf.Optimizer.resume(path, acquisition=Mine(3.0))
    with sf.Optimizer.resume(path, acquisition=Mine(2.0)) as opt:
        drive(opt, 2)
        assert facts(opt) == facts(whole)


def rewritten(path, number, change):
    """The file with another content, and the checksums that belong to it."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT number, kind, data FROM events ORDER BY number").fetchall()
        crc = 0
        for n, kind, data in rows:
            content = json.loads(data)
            kind, content = change(kind, content) if n == number else (kind, content)
            text = json.dumps(content)
            before, crc = crc, zlib.crc32(f"{n}\n{kind}\n{text}".encode(), crc)
            row = (kind, text, before, crc, n)
            connection.execute("UPDATE events SET kind = ?, data = ?, before = ?, crc = ? WHERE number = ?", row)
    connection.close()


def spaced(data, space):
    return data | {"settings": data["settings"] | {"space": space}}


HOSTILE = {
    "a name to import": (1, lambda kind, data: (kind, spaced(data, {"is": "os.system"}))),
    "a part of Python": (1, lambda kind, data: (kind, spaced(data, {"is": "eval", "source": "1"}))),
    "no settings": (1, lambda kind, data: (kind, {})),
    "no object": (2, lambda kind, data: (kind, [1, 2])),
    "a kind that is none": (2, lambda kind, data: ("__init__", data)),
    "words that do not belong": (3, lambda kind, data: (kind, data | {"__class__": "x"})),
    "a trial that was never asked": (3, lambda kind, data: (kind, data | {"number": 10**9})),
    "a point that is none": (2, lambda kind, data: (kind, data | {"point": ["a" * 10**5, None]})),
    "a value that is none": (3, lambda kind, data: (kind, data | {"values": {"value": "0"}})),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_50_a_hostile_file_is_refused_and_nothing_in_it_is_run(study, path, what):
    drive(study, 2)
    study.close()
    rewritten(path, 0, None)
    assert len(sf.load(path).trials) == 2  # `rewritten` itself does no harm
    rewritten(path, *HOSTILE[what])
    with pytest.raises(UnreadableFile, match=r"study\.db is damaged: "):
        sf.load(path)
    with pytest.raises(UnreadableFile, match=r"study\.db is damaged: "):
        sf.Optimizer.resume(path)


POISON = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400]


def poisoned(path, number, poison):
    """Give the second event about a trial, its value, another one as it stands in JSON, with right checksums."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT number, kind, data FROM events ORDER BY number").fetchall()
        crc = 0
        for n, kind, data in rows:
            if kind == "told" and f'"number":{number},' in data:
                data = re.sub(r'("values":{"value":)[^}]*', rf"\g<1>{poison}", data)
            before, crc = crc, zlib.crc32(f"{n}\n{kind}\n{data}".encode(), crc)
            connection.execute(
                "UPDATE events SET data = ?, before = ?, crc = ? WHERE number = ?", (data, before, crc, n)
            )
    connection.close()


@pytest.mark.parametrize("poison", POISON)
def test_a_stored_value_that_is_no_finite_number_is_refused_by_name_and_the_rest_salvaged(study, path, poison, capsys):
    drive(study, 4)
    known = {trial.number: trial.value for trial in study.trials}
    study.close()
    poisoned(path, 2, poison)
    for read in (sf.load, sf.Optimizer.resume):
        with pytest.raises(UnreadableFile, match=r"study\.db is damaged: .*suffice export .* --salvage"):
            read(path)
    found = salvage(path)
    assert {trial.number: trial.value for trial in found.trials} == known | {2: None}
    assert len(found.lost) == 1
    assert "told, cannot be read" in found.lost[0]


@pytest.mark.parametrize("poison", POISON)
def test_a_value_of_a_saved_result_that_is_no_finite_number_is_refused_and_the_rest_salvaged(tmp_path, poison):
    path, result = tmp_path / "run.json", sf.minimize(lambda x: x[0] + 0.5, [(0.0, 1.0)], 4, n_initial=4, seed=0)
    result.save(path)
    data = json.loads(path.read_text())
    told = [event for event in data["content"]["events"] if event["event"] == "told"]
    told[2]["values"]["value"] = json.loads(poison)
    data["crc32"] = zlib.crc32(json.dumps(data["content"]).encode())
    path.write_text(json.dumps(data))
    with pytest.raises(UnreadableFile, match=r"damaged: .*suffice export .*run\.json --salvage"):
        sf.load(path)
    found = salvage(path)
    values = {trial.number: trial.value for trial in result.trials}
    assert {trial.number: trial.value for trial in found.trials} == values | {2: None}
    assert len(found.lost) == 1


SCHEMAS = {
    "a check that computes a gigabyte": ("kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK(hex(zeroblob(4e8)))"),
    "a check that is too long": ("kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK(hex(zeroblob(9e8)))"),
    "a default": ("kind TEXT NOT NULL", "kind TEXT NOT NULL DEFAULT (hex(zeroblob(9e8)))"),
    "a collation": ("data TEXT NOT NULL", "data TEXT NOT NULL COLLATE NOCASE"),
}  # fmt: skip
ADDED = {
    "an index": "CREATE INDEX i ON events (hex(zeroblob(400000000)))",
    "a partial index": "CREATE INDEX i ON events (kind) WHERE length(hex(zeroblob(400000000)))",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",
    "a view": "CREATE VIEW v AS SELECT hex(zeroblob(400000000))",
    "another table": "CREATE TABLE other (a)",
}


@pytest.mark.parametrize("what", [*SCHEMAS, *ADDED])
def test_a_schema_that_has_its_user_compute_is_refused_before_anything_is_read(study, path, what):
    drive(study, 2)
    study.close()
    connection = sqlite3.connect(path, isolation_level=None)
    if what in SCHEMAS:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'events'", SCHEMAS[what])
    else:
        with contextlib.suppress(sqlite3.DataError):  # the index alone costs what SQLite has no room for
            connection.execute(ADDED[what].replace("400000000", "1" if "index" in what else "400000000"))
    connection.close()
    for read in (sf.load, sf.Optimizer.resume):
        with pytest.raises(UnreadableFile, match=r"study\.db has tables, checks, .* --salvage"):
            read(path)
    assert [trial.state for trial in salvage(path).trials] == ["done", "done"]


def test_what_analyze_adds_to_a_file_does_no_harm(study, path):
    drive(study, 2)
    study.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("ANALYZE")
        connection.execute("VACUUM")
    assert len(sf.load(path).trials) == 2


# ---------------------------------------------------------------------- 29: no room, no permission, no luck

FULL = """
import resource, sys
import suffice as sf
from suffice.errors import NotStored

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

path, values = sys.argv[1], {}
opt = sf.Optimizer({"x": (0.0, 1.0)}, seed=0, n_initial=40, storage=path)
limit(60_000)
failed = 0
for _ in range(15):
    try:
        trial = opt.ask()
        values[trial.number] = trial.point["x"]
        opt.tell(trial, trial.point["x"])
    except NotStored as error:
        assert "held in memory" in str(error) or "nothing was changed" in str(error), error
        failed += 1
assert failed
known = {trial.number: trial.value for trial in opt.trials}
assert known == values, (known, values)   # the value whose telling failed is held
stored = {trial.number: trial.value for trial in sf.load(path).trials}
assert stored.items() <= values.items() | {(n, None) for n in values}
limit(resource.RLIM_INFINITY)
trial = opt.ask()
opt.tell(trial, trial.point["x"])
values[trial.number] = trial.point["x"]
opt.close()
assert {trial.number: trial.value for trial in sf.load(path).trials} == values
print("fine")
"""


@posix
def test_29_on_a_full_disk_values_are_held_and_written_when_there_is_room(path):
    done = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


RESCUE = """
import os, resource, sys
import suffice as sf
from suffice.errors import NotStored
from suffice.run import interrupts as rescue
rescue.PATIENCE = 0.1
os.chdir(os.path.dirname(sys.argv[1]))
calls = []

def f(point):
    calls.append(point["x"])
    if len(calls) == 6:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    return point["x"]

try:
    sf.minimize(f, {"x": (0.0, 1.0)}, 20, seed=0, n_initial=20, storage="study.db")
except NotStored as error:
    notes = "".join(error.__notes__)
    saved = sf.load("study.db.rescued.json")
    assert os.path.abspath("study.db.rescued.json") in notes, notes
    assert [t.value for t in error.result.trials] == [t.value for t in saved.trials] == calls, saved.trials
else:
    raise AssertionError
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
result = sf.minimize(f, {"x": (0.0, 1.0)}, 20, storage="study.db")
assert len(calls) == 20 and [t.value for t in result.trials] == calls
print("fine")
"""


@posix
def test_29_a_run_on_a_full_disk_ends_with_its_result_and_a_copy_and_goes_on_later(path):
    done = subprocess.run([sys.executable, "-c", RESCUE, path], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


def test_29_an_error_of_the_disk_in_an_ask_changes_nothing_and_the_next_ask_is_the_same(path, monkeypatch):
    whole = sf.Optimizer(SPACE, **OPTIONS)
    with sf.Optimizer(SPACE, storage=path, **OPTIONS) as opt:
        drive(whole, 5)
        drive(opt, 5)
        book = opt._record.journal._book

        def fails(rows):
            raise UnusableFile("disk I/O error")

        with monkeypatch.context() as broken:
            broken.setattr(book, "append", fails)
            with pytest.raises(NotStored, match="disk I/O error; nothing was changed"):
                opt.ask(2)
            assert len(opt.trials) == 5
            with pytest.raises(NotStored, match="2 events are held in memory"):
                opt.tell({"x": 0.25, "kind": "b"}, 0.1)
            with pytest.raises(NotStored):
                opt.close()
        whole.tell({"x": 0.25, "kind": "b"}, 0.1)
        drive(whole, 2)
        drive(opt, 2)
        assert facts(opt) == facts(whole)
    assert len(sf.load(path).trials) == 8


@posix
@pytest.mark.parametrize("how", ["removed", "exchanged"])
def test_29_a_file_that_is_removed_while_it_is_in_use_is_noticed_and_the_values_are_held(study, path, how):
    drive(study, 2)
    trial = study.ask()
    path.rename(path.with_name("away.db"))
    if how == "exchanged":
        path.touch()
    with pytest.raises(NotStored, match=r"no longer exists|was replaced by another.*1 event is held"):
        study.tell(trial, 0.5)
    assert study.trials[2].value == 0.5
    path.with_name("away.db").replace(path)
    drive(study, 1)
    assert [trial.value for trial in sf.load(path).trials] == [trial.value for trial in study.trials]


READER = """
import os, sys
import suffice as sf
from suffice.errors import UnusableFile
from suffice.record import study_file as opening
sf.load, sf.Optimizer
os.setuid(65534)  # nobody, who may not even import
print(len(sf.load(sys.argv[1]).trials))
try:
    sf.Optimizer.resume(sys.argv[1])
except UnusableFile as error:
    print("cannot be written" in str(error))
"""


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root may become another user")
@pytest.mark.parametrize("state", ["closed", "killed"])
def test_29_a_study_in_a_read_only_folder_can_be_read_and_says_that_it_cannot_be_written(study, path, state):
    drive(study, 4)
    if state == "closed":
        study.close()
    with TemporaryDirectory() as folder:  # not under those of the tests, which are for their owner alone
        copy = killed(path, Path(folder) / "copy")
        os.chmod(folder, 0o755)
        copy.parent.chmod(0o555)
        done = subprocess.run([sys.executable, "-c", READER, copy], capture_output=True, text=True, check=False)
        copy.parent.chmod(0o755)
    assert done.stdout == "4\nTrue\n", done.stderr


# ---------------------------------------------------------------------- 22, 32: others, and other settings


def test_32_two_optimizers_of_one_process_the_later_takes_over_and_numbers_stay_unique(study, path):
    first = study.ask()
    again = sf.Optimizer(SPACE, storage=path)
    for act in (study.ask, lambda: study.tell(first, 1.0), lambda: study.cancel(first)):
        with pytest.raises(UnusableFile, match="opened again in this process by another optimizer, which has taken"):
            act()
    assert study.trials[0].state == "pending"
    again.tell(first, 0.5)
    drive(again, 2)
    again.close()
    with pytest.raises(UnusableFile, match=r"was closed: open it again by sf\.Optimizer\.resume"):
        again.ask()
    assert [trial.number for trial in sf.load(path).trials] == [0, 1, 2]


def test_32_readers_are_always_allowed_and_leave_nothing_behind(study, path):
    for n in range(3):
        assert len(sf.load(path).trials) == n
        drive(study, 1)
    study.close()
    assert len(sf.load(path).trials) == 3
    assert [file.name for file in path.parent.iterdir()] == ["study.db"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda opt: pickle.loads(pickle.dumps(opt))])
def test_32_a_copy_is_in_memory_and_goes_on_as_the_original_does(study, path, copied):
    drive(study, 4)
    twin = copied(study)
    assert (study.storage, twin.storage) == (path, None)
    drive(twin, 2)
    assert len(sf.load(path).trials) == 4
    drive(study, 2)
    assert facts(study) == facts(twin)


def test_32_threads_may_use_one_stored_study(study, path):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: drive(study, 2), range(4)))
        with study.together():
            others = [pool.submit(study.tell, {"x": i / 8, "kind": "b"}, 1.0) for i in range(4)]
            study.tell({"x": 0.99, "kind": "b"}, 1.0)
        [other.result() for other in others]
    study.close()
    assert [trial.number for trial in sf.load(path).trials] == list(range(13))


FORK = """
import os, sys
import suffice as sf
from suffice.errors import UnusableFile
opt = sf.Optimizer({"x": (0.0, 1.0)}, storage=sys.argv[1], seed=0)
child = os.fork()
if child == 0:
    try:
        opt.ask()
    except UnusableFile as error:
        os._exit(0 if "is its fork" in str(error) else 2)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
opt.tell(opt.ask(), 1.0)
"""


@posix
def test_32_a_forked_copy_cannot_write(path):
    assert subprocess.run([sys.executable, "-c", FORK, path], check=False).returncode == 0
    assert len(sf.load(path).trials) == 1


CHANGES = {
    "a bound": ({"x": (0.0, 2.0), "kind": sf.Choice("a", "b")}, {}, r"space, x: Float\(.*1\.0.*\) -> Float\(.*2\.0"),
    "a name": ({"y": (0.0, 1.0), "kind": sf.Choice("a", "b")}, {}, r"x: .* -> \(none\)\n  space, y: \(none\) ->"),
    "an option": ({"x": (0.0, 1.0), "kind": sf.Choice("a", "c")}, {}, r"space, kind: Choice\('a', 'b'\) -> Choice\("),
    "the order": ({"kind": sf.Choice("a", "b"), "x": (0.0, 1.0)}, {}, r"space, order: x, kind -> kind, x"),
    "the direction": (SPACE, {"direction": "maximize"}, r"sense: 'minimize' -> 'maximize'"),
    "the seed": (SPACE, {"seed": 2}, r"seed: 1 -> 2"),
    "the model": (SPACE, {"model": sf.GP(noise=0.1)}, r"model: GP\("),
    "the aim": (SPACE, {"aim": "regret"}, r"acquisition: LookAround"),
    "the design": (SPACE, {"n_initial": 9}, r"n_initial: 3 -> 9"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_22_a_changed_space_or_setting_is_refused_with_the_difference(study, path, what):
    drive(study, 1)
    space, options, said = CHANGES[what]
    with pytest.raises(DifferentStudy, match=r"was made with other settings \(stored -> given\):\n") as error:
        sf.Optimizer(space, storage=path, **options)
    assert re.search(said, str(error.value)), str(error.value)
    drive(study, 1)  # who was refused has taken nothing


def test_22_the_same_settings_and_those_left_out_are_no_difference(study, path):
    drive(study, 4)
    for options in ({}, OPTIONS, {"seed": None}, {"direction": "minimize"}, {"aim": "best"}):
        with sf.Optimizer({"x": (0.0, 1.0), "kind": sf.Choice("a", "b")}, storage=path, **options) as opt:
            assert (opt.seed, opt.settings.n_initial, len(opt.trials)) == (1, 3, 4)
    result = sf.minimize(value, SPACE, 6, storage=path)
    with pytest.raises(DifferentStudy, match="sense: 'minimize' -> 'maximize'"):
        sf.maximize(value, SPACE, 8, storage=path)
    assert sf.minimize(value, SPACE, 3, storage=path).nfev == result.nfev == 6


@pytest.mark.parametrize("option", [b"bytes", signal.SIGINT, 1 + 2j], ids=["bytes", "enum", "complex"])
def test_22_options_that_no_file_can_hold_are_refused_by_name_at_the_start(path, option):
    with pytest.raises(TypeError, match=r"a study of this space cannot be stored: .*use strings or numbers as options"):
        sf.Optimizer({"k": sf.Choice(option, "b")}, storage=path)
    assert not path.exists()


@pytest.mark.parametrize("storage", [True, 7, b"study.db", ""])
def test_22_a_store_that_is_no_path_is_refused(storage):
    with pytest.raises(TypeError, match=r'storage must be the path of a file, such as "run\.db"'):
        sf.Optimizer(SPACE, storage=storage)


def test_22_a_folder_is_no_store(tmp_path):
    with pytest.raises(UnusableFile, match=r"is a folder: wanted the path of a file, such as '.*run\.db'"):
        sf.Optimizer(SPACE, storage=tmp_path)


# ---------------------------------------------------------------------- 49: many


def test_49_values_told_together_are_one_transaction(study, path, monkeypatch):
    writes = []
    append = study._record.journal._book.append
    monkeypatch.setattr(study._record.journal._book, "append", lambda rows: writes.append(len(rows)) or append(rows))
    with study.together():
        for i in range(500):
            study.tell({"x": i / 500, "kind": "a"}, float(i))
        assert sf.load(path).trials == ()
    assert writes == [1000]
    assert len(sf.load(path).trials) == 500
    assert study.ask().solve is not None


@pytest.mark.parametrize("end", ["closed", "taken over", "interrupted"])
def test_49_what_is_told_together_is_kept_whatever_happens_inside(study, path, end):
    def together():
        with study.together():
            study.tell({"x": 0.5, "kind": "a"}, 1.0)
            if end == "closed":
                study.close()
            elif end == "taken over":
                sf.Optimizer.resume(path).close()
            else:
                raise KeyboardInterrupt

    if end == "interrupted":
        with pytest.raises(KeyboardInterrupt):
            together()
    else:
        together()
    assert [trial.value for trial in sf.load(path).trials] == [1.0]
