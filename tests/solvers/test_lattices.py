"""Just enough on discrete and mixed spaces: small ones are enumerated, in larger ones values are exchanged."""

import time
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate
from suffice.solvers import Adaptive
from suffice.space import Choice, Float, Int, Space
from suffice.testing import peak_in, solve
from suffice.types import Array, Score, Status, Step

LATTICE = Space(depth=Int(0, 10**6), width=Int(0, 10**6), loss=Choice("a", "b", "c"))


def estimated(solution, domain):
    return estimate(solution.draws, solution.starts, solution.x, solution.value, domain)


# ------------------------------------------------------------------ lattices


def test_small_finite_spaces_are_enumerated_and_larger_ones_searched():
    small, large = Space(depth=Int(1, 2000)), Space(depth=Int(1, 2001))
    for space, kind in ((small, "enumerated"), (large, "multistart")):
        solution = solve(Adaptive(), peak_in(space), space)
        assert estimated(solution, space).kind == kind
    solution = solve(Adaptive(), peak_in(small), small)
    assert (solution.n_evals, solution.value) == (2000, 0.0)


def test_a_lattice_is_searched_by_draws_and_exchanges():
    alpha = peak_in(LATTICE)
    for seed in (0, 1, 3):  # the peak is the first draw of stream 2
        solution = solve(Adaptive(), alpha, LATTICE, seed=seed)
        assert (solution.n_grads, solution.starts.m > 0) == (0, True)
        assert solution.value > solution.draws.values[0]
        assert solution.value > -1e-9  # of 3e12 points, within a few steps of the best one


def test_in_a_hurry_a_lattice_gets_one_block_of_draws():
    step = Step(5, LATTICE.sample(3, np.random.default_rng(1)), deadline=time.monotonic() - 1.0)
    solution = Adaptive()(peak_in(LATTICE), LATTICE, step=step, rng=np.random.default_rng(0))
    assert (solution.status, solution.draws.n, solution.starts) == (Status.BUDGET, 200, None)


def test_neighbours_without_a_value_do_not_hide_the_others():
    space, edge = Space(depth=Int(0, 10**6)), 0.6

    def alpha(X):
        return np.where(X[:, 0] < edge, X[:, 0], np.nan)

    incumbent = space.snap(np.array([[edge - 1e-5]]))
    solution = Adaptive()(alpha, space, step=Step(5, incumbent), rng=np.random.default_rng(0))
    assert edge - 1e-5 < solution.value < edge


# ------------------------------------------------------------------ mixed spaces


class Cells(Score):
    """One peak in each cell of depth and loss."""

    smooth = True
    space = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0.0, 1.0))

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.tops, self.heights = rng.random((5, 3, 2)), rng.random((5, 3))

    def cell(self, X):
        return np.round(5 * X[:, 1] - 0.5).astype(int), np.argmax(X[:, 2:5], axis=1)

    def __call__(self, X):
        return self.heights[self.cell(X)] - ((X[:, [0, 5]] - self.tops[self.cell(X)]) ** 2).sum(axis=1)

    def value_and_grad(self, X):
        gradient = np.zeros_like(X)
        gradient[:, [0, 5]] = -2 * (X[:, [0, 5]] - self.tops[self.cell(X)])
        return self(X), gradient


def test_a_mixed_space_is_searched_in_every_cell():
    for seed in range(12):
        alpha = Cells(seed)
        solution = solve(Adaptive(), alpha, alpha.space, seed=seed)
        assert solution.value == pytest.approx(alpha.heights.max(), abs=1e-3)


@dataclass(frozen=True)
class Chain(Score):
    """A staircase of cells 0 … 39: the top of each lies a little further on and a little higher than that of the last.

    From where a climb ends in one cell the next cell begins higher, and the one after that lower: only exchange after
    climb after exchange leads to the last one, in which hardly a draw is on the hill.
    """

    smooth = True
    space = Space(x=Float(0, 1), n=Int(0, 39))

    def parts(self, X):
        n = np.round(40 * X[:, 1] - 0.5)
        return n, X[:, 0] - n / 39

    def __call__(self, X):
        n, away = self.parts(X)
        return 0.1 * n - 120.0 * away**2

    def value_and_grad(self, X):
        gradient = np.zeros_like(X)
        gradient[:, 0] = -240.0 * self.parts(X)[1]
        return self(X), gradient


def test_the_cell_to_which_only_exchanges_and_climbs_together_lead_is_found():
    alpha = Chain()
    x = alpha.space.to_unit({"x": 5 / 39, "n": 5})
    one, two = (alpha.space.to_unit({"x": 5 / 39, "n": n}) for n in (6, 7))
    values = alpha(np.stack([x, one, two]))
    assert values[1] > values[0] > values[2]
    incumbent = alpha.space.to_unit({"x": 0.1, "n": 3})
    for seed in range(5):
        step = Step(5, incumbent[None])
        solution = Adaptive()(alpha, alpha.space, step=step, rng=np.random.default_rng(seed))
        assert solution.value == pytest.approx(3.9, abs=1e-3)


@dataclass(frozen=True)
class OneOrder(Score):
    """Higher by one for a single option of a choice, and highest at 0.3 in the last column."""

    place: Array
    smooth = True

    def __call__(self, X):
        return np.all(X[:, :-1] == self.place, axis=1) - (X[:, -1] - 0.3) ** 2

    def value_and_grad(self, X):
        gradient = np.zeros_like(X)
        gradient[:, -1] = -2.0 * (X[:, -1] - 0.3)
        return self(X), gradient


@pytest.mark.parametrize("seed", range(10))
def test_of_options_with_places_every_one_is_tried_where_the_best_point_is(seed):
    orders = tuple(permutations("abcde"))
    space = Space(order=Choice(*orders), x=Float(0, 1))
    alpha = OneOrder(space.to_unit({"order": orders[77], "x": 0.0})[:-1])
    found = solve(Adaptive(draws=16, starts=2), alpha, space, seed=seed)
    assert found.value == pytest.approx(1.0, abs=1e-4)
    assert space.from_unit(found.x)["order"] == orders[77]
