"""A proof for each suggestion, where it is asked for: in seconds, or as a share of the time of an evaluation."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import suffice as sf
from suffice.ask import suggest as module

BOX = [(0.0, 1.0)] * 2
MIXED = sf.Space(x=sf.Float(0.0, 1.0), n=sf.Int(1, 4), c=sf.Choice("a", "b"))
LONG = 60.0  # seconds


def bowl(x):
    return float(((np.asarray(x) - 0.3) ** 2).sum())


def of_mixed(point):
    return (point["x"] - 0.3) ** 2 + 0.1 * point["n"] + (point["c"] == "a")


def reports(n=9, f=bowl, space=BOX, **words):
    result = sf.minimize(f, space, n, seed=0, **words)
    return [trial.solve for trial in result.trials if trial.solve is not None]


def driven(seconds, n=8, **words):
    """A run whose evaluations took so many seconds each."""
    optimizer = sf.Optimizer(BOX, seed=0, n_initial=5, **words)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point), seconds=seconds)
    return optimizer


@pytest.fixture
def granted(monkeypatch):
    """The seconds that each proof was given; it takes boxes instead, so that nothing depends on the machine."""
    given, proof = [], module.certify

    def watched(alpha, domain, *, value, seconds):
        given.append(seconds)
        return proof(alpha, domain, value=value, nodes=3000)

    monkeypatch.setattr(module, "certify", watched)
    return given


# ------------------------------------------------------------------ what is proved


@pytest.mark.parametrize("aim", ["best", "regret"])
def test_a_proven_limit_is_above_the_value_and_close_to_it(granted, aim):
    for report in reports(diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG), aim=aim):
        assert report.value <= report.upper_certified
        assert report.upper_certified - report.value <= 0.05 * (report.value - report.median)
    assert set(granted) == {LONG}


@pytest.mark.parametrize(("space", "f"), [(BOX, bowl), (MIXED, of_mixed)], ids=["box", "mixed"])
@pytest.mark.parametrize(
    "words",
    [
        {"aim": "regret"},
        {"acquisition": sf.LogEI()},
        {"acquisition": sf.acquisition.EI(), "solver": sf.solvers.Grid(size=sf.solvers.Fixed(50))},
    ],
    ids=["ucb", "log ei", "ei by a grid"],
)
def test_the_numbers_of_a_report_rest_on_the_proof(granted, words, space, f):
    found = reports(f=f, space=space, diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG), **words)
    assert len(granted) == len(found) > 0
    for report in found:
        assert report.value <= report.upper <= report.upper_certified
        assert report.value + report.inaccuracy <= report.upper + 1e-12 * abs(report.upper)
        certified = report.upper == report.upper_certified
        assert (report.upper_kind, report.confidence) == (("certified", 1.0) if certified else ("multistart", 0.9))
        assert report.gap >= 0.0
        assert report.eta_lower <= report.eta


def test_a_grid_has_a_limit_where_there_is_a_proof_and_none_where_there_is_not(granted):
    words = {"aim": "regret", "solver": sf.solvers.Grid(size=sf.solvers.Fixed(50))}
    for with_proof, without in zip(
        reports(diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG), **words), reports(**words), strict=True
    ):
        assert (with_proof.upper_kind, with_proof.confidence) == ("certified", 1.0)
        assert (without.upper, without.upper_kind, without.gap, without.eta_lower) == (None,) * 4
        assert without.upper_certified is None
        assert with_proof.value == without.value
    assert granted


def test_on_a_finite_space_everything_is_certain_with_and_without_a_proof():
    space = sf.Space(n=sf.Int(1, 5), c=sf.Choice("a", "b"))
    for words in ({}, {"diagnostics": sf.solvers.Diagnostics(proof_seconds=LONG)}):
        for report in reports(8, lambda p: p["n"] + (p["c"] == "a"), space, n_initial=4, **words):
            assert report.confidence == 1.0
            assert report.upper_kind in ("enumerated", "certified")


def test_a_proof_changes_no_suggestion_and_none_is_given_unasked(granted):
    asked, unasked = (
        reports(diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG), acquisition=sf.LogEI()),
        reports(acquisition=sf.LogEI()),
    )
    assert [report.value for report in asked] == [report.value for report in unasked]
    assert all(report.upper_certified is None for report in unasked)
    assert len(granted) == len(asked)


def test_a_score_without_a_bound_has_no_proof_and_takes_no_time_for_one(granted):
    for report in reports(
        diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG, proof_fraction=1.0), acquisition=sf.acquisition.KG()
    ):
        assert report.upper_certified is None
        assert "certify" not in report.seconds
    assert granted == []


# ------------------------------------------------------------------ how long it may take


def test_a_share_is_that_of_the_median_evaluation_time(granted):
    driven(20.0, diagnostics=sf.solvers.Diagnostics(proof_fraction=0.02))
    assert granted == [pytest.approx(0.4)] * 3
    del granted[:]
    optimizer = sf.Optimizer(BOX, seed=0, n_initial=3, diagnostics=sf.solvers.Diagnostics(proof_fraction=0.5))
    for i, seconds in enumerate((1.0, 100.0, 3.0)):
        optimizer.tell(optimizer.ask(), float(i), seconds=seconds)
    optimizer.ask()
    assert granted == [pytest.approx(1.5)]


def test_as_long_as_the_time_of_an_evaluation_is_not_known_there_is_no_proof(granted):
    found = driven(None, diagnostics=sf.solvers.Diagnostics(proof_fraction=0.5)).trials
    assert granted == []
    assert all(trial.solve.upper_certified is None for trial in found if trial.solve is not None)


def test_of_seconds_and_a_share_the_longer_one_counts(granted):
    for seconds, expected in ((1.0, 2.0), (400.0, 8.0), (None, 2.0)):
        driven(seconds, n=6, diagnostics=sf.solvers.Diagnostics(proof_seconds=2.0, proof_fraction=0.02))
        assert granted == [pytest.approx(expected)]
        del granted[:]


def test_the_time_of_a_proof_is_a_phase_of_its_own(monkeypatch):
    now, proof = [0.0], module.certify

    def slow(*args, **words):
        now[0] += 7.0
        return proof(*args, value=words["value"], nodes=200)

    optimizer = driven(20.0, n=6, diagnostics=sf.solvers.Diagnostics(proof_fraction=0.02))
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0], monotonic=lambda: 0.0))
    monkeypatch.setattr(module, "certify", slow)
    report = optimizer.ask().solve
    assert (report.seconds["certify"], sum(report.seconds.values())) == (7.0, 7.0)


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize("wrong", [0, -0.5, math.nan, math.inf, "much"])
@pytest.mark.parametrize("name", ["proof_seconds", "proof_fraction"])
def test_impossible_times_are_refused_by_name_before_anything_is_evaluated(name, wrong):
    def never(x):
        raise AssertionError("evaluated")

    with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
        sf.minimize(never, BOX, 5, diagnostics=sf.solvers.Diagnostics(**{name: wrong}))


def test_the_settings_and_the_proofs_are_saved_and_loaded(granted, tmp_path):
    result = sf.minimize(
        bowl, BOX, 8, seed=0, diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG, proof_fraction=0.25)
    )
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    assert loaded.settings.diagnostics == sf.solvers.Diagnostics(proof_seconds=LONG, proof_fraction=0.25)
    assert [trial.solve for trial in loaded.trials] == [trial.solve for trial in result.trials]
    assert any(trial.solve is not None and trial.solve.upper_certified is not None for trial in loaded.trials)
    assert granted


def test_a_proof_ends_with_the_deadline_of_the_ask(granted):
    optimizer = sf.Optimizer(BOX, seed=0, n_initial=5, diagnostics=sf.solvers.Diagnostics(proof_seconds=LONG))
    for _ in range(6):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    before = len(granted)
    optimizer.ask(deadline=0.5)
    assert all(seconds <= 0.5 for seconds in granted[before:])
