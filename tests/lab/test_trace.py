"""One run of an experiment: what it is made of, and that nothing else decides it."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import qmc

from suffice import GP
from suffice.candidates import sobol
from suffice.lab.plan import (
    Job,
    Method,
    Plan,
    Task,
)
from suffice.lab.results import COLUMNS, initial_design, run_job
from suffice.paper.presets import (
    AUTHORS,
    ENOUGH,
    PRESETS,
    SUFFICE,
    UNIFORM,
)
from suffice.problems import find
from suffice.solvers import LBFGSB, Fixed, Grid

TASK = Task("branin", initial=4, iterations=3)
JOB = Job("toy", TASK, PRESETS["grid-size"].methods[1], seed=0)
SECONDS = {"fit", "bind", "solve", "report", "objective"}
AUDITED = ("audited_gap", "audited_eta", "audited_inaccuracy")


def facts(trace):
    """All that is not a time; nan as None, so that it equals itself."""
    rows = [
        [None if math.isnan(getattr(row, name)) else getattr(row, name) for name in COLUMNS if name not in SECONDS]
        for row in trace.rows
    ]
    return rows, trace.points, trace.initial, trace.notes


def test_a_job_gives_the_same_run_each_time():
    job = replace(JOB, method=ENOUGH, audit=2)
    assert facts(run_job(job)) == facts(run_job(job))


def test_another_seed_is_another_run():
    assert run_job(JOB).points != run_job(replace(JOB, seed=1)).points


def test_a_run_has_a_row_and_a_point_of_the_box_for_each_iteration():
    run = run_job(JOB)
    assert [row.t for row in run.rows] == [1, 2, 3]
    assert len(run.points) == 3
    low, high = np.array(find("branin").bounds).T
    assert np.all((low <= np.array(run.points)) & (np.array(run.points) <= high))


def test_regret_is_the_value_of_the_point_minus_the_optimum():
    problem, run = find("branin"), run_job(JOB)
    values = problem.values(run.points)
    np.testing.assert_allclose([row.value for row in run.rows], values, rtol=1e-14)
    np.testing.assert_allclose([row.regret for row in run.rows], values - problem.optimum, rtol=1e-14)
    assert all(row.regret >= 0 for row in run.rows)
    design = problem.values(initial_design(problem, TASK.initial, JOB.seed))
    assert run.initial == pytest.approx(design.min() - problem.optimum, rel=1e-14)


def test_the_seconds_of_a_run_are_those_of_its_steps_without_the_objective():
    run = run_job(JOB)
    assert run.seconds == pytest.approx(sum(row.fit + row.bind + row.solve + row.report for row in run.rows))


def designs(optimizers):
    return [np.array([trial.point for trial in optimizer.trials[: TASK.initial]]) for optimizer in optimizers]


def test_the_initial_design_is_the_same_for_every_method_and_another_for_every_seed(optimizers):
    for method, seed in ((UNIFORM, 0), (ENOUGH, 0), (SUFFICE, 0), (UNIFORM, 1)):
        run_job(replace(JOB, method=method, seed=seed))
    one, two, three, other = designs(optimizers)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)
    assert not np.isin(other, one).any()
    np.testing.assert_array_equal(one, initial_design(find("branin"), TASK.initial, 0))
    assert all(trial.solve is not None for optimizer in optimizers for trial in optimizer.trials[TASK.initial :])


def test_the_design_is_the_authors():
    """Scrambled Sobol points in the box, of the authors' seed plus the number of the run."""
    box = replace(find("branin"), bounds=((0.0, 1.0), (0.0, 1.0)))
    for seed in (0, 3):
        first = qmc.Sobol(2, scramble=True, seed=20252026 + seed).random(1)[0]
        np.testing.assert_array_equal(initial_design(box, 4, seed)[0], first)
        low, high = np.array(find("branin").bounds).T
        point = initial_design(find("branin"), 4, seed)[0]
        np.testing.assert_allclose(point, low + (high - low) * first, rtol=1e-14)


def test_the_design_does_not_depend_on_what_was_drawn_before():
    problem = find("hartmann3")
    first = initial_design(problem, 5, seed=3)
    initial_design(problem, 8, seed=4)
    np.testing.assert_array_equal(initial_design(problem, 8, seed=3)[:5], first)


def test_audited_columns_are_filled_on_audited_steps_only():
    run = run_job(replace(JOB, audit=2))
    for name in AUDITED:
        assert [math.isnan(getattr(row, name)) for row in run.rows] == [False, True, False]
    for row in run.rows[::2]:  # the best of 100 draws is found out by an audit, and its own estimate is of that size
        assert 0.0 < row.audited_inaccuracy < 1.0
        assert 0.0 < row.audited_gap < 0.2
        assert 0.5 < row.audited_eta < 1.0


def test_an_audit_changes_nothing_else_of_a_run():
    plain, audited = run_job(JOB), run_job(replace(JOB, audit=1))
    assert audited.points == plain.points
    blank = dict.fromkeys(AUDITED, math.nan)
    assert facts(replace(audited, rows=tuple(replace(row, **blank) for row in audited.rows))) == facts(plain)
    assert all(math.isnan(getattr(row, name)) for row in plain.rows for name in AUDITED)


def test_a_grid_reports_what_it_evaluated():
    assert [row.n_evals for row in run_job(replace(JOB, method=UNIFORM)).rows] == [100, 200, 300]
    assert [row.n_evals for row in run_job(JOB).rows] == [100, 100, 100]


def test_a_method_that_takes_a_problem_as_it_is_meets_integers_and_choices(optimizers):
    pytest.importorskip("sklearn")
    from suffice.problems.functions import SPACE, validation_error

    job = Job("toy", Task("automl", initial=4, iterations=2), replace(SUFFICE, make=few), seed=0)
    run = run_job(job)
    assert optimizers[0].space == SPACE
    points = [dict(zip(SPACE.names, point, strict=True)) for point in run.points]
    for point in points:
        assert SPACE.from_unit(SPACE.to_unit(point)) == point  # on the lattice
        assert type(point["n_estimators"]) is int
        assert point["loss"] in ("log_loss", "exponential")
    assert [row.regret for row in run.rows] == [validation_error(point) for point in points]
    design = [find("automl").native.point(x) for x in initial_design(find("automl"), 4, 0)]
    assert [trial.point for trial in optimizers[0].trials[:4]] == design
    assert json.loads(json.dumps(run.points)) == [list(point) for point in run.points]


def few(problem):
    return {"solver": Grid(size=Fixed(50))}


# ------------------------------------------------------------------ plans and digests


def words(solver, noise, problem):
    return {"model": GP(noise=noise), "solver": solver}


def digest(solver=Grid(size=Fixed(32)), noise=None, **changes):
    job = replace(JOB, method=Method("toy", "Toy", partial(words, solver, noise)))
    return replace(job, **changes).digest(find("branin"))


def test_a_digest_tells_definitions_apart():
    native = Method("toy", "Toy", partial(words, Grid(size=Fixed(32)), None), native=True)
    unshifted = replace(native, native=False, shifted=False)
    definitions = [
        digest(),
        digest(Grid(size=Fixed(33))),
        digest(Grid(size=Fixed(32), candidates=sobol)),
        digest(LBFGSB()),
        digest(noise=1e-4),
        digest(task=replace(TASK, iterations=4)),
        digest(task=replace(TASK, initial=5)),
        digest(task=replace(TASK, problem="hartmann3")),
        digest(audit=1),
        digest(method=native),
        digest(method=unshifted),
    ]
    assert len(set(definitions)) == len(definitions)


def test_a_digest_is_about_the_definition_only():
    assert digest() == digest()
    assert digest(seed=7) == digest(plan="other") == digest()
    renamed = Method("other", "Other", partial(words, Grid(size=Fixed(32)), None))
    assert digest(method=renamed) == digest()


def test_a_digest_is_the_same_in_another_process():
    code = (
        "from suffice.paper.presets import AUTHORS, ENOUGH, SUFFICE\n"
        "from suffice.lab.plan import Job, Task\n"
        "from suffice.problems import find\n"
        "for method in (*AUTHORS, ENOUGH, SUFFICE):\n"
        "    print(Job('toy', Task('branin', 4, 3), method, 0).digest(find('branin')))\n"
    )
    command = [sys.executable, "-X", "utf8", "-c", code]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    methods = (*AUTHORS, ENOUGH, SUFFICE)
    assert there == [replace(JOB, method=method).digest(find("branin")) for method in methods]
    assert len(set(there)) == len(there)


def test_a_plan_lists_every_job_once_seed_by_seed():
    tasks = (TASK, Task("hartmann3", 4, 3))
    plan = Plan("toy", "Toy", "…", tasks, (UNIFORM, ENOUGH), reps=3, audit=2, audited=1)
    jobs = list(plan.jobs())
    assert len({job.key for job in jobs}) == len(jobs) == 12
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    assert {job.seed: job.audit for job in jobs} == {0: 2, 1: 0, 2: 0}
    assert list(replace(plan, reps=1).jobs()) == jobs[:4]
    assert jobs[0].key == "toy/branin/uniform/0"
