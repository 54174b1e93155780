"""Convergence and regret: what is drawn is what happened, in both senses, and failures are seen."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import suffice as sf
from suffice.plot.axes import ending, window
from suffice.report.verdict import verdict
from suffice.text import with_error

from .conftest import evaluate
from .reading import check_letters, column, dots, legend, line


def ended(result):
    return sorted((t for t in result.trials if t.state in ("done", "failed")), key=lambda t: t.order)


def shown_in(result):
    """The range of the axis of values."""
    values = np.array([np.nan if trial.value is None else trial.value for trial in ended(result)])
    return ending(values, np.fmin.accumulate(values), larger=False)


def test_the_end_of_a_run_can_be_seen_beside_a_bad_initial_design_and_explorations():
    values = np.concatenate([np.linspace(100.0, 20.0, 14), 1.0 + 0.5 ** np.arange(26.0)])
    values[20::3] = 50.0
    best = np.minimum.accumulate(values)
    shown = ending(values, best, larger=False)
    assert (shown.low, shown.high) == (values.min(), pytest.approx(values.min() + 2 * (best[16] - values.min())))
    mirrored = ending(-values, -best, larger=True)
    assert (mirrored.low, mirrored.high) == (-shown.high, -shown.low)
    logarithmic = ending(values, best, larger=False, log=True)
    assert values.min() == pytest.approx(logarithmic.low)
    assert best[16] < logarithmic.high < 20.0
    even = np.linspace(1.0, 0.0, 40)  # nothing is far away: everything is shown
    assert ending(even, even, larger=False) == window(even, larger=False)
    flat = np.concatenate([[9.0, 5.0], np.ones(6)])  # an end without any difference has no range of its own
    assert ending(flat, np.minimum.accumulate(flat), larger=False) == window(flat, larger=False)
    noise = np.random.default_rng(0).normal(size=60)  # is shown as before
    assert ending(noise, np.minimum.accumulate(noise), larger=False) == window(noise, larger=False)


def test_dots_are_the_evaluations_by_where_their_points_came_from(mixed):
    ax = sf.plot.convergence(mixed)
    trials, highest = ended(mixed), shown_in(mixed).high
    for label, origins in (("initial", ("design", "given")), ("by the model", ("model", "polish"))):
        every = [(t.number, t.value) for t in trials if t.origin in origins and t.state == "done"]
        wanted = [(i, value) for i, value in every if value <= highest] or [(i, highest) for i, _ in every]
        assert np.allclose(dots(ax, label), wanted)
    initial, model = (next(c for c in ax.collections if c.get_label() == name) for name in ("initial", "by the model"))
    assert tuple(initial.get_facecolor()[0][:3]) == (1.0, 1.0, 1.0)
    assert tuple(model.get_facecolor()[0][:3]) != (1.0, 1.0, 1.0)


def test_failures_are_marked_at_the_bottom_whatever_the_values_are(mixed):
    ax = sf.plot.convergence(mixed)
    steps, heights = line(ax, "failed")
    assert steps.tolist() == [t.number for t in ended(mixed) if t.state == "failed"]
    assert len(steps) >= 1
    assert (heights < 0.1).all()  # of the axis
    assert ax.get_ylim()[0] < min(mixed.func_vals[np.isfinite(mixed.func_vals)])


@pytest.mark.parametrize("name", ["mixed", "mirrored"])
def test_the_line_is_the_best_so_far_in_the_users_sense(name, request):
    result = request.getfixturevalue(name)
    steps, best = line(sf.plot.convergence(result), "best so far")
    values = [np.nan if t.value is None else t.value for t in ended(result)]
    pick = np.nanmin if name == "mixed" else np.nanmax
    first = next(i for i, value in enumerate(values) if np.isfinite(value))
    assert np.isnan(best[:first]).all()
    assert best[first:].tolist() == [pick(values[: i + 1]) for i in range(first, len(values))]
    assert best[-1] == result.fun
    assert steps.tolist() == [t.number for t in ended(result)]


def test_the_star_is_the_recommended_value_and_noise_gives_it_a_band(noisy, mixed):
    ax = sf.plot.convergence(noisy)
    (place,), (value,) = line(ax, "recommended")
    assert value == noisy.fun_recommended
    assert noisy.trials[int(place)].point.tolist() == noisy.x_recommended.tolist()
    (band,) = (patch for patch in ax.patches if patch.get_label() == "95 % band")
    low, high = band.get_y(), band.get_y() + band.get_height()
    assert (low + high) / 2 == pytest.approx(value)
    assert (high - low) / 2 == pytest.approx(1.96 * noisy.fun_recommended_sd, rel=1e-4)
    labels = ax.get_legend_handles_labels()[1]
    assert f"recommended: trial {int(place)}" in labels
    expected = with_error(noisy.fun_recommended, noisy.fun_recommended_sd)
    assert f"{expected} (sd)" in labels  # one standard deviation, as in print
    assert f"recommended   {expected} (sd)" in str(noisy)
    assert not any(drawn.get_marker() == "*" for drawn in sf.plot.convergence(mixed, recommended=False).lines)


def test_print_figures_and_report_name_the_first_of_tied_trials_whatever_the_model_recommends():
    space = sf.Space(kernel=sf.Choice("a", "b"), x=sf.Float(0, 1))
    points = [{"kernel": kernel, "x": x} for kernel in "ab" for x in np.linspace(0.05, 0.95, 9)]

    def f(p):  # a plateau
        return min(1.0, 1.2 - abs(p["x"] - 0.4) - 0.15 * (p["kernel"] == "a"))

    result = evaluate(space, points, f, "maximize")
    number = next(t.number for t in result.trials if t.point == result.x)
    assert result.x_recommended != result.x  # else this is about another case
    tied = sum(value == result.fun for value in result.func_vals)
    assert f"best seen     1   trial {number}; {tied} trials are tied" in str(result)
    assert f"trial {number} of 18 values; {tied} trials are tied" in result._repr_html_()
    assert f"(trial {number}; {tied} trials are tied)" in verdict(result, ())[0]
    (place,), (value,) = line(sf.plot.convergence(result), f"best: trial {number}")
    assert (place, value) == (number, result.fun)
    for ax in (sf.plot.slice(result, "x"), sf.plot.contour(result)):
        assert line(ax, "the best point")[0].tolist() == [result.x["x"]]


def test_values_far_beyond_the_others_are_carets_at_the_edge():
    opt = sf.Optimizer([(0.0, 1.0)], seed=0)
    for i in range(20):
        opt.tell([i / 20], 1e6 if i == 3 else float(i % 5))
    result = opt.result()
    ax = sf.plot.convergence(result, recommended=False)
    assert ax.get_ylim()[1] < 10
    far = dots(ax, "_beyond")
    assert far[:, 0].tolist() == [3.0]
    assert ax.get_ylim()[0] < far[0, 1] < ax.get_ylim()[1]
    assert len(dots(ax, "evaluated elsewhere")) == 19


def test_several_results_are_lines_of_the_best_so_far(mixed, mirrored):
    other = sf.minimize(lambda x: x[0] ** 2, [(0.5, 1.0)], 6, seed=0, n_initial=6)
    ax = sf.plot.convergence({"a $b$": mixed, "other": other})
    assert legend(ax) == [r"a \$b\$", "other"]
    assert line(ax, "other")[1][-1] == other.fun
    assert legend(sf.plot.convergence([mixed, other])) == ["run 1", "run 2"]
    assert len({to_rgb(drawn.get_color()) for drawn in ax.lines}) == 2
    with pytest.raises(ValueError, match=r"some results minimize and some maximize"):
        sf.plot.convergence([mixed, mirrored])


def test_a_logarithmic_axis_needs_values_above_zero(mixed, mirrored):
    assert sf.plot.convergence(mixed, log=True).get_yscale() == "log"
    assert sf.plot.convergence(mixed).get_yscale() == "linear"
    with pytest.raises(ValueError, match=r"log=True needs values above 0: got -.*sf\.plot\.regret"):
        sf.plot.convergence(mirrored, log=True)


def test_a_run_that_has_no_value_is_drawn_as_its_failures(failed):
    ax = sf.plot.convergence(failed)
    assert line(ax, "failed")[0].tolist() == [0, 1, 2]
    check_letters(ax.figure)


def test_constant_values_and_a_single_trial_have_an_axis(failed):
    for n in (1, 4):
        opt = sf.Optimizer([(0.0, 1.0)], seed=0)
        for i in range(n):
            opt.tell([i / 8], 2.5)
        ax = sf.plot.convergence(opt.result())
        assert ax.get_ylim()[0] < 2.5 < ax.get_ylim()[1]
        check_letters(ax.figure)


def test_simple_regret_is_the_shortfall_of_the_best_so_far(mixed, mirrored):
    for result, optimum in ((mixed, 0.05), (mirrored, -0.05)):
        ax = sf.plot.regret(result, optimum)
        best = line(sf.plot.convergence(result, recommended=False), "best so far")[1]
        assert np.allclose(ax.lines[0].get_ydata(), np.abs(best - optimum), equal_nan=True)
        assert ax.get_yscale() == "log"


def test_cumulative_regret_adds_up_all_evaluations(mixed):
    values = np.array([np.nan if t.value is None else t.value for t in ended(mixed)])
    ax = sf.plot.regret(mixed, 0.05, "cumulative")
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(np.nansum(values - 0.05))
    assert ax.get_yscale() == "linear"
    assert sf.plot.regret(mixed, 0.05, "cumulative", log=True).get_yscale() == "log"


def test_an_optimum_that_is_none_is_refused_and_one_that_noise_beats_is_noted(mixed, noisy):
    with pytest.raises(ValueError, match="optimum=100 is not an optimum: every value is below it; give the smallest"):
        sf.plot.regret(mixed, 100.0)
    best = min(noisy.func_vals)
    ax = sf.plot.regret(noisy, best + 1e-3)
    assert "1 of the values are better" in [text.get_text() for text in ax.texts][-1]
    with pytest.raises(ValueError, match=r"kind must be 'simple' or 'cumulative': got 'sum'"):
        sf.plot.regret(noisy, 0.0, "sum")
    with pytest.raises(TypeError, match="optimum must be a number"):
        sf.plot.regret(noisy, "0")


def test_letters_have_room_at_column_width(mixed, noisy):
    for draw in (
        lambda ax: sf.plot.convergence(mixed, ax),
        lambda ax: sf.plot.convergence(noisy, ax),
        lambda ax: sf.plot.convergence(mixed, ax, log=True),
        lambda ax: sf.plot.convergence({"$x_1$\n" * 60: mixed, "b": mixed}, ax),
        lambda ax: sf.plot.regret(mixed, 0.0, ax=ax),
        lambda ax: sf.plot.regret(mixed, 0.0, "cumulative", ax=ax),
        lambda ax: sf.plot.time(mixed, ax),
        lambda ax: sf.plot.accuracy(mixed, ax),
    ):
        mine = column()
        assert draw(mine) is mine
        check_letters(mine.figure)


def test_a_regret_without_any_value_is_refused(failed):
    for empty in (failed, sf.Optimizer([(0, 1)], seed=0).result()):
        with pytest.raises(sf.errors.NoFinishedTrial, match=r"no evaluation has one"):
            sf.plot.regret(empty, 0.0)
