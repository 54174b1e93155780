"""Every solver looks at the clock between its batches; the clock of these tests goes with the rows of the score."""

from types import SimpleNamespace

import numpy as np
import pytest

from suffice.solvers import SOLVERS, record
from suffice.space import UnitCube
from suffice.testing import Peak
from suffice.types import Score, Status, Step

ROW = 0.01  # seconds of a value: a slow score without a gradient, like the knowledge gradient in many columns
TOP = np.full(4, 0.37)


class Slow(Score):
    """A peak that makes the clock go on."""

    def __init__(self, clock, smooth=False):
        self.clock, self.smooth, self.peak = clock, smooth, Peak(TOP)

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
