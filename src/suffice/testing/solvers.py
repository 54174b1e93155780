"""What every solver promises to an optimizer, a report and an audit."""

import math
import time

import numpy as np
import pytest

from suffice.space import UnitCube
from suffice.testing.fakes import (
    CONDITIONAL,
    CONSTRAINED,
    FINITE,
    MIXED,
    POINTS,
    Counted,
    HalfKnown,
    Peak,
    ValuesOnly,
    assert_frozen,
    assert_travels,
    peak_in,
)
from suffice.types import Array, Domain, Score, Solution, Solver, Step, smooth_columns


def solve(
    solver: Solver, alpha: Score, domain: Domain, *, t: int = 5, seed: int = 0, deadline: float | None = None
) -> Solution:
    """Solve once, with a stream of its own.

    Parameters
    ----------
    solver : Solver
        Who solves.
    alpha : Score
        What is maximized.
    domain : Domain
        Over which set.
    t : int, default: 5
        The step.
    seed : int, default: 0
        Of the stream.
    deadline : float or None, default: None
        The time, on the clock of time.monotonic, at which the solver has to be done.

    Returns
    -------
    Solution
        The best point and the facts of the search.
    """
    step = Step(t, domain.sample(3, np.random.default_rng(1)), deadline=deadline)
    return solver(alpha, domain, step=step, rng=np.random.default_rng(seed))


class SolverContract:
    """The contract of a solver, which optimizers, reports and audits rely on.

    A subclass has the fixture `solver`; a solver that holds others overrides the fixture `records` as well.
    """

    DOMAINS = pytest.mark.parametrize(
        "domain",
        [UnitCube(0), UnitCube(1), UnitCube(2), UnitCube(8), MIXED, FINITE, POINTS, CONDITIONAL, CONSTRAINED],
        ids=[
            *("no column", "one column", "two columns", "eight columns", "mixed", "finite", "set of points"),
            *("conditional", "constrained"),
        ],
    )

    @pytest.fixture
    def solver(self) -> Solver:
        raise NotImplementedError("override the fixture `solver` with one that returns the solver to test")

    @pytest.fixture
    def records(self) -> int:
        """Rows that may re-evaluate a winner: one, and one more for each solver that the solver holds."""
        return 1

    @DOMAINS
    def test_the_same_stream_gives_the_same_answer_bit_for_bit(self, solver: Solver, domain: Domain) -> None:
        first, again = (solve(solver, peak_in(domain), domain) for _ in range(2))
        assert np.array_equal(first.x, again.x)
        assert (first.value, first.n_evals, first.n_grads) == (again.value, again.n_evals, again.n_grads)

    @DOMAINS
    def test_the_value_is_the_score_of_the_point(self, solver: Solver, domain: Domain) -> None:
        alpha = peak_in(domain)
        solution = solve(solver, alpha, domain)
        assert solution.value == alpha(solution.x[None])[0]

    @DOMAINS
    @pytest.mark.parametrize("outside", [-0.3, 1.3])
    def test_the_point_is_a_member_of_the_domain(self, solver: Solver, domain: Domain, outside: float) -> None:
        solution = solve(solver, Peak(np.full(domain.dim, outside)), domain)
        assert solution.x.shape == (domain.dim,)
        assert domain.contains(solution.x[None]).all()

    @DOMAINS
    def test_every_row_is_counted_once(self, solver: Solver, domain: Domain, records: int) -> None:
        alpha = Counted(peak_in(domain))
        solution = solve(solver, alpha, domain)
        price = int(np.count_nonzero(smooth_columns(domain))) + 1
        assert solution.n_grads == alpha.grads
        uncounted = alpha.values + price * alpha.grads - solution.n_evals
        assert 1 <= uncounted <= records

    @DOMAINS
    def test_the_facts_about_the_draws_are_true(self, solver: Solver, domain: Domain) -> None:
        alpha = peak_in(domain)
        draws = solve(solver, alpha, domain).draws
        if draws is None:
            pytest.skip("this solver does not say what it drew")
        assert np.array_equal(draws.values, alpha(draws.points))
        assert np.all(np.diff(draws.values) <= 0)
        assert len(draws.points) <= draws.n
        assert domain.contains(draws.points).all()

    @pytest.mark.parametrize("corner", [0.0, 0.35, 0.8])
    @pytest.mark.parametrize(("dim", "within"), [(1, 0.02), (2, 0.1)])
    def test_the_answer_moves_with_the_peak(self, solver: Solver, dim: int, within: float, corner: float) -> None:
        top: Array = corner + 0.2 * np.arange(dim, dtype=np.float64)
        assert np.max(np.abs(solve(solver, Peak(top), UnitCube(dim)).x - top)) <= within

    @pytest.mark.parametrize("domain", [UnitCube(8), MIXED], ids=["eight columns", "mixed"])
    def test_the_answer_is_better_than_random(self, solver: Solver, domain: Domain) -> None:
        alpha = peak_in(domain)
        draws = alpha(domain.sample(10_000, np.random.default_rng(3)))
        assert solve(solver, alpha, domain).value >= np.quantile(draws, 0.95)

    @pytest.mark.parametrize("power", [-30, 30])
    def test_the_units_of_the_score_do_not_matter(self, solver: Solver, power: int) -> None:
        top = np.array([0.3, 0.7, 0.55])
        plain = solve(solver, Peak(top), UnitCube(3))
        scaled = solve(solver, Peak(top, scale=2.0**power), UnitCube(3))  # 1e-9 and 1e9, without rounding
        assert scaled.x == pytest.approx(plain.x, abs=1e-6)

    def test_the_level_of_the_score_does_not_matter(self, solver: Solver) -> None:
        top = np.array([0.3, 0.7, 0.55])
        plain, lifted = (solve(solver, Peak(top, height=height), UnitCube(3)) for height in (0.0, 1e3))
        # Values near 1e3 are known to 1e-13, and a quadratic peak to the square root of that.
        assert lifted.x == pytest.approx(plain.x, abs=1e-4)

    @pytest.mark.parametrize("domain", [UnitCube(2), MIXED], ids=["cube", "mixed"])
    def test_a_score_without_a_gradient_is_solved(self, solver: Solver, domain: Domain) -> None:
        alpha = ValuesOnly(peak_in(domain))
        solution = solve(solver, alpha, domain)
        assert solution.n_grads == 0
        assert solution.value == alpha(solution.x[None])[0]
        assert solution.value >= np.quantile(alpha(domain.sample(10_000, np.random.default_rng(3))), 0.95)

    @pytest.mark.parametrize("top", [0.2, 0.9])  # the peak itself has no value, or has one
    def test_a_point_without_a_value_is_never_chosen(self, solver: Solver, top: float) -> None:
        alpha = HalfKnown(Peak(np.full(2, top)))
        solution = solve(solver, alpha, UnitCube(2))
        assert solution.value == alpha(solution.x[None])[0]  # a NaN would not equal itself
        draws = alpha(np.random.default_rng(3).random((10_000, 2)))
        assert solution.value >= np.nanquantile(draws, 0.95)

    def test_a_score_without_any_value_still_gets_a_member(self, solver: Solver) -> None:
        solution = solve(solver, HalfKnown(Peak(np.full(2, np.nan))), UnitCube(2))
        assert UnitCube(2).contains(solution.x[None]).all()

    def test_a_flat_score_gets_a_member(self, solver: Solver) -> None:
        solution = solve(solver, Peak(np.full(2, 0.5), scale=0.0, height=1.0), UnitCube(2))
        assert solution.value == 0.0
        assert UnitCube(2).contains(solution.x[None]).all()

    def test_a_small_finite_domain_is_solved_exactly(self, solver: Solver) -> None:
        alpha = peak_in(FINITE)
        assert solve(solver, alpha, FINITE).value == np.max(alpha(FINITE.enumerate()))

    @DOMAINS
    def test_a_deadline_that_has_passed_still_gets_a_point_and_its_value(self, solver: Solver, domain: Domain) -> None:
        alpha = ValuesOnly(peak_in(domain))
        solution = solve(solver, alpha, domain, deadline=time.monotonic())
        assert solution.value == alpha(solution.x[None])[0]
        assert np.array_equal(domain.snap(solution.x[None])[0], solution.x)

    @DOMAINS
    def test_a_deadline_far_away_changes_nothing(self, solver: Solver, domain: Domain) -> None:
        hurried, calm = (solve(solver, peak_in(domain), domain, deadline=deadline) for deadline in (math.inf, None))
        assert hurried.x == pytest.approx(calm.x, abs=1e-9)  # a batch may round differently
        assert (hurried.n_evals, hurried.status) == (calm.n_evals, calm.status)

    def test_a_solver_is_a_value(self, solver: Solver) -> None:
        assert_travels(solver)
        assert_frozen(solver)
