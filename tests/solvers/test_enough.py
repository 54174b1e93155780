"""Just enough: the maximum within the stated risk, an effort that follows the ledger, and clocks that are obeyed.

Statistical tests use fixed streams; each states how often it would fail by chance with another stream.
"""

import math
import time
from dataclasses import dataclass, replace
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate
from suffice.solvers import Enough, polish, record
from suffice.solvers.enough import FLOOR
from suffice.space import Choice, Float, Int, Space, UnitCube, rows
from suffice.testing import Peak, ValuesOnly, peak_in, solve
from suffice.types import Ledger, Score, Status, Step

DEBT, CREDIT = Ledger(inaccuracies=1e6), Ledger(widths=1e6)
SET = Enough(draws=256, starts=14, cap=300)  # what follows from the settings is tested with these


@dataclass(frozen=True)
class Wide(Score):
    """Another score with a constant width, perhaps in other units."""

    score: object
    constant: float = 0.3
    unit: float = 1.0
    smooth = True

    def __call__(self, X):
        return self.unit * self.score(X)

    def value_and_grad(self, X):
        values, gradients = self.score.value_and_grad(X)
        return self.unit * values, self.unit * gradients

    def width(self, X):
        return np.full(len(X), self.unit * self.constant)


@dataclass(frozen=True)
class Slow(Score):
    """Another score that takes a second for each row, by a clock of its own."""

    score: object
    now: list[float]
    smooth = True

    def __call__(self, X):
        self.now[0] += len(X)
        return self.score(X)

    def value_and_grad(self, X):
        self.now[0] += len(X)
        return self.score.value_and_grad(X)

    def width(self, X):
        return self.score.width(X)


@pytest.fixture(scope="module")
def bumps(scores):
    """Ten bumps of a given length-scale in the unit cube: several maxima, more of them the shorter it is."""

    def make(dim, seed, length=0.15):
        rng = np.random.default_rng([dim, seed])
        lengths = length * (0.6 + 0.8 * rng.random(10)) * math.sqrt(dim)
        return Wide(scores.Bumps(rng.random((10, dim)), 0.5 + rng.random(10), lengths))

    return make


@pytest.fixture(scope="module")
def rugged(scores):
    """A hundred narrow bumps and dips: the runs end in many maxima, and some estimate always remains."""

    def make(dim, seed, constant=0.3):
        rng = np.random.default_rng([dim, seed])
        lengths = 0.05 * (0.6 + 0.8 * rng.random(100)) * math.sqrt(dim)
        return Wide(scores.Bumps(rng.random((100, dim)), rng.standard_normal(100), lengths), constant)

    return make


def highest(alpha):
    """The maximum, uphill from the centres of all bumps."""
    centres = alpha.score.centres
    return float(polish(alpha, UnitCube(centres.shape[1]), centres).values.max())


def solved(alpha, dim, *, solver=SET, ledger=Ledger(), t=5, seed=0, **clock):
    step = Step(t, np.random.default_rng(99).random((10, dim)), ledger, **clock)
    return solver(alpha, UnitCube(dim), step=step, rng=np.random.default_rng(seed))


def estimated(solution, domain):
    return estimate(solution.draws, solution.starts, solution.x, solution.value, domain)


def spread(solution):
    return solution.value - solution.draws.median


# ------------------------------------------------------------------ the maximum


@pytest.fixture(scope="module")
def many(bumps):
    """Solves of different surfaces in one to six columns, each with its true maximum."""
    cases = [(dim, bumps(dim, seed), seed) for dim in range(1, 7) for seed in range(15)]
    return [
        (solved(alpha, dim, solver=Enough(), seed=seed), UnitCube(dim), highest(alpha)) for dim, alpha, seed in cases
    ]


def test_the_maximum_is_above_the_upper_limit_no_more_often_than_stated(many):
    missed = sum(estimated(one, domain).upper < top - 1e-6 * spread(one) for one, domain, top in many)
    # The stated risk is 0.1. Measured over 2 700 such solves it is 0.003, and at twenty times that more than nine
    # misses of 90 happen in one of 20 streams; at 0.003 they do not happen.
    assert missed <= 0.1 * len(many)


def test_the_global_maximum_is_found(many):
    found = sum(one.value >= top - 1e-3 * spread(one) for one, _, top in many)
    assert found >= 0.9 * len(many)  # measured as above: 0.997 of them


def test_on_average_no_more_is_missing_than_estimated(many):
    missing = [max(0.0, top - one.value) / spread(one) for one, _, top in many]
    stated = [estimated(one, domain).gap(one.value) / spread(one) for one, domain, _ in many]
    allowed = [one.allowance / spread(one) for one, _, _ in many]
    # One miss can be as large as all 90 estimates together: with other streams the first fails in one of 15.
    assert np.mean(missing) <= np.mean(stated) <= np.mean(allowed)


def test_a_finished_solve_is_within_its_allowance(many):
    done = [(one, domain) for one, domain, _ in many if one.status is Status.DONE]
    assert len(done) > 0.5 * len(many)  # rugged surfaces end at the cap
    assert all(estimated(one, domain).gap(one.value) <= one.allowance for one, domain in done)


def test_a_peak_around_the_incumbent_is_found_though_no_draw_is_on_it(scores):
    at = np.array([0.31, 0.72, 0.55])
    alpha = scores.Bumps(np.array([at, [0.6, 0.3, 0.4]]), np.array([5.0, 1.0]), np.array([0.003, 0.5]))
    step = Step(3, at[None] + 0.002)
    solution = Enough()(alpha, UnitCube(3), step=step, rng=np.random.default_rng(0))
    assert solution.value == pytest.approx(highest(Wide(alpha)), rel=1e-3)
    assert solution.draws.values[0] < 1.1


def test_before_anything_was_observed_there_is_no_incumbent_to_search_around(bumps):
    step = Step(1, np.empty((0, 2)))
    alpha = bumps(2, 0)
    solution = Enough()(alpha, UnitCube(2), step=step, rng=np.random.default_rng(0))
    assert solution.value == pytest.approx(highest(alpha), rel=1e-3)


def test_a_mixed_space_is_searched_in_every_cell():
    space = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0.0, 1.0))
    tops = np.random.default_rng(1).random((5, 3, 2))
    heights = np.random.default_rng(2).random((5, 3))

    class Cells(Score):
        """One peak in each cell of depth and loss."""

        smooth = True

        def cell(self, X):
            return np.round(5 * X[:, 1] - 0.5).astype(int), np.argmax(X[:, 2:5], axis=1)

        def __call__(self, X):
            return heights[self.cell(X)] - ((X[:, [0, 5]] - tops[self.cell(X)]) ** 2).sum(axis=1)

        def value_and_grad(self, X):
            gradient = np.zeros_like(X)
            gradient[:, [0, 5]] = -2 * (X[:, [0, 5]] - tops[self.cell(X)])
            return self(X), gradient

    for seed in range(5):
        solution = solve(Enough(), Cells(), space, seed=seed)
        assert solution.value == pytest.approx(heights.max(), abs=1e-3)
        assert solution.starts is not None


# ------------------------------------------------------------------ the ledger


def test_credit_is_spent_and_the_first_effort_is_enough(rugged):
    solution = solved(rugged(5, 1), 5, ledger=CREDIT)
    assert (solution.draws.n, solution.draws.looks, solution.starts.m) == (256, 1, 14)
    assert solution.status is Status.DONE


def test_debt_is_worked_off_up_to_the_cap_and_no_further_than_one_leap(rugged):
    ended = []
    for seed in range(8):
        solution = solved(rugged(6, seed), 6, ledger=DEBT)
        left = estimated(solution, UnitCube(6)).gap(solution.value)
        ended.append(solution.status)
        if solution.status is Status.BUDGET:
            assert left > solution.allowance
            assert solution.n_evals >= 300 * 7
        else:
            assert left <= solution.allowance
        assert solution.n_evals <= 5 * 300 * 7  # the first batch alone takes up to 300 · 7
    assert ended.count(Status.BUDGET) >= 6


@pytest.mark.parametrize("dim", [2, 20, 100])
def test_the_cap_leaves_room_beyond_the_first_batch_in_any_number_of_columns(rugged, dim):
    alpha = rugged(dim, 1)
    first = solved(alpha, dim, solver=Enough(), ledger=CREDIT)
    more = solved(alpha, dim, solver=Enough(), ledger=DEBT)
    assert first.n_evals < Enough().cap * (1 + dim)
    assert more.status is Status.DONE or more.starts.m >= 4 * first.starts.m


def test_a_ridge_in_many_columns_is_one_hill():
    class Ridge(Score):
        """−(x_0 − 0.3)²: runs end wherever they began, but for the first column."""

        smooth = True

        def __call__(self, X):
            return -((X[:, 0] - 0.3) ** 2)

        def value_and_grad(self, X):
            gradient = np.zeros_like(X)
            gradient[:, 0] = -2.0 * (X[:, 0] - 0.3)
            return self(X), gradient

    solution = solved(Ridge(), 30, solver=Enough(), ledger=DEBT)
    assert (solution.starts.distinct, solution.status) == (1, Status.DONE)


def test_nobody_is_asked_for_less_than_the_floor(bumps):
    for seed in range(5):
        solution = solved(bumps(3, seed), 3, ledger=DEBT)
        assert solution.allowance == pytest.approx(FLOOR * spread(solution))


def test_the_allowance_is_the_share_of_the_width_and_of_the_credit(bumps):
    for t, ledger, allowed in [
        (1, Ledger(), 0.03),  # a tenth of the width
        (7, Ledger(inaccuracies=0.12, widths=4.0), 0.03 + 0.04),  # and a seventh of a credit of 0.28
        (7, Ledger(inaccuracies=0.47, widths=4.0), 0.03 - 0.01),
    ]:
        solution = solved(bumps(2, 3), 2, t=t, ledger=ledger)
        assert solution.allowance == pytest.approx(allowed)


def test_the_sum_of_the_gaps_stays_within_the_share_of_the_widths(rugged):
    solver, ledger, doubled = replace(SET, share=0.02, cap=10_000), Ledger(), 0
    for t in range(1, 31):
        alpha = rugged(3, t, constant=1.5)
        solution = solved(alpha, 3, solver=solver, ledger=ledger, t=t, seed=t)
        assert solution.status is Status.DONE
        assert solution.allowance > FLOOR * spread(solution)  # so that the floor is no excuse
        gap = estimated(solution, UnitCube(3)).gap(solution.value)
        ledger = Ledger(ledger.inaccuracies + gap, ledger.widths + 1.5)
        assert ledger.inaccuracies <= 0.02 * ledger.widths
        doubled += solution.draws.looks > 1 or solution.starts.m > 14
    assert doubled >= 3  # it was not for free


def test_a_smaller_share_never_costs_less(rugged):
    dearer = 0
    for dim in (2, 4, 6):
        for seed in range(3):
            alpha, ledger = rugged(dim, seed), Ledger(inaccuracies=0.05, widths=1.0)
            costs = [
                solved(alpha, dim, solver=replace(SET, share=share), ledger=ledger).n_evals
                for share in (10.0, 0.1, 0.03, 0.01, 0.001)
            ]
            assert costs == sorted(costs)
            dearer += costs[-1] > costs[0]
    assert dearer >= 5


def test_units_of_score_and_ledger_do_not_matter(rugged):
    for power in (-30, 30):
        unit = 2.0**power  # without rounding
        ledger = Ledger(inaccuracies=0.01, widths=0.5)
        alpha = rugged(4, 2)
        plain = solved(alpha, 4, ledger=ledger, solver=replace(SET, share=0.02))
        scaled = solved(
            replace(alpha, unit=unit),
            4,
            ledger=Ledger(unit * ledger.inaccuracies, unit * ledger.widths),
            solver=replace(SET, share=0.02),
        )
        assert (scaled.n_evals, scaled.status) == (plain.n_evals, plain.status)
        assert scaled.x == pytest.approx(plain.x, abs=1e-9)
        assert scaled.allowance == pytest.approx(unit * plain.allowance)


def test_a_score_without_a_width_spends_a_share_of_the_spread_whatever_the_ledger(bumps):
    alpha = bumps(4, 1).score
    first, *others = (solved(alpha, 4, ledger=ledger) for ledger in (Ledger(), DEBT, CREDIT))
    assert first.allowance == pytest.approx(0.1 * 0.1 * spread(first))
    for other in others:
        assert np.array_equal(other.x, first.x)
        assert (other.n_evals, other.allowance) == (first.n_evals, first.allowance)
    assert solved(alpha, 4, solver=replace(SET, share=1e-6)).allowance == pytest.approx(FLOOR * spread(first))


# ------------------------------------------------------------------ draws and runs


def test_the_draws_double_and_every_block_is_a_look(rugged):
    solution = solved(rugged(6, 0), 6, ledger=DEBT, solver=replace(SET, cap=1000))
    assert solution.draws.looks > 1
    assert solution.draws.n == 256 * 2 ** (solution.draws.looks - 1)
    assert 14 <= solution.starts.m <= 64 == len(solution.draws.values)


def test_the_best_draws_of_all_blocks_are_kept(rugged):
    alpha, seen = rugged(6, 0), []

    class Watched(Wide):
        def __call__(self, X):
            seen.append((len(X), super().__call__(X)))
            return seen[-1][1]

    solution = solved(Watched(alpha.score), 6, ledger=DEBT, solver=replace(SET, cap=1000))
    blocks = [values for rows, values in seen if rows >= 256]
    assert sum(map(len, blocks)) == solution.draws.n
    assert np.array_equal(solution.draws.values, np.sort(np.concatenate(blocks))[::-1][:64])
    assert solution.draws.median == np.median(blocks[0])


def test_runs_without_a_value_are_not_counted():
    class Corner(Score):
        """A score with values in a corner of the square only; its gradient is known there too."""

        smooth = True

        def __call__(self, X):
            return np.where(X.min(axis=1) > 0.85, X.sum(axis=1), np.nan)

        def value_and_grad(self, X):
            values = self(X)
            return values, np.where(np.isnan(values)[:, None], np.nan, 1.0)

    solution = solved(Corner(), 2, solver=replace(SET, share=1e3))
    finite = int(np.isfinite(solution.draws.values).sum())
    assert finite < 14  # fewer than the runs that were planned
    assert solution.starts.m == finite
    assert solution.value == pytest.approx(2.0, abs=1e-3)


def test_a_flat_score_is_finished_at_once():
    solution = solved(Peak(np.full(3, 0.5), scale=0.0), 3)
    assert (solution.status, solution.allowance, solution.draws.looks) == (Status.DONE, 0.0, 1)
    assert estimated(solution, UnitCube(3)).upper == 0.0


def test_a_score_without_any_value_ends():
    solution = solved(lambda X: np.full(len(X), np.nan), 3)
    assert math.isnan(solution.value)
    assert np.all((solution.x >= 0) & (solution.x <= 1))
    assert estimated(solution, UnitCube(3)) is None


@pytest.mark.parametrize("dim", [1, 3, 6])
def test_a_score_without_a_gradient_is_solved_by_values(bumps, dim):
    for seed in range(3):
        alpha = bumps(dim, seed)
        solution = solved(ValuesOnly(alpha), dim)
        assert solution.n_grads == 0
        assert solution.value == pytest.approx(highest(alpha), rel=1e-3)


# ------------------------------------------------------------------ clocks


def test_a_deadline_ends_the_search_with_an_honest_report(rugged, monkeypatch):
    alpha, now = rugged(5, 1), [0.0]
    unhurried = solved(alpha, 5, ledger=DEBT, solver=replace(SET, cap=1000))
    assert unhurried.n_evals >= 1000 * 4
    monkeypatch.setattr(record, "time", SimpleNamespace(monotonic=lambda: now[0]))
    # 256 rows of draws, then 16 runs of about ten rows each: the deadline falls into these.
    solution = solved(Slow(alpha, now), 5, ledger=DEBT, solver=replace(SET, cap=1000), deadline=300.0)
    assert 300.0 <= now[0] < 400.0
    assert solution.status is Status.BUDGET
    assert solution.starts.m > 0
    assert estimated(solution, UnitCube(5)).best > solution.value == alpha(solution.x[None])[0]


def test_after_the_deadline_the_best_draw_is_the_answer(bumps):
    solution = solved(bumps(4, 0), 4, deadline=time.monotonic() - 1.0)
    assert (solution.status, solution.n_evals, solution.n_grads) == (Status.BUDGET, 256, 0)
    assert solution.starts is None
    assert solution.value == solution.draws.values[0]
    assert estimated(solution, UnitCube(4)).kind == "tail"


def test_without_hurry_a_clock_changes_nothing(bumps):
    alpha = bumps(4, 0, 0.08)
    plain = solved(alpha, 4)
    for solver, clock in [
        (SET, {"deadline": time.monotonic() + 1e6}),
        (SET, {"evaluation_seconds": 0.0}),  # not asked to mind it
        (replace(SET, time_share=0.1), {"evaluation_seconds": 1e7}),
        (replace(SET, time_share=0.1), {}),  # not known
    ]:
        other = solved(alpha, 4, solver=solver, **clock)
        assert np.array_equal(other.x, plain.x)
        assert (other.n_evals, other.status) == (plain.n_evals, plain.status)


def test_the_earlier_of_two_clocks_counts(bumps):
    solver, far = replace(SET, time_share=0.1), time.monotonic() + 1e6
    for clock in (
        {"evaluation_seconds": 0.0},
        {"evaluation_seconds": 0.0, "deadline": far},
        {"evaluation_seconds": 1e7, "deadline": far - 2e6},
    ):
        solution = solved(bumps(4, 0), 4, solver=solver, **clock)
        assert (solution.status, solution.n_evals) == (Status.BUDGET, 256)


# ------------------------------------------------------------------ lattices

LATTICE = Space(depth=Int(0, 10**6), width=Int(0, 10**6), loss=Choice("a", "b", "c"))


def test_a_lattice_is_searched_by_draws_and_neighbours():
    alpha = peak_in(LATTICE)
    solution = solve(Enough(), alpha, LATTICE)
    assert (solution.status, solution.starts, solution.n_grads) == (Status.DONE, None, 0)
    assert solution.draws.n >= 2400
    assert solution.value >= solution.draws.values[0]
    assert solution.value >= np.quantile(alpha(LATTICE.sample(20_000, np.random.default_rng(3))), 0.999)
    assert estimated(solution, LATTICE).kind == "tail"


def test_in_a_hurry_a_lattice_gets_one_block_of_draws():
    step = Step(5, LATTICE.sample(3, np.random.default_rng(1)), deadline=time.monotonic() - 1.0)
    solution = SET(peak_in(LATTICE), LATTICE, step=step, rng=np.random.default_rng(0))
    assert (solution.status, solution.draws.n) == (Status.BUDGET, 256)


def test_neighbours_without_a_value_do_not_hide_the_others():
    space = Space(depth=Int(0, 10**6))
    edge = 0.6

    def alpha(X):
        return np.where(X[:, 0] < edge, X[:, 0], np.nan)

    incumbent = space.snap(np.array([[edge - 1e-5]]))
    solution = Enough()(alpha, space, step=Step(5, incumbent), rng=np.random.default_rng(0))
    assert solution.value > solution.draws.values[0]


def test_small_finite_spaces_are_enumerated_and_larger_ones_drawn_from():
    small, large = Space(depth=Int(1, 2000)), Space(depth=Int(1, 2001))
    for space, kind in ((small, "enumerated"), (large, "tail")):
        alpha = peak_in(space)
        solution = solve(Enough(), alpha, space)
        assert estimated(solution, space).kind == kind
    solution = solve(Enough(), peak_in(small), small)
    assert (solution.n_evals, solution.value) == (2000, 0.0)


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"share": 0.0}, "share"),
        ({"share": math.nan}, "share"),
        ({"time_share": 0.0}, "time_share"),
        ({"draws": 15}, "draws"),
        ({"starts": 1}, "starts"),
        ({"starts": 65}, "starts"),
        ({"cap": 0}, "cap"),
    ],
)
def test_impossible_settings_are_refused_by_name(words, name):
    with pytest.raises(ValueError, match=name):
        Enough(**words)


@pytest.mark.parametrize("other", [Int(0, 9), Float(0, 1)], ids=["lattice", "smooth"])
def test_the_work_in_many_columns_is_bounded_in_entries(other):
    space, entries = Space(c=Choice(*range(6000)), other=other), []

    def alpha(X):
        entries.append(X.size)
        return X @ np.arange(space.dim)

    solution = solve(Enough(), alpha, space)
    assert space.contains(solution.x[None]).all()
    assert max(entries) <= rows.HELD
    if isinstance(other, Int):
        assert sum(entries) <= 1.5 * rows.LISTED


@dataclass(frozen=True)
class OneOrder(Score):
    """Higher by one for a single option of a choice, and highest at 0.3 in the last column."""

    place: np.ndarray
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
    found = solve(Enough(draws=16, starts=2), alpha, space, seed=seed)
    assert found.value == pytest.approx(1.0, abs=1e-4)
    assert space.from_unit(found.x)["order"] == orders[77]
