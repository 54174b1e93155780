"""A proof for each suggestion, where it is asked for."""

import pytest

import suffice as sf


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def reports(**words):
    result = sf.minimize(bowl, [(0.0, 1.0)] * 2, 9, seed=0, **words)
    return [trial.solve for trial in result.trials if trial.solve is not None]


@pytest.mark.parametrize("aim", ["best", "regret"])
def test_a_proven_limit_is_above_the_value_and_close_to_it(aim):
    for report in reports(certify=2.0, aim=aim):
        assert report.value <= report.upper_certified
        assert report.upper_certified - report.value <= 0.05 * (report.value - report.median)


def test_a_proof_changes_no_suggestion_and_none_is_given_unasked():
    asked, unasked = reports(certify=0.1), reports()
    assert [report.value for report in asked] == [report.value for report in unasked]
    assert all(report.upper_certified is None for report in unasked)


def test_a_score_without_a_bound_has_no_proof():
    assert all(report.upper_certified is None for report in reports(certify=0.1, acquisition=sf.KG()))
