"""RegretBelow stops early, at the right place, and says on what grounds."""

import copy
import math
import re

import numpy as np
import pytest

from suffice import GP, Choice, Float, Int, Optimizer, RegretBelow, Space, maximize, minimize
from suffice.acquisition import EI, Constant, Theory
from suffice.gp.model import drawn, unwarped
from suffice.streams import Streams
from suffice.study.stop import MEMBERS, SCREEN, regret_limit

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
    result = minimize(f, bounds, 60, seed=seed, stop=RegretBelow(0.02))
    assert result.nfev < 60
    assert result.message.startswith("the regret of result.x is at most")
    assert result.fun - lowest <= 0.02


def test_a_smaller_tolerance_takes_longer():
    first, later = (minimize(bowl, SQUARE, 60, seed=0, stop=RegretBelow(tolerance)) for tolerance in (0.3, 0.02))
    assert first.nfev < later.nfev < 60
    assert later.fun <= 0.02
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


def test_the_message_says_which_point_is_meant_and_what_the_limit_rests_on():
    told = minimize(bowl, SQUARE, 40, seed=0, stop=RegretBelow(0.5)).message
    assert told.startswith("the regret of result.x is at most ")
    assert "≤ 0.5, as long as no point is more than 3 standard deviations better than a cautious model" in told
    assert "the bound was estimated, not proven" in told
    assert "beta is not theoretical" in told
    rule = RegretBelow(50.0, beta=Theory(B=1.0, R=0.01, delta=0.1))
    told = minimize(bowl, SQUARE, 40, seed=0, stop=rule).message
    assert "beta is theoretical" in told


def test_the_message_says_how_much_of_the_space_is_hardly_known():
    def ridge(point):
        return 0.0 if point[0] > 0.1 else -1.0 + float((point[1] - 0.5) ** 2)

    optimizer = Optimizer(SQUARE, seed=0, n_initial=4)
    for _ in range(12):
        trial = optimizer.ask()
        optimizer.tell(trial, ridge(trial.point))
    told = RegretBelow(1e3)(optimizer)
    assert told is not None
    assert re.search(r"that model knows little about \d+% of the space", told)


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


def largest_difference(optimizer, point, beta):
    """max μ(x) − μ(r) + β sd(f(x) − f(r)) over the models, in the objective's units, on a grid, from covariances."""
    data, space = optimizer.history.observations(), optimizer.space
    rng = Streams(0)("stop", len(data))
    plain, fitted = unwarped(optimizer.settings.model, data, space)
    space.sample(SCREEN, rng)
    r, unit = space.to_unit(point)[None], 1.0 / fitted.outcome.derivative(np.zeros(1))[0]
    X = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 81)] * 2), axis=-1).reshape(-1, 2)
    found = []
    for posterior in (fitted.posterior, *drawn(plain, fitted, data, space, MEMBERS, rng)):
        mean, std = posterior.predict(X)
        variance = std**2 + posterior.predict(r)[1] ** 2 - 2 * posterior.covariance(X, r)[:, 0]
        lead = mean - posterior.mean(r) + beta * np.sqrt(np.maximum(variance, 0.0))
        found.append(unit * float(lead.max()))
    return found


@pytest.fixture(scope="module", params=[0.0, 0.1], ids=["exact", "noisy"])
def run(request):
    """An optimizer that knows the noise of its values, and the limit for β = 2."""
    sd, rng = request.param, np.random.default_rng(0)
    optimizer = Optimizer(SQUARE, seed=0, n_initial=3, model=GP(noise=sd**2))
    for _ in range(30 if sd else 12):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point) + sd * rng.standard_normal())
    result = optimizer.result()
    return optimizer, max(largest_difference(optimizer, result.x_recommended if sd else result.x, 2.0))


def test_the_limit_is_the_largest_difference_that_any_member_holds_possible(run):
    optimizer, limit = run
    assert RegretBelow(0.99 * limit, beta=Constant(2.0))(optimizer) is None
    told = RegretBelow(1.02 * limit, beta=Constant(2.0))(optimizer)
    assert told is not None
    assert float(re.search(r"at most (\S+) ≤", told)[1]) == pytest.approx(limit, rel=0.02)


def test_what_is_under_way_or_failed_is_no_knowledge_about_the_objective(run):
    optimizer, limit = copy.copy(run[0]), run[1]
    before = regret_limit(optimizer.history, Constant(2.0), 1.5 * limit)
    first, *_ = optimizer.ask(4)
    optimizer.fail(first)
    after = regret_limit(optimizer.history, Constant(2.0), 1.5 * limit)
    assert after.regret == pytest.approx(before.regret, rel=1e-3)
    assert after.trial.number == before.trial.number


def test_an_unfinished_proof_is_no_reason_to_stop(run):
    optimizer, limit = run
    rule = RegretBelow(1.2 * limit, beta=Constant(2.0), certified=True, seconds=1e-9)
    assert rule(optimizer) is None


@pytest.mark.parametrize(
    ("f", "bounds", "lowest"), [(wave, LINE, LOWEST_WAVE), (bowl, SQUARE, 0.0)], ids=["1-D", "2-D"]
)
def test_a_proof_stops_the_run_too_and_says_so(f, bounds, lowest):
    result = minimize(f, bounds, 40, seed=0, stop=RegretBelow(0.05, certified=True, seconds=10.0))
    assert result.nfev < 40
    assert "at most the tolerance 0.05" in result.message
    assert "this is proven for that model" in result.message
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


def test_a_proof_on_a_finite_space_scores_every_point():
    space = Space(depth=Int(1, 40), loss=Choice("a", "b"))

    def f(point):
        return (point["depth"] / 40 - 0.4) ** 2 + (point["loss"] == "b")

    result = minimize(f, space, 60, seed=0, stop=RegretBelow(0.05, certified=True))
    assert result.nfev < 60
    assert "this is proven for that model" in result.message


def test_equal_values_are_no_reason_to_stop():
    result = minimize(lambda _: 5.0, SQUARE, 20, seed=0, stop=RegretBelow(1e6))
    assert result.nfev == 20


# ------------------------------------------------------------------ noise


def noisy(sd, seed):
    rng = np.random.default_rng(seed)
    return lambda point: bowl(point) + sd * rng.standard_normal()


@pytest.mark.parametrize("seed", range(3))
def test_with_noise_it_stops_and_speaks_of_the_recommended_point(seed):
    model = GP(noise=0.06**2)
    result = minimize(noisy(0.06, seed), SQUARE, 90, seed=seed, model=model, stop=RegretBelow(0.12))
    assert result.nfev < 90
    assert result.message.startswith("the regret of result.x_recommended is at most")
    assert bowl(result.x_recommended) <= 0.12


def test_a_noise_that_nobody_told_is_found():
    result = minimize(noisy(0.1, 0), SQUARE, 60, seed=0, stop=RegretBelow(0.25))
    assert result.message.startswith("the regret of result.x_recommended is at most")


def test_noise_that_is_small_against_the_tolerance_leaves_the_best_value_the_point_that_is_meant():
    result = minimize(noisy(1e-3, 0), SQUARE, 60, seed=0, stop=RegretBelow(0.1))
    assert result.message.startswith("the regret of result.x is at most")


def test_more_noise_means_a_later_stop():
    quiet, loud = (minimize(noisy(sd, 0), SQUARE, 60, seed=0, stop=RegretBelow(0.1)) for sd in (0.0, 0.1))
    assert quiet.nfev < loud.nfev


# ------------------------------------------------------------------ what was not explored


def apart(point):
    """Every option has a best place of its own; that of "c" is the lowest."""
    place = {"a": 0.2, "b": 0.5, "c": 0.8}[point["kind"]]
    return (point["x"] - place) ** 2 + (point["y"] - place) ** 2 - 0.1 * (point["kind"] == "c")


def test_an_option_that_was_tried_too_rarely_keeps_the_run_going():
    space = Space(kind=Choice("a", "b", "c"), x=Float(0, 1), y=Float(0, 1))
    optimizer, rng = Optimizer(space, seed=0, n_initial=0), np.random.default_rng(0)
    for kind in "ab" * 10:
        x, y = rng.random(2)
        optimizer.tell({"kind": kind, "x": x, "y": y}, apart({"kind": kind, "x": x, "y": y}))
    generous = RegretBelow(1e3)
    for k in range(16):
        trial = optimizer.ask()
        optimizer.tell(trial, apart(trial.point))
        tried = sum(trial.point["kind"] == "c" for trial in optimizer.trials)
        assert (generous(optimizer) is not None) == (tried >= 3 and k >= 7), (k, tried)
    assert tried >= 3


def test_options_that_share_something_may_be_judged_unseen_and_the_message_says_so():
    space = Space(layers=Choice((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)), x=Float(0, 1))

    def f(point):
        first, second = point["layers"]
        return 0.1 * first + 0.05 * second + (point["x"] - 0.3) ** 2

    optimizer, rng = Optimizer(space, seed=0), np.random.default_rng(0)
    for options in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1)) * 2:
        point = {"layers": options, "x": float(rng.random())}
        optimizer.tell(point, f(point))
    while (told := RegretBelow(1e3)(optimizer)) is None:
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))
    unseen = {(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)} - {t.point["layers"] for t in optimizer.trials}
    assert ("are extrapolated from related options" in told) == bool(unseen)


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("tolerance", [0.0, -1.0, math.nan, math.inf])
def test_an_impossible_tolerance_is_refused(tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        RegretBelow(tolerance)
