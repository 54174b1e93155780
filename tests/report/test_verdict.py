"""The verdict says what was found, whether it is still improving, whether it can be trusted and what to do."""

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.calibration import Calibration
from suffice.accuracy.series import Accuracy
from suffice.report.verdict import Progress, verdict
from suffice.result.findings import Finding


def said(study):
    result = study if isinstance(study, sf.Result) else study.result()
    return " ".join(verdict(result, result.diagnose()))


def told(values, direction="minimize", failed=(), resolution=None):
    opt = sf.Optimizer([(0, 1)], seed=0, direction=direction, n_initial=len(values), resolution=resolution)
    for i, value in enumerate(values):
        trial = opt.ask()
        if i in failed:
            opt.fail(trial, "no")
        else:
            opt.tell(trial, value)
    return opt


@pytest.mark.parametrize(("direction", "word", "sign"), [("minimize", "smallest", 1), ("maximize", "largest", -1)])
def test_it_names_the_best_value_the_first_and_the_median_in_the_users_sense(direction, word, sign):
    values = [sign * v for v in (7.0, 5.0, 3.0, 1.0, 2.0)]
    text = said(told(values, direction))
    best, first, median = (f"{sign * v:g}" for v in (1.0, 7.0, 3.0))
    assert f"The {word} value in 5 evaluations is {best} (trial 3)" in text
    assert f"The first value was {first}, the median of all values is {median}." in text


def test_a_run_that_found_something_late_is_still_improving_and_one_that_did_not_has_levelled_off():
    falling = [20.0 - i for i in range(20)]
    level = [20.0 - i for i in range(10)] + [15.0] * 10
    assert "It was still improving" in said(told(falling))
    assert "More evaluations are likely to find something better." in said(told(falling))
    assert "It has levelled off: the last 10 evaluations" in said(told(level))
    assert "too few evaluations to judge" in said(told(falling[:5]))


def test_steps_below_the_resolution_are_no_improvement():
    values = [10.0, 5.0, 0.0] + [-1e-6 * i for i in range(17)]
    progress = Progress.of(told(values, resolution=0.01).history)
    assert (progress.improved, progress.since, progress.improving) == (3, 17, False)
    assert Progress.of(told([-v for v in values], "maximize", resolution=0.01).history).improved == 3


def test_failures_count_as_evaluations_and_most_of_them_are_a_warning():
    text = said(told(np.arange(12.0), failed=range(1, 9)))
    assert "in 12 evaluations is 0" in text
    assert "Be careful: 8 of 12 evaluations failed." in text
    assert "Be careful" not in said(told(np.arange(12.0), failed=range(1, 5)))


def test_without_a_value_it_says_why_and_promises_nothing():
    opt = sf.Optimizer([(0, 1)], seed=0)
    assert said(opt) == "Nothing was found yet: no evaluation has a value."
    opt.ask()
    assert said(opt).endswith("One trial is pending.")
    text = said(told([0.0] * 3, failed=range(3)))
    assert text.startswith("Nothing was found: all 3 evaluations failed.")
    assert "trust" not in text


def test_with_noise_another_point_than_the_luckiest_is_recommended():
    rng = np.random.default_rng(0)
    opt = sf.Optimizer({"x": sf.Int(0, 3)}, seed=0, repeat=True, model=sf.GP(robust=False))
    for _ in range(10):
        for x in range(4):
            opt.tell({"x": x}, x + rng.normal(0, 0.5))
    opt.tell({"x": 3}, -4.0)  # luck
    text = said(opt)
    result = opt.result()
    assert result.x == {"x": 3}
    assert result.x_recommended == {"x": 0}
    assert "The best value may be inflated by noise" in text


def test_another_point_is_recommended_only_where_print_does_so():
    opt = sf.Optimizer([(0, 1)], seed=0, model=sf.GP(noise=0.3))
    for x in (0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.5, 0.6, 0.7, 0.72, 0.76, 0.78, 0.9):
        opt.tell([x], -0.8 if x <= 0.2 else 0.5)
    opt.tell([0.74], -1.0)
    assert opt.result().x_recommended[0] <= 0.2  # else this is about another case
    assert "recommended" not in str(opt.result())
    assert "inflated" not in said(opt)
    opt.tell([0.5], 0.4)  # another value of the same point
    assert "recommended" in str(opt.result())
    assert "The best value may be inflated by noise" in said(opt)


def test_without_noise_nothing_is_called_luck():
    assert "inflated" not in said(sf.minimize(lambda x: float((x[0] - 0.3) ** 2), [(0, 1)], 20, seed=0))


def test_the_most_pressing_findings_decide_what_to_do_next():
    result = sf.minimize(lambda x: float(x[0]), [(0, 1)], 12, seed=0)
    bound = next(finding for finding in result.diagnose() if finding.name == "bounds")
    others = [Finding("predictions", "", "SAID BEFORE"), bound, bound, Finding("a", "A.", "B."), Finding("c", "", "C.")]
    last = verdict(result, others)[-1]
    assert last.startswith(f"What to do next (3 more below): {bound.sentence} {bound.remedy} A. B.")
    assert "SAID BEFORE" not in last
    assert "C." not in last
    assert "What to do next" not in verdict(result, ())[-1]


def test_it_never_claims_to_know_the_optimum():
    text = said(sf.minimize(lambda x: float((x[0] - 0.3) ** 2), [(0, 1)], 30, seed=0))
    assert "The distance of the best value from the true optimum is not known." in text
    assert "accurate enough in" in text
    assert "—" not in text


def test_error_bars_that_missed_a_value_by_far_are_not_praised():
    def cliff(x):
        return (x[0] - 0.3) ** 2 if x[0] < 0.9 else 50.0

    result = sf.minimize(cliff, [(0, 1)], n_trials=25, seed=0, n_initial=4, polish=False)
    calibration = result.accuracy.calibration
    assert calibration.judgement == "calibrated"  # else this is about another case
    assert calibration.surprising
    text = said(result)
    assert "can be trusted" not in text
    assert f"one value was off by {calibration.worst:.1f} standard deviations" in text


def test_error_bars_are_trusted_only_if_nothing_speaks_against_them(monkeypatch):
    result = sf.minimize(lambda x: float((x[0] - 0.3) ** 2), [(0, 1)], 9, seed=0)

    def trusted(within, worst, judgement="calibrated", findings=()):
        found = Calibration(24, within, 0.5, 1.0, worst, judgement)
        monkeypatch.setattr(Accuracy, "calibration", property(lambda _: found))
        text = verdict(result, [Finding(name, "", "") for name in findings])[1]
        return "can be trusted" in text or "larger than necessary: 12 of 24 values lay within" in text

    assert trusted(0.9, 2.0)
    assert trusted(0.9, 2.0, findings=["bounds", "budget"])
    assert not trusted(0.79, 8.2)  # as a printed result says: calibrated, with exceptions
    assert not trusted(0.6, 3.0, "overconfident")
    assert not trusted(0.9, 2.0, findings=["model"])
    assert not trusted(0.9, 2.0, findings=["noise"])
    assert trusted(1.0, 1.1, "underconfident")


def test_a_lucky_value_at_the_end_of_a_noisy_run_is_no_progress():
    rng, optimizer = np.random.default_rng(0), sf.Optimizer({"x": (0.0, 1.0)}, seed=0, repeat=True)
    for x in np.linspace(0.0, 1.0, 39):
        optimizer.tell({"x": float(x)}, 50.0 * (x - 0.5) ** 2 + rng.normal())
    optimizer.tell({"x": 0.5}, -4.0)
    result = optimizer.result()
    assert Progress.of(result.history).improving is False
    assert not any("still improving" in finding.sentence for finding in result.diagnose())
