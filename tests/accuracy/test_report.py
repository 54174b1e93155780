"""The report of a solve: what follows from a score and a solution, without a model and without a solver."""

import dataclasses
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.accuracy.estimate import estimate
from suffice.accuracy.report import Binding, solve_report
from suffice.gp.fit import Hyper
from suffice.gp.outcome import Outcome, standardised
from suffice.space import PointSet, UnitCube
from suffice.types import Draws, Score, Solution, Starts, Status

SQUARE = UnitCube(2)
IDENTITY = Outcome()
BINDING = Binding(3, 8, 8, (), Hyper((0.3, 0.3), 1.0, 1e-4), IDENTITY, 0.0)


@dataclass(frozen=True)
class Plain(Score):
    """A score with nothing but values."""

    def __call__(self, X):
        return np.zeros(len(X))


@dataclass(frozen=True)
class Wide(Plain):
    """A score with a width, and a shift that grows with the points looked at."""

    def width(self, X):
        return 0.5 + X[:, 0]

    def shift(self, n):
        return 1.0 + n / 1000


@dataclass(frozen=True)
class NeverNegative(Plain):
    def shift(self, n):
        return 0.0


@dataclass(frozen=True)
class Logarithmic(Plain):
    logarithmic: bool = True


@dataclass(frozen=True)
class OnASet(Plain):
    domain: PointSet


def solution(value=1.1, *, n=60, iid=True, starts=Starts(5, 2, 0.01), looks=1, median=-1.0, **more):
    points = np.array([[0.5, 0.5], [0.51, 0.49], [0.49, 0.52]])
    draws = Draws(n, iid, points, np.array([1.0, 0.9, 0.8]), median, looks)
    x = points[0] if value >= 1.0 else np.array([0.4, 0.6])
    return Solution(x, value, 321, 7, draws=draws, starts=starts, **more)


def reported(alpha=Wide(), solved=None, domain=SQUARE, outcome=IDENTITY):
    return solve_report(alpha, solved or solution(), domain, outcome, binding=BINDING, notes=("a note",))


# ------------------------------------------------------------------ by hand


def test_the_report_repeats_the_estimate_of_the_solution():
    solved = solution()
    report, found = reported(solved=solved), estimate(solved.draws, solved.starts, solved.x, solved.value, SQUARE)
    assert (report.value, report.upper, report.upper_kind) == (1.1, found.upper, "multistart")
    assert report.inaccuracy == found.best - 1.1 == pytest.approx(0.0332456, abs=1e-7)
    # α* ≈ 1.1332456 or at most 1.4324555; the median is −1, shift(60) = 1.06
    assert report.relative_gap == pytest.approx(0.0332456 / 2.1332456, abs=1e-7)
    assert report.eta == pytest.approx(2.16 / 2.1932456, abs=1e-7)
    assert report.eta_lower == pytest.approx(2.16 / 2.4924555, abs=1e-7)
    assert report.width == 1.0


def test_the_report_repeats_the_work():
    report = reported(solved=solution(status=Status.BUDGET))
    assert (report.n_evals, report.n_grads, report.status) == (321, 7, Status.BUDGET)
    assert (report.median, report.notes, report.binding) == (-1.0, ("a note",), BINDING)
    assert report.upper_certified is None


def test_the_rank_is_the_smallest_share_that_the_draws_miss_with_the_stated_probability():
    q = reported().rank
    assert (1 - q) ** 60 == pytest.approx(0.1)
    q = reported(solved=solution(looks=4)).rank
    assert 4 * (1 - q) ** 60 == pytest.approx(0.1)  # δ is split over the looks


def test_a_point_worse_than_the_best_draw_has_no_rank():
    assert reported(solved=solution(1.0)).rank is not None
    assert reported(solved=solution(0.99)).rank is None
    assert reported(solved=solution(math.nan)).rank is None


def test_the_accuracy_asked_for_is_the_ratio_at_the_solvers_aim():
    report = reported(solved=solution(allowance=0.2))
    assert report.eta_allowed == pytest.approx(1.9932456 / 2.1932456, abs=1e-7)
    reached = reported(solved=solution(allowance=report.inaccuracy))
    assert reached.eta_allowed == pytest.approx(reached.eta)  # who aims at what is reached asks for it
    assert reported().eta_allowed is None


# ------------------------------------------------------------------ what a score does not offer


def test_a_score_in_other_units_has_no_gap_in_the_objectives():
    report = reported(Plain())
    assert report.gap is None
    assert report.width is None
    assert report.relative_gap is not None
    assert report.eta is report.eta_lower is report.shift is None  # and no η without a shift


def test_a_score_that_is_never_negative_needs_no_shift():
    report = reported(NeverNegative())
    assert report.eta == pytest.approx(1.1 / (1.1 + report.inaccuracy))
    assert report.shift == 0.0


def test_the_ratio_of_logarithms_is_the_exponential_of_their_difference():
    report = reported(Logarithmic())
    assert report.eta == pytest.approx(math.exp(-report.inaccuracy))
    assert report.eta_lower == pytest.approx(math.exp(1.1 - report.upper))


def test_without_draws_only_the_facts_are_reported():
    for solved in (replace(solution(), draws=None), solution(iid=False)):
        report = reported(solved=solved)
        assert report.width == 1.0
        unknown = ("upper", "upper_kind", "relative_gap", "gap", "eta", "eta_lower", "rank", "inaccuracy")
        assert all(getattr(report, name) is None for name in unknown)


def test_without_a_median_there_is_no_relative_gap():
    report = reported(solved=solution(median=None))
    assert report.relative_gap is None
    assert report.eta is not None


# ------------------------------------------------------------------ a score on its own finite set


def everything(n=50):
    """A score on n draws from the square, and the solution that looked at all of them."""
    points = np.random.default_rng(0).random((n, 2))
    draws = Draws(n, False, points[:3], np.array([1.0, 0.9, 0.8]), 0.0)
    return OnASet(PointSet(points)), Solution(points[0], 1.0, n, draws=draws)


def test_a_joint_draw_reports_its_rank_and_nothing_else():
    alpha, solved = everything()
    report = reported(alpha, solved, alpha.domain)
    assert (1 - report.rank) ** 50 == pytest.approx(0.1)
    assert (report.upper, report.relative_gap, report.gap, report.eta, report.eta_lower) == (None,) * 5


def test_part_of_a_set_has_a_smaller_claim_than_all_of_it():
    alpha, solved = everything()
    whole = reported(alpha, solved, alpha.domain).rank
    some = [
        reported(alpha, replace(solved, draws=replace(solved.draws, n=n, iid=True)), alpha.domain).rank
        for n in (1, 10, 100, 1000)
    ]
    assert 1.0 == some[0] > some[1] > some[2] > some[3] == pytest.approx(whole)
    assert reported(alpha, replace(solved, draws=replace(solved.draws, n=10)), alpha.domain).rank is None
    second = replace(solved, x=solved.draws.points[1], value=0.9)
    assert reported(alpha, second, alpha.domain).rank is None


def test_the_rank_of_a_search_through_a_set_is_kept():
    # The top share q of the space is [1 − q, 1]; a set of N uniform draws, n of it looked at. 4000 runs: if the rank
    # failed with probability 0.1 exactly, 4.5 standard errors more would be seen once in 3e5 streams.
    rng, runs, N, n = np.random.default_rng(3), 4000, 40, 60
    alpha, solved = everything(N)
    q = reported(alpha, replace(solved, draws=replace(solved.draws, n=n, iid=True)), alpha.domain).rank
    sets = rng.random((runs, N))
    best = np.take_along_axis(sets, rng.integers(N, size=(runs, n)), axis=1).max(axis=1)
    missed = np.mean(best < 1 - q)
    assert missed <= 0.1 + 4.5 * math.sqrt(0.09 / runs)
    assert missed >= 0.05  # and it is not a vacuous claim


# ------------------------------------------------------------------ units


def test_the_gap_is_measured_in_the_objectives_units():
    y = np.array([3.0, 10.0, -4.0, 7.0, 250.0, 12.0])
    outcome = standardised(y, lam=0.3)
    report = reported(outcome=outcome)
    ends = outcome.inverse(np.array([report.upper, report.value]))
    assert report.gap == pytest.approx(ends[0] - ends[1])
    assert outcome(np.array([ends[1] + report.gap]))[0] == pytest.approx(report.upper)


@given(st.floats(-3, 0.99), st.floats(-3, 0.99), st.integers(0, 20), st.integers(0, 20))
def test_where_the_maximum_is_does_not_depend_on_the_point_that_was_taken_instead(a, b, m, w):
    worse, better = (reported(solved=solution(v, starts=Starts(m, min(m, w), 0.01))) for v in sorted([a, b]))
    assert worse.upper == better.upper
    assert worse.value + worse.inaccuracy == pytest.approx(better.value + better.inaccuracy)
    assert worse.relative_gap >= better.relative_gap
    assert worse.eta <= better.eta
    assert worse.eta_lower <= better.eta_lower
    assert worse.gap >= better.gap


@given(st.sampled_from([1e-6, 2.0, 1e6]), st.floats(-10, 10))
def test_the_relative_gap_has_no_units_and_no_level(unit, level):
    plain, solved = reported(), solution()
    moved = Draws(60, True, solved.draws.points, unit * (solved.draws.values + level), unit * (level - 1.0))
    report = reported(solved=replace(solved, value=unit * (1.1 + level), draws=moved))
    assert report.relative_gap == pytest.approx(plain.relative_gap, rel=1e-8)
    assert report.inaccuracy == pytest.approx(unit * plain.inaccuracy, rel=1e-8)


# ------------------------------------------------------------------ memory


def test_a_report_of_a_large_solve_is_small():
    big = Draws(10**6, True, np.zeros((64, 8)), np.arange(64.0)[::-1], 0.0)
    solved = Solution(np.zeros(8), 64.0, 10**6, draws=big, starts=Starts(64, 1, 0.01))
    report = reported(solved=solved, domain=UnitCube(8))

    def leaves(part):
        if dataclasses.is_dataclass(part):
            part = [getattr(part, field.name) for field in dataclasses.fields(part)]
        elif isinstance(part, dict):
            part = list(part.values())
        if isinstance(part, (list, tuple)):
            return [leaf for item in part for leaf in leaves(item)]
        return [part]

    assert all(leaf is None or isinstance(leaf, (int, float, str, Status)) for leaf in leaves(report))
    assert len(leaves(report)) < 60
