"""All runs of all experiments in one file.

SQLite, because a run is added in one transaction: whatever ends the program, the file holds a run as a whole or not at
all, and several programs may use it at once. A Parquet file can only be written as a whole, and by one program.

    runs     one row for each run: id, key, plan, problem, method, seed, digest, initial, seconds, notes, version,
             checksum
    steps    one row for each iteration: run (the id), the columns of `trace.Row`, point

NULL is nan. notes and point are JSON lists. The checksum is that of the run's other columns and of its steps; a run
from before there were checksums has none.
"""

import json
import math
import sqlite3
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

import suffice
from suffice.lab.plan import Job
from suffice.lab.run import Run
from suffice.lab.trace import COLUMNS, Row, Trace
from suffice.store.files import FilePath
from suffice.store.sqlite import Database, Kind

TYPES: dict[object, str] = {int: "INTEGER", float: "REAL"}

RUNS = ("key", "plan", "problem", "method", "seed", "digest", "initial", "seconds", "notes", "version")
STEPS = (*COLUMNS, "point")
TABLES = (
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL, problem TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
        digest TEXT NOT NULL, initial REAL, seconds REAL, notes TEXT NOT NULL, version TEXT NOT NULL
    )""",
    f"""CREATE TABLE steps (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        {", ".join(f"{column.name} {TYPES[column.type]}" for column in fields(Row))},
        point TEXT NOT NULL, PRIMARY KEY (run, t)
    ) WITHOUT ROWID""",
)
KIND = Kind("results", 0x53554646, (TABLES, ("ALTER TABLE runs ADD COLUMN checksum INTEGER",)))  # "SUFF"
REMEDY = "the same command makes it again; if this is said once more, name another file"


class Results:
    """The runs in a file, made with its folder if there is none: `with Results("results.db") as results: …`."""

    def __init__(self, path: FilePath) -> None:
        self._database = Database(path, KIND)

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self._database.path

    def close(self) -> None:
        """Let go of the file; everything added is in it already."""
        self._database.close()

    def finished(self) -> dict[str, str]:
        """The runs in the file that are whole: Job.key -> digest. A damaged one has to be made again."""
        with self._database.reading() as db:
            return {stored.row["key"]: stored.row["digest"] for stored in _stored(db) if stored.whole}

    def add(self, job: Job, digest: str, trace: Trace) -> None:
        """Write a run, all of it or nothing; it replaces an earlier one of the same key."""
        run = (job.key, job.plan, job.task.problem, job.method.name, job.seed, digest, trace.initial, trace.seconds)
        notes = json.dumps(trace.notes, ensure_ascii=False)
        with self._database.writing() as db:
            db.execute("DELETE FROM runs WHERE key = ?", (job.key,))
            number = db.execute(_insert("runs", RUNS), (*run, notes, suffice.__version__)).lastrowid
            steps = [
                (number, *(getattr(step, name) for name in COLUMNS), json.dumps(point, ensure_ascii=False))
                for step, point in zip(trace.rows, trace.points, strict=True)
            ]
            db.executemany(_insert("steps", ("run", *STEPS)), steps)
            (stored,) = _stored(db, "id = ?", number)  # as it will be read: SQLite has types of its own
            db.execute("UPDATE runs SET checksum = ? WHERE id = ?", (stored.checksum, number))

    def runs(self, plan: str | None = None) -> list[Run]:
        """The runs of a plan, or all; ordered by plan, problem, method, seed."""
        with self._database.reading() as db:
            found = _stored(db, "plan = coalesce(?, plan)", plan)
        return [self._run(stored) for stored in found]

    def _run(self, stored: "_Stored") -> Run:
        row, steps = stored.row, stored.steps
        if not stored.whole:
            raise self._database.damaged(f"the run {row['key']} does not match its checksum", REMEDY)
        try:
            return Run(
                plan=row["plan"],
                problem=row["problem"],
                method=row["method"],
                seed=row["seed"],
                initial=_number(row["initial"]),
                seconds=_number(row["seconds"]),
                columns={
                    name: np.array([step[i] for step in steps], dtype=np.float64) for i, name in enumerate(COLUMNS)
                },
                points=tuple(tuple(json.loads(step[-1])) for step in steps),
                notes=tuple(json.loads(row["notes"])),
                version=row["version"],
            )
        except (ValueError, TypeError) as error:  # of a run without a checksum
            raise self._database.damaged(f"the run {row['key']} cannot be read ({error})") from error


@dataclass(frozen=True)
class _Stored:
    """A run as it is in the file."""

    row: dict[str, Any]  # of the table of runs
    steps: list[tuple[Any, ...]]  # in the order of STEPS

    @property
    def checksum(self) -> int:
        content = [[self.row[name] for name in RUNS], self.steps]
        return zlib.crc32(json.dumps(content, default=repr).encode())  # bytes, which a run has only by damage

    @property
    def whole(self) -> bool:
        return self.row["checksum"] in (None, self.checksum)


def _stored(db: sqlite3.Connection, where: str = "true", *values: object) -> list[_Stored]:
    """The runs that a condition holds of."""
    names = ("id", *RUNS, "checksum")
    wanted = f"SELECT {', '.join(names)} FROM runs WHERE {where} ORDER BY plan, problem, method, seed"
    rows = [dict(zip(names, row, strict=True)) for row in db.execute(wanted, values)]
    steps = f"SELECT {', '.join(STEPS)} FROM steps WHERE run = ? ORDER BY t"
    return [_Stored(row, db.execute(steps, (row["id"],)).fetchall()) for row in rows]


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' for _ in columns)})"
