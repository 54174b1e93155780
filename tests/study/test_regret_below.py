"""RegretBelow stops early, at the right place, and says on what grounds."""

import math

import numpy as np
import pytest

from suffice import EI, GP, Choice, Constant, Int, Optimizer, RegretBelow, Space, Theory, maximize, minimize
from suffice.acquisition import UCB
from suffice.solvers import Heavy
from suffice.testing.acquisitions import bind
from suffice.types import Step

LINE, SQUARE = [(0.0, 1.0)], [(0.0, 1.0), (0.0, 1.0)]


def wave(point):
    x = point[0]
    return float((x - 0.3) ** 2 + 0.1 * np.sin(8 * x))


def bowl(point):
    return float((point[0] - 0.3) ** 2 + 2 * (point[1] - 0.6) ** 2)


LOWEST_WAVE = min(wave([x]) for x in np.linspace(0.0, 1.0, 20_001))


@pytest.mark.parametrize(
    ("f", "bounds", "lowest"), [(wave, LINE, LOWEST_WAVE), (bowl, SQUARE, 0.0)], ids=["1-D", "2-D"]
)
@pytest.mark.parametrize("seed", range(4))
def test_it_stops_before_the_budget_and_the_regret_is_below_the_tolerance(f, bounds, lowest, seed):
    result = minimize(f, bounds, 40, seed=seed, stop=RegretBelow(0.01))
    assert result.nfev < 40
    assert result.message.startswith("the regret is at most")
    assert result.fun - lowest <= 0.01


def test_a_smaller_tolerance_takes_longer():
    first, later = (minimize(bowl, SQUARE, 40, seed=0, stop=RegretBelow(tolerance)) for tolerance in (0.1, 1e-3))
    assert first.nfev < later.nfev < 40
    assert later.fun <= 1e-3
    assert np.array_equal(first.func_vals, later.func_vals[: first.nfev])


def test_the_tolerance_is_in_the_objectives_units():
    runs = [
        minimize(lambda point, unit=unit: unit * bowl(point), SQUARE, 40, seed=1, stop=RegretBelow(0.01 * unit))
        for unit in (1.0, 2.0**-20, 1000.0)
    ]
    assert runs[0].nfev == runs[1].nfev == runs[2].nfev < 40


def test_maximizing_the_negative_stops_at_the_same_trial():
    down = minimize(bowl, SQUARE, 40, seed=1, stop=RegretBelow(0.01))
    up = maximize(lambda point: -bowl(point), SQUARE, 40, seed=1, stop=RegretBelow(0.01))
    assert (up.nfev, up.message) == (down.nfev, down.message)


def test_the_message_names_the_limit_and_the_kind_of_beta():
    told = minimize(bowl, SQUARE, 40, seed=0, stop=RegretBelow(0.5)).message
    assert "≤ 0.5" in told
    assert "estimated limit of max UCB at level 0.9" in told
    assert "not theoretical" in told
    rule = RegretBelow(50.0, beta=Theory(B=1.0, R=0.01, delta=0.1))
    told = minimize(bowl, SQUARE, 40, seed=0, stop=rule).message
    assert told.endswith("beta is theoretical")


def test_it_never_stops_before_the_model_has_chosen_as_many_points_as_a_design_has():
    generous = RegretBelow(1e9)
    result = minimize(bowl, SQUARE, 40, seed=0, n_initial=5, stop=generous)
    assert (result.nfev, result.nit) == (11, 6)
    optimizer = Optimizer(SQUARE, seed=0, n_initial=3)
    assert generous(optimizer) is None
    for point in np.random.default_rng(0).random((6, 2)):
        optimizer.tell(point, bowl(point))
    assert generous(optimizer) is None
    trial = optimizer.ask()
    assert trial.solve is not None
    assert generous(optimizer) is None  # pending
    optimizer.fail(trial)
    assert generous(optimizer) is None
    for left in range(6, 0, -1):
        assert generous(optimizer) is None, left
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    assert generous(optimizer) is not None


@pytest.fixture(scope="module")
def after_nine():
    """An optimizer with nine values, and h(max UCB) − h(best LCB) for β = 2 by the heavy solver."""
    optimizer = Optimizer(SQUARE, seed=0, n_initial=3, model=GP(warp=False))
    for _ in range(9):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    fitted = optimizer.fit()
    posterior = fitted.posterior
    alpha = bind(UCB(Constant(2.0)), posterior, rng=np.random.default_rng(0))
    highest = Heavy(draws=3000)(alpha, optimizer.space, step=Step(1, posterior.X), rng=np.random.default_rng(0)).value
    mean, std = posterior.predict(posterior.X)
    ends = fitted.outcome.inverse(np.array([highest, (mean - 2.0 * std).max()]))
    return optimizer, abs(ends[0] - ends[1])


@pytest.mark.parametrize("certified", [False, True])
def test_the_limit_is_the_distance_from_the_highest_ucb_to_the_best_lcb(after_nine, certified):
    optimizer, regret = after_nine
    # The limit of the highest UCB is one from above, and close to it once the runs agree or the proof is finished.
    assert RegretBelow(0.999 * regret, beta=Constant(2.0), certified=certified)(optimizer) is None
    assert RegretBelow(1.2 * regret, beta=Constant(2.0), certified=certified)(optimizer) is not None


def test_what_is_under_way_or_failed_is_no_knowledge_about_the_objective():
    optimizer = Optimizer(SQUARE, seed=0, n_initial=3, model=GP(warp=False))
    for _ in range(9):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    rule, fitted = RegretBelow(1.0, certified=True), optimizer.fit()
    before = rule._regret(optimizer, fitted)
    first, *_ = optimizer.ask(4)
    optimizer.fail(first)
    assert rule._regret(optimizer, fitted) == pytest.approx(before, rel=1e-3)


def test_an_unfinished_proof_is_no_reason_to_stop(after_nine):
    optimizer, regret = after_nine
    rule = RegretBelow(1.2 * regret, beta=Constant(2.0), certified=True, seconds=1e-9)
    assert rule(optimizer) is None


@pytest.mark.parametrize(
    ("f", "bounds", "lowest"), [(wave, LINE, LOWEST_WAVE), (bowl, SQUARE, 0.0)], ids=["1-D", "2-D"]
)
def test_a_proof_stops_the_run_too_and_says_so(f, bounds, lowest):
    result = minimize(f, bounds, 40, seed=0, stop=RegretBelow(0.05, certified=True, seconds=0.2))
    assert result.nfev < 40
    assert "a proven limit of max UCB" in result.message
    assert result.fun - lowest <= 0.05


def test_it_binds_its_own_bounds_whatever_the_acquisition():
    result = minimize(bowl, SQUARE, 40, seed=0, acquisition=EI(), stop=RegretBelow(0.01))
    assert result.nfev < 40
    assert result.fun <= 0.01


def test_a_greater_beta_is_more_careful():
    optimizer = Optimizer(SQUARE, seed=0, n_initial=4)
    for _ in range(10):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))

    def stops_at(beta):
        tolerances = np.geomspace(1e-4, 10.0, 60)
        return next(tol for tol in tolerances if RegretBelow(tol, beta=Constant(beta))(optimizer) is not None)

    assert stops_at(1.0) < stops_at(3.0) < stops_at(9.0)


def test_the_rule_looks_and_does_not_touch():
    plain = minimize(bowl, SQUARE, 14, seed=2)
    watched = minimize(bowl, SQUARE, 14, seed=2, stop=RegretBelow(1e-15))
    assert np.array_equal(plain.func_vals, watched.func_vals)


def test_on_a_finite_space_it_stops_when_no_point_can_be_better():
    space = Space(depth=Int(1, 40), loss=Choice("a", "b"))

    def f(point):
        return (point["depth"] / 40 - 0.4) ** 2 + (point["loss"] == "b")

    result = minimize(f, space, 60, seed=0, stop=RegretBelow(0.02))
    assert result.nfev < 60
    assert result.fun <= 0.02


def test_where_the_limit_is_unknown_it_goes_on(monkeypatch):
    optimizer = Optimizer(SQUARE, seed=0)
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    for limit in (None, math.nan, math.inf):
        monkeypatch.setattr(RegretBelow, "_regret", lambda *_, limit=limit: limit)
        assert RegretBelow(0.1)(optimizer) is None


@pytest.mark.parametrize("tolerance", [0.0, -1.0, math.nan, math.inf])
def test_an_impossible_tolerance_is_refused(tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        RegretBelow(tolerance)
