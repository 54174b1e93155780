"""What reports come to in sentences: right counts and shares, plain numbers, nothing about what is not known."""

import math

import pytest

from suffice.accuracy.calibration import Calibration
from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import duration, exact_enough, exceeded, paragraph, percent, verdict
from suffice.types import Status

UNKNOWN = dict.fromkeys(("upper", "upper_kind", "relative_gap", "gap", "eta", "eta_lower", "rank"))
BARE = UNKNOWN | {"value": 1.0, "n_evals": 1, "n_grads": 0, "status": Status.DONE, "seconds": {}}


def report(**words):
    return SolveReport(**(BARE | words))


def said(*reports, calibrated=None, seconds=None):
    return " ".join(verdict(reports, {"value": calibrated}, seconds))


@pytest.mark.parametrize(
    ("words", "enough"),
    [
        ({}, None),
        ({"relative_gap": 0.01}, True),
        ({"relative_gap": 0.02}, False),
        ({"relative_gap": 0.02, "inaccuracy": 0.3}, False),
        ({"relative_gap": 0.02, "inaccuracy": 0.3, "allowance": 0.3}, True),
        ({"relative_gap": 0.02, "inaccuracy": 0.3, "allowance": 0.2, "status": Status.BUDGET}, False),
        ({"relative_gap": 0.002, "inaccuracy": 0.3, "allowance": 0.2, "status": Status.BUDGET}, True),
        ({"inaccuracy": 0.1, "allowance": 0.2}, True),
        ({"relative_gap": 0.001, "inaccuracy": 0.1, "eta": 0.9}, False),  # of a logarithm, a tenth is lost
        ({"relative_gap": 0.001, "inaccuracy": 0.1, "eta": 0.9, "shift": 0.0}, True),
        ({"relative_gap": 0.9, "inaccuracy": 0.009, "eta": 0.99}, True),
        ({"relative_gap": 0.5, "inaccuracy": 0.5, "attained": 1.5}, None),
        ({"relative_gap": 0.0, "audited": 1.5, "median": 0.0}, False),  # the audit knows better
        ({"relative_gap": 0.5, "audited": 1.0, "median": 0.0}, True),
        ({"relative_gap": 0.0, "audited": 1.5, "median": 0.0, "allowance": 0.6}, True),
    ],
)
def test_a_step_is_exact_enough_if_what_it_missed_is_allowed_or_negligible(words, enough):
    assert exact_enough(report(**words)) is enough


def test_a_limit_is_exceeded_by_more_than_rounding_only():
    assert exceeded(report(upper=2.0, audited=2.1, median=0.0)) is True
    assert exceeded(report(upper=2.0, audited=2.0 + 1e-9, median=0.0)) is False
    assert exceeded(report(upper=2.0)) is exceeded(report(audited=2.0)) is None


def test_reports_that_know_nothing_say_nothing():
    assert verdict((), {"value": None}, 5.0) == ()
    assert said(report(), report()) == ""
    assert "no accuracy to report" in str(Accuracy(()))


def test_a_search_with_a_width_is_judged_by_the_regret_bound():
    words = {"relative_gap": 0.001, "width": 1.0, "inaccuracy": 0.01}
    steps = [report(upper=1.0 + gap, gap=gap / 2, **words) for gap in (0.01, 0.03)]
    text = said(*steps, report(relative_gap=0.5, upper=1.02, width=2.0, inaccuracy=0.02))
    assert text.startswith("Acquisition maximization was accurate enough in 2 of 3 steps; ")
    assert "adds about 1 % and at most 1.5 % to the regret bound" in text  # 0.04 and 0.06 of 4
    assert "(in no step more than 0.015, in the objective's units)" in text


def test_an_improvement_is_lost_in_the_mean_of_the_steps_that_look_for_one():
    steps = [report(relative_gap=0.0, eta=1.0, eta_lower=eta, kind="improve") for eta in (1.0, 0.99)]
    assert said(*steps).endswith("2 of 2 steps; inexactness cost at most 0.5 % of the expected improvement.")
    elsewhere = report(relative_gap=0.0, eta=0.9, eta_lower=0.2, shift=5.0, kind="look elsewhere")
    assert said(*steps, elsewhere).endswith(
        "3 of 3 steps; in the 2 steps that seek an improvement, inexactness cost at most 0.5 % of the expected "
        "improvement."
    )


def test_a_ratio_that_depends_on_a_shift_is_for_the_researcher():
    assert said(report(eta=0.9, eta_lower=0.5, shift=3.0)) == ""
    assert "cost about 10 % and at most 50 % of the best acquisition value" in said(
        report(eta=0.9, eta_lower=0.5, shift=0.0)
    )


def test_steps_that_cannot_be_judged_are_not_counted():
    assert "accurate enough in 1 of the 2 steps that can be judged." in said(
        report(), report(relative_gap=0.0), report(relative_gap=1.0)
    )


def test_without_a_limit_the_rank_is_what_is_known():
    text = said(report(rank=0.02), report(rank=0.011))
    assert "gives no bound" in text
    assert "with 90 % confidence, at most 2 % of the space has a better acquisition value" in text
    assert said(report(rank=0.02), report()) == ""
    assert "rank" not in text
    assert "space" not in said(report(rank=0.02, upper=1.0, relative_gap=0.0))


def test_an_audit_says_how_much_was_missed_and_whether_that_was_thought_possible():
    exact, near, beyond = (report(audited=value, median=0.0, upper=1.1) for value in (1.0, 1.04, 1.25))
    assert "In the one audited step a far longer search found nothing better." in said(exact, report())
    text = said(exact, near)
    assert "In 2 audited steps a far longer search found nothing better by more than 0.04 of the spread" in text
    assert "possible" not in text
    assert "but in 1 of them a value above the reported upper bound." in said(exact, beyond)


def test_a_point_that_was_evaluated_before_is_no_fault_of_the_search():
    worse = report(relative_gap=0.8, upper=9.0, width=1.0, audited=9.0, median=0.0, attained=9.0)
    text = said(report(relative_gap=0.0, upper=1.0, width=1.0), worse)
    assert "accurate enough in 1 of 1 steps; inexactness adds nothing to" in text
    assert text.endswith("In one step the best point had been evaluated before, and the best new one was taken.")


def test_deciding_is_all_but_the_audits():
    steps = [report(seconds={"fit": 0.2, "solve": 0.2, "audit": 0.6})] * 2
    assert said(*steps) == "Choosing points took 0.8 s, and auditing 1.2 s."
    assert said(*steps, seconds=38.0) == "Choosing points took 0.8 s, 2 % of the run, and auditing 1.2 s."
    assert said(report(seconds={"fit": 1.0}), seconds=3.0) == "Choosing points took 1 s, 25 % of the run."


def test_predictions_are_judged_in_words_with_the_numbers_behind_them():
    found = Calibration(54, 0.9074, 0.5, 1.08, 2.0, "calibrated")
    assert said(calibrated=found) == (
        "The model's one-step predictions were calibrated: 91 % of 54 values lay within their 90 % intervals "
        "(root mean square z-score 1.1)."
    )
    surprised = said(calibrated=Calibration(54, 0.9, 0.5, 1.9, 9.8, "calibrated"))
    assert "were calibrated, with exceptions: 90 %" in surprised
    assert surprised.endswith("; the worst missed by 9.8 standard deviations.")
    cautious = said(calibrated=Calibration(54, 1.0, 0.93, 0.3, 1.1, "underconfident"))
    assert "100 % of 54 values lay within their 90 % intervals and 93 % within their 50 % intervals" in cautious
    few = said(calibrated=Calibration(3, 1.0, 0.5, 1.0, 1.0, "too few to tell"))
    assert few.startswith("3 values are too few to tell")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (1e-9, "0.001 %"), (0.00312, "0.31 %"), (0.0999, "10 %"), (0.5, "50 %"), (3.25, "325 %")],
)
def test_shares_are_read_as_percents(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0123, "12 ms"), (0.0999, "100 ms"), (0.8, "0.8 s"), (45.2, "45 s"), (150.0, "2.5 min"), (9000.0, "2.5 h")],
)
def test_times_are_read_in_the_unit_that_fits(seconds, text):
    assert duration(seconds) == text


def test_lines_do_not_part_a_number_from_its_unit():
    text = " ".join(f"{'x' * (i % 7)} {i} %, {i} s." for i in range(200))
    lines = paragraph(text, "  ").splitlines()
    assert len(lines) > 20
    assert all(len(line) <= 100 for line in lines)
    assert not any(line.startswith(("  %", "  s")) for line in lines)
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())


def test_the_series_of_limits_proofs_and_audits_are_relative_gaps():
    words = {"median": 0.0, "upper": 2.0, "upper_certified": 4.0, "audited": 1.25}
    accuracy = Accuracy((report(**words), report()))
    for series, gap in ((accuracy.limits, 0.5), (accuracy.certified, 0.75), (accuracy.audited, 0.2)):
        assert series[0] == pytest.approx(gap)
        assert math.isnan(series[1])


def test_of_several_outputs_each_is_judged_by_its_name():
    sure = Calibration(30, 0.5, 0.2, 2.0, 2.1, "overconfident")
    few = Calibration(3, 1.0, 1.0, 0.5, 0.7, "too few to tell")
    said = verdict((), {"error": sure, "gain": None, "latency": few}, None)
    assert len(said) == 2
    assert said[0].startswith("The model's one-step predictions of error were overconfident: 50 % of 30 values")
    assert said[1].startswith("3 values are too few to tell whether the model's one-step predictions of latency were")
