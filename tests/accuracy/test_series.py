"""The accuracy of a run: totals of made-up reports."""

import math

import numpy as np
import pytest

from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy, ledger
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
