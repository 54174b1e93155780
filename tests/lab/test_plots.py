"""Figures of every plan: the numbers that they show, and matplotlib left as it was."""

import builtins

import numpy as np
import pytest

from suffice.errors import MissingExtra
from suffice.lab import report as plots
from suffice.lab.report import grouped
from suffice.plot import style

mpl = pytest.importorskip("matplotlib")


def test_a_curve_is_the_mean_and_its_band_one_standard_error(make_plan, make_run):
    plan = make_plan({"branin": 2}, "uniform")
    runs = [make_run("branin", "uniform", 0, [1, 2]), make_run("branin", "uniform", 1, [3, 6])]
    (ax,) = plots.cumulative_regret(plan, grouped(plan, runs), {}).axes
    assert ax.lines[0].get_xydata().tolist() == [[1, 2], [2, 6]]
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (1.0, 9.0)  # 2 ± 1 and 6 ± 3
    (alone,) = plots.cumulative_regret(plan, grouped(plan, runs[:1]), {}).axes
    assert len(alone.collections) == 0


def test_simple_regret_survives_the_logarithm_of_nothing(make_plan, make_run):
    plan = make_plan({"branin": 3}, "uniform", "cg")
    zero = [make_run("branin", "uniform", 0, [1.0, 0.0, -1e-12]), make_run("branin", "cg", 0, [0.5, 0.1, 0.1])]
    (ax,) = plots.simple_regret(plan, grouped(plan, zero)).axes
    heights = np.concatenate([line.get_ydata() for line in ax.lines])
    assert heights.min() == 0.1  # the smallest positive value
    assert ax.lines[0].get_ydata()[0] == 10.0  # the initial design
    none = [make_run("branin", "cg", 0, [0.0, 0.0, 0.0], initial=0.0)]
    plots.simple_regret(plan, grouped(plan, none)).draw_without_rendering()


def test_a_method_keeps_its_colour_when_others_have_no_runs(make_plan, make_runs):
    plan = make_plan({"branin": 4}, "uniform", "cg", "nm")
    runs = make_runs(plan)
    whole, part = (
        plots.cumulative_regret(plan, grouped(plan, kept), {})
        for kept in (runs, [run for run in runs if run.method == "nm"])
    )
    colour = style.looks(plan.labels)["nm"].colour
    assert whole.axes[0].lines[2].get_color() == part.axes[0].lines[0].get_color() == colour
    assert [text.get_text() for text in part.legends[0].get_texts()] == ["NM"]


def test_global_settings_stay_as_they_were_and_do_not_matter(make_plan, make_runs, tmp_path):
    plan = make_plan({"branin": 4}, "uniform")
    groups = grouped(plan, make_runs(plan))
    first = style.save(plots.simple_regret(plan, groups), tmp_path, "first")
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9, "svg.fonttype": "none"}):
        before = dict(mpl.rcParams)
        second = style.save(plots.simple_regret(plan, groups), tmp_path, "second")
        assert dict(mpl.rcParams) == before
    assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "first.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_error_says_what_to_install(make_plan, make_runs, monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    plan = make_plan({"branin": 4}, "uniform")
    groups = grouped(plan, make_runs(plan))
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtra, match=r"pip install 'suffice\[plot\]'"):
        plots.simple_regret(plan, groups)
