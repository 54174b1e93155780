"""A problem's own space, told to a peer: floats, integers and options arrive as such, and come back as points of it."""

import json

import numpy as np
import pytest

from research.compare.adapters.random import Peer as Blind
from research.compare.adapters.suffice import Peer as Itself
from research.compare.contest import Cap, contest, left_out
from research.compare.entrant import Entrant, described, design
from research.compare.systems import SUFFICE, SYSTEMS, takes_spaces
from research.problems import find
from research.problems.drawn import mixed
from suffice.lab.plan import Job, Task
from suffice.lab.results import initial_design, run_job
from suffice.space import Choice, Float, Int, Space

WHICH = find("which_model1")


def a_problem(**parameters):
    space = Space(**parameters)
    return mixed("any", space, lambda point: 0.0, space.from_unit(space.sample(1, np.random.default_rng(0))[0]), "test")


def test_a_space_is_described_in_json():
    problem = a_problem(rate=Float(1e-4, 1, log=True), n=Int(1, 8), kind=Choice("a", 1, True, (2, 3)))
    assert json.loads(json.dumps(described(problem))) == [
        {"kind": "float", "low": 1e-4, "high": 1.0, "log": True},
        {"kind": "int", "low": 1, "high": 8, "log": False},
        {"kind": "choice", "options": ["'a'", "1", "True", "(2, 3)"]},
    ]
    assert described(find("branin"))[1] == {"kind": "float", "low": 0.0, "high": 15.0, "log": False}


def test_the_design_fills_the_problems_own_space_evenly():
    problem = a_problem(rate=Float(1e-4, 1, log=True), n=Int(1, 8), kind=Choice("a", "b", "c", "d"))
    rate, n, kind = design(problem, 64, 3).T
    assert np.mean(rate < 1e-2) == 0.5  # on a log scale, where the box would have almost none
    assert np.bincount(n.astype(int)).tolist() == [0, *[8] * 8]
    assert np.bincount(kind.astype(int)).tolist() == [16] * 4  # in the box the first and the last had half as many
    assert np.any(design(problem, 64, 4) != design(problem, 64, 3))
    orders = design(find("permutation0"), 240, 3)[:, 0]  # options with something in common
    assert np.ptp(np.bincount(orders.astype(int), minlength=120)) <= 2
    branin = find("branin")
    assert np.array_equal(design(branin, 10, 3), initial_design(branin, 10, 3))


def test_an_adapter_says_by_its_words_what_it_takes(make_entrant):
    native = {name for name, system in SYSTEMS.items() if takes_spaces(system.adapter)}
    assert native == {"suffice", "suffice_logei", "optuna_gp", "optuna_tpe", "smac", "random"}
    assert [make_entrant(name).system.native for name in ("fixed", "corner")] == [False, True]


def test_a_peer_of_ones_own_is_given_the_space_and_the_design_in_it(make_entrant):
    task = Task("which_model1", 4, 3)
    trace = run_job(Job("full", task, make_entrant("corner").method, 2))
    first = design(WHICH, 4, 2)
    assert trace.points[0] == tuple(first[0])  # as it was told
    assert trace.points[1] == (4.0, 1.0, 1.0, 20.0)  # the last option, and what is highest
    assert [row.value for row in trace.rows] == [WHICH.native.function(WHICH.native.point(x)) for x in trace.points]
    assert trace.initial == WHICH.values(first).min() - WHICH.optimum


@pytest.mark.parametrize("name", ["suffice", "suffice_logei", "random"])
def test_systems_search_a_space_of_choices_and_repeat_themselves(name, make_entrant):
    entrant = Entrant(SYSTEMS[name], make_entrant("fixed").python, {})
    trace = run_job(Job("full", Task("which_model1", 8, 4), entrant.method, 0))
    model, rate, mix, layers = np.array(trace.points).T
    assert set(model) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    assert set(layers) <= set(range(1, 21))
    assert np.all((rate >= 1e-4) & (rate <= 1.0) & (mix >= 0.0) & (mix <= 1.0))
    assert run_job(Job("full", Task("which_model1", 8, 4), entrant.method, 0)).points == trace.points


def test_suffice_is_given_options_as_they_are():
    problem = find("permutation0")
    rows = design(problem, 6, 0)
    peer = Itself(described(problem), rows.tolist(), problem.values(rows).tolist(), seed=0)
    assert peer.space["x0"] == problem.native.space.params["order"]
    told = [(trial.point["x0"], trial.point["x1"]) for trial in peer.optimizer.trials]
    assert told == [tuple(problem.native.point(row).values()) for row in rows]
    place = peer.ask()[0]
    assert problem.native.space.params["order"].options[place] == peer.trial.point["x0"]


def test_random_search_is_uniform_on_each_scale():
    space = [
        {"kind": "float", "low": 1e-4, "high": 1.0, "log": True},
        {"kind": "int", "low": 1, "high": 4, "log": False},
        {"kind": "int", "low": 1, "high": 4, "log": True},
        {"kind": "choice", "options": ["a", "b", "c"]},
    ]
    peer = Blind(space, [], [], seed=0)
    rate, n, size, kind = np.array([peer.ask() for _ in range(4000)]).T
    error = 5 * 0.5 / np.sqrt(4000)  # five standard deviations of any of these shares
    assert np.mean(rate < 1e-2) == pytest.approx(0.5, abs=error)
    assert [np.mean(n == i) for i in (1, 4)] == pytest.approx([0.25, 0.25], abs=error)
    assert np.mean(size == 1) == pytest.approx(np.log(3.0) / np.log(9.0), abs=error)  # of the cells 0.5 … 4.5
    assert [np.mean(kind == i) for i in (0, 1, 2)] == pytest.approx([1 / 3] * 3, abs=error)


def test_a_run_in_another_space_is_another_run(make_entrant):
    job = Job("full", Task("reaction1", 8, 4), make_entrant("corner").method, 0)
    assert job.digest(find("reaction1")) != job.digest(find("reaction_small1"))


def test_systems_that_are_given_boxes_have_no_part_in_choices_and_that_is_said():
    tasks = (Task("branin", 5, 3), Task("reaction1", 5, 3), Task("levy5", 5, 3))
    entrants = [Entrant(system, "python", {}) for system in (SUFFICE, SYSTEMS["cma"], SYSTEMS["ax"])]
    found = contest("full", tasks, entrants, 2, {"ax": Cap(seeds=1, problems=("levy5", "reaction1"))})
    jobs = [(job.method.name, job.task.problem, job.seed) for job in found.plan.jobs()]
    assert {problem for name, problem, _ in jobs if name == "suffice"} == {"branin", "reaction1", "levy5"}
    assert {problem for name, problem, _ in jobs if name == "cma"} == {"branin", "levy5"}
    assert [job[1:] for job in jobs if job[0] == "ax"] == [("levy5", 0)]
    assert left_out(found) == "Given boxes of floats only, and so without part in Reaction: CMA-ES, Ax."
    assert left_out(contest("full", tasks[::2], entrants, 2, {})) == ""
