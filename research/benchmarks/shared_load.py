"""How a study on a server grows: a worker that joins a long one, and many workers that make one.

    python -m research.benchmarks.shared_load join [trials ...]
    python -m research.benchmarks.shared_load run [workers [trials]]

join: studies of 1 000, 3 000 and 10 000 trials are put into the database through the library's own functions, with
values at random points and the report of a real suggestion; then a new process joins, and proposes a point. Seconds of
the clock, and of its processor time: on a machine with other work the latter say more.

run: 64 processes make 10 000 trials of 50 ms. For each part of the study, trials per second and the age of models, and
at the end the size of the tables and the processor time of all processes.

It needs Debian's postgresql.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np

import suffice as sf
from research.benchmarks.shared_speed import SPACE, bowl, ours, server, together, used
from research.benchmarks.timing import print_table
from suffice.record.trial import Asked, Claimed, Told
from suffice.report.verdict import ages
from tests.servers import PostgreSQL

REAL = 17  # trials that a model has proposed, or its design
TOGETHER = 500  # trials that are put into the database in one transaction
PARTS = 5  # of a study, in the table
SIZES = 1000, 3000, 10_000


def fabricate(place: str, trials: int) -> None:
    """Begin a study that has so many trials."""
    with sf.Optimizer(SPACE, storage=place, seed=0) as optimizer:
        journal: Any = optimizer.journal
        journal.hired = True
        for _ in range(REAL):
            optimizer.propose(1)
            trial = optimizer.trials[journal.claim((), 0).number]
            optimizer.tell(trial, bowl(trial.point))
        model = next(event for event in reversed(list(journal.read())) if isinstance(event, Asked))
        rng = np.random.default_rng(0)
        for first in range(REAL, trials, TOGETHER):
            numbers = range(first, min(first + TOGETHER, trials))
            entries = [journal._entry(event) for i in numbers for event in made(model, i, rng.random(len(SPACE)))]
            journal.book.append(entries, None)


def made(model: Asked, number: int, unit: np.ndarray) -> Iterator[Any]:
    """What is recorded of a trial; late in a study a model has no members."""
    assert model.report is not None
    assert model.report.binding is not None
    assert model.basis is not None
    point = dict(zip(SPACE, unit.tolist(), strict=True))
    report = replace(model.report, binding=replace(model.report.binding, chains=None))
    basis = replace(model.basis, outcomes=number)
    yield replace(model, number=number, point=point, unit=unit, report=report, basis=basis)
    yield Claimed(number, "nobody")
    yield Told(number, {"value": bowl(point)}, None, 0.05)


def join(place: str, answer: Any) -> None:
    """Seconds, and seconds of processor time, until the study is known and until a point is proposed."""
    marks = [(time.perf_counter(), time.process_time())]
    optimizer = sf.Optimizer(SPACE, storage=place, seed=0)
    known = len(optimizer.history.trials)
    marks.append((time.perf_counter(), time.process_time()))
    optimizer.propose(1)
    marks.append((time.perf_counter(), time.process_time()))
    assert len(optimizer.trials) == known + 1
    answer.send([(clock - marks[0][0], cpu - marks[0][1]) for clock, cpu in marks[1:]])


def joined(trials: int) -> list[str]:
    """A row of the table; the second of two that join, since the first finds a report of a model that was never."""
    with server() as there:
        place = f"{there.address()}?study=long"
        fabricate(place, trials)
        for _ in range(2):
            mine, theirs = get_context("fork").Pipe()
            together(1, join, place, theirs)
            known, proposed = mine.recv()
        size = size_of(there)
    return [f"of {trials} trials", f"{known[1]:.2f}", f"{proposed[1]:.2f}", f"{proposed[0]:.1f}", f"{size / 1e6:.0f}"]


def size_of(there: PostgreSQL) -> int:
    """Bytes of the tables and their indexes."""
    query = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = 'suffice'::regnamespace"
    with there.connect() as connection:
        return int(connection.execute(f"{query} AND relkind = 'r'").fetchone()[0])


def run(count: int, trials: int) -> None:
    """So many processes make a study."""
    with server() as there:
        start = used()
        place = f"{there.address()}?study=load"
        together(count, ours, place, trials, "bowl")
        with there.connect() as connection:
            query = "SELECT extract(epoch FROM at) FROM suffice.events WHERE kind = 'told' ORDER BY number"
            ends = [float(at) for (at,) in connection.execute(query).fetchall()]
        size, cpu, result = size_of(there), used() - start, sf.load(place)
    old = ages(result.history)
    rows = []
    for part in range(PARTS):
        a, b = part * trials // PARTS, (part + 1) * trials // PARTS
        age = old[a * len(old) // trials : b * len(old) // trials]
        rate = f"{(b - a - 1) / (ends[b - 1] - ends[a]):.1f}"
        rows.append([f"{a + 1} to {b}", rate, f"{np.mean(age):.0f}", f"{max(age)}"])
    print_table(f"{count} workers, {trials} trials", ["trials", "trials/s", "age, mean", "largest"], rows)
    more = f"{1000 * cpu / trials:.0f} ms of processor time a trial; tables of {size / 1e6:.1f} MB"
    print(f"\n{result.nfev} trials; {more}")


def main() -> None:
    """One of the tables."""
    what, *numbers = sys.argv[1:] or ["join"]
    given = [int(number) for number in numbers]
    if what == "run":
        run(*(*given, *(64, 10_000)[len(given) :]))
        return
    header = ["a study", "known, s of CPU", "first proposal, s of CPU", "s of the clock", "MB in the database"]
    print_table("A worker joins", header, [joined(trials) for trials in given or SIZES])


if __name__ == "__main__":
    main()
