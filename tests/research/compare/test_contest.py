"""The plan: who takes part in what, and which finished runs belong to it."""

from collections import Counter
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

import pytest

from research.compare.contest import Cap, contest, full, quick, task
from research.compare.entrant import Entrant
from research.compare.systems import SYSTEMS
from research.problems import find
from research.problems.registry import FIXED, SEEDED
from suffice.lab.plan import Task
from suffice.lab.results import Results
from suffice.lab.runner import current, execute
from suffice.paper.presets import PRESETS
from suffice.problems.functions import family
from suffice.run.evaluation import Inline


@pytest.fixture(scope="module")
def everyone():
    return [Entrant(system, "python", {}) for system in SYSTEMS.values()]


def test_the_plan_has_the_papers_problems_and_more(everyone):
    tasks = full(everyone).plan.tasks
    assert tasks[:6] == PRESETS["main"].tasks
    further = [task for task in tasks[6:] if task.iterations > 40]
    assert len(further) >= 8
    assert len({task.problem for task in tasks}) == len(tasks)
    dims = [find(task.problem).dim for task in further]
    assert (min(dims), max(dims)) == (2, 10)
    assert [task.initial for task in further] == [5 * d for d in dims]
    assert all(60 <= task.iterations <= 100 for task in further)


def test_the_plan_has_every_kind_of_family_that_seeds_draw(everyone):
    places = [task for task in full(everyone).plan.tasks if task.iterations == 40]
    drawn = {family(task.problem) for task in places}
    assert drawn >= {name for name in SEEDED if not name.startswith("basins")} | set(FIXED)
    assert sum(name.startswith("basins") for name in drawn) >= 2
    assert {task.initial + task.iterations for task in places if task.problem != "automl"} == {50}
    assert ("automl" in drawn) == (find_spec("sklearn") is not None)


def test_slow_systems_take_a_part(everyone):
    jobs = list(full(everyone).plan.jobs())
    seeds = {name: max(job.seed for job in jobs if job.method.name == name) + 1 for name in SYSTEMS}
    fast = ("suffice", "optuna_tpe", "cma", "random", "sobol")
    assert {seeds[name] for name in fast} == {10}
    assert (seeds["optuna_gp"], seeds["bayes_opt"]) == (5, 5)
    assert (seeds["botorch_ucb"], seeds["botorch_logei"]) == (3, 3)
    longest = {name: max(job.task.iterations for job in jobs if job.method.name == name) for name in SYSTEMS}
    assert {longest[name] for name in fast} == {200}
    assert longest["botorch_ucb"] == longest["botorch_logei"] == 100
    counts = Counter(job.method.name for job in jobs)
    for name in ("ax", "skopt", "hebo", "smac"):
        assert (counts[name], seeds[name], longest[name]) == (2 * (4 + (3 if name == "smac" else 0)), 2, 60)
    assert len({job.key for job in jobs}) == len(jobs)


def test_the_quick_plan_has_all_systems_and_little_to_do(everyone):
    jobs = list(quick(everyone).plan.jobs())
    assert {job.method.name for job in jobs} == set(SYSTEMS)
    slow = [job for job in jobs if job.method.name in ("ax", "skopt", "hebo", "smac")]
    assert sum(job.task.iterations for job in slow) <= 40
    assert max(job.task.iterations for job in jobs) <= 15


def test_a_cap_never_adds_anything():
    cap = Cap(seeds=2, iterations=60, problems=("branin",))
    assert cap.task(Task("branin", 20, 80), 1) == Task("branin", 20, 60)
    assert cap.task(Task("branin", 20, 30), 0) == Task("branin", 20, 30)
    assert cap.task(Task("branin", 20, 80), 2) is None
    assert cap.task(Task("levy5", 20, 80), 0) is None
    assert Cap().task(Task("levy5", 20, 80), 10**6) == Task("levy5", 20, 80)


def test_a_problem_has_its_budget_in_the_plan_or_a_usual_one():
    assert task("hartmann6") == Task("hartmann6", 60, 200)
    assert task("ackley5", 7) == Task("ackley5", 25, 7)
    assert task("levy7") == Task("levy7", 35, 60)
    assert task("reaction3") == Task("reaction3", 10, 40)
    assert task("two_way_close", 5) == Task("two_way_close", 10, 5)
    with pytest.raises(ValueError, match="there is no problem 'levi'"):
        task("levi")


def test_runs_of_another_definition_are_not_taken_for_these(make_entrant, tmp_path):
    tasks = (Task("branin", 5, 3), Task("six_hump_camel", 5, 2))
    entrant = partial(make_entrant, "centre")
    plan = contest("full", tasks, (entrant(),), 2, {"centre": Cap(problems=("branin",))}).plan
    newer = contest("full", tasks, (entrant(versions={"centre": "2"}),), 2, plan.caps).plan
    with Results(tmp_path / "results.db") as results:
        assert execute(plan.jobs(), results, executor=Inline()).done == 2
        runs = current(plan, results)
        assert [(run.problem, run.seed, len(run.points)) for run in runs] == [("branin", 0, 3), ("branin", 1, 3)]
        assert execute(plan.jobs(), results, executor=Inline()).skipped == 2
        assert [run.seed for run in current(replace(plan, reps=1), results)] == [0]
        assert len(current(replace(plan, caps={}), results)) == 2
        assert current(replace(plan, caps={"centre": Cap(iterations=2)}), results) == []
        assert current(newer, results) == []
        assert current(replace(plan, name="other"), results) == []
