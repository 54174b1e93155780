"""Standings: means, medians and overheads, checked by hand."""

import math

import numpy as np
import pytest

from research.compare.standings import Unit, by_problem, overall, slowness


def test_a_row_says_what_the_runs_come_to(make_run):
    runs = [
        make_run("branin", "a", 0, [4.0, 0.1], ask=[9.0, 1.0], tell=[1.0, 3.0]),
        make_run("branin", "a", 1, [2.0, 0.001], ask=[7.0, 2.0], tell=[1.0, 4.0]),
    ]
    (row,) = by_problem(runs, {})
    assert (row.problem, row.system, row.problems, row.runs, row.iterations) == ("branin", "a", 1, 2, 2)
    assert row.regret == pytest.approx((4.1 + 2.001) / 2)
    assert row.regret_se == pytest.approx((4.1 - 2.001) / 2)
    assert row.log10_simple == pytest.approx(-2.0)
    assert row.overhead == pytest.approx((1 + 3 + 2 + 4) / 2)  # without the first suggestions
    assert row.last_overhead == pytest.approx(np.median([10, 4, 8, 6]))
    assert row.first_ask == pytest.approx(8.0)


def test_over_all_problems_regrets_are_shares_of_the_initial_one(make_run):
    runs = [
        make_run("branin", "a", 0, [4.0, 0.1], initial=10.0),
        make_run("levy5", "a", 0, [4000.0, 100.0], initial=10000.0),
    ]
    (row,) = overall(runs, {})
    assert row.regret == pytest.approx(4.1 / 2 / 10.0)
    assert row.regret_se == pytest.approx(0.0)
    assert row.log10_simple == pytest.approx(-2.0)
    assert (row.problem, row.problems) == ("all", 2)


def test_a_design_that_meets_the_optimum_has_no_regret_to_divide_by(make_run):
    runs = [make_run("staircase1", "a", seed, [4.0, 0.0], initial=initial) for seed, initial in enumerate([0.0, 8.0])]
    (row,) = overall(runs, {})
    assert row.regret == pytest.approx(4.0 / 2 / 8.0)  # of the other one
    assert row.log10_simple == -math.inf
    assert by_problem(runs[:1], {})[0].regret == 4.0


def test_the_last_ten_suggestions_are_the_last_ten(make_run):
    (row,) = overall([make_run("branin", "a", 0, np.ones(50), ask=np.arange(50.0))], {})
    assert row.last_overhead == pytest.approx(np.median(np.arange(40, 50)))
    (short,) = overall([make_run("branin", "a", 0, [1.0], ask=[2.0])], {})
    assert short.last_overhead == 2.0
    assert math.isnan(short.overhead)  # there is nothing but the first one


def test_the_best_rank_is_first(make_run):
    runs = [make_run("branin", name, 0, [regret]) for name, regret in (("a", 3.0), ("b", 1.0), ("c", 2.0))]
    assert [row.system for row in overall(runs, {})] == ["b", "c", "a"]
    assert [row.system for row in by_problem(runs, {})] == ["a", "b", "c"]


def test_ranks_stand_beside_those_by_all_digits(make_run):
    runs = [make_run("branin", name, 0, [regret]) for name, regret in (("a", 1e-5), ("b", 1e-6), ("c", 2.0))]
    found = {row.system: row for row in overall(runs, {"branin": Unit(10.0, 5)})}
    assert [(found[name].rank, found[name].rank_all_digits) for name in "abc"] == [(1.5, 2.0), (1.5, 1.0), (3.0, 3.0)]


def test_slowness_is_a_ratio_on_shared_runs_up_to_the_shorter_horizon(make_run):
    runs = [
        make_run("branin", "fast", 0, np.ones(3), ask=[50.0, 1.0, 9.0]),
        make_run("branin", "slow", 0, np.ones(2), ask=[0.1, 3.0], tell=[0.1, 1.0]),
        make_run("levy5", "fast", 0, np.ones(2), ask=[50.0, 2.0]),
        make_run("levy5", "slow", 0, np.ones(2), ask=[50.0, 18.0]),
        make_run("levy5", "slow", 1, np.ones(2), ask=[50.0, 1e6]),
    ]
    assert slowness(runs, "fast") == {"slow": pytest.approx(6.0)}  # of 4 and 9
    assert slowness(runs, "slow") == {"fast": pytest.approx(1 / 6.0)}
    assert slowness(runs, "none") == {}
