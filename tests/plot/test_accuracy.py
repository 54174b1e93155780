"""The figure of gaps: what it shows is what is known, zeros lie on the floor, and matplotlib stays as it was."""

import builtins
from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.checks import NOTHING
from suffice.errors import MissingExtra
from suffice.plot.search import shown
from suffice.types import Status

mpl = pytest.importorskip("matplotlib")


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def run(**words):
    words = {"seed": 0, "n_initial": 6, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(30))} | words
    return sf.minimize(bowl, [(0.0, 1.0)] * 2, 11, **words)


@pytest.fixture(scope="module")
def result():
    return run(diagnostics=sf.solvers.Diagnostics(proof_seconds=0.05, audit=0.5))


def axes():
    return mpl.figure.Figure().add_subplot()


def labels(ax):
    return {text.get_text().split(":")[0] for text in ax.get_legend().get_texts()}


def drawn(ax, label):
    (line,) = (line for line in ax.lines if str(line.get_label()).startswith(label))
    return line.get_xdata(), line.get_ydata()


def test_it_shows_the_series_of_the_accuracy_where_they_are_known(result):
    ax = sf.plot.accuracy(result)
    assert labels(ax) == {"reported", "certified", "audited"}
    for label, series in (
        ("reported: estimate", result.accuracy.gaps),
        ("reported: probable", result.accuracy.limits),
        ("certified", result.accuracy.certified),
        ("audited", result.accuracy.audited),
    ):
        steps, values = drawn(ax, label)
        known = np.flatnonzero(np.isfinite(series))
        assert steps.tolist() == (known + 1).tolist()
        assert np.allclose(values, shown(series[known]))
    assert len(drawn(ax, "audited")[0]) == 2
    assert ax.get_yscale() == "log"


def test_an_audit_of_the_result_takes_the_place_of_the_audits_of_the_run(result):
    found = sf.audit(result, every=1)
    _, values = drawn(sf.plot.accuracy(result, audit=found), "audited")
    assert len(values) == 5
    assert values[1] == pytest.approx(shown(result.accuracy.audited)[1], abs=1e-4)


def test_what_is_not_known_has_no_mark_and_no_entry():
    ax = sf.plot.accuracy(run())
    assert labels(ax) == {"reported"}
    nothing = sf.plot.accuracy(sf.minimize(bowl, [(0.0, 1.0)], 3, seed=0, n_initial=3))
    assert nothing.get_legend() is None
    assert "no step" in nothing.texts[0].get_text()


def reporting(result, **changes):
    """The figure of the first four steps of a result, whose reports say these things instead."""
    reports = result.accuracy.reports[:4]
    changed = [replace(report, **{k: v[i] for k, v in changes.items()}) for i, report in enumerate(reports)]
    copied = sf.Result(result)
    copied.accuracy = replace(result.accuracy, reports=tuple(changed))
    return sf.plot.accuracy(copied)


def test_gaps_too_small_to_tell_lie_on_the_lowest_tick_which_says_so(result):
    ax = reporting(result, relative_gap=[0.0, NOTHING / 100, 0.5, 1.0])
    assert drawn(ax, "reported: estimate")[1].tolist() == [NOTHING, NOTHING, 0.5, 1.0]
    assert ax.get_yticks()[0] == NOTHING
    assert ax.get_yticklabels()[0].get_text() == "≤ 0.0001 %"
    assert ax.get_ylim()[0] < NOTHING < 1.0 < ax.get_ylim()[1]


def test_steps_that_stopped_at_their_budget_are_shaded(result):
    ax = reporting(result, status=[Status.DONE, Status.BUDGET] * 2)
    middles = [patch.get_x() + patch.get_width() / 2 for patch in ax.patches]
    assert middles == [2.0, 4.0]
    assert "stopped at its budget" in labels(ax)


def test_a_step_whose_best_point_was_known_shows_no_gap():
    space = sf.Space(a=sf.Int(0, 3), b=sf.Int(0, 3))
    result = sf.minimize(lambda p: p["a"] + p["b"], space, 16, seed=0, n_initial=4)
    taken = np.array([report.taken for report in result.accuracy.reports])
    assert taken.any()
    ax = sf.plot.accuracy(result)
    assert drawn(ax, "reported: estimate")[0].tolist() == (np.flatnonzero(~taken) + 1).tolist()
    assert len(ax.patches) == taken.sum()
    assert "best point known already" in labels(ax)


def test_axes_of_ones_own_are_drawn_into_and_global_settings_stay_as_they_were(result):
    mine = axes()
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9}):
        before = dict(mpl.rcParams)
        assert sf.plot.accuracy(result, mine) is mine
        assert dict(mpl.rcParams) == before
    assert len(mine.lines) == 4


def test_it_takes_a_result(result):
    with pytest.raises(TypeError, match=r"takes a result, like that of sf\.minimize: got Accuracy"):
        sf.plot.accuracy(result.accuracy)


def test_without_matplotlib_the_error_says_what_to_install(result, monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtra, match=r"pip install 'suffice\[plot\]'"):
        sf.plot.accuracy(result)
