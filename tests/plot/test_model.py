"""Slices, contours and partial dependence show what the model predicts, on the scale of each parameter."""

import numpy as np
import pytest

import suffice as sf
from suffice.plot.effects import _mean
from suffice.result.predict import surface

from .conftest import evaluate
from .reading import check_letters, column, dots, line

HERE = {"kernel": "rbf", "gamma": 0.01, "C": 1.0, "size": "medium", "k": 3}


def test_a_slice_is_what_predict_says_along_the_parameter(mixed):
    ax = sf.plot.slice(mixed, "gamma", at=HERE)
    places, median = line(ax, "median")
    assert ax.get_xscale() == "log"
    assert places[0] == 1e-4
    assert places[-1] == 1.0
    some = [0, 30, 70, 100]
    mean, _ = mixed.predict([{**HERE, "gamma": places[i]} for i in some])
    assert np.allclose(median[some], mean)
    assert line(ax, "the given point")[0] == pytest.approx([0.01])
    (band,) = (c for c in ax.collections if c.get_label() == "95 % band")
    X = np.array([mixed.settings.space.to_unit({**HERE, "gamma": places[i]}) for i in some])
    _, low, high = surface(mixed.history).at(X)
    corners = {tuple(np.round(corner, 9)) for corner in band.get_paths()[0].vertices}
    for i, a, b in zip(some, low, high, strict=True):
        assert {tuple(np.round((places[i], a), 9)), tuple(np.round((places[i], b), 9))} <= corners
    assert np.allclose(
        sorted(dots(ax, "evaluations")[:, 0]),
        sorted(t.point["gamma"] for t in mixed.trials if "gamma" in t.point and t.state == "done"),
    )


def test_options_have_a_marker_each_and_bring_up_what_the_best_such_point_has(mixed):
    ax = sf.plot.slice(mixed, "kernel", at=HERE)
    places, median = line(ax, "median")
    assert places.tolist() == [0, 1, 2]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["rbf", "linear", "poly"]
    best = min((t for t in mixed.trials if t.state == "done" and "degree" in t.point), key=lambda t: t.value)
    linear = {name: HERE[name] for name in ("C", "size", "k")} | {"kernel": "linear"}
    poly = {**HERE, "kernel": "poly", "degree": best.point["degree"]}
    assert np.allclose(median, mixed.predict([HERE, linear, poly])[0])


def test_a_slice_goes_through_the_best_point_or_the_best_that_has_the_parameter(mixed):
    ax = sf.plot.slice(mixed, "C")
    assert line(ax, "the best point")[0] == mixed.x["C"]
    assert "degree" not in mixed.x
    best = min((t for t in mixed.trials if t.state == "done" and "degree" in t.point), key=lambda t: t.value)
    lacking = sf.plot.slice(mixed, "degree")
    assert not any(drawn.get_marker() == "*" for drawn in lacking.lines)
    label = " ".join(lacking.get_xlabel().split())
    assert label == f"degree inactive at the best point; here kernel {best.point['kernel']}"
    check_letters(lacking.figure)
    with pytest.raises(ValueError, match=r"'degree' is inactive at the given point, because it needs .*poly"):
        sf.plot.slice(mixed, "degree", at=HERE)


def test_where_constraints_hold_no_point_there_is_a_gap():
    space = sf.Space(a=sf.Float(0, 1), b=sf.Float(0, 1), where=lambda p: p["a"] + p["b"] <= 1)
    points = [{"a": a, "b": b} for a in (0.1, 0.3, 0.5) for b in (0.1, 0.25, 0.5)]
    result = evaluate(space, points, lambda p: p["a"] + p["b"])
    places, median = line(sf.plot.slice(result, "a", at={"a": 0.1, "b": 0.5}), "median")
    assert (np.isfinite(median) == (places + 0.5 <= 1)).all()
    assert np.isfinite(median).sum() == 51
    ax = sf.plot.contour(result)
    check_letters(ax.figure)


def test_a_contour_has_the_median_over_a_grid_the_evaluations_and_the_point(mixed):
    ax = sf.plot.contour(mixed, "size", "kernel", at=HERE)
    (mesh,) = (c for c in ax.collections if hasattr(c, "get_coordinates"))
    Z = np.ma.filled(mesh.get_array().astype(float), np.nan).reshape(3, 3)
    assert Z[0, 1] == pytest.approx(mixed.predict(HERE)[0])
    assert Z[0, 2] == pytest.approx(mixed.predict({**HERE, "size": "large"})[0])
    assert [t.get_text() for t in ax.get_xticklabels()] == ["small", "medium", "large"]
    assert np.concatenate(line(ax, "the given point")).tolist() == [1.0, 0.0]
    assert len(dots(ax, "evaluations")) == sum(t.state == "done" for t in mixed.trials)
    assert len(dots(ax, "failed")) == len(mixed.history.failed)
    smooth = sf.plot.contour(mixed, "gamma", "C")
    assert smooth.get_xscale() == smooth.get_yscale() == "log"


@pytest.mark.parametrize(("name", "best"), [("mixed", np.argmin), ("mirrored", np.argmax)])
def test_the_good_end_of_the_colours_is_dark_in_both_senses(name, best, request):
    ax = sf.plot.contour(request.getfixturevalue(name), "size", "kernel")
    (mesh,) = (c for c in ax.collections if hasattr(c, "get_coordinates"))
    values = mesh.get_array().ravel()
    brightness = mesh.cmap(mesh.norm(values))[:, :3] @ (0.299, 0.587, 0.114)
    assert brightness.argmin() == best(values)


def test_partial_dependence_is_the_mean_over_the_space():
    rng = np.random.default_rng(0)
    space = sf.Space(a=sf.Float(0, 1), b=sf.Float(0, 1))
    result = evaluate(space, [{"a": a, "b": b} for a, b in rng.random((40, 2))], lambda p: 3 * p["a"] + p["b"])
    places, mean = line(sf.plot.partial_dependence(result, "a"), "mean over")
    assert np.allclose(mean, 3 * places + 0.5, atol=0.06)  # the mean of 256 draws of b: six errors of 0.018 are 0.11
    assert np.allclose(np.diff(mean), 3 * np.diff(places), atol=0.01)
    one = result.predict([{"a": 0.0, "b": b} for b in np.linspace(0, 1, 201)])[0].mean()
    assert mean[0] == pytest.approx(one, abs=0.06)
    ax = sf.plot.partial_dependence(result, ("a", "b"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")


def test_the_band_of_a_mean_is_narrower_than_those_of_points_and_covers_the_truth(mixed):
    rng = np.random.default_rng(1)
    space = sf.Space(a=sf.Float(0, 1), b=sf.Float(0, 1), c=sf.Float(0, 1))
    points = [dict(zip("abc", x, strict=True)) for x in rng.random((12, 3))]
    result = evaluate(space, points, lambda p: np.sin(5 * p["a"]) + p["b"] * p["c"])
    ax = sf.plot.partial_dependence(result, "a")
    (band,) = (c for c in ax.collections if c.get_label() == "95 % band of the mean")
    places, mean = line(ax, "mean over")
    corners = band.get_paths()[0].vertices
    at_half = corners[np.isclose(corners[:, 0], places[15])][:, 1]
    low, high = at_half.min(), at_half.max()
    assert low < mean[15] < high
    assert low < np.sin(5 * places[15]) + 0.25 < high
    X = np.array([result.settings.space.to_unit({"a": places[15], "b": b, "c": c}) for b, c in rng.random((50, 2))])
    _, below, above = surface(result.history).at(X)
    assert high - low < np.mean(above - below)


def test_the_band_of_a_mean_holds_what_it_says_after_a_warp():
    """Against draws of the objective at all points together, where its values span orders of magnitude."""
    rng = np.random.default_rng(1)
    points = list(rng.random((9, 2)))
    result = evaluate([(0.0, 1.0)] * 2, points, lambda x: np.exp(5 * x[0] + 4 * np.sin(9 * x[1])))
    found = surface(result.history)
    posterior, outcome = found.fitted.posterior, found.fitted.outcome
    assert outcome.lam != 1.0
    X = np.column_stack([np.full(100, 0.3), rng.random(100)])
    _, low, high = _mean(found, X, rng)
    root = np.linalg.cholesky(posterior.covariance(X, X) + 1e-8 * np.eye(100))
    drawn = posterior.mean(X) + rng.standard_normal((4000, 100)) @ root.T
    means = -outcome.inverse(drawn).mean(axis=1)
    assert 0.9 < np.mean((means >= low) & (means <= high)) < 0.99


def test_a_parameter_that_is_not_always_there_is_averaged_where_it_is(mixed):
    ax = sf.plot.partial_dependence(mixed, "degree")
    assert line(ax, "mean over")[0].tolist() == [2, 3, 4, 5]
    assert np.isfinite(line(ax, "mean over")[1]).all()


def test_wrong_words_are_refused_by_name(mixed, noisy):
    with pytest.raises(ValueError, match=r"plot\.contour plots two parameters, but the space has one, 'x\[0\]'"):
        sf.plot.contour(noisy)
    with pytest.raises(ValueError, match=r"did you mean 'gamma'"):
        sf.plot.slice(mixed, "gama")
    with pytest.raises(ValueError, match="'C' came more than once"):
        sf.plot.contour(mixed, "C", "C")
    for pair in (("C", "gamma"), ["C", "gamma"]):
        with pytest.raises(TypeError, match=r"takes two names, plot\.contour\(result, 'x', 'y'\): got the list"):
            sf.plot.contour(mixed, pair)
    with pytest.raises(ValueError, match="one parameter or two: got 3"):
        sf.plot.partial_dependence(mixed, ["C", "size", "kernel"])
    with pytest.raises(ValueError, match="needs 2 axes, one for each name: got an array of shape"):
        sf.plot.slice(mixed, ["C", "size"], ax=[column()])
    with pytest.raises(ValueError, match="at least one name"):
        sf.plot.slice(mixed, [])


def test_one_trial_and_constant_values_are_drawn():
    for n in (1, 3):
        result = evaluate([(0.0, 1.0), (0.0, 1.0)], [np.array([i / 5, 0.5]) for i in range(n)], lambda x: 2.0)
        for ax in (sf.plot.slice(result, "x[0]"), sf.plot.contour(result), sf.plot.partial_dependence(result, "x[1]")):
            ax.figure.draw_without_rendering()


def test_letters_have_room_at_column_width_whatever_the_names_are():
    long, odd = "a_very_$long$_name <b>\n" * 9, "$\\frac{"
    space = sf.Space({long: sf.Choice(odd, "x" * 200, "b_c"), "n": sf.Int(1, 9), "v": sf.Float(1e-9, 1e9, log=True)})
    rng = np.random.default_rng(0)
    points = [space.from_unit(u) for u in space.sample(8, rng)]
    result = evaluate(space, points, lambda p: float(p["n"]) + (p[long] == "b_c"))
    for draw in (
        lambda ax: sf.plot.slice(result, long, ax=ax),
        lambda ax: sf.plot.slice(result, "v", ax=ax),
        lambda ax: sf.plot.contour(result, long, "n", ax=ax),
        lambda ax: sf.plot.contour(result, "n", long, ax=ax),
        lambda ax: sf.plot.contour(result, "v", "n", ax=ax),
        lambda ax: sf.plot.partial_dependence(result, long, ax=ax),
        lambda ax: sf.plot.parallel(result, ax=ax),
        lambda ax: sf.plot.importance(result, ax=ax),
    ):
        mine = column()
        assert draw(mine) is mine
        check_letters(mine.figure)


def test_what_no_axis_can_show_is_refused_and_the_overview_finds_a_way():
    space = sf.Space(a=sf.Choice(*range(300)), b=sf.Float(0, 1), w=sf.Float(-1e308, 1e308))
    rng = np.random.default_rng(0)
    result = evaluate(space, [space.from_unit(u) for u in space.sample(6, rng)], lambda p: p["b"])
    with pytest.raises(ValueError, match="'a' has 300 options, but a figure of two parameters has room for 60"):
        sf.plot.contour(result, "a", "b")
    with pytest.raises(ValueError, match=r"plot\.parallel: 'w' has a range too wide for matplotlib"):
        sf.plot.parallel(result)
    check_letters(sf.plot.slice(result, "a").figure)
    wide = evaluate({"w": sf.Float(1e-300, 1e300, log=True)}, [{"w": 1.0}, {"w": 1e9}], lambda p: p["w"])
    with pytest.raises(ValueError, match=r"plot\.slice: 'w' has a range too wide for matplotlib"):
        sf.plot.slice(wide, "w")
    check_letters(result.plot())


def test_values_at_the_end_of_what_floats_hold_have_a_mean():
    rng = np.random.default_rng(0)
    result = evaluate([(0.0, 1.0)] * 2, list(rng.random((10, 2))), lambda x: 1e300 * (x[0] - 0.5))
    ax = sf.plot.partial_dependence(result, "x[0]")
    assert np.isfinite(line(ax, "mean over")[1]).all()


def test_partial_dependence_of_a_pool_is_refused_with_what_can_be_drawn():
    pool = sf.Pool(np.linspace(0, 1, 12).reshape(6, 2))
    result = evaluate(pool, [np.array(row) for row in np.linspace(0, 1, 12).reshape(6, 2)[:4]], lambda x: float(x[0]))
    with pytest.raises(sf.errors.SufficeError, match=r"a pool has no points except its rows"):
        sf.plot.partial_dependence(result, "x0")


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_partial_dependence_is_of_the_same_shape_whatever_the_units_are(scale):
    points = [{"x": x, "y": (3.7 * x) % 1.0} for x in np.linspace(0.05, 1, 8).tolist()]
    curves = []
    for units in (1.0, scale):
        result = evaluate({"x": (0.0, 1.0), "y": (0.0, 1.0)}, points, lambda p, u=units: u * (p["x"] - 0.5) ** 2)
        ax = sf.plot.partial_dependence(result, "x")
        (band,) = (c for c in ax.collections if c.get_label().startswith("95 %"))
        curves.append([line(ax, "mean over the space")[1] / units, band.get_paths()[0].vertices[:, 1] / units])
    for plain, scaled in zip(*curves, strict=True):
        assert np.allclose(plain, scaled, rtol=1e-6)
