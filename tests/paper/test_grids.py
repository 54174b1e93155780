"""The grids of a run, drawn again from its record."""

import math
from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.paper import fill as grids
from suffice.paper.fill import fill_bracket, grid_fills, redrawn
from suffice.solvers import Grid

BOX = [(0.0, 2.0), (-1.0, 1.0)]


def bowl(x):
    return float(((np.asarray(x) - 0.3) ** 2).sum())


class Spy:
    """A rule for candidates that remembers what it proposed."""

    def __init__(self, rule):
        self.rule, self.seen = rule, []

    def __call__(self, n, domain, *, design, rng):
        X = self.rule(n, domain, design=design, rng=rng)
        self.seen.append(X)
        return X


def run(candidates=sf.candidates.uniform, n=9, **options):
    quick = {"acquisition": sf.UCB(), "solver": Grid(candidates=candidates, size=sf.solvers.Linear(50))} | options
    return sf.minimize(bowl, BOX, n, seed=3, n_initial=4, **quick)


def asked(result):
    return [trial for trial in result.trials if trial.solve is not None]


@pytest.mark.parametrize(
    "rule", [sf.candidates.uniform, sf.candidates.sobol, sf.candidates.local], ids=["uniform", "sobol", "local"]
)
def test_a_grid_drawn_again_is_the_grid_that_the_solver_saw(rule):
    spy = Spy(rule)
    result = run(spy)
    plain = sf.Result(
        result, settings=replace(result.settings, solver=Grid(candidates=rule, size=sf.solvers.Linear(50)))
    )
    for trial, X in zip(asked(result), list(spy.seen), strict=True):
        assert np.array_equal(redrawn(plain, trial), X)


def test_the_fill_distances_are_those_of_the_grids(tmp_path):
    result = run()
    found = grid_fills(result)
    assert found.exact
    assert found.notes == ()
    by_hand = [fill_bracket(redrawn(result, trial), np.random.default_rng(0)).lower for trial in asked(result)]
    assert found.fills == pytest.approx(by_hand, rel=1e-6)
    assert found.sizes.tolist() == [50.0, 100.0, 150.0, 200.0, 250.0]
    assert found.growth == 50.0
    assert f"{by_hand[0]:.3g} at step 1 (50 points)" in str(found)
    result.save(tmp_path / "run.json")
    assert np.array_equal(grid_fills(sf.load(tmp_path / "run.json")).fills, found.fills)


def test_a_finite_space_that_was_enumerated_has_no_holes():
    words = {"acquisition": sf.UCB(), "solver": Grid(), "seed": 0, "n_initial": 4}
    result = sf.minimize(lambda point: (point["k"] - 7.0) ** 2, {"k": sf.Int(1, 20)}, 7, **words)
    assert grid_fills(result).fills.tolist() == [0.0, 0.0, 0.0]


def test_a_grid_without_the_suggested_point_is_not_that_grid():
    result = run(solver=Grid(size=sf.solvers.Linear(50), near=False))
    other = sf.Result(result, settings=replace(result.settings, seed=4))
    found = grid_fills(other)
    assert np.all(found.fills == math.inf)
    assert "5 grids do not contain the suggested point" in found.notes[0]
    assert str(found) == "no fill distance is known"


def test_of_a_long_run_some_grids_are_measured_and_that_is_said(monkeypatch):
    monkeypatch.setattr(grids, "MOST_STEPS", 3)
    found = grid_fills(run())
    assert np.isfinite(found.fills).tolist() == [True, False, True, False, True]
    assert "3 of 5 grids were measured" in found.notes[0]


def test_other_solvers_have_no_grids():
    with pytest.raises(TypeError, match="Grid"):
        grid_fills(run(solver=sf.solvers.Adaptive(), n=5))
