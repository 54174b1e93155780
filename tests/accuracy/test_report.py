"""The report of a solve: what follows from a score, a solution and perhaps a proof, without a solver."""

import dataclasses
import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.accuracy.certificate import Certificate
from suffice.accuracy.estimate import estimate
from suffice.accuracy.report import Binding, solve_report
from suffice.gp.fit import Hyper
from suffice.gp.transform import Outcome
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
    """A score with a β and a width, and a shift that grows with the points looked at."""

    beta: float = field(default=2.0)

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


def solution(value=1.1, *, n=60, iid=True, starts=Starts(5, 2), looks=1, median=-1.0, **more):
    points = np.array([[0.5, 0.5], [0.51, 0.49], [0.49, 0.52]])
    draws = Draws(n, iid, points, np.array([1.0, 0.9, 0.8]), median, looks)
    x = points[0] if value >= 1.0 else np.array([0.4, 0.6])
    return Solution(x, value, 321, 7, draws=draws, starts=starts, **more)


def reported(alpha=Wide(), solved=None, domain=SQUARE, proof=None):
    return solve_report(alpha, solved or solution(), domain, IDENTITY, binding=BINDING, notes=("a note",), proof=proof)


# ------------------------------------------------------------------ logarithms, and scores with a ceiling


@pytest.mark.parametrize("median", [-30.0, -1e6])
def test_a_logarithm_is_not_thought_to_miss_more_for_being_low_elsewhere(median):
    class Log(Wide):
        logarithmic = True

    found = reported(Log(), solution(1.1, starts=Starts(10, 2), median=median))
    assert found.upper == reported(Log(), solution(1.1, starts=Starts(10, 2), median=1.1 - 20.0)).upper
    assert found.eta_lower > 0.85


def test_no_estimate_is_above_the_ceiling_of_a_score():
    class Probability(Wide):
        ceiling = 1.15

    solved = solution(1.1, starts=Starts(5, 4))
    free, below = reported(solved=solved), reported(Probability(), solved)
    assert free.upper > 1.15 == below.upper
    assert below.inaccuracy <= 0.05 + 1e-12


# ------------------------------------------------------------------ the best point was proposed before


def test_where_the_best_point_was_taken_the_limit_is_the_search_s_and_the_gaps_are_from_the_new_point():
    free, taken = reported(solved=solution(1.1)), reported(solved=solution(0.7, attained=1.1))
    assert (free.taken, taken.taken) == (False, True)
    assert taken.upper == pytest.approx(free.upper)
    assert taken.inaccuracy == pytest.approx(free.inaccuracy + 0.4)
    assert taken.missed == pytest.approx(free.missed) == free.inaccuracy


# ------------------------------------------------------------------ by hand


def test_the_report_repeats_the_estimate_of_the_solution():
    solved = solution()
    report, found = reported(solved=solved), estimate(solved.draws, solved.starts, solved.x, solved.value, SQUARE)
    assert (report.value, report.upper, report.upper_kind) == (1.1, found.upper, "multistart")
    # p = 2/20 and the spread is 2.1: ĝ = 0.1 · 0.3 · 2.1, and 1e-7 that the best run leaves; as p = δ, so is the limit
    assert report.inaccuracy == found.best - 1.1 == pytest.approx(0.0630001, abs=1e-12)
    assert report.upper == pytest.approx(found.best, abs=1e-12)
    # The median is −1, shift(60) = 1.06
    assert report.relative_gap == pytest.approx(0.0630001 / 2.1630001, abs=1e-12)
    assert report.eta == pytest.approx(2.16 / 2.2230001, abs=1e-12)
    assert report.eta_lower == pytest.approx(2.16 / (report.upper + 1.06), abs=1e-12)
    assert (report.width, report.confidence) == (1.0, 0.9)


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
    assert report.eta_allowed == pytest.approx(2.0230001 / 2.2230001, abs=1e-12)
    assert report.allowance == 0.2
    reached = reported(solved=solution(allowance=report.inaccuracy))
    assert reached.eta_allowed == pytest.approx(reached.eta)  # who aims at what is reached asks for it
    assert reported().eta_allowed is reported().allowance is None


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
        assert all(getattr(report, name) is None for name in (*unknown, "confidence"))


def test_draws_alone_have_an_estimate_and_a_rank_but_no_limit():
    report = reported(solved=solution(starts=None))
    assert report.inaccuracy > 0.0
    assert 0.0 < report.relative_gap < 1.0
    assert 0.0 < report.eta < 1.0
    assert (report.upper, report.upper_kind, report.gap, report.eta_lower) == (None,) * 4
    assert (report.rank > 0.0, report.confidence) == (True, 0.9)  # which is that of the rank
    second = reported(solved=solution(0.99, starts=None))
    assert (second.rank, second.confidence) == (None, None)


def test_without_a_median_there_is_no_relative_gap():
    report = reported(solved=solution(median=None, starts=None))
    assert report.relative_gap is None
    assert report.eta is not None
    climbed = reported(solved=solution(median=None))  # what runs miss is measured by the spread: no estimate at all
    assert (climbed.relative_gap, climbed.upper, climbed.eta) == (None, None, None)


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


# ------------------------------------------------------------------ invariance


@given(st.floats(-3, 0.99), st.floats(-3, 0.99), st.integers(1, 20), st.integers(1, 20))
def test_where_the_maximum_is_does_not_depend_on_the_point_that_was_taken_instead(a, b, m, w):
    worse, better = (reported(solved=solution(v, starts=Starts(m, min(m, w)))) for v in sorted([a, b]))
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


# ------------------------------------------------------------------ with a proof


def proof(upper, value=1.1):
    return Certificate(upper, value, None, nodes=9, open_boxes=0, seconds=0.0, finished=True)


@given(st.floats(0, 0.2), st.booleans())
def test_a_proven_limit_is_never_exceeded_and_makes_no_number_worse(above, climbed):
    solved = solution(starts=Starts(5, 2) if climbed else None)
    without, report = reported(solved=solved), reported(solved=solved, proof=proof(1.1 + above))
    assert report.upper_certified == 1.1 + above
    assert report.value <= report.upper <= report.upper_certified
    assert report.value + report.inaccuracy <= report.upper * (1 + 1e-15)
    assert report.inaccuracy <= without.inaccuracy
    assert report.relative_gap <= without.relative_gap
    assert report.eta >= without.eta
    assert report.eta_lower >= (without.eta_lower or 0.0)
    assert report.gap <= (without.gap or math.inf)
    expected = ("multistart", 0.9) if report.upper < report.upper_certified else ("certified", 1.0)
    assert (report.upper_kind, report.confidence) == expected


def test_with_a_proof_that_nothing_is_missing_every_number_says_so():
    report = reported(proof=proof(1.1))
    assert (report.gap, report.relative_gap, report.inaccuracy, report.eta, report.eta_lower) == (0, 0, 0, 1, 1)
    assert (report.upper_kind, report.confidence) == ("certified", 1.0)


def test_a_proof_alone_is_enough_for_a_limit():
    report = reported(solved=replace(solution(), draws=None, starts=None), proof=proof(1.5))
    assert (report.upper, report.upper_kind, report.confidence) == (1.5, "certified", 1.0)
    assert report.gap == pytest.approx(0.4)
    assert report.relative_gap is None  # for want of a median


def test_a_proof_that_found_something_better_says_that_the_estimate_was_too_low():
    report = reported(proof=proof(2.0, value=1.9))
    assert (report.upper, report.upper_kind) == (2.0, "certified")
    assert report.inaccuracy == pytest.approx(0.8)


# ------------------------------------------------------------------ memory


def test_a_report_of_a_large_solve_is_small():
    big = Draws(10**6, True, np.zeros((64, 8)), np.arange(64.0)[::-1], 0.0)
    solved = Solution(np.zeros(8), 64.0, 10**6, draws=big, starts=Starts(64, 1))
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
