"""What a run says about itself when it is printed: the answer, the verdict, what to do; and never what is unknown."""

from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.series import Accuracy
from suffice.result.findings import remedies
from suffice.types import Solution, Status

BOX = [(0.0, 1.0), (0.0, 1.0)]


def wavy(x):
    return float(((x - 0.3) ** 2).sum() + 0.1 * np.sin(12 * x[0]))


@pytest.fixture(scope="module")
def enough():
    return sf.minimize(wavy, BOX, 34, seed=0, polish=False)


@pytest.fixture(scope="module")
def coarse():
    return sf.minimize(wavy, BOX, 20, seed=0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(10)), aim="regret")


def names(result, **words):
    return [finding.name for finding in remedies(result.settings, replace(result.accuracy, **words))]


# ------------------------------------------------------------------ z-scores


def test_each_value_is_judged_by_the_model_that_asked_for_it(make):
    """From the record alone: the model is made again from what was known, pending points left out."""
    opt, waiting = make(BOX, model=sf.GP(members=1), direction="maximize"), []
    while len(opt.trials) < 30:
        waiting += opt.ask(3)
        while len(waiting) > 2:
            trial = waiting.pop(0)
            if trial.number == 20:
                opt.fail(trial)
            else:
                opt.tell(trial, float(np.exp(-8 * wavy(trial.point))))
    result = opt.result()
    z = iter(result.accuracy.z_scores)
    judged, fits = 0, set()
    for trial in result.trials:
        if trial.solve is None:
            continue
        binding, score = trial.solve.binding, next(z)
        if trial.state != "done":
            assert np.isnan(score)
            continue
        model, data = result.settings.model, result.history.before(trial.number).observations()
        words = (binding.hyper, binding.outcome, binding.constant, binding.n_refit)
        posterior = model.rebuild(data, result.settings.space, *words)
        mean, std = posterior.predict(trial.unit[None])
        variance = std[0] ** 2 + posterior.scale**2 * binding.hyper.tau
        scale = (trial.solve.rescaled or {}).get("value", 1.0)
        expected = (binding.outcome(np.array([trial.value]))[0] - mean[0]) / np.sqrt(variance) / scale
        assert score == pytest.approx(expected, rel=1e-3, abs=1e-6)
        judged, fits = judged + 1, fits | {binding.hyper}
    assert judged > 15
    assert len(fits) > 1  # it was fitted again


def test_scores_do_not_change_with_the_units_or_the_sense_of_the_objective(enough):
    scaled = sf.minimize(lambda x: 1024.0 * wavy(x), BOX, 34, seed=0, polish=False)  # without rounding
    upside_down = sf.maximize(lambda x: -wavy(x), BOX, 34, seed=0, polish=False)
    for other in (scaled, upside_down):
        assert other.accuracy.z_scores == pytest.approx(enough.accuracy.z_scores)


def test_a_suggestion_that_was_cancelled_is_not_among_the_scores(make, drive):
    opt = make(BOX)
    drive(opt, 8)
    opt.cancel(opt.ask())
    opt.ask()
    assert len(opt.accuracy.z_scores) == len(opt.accuracy.reports) == 3
    assert np.isnan(opt.accuracy.z_scores).tolist() == [False, False, True]


# ------------------------------------------------------------------ in print


def test_a_printed_result_has_its_answer_and_its_run_and_is_silent_about_accuracy(enough):
    text = str(enough)
    places = [text.index(words) for words in ("best seen", "matters most", "run  ", "seed 0")]
    assert places == sorted(places)
    assert "accurate enough" not in text
    assert "choosing" not in text.partition("\nrun ")[0]
    assert len(str(enough.accuracy).splitlines()) <= 6
    assert all(len(line) <= 100 for line in str(enough.accuracy).splitlines())
    assert not any(symbol in text for symbol in ("η", "M_T", "rank"))


def test_a_result_without_model_based_points_has_no_verdict():
    result = sf.minimize(wavy, BOX, 4, seed=0, n_initial=4)
    assert result.accuracy.verdict == ()
    assert str(result).splitlines()[-1] == "run           all 4 trials are done; seed 0"
    assert str(sf.Optimizer(BOX).result())


def test_the_share_of_deciding_is_of_what_is_known(make, drive):
    opt = make(BOX)
    drive(opt, 8)
    assert "of the run" not in " ".join(opt.accuracy.verdict)
    for _ in range(3):
        opt.tell(opt.ask(), 1.0, seconds=10.0)
    assert opt.accuracy.evaluation_seconds is None  # of the first eight, nobody knows
    timed = make(BOX)
    timed.tell([0.2, 0.9], 3.0)  # from elsewhere: not an evaluation of this run
    for _ in range(8):
        trial = timed.ask()
        timed.tell(trial, wavy(trial.point), seconds=10.0)
    timed.fail(timed.ask())
    assert timed.accuracy.evaluation_seconds == 80.0
    assert "of the run" in " ".join(timed.accuracy.verdict)


def test_a_saved_result_prints_the_same(enough, tmp_path):
    enough.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    assert str(loaded) == str(enough)
    assert loaded.accuracy.outputs == enough.accuracy.outputs


def test_a_solver_of_ones_own_that_tells_nothing_has_no_sentence_about_the_search():
    def solver(alpha, domain, *, step, rng):
        x = domain.sample(1, rng)[0]
        return Solution(x, float(alpha(x[None])[0]), 1)

    result = sf.minimize(wavy, BOX, 12, seed=0, solver=solver)
    assert "search" not in str(result.accuracy)
    assert "Choosing points took" in str(result.accuracy)


def test_on_a_space_that_is_used_up_the_search_is_exact_and_points_are_taken():
    space = sf.Space(a=sf.Int(0, 5), b=sf.Choice("u", "v", "w"))
    result = sf.minimize(
        lambda p: (p["a"] - 2) ** 2 + (p["b"] == "u"),
        space,
        18,
        seed=0,
        n_initial=5,
        diagnostics=sf.solvers.Diagnostics(audit=1.0),
    )
    reports = result.accuracy.reports
    taken = sum(report.taken for report in reports)
    assert taken > 2
    assert all(report.inaccuracy == 0.0 for report in reports if not report.taken)
    assert any(report.inaccuracy > 0.0 for report in reports if report.taken)
    words = " ".join(result.accuracy.verdict)
    assert f"accurate enough in {13 - taken} of {13 - taken} steps" in words
    assert f"In {taken} steps the best point had been evaluated before" in words
    assert "search" not in names(result)


# ------------------------------------------------------------------ what to do about it


def test_a_search_that_is_too_short_is_found_with_a_remedy(coarse, enough):
    assert "search" not in names(enough)
    (finding,) = (found for found in remedies(coarse.settings, coarse.accuracy) if found.name == "search")
    assert "may have stopped too early in" in finding.sentence
    assert "solver=sf.solvers.Adaptive()" in finding.remedy
    assert " ".join(finding.brief.split()) in " ".join(str(coarse).split())


def test_the_remedy_for_a_budget_that_is_used_up_is_a_larger_one(enough):
    short = tuple(
        replace(report, relative_gap=0.2, inaccuracy=1.0, allowance=0.0, status=Status.BUDGET, attained=None)
        for report in enough.accuracy.reports
    )
    (finding,) = (found for found in remedies(enough.settings, Accuracy(short)) if found.name == "search")
    assert f"{len(short)} of them because the budget ran out" in finding.sentence
    assert "cap" in finding.remedy


def test_a_model_that_is_surprised_too_often_is_found_with_a_remedy(enough):
    sure = tuple(replace(report, deviation=1e-6 * report.deviation) for report in enough.accuracy.reports)
    assert "predictions" in names(enough, reports=sure)
    cautious = tuple(replace(report, deviation=1e6 * report.deviation) for report in enough.accuracy.reports)
    assert "predictions" not in names(enough, reports=cautious)


@pytest.mark.parametrize(("surprised", "severity"), [("first", "note"), ("second", "warning"), ("both", "warning")])
def test_surprises_that_the_model_has_learned_from_are_no_warning(enough, surprised, severity):
    reports, half = enough.accuracy.reports, len(enough.accuracy.reports) // 2

    def scaled(report, i):
        sure = surprised == "both" or (surprised == "first") == (i < half)
        return replace(report, deviation=(1e-6 if sure else 1e6) * report.deviation)

    accuracy = replace(enough.accuracy, reports=tuple(scaled(report, i) for i, report in enumerate(reports)))
    (finding,) = (found for found in remedies(enough.settings, accuracy) if found.name == "predictions")
    assert finding.severity == severity
    assert ("better points" in finding.remedy) == (severity == "warning")
    out = len(reports) if surprised == "both" else half if surprised == "first" else len(reports) - half
    assert f"{out} of {len(reports)} values" in finding.sentence


def test_limits_that_fail_more_often_than_stated_are_found(enough):
    reports = enough.accuracy.reports

    def audited(above):
        return tuple(
            replace(report, upper=report.value, audited=report.value + (i < above), attained=None)
            for i, report in enumerate(reports)
        )

    assert len(reports) == 28
    assert "limits" not in names(enough, reports=audited(3))  # nominally 2.8 of 28
    assert "limits" in names(enough, reports=audited(9))
