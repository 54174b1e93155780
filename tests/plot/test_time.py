"""The time of a run by phase: the lines are what the reports say, the legend their sums."""

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.verdict import duration
from suffice.plot.search import DRAWN, thinned

from .reading import legend, line


def test_each_phase_is_a_line_with_its_sum(mixed):
    ax = sf.plot.time(mixed)
    asked = [t.solve.seconds for t in mixed.trials if t.solve is not None]
    for phase in ("fit", "bind", "solve", "report"):
        assert np.allclose(line(ax, phase)[1], np.maximum([s[phase] for s in asked], 1e-6))
        total = sum(s[phase] for s in asked)
        assert any(text.startswith(f"{phase}  {duration(total)}") for text in legend(ax))
    assert len(line(ax, "evaluation")[0]) == len([t for t in mixed.trials if t.seconds is not None])
    assert ax.get_yscale() == "log"


def test_many_evaluations_are_means_of_neighbours():
    seconds = np.arange(1000.0)
    seconds[7] = np.nan
    places, means = thinned(seconds)
    assert len(places) <= DRAWN
    assert places[0] == 4.0
    assert means[0] == pytest.approx(3.0)
    assert means[1] == pytest.approx(np.mean([8, 9, 10, 11, 12, 13]))
    assert means[-1] == pytest.approx(np.mean(seconds[994:]))


def test_a_result_that_knows_no_time_says_why():
    opt = sf.Optimizer([(0.0, 1.0)], seed=0)
    opt.tell([0.5], 1.0)
    with pytest.raises(ValueError, match="the result has neither"):
        sf.plot.time(opt.result())
