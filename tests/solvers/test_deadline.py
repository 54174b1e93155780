"""Every solver looks at the clock between its batches; the clock of these tests goes with the rows of the score."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from suffice.accuracy.estimate import estimate
from suffice.solvers import SOLVERS, Adaptive, record
from suffice.space import UnitCube
from suffice.testing import Peak
from suffice.types import Ledger, Score, Status, Step

ROW = 0.01  # seconds of a value: a slow score without a gradient, like the knowledge gradient in many columns
TOP = np.full(4, 0.37)


class Slow(Score):
    """A score, a peak unless told otherwise, that makes the clock go on."""

    def __init__(self, clock, smooth=False, score=None):
        self.clock, self.smooth, self.peak = clock, smooth, score or Peak(TOP)

    def __call__(self, X):
        self.clock.now += ROW * len(X)
        return self.peak(X)

    def value_and_grad(self, X):
        self.clock.now += ROW * len(X)
        return self.peak.value_and_grad(X)


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(record, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def solved(name, alpha, deadline):
    step = Step(5, np.full((1, 4), 0.5), deadline=deadline)
    return SOLVERS[name]()(alpha, UnitCube(4), step=step, rng=np.random.default_rng(0))


@pytest.mark.parametrize("smooth", [False, True], ids=["values only", "with a gradient"])
@pytest.mark.parametrize("name", SOLVERS)
def test_after_the_deadline_no_batch_is_begun(clock, name, smooth):
    solution = solved(name, Slow(clock, smooth), deadline=103.0)
    # At most a block of draws, the draws for a median and one round of the largest batch of runs come after it.
    assert clock.now <= 103.0 + ROW * (300 + 100 + 200)
    assert solution.value == Peak(TOP)(solution.x[None])[0]
    assert solution.draws.n <= solution.n_evals


@pytest.mark.parametrize("name", ["grid", "lbfgsb", "nelder_mead", "cg", "polished", "heavy"])
def test_an_answer_that_was_cut_short_says_so(clock, name):
    solution = solved(name, Slow(clock), deadline=101.5)
    assert solution.status is Status.BUDGET
    assert solution.draws.iid
    assert solution.draws.n < 500


@pytest.mark.parametrize("name", SOLVERS)
def test_a_deadline_far_away_changes_nothing(clock, name):
    hurried, calm = (solved(name, Slow(clock, smooth=True), deadline) for deadline in (1e9, None))
    assert hurried.x == pytest.approx(calm.x, abs=1e-9)
    assert (hurried.n_evals, hurried.status) == (calm.n_evals, calm.status)


# ------------------------------------------------------------------ just enough has a clock of its own

DEBT = Ledger(inaccuracies=1e6)


def estimated(solution, dim):
    return estimate(solution.draws, solution.starts, solution.x, solution.value, UnitCube(dim))


def test_a_deadline_among_the_runs_ends_the_search_with_an_honest_report(rugged, solved, clock):
    alpha = rugged(5, 1)
    thorough = Adaptive(share=1e-3)
    unhurried = solved(alpha, 5, solver=thorough, ledger=DEBT)
    # 200 draws, 256 around the best observed points and 32 on faces, then the runs: the deadline falls into these.
    solution = solved(Slow(clock, True, alpha), 5, solver=thorough, ledger=DEBT, deadline=clock.now + 5.0)
    assert (
        105.0 <= clock.now < 107.0
    )  # late by a batch of rows at most: one round of the runs, or the ways between their ends
    assert solution.status is Status.BUDGET
    assert solution.starts.m > 0
    assert solution.n_evals < 0.2 * unhurried.n_evals
    assert estimated(solution, 5).best > solution.value == alpha(solution.x[None])[0]


def test_after_the_deadline_the_best_draw_is_the_answer(bumps, solved):
    solution = solved(bumps(4, 0), 4, deadline=time.monotonic() - 1.0)
    assert (solution.status, solution.n_evals, solution.n_grads) == (Status.BUDGET, 200, 0)
    assert solution.starts is None
    assert solution.value == solution.draws.values[0]
    assert estimated(solution, 4).upper is None


def test_without_hurry_a_clock_changes_nothing(bumps, solved):
    alpha = bumps(4, 0, 0.08)
    plain = solved(alpha, 4)
    for solver, hurry in [
        (Adaptive(), {"deadline": time.monotonic() + 1e6}),
        (Adaptive(), {"evaluation_seconds": 0.0}),  # not asked to mind it
        (Adaptive(time_share=0.1), {"evaluation_seconds": 1e7}),
        (Adaptive(time_share=0.1), {}),  # not known
    ]:
        other = solved(alpha, 4, solver=solver, **hurry)
        assert np.array_equal(other.x, plain.x)
        assert (other.n_evals, other.status) == (plain.n_evals, plain.status)


def test_the_earlier_of_two_clocks_counts(bumps, solved):
    solver, far = replace(Adaptive(), time_share=0.1), time.monotonic() + 1e6
    for hurry in (
        {"evaluation_seconds": 0.0},
        {"evaluation_seconds": 0.0, "deadline": far},
        {"evaluation_seconds": 1e7, "deadline": far - 2e6},
    ):
        solution = solved(bumps(4, 0), 4, solver=solver, **hurry)
        assert (solution.status, solution.n_evals) == (Status.BUDGET, 200)
