"""Figures in Plotly: the numbers of the static ones, and texts that say what each mark is."""

import numpy as np
import pytest

import suffice as sf

pytest.importorskip("plotly")
interactive = sf.plot.interactive


def named(figure, name):
    (trace,) = [trace for trace in figure.data if trace.name == name]
    return trace


def test_convergence_has_every_evaluation_and_says_which_it_is(mixed):
    figure = interactive.convergence(mixed)
    model, failed = named(figure, "chosen by the model"), named(figure, "failed")
    assert len(failed.x) == sum(trial.state == "failed" for trial in mixed.trials)
    assert np.nanmin(named(figure, "best so far").y) == mixed.fun
    trial = next(t for t in mixed.trials if t.origin == "model" and t.state == "done")
    assert model.hovertext[0].startswith(f"trial {trial.number}, done<br>value: {trial.value:.6g}<br>kernel = ")
    assert (model.x[0], interactive.convergence(mixed).layout.xaxis.title.text) == (trial.number, "trial")
    assert interactive.convergence(mixed, log=True).layout.yaxis.type == "log"


def test_importance_slice_and_contour_have_the_numbers_of_the_model(mixed):
    bars = interactive.importance(mixed)
    assert list(bars.data[0].y) == list(mixed.importance().names)
    np.testing.assert_allclose(bars.data[0].x, mixed.importance().total)
    line = named(interactive.slice(mixed, "C"), "median")
    point = {**mixed.x, "C": float(line.x[50])}
    assert line.y[50] == pytest.approx(mixed.predict(point).mean)
    figure = interactive.contour(mixed, "C", "size")
    assert (figure.layout.xaxis.type, list(figure.layout.yaxis.ticktext)) == ("log", ["small", "medium", "large"])
    assert figure.data[0].z.shape == (3, len(figure.data[0].x))


def test_a_front_of_three_objectives_is_drawn_in_space(traded, triple):
    flat, deep = interactive.front(traded), interactive.front(triple)
    assert len(named(flat, "the front").x) == len(traded.front)
    assert {trace.type for trace in deep.data} == {"scatter3d"}
    assert len(interactive.front(triple, list(triple.settings.objectives)[:2]).data[0].x) == len(triple.front)
    assert "hypervolume" in interactive.convergence(triple).layout.yaxis.title.text


def test_what_is_infeasible_is_marked_and_names_are_no_html(limited):
    assert "infeasible" in [trace.name for trace in interactive.contour(limited).data]
    result = sf.minimize(lambda p: p["<b>"] ** 2, {"<b>": (0.0, 1.0)}, 4, seed=0)
    assert interactive.slice(result).layout.xaxis.title.text == "&lt;b&gt;"
    for wrong in (None, 3):
        with pytest.raises(TypeError, match=r"plot.interactive.slice takes a result"):
            interactive.slice(wrong)
