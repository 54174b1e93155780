"""Run the jobs of an experiment that are not in the results file yet, in parallel.

Every finished run is written at once, by this process alone. So an execution can be interrupted or killed at any time,
and the same call goes on from there. A job that raises or kills its worker is reported; the others go on.
"""

from collections import deque
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from suffice.checks import as_count
from suffice.errors import SufficeError
from suffice.lab.plan import Job
from suffice.lab.results import Results
from suffice.lab.trace import run_job
from suffice.problems import find
from suffice.progress import Event, Forecast, Progress
from suffice.run.evaluation import Evaluated, Evaluation
from suffice.run.workers import Workers, available

TICK = 1.0  # seconds between reports of progress
HOPELESS = 3  # jobs that kill a worker of their own before any run has finished: it is not the jobs' fault


class WorkersDie(SufficeError):
    """No worker process lives long enough to finish a run."""


class Failure(NamedTuple):
    """A job that gave no run; `run_job(job)` shows where it fails."""

    key: str
    message: str  # a line


@dataclass(frozen=True)
class Execution:
    """What became of the jobs; those not counted were not run, because of an interruption."""

    done: int  # runs added to the results
    skipped: int  # in the results already
    failed: tuple[Failure, ...] = ()
    interrupted: bool = False  # by Ctrl-C


def execute(
    jobs: Iterable[Job],
    results: Results,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Execution:
    """Run the jobs that the results do not hold, or hold by another definition, and add their runs.

    workers     jobs at a time; None: as many as there are processors, or as the executor has workers
    executor    any concurrent.futures executor; None: processes of one thread each, ended on return
    progress    called as progress(event), for instance by `with display() as progress`; its errors are ignored

    Ctrl-C returns the outcome so far.
    """
    if workers is None:
        workers = getattr(executor, "_max_workers", None) or available()
    count = as_count(workers, "workers", 1)
    work, skipped, failed = _unfinished(jobs, results)
    forecast = Forecast((piece.job.cell for piece in work), count)
    engine = Workers(count) if executor is None else executor
    return _Loop(results, engine, count, progress, forecast, work, skipped, failed).run()


@dataclass(frozen=True)
class _Piece:
    """A job to do."""

    job: Job
    digest: str
    alone: bool = False  # a worker died when this job, among others, was running


def _unfinished(jobs: Iterable[Job], results: Results) -> tuple[deque[_Piece], int, list[Failure]]:
    """What is to do, how much is done already, and jobs whose definition fails."""
    problem, finished = cache(find), results.finished()
    work: deque[_Piece] = deque()
    failed: list[Failure] = []
    keys: set[str] = set()
    skipped = 0
    for job in jobs:
        if job.key in keys:
            raise ValueError(f"two jobs are called {job.key}: give every task of a plan and every method its own name")
        keys.add(job.key)
        try:
            digest = job.digest(problem(job.task.problem))
        except Exception as error:  # such as a problem that needs a package
            failed.append(_failure(job, error))
            continue
        if finished.get(job.key) == digest:
            skipped += 1
        else:
            work.append(_Piece(job, digest))
    return work, skipped, failed


def _failure(job: Job, error: BaseException) -> Failure:
    return Failure(job.key, " ".join(f"{type(error).__name__}: {error}".split()))


@dataclass
class _Loop:
    """Keep the workers busy until no work is left."""

    results: Results
    engine: Executor | Workers
    count: int
    progress: Progress | None
    forecast: Forecast
    work: deque[_Piece]
    skipped: int
    failed: list[Failure]
    done: int = 0
    crashes: int = 0  # of jobs that ran alone
    pending: dict[Future[Evaluated], _Piece] = field(default_factory=dict)  # in the order of their submission

    def run(self) -> Execution:
        interrupted = False
        try:
            while self.work or self.pending:
                self._submit()
                self._report()
                wait(self.pending, timeout=TICK, return_when=FIRST_COMPLETED)
                self._collect()
            self._report()
        except KeyboardInterrupt:
            interrupted = True
            self._collect()  # what is finished is kept
        finally:
            self._end()
        return Execution(self.done, self.skipped, tuple(self.failed), interrupted)

    def _submit(self) -> None:
        """Hand out work, some more than there are workers so that none has to wait; a suspect goes by itself."""
        while self.work and len(self.pending) < 2 * self.count:
            if self.pending and (self.work[0].alone or any(piece.alone for piece in self.pending.values())):
                return
            try:
                future = self.engine.submit(Evaluation(run_job), self.work[0].job)
            except BrokenExecutor:  # a worker died since the last look
                if not isinstance(self.engine, Workers):
                    raise
                self.engine.close()
                return
            self.pending[future] = self.work.popleft()

    def _collect(self) -> None:
        """Write down what is finished; after a crash, sort out who did it."""
        crashed = any(_crashed(future) for future in self.pending)
        if crashed and isinstance(self.engine, Workers):
            self.engine.close()  # settles all its futures
        for future, piece in list(self.pending.items()):
            if future.done() and not _crashed(future):
                self._record(piece, future)
                del self.pending[future]  # only now: Ctrl-C may come in between
        if crashed:
            self._sort_out()

    def _record(self, piece: _Piece, future: Future[Evaluated]) -> None:
        error = future.exception() or future.result().error
        if error is not None:
            self._fail(piece, _failure(piece.job, error))
            return
        evaluated = future.result()
        self.results.add(piece.job, piece.digest, evaluated.value)
        self.done += 1
        self.forecast.finished(piece.job.cell, evaluated.seconds)

    def _fail(self, piece: _Piece, failure: Failure) -> None:
        self.failed.append(failure)
        self.forecast.finished(piece.job.cell, None)

    def _sort_out(self) -> None:
        """Find out whose worker died: of what was lost the first jobs were running, and run again alone.

        So a job runs at most twice, and one that was lost by the fault of another is made up for.
        """
        if not isinstance(self.engine, Workers):
            raise BrokenExecutor("the executor lost its workers or was shut down; the runs so far are in the results")
        lost = list(self.pending.values())
        self.pending.clear()
        if not lost[0].alone:
            running = [replace(piece, alone=True) for piece in lost[: self.count]]
            self.work.extendleft(reversed(running + lost[self.count :]))
            return
        self.crashes += 1
        message = "its worker process died, twice, the second time with no other job running"
        self._fail(lost[0], Failure(lost[0].job.key, message))
        if self.crashes >= HOPELESS and not self.done:
            raise WorkersDie(
                f"{self.crashes} jobs killed their worker process and none has finished; if this is a script of "
                "yours, it must call under `if __name__ == '__main__':`, with methods that can be imported"
            )

    def _report(self) -> None:
        if self.progress is not None:
            running = [piece.job for piece in self.pending.values()][: self.count]
            total = self.skipped + self.done + len(self.failed) + len(self.pending) + len(self.work)
            event = Event(
                total,
                self.skipped,
                self.done,
                len(self.failed),
                tuple(job.key for job in running),
                self.forecast.seconds([job.cell for job in running]),
            )
            with suppress(Exception):  # a display is not worth a run
                self.progress(event)

    def _end(self) -> None:
        if isinstance(self.engine, Workers):
            self.engine.close()
        else:
            for future in self.pending:
                future.cancel()


def _crashed(future: Future[Evaluated]) -> bool:
    """Whether the job was not finished because of a worker that died, its own or another."""
    if not future.done():
        return False
    return future.cancelled() or isinstance(future.exception(), BrokenExecutor)
