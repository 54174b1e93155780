"""The budget of just enough: what a step may leave, and the effort that follows from it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate
from suffice.solvers import Adaptive
from suffice.solvers.adaptive import LEAST, MOST
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.testing import solve
from suffice.types import Ledger, Status

DEBT, CREDIT = Ledger(inaccuracies=1e6), Ledger(widths=1e6)
SHARES = (10.0, 1.0, 0.1, 0.01, 0.001)


def left(solution, dim):
    """ĝ of a solve."""
    return estimate(solution.draws, solution.starts, solution.x, solution.value, UnitCube(dim)).gap(solution.value)


def spread(solution):
    return solution.value - solution.draws.median


# ------------------------------------------------------------------ the share


def costs(alpha, dim, solved):
    return [solved(alpha, dim, solver=Adaptive(share=share)) for share in SHARES]


@pytest.mark.parametrize("dim", [1, 2, 4])
def test_a_smaller_share_never_costs_less_unless_the_cap_ends_it(bumps, rugged, solved, dim):
    for alpha in (*(bumps(dim, seed) for seed in range(2)), *(rugged(dim, seed) for seed in range(2))):
        for more, less in pairwise(costs(alpha, dim, solved)):
            assert less.status is Status.BUDGET or less.n_evals >= more.n_evals
            assert less.allowance <= more.allowance


@pytest.mark.parametrize("dim", [2, 3, 5])
def test_the_share_decides_how_long_a_search_is_where_there_are_several_hills(bumps, rugged, solved, dim):
    # In evaluations of the first batch; three surfaces of each kind, share 10, 1, 0.1, 0.01 and 0.001.
    easy, hard = (
        np.median([[one.n_evals for one in costs(make(dim, seed), dim, solved)] for seed in range(10, 13)], axis=0)
        for make in (bumps, rugged)
    )
    assert easy[4] > 1.5 * easy[3] > 1.5**2 * easy[2]
    assert hard[2] > 1.5 * hard[1] >= 1.5 * hard[0]


def test_a_mixed_space_answers_to_the_share_too():
    space = Space(x=Float(0, 1), y=Float(0, 1), n=Int(1, 30), c=Choice("a", "b", "c"))

    def alpha(X):
        return np.sin(5 * X[:, 0]) - (X[:, 1] - X[:, 2]) ** 2 - (X[:, 2] - 0.4) ** 2 + 0.2 * X[:, 3:] @ np.arange(3)

    loose, usual, strict = (solve(Adaptive(share=share), alpha, space).n_evals for share in (10.0, 0.1, 0.001))
    assert loose <= usual < 0.6 * strict


def test_a_smaller_share_is_not_a_worse_answer(rugged, solved):
    # The searches of a smaller share go on from those of a larger one, in the same stream.
    for seed in range(6):
        values = [solved(rugged(3, seed), 3, solver=Adaptive(share=share)).value for share in (10.0, 1.0, 0.1)]
        # A batch of another size rounds differently, and the best run leaves up to a millionth of its rise.
        assert np.all(np.diff(values) >= -1e-6)


# ------------------------------------------------------------------ the cap


@pytest.mark.parametrize("dim", [2, 6, 20])
def test_the_cap_is_a_multiple_of_the_first_batch_in_any_number_of_columns(rugged, solved, dim):
    alpha = rugged(dim, 1)
    first = solved(alpha, dim, solver=Adaptive(share=1e-5, cap=1), ledger=DEBT)
    assert first.status is Status.BUDGET
    assert first.draws.looks == 1
    for cap in (2, 8):
        more = solved(alpha, dim, solver=Adaptive(share=1e-5, cap=cap), ledger=DEBT)
        assert more.status is Status.BUDGET
        # Runs are counted at the price of those of the first batch, and draws double.
        assert first.n_evals < more.n_evals <= 1.6 * cap * first.n_evals


def test_the_first_batch_grows_with_the_columns(rugged, solved):
    firsts = [solved(rugged(dim, 1), dim, solver=Adaptive(cap=1), ledger=DEBT).n_evals for dim in (2, 6, 20, 60)]
    assert firsts == sorted(firsts)
    assert firsts[-1] > 4 * firsts[0]


def test_debt_is_worked_off_up_to_the_cap(rugged, solved):
    ended = []
    for seed in range(6):
        solution = solved(rugged(6, seed), 6, solver=Adaptive(share=10.0 if seed else 1e-5), ledger=DEBT)
        ended.append(solution.status)
        assert (left(solution, 6) > solution.allowance) == (solution.status is Status.BUDGET)
    assert ended[0] is Status.BUDGET
    assert Status.DONE in ended


# ------------------------------------------------------------------ the allowance


def test_the_allowance_is_the_share_of_the_width_and_of_the_credit(bumps, solved):
    alpha = replace(bumps(2, 3), constant=0.006)
    for t, ledger, allowed in [
        (1, Ledger(), 0.0006),  # a tenth of the width
        (7, Ledger(inaccuracies=0.012, widths=0.14), 0.0006 + 0.002 / 7),  # and a seventh of a credit of 0.002
        (7, Ledger(inaccuracies=0.0147, widths=0.14), 0.0006 - 0.0007 / 7),
    ]:
        solution = solved(alpha, 2, t=t, ledger=ledger)
        assert 0.1 * LEAST * spread(solution) < allowed < 0.1 * MOST * spread(solution)
        assert solution.allowance == pytest.approx(allowed)


def test_however_wide_a_step_is_it_may_leave_a_hundredth_of_the_share_of_the_spread_at_most(bumps, solved):
    for share in (0.01, 0.1, 1.0):
        solution = solved(bumps(3, 1), 3, solver=Adaptive(share=share), ledger=CREDIT)
        assert solution.allowance == pytest.approx(share * 0.01 * spread(solution))


def test_however_deep_the_debt_no_step_is_asked_for_less_than_a_thousandth(bumps, solved):
    for seed in range(3):
        solution = solved(bumps(3, seed), 3, ledger=DEBT)
        assert solution.allowance == pytest.approx(0.1 * 0.001 * spread(solution))


def test_a_score_without_a_width_has_an_allowance_whatever_the_ledger(bumps, solved):
    alpha = bumps(4, 1).score
    first, *others = (solved(alpha, 4, ledger=ledger) for ledger in (Ledger(), DEBT, CREDIT))
    assert first.allowance == pytest.approx(0.1 * 0.1 * spread(first))
    for other in others:
        assert np.array_equal(other.x, first.x)
        assert (other.n_evals, other.allowance) == (first.n_evals, first.allowance)


def test_the_sum_of_the_gaps_stays_within_the_share_of_the_widths(rugged, solved):
    # Narrow steps, so that the widths are what decides: most of them may leave less than the most.
    ledger, longer, tight = Ledger(), 0, 0
    for t in range(1, 26):
        alpha = rugged(2, t, constant=0.03)
        solution = solved(alpha, 2, solver=Adaptive(cap=1000), ledger=ledger, t=t, seed=t)
        assert solution.status is Status.DONE
        assert solution.allowance > 0.1 * LEAST * spread(solution) * (1 + 1e-9)  # so that the floor is no excuse
        tight += solution.allowance < 0.1 * MOST * spread(solution) * (1 - 1e-9)
        ledger = Ledger(ledger.inaccuracies + left(solution, 2), ledger.widths + 0.03)
        assert ledger.inaccuracies <= 0.1 * ledger.widths
        longer += solution.draws.looks > 1
    assert longer >= 5  # it was not for free
    assert tight >= 1


def test_units_of_score_and_ledger_do_not_matter(rugged, solved):
    alpha, ledger = rugged(4, 2, constant=0.01), Ledger(inaccuracies=0.0005, widths=0.02)
    plain = solved(alpha, 4, ledger=ledger)
    for power in (-30, 30):
        unit = 2.0**power  # without rounding
        scaled = solved(replace(alpha, unit=unit), 4, ledger=Ledger(unit * ledger.inaccuracies, unit * ledger.widths))
        assert (scaled.n_evals, scaled.status) == (plain.n_evals, plain.status)
        assert scaled.x == pytest.approx(plain.x, abs=1e-9)
        assert scaled.allowance == pytest.approx(unit * plain.allowance)
