import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binomtest, chisquare

from suffice.candidates import sobol
from suffice.paper.recipes import RECIPES, Differences, PerColumn, Recipe, TrustRegion, best, boltzmann, roulette
from suffice.solvers import SOLVERS, Fixed, Grid, Linear, Polished
from suffice.solvers.search.hills import WAY
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.testing import SolverContract
from suffice.types import Score, Solver, Status, Step

MIXED = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0.0, 1.0))
COARSE = ("lagp", "turbo")
FALSE_ALARM = 1e-4  # of each statistical test, had its stream not been fixed


def solve(solver, alpha, domain, *, t=7, seed=0, design=None):
    design = np.zeros((0, domain.dim)) if design is None else design
    return solver(alpha, domain, step=Step(t, design), rng=np.random.default_rng(seed))


# ---------------------------------------------------------------------- contracts


@dataclass(frozen=True)
class At:
    """A solver that believes to be at step t."""

    t: int
    solver: Solver

    def __call__(self, alpha, domain, *, step, rng):
        return self.solver(alpha, domain, step=replace(step, t=self.t), rng=rng)


class TestRecipes(SolverContract):
    @pytest.fixture(params=RECIPES)
    def solver(self, request):
        solver = RECIPES[request.param]()
        if request.param == "lagp":  # a thousand candidates at step 1000
            return At(1000, solver)
        if request.param == "turbo":  # a box that covers the cube from anywhere
            return replace(solver, candidates=TrustRegion(side=2.0))
        return solver


class TestCoarseRecipes(SolverContract):
    """As they are: t candidates, or a box around the incumbent that need not hold the peak. The rest is kept."""

    @pytest.fixture(params=COARSE)
    def solver(self, request):
        return RECIPES[request.param]()

    test_the_answer_moves_with_the_peak = None
    test_the_answer_is_better_than_random = None
    test_a_score_without_a_gradient_is_solved = None
    test_a_point_without_a_value_is_never_chosen = None
    test_a_small_finite_domain_is_solved_exactly = None


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_a_value_that_names_its_source(name):
    recipe = RECIPES[name]()
    assert pickle.loads(pickle.dumps(recipe)) == recipe == RECIPES[name]()
    assert recipe.source.startswith("as in ")
    with pytest.raises(FrozenInstanceError):
        recipe.size = Fixed(1)


def test_recipes_are_no_solvers_of_the_front_door():
    assert not set(RECIPES) & set(SOLVERS)


# ---------------------------------------------------------------------- sizes

# recipe, t, d, candidates, local runs (None: no second stage)
TABLE = [
    ("paper", 1, 2, 100, None),
    ("paper", 7, 5, 700, None),
    ("lagp", 7, 3, 7, None),
    ("turbo", 7, 3, 300, None),
    ("turbo", 7, 60, 5000, None),
    ("baybe", 7, 3, 64, 10),
    ("botorch", 7, 3, 512, 10),
    ("ax", 7, 3, 1024, 20),
    ("optuna", 7, 3, 2048, 10),
    ("trieste", 7, 2, 5000, 20),
    ("trieste", 7, 6, 6000, 60),
    ("skopt", 7, 3, 10_000, 5),
    ("bayes_opt", 7, 3, 10_000, 10),
]


def test_every_recipe_is_in_the_table():
    assert {row[0] for row in TABLE} == set(RECIPES)


@pytest.mark.parametrize(("name", "t", "dim", "n", "m"), TABLE)
def test_the_sizes_are_the_published_ones(scores, name, t, dim, n, m):
    alpha = scores.Quadratic(np.eye(dim), np.full(dim, 0.4))
    solution = solve(RECIPES[name](), alpha, UnitCube(dim), t=t, design=np.full((1, dim), 0.5))
    assert solution.draws.n == n
    assert (None if solution.starts is None else solution.starts.m) == m
    assert solution.n_evals >= n
    assert (solution.n_evals == n) == (m is None)


@given(t=st.integers(1, 1000), dim=st.integers(1, 200), c=st.integers(1, 1000))
def test_a_size_per_column_lies_between_its_limits(t, dim, c):
    assert PerColumn(c)(t, dim) == min(c * dim, 100_000)
    assert PerColumn(c, most=500)(t, dim) == min(c * dim, 500)
    assert PerColumn(c, least=500)(t, dim) == min(max(c * dim, 500), 100_000)


@pytest.mark.parametrize("wrong", [{"c": 0}, {"c": 5, "least": 0}, {"c": 5, "least": 10, "most": 9}])
def test_a_size_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="PerColumn got"):
        PerColumn(**wrong)


def test_settings_that_make_no_search_are_refused():
    with pytest.raises(ValueError, match="max_iter must be a whole number ≥ 1: got 0"):
        Recipe("as in nothing", max_iter=0)
    with pytest.raises(ValueError, match="side=0"):
        TrustRegion(side=0.0)


def test_runs_are_as_long_as_the_recipe_allows(scores):
    solution = solve(RECIPES["skopt"](), scores.Rosenbrock(), UnitCube(6))
    assert solution.status is Status.BUDGET
    assert solution.n_grads <= 5 * (1 + 20)
    longer = solve(replace(RECIPES["skopt"](), max_iter=2000), scores.Rosenbrock(), UnitCube(6))
    assert longer.value > solution.value
    assert longer.status is Status.DONE


# ---------------------------------------------------------------------- two ways, one answer


GRID = Grid(near=False, size=Linear(100))
POLISHED = Polished(Grid(near=False, size=Fixed(10_000)), starts=5, max_iter=20)


@pytest.mark.parametrize(
    ("name", "solver", "domain"),
    [
        ("paper", GRID, UnitCube(3)),
        ("paper", GRID, MIXED),
        ("skopt", POLISHED, UnitCube(3)),  # among cells ours exchanges options, which skopt does not
    ],
    ids=["paper-cube", "paper-mixed", "skopt-cube"],
)
def test_a_recipe_that_our_solvers_can_say_is_that_solver(scores, name, solver, domain):
    alpha = scores.Bumps.random(domain.dim, np.random.default_rng(4))
    recipe, ours = solve(RECIPES[name](), alpha, domain), solve(solver, alpha, domain)
    assert np.array_equal(recipe.x, ours.x)
    assert (recipe.value, recipe.n_evals, recipe.n_grads) == (ours.value, ours.n_evals, ours.n_grads)
    assert np.array_equal(recipe.draws.values, ours.draws.values)
    assert recipe.draws.median == ours.draws.median
    assert recipe.starts == ours.starts


def test_the_second_stage_never_returns_less_than_the_first(scores):
    for name, seed in ((name, seed) for name in RECIPES for seed in range(5)):
        alpha = scores.Bumps.random(3, np.random.default_rng(seed))
        solution = solve(RECIPES[name](), alpha, UnitCube(3), seed=seed)
        assert solution.value >= solution.draws.values[0] - 1e-12  # a batch may round differently


@pytest.mark.parametrize("domain", [UnitCube(1), UnitCube(4), MIXED], ids=["d=1", "d=4", "mixed"])
def test_differences_agree_with_the_gradient_inside_and_on_every_face(scores, domain):
    alpha = scores.Bumps.random(domain.dim, np.random.default_rng(0))
    X = domain.sample(30, np.random.default_rng(1))
    smooth = np.repeat([c.smooth for c in domain.coordinates], [c.stop - c.start for c in domain.coordinates])
    X[:10, smooth], X[10:20, smooth] = np.round(X[:10, smooth]), 1.0
    asked = []
    values, gradients = Differences(lambda Z: asked.append(Z) or alpha(Z), smooth).value_and_grad(X)
    exact_values, exact = alpha.value_and_grad(X)
    assert values == pytest.approx(exact_values, rel=1e-14)
    # Rounding 1e-16 / 1e-8 and curvature (up to 12 bumps of 1.5 / 0.2²) · 1e-8, with room.
    assert gradients[:, smooth] == pytest.approx(exact[:, smooth], abs=2e-6)
    assert not gradients[:, ~smooth].any()
    assert len(asked[0]) == len(X) * (1 + smooth.sum())
    assert 0.0 <= asked[0].min() <= asked[0].max() <= 1.0


def test_gradients_by_differences_find_the_same_maximum_and_cost_value_rows(scores):
    alpha = scores.Bumps.random(3, np.random.default_rng(2))
    recipe = RECIPES["bayes_opt"]()
    by_differences, analytic = (solve(replace(recipe, differences=d), alpha, UnitCube(3)) for d in (True, False))
    assert by_differences.x == pytest.approx(analytic.x, abs=1e-4)
    assert by_differences.n_grads == 0
    ways = analytic.n_evals - 10_000 - 4 * analytic.n_grads  # between the ends of runs, to count the hills
    assert 0 <= ways < 10 * 10 * sum(map(len, WAY))  # none where all ends meet
    assert by_differences.starts == analytic.starts
    assert (by_differences.n_evals - 10_000 - ways) % 4 == 0


# ---------------------------------------------------------------------- the choice of starts

VALUES = np.array([0.3, 1.0, -0.5, 0.8, 0.1])
OTHERS = [0, 2, 3, 4]  # all but the best
DRAWS = 6000


def in_order(weights, first, second):
    """The probability of drawing `first` and then `second` without replacement."""
    total = sum(weights.values())
    return weights[first] / total * weights[second] / (total - weights[first])


def test_boltzmann_draws_by_standardised_values():
    Z = (VALUES - VALUES.mean()) / VALUES.std(ddof=1)
    rng = np.random.default_rng(0)
    rows = np.array([boltzmann(VALUES, 3, rng) for _ in range(DRAWS)])
    weights = dict(enumerate(np.exp(Z)))
    pairs = list(permutations(range(5), 2))  # the first two are draws; the third may have been replaced by the best
    counts = [np.count_nonzero((rows[:, :2] == pair).all(axis=1)) for pair in pairs]
    assert chisquare(counts, DRAWS * np.array([in_order(weights, *pair) for pair in pairs])).pvalue > FALSE_ALARM


def test_roulette_draws_by_the_exponential_of_the_value_after_the_best():
    rng = np.random.default_rng(0)
    rows = np.array([roulette(VALUES, 3, rng) for _ in range(DRAWS)])
    assert np.all(rows[:, 0] == 1)
    weights = {i: np.exp(VALUES[i] - VALUES[1]) for i in OTHERS}
    pairs = list(permutations(OTHERS, 2))
    counts = [np.count_nonzero((rows[:, 1:] == pair).all(axis=1)) for pair in pairs]
    assert chisquare(counts, DRAWS * np.array([in_order(weights, *pair) for pair in pairs])).pvalue > FALSE_ALARM


def test_boltzmann_on_a_flat_score_draws_evenly():
    rng = np.random.default_rng(1)
    first = [boltzmann(np.ones(8), 2, rng)[0] for _ in range(2000)]
    assert chisquare(np.bincount(first, minlength=8)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("choice", [best, boltzmann, roulette])
@given(
    values=arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e9, 1e9) | st.just(np.nan)),
    m=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_the_best_is_a_start_and_a_point_without_a_value_is_the_last_resort(choice, values, m, seed):
    rows = choice(values, m, np.random.default_rng(seed))
    assert len(set(rows.tolist())) == len(rows) == min(m, len(values))
    known = np.isfinite(values)
    if known.any():
        assert np.nanmax(values) in values[rows]
    assert np.count_nonzero(known[rows]) == min(len(rows), np.count_nonzero(known))


def test_boltzmann_does_not_depend_on_units_or_level_and_roulette_not_on_level():
    values = np.random.default_rng(0).standard_normal(200)
    for seed in range(20):
        rows = [boltzmann(v, 10, np.random.default_rng(seed)) for v in (values, 2.0**40 * values, values + 3.0)]
        assert np.array_equal(rows[0], rows[1])
        assert np.array_equal(rows[0], rows[2])
        rows = [roulette(v, 10, np.random.default_rng(seed)) for v in (values, values + 3.0)]
        assert np.array_equal(*rows)


def test_roulette_becomes_greedy_when_the_units_grow():
    values = np.random.default_rng(0).standard_normal(50)
    assert np.array_equal(roulette(1e6 * values, 10, np.random.default_rng(1)), np.argsort(-values)[:10])


@dataclass(frozen=True)
class Spike(Score):
    """max(0, 1 − |x − c|²/r²): flat, without any slope, but near c."""

    c: np.ndarray
    r: float
    smooth = True

    def __call__(self, X):
        return self.value_and_grad(X)[0]

    def value_and_grad(self, X):
        D = X - self.c
        values = 1.0 - (D**2).sum(axis=1) / self.r**2
        return np.maximum(values, 0.0), np.where(values[:, None] > 0.0, -2.0 * D / self.r**2, 0.0)


def test_the_incumbent_is_a_start_where_the_recipe_says_so():
    incumbent = np.full(6, 0.31)
    spike = Spike(incumbent + 0.01, 0.05)  # a ball of volume 8e-8, which 2048 draws miss
    optuna = RECIPES["optuna"]()
    warm, cold = (
        solve(replace(optuna, incumbent=i), spike, UnitCube(6), design=incumbent[None]) for i in (True, False)
    )
    assert warm.value == pytest.approx(1.0)
    assert cold.value == 0.0
    assert warm.starts.m == cold.starts.m == 10


# ---------------------------------------------------------------------- the trust region


def region(n, domain, x, side=0.8, seed=0):
    return TrustRegion(side)(n, domain, design=x[None], rng=np.random.default_rng(seed))


def test_candidates_of_a_trust_region_fill_the_box_around_the_incumbent():
    x = np.array([0.1, 0.5, 0.95])
    X = region(4096, UnitCube(3), x, side=0.4)
    # 4096 scrambled Sobol points have one in each of 4096 equal slices of every column.
    assert X.min(axis=0) == pytest.approx([0.0, 0.3, 0.75], abs=0.4 / 4096)
    assert X.max(axis=0) == pytest.approx([0.3, 0.7, 1.0], abs=0.4 / 4096)


def test_a_trust_region_that_covers_the_cube_is_the_sobol_sequence():
    x = np.full(4, 0.2)
    plain = sobol(100, UnitCube(4), design=x[None], rng=np.random.default_rng(0))
    assert region(100, UnitCube(4), x, side=2.0) == pytest.approx(plain, abs=1e-15)


def test_before_anything_was_observed_the_trust_region_is_the_whole_domain():
    design = np.zeros((0, 2))
    X = TrustRegion()(64, MIXED, design=np.zeros((0, MIXED.dim)), rng=np.random.default_rng(0))
    assert np.array_equal(X, sobol(64, MIXED, design=design, rng=np.random.default_rng(0)))


def test_in_high_dimension_twenty_coordinates_move():
    x = np.full(80, 0.5)
    moved = (region(500, UnitCube(80), x) != x).sum(axis=1)
    assert binomtest(int(moved.sum()), 500 * 80, 0.25).pvalue > FALSE_ALARM


def test_a_trust_region_in_a_mixed_space_reaches_every_level_and_option():
    x = MIXED.sample(1, np.random.default_rng(0))[0]
    X = region(500, MIXED, x)
    assert np.array_equal(MIXED.snap(X), X)
    assert {tuple(row) for row in X[:, 1:5]} == {
        tuple(row) for row in MIXED.sample(500, np.random.default_rng(1))[:, 1:5]
    }
    assert np.all(np.abs(X[:, [0, 5]] - x[[0, 5]]) <= 0.4 + 1e-15)
