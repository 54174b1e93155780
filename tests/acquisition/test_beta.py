"""Schedules of β_t: their formulas, and what they promise."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from suffice.acquisition import Constant, SqrtLog, Theory, Widening
from suffice.acquisition.ucb import as_beta
from suffice.gp.kernels import RBF
from suffice.gp.posterior import Posterior
from suffice.types import Step


def at(t, last=None):
    return Step(t, np.empty((0, 2)), last=last)


def test_sqrt_log_is_the_schedule_of_the_experiments(dial):
    assert SqrtLog()(at(1), dial()) == pytest.approx(0.8325546)
    assert SqrtLog(scale=2.5)(at(99), dial()) == pytest.approx(2.5 * 2.1459660)


def test_a_step_after_one_with_nothing_to_find_looks_further(dial):
    rule = Widening(scale=0.5, factor=3.0, resolution=1e-2)
    settled, open_end = (at(7, SimpleNamespace(width=width)) for width in (0.9e-2, 1e-2))
    assert rule(at(7), dial()) == rule(open_end, dial()) == pytest.approx(0.5 * math.sqrt(math.log(8)))
    assert rule(settled, dial()) == pytest.approx(3.0 * rule(at(7), dial()))
    assert rule(open_end, dial()) == rule(at(7), dial())  # every step decides anew, from the last one alone


@pytest.mark.parametrize("report", [None, SimpleNamespace(width=None)])
def test_nothing_widens_where_no_width_is_known(dial, report):
    assert Widening()(at(3, report), dial()) == Widening()(at(3), dial())


def test_only_a_schedule_that_widens_looks_at_the_last_step(dial):
    settled = at(5, SimpleNamespace(width=1e-5))
    assert Widening()(settled, dial()) > Widening()(at(5), dial())
    for schedule in (SqrtLog(), Constant(1.0), Theory(1.0, 0.1, 0.1)):
        assert schedule(settled, dial()) == schedule(at(5), dial())


def test_a_function_is_a_schedule_that_promises_nothing(dial):
    rule = as_beta(lambda step, posterior: step.t / posterior.n)
    assert rule(at(6), dial(n=1)) == 6.0
    (reason,) = rule.broken(dial())
    assert "whose assumptions are unknown" in reason
    assert as_beta(rule) is rule


@pytest.mark.parametrize("factor", [0.5, math.nan, math.inf])
def test_a_widening_factor_below_one_is_refused(factor):
    with pytest.raises(ValueError, match="at least 1"):
        Widening(factor=factor)


def test_constant_does_not_look_at_the_step(dial):
    assert Constant(0.7)(at(1), dial()) == Constant(0.7)(at(500), dial()) == 0.7


def test_theory_is_what_its_docstring_says(dial):
    posterior = dial(tau=0.04, gain=3.0, scale=2.0)
    general = Theory(B=1.5, R=0.3, delta=0.1, c=2.0)(at(7), posterior)
    paper = Theory(B=1.5, R=0.3, delta=0.1, c=2.0, form="paper")(at(7), posterior)
    # the gain of 3 and log(c/δ) = log 20 make the noise 3.4628694 times as large, with 1 added 3.7405166 times
    assert 2 * general == pytest.approx(1.5 + 0.3 / 0.2 * 3.4628694)
    assert 2 * paper == pytest.approx(1.5 + 0.3 * 3.7405166)


def test_before_the_first_observation_only_the_norm_counts(gp):
    assert Theory(B=1.5, R=0.3, delta=0.1)(at(1), gp(n=0, scale=3.0)) == pytest.approx(0.5)


def test_beta_does_not_depend_on_the_units_of_the_outputs(gp):
    small, large = gp(), gp(scale=40.0)
    for form in ("general", "paper"):
        ours = Theory(B=2.0, R=0.1, delta=0.05, form=form)(at(1), small)
        theirs = Theory(B=80.0, R=4.0, delta=0.05, form=form)(at(1), large)
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_where_the_papers_form_may_be_used_it_is_the_wider_one(dial):
    for tau in (1.0, 1.5, 10.0):
        posterior = dial(tau=tau, gain=2.0)
        general, paper = (Theory(1.0, 0.5, 0.1, form=form)(at(1), posterior) for form in ("general", "paper"))
        assert paper > general


def test_the_papers_form_reports_itself_broken_below_tau_one(dial):
    paper, general = Theory(1.0, 0.5, 0.1, form="paper"), Theory(1.0, 0.5, 0.1)
    (reason,) = paper.broken(dial(tau=0.25))
    assert "tau = 0.25" in reason
    assert paper.broken(dial(tau=1.0)) == ()
    assert paper.broken(dial(tau=0.0, n=0)) == ()
    assert general.broken(dial(tau=0.25)) == ()


def test_rules_of_thumb_do_not_claim_to_be_bounds(dial):
    for rule in (SqrtLog(), Widening(), Constant()):
        (reason,) = rule.broken(dial())
        assert "not a confidence bound" in reason


@pytest.mark.parametrize("s", [1.0, 5.0])
def test_the_truth_stays_inside_the_general_bound_in_any_units(s):
    # f = Σ c_j k(·, x_j) has norm B by construction, noise is N(0, R²), the model's τ s² is R². Each of 60 runs leaves
    # the band with probability at most δ = 0.05; more than 10 would be seen with probability below 1e-3.
    # The second assertion is for s = 5: without the division by s the band would be five times wider.
    kernel, rng, grid = RBF(0.3), np.random.default_rng(8), np.linspace(0, 1, 101)[:, None]
    R, tau, outside, used = 0.2 * s, 0.04, 0, []
    for _ in range(60):
        centres, weights = rng.random((6, 1)), rng.standard_normal(6)
        weights *= 2.0 * s / math.sqrt(weights @ kernel(centres, centres) @ weights)
        X = rng.random((15, 1))
        z = kernel(X, centres) @ weights + R * rng.standard_normal(15)
        posterior = Posterior.condition(kernel, X, z, tau, scale=s)
        mean, std = posterior.predict(grid)
        beta = Theory(2.0 * s, R, 0.05)(at(1), posterior)
        share = np.max(np.abs(kernel(grid, centres) @ weights - mean) / std) / beta
        outside += share > 1
        used.append(share)
    assert outside <= 10
    assert np.max(used) > 0.35  # and the band is not idly wide


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: SqrtLog(-1.0), "scale"),
        (lambda: SqrtLog(math.nan), "scale"),
        (lambda: Constant(math.inf), "value"),
        (lambda: Theory(-1.0, 0.1, 0.1), "B must"),
        (lambda: Theory(1.0, math.nan, 0.1), "R must"),
        (lambda: Theory(1.0, 0.1, 1.0), "delta"),
        (lambda: Theory(1.0, 0.1, 0.1, c=0.5), "c must"),
        (lambda: Theory(1.0, 0.1, 0.1, form="exact"), "'general', 'paper'"),
    ],
)
def test_impossible_settings_are_refused_by_name(make, word):
    with pytest.raises(ValueError, match=word):
        make()
