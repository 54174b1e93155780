"""Parallel coordinates and pairs: places, gaps and colours are those of the trials."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import suffice as sf
from suffice.errors import NoFinishedTrial, SufficeError

from .reading import check_letters, column, dots


def done(result):
    return sorted((t for t in result.trials if t.state == "done"), key=lambda t: t.order)


def lines(ax):
    (found,) = (c for c in ax.collections if isinstance(c, LineCollection) and c.get_label() == "evaluations")
    return found


def square(n, size=3.4):
    return Figure(figsize=(size, size), layout="constrained").subplots(n, n, squeeze=False)


def test_a_line_goes_through_the_values_of_its_trial_on_the_scale_of_each_axis(mixed):
    ax = sf.plot.parallel(mixed, ["C", "size"])
    wanted = sorted(
        ((np.log10(t.point["C"]) + 2) / 4, (["small", "medium", "large"].index(t.point["size"]) + 0.5) / 3)
        for t in done(mixed)
    )
    found = sorted(tuple(segment[:, 1]) for segment in lines(ax).get_segments())
    assert np.allclose(found, wanted)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["C", "size"]
    said = {text.get_text().strip() for text in ax.texts}
    assert said == {"0.01", "100", "small", "medium", "large"}


def test_a_parameter_that_a_point_lacks_is_a_gap(mixed):
    names = ["C", "gamma", "size"]
    segments = lines(sf.plot.parallel(mixed, names)).get_segments()
    with_gamma = sum("gamma" in t.point for t in done(mixed))
    without = len(done(mixed)) - with_gamma
    assert with_gamma > 0
    assert without > 0
    assert sum(len(s) == 3 for s in segments) == with_gamma
    assert sum(len(s) == 2 for s in segments) == 2 * without  # a dash at C and one at size


@pytest.mark.parametrize("name", ["mixed", "mirrored"])
def test_the_best_is_the_darkest_and_on_top_in_both_senses(name, request):
    result = request.getfixturevalue(name)
    drawn = lines(sf.plot.parallel(result, ["C", "size"]))
    brightness = drawn.get_colors()[:, :3] @ (0.299, 0.587, 0.114)
    assert brightness[-1] == brightness.min()
    assert brightness[-1] < brightness[0]
    assert drawn.get_linewidths()[-1] > drawn.get_linewidths()[0]


def test_pairs_are_the_evaluations_in_order_and_histograms_count_them(mixed):
    trials = sorted((t for t in mixed.trials if t.order is not None), key=lambda t: t.order)
    axes = sf.plot.evaluations(mixed, ["C", "gamma", "size"], square(3, 5))
    both = [t for t in trials if "gamma" in t.point and t.state == "done"]
    assert np.allclose(dots(axes[1, 0], "evaluations"), [(t.point["C"], t.point["gamma"]) for t in both])
    (drawn,) = (c for c in axes[1, 0].collections if c.get_label() == "evaluations")
    assert drawn.get_array().tolist() == [i for i, t in enumerate(trials, start=1) if t in both]
    assert axes[1, 0].get_xscale() == axes[1, 0].get_yscale() == "log"
    counts = [patch.get_height() for patch in axes[2, 2].patches]
    assert counts == [sum(t.point["size"] == s for t in trials) for s in ("small", "medium", "large")]
    assert len(dots(axes[2, 0], "failed")) == sum(t.state == "failed" for t in trials)
    assert np.abs(dots(axes[2, 0], "evaluations")[:, 1] - np.round(dots(axes[2, 0], "evaluations")[:, 1])).max() < 0.25
    assert not axes[0, 1].axison
    check_letters(axes[0, 0].figure)


def test_many_parameters_are_the_most_important_ones_with_a_note():
    space = [(0.0, 1.0)] * 50
    opt = sf.Optimizer(space, seed=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        x = rng.random(50)
        opt.tell(x, float(10 * x[41] + x[7]))
    result = opt.result()
    ax = sf.plot.parallel(result)
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert len(names) == 8
    assert "x[41]" in names
    assert ax.get_title(loc="right") == "8 of 50 parameters, the most important"
    check_letters(ax.figure)


def test_rows_of_a_pool_are_drawn_by_their_features():
    rows = [{"solvent": s, "ph": ph, "id": f"{s}{ph}"} for s in ("water", "ethanol") for ph in (2.0, 5.0, 7.5, 9.0)]
    opt = sf.Optimizer(sf.Pool(rows), seed=0, direction="maximize")
    for row in rows[1:6]:
        opt.tell(row, row["ph"])
    result = opt.result()
    axes = sf.plot.evaluations(result, axes=square(2))
    found = dots(axes[1, 0], "evaluations")
    assert np.round(found[:, 0]).tolist() == [0, 0, 0, 1, 1]
    assert found[:, 1].tolist() == [row["ph"] for row in rows[1:6]]
    assert [t.get_text() for t in axes[1, 0].get_xticklabels()] == ["water", "ethanol"]
    assert sf.plot.parallel(result) is not None
    for draw in (sf.plot.slice, sf.plot.contour, sf.plot.partial_dependence):
        with pytest.raises(SufficeError, match="a pool has no points except its rows"):
            draw(result, "ph")
    beside = sf.Optimizer(sf.Pool([object(), object(), object()], features=[[0.0], [3.0], [4.0]]), seed=0)
    beside.tell(beside.ask(), 1.0)
    assert sf.plot.evaluations(beside.result())[0, 0].get_xlabel() == "f0 (scaled)"


def test_a_space_of_ones_own_has_no_axes_and_says_what_can_be_drawn():
    class Bits(sf.CustomSpace):
        def draw(self, rng):
            return tuple(rng.integers(0, 2, 4).tolist())

        def neighbour(self, point, rng):
            i = rng.integers(4)
            return (*point[:i], 1 - point[i], *point[i + 1 :])

        def encode(self, point):
            return [float(v) for v in point]

        def decode(self, row):
            return tuple(int(v > 0.5) for v in row)

    result = sf.minimize(sum, Bits(), 4, seed=0, n_initial=4)
    sf.plot.convergence(result)
    for draw in (sf.plot.parallel, sf.plot.evaluations, sf.plot.slice, sf.plot.contour):
        with pytest.raises(SufficeError, match=r"points of Bits are not made of parameters; plot\.convergence"):
            draw(result)


def test_wrong_words_are_refused_by_name(mixed, failed):
    with pytest.raises(ValueError, match=r"plot\.parallel: there is no parameter 'gama'; did you mean 'gamma'\?"):
        sf.plot.parallel(mixed, ["gama"])
    with pytest.raises(ValueError, match="'k' is a constant"):
        sf.plot.evaluations(mixed, ["k"])
    with pytest.raises(ValueError, match="'C' came more than once"):
        sf.plot.parallel(mixed, ["C", "C"])
    with pytest.raises(TypeError, match="takes the name of a parameter: got 3"):
        sf.plot.parallel(mixed, [3])
    with pytest.raises(ValueError, match=r"axes of shape \(2, 2\): got an array of shape \(3, 3\)"):
        sf.plot.evaluations(mixed, ["C", "size"], square(3))
    with pytest.raises(
        NoFinishedTrial, match=r"plot\.parallel plots values, but the result has none: all 3 evaluations"
    ):
        sf.plot.parallel(failed)


def test_letters_have_room_at_column_width(mixed):
    mine = column()
    assert sf.plot.parallel(mixed, ax=mine) is mine
    check_letters(mine.figure)
    axes = square(2)
    assert sf.plot.evaluations(mixed, ["kernel", "gamma"], axes)[1, 0] is axes[1, 0]
    check_letters(axes[0, 0].figure)


def test_thousands_of_trials_make_a_small_file(tmp_path):
    opt = sf.Optimizer({"a": (0.0, 1.0), "b": (0.0, 1.0)}, seed=0)
    rng = np.random.default_rng(0)
    for a, b in rng.random((3000, 2)):
        opt.tell({"a": a, "b": b}, a + b)
    result = opt.result()
    for draw in (sf.plot.parallel, lambda r: sf.plot.convergence(r, recommended=False)):
        draw(result).figure.savefig(tmp_path / "figure.svg")
        assert (tmp_path / "figure.svg").stat().st_size < 400_000
