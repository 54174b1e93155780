"""Ranks: the usual ones with complete runs; else two systems are compared on what they share."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata

from research.compare.charts import fields, share_within
from research.compare.standings import Unit, cumulative, duels, floored, ranks, simple
from suffice.lab.report import mean_and_error

PROBLEMS = ("branin", "hartmann3", "levy5")


@pytest.fixture(scope="module")
def complete(make_run):
    """Five systems on three problems with four seeds, some of them tied."""
    rng = np.random.default_rng(0)
    runs = product(PROBLEMS, "abcde", range(4))
    return [make_run(problem, name, seed, rng.integers(1, 4, 3)) for problem, name, seed in runs]


@pytest.mark.parametrize("judge", [simple, cumulative])
def test_with_complete_runs_they_are_mean_ranks(complete, judge):
    found = ranks(complete, judge)
    table = np.array(
        [[judge(run, 3) for run in complete if (run.problem, run.seed) == key] for key in product(PROBLEMS, range(4))]
    )
    usual = rankdata(table, axis=1).mean(axis=0)
    assert [found[name].rank for name in "abcde"] == pytest.approx(usual)
    assert sum(rank.rank for rank in found.values()) == pytest.approx(15.0)
    assert {rank.opponents for rank in found.values()} == {4}


def test_the_error_of_two_systems_is_that_of_a_mean_over_problems(make_run):
    rng = np.random.default_rng(1)
    runs = [make_run(f"levy{d}", name, 0, rng.random(2)) for d in range(1, 9) for name in "ab"]
    lost = [1.0 if simple(a, 2) > simple(b, 2) else 0.0 for a, b in zip(runs[::2], runs[1::2], strict=True)]
    mean, se = mean_and_error(lost)
    found = ranks(runs, simple)
    assert found["a"].rank == pytest.approx(1.0 + mean)
    assert found["b"].rank == pytest.approx(2.0 - mean)
    assert found["a"].se == pytest.approx(se)
    assert found["b"].se == pytest.approx(se)


def test_on_one_problem_the_error_is_over_the_seeds(make_run):
    wins = [1, 1, 0, 1]
    runs = [make_run("branin", "a", seed, [2.0]) for seed in range(4)]
    runs += [make_run("branin", "b", seed, [1.0 if won else 3.0]) for seed, won in enumerate(wins)]
    assert ranks(runs, simple)["a"].se == pytest.approx(mean_and_error(wins)[1])
    assert math.isnan(ranks(runs[:1] + runs[4:5], simple)["a"].se)


def test_pairs_are_judged_at_the_shorter_horizon_and_on_shared_runs_only(make_run):
    runs = [
        make_run("branin", "long", 0, [3.0, 3.0, 0.1]),  # would win at its own horizon
        make_run("branin", "short", 0, [2.0, 2.0]),
        make_run("branin", "long", 1, [1.0, 1.0, 1.0]),  # nobody to compare with
        make_run("levy5", "other", 0, [1.0]),
    ]
    found = ranks(runs, simple)
    assert (found["short"].rank, found["long"].rank) == (1.0, 2.0)
    assert (found["other"].rank, found["other"].opponents) == (1.0, 0)
    assert [(duel.system, duel.opponent, duel.runs, duel.wins) for duel in duels(runs, simple)] == [
        ("long", "short", 1, 0.0),
        ("short", "long", 1, 1.0),
    ]


def test_a_missing_system_does_not_change_the_others_order(complete):
    whole = {(duel.system, duel.opponent): duel for duel in duels(complete, simple)}
    fewer = [run for run in complete if run.method != "e" or (run.problem == "branin" and run.seed < 2)]
    for duel in duels(fewer, simple):
        if "e" not in (duel.system, duel.opponent):
            assert duel == whole[duel.system, duel.opponent]
        else:
            assert duel.runs == 2


def test_what_differs_by_rounding_is_a_tie(make_run):
    runs = [make_run("branin", "a", 0, [1e-12]), make_run("branin", "b", 0, [-1e-15])]
    assert [rank.rank for rank in ranks(runs, simple).values()] == [1.5, 1.5]


def test_digits_beyond_the_fourth_of_the_typical_regret_do_not_count(make_run):
    known = {"branin": Unit(regret=10.0, initial=5)}
    runs = [make_run("branin", name, 0, [regret]) for name, regret in (("a", 1e-6), ("b", 9e-4), ("c", 1.1e-3))]
    assert [rank.rank for rank in ranks(runs, floored(known)).values()] == [1.5, 1.5, 3.0]
    assert [rank.rank for rank in ranks(runs, simple).values()] == [1.0, 2.0, 3.0]
    assert ranks(runs, floored({})) == ranks(runs, simple)  # no unit, no floor


def test_units_do_not_matter(make_run, complete):
    scaled = [
        make_run(r.problem, r.method, r.seed, 1e6 * r.columns["regret"], initial=1e6 * r.initial) for r in complete
    ]
    assert ranks(scaled, simple) == ranks(complete, simple)
    ((before,), (after,)) = fields(complete), fields(scaled)
    assert all(after.ratios(simple)[name] == pytest.approx(values) for name, values in before.ratios(simple).items())


def test_profiles_are_of_systems_with_the_same_runs_and_horizons(make_run):
    runs = [
        make_run("branin", "fast", 0, [4.0, 4.0, 1.0]),
        make_run("branin", "fast", 1, [3.0, 3.0, 3.0]),
        make_run("branin", "blind", 0, [8.0, 8.0, 8.0]),
        make_run("branin", "blind", 1, [9.0, 9.0, 9.0]),
        make_run("branin", "slow", 0, [8.0, 2.0]),
    ]
    everyone, most = fields(runs)
    assert (list(everyone.runs), everyone.size) == (["fast", "blind", "slow"], 1)
    assert everyone.ratios(simple) == {"fast": [2.0], "blind": [4.0], "slow": [1.0]}
    assert everyone.ratios(cumulative) == {"fast": [1.0], "blind": [2.0], "slow": [10.0 / 8.0]}
    assert (list(most.runs), most.size) == (["fast", "blind"], 2)  # here `fast` is not the best for want of rivals
    assert {name: list(values) for name, values in most.ratios(simple).items()} == {"fast": [1, 1], "blind": [3, 8]}
    assert fields(runs[:2]) == []


def test_a_profile_is_the_distribution_of_the_ratios():
    shares = share_within(np.array([1.0, 1.0, 2.0, 30.0]), np.array([1.0, 1.9, 2.0, 10.0, 30.0]))
    assert list(shares) == [0.5, 0.5, 0.75, 0.75, 1.0]
