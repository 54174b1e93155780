"""One run of an experiment, what it leaves, and the file that keeps the runs of all experiments.

t   1 … T   iterations after the initial design        r_t = f(x_t) − f*,  R_T = Σ r_t,  simple regret min_{s ≤ t} r_s

`run_job` makes a `Trace`, `Results` keeps it and has it again by columns, as a `Run`. The file is SQLite, because a run
is added in one transaction: whatever ends the program, the file holds a run as a whole or not at all, and several
programs may use it at once. A Parquet file can only be written as a whole, and by one program.

    runs     one row for each run: id, key, plan, problem, method, seed, digest, initial, seconds, notes, version,
             checksum
    steps    one row for each iteration: run (the id), the columns of `Row`, point

NULL is nan. notes and point are JSON lists. The checksum is that of the run's other columns and of its steps; a run
from before there were checksums has none.
"""

import json
import math
import sqlite3
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

import suffice
from suffice.lab.plan import Job
from suffice.problems import Problem, find
from suffice.record.trial import Trial
from suffice.store.files import FilePath
from suffice.store.sqlite import Database, Kind
from suffice.study.audit import AuditedStep, audit
from suffice.study.optimizer import Optimizer
from suffice.types import Array

DESIGN_SEED = 20252026  # the authors': the design of run i is the scrambled Sobol sequence of this seed plus i


@dataclass(frozen=True)
class Row:
    """One iteration: a row of the results file. nan: not known, or not audited."""

    t: int
    value: float  # f(x_t)
    regret: float  # r_t
    fit: float  # seconds for the surrogate,
    bind: float  # the acquisition function,
    solve: float  # its maximization,
    report: float  # its accuracy,
    objective: float  # and the evaluation of f
    n_evals: int  # of the acquisition function
    gap: float = math.nan  # reported relative gap
    eta: float = math.nan  # reported η_t
    width: float = math.nan  # w_t = 2 β_t σ_{t−1}(x_t), model units
    audited_gap: float = math.nan  # relative gap, by audit
    audited_eta: float = math.nan  # η_t, by audit
    audited_inaccuracy: float = math.nan  # g_t = α* − α(x_t), model units, by audit


COLUMNS = tuple(column.name for column in fields(Row))  # of the table of steps, in their order


@dataclass(frozen=True)
class Trace:
    """What a run leaves."""

    rows: tuple[Row, ...]
    points: tuple[tuple[Any, ...], ...] = field(repr=False)  # x_t, in the problem's units
    initial: float  # regret of the best point of the initial design
    seconds: float  # fit + bind + solve + report over the run: without the objective and the audit
    notes: tuple[str, ...] = ()  # on numerical trouble


def run_job(job: Job) -> Trace:
    """Run a job from its initial design to the end: nothing but the job decides what happens."""
    if job.method.run is not None:
        return job.method.run(job)
    problem = find(job.task.problem)
    native = problem.native if job.method.native else None
    space: Any = list(problem.bounds) if native is None else native.space
    f: Callable[[Any], float] = problem if native is None else native.function
    shift = problem.optimum if job.method.shifted else 0.0
    optimizer = Optimizer(space, seed=job.seed, n_initial=job.task.initial, **job.method.make(problem))
    for x in initial_design(problem, job.task.initial, job.seed):
        point = x if native is None else native.point(x)
        optimizer.tell(point, f(point) - shift)
    initial = float(optimizer.best.value or 0.0) + shift - problem.optimum
    steps = [_iterate(optimizer, f, shift) for _ in range(job.task.iterations)]
    result = optimizer.result()
    audited = {step.number: step for step in audit(result, every=job.audit).steps} if job.audit else {}
    rows = tuple(_row(t, trial, shift, problem.optimum, audited.get(trial.number)) for t, trial in enumerate(steps, 1))
    points = tuple(tuple(_values(trial.point)) for trial in steps)
    seconds = math.fsum(row.fit + row.bind + row.solve + row.report for row in rows)
    return Trace(rows, points, initial, seconds, tuple(result.notes))


def initial_design(problem: Problem, n: int, seed: int) -> Array:
    """n scrambled Sobol points of the problem's box, (n, d): the authors' design of run number `seed`."""
    low, high = zip(*problem.bounds, strict=True)
    return qmc.scale(unit_design(problem.dim, n, seed), low, high)


def unit_design(dim: int, n: int, seed: int) -> Array:
    """The same in the unit cube, (n, d)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # n is no power of two, in the paper either
        return qmc.Sobol(dim, scramble=True, seed=DESIGN_SEED + seed).random(n)


def _iterate(optimizer: Optimizer, f: Callable[[Any], float], shift: float) -> Trial:
    trial = optimizer.ask()
    start = time.perf_counter()
    value = f(trial.point)
    return optimizer.tell(trial, value - shift, seconds=time.perf_counter() - start)


def _row(t: int, trial: Trial, shift: float, optimum: float, audited: AuditedStep | None) -> Row:
    report = trial.solve
    if report is None or trial.value is None:
        raise ValueError(f"trial {trial.number} has no value or no report: {trial!r}")
    return Row(
        t=t,
        value=trial.value + shift,
        regret=trial.value + (shift - optimum),
        **{phase: report.seconds[phase] for phase in ("fit", "bind", "solve", "report")},
        objective=trial.seconds or 0.0,
        n_evals=report.n_evals,
        gap=_number(report.relative_gap),
        eta=_number(report.eta),
        width=_number(report.width),
        audited_gap=_number(audited.relative_gap if audited else None),
        audited_eta=_number(audited.eta if audited else None),
        audited_inaccuracy=_number(audited.inaccuracy if audited else None),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _values(point: Any) -> list[Any]:
    return list(point.values()) if isinstance(point, dict) else [float(v) for v in point]


# The columns of the table of runs that the runner writes, in their order.
RUNS = ("key", "plan", "problem", "method", "seed", "digest", "initial", "seconds", "notes", "version")
# The file of results. The second version added checksums.
KIND = Kind(
    "results",
    0x53554646,  # "SUFF"
    (
        (
            """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL, problem TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
        digest TEXT NOT NULL, initial REAL, seconds REAL, notes TEXT NOT NULL, version TEXT NOT NULL
    )""",
            f"""CREATE TABLE steps (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        {", ".join(f"{column.name} {'INTEGER' if column.type is int else 'REAL'}" for column in fields(Row))},
        point TEXT NOT NULL, PRIMARY KEY (run, t)
    ) WITHOUT ROWID""",
        ),
        ("ALTER TABLE runs ADD COLUMN checksum INTEGER",),
    ),
)


@dataclass(frozen=True)
class Run:
    """A finished run as it is read back: columns, one value for each iteration."""

    plan: str
    problem: str
    method: str
    seed: int
    initial: float  # regret of the best point of the initial design
    seconds: float  # fit + bind + solve + report, all iterations
    columns: Mapping[str, Array] = field(repr=False)  # the fields of `Row`, (T,) each
    points: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)  # x_t, the problem's units
    notes: tuple[str, ...] = ()
    version: str = ""  # of suffice

    @property
    def key(self) -> str:
        """The name of the run in the results, as of its job."""
        return f"{self.plan}/{self.problem}/{self.method}/{self.seed}"

    @property
    def cumulative(self) -> Array:
        """R_t = Σ_{s ≤ t} r_s, (T,)."""
        total: Array = np.cumsum(self.columns["regret"])
        return total

    @property
    def simple(self) -> Array:
        """The best regret so far, the initial design included, (T,)."""
        best: Array = np.minimum(np.minimum.accumulate(self.columns["regret"]), self.initial)
        return best


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
            db.executemany(_insert("steps", ("run", *COLUMNS, "point")), steps)
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
            remedy = "run the same command to repeat it; if this happens again, name another file"
            raise self._database.damaged(f"the run {row['key']} does not match its checksum", remedy)
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
    steps: list[tuple[Any, ...]]  # COLUMNS and the point

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
    steps = f"SELECT {', '.join(COLUMNS)}, point FROM steps WHERE run = ? ORDER BY t"
    return [_Stored(row, db.execute(steps, (row["id"],)).fetchall()) for row in rows]


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' for _ in columns)})"
