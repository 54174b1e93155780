"""Carry out a plan: run its jobs that are not in the results file yet, in parallel.

Every finished run is written at once, by this process alone. So an execution can be interrupted or killed at any time,
and the same call resumes it. A job that raises or kills its worker is reported; the others continue. A run belongs
to the plan only if the plan's present definition made it.
"""

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from suffice.checks import as_count
from suffice.errors import WorkersLost
from suffice.lab.plan import Job, Plan
from suffice.lab.results import Results, Run, run_job
from suffice.problems import find
from suffice.run.backends import Crew, Given
from suffice.run.evaluation import Evaluated, Evaluator, Sending, in_words
from suffice.run.processes import HOPELESS, Processes, available
from suffice.run.progress import Event, Progress
from suffice.store.files import FilePath


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
    if executor is None:
        crew: Crew = Processes(count, Evaluator(run_job), Sending(), threads=1)
    else:
        crew = Given(executor, count)
    return _Loop(results, crew, count, progress, forecast, work, len(done), failed).run()


@dataclass(frozen=True)
class _Piece:
    """A job to do."""

    job: Job
    digest: str
    died: bool = False  # a worker process has died of it


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
            failed.append(Failure(job.key, " ".join(in_words(error).split())))
            continue
        if finished.get(job.key) != piece.digest:
            work.append(piece)
    return work, keys - {piece.job.key for piece in work} - {failure.key for failure in failed}, failed


@dataclass
class _Loop:
    """Keep the workers busy until no work is left."""

    results: Results
    crew: Crew
    count: int  # workers
    progress: Progress | None
    forecast: "Forecast"
    work: deque[_Piece]
    skipped: int
    failed: list[Failure]
    done: int = 0
    deadly: int = 0  # jobs of which two worker processes have died
    running: dict[Future[Any], _Piece] = field(default_factory=dict)  # in the order of their start

    def run(self) -> Execution:
        interrupted = False
        try:
            while self.work or self.running:
                self._submit()
                self._report()
                wait(self.running, 1.0, FIRST_COMPLETED)  # seconds between reports of progress
                self._collect()
            self._report()
        except KeyboardInterrupt:
            interrupted = True
            self._collect()  # what is finished is kept
        finally:
            for future in self.running:
                future.cancel()
            self.crew.close()
        return Execution(self.done, self.skipped, tuple(self.failed), interrupted)

    def _submit(self) -> None:
        """Hand out work: to an executor some more than it has workers, so that none has to wait."""
        while self.work and len(self.running) < (self.crew.capacity or 2 * self.count):
            future = self.crew.submit(Evaluator(run_job), self.work[0].job)
            self.running[future] = self.work.popleft()

    def _collect(self) -> None:
        """Write down what is finished, before anything is said of workers that died."""
        for future in sorted((future for future in self.running if future.done()), key=_is_lost):
            piece = self.running[future]
            if _is_lost(future):
                self._sort_out(future, piece)
            else:
                self._record(future, piece)
            del self.running[future]  # only now: Ctrl-C may come in between

    def _record(self, future: Future[Any], piece: _Piece) -> None:
        try:
            evaluated: Evaluated = future.result()
        except Exception as error:  # what the executor itself could not do
            self._fail(piece, in_words(error))
            return
        if evaluated.error is not None:
            self._fail(piece, in_words(evaluated.error))
            return
        self.results.add(piece.job, piece.digest, evaluated.value)
        self.done += 1
        self.forecast.finished(piece.job.cell, evaluated.seconds)

    def _fail(self, piece: _Piece, why: str) -> None:
        self.failed.append(Failure(piece.job.key, " ".join(why.split())))
        self.forecast.finished(piece.job.cell, None)

    def _sort_out(self, future: Future[Any], piece: _Piece) -> None:
        """A job whose worker process died runs once more; an executor that is not ours is not replaced."""
        guilty = self.crew.blames(future, 0)
        if self.crew.heir() is None:
            raise BrokenExecutor("the executor lost its workers or was shut down; the results contain the runs so far")
        if not (guilty and piece.died):
            self.work.appendleft(replace(piece, died=guilty or piece.died))
            return
        self.deadly += 1
        self._fail(piece, f"{self.crew.obituary(future)}, twice")
        if self.deadly >= HOPELESS and not self.done:
            raise WorkersLost(f"{self.deadly} jobs killed their worker process and none has finished")

    def _report(self) -> None:
        if self.progress is not None:
            running = [piece.job for piece in self.running.values()][: self.count]
            total = self.skipped + self.done + len(self.failed) + len(self.running) + len(self.work)
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


def _is_lost(future: Future[Any]) -> bool:
    """Whether a call that is over has no outcome, because its worker died or the executor was shut down."""
    return future.cancelled() or isinstance(future.exception(), BrokenExecutor)


class Forecast:
    """The time that unfinished runs will take, from the mean time of finished ones of the same kind.

    kinds      of all runs to come, such as (problem, method): what takes about as long
    workers    how many run at a time

    A kind without a finished run is taken to be as slow as the mean of the others: not the mean of all runs, since it
    is the quick ones that finish first.
    """

    def __init__(self, kinds: Iterable[Hashable], workers: int) -> None:
        self._left = Counter(kinds)
        self._times: dict[Hashable, list[float]] = {}
        self._workers = workers

    def finished(self, kind: Hashable, seconds: float | None) -> None:
        """A run is over; seconds: None if it failed."""
        self._left[kind] -= 1
        if seconds is not None:
            self._times.setdefault(kind, []).append(seconds)

    def seconds(self, running: Sequence[Hashable] = ()) -> float | None:
        """Till all runs are over, those of the running kinds being half done; None: no way to know yet."""
        if not self._times:
            return None
        means = {kind: sum(times) / len(times) for kind, times in self._times.items()}
        mean = sum(means.values()) / len(means)
        left = {kind: n * means.get(kind, mean) for kind, n in self._left.items() if n}
        half_done = sum(0.5 * means.get(kind, mean) for kind in running)
        return max(0.0, (sum(left.values()) - half_done) / self._workers)
