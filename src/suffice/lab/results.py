"""All runs of all experiments in one file.

SQLite, because a run is added in one transaction: whatever ends the program, the file holds a run as a whole or not at
all, and several programs may use it at once. A Parquet file can only be written as a whole, and by one program.

    runs     one row for each run: id, key, plan, problem, method, seed, digest, initial, seconds, notes, version
    steps    one row for each iteration: run (the id), the columns of `trace.Row`, point

NULL is nan. notes and point are JSON lists.
"""

import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

import suffice
from suffice.errors import SufficeError
from suffice.lab.plan import Job
from suffice.lab.run import Run
from suffice.lab.trace import COLUMNS, Row, Trace
from suffice.study.saving import FilePath, UnreadableFile

APPLICATION, VERSION = 0x53554646, 1  # in the file's header: what it is ("SUFF"), and the version of these tables
PATIENCE = 60.0  # seconds to wait while another program writes; a run takes milliseconds to write
TYPES: dict[object, str] = {int: "INTEGER", float: "REAL"}

RUNS = ("key", "plan", "problem", "method", "seed", "digest", "initial", "seconds", "notes", "version")
STEPS = ("run", *COLUMNS, "point")
TABLES = (
    """CREATE TABLE IF NOT EXISTS runs (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL, problem TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
        digest TEXT NOT NULL, initial REAL, seconds REAL, notes TEXT NOT NULL, version TEXT NOT NULL
    )""",
    f"""CREATE TABLE IF NOT EXISTS steps (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        {", ".join(f"{column.name} {TYPES[column.type]}" for column in fields(Row))},
        point TEXT NOT NULL, PRIMARY KEY (run, t)
    ) WITHOUT ROWID""",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


class UnusableFile(SufficeError):
    """A results file that cannot be read or written now: locked, on a full disk, or without permission."""


class Results:
    """The runs in a file, made with its folder if there is none: `with Results("results.db") as results: …`."""

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _named(self.path):
            self._db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)  # transactions are ours
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; everything added is in it already."""
        self._db.close()

    def finished(self) -> dict[str, str]:
        """The runs in the file: Job.key -> digest."""
        with self._transaction("DEFERRED") as db:
            return dict(db.execute("SELECT key, digest FROM runs"))

    def add(self, job: Job, digest: str, trace: Trace) -> None:
        """Write a run, all of it or nothing; it replaces an earlier one of the same key."""
        run = (job.key, job.plan, job.task.problem, job.method.name, job.seed, digest, trace.initial, trace.seconds)
        notes = json.dumps(trace.notes, ensure_ascii=False)
        with self._transaction("IMMEDIATE") as db:
            db.execute("DELETE FROM runs WHERE key = ?", (job.key,))
            number = db.execute(_insert("runs", RUNS), (*run, notes, suffice.__version__)).lastrowid
            steps = [
                (number, *(getattr(step, name) for name in COLUMNS), json.dumps(point, ensure_ascii=False))
                for step, point in zip(trace.rows, trace.points, strict=True)
            ]
            db.executemany(_insert("steps", STEPS), steps)

    def runs(self, plan: str | None = None) -> list[Run]:
        """The runs of a plan, or all; ordered by plan, problem, method, seed."""
        wanted = "SELECT * FROM runs WHERE plan = coalesce(?, plan) ORDER BY plan, problem, method, seed"
        with self._transaction("DEFERRED") as db:
            cursor = db.execute(wanted, (plan,))
            names = [column[0] for column in cursor.description]
            return [_run(db, dict(zip(names, row, strict=True))) for row in cursor.fetchall()]

    def _prepare(self) -> None:
        """Look before anything is written: a file of another kind stays as it is."""
        with self._transaction("DEFERRED") as db:
            (application,), (version,), (tables,) = (
                db.execute(query).fetchone()
                for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
            )
        if application != APPLICATION and (application or version or tables):
            raise UnreadableFile(f"{self.path} is an SQLite file, but not one of results: name another file")
        if version > VERSION:
            raise UnreadableFile(
                f"{self.path} has version {version}, this suffice uses version {VERSION}; "
                "upgrade with pip install -U, or name another file"
            )
        self._db.execute("PRAGMA foreign_keys = ON")
        if version < VERSION:
            with self._transaction("EXCLUSIVE") as db:
                for statement in TABLES:
                    db.execute(statement)
        with suppress(sqlite3.OperationalError):  # in use, or a disk that cannot: just as safe, but readers wait
            self._db.execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        with _named(self.path), self._db:  # committed at the end, rolled back on an exception
            self._db.execute(f"BEGIN {kind}")
            yield self._db


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors of SQLite as errors that name the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise UnusableFile(f"{path} cannot be used: {error}; runs added before are safe") from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # a wrong use of this module, not a fault of the file
            raise
        raise UnreadableFile(f"{path} is no results file, or damaged: {error}; name another file") from error


def _run(db: sqlite3.Connection, row: dict[str, Any]) -> Run:
    steps = db.execute(f"SELECT {', '.join(STEPS)} FROM steps WHERE run = ? ORDER BY t", (row["id"],)).fetchall()
    columns = {name: np.array([step[i] for step in steps], dtype=np.float64) for i, name in enumerate(COLUMNS, 1)}
    return Run(
        plan=row["plan"],
        problem=row["problem"],
        method=row["method"],
        seed=row["seed"],
        initial=math.nan if row["initial"] is None else row["initial"],
        seconds=math.nan if row["seconds"] is None else row["seconds"],
        columns=columns,
        points=tuple(tuple(json.loads(step[-1])) for step in steps),
        notes=tuple(json.loads(row["notes"])),
        version=row["version"],
    )


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' for _ in columns)})"
