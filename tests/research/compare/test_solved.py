"""Solved: counted by hand, with runs that never get there."""

import math

import pytest

from research.compare.contest import contest
from research.compare.standings import Solved, Unit, by_family, evaluations, units
from research.problems import find
from research.problems.typical import typical_regret
from suffice.lab.plan import Task

UNIT = Unit(regret=100.0, initial=10)


def of(rows, family, system="a"):
    (row,) = (row for row in rows if (row.family, row.system) == (family, system))
    return row


@pytest.mark.parametrize(
    ("regrets", "initial", "count"),
    [
        ([5.0, 1.0, 0.5], 50.0, 12),  # 1 % is enough, and the first time counts
        ([0.1, 7.0, 7.0], 50.0, 11),
        ([5.0, 1.0001, 3.0], 50.0, math.inf),
        ([5.0, 5.0, 5.0], 1.0, 10),  # all points of the initial design
    ],
)
def test_evaluations_are_counted_from_the_first_point_of_the_design(make_run, regrets, initial, count):
    assert evaluations(make_run("branin", "a", 0, regrets, initial=initial), UNIT, 0.01) == count


def test_the_median_is_of_all_runs_and_those_that_never_got_there_are_beyond_it(make_run):
    first = [make_run("branin", "a", seed, r) for seed, r in enumerate([[9, 1, 9], [9, 9, 1], [9, 9, 9]])]
    most = of(by_family(first, {"branin": UNIT}), "branin")
    assert (most.within_1, most.within_01, most.evaluations, most.effort) == (2, 0, 13, "13")
    half = of(by_family([*first, make_run("branin", "a", 3, [9, 9])], {"branin": UNIT}), "branin")
    assert (half.share, half.closer_share, half.evaluations) == ("2 of 4", "0 of 4", math.inf)
    assert half.effort == "> 12"  # what half of them exceed for certain


def test_problems_of_a_family_are_counted_together_each_by_its_own_unit(make_run):
    known = {"reaction1": UNIT, "reaction22": Unit(1e4, 20), "branin": UNIT}
    runs = [
        make_run("reaction1", "a", 0, [1.0]),
        make_run("reaction22", "a", 0, [9.0], initial=5000.0),
        make_run("branin", "a", 0, [9.0]),
    ]
    rows = by_family(runs, known)
    assert [row.family for row in rows] == ["reaction", "branin", "all"]
    assert of(rows, "reaction") == Solved("reaction", "a", 2, 2, 1, 16.0, 11)
    assert of(rows, "branin").share == "0 of 1"
    assert of(rows, "all").share == "2 of 3"


def test_what_has_no_known_optimum_is_not_counted(make_run):
    rows = by_family([make_run("automl", "a", 0, [0.0]), make_run("branin", "a", 0, [0.0])], {"branin": UNIT})
    assert (of(rows, "automl").share, of(rows, "automl").effort) == ("–", "–")
    assert of(rows, "all").share == "1 of 1"


def test_units_are_typical_regrets_where_the_optimum_is_attained():
    pytest.importorskip("sklearn")
    tasks = (Task("reaction1", 7, 3), Task("branin", 5, 3), Task("automl", 5, 3))
    assert units(contest("full", tasks, [], 1, {}).plan) == {
        "reaction1": Unit(typical_regret(find("reaction1")), 7),
        "branin": Unit(typical_regret(find("branin")), 5),
    }
