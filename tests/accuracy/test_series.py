"""The accuracy of a run: totals of made-up reports, and the bound with what it rests on."""

import math

import numpy as np
import pytest

from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy, ledger
from suffice.acquisition import EI, UCB, Constant, SqrtLog, Theory, Thompson
from suffice.gp import GP
from suffice.gp.model import Observations
from suffice.space import UnitCube
from suffice.study.assumptions import premises
from suffice.types import Ledger, Status


def report(eta=None, eta_lower=None, gap=None, width=None, inaccuracy=None):
    return SolveReport(
        value=0.0,
        upper=None,
        upper_kind=None,
        relative_gap=gap,
        gap=None,
        eta=eta,
        eta_lower=eta_lower,
        rank=None,
        n_evals=1,
        n_grads=0,
        status=Status.DONE,
        seconds={},
        width=width,
        inaccuracy=inaccuracy,
    )


KNOWN = (report(0.9, 0.8, 0.05, 1.0, 0.1), report(1.0, 0.95, 0.0, 0.5, 0.0), report(0.7, 0.2, 0.5, 2.0, 0.25))
UNKNOWN = report(width=4.0)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.random((12, 2))
    y = np.exp(4 * X[:, 0]) + X[:, 1]  # a long tail, so that the fit warps
    return GP()(Observations(X, y, np.full(12, np.nan)), UnitCube(2))


def of_a_run(reports, fitted, acquisition):
    return Accuracy(reports, fitted.posterior.gain, premises(fitted, acquisition, dimension=2))


def test_the_series_are_those_of_the_reports():
    accuracy = Accuracy(KNOWN)
    assert accuracy.eta.tolist() == [0.9, 1.0, 0.7]
    assert accuracy.eta_lower.tolist() == [0.8, 0.95, 0.2]
    assert accuracy.gaps.tolist() == [0.05, 0.0, 0.5]


def test_the_totals_by_hand():
    accuracy = Accuracy(KNOWN)
    assert accuracy.m_t == pytest.approx(0.2 + 0.05 + 0.8)
    assert accuracy.m_estimated == pytest.approx(0.1 + 0.0 + 0.3)
    assert accuracy.ledger == ledger(KNOWN) == Ledger(inaccuracies=0.35, widths=3.5)


def test_a_step_without_an_estimate_is_the_worst_case_and_no_number():
    accuracy = Accuracy((*KNOWN, UNKNOWN))
    assert np.isnan(accuracy.eta).tolist() == np.isnan(accuracy.gaps).tolist() == [False, False, False, True]
    assert accuracy.m_t == pytest.approx(1.05 + 1.0)
    assert math.isnan(accuracy.m_estimated)
    assert accuracy.ledger == Ledger(inaccuracies=0.35, widths=7.5)


def test_a_run_without_model_based_steps_has_nothing_to_account_for():
    accuracy = Accuracy(())
    assert (accuracy.m_t, accuracy.m_estimated, accuracy.gain, accuracy.ledger) == (0.0, 0.0, 0.0, Ledger())
    assert accuracy.eta.shape == accuracy.eta_lower.shape == accuracy.gaps.shape == (0,)
    assert accuracy.bound is None


# ------------------------------------------------------------------ the bound


def test_the_bound_is_the_two_sums_of_the_ledger(fitted):
    assert of_a_run(KNOWN, fitted, UCB(SqrtLog())).bound.value == pytest.approx(0.35 + 3.5)


def test_the_bound_has_no_number_as_soon_as_one_term_is_unknown(fitted):
    for lacking in (UNKNOWN, report(inaccuracy=0.1)):
        bound = of_a_run((*KNOWN, lacking), fitted, UCB(SqrtLog())).bound
        assert bound.value is None
        assert "1 of 4 steps" in bound.broken[-1]


def test_the_bound_names_what_fails(fitted):
    assert fitted.hyper.lam != 1.0
    broken = " | ".join(of_a_run(KNOWN, fitted, UCB(SqrtLog())).bound.broken)
    for words in ("warp", "fitted to the same data", "rule of thumb", "B is not known", "R is not known"):
        assert words in broken
    assert "no β" in " | ".join(of_a_run(KNOWN, fitted, EI()).bound.broken)


def test_a_theoretical_beta_is_not_among_what_fails(fitted):
    theory, rule = (of_a_run(KNOWN, fitted, UCB(beta)).bound.broken for beta in (Theory(2.0, 0.1, 0.05), Constant(2.0)))
    assert set(theory) < set(rule)
    assert not any("B is not" in words or "R is not" in words or "thumb" in words for words in theory)


def test_outputs_as_they_are_are_not_called_warped(fitted):
    rng = np.random.default_rng(0)
    X = rng.random((12, 2))
    plain = GP(warp=False)(Observations(X, X.sum(axis=1), np.full(12, np.nan)), UnitCube(2))
    assert not any("warp" in words for words in of_a_run(KNOWN, plain, UCB(SqrtLog())).bound.broken)


def test_for_thompson_sampling_the_bound_says_that_it_is_not_its_theorem(fitted):
    ucb, thompson = (of_a_run(KNOWN, fitted, kind).bound.broken for kind in (UCB(Constant(1.0)), Thompson()))
    assert set(thompson) - set(ucb) == {words for words in thompson if "Theorem 1 is about UCB" in words}
    assert len(set(thompson) - set(ucb)) == 1
