"""How good the suggestions were: the reports of an optimizer's trials, and the accuracy of the whole run."""

import dataclasses
import math
import statistics

import pytest

from suffice import GP, UCB, Choice, Float, Int, LogEI, Optimizer, Space
from suffice.acquisition import EI, MES, PI, Constant, Thompson
from suffice.ask.models import fit_outputs
from suffice.candidates import sobol
from suffice.solvers import Adaptive, Fixed, Grid, Polished
from suffice.types import Ledger, Status

BOX = [(0.0, 1.0), (0.0, 1.0)]


def wavy(point):
    x, y = point
    return (x - 0.3) ** 2 + 2 * (y - 0.6) ** 2 + 0.1 * math.sin(9 * x)


def skewed(point):
    return math.exp(6 * wavy(point))


def grid(n):
    """The best of n draws, without a look around the incumbent."""
    return Grid(size=Fixed(n), near=False)


def driven(optimizer, n, f=wavy):
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))
    return optimizer


def reports(optimizer):
    return [trial.solve for trial in optimizer.trials if trial.solve is not None]


@pytest.fixture(scope="module")
def default():
    """A run of UCB, the acquisition with a width, and every other default."""
    return driven(Optimizer(BOX, seed=0, aim="regret"), 16)


# ------------------------------------------------------------------ one report


def test_only_points_of_the_model_carry_a_report(default):
    assert [trial.solve is not None for trial in default.trials] == [False] * 6 + [True] * 10
    optimizer = Optimizer(BOX, seed=0, x0=[[0.1, 0.1]], n_initial=2)
    optimizer.tell([0.5, 0.5], 1.0)
    optimizer.ask()
    assert [trial.solve for trial in optimizer.trials] == [None, None]


def test_a_report_says_what_was_done(default):
    for report in reports(default):
        assert report.upper_kind == "multistart"
        assert report.status is Status.DONE
        assert report.width > 0.0
        assert report.n_evals >= Adaptive().draws
        assert 0 < report.n_grads < report.n_evals


@pytest.mark.parametrize(
    "acquisition",
    [UCB(), UCB(Constant(0.0)), Thompson(features=64), EI(), LogEI(), PI(), MES()],
    ids=["ucb", "greedy", "thompson", "ei", "log ei", "pi", "mes"],
)
def test_a_better_solve_of_the_same_score_is_reported_to_be_better(acquisition):
    few, many, polished = (
        reports(driven(Optimizer(BOX, seed=1, acquisition=acquisition, solver=solver, model=GP(warp=False)), 7))[0]
        for solver in (grid(20), grid(1000), Polished(grid(1000), starts=10))  # of few runs a miss is more probable
    )
    assert few.binding.n_told == many.binding.n_told == polished.binding.n_told == 6
    for worse, better in ((few, many), (many, polished)):
        assert worse.value < better.value
        assert worse.relative_gap > better.relative_gap
        assert worse.eta < better.eta
        assert worse.inaccuracy > better.inaccuracy
        assert worse.rank >= better.rank
    assert few.upper is many.upper is None  # a grid sees no limit, and local runs do
    assert polished.upper >= polished.value


def test_the_rank_is_that_of_as_many_draws():
    optimizer = driven(Optimizer(BOX, seed=0, solver=Grid(size=Fixed(64))), 8)
    for report in reports(optimizer):
        assert (1 - report.rank) ** 64 == pytest.approx(0.1)


def test_a_grid_that_is_not_random_has_a_value_and_no_estimate():
    optimizer = driven(Optimizer(BOX, seed=0, aim="regret", solver=Grid(candidates=sobol, size=Fixed(64))), 8)
    for report in reports(optimizer):
        assert (report.upper, report.eta, report.relative_gap, report.rank, report.gap) == (None,) * 5
        assert report.width > 0.0
    accuracy = optimizer.accuracy
    assert accuracy.m_t == 2.0  # nothing is known: the worst case
    assert math.isnan(accuracy.m_estimated)
    assert accuracy.bound.value is None


def test_a_joint_draw_reports_its_rank_only():
    acquisition = Thompson(exact=True, points=150)
    for solver in (Adaptive(), Grid(size=Fixed(150))):
        optimizer = driven(Optimizer(BOX, seed=0, acquisition=acquisition, solver=solver), 8)
        for report in reports(optimizer):
            assert (1 - report.rank) ** 150 == pytest.approx(0.1)
            assert (report.upper, report.eta, report.relative_gap, report.gap, report.width) == (None,) * 5
    some = reports(driven(Optimizer(BOX, seed=0, acquisition=acquisition, solver=Grid(size=Fixed(20))), 8))
    assert all(report.rank > 1 - 0.1 ** (1 / 20) for report in some)  # it looked at twenty of the points at most


def test_on_a_finite_space_the_gap_is_the_distance_to_the_best_point_even_if_that_was_taken():
    space = Space(depth=Int(1, 5), loss=Choice("a", "b"))
    watched = []

    def solver(alpha, domain, *, step, rng):
        solution = Adaptive()(alpha, domain, step=step, rng=rng)
        watched.append((alpha(domain.enumerate()).max(), solution.value))
        return solution

    optimizer = Optimizer(space, seed=0, solver=solver, model=GP(warp=False))
    driven(optimizer, 10, lambda point: (point["depth"] - 2) ** 2 + (point["loss"] == "b"))
    taken = 0
    for report, (highest, found) in zip(reports(optimizer), watched, strict=True):
        assert report.upper_kind == "enumerated"
        assert report.upper == pytest.approx(highest) == pytest.approx(found)
        assert report.inaccuracy == pytest.approx(highest - report.value)
        first = report.value == found
        assert report.rank == (0.0 if first else None)
        assert (report.relative_gap == 0.0) == first
        taken += not first
    assert taken > 0


def test_mixed_spaces_are_reported_alike():
    space = Space(rate=Float(1e-3, 1.0, log=True), depth=Int(1, 5), loss=Choice("a", "b"))
    optimizer = Optimizer(space, seed=0, model=GP(warp=False))
    driven(optimizer, 12, lambda point: point["rate"] + abs(point["depth"] - 3) + (point["loss"] == "a"))
    for report in reports(optimizer):
        assert report.upper_kind == "multistart"
        assert report.relative_gap < 0.01


def test_large_lattices_are_reported_like_other_spaces():
    space = Space(depth=Int(0, 10**6), width=Int(0, 10**6))
    optimizer = Optimizer(space, seed=0, model=GP(warp=False))
    driven(optimizer, 8, lambda point: (point["depth"] / 1e6 - 0.3) ** 2 + point["width"] / 1e6)
    for report in reports(optimizer):
        assert (report.upper_kind, report.n_grads) == ("multistart", 0)
        assert report.relative_gap < 0.03


# ------------------------------------------------------------------ units and sense


def test_the_gap_is_in_the_objectives_units():
    plain, scaled = (
        reports(driven(Optimizer(BOX, seed=2, aim="regret"), 10, lambda point, unit=unit: unit * wavy(point)))
        for unit in (1.0, 1024.0)  # without rounding, so that nothing else changes
    )
    for one, other in zip(plain, scaled, strict=True):
        assert other.gap == pytest.approx(1024.0 * one.gap)
        assert other.gap > 0.0
        for name in ("value", "upper", "relative_gap", "eta", "width"):
            assert getattr(other, name) == pytest.approx(getattr(one, name))
    thousand = reports(driven(Optimizer(BOX, seed=2, aim="regret"), 7, lambda point: 1000.0 * wavy(point)))
    assert thousand[0].gap == pytest.approx(1000.0 * plain[0].gap, rel=1e-3)  # rounding moves the fit a little


@pytest.mark.parametrize("acquisition", [PI(), MES()], ids=repr)
def test_a_score_that_is_not_in_the_objectives_units_has_no_gap(acquisition):
    for report in reports(driven(Optimizer(BOX, seed=0, acquisition=acquisition), 8)):
        assert report.gap is None
        assert report.width is None


@pytest.mark.parametrize("acquisition", [EI(), LogEI()], ids=repr)
def test_an_expected_improvement_has_a_gap_in_the_objectives_units(acquisition):
    plain, scaled = (
        reports(driven(Optimizer(BOX, seed=0, acquisition=acquisition), 8, lambda point, unit=unit: unit * wavy(point)))
        for unit in (1.0, 1024.0)
    )
    for one, other in zip(plain, scaled, strict=True):
        assert other.gap == pytest.approx(1024.0 * one.gap)
        assert one.gap > 0.0
        assert one.width is None


def test_maximizing_the_negative_is_the_same_run():
    down = driven(Optimizer(BOX, seed=3), 9)
    up = driven(Optimizer(BOX, seed=3, direction="maximize"), 9, lambda point: -wavy(point))
    for one, other in zip(reports(down), reports(up), strict=True):
        assert (one.value, one.upper, one.eta, one.gap) == (other.value, other.upper, other.eta, other.gap)


def test_the_ratio_does_not_change_with_the_level_of_the_objective():
    low, high = (
        reports(driven(Optimizer(BOX, seed=2), 7, lambda point, level=level: level + wavy(point)))[0]
        for level in (0.0, 100.0)
    )
    assert high.eta == pytest.approx(low.eta, abs=1e-4)
    assert high.relative_gap == pytest.approx(low.relative_gap, rel=1e-2)  # rounding moves the fit a little


# ------------------------------------------------------------------ the run


def test_before_the_first_model_based_trial_there_is_nothing_to_account_for():
    optimizer = Optimizer(BOX, seed=0)
    for n in (0, 4):
        driven(optimizer, n)
        accuracy = optimizer.accuracy
        assert (accuracy.m_t, accuracy.m_estimated, accuracy.gain, accuracy.bound) == (0.0, 0.0, 0.0, None)
        assert len(accuracy.eta) == len(accuracy.gaps) == 0
    assert optimizer.result().accuracy == accuracy


def test_the_totals_are_those_of_the_reports(default):
    assert default.accuracy.reports == tuple(reports(default))
    assert default.result().accuracy == default.accuracy


def test_the_gain_is_that_of_the_model():
    optimizer = driven(Optimizer(BOX, seed=0), 8)
    optimizer.ask()
    fitted = fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"]
    assert optimizer.accuracy.gain == fitted.posterior.gain > 0.0


MIXED = Space(rate=Float(1e-3, 1.0, log=True), depth=Int(1, 5), loss=Choice("a", "b"))


def of_mixed(point):
    return point["rate"] + abs(point["depth"] - 3) + (point["loss"] == "a")


@pytest.mark.parametrize(("space", "f"), [(BOX, wavy), (MIXED, of_mixed)], ids=["box", "mixed"])
@pytest.mark.parametrize("share", [0.01, 0.1, 1.0])
def test_the_budget_is_kept(share, space, f):
    ledger = driven(Optimizer(space, seed=5, aim="regret", solver=Adaptive(share=share)), 14, f).accuracy.ledger
    assert 0.0 < ledger.inaccuracies <= share * ledger.widths


def test_a_smaller_share_of_the_budget_is_more_work():
    work = [
        sum(r.n_evals for r in reports(driven(Optimizer(BOX, seed=4, aim="regret", solver=Adaptive(share=share)), 12)))
        for share in (1.0, 0.1, 0.01)
    ]
    assert work[0] <= work[1] < 0.7 * work[2]


def test_the_solver_sees_the_ledger_of_the_steps_before_and_the_median_evaluation_time():
    steps = []

    def solver(alpha, domain, *, step, rng):
        steps.append(step)
        return Adaptive()(alpha, domain, step=step, rng=rng)

    optimizer, seconds = Optimizer(BOX, seed=0, aim="regret", solver=solver), []
    for i in range(11):
        trial = optimizer.ask()
        if trial.solve is not None:
            before = reports(optimizer)[:-1]
            assert steps[-1].ledger.inaccuracies == pytest.approx(sum(report.inaccuracy for report in before))
            assert steps[-1].ledger.widths == pytest.approx(sum(report.width for report in before))
            assert steps[-1].evaluation_seconds == statistics.median(seconds)
            assert steps[-1].t == len(steps)
        seconds.append(0.1 * i)
        optimizer.tell(trial, wavy(trial.point), seconds=seconds[-1])
    assert steps[0].ledger == Ledger()


def test_a_cancelled_suggestion_is_not_accounted_for():
    optimizer = driven(Optimizer(BOX, seed=0, aim="regret"), 8)
    before = optimizer.accuracy.ledger
    trial = optimizer.ask()
    assert optimizer.accuracy.ledger.widths > before.widths
    optimizer.cancel(trial)
    assert optimizer.accuracy.ledger == before


def test_each_trial_of_a_batch_has_a_report_of_its_own():
    optimizer = driven(Optimizer(BOX, seed=0), 8)
    batch = optimizer.ask(3)
    assert [trial.solve.binding.t for trial in batch] == [3, 4, 5]
    assert [len(trial.solve.binding.pending) for trial in batch] == [0, 1, 2]
    assert len({trial.solve.value for trial in batch}) == 3


# ------------------------------------------------------------------ deadlines and memory


def test_a_deadline_gives_a_suggestion_with_a_report():
    optimizer = driven(Optimizer(BOX, seed=0), 9)
    trial = optimizer.ask(deadline=1e-9)
    report = trial.solve
    assert (report.status, report.upper_kind, report.n_grads) == (Status.BUDGET, None, 0)
    assert report.inaccuracy > 0.0
    assert 0.0 < report.relative_gap < 0.5
    optimizer.tell(trial, wavy(trial.point))
    assert optimizer.accuracy.m_t > 0.0


def test_a_report_holds_numbers_only_however_many_the_data(default):
    def leaves(part):
        if dataclasses.is_dataclass(part):
            part = [getattr(part, entry.name) for entry in dataclasses.fields(part)]
        elif isinstance(part, dict):
            part = list(part.values())
        if isinstance(part, list | tuple):
            return [leaf for item in part for leaf in leaves(item)]
        return [part]

    first, *_, last = (leaves(report) for report in reports(default))
    assert all(leaf is None or isinstance(leaf, int | float | str | Status) for leaf in last)
    assert len(last) == len(first)
