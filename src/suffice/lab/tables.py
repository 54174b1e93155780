"""The runs of a plan in numbers: one cell for each problem and method.

T    iterations of a run         R_T = Σ r_t, cumulative regret         standard error: sample deviation / √(runs)
η_t  (v + C) / (α* + C), the accuracy of step t of which an audit finds the maximum α*;  M_T = Σ (1 − η_t)

Where each k-th step is audited only, sums over all steps interpolate: steps get more accurate as a run goes on, and the
first one, always audited, would count k times otherwise. A number that is not known is nan.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from suffice.lab.plan import Plan
from suffice.lab.run import Run
from suffice.page.formats import unknown
from suffice.store.files import replace_file
from suffice.types import Array

Grouped = dict[tuple[str, str], list[Run]]  # by problem and method

PHASES = ("fit", "bind", "solve", "report")  # of the seconds of a run; the objective is not one
STEPWISE = ("gap", "audited_gap", "audited_inaccuracy")  # columns of which all steps of a cell count alike


@dataclass(frozen=True)
class Cell:
    """What the runs of a method on a problem come to."""

    problem: str
    method: str
    runs: int
    regret: float  # final cumulative regret, mean
    regret_se: float  # its standard error; nan for fewer than two runs, as all of them
    simple_regret: float  # final, median
    seconds: float  # of a run without the objective, mean
    seconds_se: float
    fit: float  # mean seconds of a run by phase
    bind: float
    solve: float
    report: float
    objective: float
    evaluations: float  # of the acquisition functions in a run, mean
    gap: float  # relative gap as reported, mean over steps
    audited_gap: float  # relative gap by audit, mean over audited steps
    m_audited: float  # M_T by audit, mean over audited runs
    m_audited_se: float
    audited_steps: int  # in all runs


@dataclass(frozen=True)
class Paired:
    """One method minus another over the seeds they share: the designs are the same, so their luck cancels."""

    problem: str
    method: str
    reference: str
    seeds: int
    difference: float  # mean of R_T(method) − R_T(reference)
    se: float


def grouped(plan: Plan, runs: Iterable[Run]) -> Grouped:
    """The runs that the plan asks for, in its order, seeds ascending; a cell without runs is empty."""
    wanted = {job.key: job.task.iterations for job in plan.jobs()}
    groups: Grouped = {(task.problem, method.name): [] for task in plan.tasks for method in plan.methods}
    for run in sorted(runs, key=lambda run: run.seed):
        if wanted.get(run.key) == len(run.columns["regret"]):
            groups[run.problem, run.method].append(run)
    return groups


def cells(groups: Grouped) -> dict[tuple[str, str], Cell]:
    """The cells that have runs."""
    return {key: _cell(*key, runs) for key, runs in groups.items() if runs}


def paired(first: Sequence[Run], second: Sequence[Run]) -> Paired | None:
    """The first method's final regret minus the second's, seed by seed; None if they share no seed."""
    theirs = {run.seed: run.cumulative[-1] for run in second}
    differences = [run.cumulative[-1] - theirs[run.seed] for run in first if run.seed in theirs]
    if not differences:
        return None
    mean, se = mean_and_error(differences)
    return Paired(first[0].problem, first[0].method, second[0].method, len(differences), mean, se)


def mean_and_error(values: Iterable[float]) -> tuple[float, float]:
    """Mean and standard error of the numbers among the values; nan where there are too few."""
    known = np.array([value for value in values if not math.isnan(value)], dtype=np.float64)
    mean = float(known.mean()) if len(known) else math.nan
    return mean, float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else math.nan


def filled(steps: Array) -> Array:
    """All T steps from those that are known: linear between two of them, constant beyond; nan if none is. (T,)"""
    known = np.flatnonzero(~np.isnan(steps))
    if len(known) == 0:
        return steps
    every: Array = np.interp(np.arange(len(steps)), known, steps[known])
    return every


def total(steps: Array) -> float:
    """The sum over all T steps, unknown ones interpolated; nan if none is known. (T,)"""
    return float(filled(steps).sum())


def m_audited(run: Run) -> float:
    """M_T = Σ (1 − η_t) from the audited steps."""
    return total(1.0 - run.columns["audited_eta"])


def write_csv(path: Path, kind: type, rows: Iterable[Any]) -> Path:
    """A table of instances of a dataclass: its fields are the columns, an unknown number is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(kind)])
    writer.writeheader()
    writer.writerows({name: "" if unknown(value) else value for name, value in asdict(row).items()} for row in rows)
    replace_file(path, text.getvalue())
    return path


def _cell(problem: str, method: str, runs: Sequence[Run]) -> Cell:
    regret, regret_se = mean_and_error(run.cumulative[-1] for run in runs)
    seconds, seconds_se = mean_and_error(run.seconds for run in runs)
    m, m_se = mean_and_error(map(m_audited, runs))
    steps = {name: np.concatenate([run.columns[name] for run in runs]) for name in STEPWISE}
    return Cell(
        problem=problem,
        method=method,
        runs=len(runs),
        regret=regret,
        regret_se=regret_se,
        simple_regret=float(np.median([run.simple[-1] for run in runs])),
        seconds=seconds,
        seconds_se=seconds_se,
        **{phase: _per_run(runs, phase) for phase in (*PHASES, "objective")},
        evaluations=_per_run(runs, "n_evals"),
        gap=mean_and_error(steps["gap"])[0],
        audited_gap=mean_and_error(steps["audited_gap"])[0],
        m_audited=m,
        m_audited_se=m_se,
        audited_steps=int(np.sum(~np.isnan(steps["audited_inaccuracy"]))),
    )


def _per_run(runs: Sequence[Run], column: str) -> float:
    return mean_and_error(total(run.columns[column]) for run in runs)[0]
