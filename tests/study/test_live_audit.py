"""An audit while the run goes on: of the share that was asked for, without a change of any decision."""

import math
import time

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.estimate import relative_gap
from suffice.solvers import Exhaustive

BOX = [(0.0, 1.0), (0.0, 1.0)]
COARSE = sf.solvers.Grid(size=sf.solvers.Fixed(20))


def wavy(x):
    return float(((x - 0.3) ** 2).sum() + 0.1 * np.sin(12 * x[0]))


def run(n=14, **words):
    return sf.minimize(wavy, BOX, n, **({"seed": 0, "n_initial": 6, "aim": "regret", "solver": COARSE} | words))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.3, 0.1, 1 / 3, 0.77])
def test_the_share_of_the_steps_is_audited_and_they_are_spread_evenly(share):
    audited = [t for t in range(1, 201) if sf.solvers.Diagnostics(audit=share).audits(t)]
    assert abs(len(audited) - 200 * share) < 1
    assert max(np.diff(audited), default=1) - min(np.diff(audited), default=1) <= 1
    assert not any(sf.solvers.Diagnostics(audit=None).audits(t) for t in range(1, 50))


def test_an_audit_changes_no_decision_and_its_time_is_its_own():
    without, with_all = run(), run(diagnostics=sf.solvers.Diagnostics(audit=1.0))
    assert np.array_equal(without.x_iters, with_all.x_iters)
    for one, other in zip(without.accuracy.reports, with_all.accuracy.reports, strict=True):
        assert one.value == other.value
        assert one.audited is None
        assert other.audited >= other.value
        assert set(other.seconds) - set(one.seconds) == {"audit"}
        assert other.seconds["audit"] > 0.0


def test_it_finds_what_the_audit_of_the_result_finds():
    result = run(diagnostics=sf.solvers.Diagnostics(audit=0.5), solver=sf.solvers.Grid(size=sf.solvers.Fixed(50)))
    for step in sf.audit(result).steps:
        if step.report.audited is not None:
            assert step.report.audited == pytest.approx(step.reference, abs=1e-7)
    assert [math.isfinite(gap) for gap in result.accuracy.audited] == [t % 2 == 0 for t in range(1, 9)]


def test_the_series_of_audited_gaps_has_the_medians_of_the_reports():
    accuracy = run(diagnostics=sf.solvers.Diagnostics(audit=1.0)).accuracy
    expected = [relative_gap(r.value, r.audited, r.median) for r in accuracy.reports]
    assert accuracy.audited.tolist() == expected
    assert max(expected) > 0.01  # twenty points are few
    assert "8 audited steps" in " ".join(accuracy.verdict)


@pytest.mark.parametrize(
    "acquisition",
    [None, sf.LogEI(), sf.acquisition.Thompson(features=64), sf.acquisition.Thompson(exact=True, points=50)],
)
def test_every_kind_of_step_can_be_audited(acquisition):
    words = {} if acquisition is None else {"acquisition": acquisition}
    for report in run(9, diagnostics=sf.solvers.Diagnostics(audit=1.0), **words).accuracy.reports:
        assert report.audited >= report.value
    space = sf.Space(a=sf.Float(0, 1), b=sf.Int(1, 5), c=sf.Choice("u", "v"))
    mixed = sf.minimize(
        lambda p: p["a"] + p["b"] + (p["c"] == "u"),
        space,
        11,
        seed=0,
        diagnostics=sf.solvers.Diagnostics(audit=1.0),
        **words,
    )
    assert all(report.audited >= report.value for report in mixed.accuracy.reports)


def test_an_ask_that_is_late_is_not_audited(make, drive):
    opt = make(BOX, diagnostics=sf.solvers.Diagnostics(audit=1.0))
    drive(opt, 7)
    assert opt.ask().solve.audited is not None
    late = opt.ask(deadline=1e-9).solve
    assert late.audited is None
    assert "audit" not in late.seconds


def test_an_audit_ends_at_the_deadline_of_the_ask(make, drive, monkeypatch):
    steps = []

    def watched(self, alpha, domain, *, step, rng):
        steps.append(step)
        return sf.solvers.Grid(size=sf.solvers.Fixed(16))(alpha, domain, step=step, rng=rng)

    monkeypatch.setattr(Exhaustive, "__call__", watched)
    opt = make(BOX, diagnostics=sf.solvers.Diagnostics(audit=1.0))
    drive(opt, 6)
    opt.ask(deadline=600.0)
    assert 0.0 < steps[-1].deadline - time.monotonic() <= 600.0


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, math.nan, math.inf])
def test_a_share_outside_of_its_range_is_refused_before_anything_is_evaluated(share):
    with pytest.raises(ValueError, match="audit must be a fraction of the points, above 0 and at most 1"):
        sf.minimize(lambda x: pytest.fail("evaluated"), BOX, 5, diagnostics=sf.solvers.Diagnostics(audit=share))


@pytest.mark.parametrize("share", ["a tenth", True, [0.1]])
def test_a_share_is_a_number(share):
    with pytest.raises(TypeError, match="audit must be a number"):
        sf.Optimizer(BOX, diagnostics=sf.solvers.Diagnostics(audit=share))


def test_it_is_kept_in_a_file(tmp_path):
    path = tmp_path / "run.json"
    result = run(diagnostics=sf.solvers.Diagnostics(audit=0.25))
    result.save(path)
    loaded = sf.load(path)
    assert loaded.settings == result.settings
    assert loaded.settings.diagnostics.audit == 0.25
    assert np.array_equal(loaded.accuracy.audited, result.accuracy.audited, equal_nan=True)
