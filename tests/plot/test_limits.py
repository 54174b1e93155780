"""Figures of a study with limits: the best is feasible, what is beyond a limit is seen, and where that is likely."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import suffice as sf
from suffice.plot.data import feasible_probability
from suffice.plot.slices import UNLIKELY
from suffice.plot.style import FAINT

from .reading import check_letters, dots, legend, line


def ended(result):
    return sorted((t for t in result.trials if t.state in ("done", "failed")), key=lambda t: t.order)


def test_the_best_so_far_is_feasible_and_what_is_beyond_a_limit_is_an_upright_cross(limited):
    ax, trials = sf.plot.convergence(limited), ended(limited)
    beyond = [t.number for t in trials if t.state == "done" and not t.feasible]
    assert 0 < len(beyond)
    _, best = line(ax, "best so far")
    assert np.nanmin(best) == best[-1] == limited.fun
    valued = [(i, limited.trials[i].value) for i in beyond if limited.trials[i].value is not None]
    assert dots(ax, f"infeasible ({len(beyond)})").tolist() == [[i, v] for i, v in valued]
    assert len(valued) < len(beyond)  # some are at the bottom, without a value
    (bottom,) = (c for c in ax.collections if c.get_label() == "_beyond" and c.get_transform() is not ax.transData)
    assert [int(x) for x, _ in bottom.get_offsets()] == [i for i in beyond if limited.trials[i].value is None]
    check_letters(ax.figure)


def test_without_a_feasible_point_there_is_neither_a_best_nor_a_star(impossible):
    ax = sf.plot.convergence(impossible)
    assert legend(ax) == ["infeasible (8)"]
    with pytest.raises(sf.errors.NoFinishedTrial, match="no evaluation has one that is feasible"):
        sf.plot.regret(impossible, 0.0)


def test_the_background_is_grey_where_a_point_is_probably_infeasible(limited):
    ax = sf.plot.slice(limited, "x")
    spans = [patch for patch in ax.patches if np.allclose(patch.get_facecolor(), to_rgba(FAINT))]
    (star,), _ = line(ax, "the best point")
    point = limited.x
    for x in np.linspace(0, 1, 21):
        P = feasible_probability(limited, np.array([[x, point["y"]]]))[0]
        inside = any(span.get_x() <= x <= span.get_x() + span.get_width() for span in spans)
        assert abs(P - 0.5) < 0.2 or inside == (P < 0.5), (x, P)
    assert star == point["x"]
    assert UNLIKELY in legend(ax)


def test_the_chance_is_that_of_all_limits_and_falls_to_zero_and_one(limited, mixed):
    assert feasible_probability(mixed, np.zeros((2, 3))) is None
    assert feasible_probability(limited, np.array([[0.1, 0.1]]))[0] > 0.9
    assert feasible_probability(limited, np.array([[0.95, 0.5]]))[0] < 0.1  # the recall
    assert feasible_probability(limited, np.array([[0.7, 0.95]]))[0] < 0.6  # the latency


def test_another_output_is_drawn_by_its_name_with_its_limit(limited):
    ax = sf.plot.slice(limited, "x", output="latency")
    assert ax.get_ylabel() == "latency"
    assert set(line(ax, "at most 50")[1]) == {50.0}
    assert sf.plot.contour(limited, output="recall").figure.axes[1].get_ylabel().startswith("median of recall")
    assert "infeasible" in legend(ax)


def test_contours_are_hatched_where_a_point_is_probably_infeasible(limited, impossible):
    ax = sf.plot.contour(limited)
    (veil,) = (c for c in ax.collections if c.get_label() == UNLIKELY)
    assert veil.hatches == ["////"]
    ax = sf.plot.contour(impossible)
    assert any(str(drawn.get_label()) == "the point closest to feasible" for drawn in ax.lines)
    check_letters(ax.figure)


def test_cells_are_hatched_as_well():
    opt = sf.Optimizer(
        {"k": sf.Choice("a", "b"), "x": (0.0, 1.0)}, seed=0, constraints={"c": sf.AtMost(0.5)}, n_initial=9
    )
    for _ in range(12):
        trial = opt.ask()
        x = trial.point["x"]
        opt.tell(trial, {"value": x, "c": x + (trial.point["k"] == "b")})
    ax = sf.plot.contour(opt.result(), "x", "k")
    assert any(c.get_label() == UNLIKELY for c in ax.collections)
    ax = sf.plot.slice(opt.result(), "k")
    (span,) = (p for p in ax.patches if p.get_label() == UNLIKELY)
    assert (span.get_x(), span.get_x() + span.get_width()) == (0.5, 1.5)


def test_lines_and_pairs_show_what_is_beyond_a_limit(limited):
    ax = sf.plot.parallel(limited, ["x", "y", "latency"])
    (lines,) = ax.collections
    faint = np.asarray(lines.get_colors())[:, 3] < 0.2
    assert faint.any()
    assert not faint.all()
    axes = sf.plot.evaluations(limited)
    states = [t for t in ended(limited) if t.state == "done" and not t.feasible]
    assert len(dots(axes[1, 0], "infeasible")) == len(states)
    assert len(dots(axes[1, 0], "failed")) == len(limited.history.failed)
