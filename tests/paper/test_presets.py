"""The presets are complete, run, travel to other processes and are the paper's where they claim to be."""

import math
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from suffice import Optimizer
from suffice.acquisition import SqrtLog, Thompson
from suffice.errors import MissingExtra
from suffice.lab.plan import Job, Task
from suffice.lab.results import run_job
from suffice.paper.presets import PRESETS, quick
from suffice.paper.published import PUBLISHED
from suffice.problems import find
from suffice.solvers import SOLVERS

METHODS = {
    f"{method.name} of {plan.name}": method
    for plan in PRESETS.values()
    if plan.name not in ("small", "automl", "michalewicz")  # the methods of main
    for method in plan.methods
}
PER_DIMENSION = {"main": 10, "automl": 10, "grid-size": 10, "michalewicz": 10}

each = pytest.mark.parametrize("plan", PRESETS.values(), ids=PRESETS)


def found(name):
    try:
        return find(name)
    except MissingExtra:
        pytest.skip("needs scikit-learn")


def all_digests():
    """By key, of one seed; without the task that needs scikit-learn."""
    jobs = (job for plan in PRESETS.values() for job in replace(plan, reps=1).jobs() if job.task.problem != "automl")
    return {job.key: job.digest(find(job.task.problem)) for job in jobs}


def test_all_are_there():
    paper = ["main", "small", "automl", "grid-size", "michalewicz"]
    ours = ["growth", "kernels", "thompson", "solvers", "dimension", "inexact", "surrogate"]
    assert list(PRESETS) == [plan.name for plan in PRESETS.values()] == paper + ours


@each
def test_a_preset_can_be_written_down(plan):
    assert "\n" not in plan.title + plan.about
    assert plan.about.endswith(".")
    assert len(plan.title) <= 110
    for method in plan.methods:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", method.name)
        assert len(method.label) <= 20
    for part in ([m.name for m in plan.methods], [m.label for m in plan.methods], [t.problem for t in plan.tasks]):
        assert len(set(part)) == len(part)


@each
def test_problems_are_known_and_designs_grow_with_their_dimension(plan):
    for task in plan.tasks:
        assert task.initial == PER_DIMENSION.get(plan.name, 5) * found(task.problem).dim


def test_the_budgets_of_the_paper():
    order = ("branin", "rastrigin3", "hartmann3", "hartmann4", "levy5", "hartmann6")
    for name, iterations in (("main", (80, 100, 100, 120, 150, 200)), ("small", (20, 45, 45, 60, 50, 90))):
        assert [(task.problem, task.iterations) for task in PRESETS[name].tasks] == list(
            zip(order, iterations, strict=True)
        )
        assert PRESETS[name].reps == 20


def test_every_published_value_has_its_runs():
    for name, cells in PUBLISHED.items():
        plan = PRESETS[name]
        assert set(cells) <= {(task.problem, method.name) for task in plan.tasks for method in plan.methods}


@each
def test_jobs_travel_to_other_processes(plan):
    for job in replace(plan, reps=1).jobs():
        copy = pickle.loads(pickle.dumps(job))
        assert (copy.key, copy.task) == (job.key, job.task)
        problem = found(job.task.problem)
        assert copy.digest(problem) == job.digest(problem)


def test_keys_are_unique():
    keys = [job.key for plan in PRESETS.values() for job in plan.jobs()]
    assert len(set(keys)) == len(keys)


def test_digests_tell_runs_apart_and_are_the_same_in_every_process():
    digests = all_digests()
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_presets as t; "
    code += "[print(*item) for item in t.all_digests().items()]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert dict(line.split(" ") for line in done.stdout.splitlines()) == digests
    for plan in PRESETS.values():
        for task in plan.tasks:
            same = [digests[job.key] for job in replace(plan, reps=1).jobs() if job.task == task and job.key in digests]
            assert len(set(same)) == len(same)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_runs(method):
    trace = run_job(Job("toy", Task("branin", 6, 2), method, 0))
    assert [row.t for row in trace.rows] == [1, 2]
    assert all(math.isfinite(row.regret) and row.n_evals > 0 for row in trace.rows)


@each
def test_every_method_takes_every_problem_of_its_plan(plan):
    for task in plan.tasks:
        problem = found(task.problem)
        for method in plan.methods:
            space = problem.native.space if method.native and problem.native else list(problem.bounds)
            Optimizer(space, n_initial=task.initial, **method.make(problem))


def test_thompson_sampling_keeps_the_papers_beta_whatever_the_default_is():
    parts = [method.make(find("branin"))["acquisition"] for method in PRESETS["thompson"].methods]
    assert {acquisition.beta for acquisition in parts} == {SqrtLog()}
    assert sum(isinstance(acquisition, Thompson) for acquisition in parts) == len(parts) - 1  # and UCB beside them


def test_no_grid_of_the_growth_experiment_is_cut():
    growth = PRESETS["growth"]
    for task in growth.tasks:
        problem = find(task.problem)
        sizes = [
            method.make(problem)["solver"].size(task.iterations, problem.dim) for method in PRESETS["growth"].methods
        ]
        T, d = task.iterations, problem.dim
        assert sizes == [100, 100 * T, 100 * T**2, 100 * T**d]


@pytest.mark.parametrize(("name", "gaps"), [("constant", (0.5, 0.5, 0.5)), ("inverse", (0.5, 0.25, 0.167))])
def test_the_inexact_experiment_makes_the_gaps_it_names(name, gaps):
    (method,) = (method for method in PRESETS["inexact"].methods if method.name == name)
    trace = run_job(Job("toy", Task("hartmann3", 10, 3), method, 0, audit=1))
    # The audit's median comes from other draws.
    assert [row.audited_gap for row in trace.rows] == pytest.approx(gaps, abs=0.05)


def test_every_registered_solver_but_the_auditor_is_compared():
    names = {method.name for method in PRESETS["solvers"].methods}
    assert set(SOLVERS) - {"heavy"} | {"scipy_lbfgsb"} == {name for name in names if not name.startswith("restarts_")}


@each
def test_the_quick_version_is_the_same_with_less(plan):
    small = quick(plan)
    assert small.reps == 2
    assert small.name == f"{plan.name}-quick"  # other runs, so that neither replaces the other's
    assert replace(small, name=plan.name, reps=plan.reps, audit=plan.audit, audited=plan.audited) == plan
    if plan.audited:
        before, after = (p.audited * sum(math.ceil(t.iterations / p.audit) for t in p.tasks) for p in (plan, small))
        assert 0 < after <= before / 4 + len(plan.tasks)  # one audit of every run is the least
