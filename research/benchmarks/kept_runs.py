"""Runs of optimizers on problems with several outputs, kept as JSON lines, so that they are made once and combined.

A line has the problem, the method, the seed, and of each evaluation the outputs and the seconds since the evaluation
before had returned, by the clock and of the processor: all that a method adds, which is the proposal and what it does
when it is told. The processor's time does not depend on the load of the machine as much as that of the clock.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from suffice.space import Choice, Float, Int, Listed, Space

Outputs = dict[str, float]


class Job(NamedTuple):
    """What is run: the names of a problem and a method, a seed, and how many evaluations."""

    problem: str
    method: str
    seed: int
    n: int


@dataclass(frozen=True)
class Kept:
    """A run: its job, and what each evaluation returned and took to propose."""

    problem: str
    method: str
    seed: int
    outputs: list[Outputs]
    seconds: list[float]  # by the clock
    processor: list[float]  # seconds, too

    @property
    def name(self) -> tuple[str, str, int]:
        return self.problem, self.method, self.seed


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


@dataclass
class Recorder:
    """A function that remembers what it returned and how long it had to wait to be called."""

    function: Callable[[Mapping[str, Any]], Outputs]
    outputs: list[Outputs] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    since: tuple[float, float] = field(default_factory=now)

    def __call__(self, point: Mapping[str, Any]) -> Outputs:
        for times, at, before in zip((self.seconds, self.processor), now(), self.since, strict=True):
            times.append(at - before)
        self.outputs.append(self.function(point))
        self.since = now()
        return dict(self.outputs[-1])

    def run(self, job: Job) -> Kept:
        return Kept(job.problem, job.method, job.seed, self.outputs, self.seconds, self.processor)


def read(path: Path | None) -> dict[tuple[str, str, int], Kept]:
    """The runs of a file, the longest of each name; none without a file."""
    found: dict[tuple[str, str, int], Kept] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
        run = Kept(**json.loads(line))
        if run.name not in found or len(found[run.name].outputs) < len(run.outputs):
            found[run.name] = run
    return found


def made(jobs: Sequence[Job], carry_out: Callable[[Job], Kept], path: Path | None, processes: int) -> list[Kept]:
    """The runs of all jobs: those that the file has, and new ones, which are added to it as they end."""
    known = read(path)
    left = [job for job in jobs if job[:3] not in known or len(known[job[:3]].outputs) < job.n]
    for run in _carried_out(left, carry_out, processes):
        known[run.name] = run
        if path is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(run)) + "\n")
        print(f"{run.problem}, {run.method}, seed {run.seed}: {sum(run.processor):.0f} s of processor", flush=True)
    return [known[job[:3]] for job in jobs]


def _carried_out(jobs: Sequence[Job], carry_out: Callable[[Job], Kept], processes: int) -> Iterable[Kept]:
    if processes == 1:
        yield from map(carry_out, jobs)
        return
    with ProcessPoolExecutor(processes) as pool:
        for future in as_completed([pool.submit(carry_out, job) for job in jobs]):
            yield future.result()


def proposed(trial: Any, space: Space) -> dict[str, Any]:
    """A point of the space as a trial of Optuna proposes it; of an ordered list Optuna sees the places."""
    point: dict[str, Any] = {}
    for name, parameter in space.params.items():
        if isinstance(parameter, Float):
            point[name] = trial.suggest_float(
                name, parameter.low, parameter.high, log=parameter.log, step=parameter.step
            )
        elif isinstance(parameter, Int):
            point[name] = trial.suggest_int(
                name, parameter.low, parameter.high, log=parameter.log, step=parameter.step or 1
            )
        elif isinstance(parameter, Choice):
            point[name] = trial.suggest_categorical(name, list(parameter.options))
        else:
            assert isinstance(parameter, Listed)
            point[name] = parameter.options[trial.suggest_int(name, 0, len(parameter.options) - 1)]
    return point
