"""Curves and what a trial may still come to: against draws, by hand, and whatever order reports come in."""

import math

import numpy as np
import pytest
from scipy import stats

from suffice.pruning import (
    FEWEST,
    Curve,
    Field,
    Outlook,
    best,
    grown,
    last,
    mean,
)


def test_reports_grow_by_steps_and_a_step_that_comes_again_begins_anew_from_there():
    reports = ()
    for step in (1, 2, 3):
        reports = grown(reports, step, 10.0 * step)
    assert reports == ((1, 10.0), (2, 20.0), (3, 30.0))
    assert grown(reports, 2, 5.0) == ((1, 10.0), (2, 5.0))
    assert grown(reports, 0, 1.0) == ((0, 1.0),)


def test_the_users_sense_ends_at_the_curve_and_what_is_no_number_is_worst():
    curve = Curve.of(((1, 2.0), (4, math.nan), (5, 1.0)), -1.0, final=1.0)
    assert curve == Curve((1, 4, 5), (-2.0, -math.inf, -1.0), -1.0)
    assert curve.upto(0) == ()
    assert curve.upto(4) == (-2.0, -math.inf)
    assert curve.upto(99) == curve.values


def test_a_column_has_the_finished_trials_that_had_reported_by_then_however_it_is_asked():
    field = Field()
    for i in range(6):
        field.put(i, Curve((i,), (float(i),)))  # under way: in no column
        assert len(field.column(best, 3)[0]) == min(i, 4)
        field.put(i, Curve((i, i + 1), (float(i), -1.0), final=10.0 + i))
    levels, finals = field.column(best, 3)
    assert levels.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert finals.tolist() == [10.0, 11.0, 12.0, 13.0]
    assert field.column(last, 3)[0].tolist() == [-1.0, -1.0, -1.0, 3.0]
    assert field.column(mean, 3)[0].tolist() == [-0.5, 0.0, 0.5, 3.0]
    assert (field.best, field.longest) == (15.0, 6)
    field.drop(0)
    assert 0 not in field.curves


def test_fewer_finished_trials_than_have_a_variance_say_nothing():
    for m in range(FEWEST):
        assert Outlook.of(0.0, np.arange(float(m)), np.arange(float(m))) is None
    assert Outlook.of(-math.inf, np.zeros(9), np.arange(9.0)) is None


@pytest.mark.parametrize("m", [4, 5, 12])
def test_the_prediction_of_a_new_gain_has_the_coverage_that_it_claims(m):
    """Of 4000 normal samples, a limit that 10 % exceed is exceeded by 8.5 to 11.5 % (off by chance once in 600)."""
    rng = np.random.default_rng([m, 1])
    gains = 3.0 + 0.5 * rng.standard_normal((4000, m + 1))
    level = rng.standard_normal((4000, m))
    above = [gains[i, m] > Outlook.of(0.0, level[i], level[i] + gains[i, :m]).upper(0.1) for i in range(len(gains))]
    assert np.mean(above) == pytest.approx(0.1, abs=0.015)


def test_the_variance_is_that_of_students_t():
    levels, finals = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 2.5, 2.9, 4.4, 5.0, 6.1])
    found, d = Outlook.of(7.0, levels, finals), finals - levels
    assert found.mean == pytest.approx(7.0 + d.mean())
    assert found.variance == pytest.approx(d.var(ddof=1) * (1 + 1 / 6) * stats.t(5).var())
