import inspect
import re

import pytest

from research.problems import FIXED, PROBLEMS, SEEDED, drawn, find, functions
from suffice.problems.functions import FAMILIES as THE_PAPERS
from suffice.problems.functions import family, title

FAMILIES = THE_PAPERS | functions.FAMILIES


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_registered_name_is_found(name):
    assert find(name) == PROBLEMS[name]


@pytest.mark.parametrize("dim", [4, 12])
@pytest.mark.parametrize("family", functions.FAMILIES)
def test_a_family_is_found_in_any_dimension_under_the_name_of_the_problem(family, dim):
    problem = find(f"{family}{dim}")
    assert (problem.name, problem.dim) == (f"{family}{dim}", dim)
    assert problem == FAMILIES[family](dim)


@pytest.mark.parametrize("seed", [0, 3, 17])
@pytest.mark.parametrize("family", SEEDED)
def test_a_drawn_problem_is_found_by_its_seed_under_the_name_of_the_problem(family, seed):
    problem = find(f"{family}{seed}")
    assert problem.name == f"{family}{seed}"
    assert problem == SEEDED[family](seed)


def test_the_two_way_choice_is_found_with_both_gaps():
    assert find("two_way") == drawn.two_way(1.0)
    assert find("two_way_close") == drawn.two_way(0.05)


def test_no_drawn_family_is_left_out():
    own = [f for _, f in inspect.getmembers(drawn, inspect.isfunction) if f.__module__ == drawn.__name__]
    factories = {f.__name__ for f in own if f.__name__[0] != "_"} - {"mixed"}
    assert factories == {*(re.sub(r"\dd\Z", "", family) for family in SEEDED), "two_way"}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_no_registered_name_hides_another_dimension_of_a_family(problem):
    family = problem.name.rstrip("0123456789")
    if family in FAMILIES:
        assert problem == FAMILIES[family](problem.dim)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("styblinskitang3", "styblinski_tang3"),
        ("cosine8", "cosine_mixture8"),
        ("Powell", "powell4"),
        ("reactions3", "reaction3"),
        ("staircase", "staircase4"),
        ("twoway", "two_way"),
    ],
)
def test_of_an_unknown_name_the_nearest_names_are_told(name, meant):
    with pytest.raises(ValueError, match=rf"no problem '{name}'; the nearest names are [^;]*\b{meant}\b"):
        find(name)


def test_a_name_like_no_other_gets_the_whole_list_and_how_families_are_spelled():
    with pytest.raises(ValueError, match="; the names are ") as error:
        find("zzz")
    words = set(re.findall(r"\w+", str(error.value)))
    assert words >= {*PROBLEMS, *FIXED, "automl", *FAMILIES, "levy7", *SEEDED}


@pytest.mark.parametrize(("name", "rule"), [("rosenbrock1", "at least 2 inputs"), ("powell6", "multiple of 4")])
def test_a_dimension_that_a_family_does_not_have_is_refused_by_its_rule(name, rule):
    with pytest.raises(ValueError, match=rule):
        find(name)


def test_a_seed_is_told_from_a_dimension():
    assert (title("reaction3"), title("which_model0")) == ("Reaction, seed 3", "Which model, seed 0")
    assert (title("basins4d12"), title("two_way_close")) == ("Basins 4d, seed 12", "Two way close")
    assert (title("shekel7"), title("goldstein_price")) == ("Shekel 7", "Goldstein–Price")
    assert (title("hartmann4_rescaled"), title("rosenbrock4")) == ("Hartmann 4d, rescaled", "Rosenbrock 4d")


def test_a_problem_of_many_inputs_has_a_dimension_and_a_seed():
    assert (title("lasso180d3"), title("hartmann6_in100d0")) == ("Lasso 180d, seed 3", "Hartmann 6d among 100, seed 0")
    assert (title("ellipsoid40d"), family("ellipsoid40d7")) == ("Ellipsoid 40d", "ellipsoid40d")


def test_a_problem_that_a_seed_draws_is_one_of_its_family():
    names = ("reaction12", "basins2d7", "two_way", "levy5")
    assert [family(name) for name in names] == ["reaction", "basins2d", "two_way", "levy5"]
    assert (title("basins2d"), title("reaction_large")) == ("Basins 2d", "Reaction large")
