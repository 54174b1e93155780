"""Peaks beside the best observed points and at seeds, too narrow for any draw, are found by every solver."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.solvers import CG, LBFGSB, Adaptive, Exhaustive, Fixed, Grid, NelderMead, Polished
from suffice.solvers.record import (
    APART,
    CELLS,
    CENTRES,
    FEET,
    KNOWN,
    NEAR,
    SEEDS,
    across,
    apart,
    in_cells,
    surroundings,
)
from suffice.space import Choice, Float, Int, PointSet, Space, UnitCube, sliced
from suffice.testing import Counted, peak_in
from suffice.types import Array, Score, Step, smooth_columns

SOLVERS = {
    "enough": Adaptive(),
    "lbfgsb": LBFGSB(),
    "cg": CG(),
    "nelder_mead": NelderMead(),
    "polished": Polished(),
    "grid": Grid(),
    "heavy": Exhaustive(draws=2000, near=300, starts=10),
}
each_solver = pytest.mark.parametrize("name", SOLVERS)
AT = np.array([0.31, 0.72, 0.55, 0.18])


@dataclass(frozen=True)
class Needle(Score):
    """A broad hill of height 1 around 0.6 and a needle of height 5, a hundredth wide, with or without seeds."""

    at: Array
    own: Array | None = None
    length: float = 0.01
    smooth = True

    @property
    def seeds(self):
        return self.own

    def __call__(self, X):
        return self.value_and_grad(X)[0]

    def value_and_grad(self, X):
        D, E = X - self.at, X - 0.6
        needle = 5.0 * np.exp(-0.5 * (D**2).sum(axis=1) / self.length**2)
        hill = np.exp(-2.0 * (E**2).sum(axis=1))
        gradient = -needle[:, None] * D / self.length**2 - 4.0 * hill[:, None] * E
        return needle + hill, gradient


def solved(solver, alpha, design, dim=4, seed=0):
    return solver(alpha, UnitCube(dim), step=Step(3, design), rng=np.random.default_rng(seed))


# ------------------------------------------------------------------ solvers


@each_solver
def test_a_needle_beside_the_incumbent_is_found_though_no_draw_is_on_it(name):
    design = np.vstack([AT + 0.008, np.random.default_rng(1).random((5, 4))])
    solution = solved(SOLVERS[name], Needle(AT), design)
    assert solution.draws.values[0] < 1.1
    # A grid does not climb: it has the best of the draws around the incumbent.
    assert solution.value >= (2.0 if name == "grid" else 5.0)


@dataclass(frozen=True)
class Ridge(Needle):
    """The needle stretched along the last column, twice as high at 0 as at 1."""

    def value_and_grad(self, X):
        flat = np.where(np.arange(X.shape[1]) == X.shape[1] - 1, self.at, X)
        value, gradient = Needle(self.at, None, self.length).value_and_grad(flat)
        factor = 1.0 - 0.5 * X[:, -1]
        gradient = gradient * factor[:, None]
        gradient[:, -1] = -0.5 * value
        return value * factor, gradient


@each_solver
def test_the_far_end_of_a_ridge_along_a_column_with_little_effect_is_found(name):
    at = np.append(AT, 1.0)
    design = np.vstack([at + np.array([0.008, 0.008, -0.008, 0.008, 0.0]), np.random.default_rng(1).random((5, 5))])
    alpha = Ridge(at)
    solution = solved(SOLVERS[name], alpha, design, dim=5)
    end = float(alpha(np.append(AT, 0.0)[None])[0])
    assert solution.value >= (0.25 if name == "grid" else 0.99) * end


@each_solver
def test_a_needle_at_a_seed_is_found_before_anything_was_observed(name):
    seeds = np.vstack([np.random.default_rng(1).random((4, 4)), AT - 0.008])
    solution = solved(SOLVERS[name], Needle(AT, seeds), np.empty((0, 4)))
    assert solution.value >= (2.0 if name == "grid" else 5.0)


@each_solver
def test_without_an_incumbent_and_seeds_nobody_finds_it(name):
    assert solved(SOLVERS[name], Needle(AT), np.empty((0, 4))).value < 1.1


def test_the_papers_grid_does_not_look_around():
    design = AT[None] + 0.008
    assert solved(Grid(near=False), Needle(AT), design).value < 1.1
    assert solved(LBFGSB(screen=0), Needle(AT), design).value < 1.1


MIXED = Space(x=Float(0, 1), n=Int(1, 30), c=Choice(*"abcdefgh"), m=Int(1, 1000))


@pytest.mark.parametrize("name", ["enough", "lbfgsb", "polished", "heavy"])
def test_a_cell_beside_that_of_the_incumbent_is_found_among_many(name):
    # 240 000 cells: no draw is in the right one, and the incumbent differs from it in the choice and in one integer.
    best = MIXED.to_unit({"x": 0.3, "n": 17, "c": "f", "m": 640})

    def alpha(X):
        away = np.abs(X - best)
        cell = (away[:, 1:] == 0.0).all(axis=1)
        wrong = np.stack([away[:, 1], away[:, 2:10].max(axis=1), away[:, 10]]) > 0
        return 2.0 * cell - 0.3 * wrong.sum(axis=0) - away[:, 0] ** 2

    incumbent = MIXED.to_unit({"x": 0.35, "n": 16, "c": "b", "m": 640})
    step = Step(9, incumbent[None])
    solution = SOLVERS[name](alpha, MIXED, step=step, rng=np.random.default_rng(0))
    assert solution.value == pytest.approx(2.0, abs=1e-4)
    assert MIXED.from_unit(solution.x) | {"x": 0.0} == {"x": 0.0, "n": 17, "c": "f", "m": 640}


@each_solver
def test_on_a_set_of_points_the_answer_is_one_of_them_though_the_observed_ones_are_not(name):
    points = np.random.default_rng(0).random((30_000, 2))
    worth = {tuple(x): value for x, value in zip(points, np.random.default_rng(1).random(30_000), strict=True)}

    def alpha(X):
        return np.array([worth.get(tuple(x), -np.inf) for x in X])

    domain, design = PointSet(points), np.random.default_rng(2).random((5, 2))
    solution = SOLVERS[name](alpha, domain, step=Step(3, design), rng=np.random.default_rng(0))
    assert domain.contains(solution.x[None]).all()
    assert solution.value == worth[tuple(solution.x)] >= solution.draws.values[0]


# ------------------------------------------------------------------ the starts themselves


def test_there_is_nothing_to_start_from_before_anything_was_observed():
    alpha = Counted(peak_in(UnitCube(2)))
    points, work = surroundings(alpha, UnitCube(2), Step(1, np.empty((0, 2))), np.random.default_rng(0))
    assert (points.shape, work.values, alpha.values) == ((0, 2), 0, 0)


@pytest.mark.parametrize("domain", [UnitCube(3), MIXED], ids=["cube", "mixed"])
def test_starts_are_members_the_centres_are_among_them_and_every_row_is_counted(domain):
    alpha = Counted(peak_in(domain))
    design = domain.sample(10, np.random.default_rng(1))
    points, work = surroundings(alpha, domain, Step(5, design), np.random.default_rng(0))
    assert domain.contains(points).all()
    centres = design[apart(design, CENTRES, APART)]
    assert np.array_equal(points[:KNOWN], centres[:KNOWN])
    assert len(points) == KNOWN + FEET
    groups = len(centres) + (CELLS if domain is MIXED else 0) + 1
    assert (work.values, work.grads) == (alpha.values, alpha.grads) == (groups * NEAR, 0)


def test_some_draws_have_the_integers_and_options_of_the_best_observed_points():
    X = MIXED.sample(3, np.random.default_rng(1))
    lattice = ~smooth_columns(MIXED)
    for x, draws in zip(X, in_cells(X, MIXED, np.random.default_rng(0)), strict=True):
        assert MIXED.contains(draws).all()
        assert (draws[:, lattice] == x[lattice]).all()
        assert len(np.unique(draws, axis=0)) == NEAR
    assert in_cells(X, UnitCube(X.shape[1]), np.random.default_rng(0)) == []


@pytest.mark.parametrize("domain", [UnitCube(3), UnitCube(40), MIXED], ids=["cube", "many", "mixed"])
def test_some_starts_lie_across_the_cube_in_one_smooth_column(domain):
    X = domain.sample(3, np.random.default_rng(1))
    for x, rows in zip(X, across(X, domain, np.random.default_rng(0)), strict=True):
        assert domain.contains(rows).all()
        moved = rows != x
        assert not moved[:, ~smooth_columns(domain)].any()
        assert (moved.sum(axis=1) == 1).all()
        assert np.isin(rows[moved], [0.0, 1.0]).all()


def test_of_many_seeds_the_highest_are_started_from():
    seeds = np.random.default_rng(0).random((40, 4))
    alpha = Needle(AT, seeds)
    points, work = surroundings(alpha, UnitCube(4), Step(1, np.empty((0, 4))), np.random.default_rng(0))
    highest = seeds[np.argsort(-alpha(seeds))[:SEEDS]]
    assert np.array_equal(points[:SEEDS], highest)
    assert len(points) == 2 * SEEDS
    assert work.values >= SEEDS * NEAR


@given(st.integers(0, 60), st.integers(1, 5), st.integers(0, 10**6))
def test_centres_are_the_best_points_that_lie_apart(n, k, seed):
    design = np.random.default_rng(seed).random((n, 2)) * 0.3  # crowded, so that some are close
    chosen = design[apart(design, k, APART)]
    assert len(chosen) <= k
    if n:
        assert np.array_equal(chosen[0], design[0])
    for i, x in enumerate(chosen):
        assert all(np.abs(x - other).max() > APART for other in chosen[:i])
    # By hand, one after the other: a point that is close to a better centre is none.
    by_hand: list = []
    for x in design:
        if len(by_hand) < k and all(np.abs(x - other).max() > APART for other in by_hand):
            by_hand.append(x)
    assert np.array_equal(chosen, np.array(by_hand).reshape(-1, 2))


def test_a_grid_of_one_point_still_looks_around_the_incumbent():
    solution = solved(Grid(size=Fixed(1)), Needle(AT), AT[None])
    assert solution.value >= 5.0
    assert solution.n_evals > 1


@each_solver
def test_observed_points_beside_a_slice_are_no_answer_in_it(name):
    """They score higher than anything in the slice, of which they are no members."""
    space = Space(x=Float(0.0, 1.0), y=Float(0.0, 1.0), where=lambda p: p["x"] + p["y"] <= 1.0)
    domain = sliced(space, {"x": 0.8})
    step = Step(t=2, design=np.array([[0.0, 1.0], [0.1, 0.8]]))
    solution = SOLVERS[name](lambda X: X[:, 1], domain, step=step, rng=np.random.default_rng(0))
    assert domain.contains(solution.x[None])[0]
    assert solution.value <= 0.2
