"""The imitated searches of other systems have the published sizes and choose their starts as published."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from research.benchmarks.imitations import RECIPES, Differences, TrustRegion, best, boltzmann, roulette
from suffice.solvers import Fixed, Grid, Linear, Polished
from suffice.space import UnitCube
from suffice.testing.fakes import MIXED
from suffice.types import Step

FALSE_ALARM = 1e-4  # of each statistical test, had its stream not been fixed


def solve(solver, alpha, domain, *, t=7, design=None):
    design = np.zeros((0, domain.dim)) if design is None else design
    return solver(alpha, domain, step=Step(t, design), rng=np.random.default_rng(0))


# recipe, t, d, candidates, local runs (None: no second stage)
TABLE = [
    ("paper", 7, 5, 700, None),
    ("lagp", 7, 3, 7, None),
    ("turbo", 7, 3, 300, None),
    ("baybe", 7, 3, 64, 10),
    ("botorch", 7, 3, 512, 10),
    ("ax", 7, 3, 1024, 20),
    ("optuna", 7, 3, 2048, 10),
    ("trieste", 7, 6, 6000, 60),
    ("skopt", 7, 3, 10_000, 5),
    ("bayes_opt", 7, 3, 10_000, 10),
]


def test_the_sizes_are_the_published_ones(scores):
    assert [row[0] for row in TABLE] == list(RECIPES)
    for name, t, dim, n, m in TABLE:
        alpha = scores.Quadratic(np.eye(dim), np.full(dim, 0.4))
        solution = solve(RECIPES[name](), alpha, UnitCube(dim), t=t, design=np.full((1, dim), 0.5))
        assert solution.draws.n == n
        assert (None if solution.starts is None else solution.starts.m) == m
        assert (solution.n_evals == n) == (m is None)
        assert solution.value >= solution.draws.values[0] - 1e-12  # a batch may round differently


@pytest.mark.parametrize(
    ("name", "solver"),
    [
        ("paper", Grid(near=False, size=Linear(100))),
        ("skopt", Polished(Grid(near=False, size=Fixed(10_000)), starts=5, max_iter=20)),
    ],
)
def test_a_recipe_that_our_solvers_can_express_is_that_solver(scores, name, solver):
    alpha = scores.Bumps.random(3, np.random.default_rng(4))
    recipe, ours = solve(RECIPES[name](), alpha, UnitCube(3)), solve(solver, alpha, UnitCube(3))
    assert np.array_equal(recipe.x, ours.x)
    assert (recipe.value, recipe.n_evals, recipe.n_grads) == (ours.value, ours.n_evals, ours.n_grads)


def test_differences_agree_with_the_gradient_inside_and_on_every_face(scores):
    alpha = scores.Bumps.random(4, np.random.default_rng(0))
    X = np.random.default_rng(1).random((30, 4))
    X[:10], X[10:20] = np.round(X[:10]), 1.0
    values, gradients = Differences(alpha, np.ones(4, dtype=bool)).value_and_grad(X)
    exact_values, exact = alpha.value_and_grad(X)
    assert values == pytest.approx(exact_values, rel=1e-14)
    # Rounding 1e-16 / 1e-8 and curvature (up to 12 bumps of 1.5 / 0.2²) · 1e-8, with room.
    assert gradients == pytest.approx(exact, abs=2e-6)


def test_boltzmann_and_roulette_draw_by_their_weights():
    values, draws, rng = np.array([0.3, 1.0, -0.5, 0.8, 0.1]), 6000, np.random.default_rng(0)
    standardized = np.exp((values - values.mean()) / values.std(ddof=1))
    cases = [
        # The first two are draws; the third may have been replaced by the best.
        (boltzmann, slice(0, 2), dict(enumerate(standardized))),
        # The first is the best.
        (roulette, slice(1, 3), {i: np.exp(values[i] - values[1]) for i in (0, 2, 3, 4)}),
    ]
    for choice, drawn, weights in cases:
        rows = np.array([choice(values, 3, rng) for _ in range(draws)])
        assert np.all((rows == 1).any(axis=1))
        total, pairs = sum(weights.values()), list(permutations(weights, 2))
        chances = [weights[i] / total * weights[j] / (total - weights[i]) for i, j in pairs]
        counts = [np.count_nonzero((rows[:, drawn] == pair).all(axis=1)) for pair in pairs]
        assert chisquare(counts, draws * np.array(chances)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("choice", [best, boltzmann, roulette])
def test_a_point_without_a_value_is_the_last_resort(choice):
    values = np.array([np.nan, 2.0, np.nan, -1.0, 0.5])
    for m in (1, 3, 5):
        rows = choice(values, m, np.random.default_rng(m))
        assert len(set(rows.tolist())) == m
        assert 1 in rows
        assert np.isfinite(values[rows]).sum() == min(m, 3)


def test_the_incumbent_is_a_start_where_the_recipe_says_so(scores):
    incumbent = np.full((1, 6), 0.31)
    optuna = RECIPES["optuna"]()
    for is_start in (True, False):
        solver = replace(optuna, incumbent=is_start, size=Fixed(10))
        solution = solve(solver, scores.Quadratic(np.eye(6), incumbent[0]), UnitCube(6), design=incumbent)
        assert solution.starts.m == 10
        assert np.array_equal(solution.x, incumbent[0]) == is_start


def test_a_trust_region_is_a_box_in_which_every_level_and_option_is_reached():
    x = MIXED.sample(1, np.random.default_rng(0))[0]
    X = TrustRegion()(500, MIXED, design=x[None], rng=np.random.default_rng(0))
    assert MIXED.contains(X).all()
    assert {tuple(row) for row in X[:, 1:5]} == {
        tuple(row) for row in MIXED.sample(500, np.random.default_rng(1))[:, 1:5]
    }
    assert np.all(np.abs(X[:, [0, 5]] - x[[0, 5]]) <= 0.4 + 1e-15)
