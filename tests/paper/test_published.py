"""The published numbers: complete, of known problems, and those of the paper's own statements."""

import pytest

from suffice.paper.presets import AUTHORS, PRESETS
from suffice.paper.published import PUBLISHED, REMARKS

FOUR = {method.name for method in AUTHORS}


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_cell_is_one_of_its_plan(name):
    plan = PRESETS[name]
    planned = {(task.problem, method.name) for task in plan.tasks for method in plan.methods}
    assert set(PUBLISHED[name]) <= planned
    assert {problem for problem, _ in PUBLISHED[name]} == {task.problem for task in plan.tasks}


@pytest.mark.parametrize("name", ["main", "small", "automl", "michalewicz"])
def test_every_problem_has_the_four_methods(name):
    cells = PUBLISHED[name]
    assert set(cells) == {(problem, method) for problem, _ in cells for method in FOUR}


@pytest.mark.parametrize("name", ["main", "automl", "michalewicz"])
def test_these_have_times_for_all(name):
    assert all(cell.seconds is not None for cell in PUBLISHED[name].values())


def test_small_designs_have_times_for_two_methods():
    timed = {method for (_, method), cell in PUBLISHED["small"].items() if cell.seconds is not None}
    assert timed == {"uniform", "lbfgsb"}


def test_what_the_paper_says_in_words():
    main, automl, size = PUBLISHED["main"], PUBLISHED["automl"]["automl", "uniform"], PUBLISHED["grid-size"]
    for problem in {problem for problem, _ in main}:  # the grid's time is the shortest
        assert min(FOUR, key=lambda method: main[problem, method].seconds) == "uniform"
    for problem in ("levy5", "hartmann6"):  # Nelder-Mead is much slower in five and six dimensions
        assert main[problem, "nelder_mead"].seconds > 1.8 * main[problem, "cg"].seconds
    assert min(FOUR, key=lambda method: main["branin", method].regret) == "uniform"
    assert automl.regret == min(cell.regret for cell in PUBLISHED["automl"].values())
    assert size["automl", "uniform"].regret < size["automl", "uniform_fixed"].regret


def test_remarks_are_about_published_cells():
    assert all(set(remarks) <= set(PUBLISHED[name]) for name, remarks in REMARKS.items())
