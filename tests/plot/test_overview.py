"""One figure for a run, importance in it, and what all figures have in common: no traces, the same each time."""

import inspect
import subprocess
import sys

import matplotlib as mpl
import matplotlib.figure
import numpy as np
import pytest

import suffice as sf
from suffice.plot.axes import nothing

from .conftest import evaluate
from .reading import check_letters, column


def test_four_panels_say_what_they_are_and_their_letters_have_room(mixed, noisy):
    for result in (mixed, noisy):
        figure = result.plot()
        titles = [ax.get_title(loc="left") for ax in figure.axes if ax.get_title(loc="left")]
        assert titles == [
            "How it went",
            "Which parameters matter",
            "What the model predicts",
            "How exact the searches were",
        ]
        check_letters(figure)


def test_it_is_drawn_whatever_there_is_and_says_why_a_panel_is_empty(failed):
    one = evaluate([(0.0, 1.0)] * 2, [np.array([0.5, 0.5])], lambda x: 1.0)
    fresh = sf.Optimizer({"a": (0.0, 1.0)}, seed=0).result()
    for result in (failed, one, fresh):
        figure = result.plot()
        check_letters(figure)
    said = " ".join(text.get_text() for ax in failed.plot().axes for text in ax.texts).replace("\n", " ")
    assert "all 3 evaluations failed" in said


def test_panels_and_the_size_can_be_chosen(mixed, traded):
    figure = mixed.plot(panels=["time", "convergence", "parallel"], size=(9, 6))
    titles = [ax.get_title(loc="left") for ax in figure.axes if ax.get_title(loc="left")]
    assert titles == ["Where the time went", "How it went", "Where the points lie"]
    assert tuple(figure.get_size_inches()) == (9.0, 6.0)
    check_letters(figure)
    assert len(traded.plot(panels="front").axes) == 1
    with pytest.raises(ValueError, match="there is no panel 'convergense': did you mean 'convergence'"):
        mixed.plot(panels=["convergense"])
    for wrong in ({"size": 5}, {"size": (1, None)}, {"size": "ab"}, {"panels": []}, {"panels": 3}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            mixed.plot(**wrong)


def test_of_several_objectives_it_shows_the_volume_and_the_front(traded, triple):
    for result in (traded, triple):
        figure = result.plot()
        titles = [ax.get_title(loc="left") for ax in figure.axes if ax.get_title(loc="left")]
        assert titles == [
            "How it went",
            "What one objective costs another",
            "Where the front lies",
            "How exact the searches were",
        ]
        assert figure.axes[0].get_ylabel() == "hypervolume (larger is better)"
        check_letters(figure)


def test_with_limits_it_is_drawn_whether_or_not_a_point_is_within_them(limited, impossible):
    for result in (limited, impossible):
        check_letters(result.plot())


def test_bars_are_the_indices_the_most_important_on_top(mixed):
    found = mixed.importance()
    ax = sf.plot.importance(mixed)
    count = len(found.names)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(found.names)
    assert np.allclose([bar.get_width() for bar in ax.patches[:count]], found.total)
    assert np.allclose([bar.get_width() for bar in ax.patches[count : 2 * count]], np.maximum(found.first, 0))
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert [t.get_text() for t in ax.texts] == [f"ℓ {length:.2g}" for length in found.lengthscales]
    mine = column()
    check_letters(sf.plot.importance(mixed, mine).figure)


def everything(result):
    yield "convergence", lambda: sf.plot.convergence(result)
    yield "regret", lambda: sf.plot.regret(result, 0.0)
    yield "accuracy", lambda: sf.plot.accuracy(result)
    yield "time", lambda: sf.plot.time(result)
    yield "slice", lambda: sf.plot.slice(result, "C")
    yield "contour", lambda: sf.plot.contour(result, "C", "kernel")
    yield "parallel", lambda: sf.plot.parallel(result, ["C", "kernel"])
    yield "evaluations", lambda: sf.plot.evaluations(result, ["C"])
    yield "importance", lambda: sf.plot.importance(result)
    yield "partial_dependence", lambda: sf.plot.partial_dependence(result, "kernel")
    yield "overview", lambda: sf.plot.overview(result)


def test_every_figure_is_the_same_each_time_and_leaves_matplotlib_as_it_was(mixed, traded):
    drawn = dict(everything(mixed)) | {"front": lambda: sf.plot.front(traded)}
    assert set(drawn) == set(sf.plot.__all__) - {"interactive"}
    with mpl.rc_context({"font.size": 20.0, "lines.linewidth": 9.0}):
        before = dict(mpl.rcParams)
        for name, draw in drawn.items():
            files = []
            for _ in range(2):
                made = draw()
                made = made.ravel()[0] if isinstance(made, np.ndarray) else made
                figure = made if name == "overview" else made.figure
                check_letters(figure)
                figure.canvas.draw()
                files.append(bytes(figure.canvas.buffer_rgba()))
                mpl.pyplot.close(figure)
            assert files[0] == files[1], name
            assert dict(mpl.rcParams) == before, name


def test_every_function_takes_a_result_and_refuses_anything_else(mixed):
    for name in set(sf.plot.__all__) - {"interactive"}:
        draw = getattr(sf.plot, name)
        needed = [p for p in inspect.signature(draw).parameters.values() if p.default is p.empty][1:]
        with pytest.raises(TypeError, match=rf"plot\.{name} takes a result"):
            draw(mixed.accuracy, *([0.0] * len(needed)))
        assert inspect.getdoc(draw)


def test_without_matplotlib_everything_is_imported_and_the_first_drawing_says_what_to_install():
    code = """
import sys
class Absent:
    def find_spec(self, name, *rest):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import suffice as sf
opt = sf.Optimizer([(0.0, 1.0)], seed=0)
opt.tell([0.5], 1.0)
result = opt.result()
names = [name for name in sf.plot.__all__ if name != "interactive"]
for draw in (result.plot, *(lambda name=name: getattr(sf.plot, name)(result, 0) for name in names)):
    try:
        draw()
    except sf.errors.SufficeError as error:
        assert "pip install 'suffice[plot]'" in str(error), error
    except TypeError as error:
        assert "overview() takes 1 positional argument" in str(error), error
    else:
        raise AssertionError(draw)
print("fine")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "fine", done.stderr


def test_a_panel_that_says_why_it_is_empty_does_not_read_names_as_formulas():
    ax = mpl.figure.Figure().add_subplot()
    nothing(ax, r"no evaluation has '$\frac$'")
    ax.figure.draw_without_rendering()
    assert ax.texts[0].get_text() == r"no evaluation has '\$\frac\$'"


def test_constants_have_no_importance_to_draw():
    result = evaluate({"k": 3}, [{"k": 3}], lambda _: 1.0)
    with pytest.raises(ValueError, match=r"every parameter of the space is a constant"):
        sf.plot.importance(result)
    texts = [text.get_text() for ax in result.plot().axes for text in ax.texts]
    assert sum("every parameter of" in text for text in texts) == 2


def test_what_is_no_axes_is_refused_by_what_it_is(mixed):
    several = mpl.figure.Figure().subplots(1, 2)
    for draw in (sf.plot.convergence, sf.plot.importance, sf.plot.accuracy):
        with pytest.raises(TypeError, match=r"ax must be matplotlib axes.* got ndarray; pass a single one"):
            draw(mixed, ax=several)
    with pytest.raises(TypeError, match=r"got Figure"):
        sf.plot.slice(mixed, "C", ax=several[0].figure)
