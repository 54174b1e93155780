import inspect
import re

import pytest

from suffice.problems import PROBLEMS, effects, find, scalable, traps
from suffice.problems.seeded import FIXED, SEEDED


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_registered_name_is_found(name):
    assert find(name) is PROBLEMS[name]


@pytest.mark.parametrize("dim", [4, 12])
@pytest.mark.parametrize("family", scalable.FAMILIES)
def test_a_family_is_found_in_any_dimension_under_the_name_of_the_problem(family, dim):
    problem = find(f"{family}{dim}")
    assert (problem.name, problem.dim) == (f"{family}{dim}", dim)
    assert problem == scalable.FAMILIES[family](dim)


@pytest.mark.parametrize("seed", [0, 3, 17])
@pytest.mark.parametrize("family", SEEDED)
def test_a_drawn_problem_is_found_by_its_seed_under_the_name_of_the_problem(family, seed):
    problem = find(f"{family}{seed}")
    assert problem.name == f"{family}{seed}"
    assert problem == SEEDED[family](seed)


def test_the_two_way_choice_is_found_with_both_gaps():
    assert find("two_way") == effects.two_way(1.0)
    assert find("two_way_close") == effects.two_way(0.05)


def test_no_drawn_family_is_left_out():
    own = [f for module in (effects, traps) for _, f in inspect.getmembers(module, inspect.isfunction)]
    factories = {f.__name__ for f in own if f.__module__ in (effects.__name__, traps.__name__) and f.__name__[0] != "_"}
    families = {re.sub(r"\dd\Z", "", family) for family in SEEDED}
    assert factories == {*families, "two_way"}


def test_no_family_is_left_out():
    factories = dict(inspect.getmembers(scalable, inspect.isfunction))
    assert {name for name in factories if not name.startswith("_")} == scalable.FAMILIES.keys()


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_no_registered_name_hides_another_dimension_of_a_family(problem):
    family = problem.name.rstrip("0123456789")
    if family in scalable.FAMILIES:
        assert problem == scalable.FAMILIES[family](problem.dim)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("brannin", "branin"),
        ("hartman6", "hartmann6"),
        ("lewy12", "levy12"),
        ("styblinskitang3", "styblinski_tang3"),
        ("cosine8", "cosine_mixture8"),
        ("auto_ml", "automl"),
        ("levy", "levy5"),
        ("levy07", "levy7"),
        ("Powell", "powell4"),
        ("reactions3", "reaction3"),
        ("staircase", "staircase4"),
        ("twoway", "two_way"),
    ],
)
def test_of_an_unknown_name_the_nearest_names_are_told(name, meant):
    with pytest.raises(ValueError, match=rf"called '{name}'; the nearest names are [^;]*\b{meant}\b"):
        find(name)


@pytest.mark.parametrize("name", ["", "7", "zzz"])
def test_a_name_like_no_other_gets_the_whole_list_and_how_families_are_spelled(name):
    with pytest.raises(ValueError, match="; the names are ") as error:
        find(name)
    words = set(re.findall(r"\w+", str(error.value)))
    assert words >= {*PROBLEMS, *FIXED, "automl", *scalable.FAMILIES, "levy7", *SEEDED, "reaction3"}


@pytest.mark.parametrize(
    ("name", "rule"),
    [("levy0", "at least 1 inputs"), ("rosenbrock1", "at least 2 inputs"), ("powell6", "multiple of 4")],
)
def test_a_dimension_that_a_family_does_not_have_is_refused_by_its_rule(name, rule):
    with pytest.raises(ValueError, match=rule):
        find(name)
