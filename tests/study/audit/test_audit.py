"""What an audit says about a run: true gaps beside the estimates, and their totals."""

import json
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.estimate import eta
from suffice.solvers import Exhaustive
from suffice.study.audit import (
    Auditor,
    CannotRebuild,
    audit,
    known_at,
    refrozen,
)


@pytest.fixture(scope="module")
def coarse(coarse_result, small):
    return audit(coarse_result, solver=small)


@pytest.fixture(scope="module")
def enough_result(spaces, objective):
    return sf.minimize(objective, spaces["box"], 25, seed=0, n_initial=6, aim="regret")


@pytest.fixture(scope="module")
def enough(enough_result, small):
    return audit(enough_result, solver=small)


def test_a_bad_solver_shows_its_gaps(coarse):
    assert len(coarse.rebuilt) == len(coarse.steps) == 19
    gaps = [step.relative_gap for step in coarse.steps]
    # The best of 20 draws is, in the mean, in the top 1/21 of the square, whose radius is 0.12: it is seen everywhere.
    assert np.median(gaps) > 0.02
    assert coarse.changed >= 15
    assert coarse.m_audited > 0.05
    assert coarse.inaccuracy_allowed is None  # no budget was promised


def test_a_good_solver_shows_almost_none(enough):
    assert len(enough.rebuilt) == 19
    assert max(step.relative_gap for step in enough.steps) < 0.01
    assert enough.changed <= 1
    assert enough.m_audited < 0.01
    assert enough.inaccuracy <= enough.inaccuracy_allowed


def test_the_solver_that_audits_finds_nothing_better_than_itself(spaces, objective):
    heavy = Exhaustive(draws=2000, near=60, starts=10)
    result = sf.minimize(objective, spaces["box"], 12, seed=0, n_initial=6, solver=heavy)
    found = audit(result, solver=heavy)
    assert max(step.relative_gap for step in found.steps) < 1e-6
    assert found.changed == 0
    assert found.coverage == 1.0


def test_the_numbers_of_a_step_fit_together(coarse, enough):
    for step in (*coarse.steps, *enough.steps):
        assert (step.inaccuracy > 1e-3) <= (step.eta < 1)
        assert (step.inaccuracy > 1e-3) <= (step.relative_gap > 0)
        assert step.changed == (step.distance > 0.01)
        assert (step.distance > 0) <= (step.inaccuracy > 0)


def test_a_larger_reference_never_makes_a_gap_smaller_than_the_points_own_surroundings(coarse_result, coarse):
    weak = audit(coarse_result, solver=sf.solvers.Grid(size=sf.solvers.Fixed(1)))
    assert all(a.inaccuracy <= b.inaccuracy + 1e-9 for a, b in zip(weak.steps, coarse.steps, strict=True))
    assert all(step.inaccuracy >= 0 for step in weak.steps)  # the point itself is always looked at


@pytest.mark.parametrize("acquisition", [sf.UCB(), sf.acquisition.Thompson(features=64)], ids=["ucb", "thompson"])
def test_eta_has_the_shift_of_the_report(acquisition, spaces, objective, small):
    solver = sf.solvers.Grid(size=sf.solvers.Fixed(50))
    result = sf.minimize(objective, spaces["box"], 12, seed=0, n_initial=6, acquisition=acquisition, solver=solver)
    for step in audit(result, solver=small).steps:
        binding = step.report.binding
        past = known_at(result.history, step.number, binding)
        alpha = refrozen(result.settings, past, step.number, binding).alpha
        shift = alpha.shift(50)  # draws of the grid
        assert step.report.shift == pytest.approx(shift, rel=1e-9)
        assert step.eta == pytest.approx(eta(step.value, step.reference, shift), abs=1e-12)
        best = step.report.value + step.report.inaccuracy
        assert step.report.eta == pytest.approx(eta(step.report.value, best, shift), abs=1e-12)
        assert (step.report.upper, step.report.eta_lower, step.covered) == (None, None, None)  # a grid has no limit


def test_eta_of_a_logarithm_is_a_ratio_and_a_draw_on_a_set_has_none(spaces, objective, small):
    words = {"seed": 0, "n_initial": 6, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(30))}
    log = audit(sf.minimize(objective, spaces["box"], 10, acquisition=sf.LogEI(), **words), solver=small)
    assert all(step.eta == pytest.approx(math.exp(-step.inaccuracy)) for step in log.steps)
    exact = sf.acquisition.Thompson(exact=True, points=50)
    draw = audit(sf.minimize(objective, spaces["box"], 10, acquisition=exact, **words), solver=small)
    assert [(step.eta, step.covered) for step in draw.steps] == [(None, None)] * 4
    assert math.isnan(draw.m_audited)
    assert all(step.inaccuracy >= 0 for step in draw.steps)


def test_a_finite_space_is_audited_exactly(small):
    space = sf.Space(a=sf.Int(0, 5), b=sf.Choice("u", "v", "w"))
    result = sf.minimize(lambda p: (p["a"] - 2) ** 2 + (p["b"] == "u"), space, 18, seed=0, n_initial=5)
    found = audit(result, solver=small)
    for step in found.steps:  # both enumerate: what a report says about points that may not be repeated is true
        assert step.inaccuracy == pytest.approx(step.report.inaccuracy, abs=1e-9)
        assert step.covered
    assert found.steps[-1].inaccuracy > 0  # the best point was taken
    assert found.changed == 0  # but nothing better was left


# ---------------------------------------------------------------------- totals


def test_totals_are_those_of_the_reports_and_of_the_steps(enough, enough_result):
    accuracy = enough_result.accuracy
    assert enough.m_t == pytest.approx(accuracy.m_t)
    assert enough.m_estimated == pytest.approx(accuracy.m_estimated)
    assert enough.inaccuracy_estimated == pytest.approx(accuracy.ledger.inaccuracies)
    assert enough.inaccuracy_allowed == pytest.approx(0.1 * accuracy.ledger.widths)
    assert enough.m_audited == pytest.approx(sum(1 - step.eta for step in enough.steps))
    assert enough.inaccuracy == pytest.approx(sum(step.inaccuracy for step in enough.steps))
    assert enough.coverage == np.mean([step.reference <= step.report.upper + 1e-5 for step in enough.steps])
    for phase in ("fit", "bind", "solve", "report"):
        assert enough.seconds[phase] == pytest.approx(sum(report.seconds[phase] for report in accuracy.reports))


def test_a_step_that_was_not_rebuilt_is_in_no_total_but_the_time(enough):
    lost = replace(enough.steps[0], reason="gone", value=None, reference=None, eta=None)
    found = replace(enough, steps=(lost, *enough.steps[1:]))
    rest = replace(enough, steps=enough.steps[1:])
    for total in (
        "m_audited",
        "m_t",
        "m_estimated",
        "inaccuracy",
        "inaccuracy_estimated",
        "inaccuracy_allowed",
        "coverage",
    ):
        assert getattr(found, total) == getattr(rest, total)
    assert found.seconds["fit"] == enough.seconds["fit"] > rest.seconds["fit"]


def test_every_takes_each_nth_step(coarse, coarse_result, small):
    assert audit(coarse_result, solver=small, every=7).steps == coarse.steps[::7]
    for every in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="every"):
            audit(coarse_result, every=every)


def test_a_run_without_a_model_has_an_empty_audit():
    found = audit(sf.minimize(lambda x: x[0], [(0, 1)], 3, seed=0, n_initial=3))
    assert (found.steps, found.coverage, found.inaccuracy, found.changed) == ((), None, 0.0, 0)
    assert "0 of 0 steps" in str(found)


# ---------------------------------------------------------------------- in parallel, from a file, by hand


def test_an_executor_gives_the_same_audit_and_progress_is_told(coarse, coarse_result, small):
    told = []
    with ThreadPoolExecutor(2) as executor:
        found = audit(coarse_result, solver=small, every=4, executor=executor, progress=lambda *done: told.append(done))
    assert found.steps == coarse.steps[::4]
    assert told == [(i, 5) for i in range(1, 6)]


def test_an_auditor_can_go_to_another_process(coarse, coarse_result, small):
    auditor = pickle.loads(pickle.dumps(Auditor(coarse_result.settings, coarse_result.history, small)))
    assert auditor(coarse.steps[3].number) == coarse.steps[3]


@pytest.mark.parametrize("space", ["box", "mixed"])
def test_after_saving_and_loading_the_audit_is_the_same(space, spaces, make_eventful, small, tmp_path):
    result = make_eventful(spaces[space], direction="maximize", solver=sf.solvers.Adaptive())
    result.save(tmp_path / "run.json")
    loaded = audit(sf.load(tmp_path / "run.json"), solver=small)
    original = audit(result, solver=small)
    assert loaded == original
    assert len(loaded.rebuilt) == len(loaded.steps) >= 8


@dataclass(frozen=True)
class Mine:
    """Somebody's own acquisition."""

    beta: float = 1.5

    def __call__(self, beliefs, domain, *, step, rng):
        return sf.UCB(sf.acquisition.Constant(self.beta))(beliefs, domain, step=step, rng=rng)


def test_a_part_of_ones_own_is_asked_for_by_name_and_can_be_passed(spaces, make_eventful, small, tmp_path):
    result = make_eventful(spaces["box"], acquisition=Mine())
    original = audit(result, solver=small)
    assert len(original.rebuilt) == len(original.steps)
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    with pytest.raises(CannotRebuild, match=r"Mine\(beta=1.5\); pass it yourself, audit\(result, acquisition=…\)"):
        audit(loaded, solver=small)
    assert audit(loaded, solver=small, acquisition=Mine()) == original


# ---------------------------------------------------------------------- to be read


def test_the_table_has_a_line_for_each_step_and_the_totals(enough):
    lost = replace(enough.steps[0], reason="the record does not tell")
    lines = str(replace(enough, steps=(lost, *enough.steps[1:]))).splitlines()
    assert lines[0].split()[:4] == ["t", "trial", "value", "max"]
    assert lines[1].endswith("not rebuilt: the record does not tell")
    assert all(line.split()[0] == str(i) for i, line in enumerate(lines[1:20], 1))
    assert all(line.endswith(("same", "other")) for line in lines[2:20])
    assert lines[20] == ""
    assert lines[21] == "18 of 19 steps rebuilt"
    assert [line.split()[0] for line in lines[22:]] == ["M_T", "sum", "limits", "places", "seconds"]
    assert max(map(len, lines)) <= 120
    assert len(repr(enough)) < 100


def test_the_plain_form_is_strict_json_with_everything_in_it(enough, spaces, objective, small):
    exact = sf.acquisition.Thompson(exact=True, points=50)
    unknown = audit(sf.minimize(objective, spaces["box"], 8, seed=0, n_initial=6, acquisition=exact), solver=small)
    for found in (enough, unknown):
        plain = json.loads(json.dumps(found.plain(), allow_nan=False))
        assert plain["totals"]["rebuilt"] == len(plain["steps"]) == len(found.steps)
        for step, row in zip(found.steps, plain["steps"], strict=True):
            assert (row["t"], row["inaccuracy"], row["eta"], row["reason"]) == (step.t, step.inaccuracy, step.eta, None)
            assert row["reported"]["upper"] == step.report.upper
    assert json.loads(json.dumps(unknown.plain()))["totals"]["m_audited"] is None
