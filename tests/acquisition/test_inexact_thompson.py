"""Inexact GP-TS: a path whose deviation is widened by ṽ = (1/η̃ − 1) B, η̃ the accuracy asked of the solver."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from suffice import Optimizer
from suffice.accuracy.report import SolveReport
from suffice.acquisition import Constant, Thompson
from suffice.acquisition.thompson import PathScore, WidenedScore
from suffice.gp import GP
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.solvers import Adaptive, Fixed, Grid
from suffice.testing.acquisitions import bind
from suffice.types import Status

X = np.random.default_rng(7).uniform(0.05, 0.95, (25, 2))


def stream(seed=0):
    return np.random.default_rng(seed)


def last_report(eta_allowed):
    return SolveReport(
        value=1.0,
        upper=1.2,
        upper_kind="multistart",
        relative_gap=0.1,
        gap=None,
        eta=0.95,
        eta_lower=0.9,
        rank=None,
        n_evals=1,
        n_grads=0,
        status=Status.DONE,
        seconds={},
        eta_allowed=eta_allowed,
    )


# ------------------------------------------------------------------ the score


def test_the_widening_is_what_a_solver_of_that_accuracy_may_lose_of_the_norm(gp):
    def at(beta, **words):
        return bind(Thompson(Constant(beta), **words), gp(shift=2.0, scale=1.5), rng=stream())(X)

    once = at(1.7, B=3.0, eta=0.8)
    # A quarter of 3 is a half of 1.5: only the product counts, and the score is linear in it.
    assert at(1.7, B=1.5, eta=2 / 3) == pytest.approx(once, rel=1e-9)
    plain = at(1.7)
    assert at(1.7, B=6.0, eta=0.8) - plain == pytest.approx(2 * (once - plain), rel=1e-6, abs=1e-9)
    assert at(0.4, B=3.0, eta=0.8) - at(0.4) == pytest.approx(once - plain, rel=1e-6, abs=1e-9)
    # Without β, where σ is 1: the widening times the deviate of the path, which β = 1 alone has too.
    prior = gp(n=0)
    deviate = bind(Thompson(Constant(1.0)), prior, rng=stream())(X)
    assert bind(Thompson(Constant(0.0), B=3.0, eta=0.8), prior, rng=stream())(X) == pytest.approx(0.75 * deviate)


@pytest.mark.parametrize("words", [{"eta": 1.0, "B": 5.0}, {"eta": 0.5, "B": 0.0}])
def test_an_exact_solver_or_a_vanishing_norm_needs_no_widening(words, gp):
    posterior = gp()
    plain = bind(Thompson(Constant(2.0)), posterior, rng=stream())
    widened = bind(Thompson(Constant(2.0), **words), posterior, rng=stream())
    assert isinstance(plain, PathScore)
    assert isinstance(widened, WidenedScore)
    assert widened(X) == pytest.approx(plain(X), rel=1e-9, abs=1e-9)
    assert widened.value_and_grad(X)[1] == pytest.approx(plain.value_and_grad(X)[1], rel=1e-6, abs=1e-7)
    assert widened.width(X) == pytest.approx(plain.width(X))
    assert widened.shift(100) == pytest.approx(plain.shift(100))


@pytest.mark.parametrize("eta", [0.3, 0.9, 0.999])
def test_the_gradient_is_that_of_the_value(eta, gp, central_difference):
    alpha = bind(Thompson(Constant(2.0), features=64, B=2.0, eta=eta), gp(), rng=stream())
    value, gradient = alpha.value_and_grad(X)
    assert value == pytest.approx(alpha(X), rel=1e-10, abs=1e-10)
    # The division by a small σ makes the third derivatives large, and with them the error of the differences.
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-4, abs=1e-4)


def test_the_deviation_is_beta_sigma_plus_the_widening(gp):
    posterior, points, rng, runs = gp(n=6), X[:4], stream(1), 2000
    acquisition = Thompson(Constant(2.0), features=256, B=1.5, eta=0.75)
    draws = np.array([bind(acquisition, posterior, rng=rng)(points) for _ in range(runs)])
    mean, std = posterior.predict(points)
    deviation = 2 * std + (1 / 0.75 - 1) * 1.5
    # Each value is a normal mixture, a little heavier in the tails than a normal number. 4.5 standard errors at 4
    # points: a false alarm in one of 20 000 streams; this stream is fixed.
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4.5 * deviation / math.sqrt(runs))
    assert np.all(np.abs(draws.std(axis=0) / deviation - 1) < 4.5 / math.sqrt(2 * runs) * 1.2)
    assert np.all(bind(acquisition, posterior, rng=rng).width(points) == pytest.approx(2 * deviation))


def test_at_an_observed_point_without_noise_the_score_stays_finite():
    points = np.array([[0.2], [0.5], [0.9]])
    posterior = Posterior.condition(Matern(2.5, 0.4), points, np.array([0.0, 1.0, -1.0]), 1e-12)
    alpha = bind(Thompson(Constant(1.0), B=2.0, eta=0.9), posterior, rng=stream())
    value, gradient = alpha.value_and_grad(points)
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(gradient))
    # |f − μ| is rounding there, and the floor of σ keeps it from being blown up to the size of the data.
    assert np.all(np.abs(alpha(points) - posterior.z) < 10 * alpha.widening)


def test_the_shift_grows_with_the_widening(gp):
    shifts = [bind(Thompson(B=2.0, eta=eta), gp(), t=3, rng=stream()).shift(500) for eta in (1.0, 0.9, 0.5)]
    assert shifts[0] < shifts[1] < shifts[2]


def test_the_shift_makes_the_score_positive_as_often_as_stated(gp):
    posterior, rng, runs, points = gp(), stream(5), 200, stream(6).random((300, 2))
    acquisition = Thompson(Constant(2.0), features=128, B=1.0, eta=0.7)
    negative = 0
    for _ in range(runs):
        alpha = bind(acquisition, posterior, rng=rng)
        negative += np.any(alpha(points) + alpha.shift(len(points)) < 0)
    # Stated: at most 0.1. At that rate more than 36 of 200 happen in one of 3 000 streams.
    assert negative <= 36


def test_the_widened_score_offers_what_a_path_does(gp):
    alpha = bind(Thompson(B=1.0), gp(), rng=stream())
    assert alpha.smooth
    assert alpha.width(X).shape == (len(X),)
    assert alpha.shift(100) > 0


# ------------------------------------------------------------------ what is asked of the solver


def test_the_accuracy_asked_for_is_what_the_last_solver_aimed_at(gp):
    now = bind(Thompson(B=1.0), gp(), last=last_report(0.93))
    assert now.eta_asked == 0.93
    assert now.widening == bind(Thompson(B=1.0, eta=0.93), gp()).widening


def test_without_a_report_or_an_aim_the_accuracy_is_the_one_that_was_set(gp):
    for report in (None, last_report(None)):
        assert bind(Thompson(B=1.0, eta=0.8), gp(), last=report).eta_asked == 0.8
    assert bind(Thompson(), gp(), last=last_report(0.93)).eta_asked is None


def test_an_aim_of_nothing_does_not_widen_without_limit(gp):
    assert bind(Thompson(B=1.0), gp(), last=last_report(0.0)).eta_asked == 1e-3
    assert bind(Thompson(B=1.0), gp(), last=last_report(1.0)).eta_asked == 1.0


def run(acquisition, solver, n=9):
    optimizer = Optimizer([(0.0, 1.0)] * 2, seed=3, model=GP(warp=False), acquisition=acquisition, solver=solver)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, float(np.sum((trial.point - 0.3) ** 2)))
    return [trial.solve for trial in optimizer.trials if trial.solve is not None]


def test_every_step_of_a_run_records_what_it_asked_for():
    reports = run(Thompson(B=2.0, eta=0.9, features=128), Adaptive())
    assert reports[0].eta_asked == 0.9
    for before, after in pairwise(reports):
        assert after.eta_asked == before.eta_allowed < 1.0
    assert all(report.eta is not None for report in reports)


def test_a_solver_without_an_aim_leaves_the_accuracy_as_it_was_set():
    reports = run(Thompson(B=2.0, eta=0.9, features=128), Grid(size=Fixed(100)))
    assert {report.eta_asked for report in reports} == {0.9}


def test_plain_thompson_sampling_asks_for_nothing():
    assert {report.eta_asked for report in run(Thompson(features=128), Adaptive(), n=8)} == {None}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"B": -1.0}, "B"),
        ({"B": math.inf}, "B"),
        ({"B": math.nan}, "B"),
        ({"B": 1.0, "exact": True}, "exact"),
        ({"eta": 0.0}, "eta"),
        ({"eta": 1.1}, "eta"),
        ({"eta": math.nan}, "eta"),
    ],
)
def test_impossible_settings_are_refused_by_name(words, name):
    with pytest.raises(ValueError, match=name):
        Thompson(**words)
    with pytest.raises(ValueError, match=name):
        replace(Thompson(), **words)
