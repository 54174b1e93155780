"""The numbers of a plan, by hand."""

import csv
import math

import numpy as np
import pytest

from suffice.lab.report import (
    Cell,
    Paired,
    cells,
    grouped,
    mean_and_error,
    paired,
    total,
    write_csv,
)

nan = math.nan


def test_a_cell_by_hand(make_plan, make_run):
    plan = make_plan({"branin": 3}, "uniform")
    runs = [
        make_run(
            "branin",
            "uniform",
            0,
            [4, 2, 3],
            fit=[1, 1, 1],
            solve=[0.5, 0.5, 0],
            objective=[9, 9, 9],
            n_evals=[100, 200, 300],
            gap=[0.1, 0.2, nan],
            audited_gap=[0.3, nan, nan],
            audited_eta=[0.9, 0.7, nan],
            audited_inaccuracy=[1, 2, nan],
        ),
        make_run(
            "branin", "uniform", 1, [1, 1, 1], initial=0.25, fit=[2, 2, 2], gap=[0.3, 0.2, nan], n_evals=[0, 0, 0]
        ),
    ]
    cell = cells(grouped(plan, runs))["branin", "uniform"]
    assert (cell.runs, cell.audited_steps) == (2, 2)
    assert cell.regret == 6.0  # of 9 and 3
    assert cell.regret_se == pytest.approx(3.0)  # sqrt(18) / sqrt(2)
    assert cell.simple_regret == pytest.approx((2 + 0.25) / 2)  # the initial design counts
    assert (cell.seconds, cell.seconds_se) == (pytest.approx(5.0), pytest.approx(1.0))  # of 4 and 6: no objective
    assert (cell.fit, cell.bind, cell.solve, cell.report, cell.objective) == (4.5, 0.0, 0.5, 0.0, 13.5)
    assert cell.evaluations == 300.0
    assert cell.gap == pytest.approx(0.2)
    assert cell.audited_gap == pytest.approx(0.3)
    assert cell.m_audited == pytest.approx(0.1 + 0.3 + 0.3)  # in one of the runs; after the last audit as there
    assert math.isnan(cell.m_audited_se)


def test_only_the_runs_of_the_plan_count(make_plan, make_run):
    plan = make_plan({"branin": 2}, "uniform", "cg", reps=2)
    wanted = [make_run("branin", "uniform", seed, [1, 1]) for seed in (1, 0)]
    others = [
        make_run("branin", "uniform", 2, [5, 5]),  # a seed too many
        make_run("branin", "uniform", 0, [5, 5, 5]),  # another budget
        make_run("branin", "uniform", 0, [5, 5], plan="other"),
        make_run("branin", "nm", 0, [5, 5]),
        make_run("levy5", "uniform", 0, [5, 5]),
    ]
    groups = grouped(plan, [*others, *wanted])
    assert groups == {("branin", "uniform"): wanted[::-1], ("branin", "cg"): []}
    assert list(cells(groups)) == [("branin", "uniform")]


def test_errors_need_two_runs_and_unknown_values_do_not_count():
    assert mean_and_error([1.0, nan, 3.0]) == (2.0, 1.0)
    assert mean_and_error([5.0])[0] == 5.0
    assert math.isnan(mean_and_error([5.0])[1])
    assert all(map(math.isnan, mean_and_error([nan])))


def test_the_standard_error_is_that_of_simulated_means():
    samples = np.random.default_rng(0).standard_normal((4000, 10))
    errors = [mean_and_error(sample)[1] ** 2 for sample in samples]
    assert np.mean(errors) == pytest.approx(np.var(samples.mean(axis=1)), rel=0.1)  # 4 standard errors of the latter


def test_a_sum_over_audited_steps_stands_for_all_steps():
    steps = np.full(12, 0.25)
    some = np.where(np.arange(12) % 4 == 0, steps, nan)
    assert total(some) == pytest.approx(total(steps)) == pytest.approx(3.0)
    assert total(np.array([1.0, nan, nan, 0.0])) == pytest.approx(2.0)
    assert total(np.array([8.0, nan, 2.0, nan, nan])) == 8.0 + 5.0 + 2.0 + 2.0 + 2.0  # the first one counts once
    line = np.linspace(3.0, 1.0, 13)
    assert total(np.where(np.arange(13) % 4 == 0, line, nan)) == pytest.approx(line.sum())
    assert math.isnan(total(np.full(3, nan)))


def test_paired_differences_are_over_shared_seeds(make_run):
    first = [make_run("branin", "cg", seed, [seed + 2.0]) for seed in (0, 1, 2)]
    second = [make_run("branin", "uniform", seed, [2.0 * seed]) for seed in (1, 2, 3)]
    assert paired(first, second) == Paired("branin", "cg", "uniform", 2, 0.5, 0.5)  # of 3 − 2 and 4 − 4
    assert paired(second, first).difference == -0.5
    assert paired(first[:1], second) is None
    assert paired([], second) is None


def test_luck_that_methods_share_cancels(make_run):
    luck = np.random.default_rng(1).normal(0, 100, 20)
    first, second = (
        [make_run("p", name, seed, [shift + luck[seed]]) for seed in range(20)] for name, shift in (("a", 3), ("b", 1))
    )
    assert paired(first, second).difference == pytest.approx(2.0)
    assert paired(first, second).se < 1e-12


def test_a_csv_has_the_fields_as_columns_and_nothing_for_nan(tmp_path, make_plan, make_run):
    plan = make_plan({"branin": 1}, "uniform")
    found = cells(grouped(plan, [make_run("branin", "uniform", 0, [2.5])]))
    path = write_csv(tmp_path / "cells.csv", Cell, found.values())
    with path.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["problem"], row["regret"], row["regret_se"], row["m_audited"]) == ("branin", "2.5", "", "")
    assert write_csv(tmp_path / "none.csv", Cell, []).read_text().startswith("problem,method,runs,regret,")
