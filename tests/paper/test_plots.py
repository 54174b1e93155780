"""Figures: any number of methods and problems, the numbers that they show, and matplotlib left as it was."""

import math
from itertools import islice

import numpy as np
import pytest

from suffice.lab import report as lab
from suffice.lab.report import cells, grouped, total
from suffice.paper import plots
from suffice.paper.published import Published
from suffice.plot import style

mpl = pytest.importorskip("matplotlib")
from suffice.paper.theorems import Sides  # noqa: E402

nan = math.nan
PROBLEMS = ("branin", "rastrigin3", "hartmann3", "hartmann4", "levy5", "hartmann6", "automl", "michalewicz10")
MORE = ("levy2", "levy4", "levy8", "ackley3")


def all_figures(plan, runs):
    groups = grouped(plan, runs)
    found = cells(groups)
    published = {key: Published(2.0) for key in list(groups)[::2]}
    sums = {key: Sides(*key, 2, 3.0, 1.0, 2.0, 4.0) for key in found}
    yield lab.cumulative_regret(plan, groups, {key: cell.regret for key, cell in published.items()})
    yield lab.simple_regret(plan, groups)
    yield plots.seconds_by_phase(plan, found)
    yield plots.regret_against_seconds(plan, found)
    yield plots.published_and_reproduced(plan, found, published)
    yield plots.shares_of_steps(plan, groups, plots.GAP)
    yield plots.accuracy_of_steps(plan, groups, plots.ETA)
    yield plots.accumulated_inaccuracy(plan, groups)
    yield plots.regret_against_inaccuracy(plan, found)
    yield plots.sums_of_the_bound(plan, sums)


def smallest_letter(figure):
    return min(text.get_fontsize() for text in figure.findobj(mpl.text.Text) if text.get_text())


@pytest.mark.parametrize(("n_problems", "n_methods", "seeds"), [(1, 1, 1), (2, 8, 2), (12, 2, 1)])
def test_any_number_of_problems_methods_and_seeds(make_plan, make_runs, n_problems, n_methods, seeds):
    plan = make_plan(dict.fromkeys((*PROBLEMS, *MORE)[:n_problems], 9), *(f"method {i}" for i in range(n_methods)))
    figures = all_figures(plan, make_runs(plan, seeds=seeds))
    for figure in figures if n_problems < 12 else islice(figures, 0, None, 5):  # large ones take their time
        figure.draw_without_rendering()  # warnings, of a layout that has no room, are errors
        assert len(figure.axes) == n_problems
        assert smallest_letter(figure) >= 7
        assert figure.get_figwidth() == (style.COLUMN if n_problems == 1 else style.FULL)


def test_missing_cells_and_no_runs_at_all(make_plan, make_runs):
    plan = make_plan({"branin": 5, "levy5": 5}, "uniform", "cg")
    some = [run for run in make_runs(plan) if (run.problem, run.method) == ("branin", "cg")]
    for figure in (*all_figures(plan, some), *all_figures(make_plan({"branin": 5}, "uniform"), [])):
        figure.draw_without_rendering()
    levy = lab.simple_regret(plan, grouped(plan, some)).axes[1]
    assert [text.get_text() for text in levy.texts] == ["no runs"]


def test_bars_of_time_add_up_to_the_seconds(make_plan, make_runs):
    plan = make_plan({"branin": 4}, "uniform", "cg")
    found = cells(grouped(plan, make_runs(plan)))
    (ax,) = plots.seconds_by_phase(plan, found).axes
    for place, method in enumerate(("uniform", "cg")):
        widths = [bar.get_width() for bar in ax.patches if abs(bar.get_y() + bar.get_height() / 2 - place) < 0.1]
        assert len(widths) == 3
        assert sum(widths) == pytest.approx(found["branin", method].seconds)


def test_a_panel_shows_audits_or_reports_and_says_which(make_plan, make_run):
    plan = make_plan({"branin": 2, "levy5": 2}, "uniform", "cg")
    runs = [
        make_run("branin", "uniform", 0, [1, 1], eta=[0.5, 0.5], audited_eta=[0.9, nan]),
        make_run("branin", "cg", 0, [1, 1], eta=[0.5, 0.5]),
        make_run("levy5", "uniform", 0, [1, 1], eta=[0.5, 0.5]),
    ]
    groups = grouped(plan, runs)
    branin, levy = plots.accumulated_inaccuracy(plan, groups).axes
    assert (branin.get_title(loc="left"), levy.get_title(loc="left")) == ("Branin, audited", "Levy 5d, reported")
    assert len(branin.lines) == 1  # cg was not audited
    assert branin.lines[0].get_ydata()[-1] == pytest.approx(0.2)  # 0.1, of one step of two
    assert levy.lines[0].get_ydata().tolist() == [0.5, 1.0]


def test_blocks_keep_the_mean_and_the_accumulated_sum_ends_in_the_total():
    steps = np.random.default_rng(0).random((3, 60))
    t, means = plots.in_blocks(steps)
    assert means.shape == (3, plots.BLOCKS)
    assert means.mean() == pytest.approx(steps.mean())
    assert t.mean() == pytest.approx(30.5)
    assert plots.accumulated(steps[0]) == pytest.approx(np.cumsum(steps[0]))
    sparse = np.where(np.arange(60) % 7 == 0, steps[0], nan)
    assert plots.accumulated(sparse)[-1] == pytest.approx(total(sparse))
    assert plots.accumulated(sparse)[0] == steps[0, 0]  # the first step counts once


def test_a_curve_over_iterations_needs_several_values_for_a_point(make_plan, make_run):
    plan = make_plan({"branin": 3}, "uniform")
    once = [make_run("branin", "uniform", 0, [1, 1, 1], gap=[0.1, 0.2, 0.3])]
    often = [make_run("branin", "uniform", seed, [1, 1, 1], gap=[0.1, 0.2, 0.3]) for seed in range(3)]
    assert not plots.has_course(grouped(plan, once), plots.GAP)
    assert plots.has_course(grouped(plan, often), plots.GAP)
    assert not plots.has_course(grouped(plan, often), plots.ETA)


def test_shares_of_steps_are_a_distribution_function(make_plan, make_run):
    plan = make_plan({"branin": 4}, "uniform")
    runs = [make_run("branin", "uniform", 0, [1] * 4, gap=[0.0, 0.01, 0.1, nan])]
    (ax,) = plots.shares_of_steps(plan, grouped(plan, runs), plots.GAP).axes
    x, share = ax.lines[0].get_data()
    assert x.min() == plots.NOTHING  # where 0 is drawn
    assert share[x <= 0.01].max() == pytest.approx(2 / 3, abs=0.01)  # the unknown step does not count
    assert (np.diff(x) >= 0).all()


def test_regret_per_step_against_the_dimension(make_plan, make_run):
    plan = make_plan({"levy10": 2, "levy2": 4}, "uniform")
    runs = [make_run("levy2", "uniform", 0, [1, 1, 1, 1]), make_run("levy10", "uniform", 0, [3, 5])]
    (ax,) = plots.regret_against_dimension(plan, cells(grouped(plan, runs))).axes
    assert ax.lines[0].get_xydata().tolist() == [[2, 1], [10, 4]]


def test_a_plan_is_about_dimension_if_all_its_problems_are_one_function(make_plan):
    wanted = {("levy2", "levy10"): True, ("levy2", "branin"): False, ("levy2",): False, ("branin",): False}
    wanted |= {("levy2", "levy4", "ackley2", "ackley4"): False}
    for names, expected in wanted.items():
        assert plots.is_about_dimension(make_plan(dict.fromkeys(names, 1))) is expected


def test_holes_are_points_with_their_values():
    (ax,) = plots.holes_against_dimension([(1, 100, 0.0123456), (4, 100, 0.5)]).axes
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[1, 0.0123456]], [[4, 0.5]]]
    assert [text.get_text() for text in ax.texts] == ["0.0123", "0.5"]


def test_a_course_needs_three_values_for_each_point(make_plan, make_run):
    plan = make_plan({"branin": 2}, "uniform")
    runs = [make_run("branin", "uniform", seed, [1, 1], gap=[0.5, 0.5]) for seed in range(3)]
    assert plots.has_course(grouped(plan, runs), plots.GAP)
    assert not plots.has_course(grouped(plan, runs[:2]), plots.GAP)
    assert not plots.has_course(grouped(plan, runs), plots.ETA)
    audited = [*runs, make_run("branin", "uniform", 3, [1, 1], audited_gap=[0.5, nan])]  # then only audits count
    assert not plots.has_course(grouped(plan, audited), plots.GAP)
