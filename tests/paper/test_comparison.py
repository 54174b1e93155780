"""Published beside reproduced beside ours; both sides of the theorem; what is said about it."""

import math

import numpy as np
import pytest

from suffice.lab.report import cells, grouped
from suffice.paper.presets import ENOUGH, SUFFICE, UNIFORM
from suffice.paper.published import (
    PAPERS_RUNS,
    Published,
    Verdict,
    by_chance,
    compare,
    is_clear,
    judge,
    judged,
    lowest,
    verdict,
)
from suffice.paper.theorems import sides

nan = math.nan


@pytest.mark.parametrize(
    ("mean", "se", "runs", "expected"),
    [
        (125.0, 0.0, 20, Verdict.AGREES),  # a quarter
        (75.0, nan, 1, Verdict.AGREES),
        (126.0, 1.0, 20, Verdict.HIGHER),  # chance explains 3.9
        (61.0, 10.1, 20, Verdict.AGREES),  # of 39.4
        (60.0, 10.1, 20, Verdict.LOWER),
        (60.0, 10.1, 3, Verdict.LOWER_MAYBE),  # of 96
        (140.0, 0.1, 9, Verdict.HIGHER_MAYBE),  # they may be alike by chance
        (140.0, 0.1, 10, Verdict.HIGHER),
        (140.0, 11.0, 10, Verdict.HIGHER_MAYBE),  # of 42
        (74.0, nan, 1, Verdict.LOWER_MAYBE),  # one run says nothing of chance
    ],
)
def test_a_cell_agrees_up_to_a_quarter_or_up_to_chance_and_few_runs_do_not_make_a_difference(mean, se, runs, expected):
    assert judge(100.0, mean, se, runs) is expected


def test_of_two_equal_experiments_chance_calls_one_in_eighty_different_whatever_the_runs():
    rng, trials = np.random.default_rng(5), 40_000
    for runs in (2, 3, 20):
        ours, theirs = rng.normal(size=(trials, runs)), rng.normal(size=(trials, PAPERS_RUNS)).mean(axis=1)
        errors = ours.std(axis=1, ddof=1) / math.sqrt(runs)
        beyond = np.abs(ours.mean(axis=1) - theirs) > by_chance(1.0, runs) * errors
        assert beyond.mean() == pytest.approx(1 / 80, abs=4 * math.sqrt(1 / 80 / trials))  # fails once in 5000 streams


def test_a_row_for_each_published_cell(make_plan, make_run):
    plan = make_plan({"branin": 1, "levy5": 1}, "uniform", "cg", "enough", "suffice")
    runs = [make_run("branin", "uniform", seed, [value]) for seed, value in enumerate((9.0, 11.0))]
    runs += [make_run("branin", "enough", 0, [4.0], fit=[2.0]), make_run("branin", "suffice", 0, [5.0])]
    published = {
        ("branin", "uniform"): Published(20.0, 3.0),
        ("branin", "cg"): Published(7.0),
        ("levy5", "uniform"): Published(1.0),
    }
    rows = compare(published, cells(grouped(plan, runs)), {("branin", "uniform"): "because"})
    assert [(row.problem, row.method) for row in rows] == list(published)
    first, second, third = rows
    assert (first.reproduced, first.se, first.runs, first.ratio) == (10.0, 1.0, 2, 0.5)
    assert first.verdict is Verdict.LOWER_MAYBE  # two runs
    assert (first.ours, first.ours_method, first.ours_seconds, first.remark) == (4.0, "enough", 2.0, "because")
    assert (second.verdict, second.ours_method, second.remark) == (Verdict.NO_RUNS, "enough", "")
    assert (third.verdict, third.ours_method) == (Verdict.NO_RUNS, "")
    assert math.isnan(third.ours)
    assert judged(rows) == [first]


def test_the_bound_takes_audited_runs_of_models_that_keep_the_units(make_plan, make_run):
    plan = make_plan({"branin": 2}, UNIFORM, ENOUGH, SUFFICE)
    audited = {"audited_inaccuracy": [3.0, nan], "width": [1.0, 4.0]}
    runs = [
        make_run("branin", "uniform", 0, [2.0, 5.0], **audited),
        make_run("branin", "uniform", 1, [50.0, 50.0], width=[1.0, 4.0]),  # not audited
        make_run("branin", "suffice", 0, [2.0, 5.0], **audited),  # standardised outputs
        make_run("branin", "enough", 0, [2.0, 5.0]),
    ]
    (found,) = sides(plan, grouped(plan, runs)).values()
    assert (found.method, found.runs, found.regret, found.inaccuracies, found.widths) == ("uniform", 1, 7.0, 6.0, 5.0)


def test_the_verdict_counts_what_there_is(make_plan, make_run):
    plan = make_plan({"branin": 1, "levy5": 1}, "uniform", "cg", reps=12)
    values = {("branin", "uniform"): 1.0, ("branin", "cg"): 2.0, ("levy5", "uniform"): 1.0, ("levy5", "cg"): 3.0}
    runs = [make_run(*key, seed, [value], fit=[value]) for key, value in values.items() for seed in range(12)]
    groups = grouped(plan, runs)
    found = cells(groups)
    assert lowest(plan, found) == {"branin": "uniform", "levy5": "uniform"}
    rows = compare({("branin", "cg"): Published(2.0), ("levy5", "cg"): Published(9.0)}, found, {})
    agreed, best, speed, caution = verdict(plan, groups, found, rows)
    assert agreed.startswith("1 of 2 cells agree")
    assert "beyond chance, regret is lower for CG on Levy 5d (× 0.33)" in agreed
    assert "UNIFORM on 2 of 2 problems" in best
    assert "CG (2.4)" in speed  # sqrt(2 · 3)
    assert "Only 12 runs" in caution


def test_with_twenty_runs_no_caution_and_without_runs_nothing_else(make_plan, make_run):
    plan = make_plan({"branin": 1}, "uniform")
    assert verdict(plan, grouped(plan, []), {}, []) == ["There are no runs yet."]
    runs = [make_run("branin", "uniform", seed, [1.0]) for seed in range(20)]
    groups = grouped(plan, runs)
    assert verdict(plan, groups, cells(groups), []) == []


@pytest.mark.parametrize(
    ("second", "clear"),
    [
        ([12.0, 22.0, 32.1], True),  # 2, 2 and 2.1 more, seed by seed: 61 standard errors
        ([12.0, 23.0, 35.0], False),  # 2, 3 and 5 more: 3.8, which three seeds exceed by chance once in sixteen times
        ([9.0, 22.0, 36.0], False),  # −1, 2 and 6 more: 1.15
        ([10.0, 20.0, 30.0], False),  # the same
    ],
)
def test_a_lead_is_clear_if_the_second_is_worse_seed_by_seed(make_plan, make_run, second, clear):
    plan = make_plan({"branin": 1}, "uniform", "cg", "nm")
    values = {"uniform": [10.0, 20.0, 30.0], "cg": second, "nm": [99.0, 98.0, 97.0]}
    runs = [make_run("branin", name, seed, [value]) for name, row in values.items() for seed, value in enumerate(row)]
    groups = grouped(plan, runs)
    assert is_clear(plan, groups, cells(groups), "branin") is clear
    alone = grouped(plan, [run for run in runs if run.seed == 0])  # a single seed proves nothing
    assert not is_clear(plan, alone, cells(alone), "branin")


@pytest.mark.parametrize("seeds", [2, 3, 20])
def test_two_methods_that_are_the_same_are_rarely_called_clearly_different(make_plan, make_run, seeds):
    plan, rng, clear, repeats = make_plan({"branin": 1}, "uniform", "cg"), np.random.default_rng(0), 0, 200
    for _ in range(repeats):
        runs = [
            make_run("branin", name, seed, [value])
            for name in ("uniform", "cg")
            for seed, value in enumerate(10.0 + rng.standard_normal(seeds))
        ]
        groups = grouped(plan, runs)
        clear += is_clear(plan, groups, cells(groups), "branin")
    assert clear <= 8  # once in eighty times: 2.5 of them


def test_only_a_few_of_many_differing_cells_are_named(make_plan, make_run):
    names = [f"levy{d}" for d in range(2, 9)]
    plan = make_plan(dict.fromkeys(names, 1), "uniform")
    groups = grouped(plan, [make_run(name, "uniform", seed, [1.0]) for name in names for seed in range(10)])
    rows = compare({(name, "uniform"): Published(9.0) for name in names}, cells(groups), {})
    first, *_ = verdict(plan, groups, cells(groups), rows)
    assert first.startswith("0 of 7 cells agree")
    assert first.count("UNIFORM on Levy") == 3
    assert first.endswith("and 4 more.")


def test_what_few_runs_cannot_tell_is_counted_and_not_called_a_difference(make_plan, make_run):
    names = [f"levy{d}" for d in range(2, 6)]
    plan = make_plan(dict.fromkeys(names, 1), "uniform")
    means = dict(zip(names, (4.0, 5.0, 9.0, 20.0), strict=True))
    runs = [make_run(name, "uniform", seed, [m + 2 * seed - 1]) for name, m in means.items() for seed in (0, 1)]
    groups = grouped(plan, runs)
    rows = compare({(name, "uniform"): Published(9.0) for name in names}, cells(groups), {})
    first, *_ = verdict(plan, groups, cells(groups), rows)
    assert first == (
        "1 of 4 cells agree with the published value, within 25% of it; 2 lower and 1 higher, which may be chance with "
        "so few runs."
    )
    assert "differ" not in first
