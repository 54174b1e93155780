"""The front: what is drawn is the front of the result, in the user's units, and what the models predict of it."""

import numpy as np
import pytest

import suffice as sf
from suffice.plot.fronts import foreseen

from .conftest import evaluate, told
from .reading import check_letters, column, dots, legend, line


def values(trials, names):
    return np.array([[trial.values[name] for name in names] for trial in trials])


def same_rows(a, b):
    return sorted(map(tuple, a.tolist())) == sorted(map(tuple, b.tolist()))


def test_dots_are_the_front_the_other_evaluations_and_those_beyond_a_limit(traded):
    ax, names = sf.plot.front(traded), ("error", "throughput")
    front = {trial.number for trial in traded.front}
    others = [t for t in traded.trials if t.feasible and t.number not in front]
    beyond = [t for t in traded.trials if t.feasible is False and "throughput" in t.values]
    assert same_rows(dots(ax, f"front ({len(front)})"), values(traded.front, names))
    assert same_rows(dots(ax, "evaluations"), values(others, names))
    assert same_rows(dots(ax, f"infeasible ({len(beyond)})"), values(beyond, names))
    assert len(beyond) < sum(t.feasible is False for t in traded.trials)  # some have no place
    check_letters(ax.figure)


def test_axes_say_the_sense_and_the_star_is_the_knee(traded):
    ax = sf.plot.front(traded)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("error (minimize)", "throughput (maximize)")
    knee = traded.knee().values
    assert np.ravel(line(ax, "knee")).tolist() == [knee["error"], knee["throughput"]]
    assert np.ravel(line(ax, "reference")).tolist() == [traded.reference["error"], traded.reference["throughput"]]
    assert "predicted front" in legend(ax)
    assert "predicted front" not in legend(sf.plot.front(traded, predicted=False))


def test_stairs_touch_every_trial_of_the_front_in_both_senses(traded):
    x, y = line(sf.plot.front(traded), "_stairs")
    corners = set(zip(x.tolist(), y.tolist(), strict=True))
    assert {tuple(row) for row in values(traded.front, ("error", "throughput")).tolist()} <= corners


def test_the_predicted_front_is_between_the_ends_of_its_band_and_near_a_front_that_is_known():
    rng = np.random.default_rng(0)
    f = lambda x: {"f": float(x[0]), "g": float((1 - x[0]) ** 2 + x[1])}  # noqa: E731
    aims = {"f": "minimize", "g": "minimize"}
    found = evaluate([(0.0, 1.0)] * 2, rng.random((30, 2)), f, objectives=aims)
    front = foreseen(found, ("f", "g"))
    off = np.abs(front.median[:, 1] - (1 - front.median[:, 0]) ** 2)  # x2 is 0 on the front
    assert np.quantile(off, 0.9) < 0.01
    for better, worse in ((front.better, front.median), (front.median, front.worse)):
        assert (better[None] <= worse[:, None]).all(axis=2).any(axis=1).all()  # each is as good as the next


def test_nothing_beyond_a_limit_is_predicted():
    rng = np.random.default_rng(1)
    f = lambda x: {"f": float(x[0]), "g": float(1 - x[0]), "c": float(x[0])}  # noqa: E731
    words = {"objectives": {"f": "minimize", "g": "minimize"}, "constraints": {"c": sf.AtMost(0.5)}}
    found = evaluate([(0.0, 1.0)] * 2, rng.random((25, 2)), f, **words)
    assert foreseen(found, ("f", "g")).median[:, 0].max() < 0.51
    assert foreseen(found, ("f", "g")).better[:, 0].max() < 0.6


def test_three_objectives_have_a_panel_for_each_pair_and_two_of_them_one(triple):
    axes = sf.plot.front(triple)
    assert axes.shape == (2, 2)
    assert not axes[0, 1].axison
    assert same_rows(dots(axes[1, 1], f"front ({len(triple.front)})"), values(triple.front, ("weight", "strength")))
    assert axes[1, 0].get_xlabel() == "cost (minimize)"
    assert axes[1, 0].get_ylabel() == "strength (maximize)"
    assert axes[0, 0].get_xlabel() == ""
    check_letters(axes[0, 0].figure)
    one = sf.plot.front(triple, names=["strength", "cost"])
    assert one.get_xlabel() == "strength (maximize)"
    check_letters(one.figure)


def test_more_than_five_objectives_are_cut_and_said():
    aims = {f"f{i}": "minimize" for i in range(6)}
    found = told(
        [(0.0, 1.0)] * 2, 6, lambda x: {f"f{i}": float(np.cos(i + x[0] - x[1])) for i in range(6)}, objectives=aims
    )
    axes = sf.plot.front(found)
    assert axes.shape == (4, 4)
    assert axes[0, 0].get_title(loc="left") == "the first 5 of 6 objectives"


def test_a_front_is_refused_where_there_is_none_to_draw(mixed, triple, failed):
    with pytest.raises(ValueError, match=r"the result has one, 'value'; use plot\.convergence"):
        sf.plot.front(mixed)
    with pytest.raises(ValueError, match=r"there is no objective 'cots'; did you mean 'cost'"):
        sf.plot.front(triple, names=["cots", "weight"])
    with pytest.raises(ValueError, match="two or more objectives, each once"):
        sf.plot.front(triple, names=["cost"])
    with pytest.raises(TypeError, match="names must be a list of objectives"):
        sf.plot.front(triple, names="cost")
    with pytest.raises(ValueError, match=r"shape \(2, 2\) for 3 objectives.*names= selects two"):
        sf.plot.front(triple, column())


def test_it_is_drawn_where_nothing_is_feasible_and_where_no_model_is_known(traded):
    f = lambda x: {"f": float(x[0]), "g": float(1 - x[0]), "c": 1.0 + float(x[0])}  # noqa: E731
    words = {"objectives": {"f": "minimize", "g": "minimize"}, "constraints": {"c": sf.AtMost(0.0)}}
    nothing = evaluate([(0.0, 1.0)], np.linspace(0, 1, 6)[:, None], f, **words)
    ax = sf.plot.front(nothing)
    assert len(dots(ax, "infeasible (6)")) == 6
    assert not any("front" in text for text in legend(ax) if text != "predicted front")
    check_letters(ax.figure)


def test_far_outcomes_and_a_far_reference_point_leave_the_front_its_room():
    f = lambda x: {"f": float(x[0]), "g": 1e6 if x[0] > 0.9 else float(1 - x[0])}  # noqa: E731
    words = {"objectives": {"f": "minimize", "g": "minimize"}, "reference": {"f": 50.0, "g": 1e9}}
    found = evaluate([(0.0, 1.0)], np.linspace(0, 1, 21)[:, None], f, **words)
    ax = sf.plot.front(found, predicted=False)
    assert ax.get_ylim()[1] < 10
    assert ax.get_xlim()[1] < 10
    assert [text.get_text() for text in ax.texts] == ["2 beyond the axes"]


def test_the_volume_is_drawn_by_evaluation_and_two_runs_above_one_reference(traded, triple):
    x, volume = line(sf.plot.convergence(traded), "the front so far")
    assert volume.tolist() == traded.hypervolume.tolist()
    assert x.tolist() == [t.number for t in traded.trials if t.state in ("done", "failed")]
    ax = sf.plot.convergence({"one": traded, "other": traded})
    assert np.allclose(line(ax, "one")[1], traded.hypervolume)
    assert legend(ax) == ["one", "other"]
    with pytest.raises(ValueError, match="different objectives"):
        sf.plot.convergence([traded, triple])
    with pytest.raises(ValueError, match="log=True needs one objective"):
        sf.plot.convergence(traded, log=True)
    with pytest.raises(ValueError, match="several objectives; use convergence"):
        sf.plot.regret(traded, 0.0)


def test_lines_are_the_front_across_objectives_and_parameters(traded):
    ax = sf.plot.parallel(traded)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["error", "throughput", "width", "depth", "act"]
    (lines,) = ax.collections
    thick = np.asarray(lines.get_linewidths())
    assert (thick > 2).sum() == 1
    faint = np.asarray(lines.get_colors())[:, 3] < 0.2
    with_both = [t for t in traded.trials if "error" in (t.values or {})]
    assert (~faint).sum() >= len(traded.front)
    assert faint.sum() >= len(with_both) - len(traded.front)
    some = sf.plot.parallel(traded, ["memory", "width"], output="throughput")
    assert [t.get_text() for t in some.get_xticklabels()] == ["memory", "width"]
    check_letters(some.figure)


@pytest.mark.parametrize("draw", ["slice", "contour", "importance"])
def test_what_is_about_one_output_asks_which(draw, traded):
    with pytest.raises(ValueError, match=rf"plot\.{draw}: .*output="):
        getattr(sf.plot, draw)(traded)
    with pytest.raises(ValueError, match="there is no output 'eror'"):
        getattr(sf.plot, draw)(traded, output="eror")
    drawn = getattr(sf.plot, draw)(traded, output="memory")
    check_letters((drawn.ravel()[0] if isinstance(drawn, np.ndarray) else drawn).figure)


def test_a_slice_of_several_objectives_goes_through_the_knee(traded):
    ax = sf.plot.slice(traded, "width", output="throughput")
    (x,), _ = line(ax, "the knee of the front")
    assert x == traded.knee().point["width"]
    assert ax.get_ylabel() == "throughput"
    assert sf.plot.partial_dependence(traded, "width", output="error").get_ylabel() == "mean of error"
    assert sf.plot.evaluations(traded, ["width", "act"]).shape == (2, 2)
