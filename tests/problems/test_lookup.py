import inspect
import re

import pytest

from suffice.problems import PROBLEMS, find, functions, register
from suffice.problems.functions import FAMILIES, family, family_and_number, title


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_name_of_the_paper_is_found(name):
    assert find(name) is PROBLEMS[name]


@pytest.mark.parametrize("dim", [4, 12])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_found_in_any_dimension_under_the_name_of_the_problem(family, dim):
    problem = find(f"{family}{dim}")
    assert (problem.name, problem.dim) == (f"{family}{dim}", dim)
    assert problem == FAMILIES[family](dim)


def test_no_family_is_left_out():
    known = inspect.getmembers(functions, inspect.isfunction)
    assert {name for name, f in known if [*inspect.signature(f).parameters] == ["dim"]} == FAMILIES.keys()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("brannin", "branin"),
        ("hartman6", "hartmann6"),
        ("lewy12", "levy12"),
        ("auto_ml", "automl"),
        ("levy", "levy5"),
        ("levy07", "levy7"),
    ],
)
def test_of_an_unknown_name_the_nearest_names_are_told(name, meant):
    with pytest.raises(ValueError, match=rf"problem '{name}'; the nearest names are [^;]*\b{meant}\b"):
        find(name)


@pytest.mark.parametrize("name", ["", "7", "zzz"])
def test_a_name_like_no_other_gets_the_whole_list_and_how_families_are_spelled(name):
    with pytest.raises(ValueError, match="; the names are ") as error:
        find(name)
    assert set(re.findall(r"\w+", str(error.value))) >= {*PROBLEMS, "automl", *FAMILIES, "levy7"}


def test_a_dimension_that_a_family_does_not_have_is_refused_by_its_rule():
    with pytest.raises(ValueError, match="at least 1 inputs"):
        find("levy0")


def test_what_is_registered_is_found_and_the_papers_problems_stay(monkeypatch):
    for name in ("MORE", "SCALABLE", "SEEDED"):
        monkeypatch.setattr(functions, name, dict(getattr(functions, name)))
    mine = functions.levy(2)
    register([mine], scalable={"flat": functions.ackley}, seeded={"drawn": functions.griewank})
    assert find("levy2") is mine
    assert (find("flat3").name, find("drawn7").name) == ("ackley3", "griewank7")
    assert "levy2" not in PROBLEMS
    with pytest.raises(ValueError, match=r"drawn with a seed, .*drawn"):
        find("zzz")


def test_names_become_titles():
    assert (title("branin"), title("rastrigin3"), title("hartmann6")) == ("Branin", "Rastrigin 3d", "Hartmann 6d")
    assert (title("automl"), title("michalewicz10")) == ("AutoML", "Michalewicz 10d")


def test_a_number_at_the_end_is_apart():
    assert family_and_number("levy10") == ("levy", "10")
    assert family_and_number("branin") == ("branin", "")


def test_a_problem_that_no_seed_draws_is_one_of_itself():
    assert (family("levy5"), family("branin")) == ("levy5", "branin")
