"""One run of an experiment, and what it leaves.

t   1 … T   iterations after the initial design        r_t = f(x_t) − f*,  R_T = Σ r_t,  simple regret min_{s ≤ t} r_s
"""

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from scipy.stats import qmc

from suffice.lab.plan import Job
from suffice.problems import Problem, find
from suffice.study.audit import audit
from suffice.study.audited import AuditedStep
from suffice.study.optimizer import Optimizer
from suffice.study.trial import Trial
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


COLUMNS = tuple(column.name for column in fields(Row))


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
    seconds = report.seconds
    return Row(
        t=t,
        value=trial.value + shift,
        regret=trial.value + (shift - optimum),
        fit=seconds["fit"],
        bind=seconds["bind"],
        solve=seconds["solve"],
        report=seconds["report"],
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
