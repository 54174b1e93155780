"""Carry out a plan: run its jobs that are not in the results file yet, in parallel.

Every finished run is written at once, by this process alone. So an execution can be interrupted or killed at any time,
and the same call resumes it. A job that raises or kills its worker is reported; the others go on. A run belongs
to the plan only if the plan's present definition made it.
"""

from collections import deque
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from suffice.checks import as_count
from suffice.errors import SufficeError
from suffice.lab.plan import Job, Plan
from suffice.lab.results import Results, Run, run_job
from suffice.problems import find
from suffice.run.evaluation import Evaluated, Evaluator, Flight, Task, in_words
from suffice.run.processes import Workers, available
from suffice.run.progress import Event, Forecast, Progress
from suffice.store.files import FilePath

TICK = 1.0  # seconds between reports of progress
DEADLY = 3  # jobs that kill a worker of their own before any run has finished: it is not the jobs' fault


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


def carry_out(
    plan: Plan, path: FilePath, *, workers: int | None = None, progress: Progress | None = None
) -> tuple[Execution, list[Run]]:
    """Make the runs of a plan that a results file lacks; what became of them, and all current runs of the plan.

    workers and progress are those of `execute`.
    """
    with Results(path) as results:
        return execute(plan.jobs(), results, workers=workers, progress=progress), current(plan, results)


def current(plan: Plan, results: Results) -> list[Run]:
    """The finished runs of a plan by its present definition: not those of another version, budget or audit."""
    done = _unfinished(plan.jobs(), results)[1]  # a definition that fails has no run; `execute` says which and why
    return [run for run in results.runs(plan.name) if run.key in done]


def execute(
    jobs: Iterable[Job],
    results: Results,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Execution:
    """Run the jobs that the results do not hold, or hold by another definition, and add their runs.

    workers     jobs at a time; None: as many as there are processors
    executor    any concurrent.futures executor; None: processes of one thread each, ended on return
    progress    called as progress(event), for instance by `with display() as progress`; its errors are ignored

    Ctrl-C returns the outcome so far.
    """
    count = available() if workers is None else as_count(workers, "workers", 1)
    work, done, failed = _unfinished(jobs, results)
    forecast = Forecast((piece.job.cell for piece in work), count)
    # Some more are handed out than there are workers, so that none has to wait.
    flight: Flight[_Piece] = Flight(Workers(count) if executor is None else executor, 2 * count)
    return _Loop(results, flight, count, progress, forecast, work, len(done), failed).run()


@dataclass(frozen=True)
class _Piece:
    """A job to do."""

    job: Job
    digest: str
    alone: bool = False  # a worker died when this job, among others, was running


def _unfinished(jobs: Iterable[Job], results: Results) -> tuple[deque[_Piece], set[str], list[Failure]]:
    """What is to do, the keys of what is done already, and jobs whose definition fails."""
    problem, finished = cache(find), results.finished()
    work: deque[_Piece] = deque()
    failed: list[Failure] = []
    keys: set[str] = set()
    for job in jobs:
        if job.key in keys:
            raise ValueError(f"two jobs are called {job.key}: give every task of a plan and every method its own name")
        keys.add(job.key)
        try:
            piece = _Piece(job, job.digest(problem(job.task.problem)))
        except Exception as error:  # such as a problem that needs a package
            failed.append(_failure(job, error))
            continue
        if finished.get(job.key) != piece.digest:
            work.append(piece)
    return work, keys - {piece.job.key for piece in work} - {failure.key for failure in failed}, failed


def _failure(job: Job, error: BaseException) -> Failure:
    return Failure(job.key, " ".join(in_words(error).split()))


@dataclass
class _Loop:
    """Keep the workers busy until no work is left."""

    results: Results
    flight: Flight[_Piece]
    count: int
    progress: Progress | None
    forecast: Forecast
    work: deque[_Piece]
    skipped: int
    failed: list[Failure]
    done: int = 0
    crashes: int = 0  # of jobs that ran alone

    def run(self) -> Execution:
        interrupted = False
        try:
            while self.work or self.flight:
                self._submit()
                self._report()
                self.flight.wait(TICK)
                self._collect()
            self._report()
        except KeyboardInterrupt:
            interrupted = True
            self._collect()  # what is finished is kept
        finally:
            self._end()
        return Execution(self.done, self.skipped, tuple(self.failed), interrupted)

    def _submit(self) -> None:
        """Hand out work; a suspect goes by itself."""
        while self.work and not self.flight.full:
            if self.flight and (self.work[0].alone or any(task.what.alone for task in self.flight)):
                return
            try:
                self.flight.start(self.work[0], Evaluator(run_job), self.work[0].job)
            except BrokenExecutor:  # a worker died since the last look
                if self._workers is None:
                    raise
                self._workers.close()
                return
            self.work.popleft()

    def _collect(self) -> None:
        """Write down what is finished; after a crash, sort out who did it."""
        crashed = any(task.lost for task in self.flight)
        if crashed and self._workers is not None:
            self._workers.close()  # settles all its futures
        for task in self.flight.finished():
            if not task.lost:
                self._record(task)
                self.flight.forget(task)  # only now: Ctrl-C may come in between
        if crashed:
            self._sort_out()

    def _record(self, task: Task[_Piece]) -> None:
        piece = task.what
        try:
            evaluated: Evaluated = task.result()
        except Exception as error:  # what the executor itself could not do
            self._fail(piece, _failure(piece.job, error))
            return
        if evaluated.error is not None:
            self._fail(piece, _failure(piece.job, evaluated.error))
            return
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
        if self._workers is None:
            raise BrokenExecutor("the executor lost its workers or was shut down; the runs so far are in the results")
        lost = [task.what for task in self.flight.end()]
        if not lost[0].alone:
            running = [replace(piece, alone=True) for piece in lost[: self.count]]
            self.work.extendleft(reversed(running + lost[self.count :]))
            return
        self.crashes += 1
        message = "its worker process died, twice, the second time with no other job running"
        self._fail(lost[0], Failure(lost[0].job.key, message))
        if self.crashes >= DEADLY and not self.done:
            raise WorkersDie(
                f"{self.crashes} jobs killed their worker process and none has finished; if this is a script of "
                "yours, it must call under `if __name__ == '__main__':`, with methods that can be imported"
            )

    def _report(self) -> None:
        if self.progress is not None:
            running = [task.what.job for task in self.flight][: self.count]
            total = self.skipped + self.done + len(self.failed) + len(self.flight) + len(self.work)
            event = Event(
                total,
                self.done,
                self.skipped,
                len(self.failed),
                running=tuple(job.key for job in running),
                seconds=self.forecast.seconds([job.cell for job in running]),
            )
            with suppress(Exception):  # a display is not worth a run
                self.progress(event)

    def _end(self) -> None:
        if self._workers is not None:
            self._workers.close()
        self.flight.end()

    @property
    def _workers(self) -> Workers | None:
        """The processes, where they are ours."""
        return self.flight.executor if isinstance(self.flight.executor, Workers) else None
