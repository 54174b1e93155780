"""More observations than the model uses: it is said how many, and everything else is as with few."""

import json

import numpy as np
import pytest

import suffice as sf
from suffice.record.encoding import EventCodec
from suffice.record.trial import Asked
from suffice.study.audit import audit

MODEL, SOLVER = sf.GP(warp=False, max_points=30), sf.solvers.Grid(size=sf.solvers.Fixed(128))


def f(x):
    return float(np.sum((np.asarray(x) - 0.3) ** 2) + 0.1 * np.sum(np.cos(12 * np.asarray(x))))


def points(n):
    return np.random.default_rng(n).random((n, 2))


def studied(n=100, asks=8, **words):
    opt = sf.Optimizer([(0, 1)] * 2, **({"seed": 0, "model": MODEL, "solver": SOLVER} | words))
    for x in points(n):
        opt.tell(x, f(x))
    for _ in range(asks):
        trial = opt.ask()
        opt.tell(trial, f(trial.point))
    return opt


def test_a_report_says_how_many_observations_were_known_and_used():
    for n, used in ((20, 20), (100, 30)):
        first = studied(n, 1).trials[-1].solve
        assert (first.n_seen, first.n_used) == (n, used)
        assert ("used 30 of 100 observations" in repr(first)) == (n == 100)


def test_every_output_has_its_own_numbers():
    opt = sf.Optimizer([(0, 1)] * 2, seed=0, model=MODEL, solver=SOLVER, constraints={"c": sf.AtMost(1.0)})
    for x in points(50):
        opt.tell(x, {"value": f(x), "c": x.sum()} if x.sum() < 1 else {"c": x.sum()})
    solve = opt.ask().solve
    assert solve.n_seen < 50
    assert (solve.binding.of("c").n_seen, solve.binding.of("c").n_used) == (50, 30)


def test_the_numbers_are_saved_and_a_file_without_them_is_read(tmp_path):
    opt = studied(asks=1)
    opt.result().save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json").trials[-1].solve
    assert (again.n_seen, again.n_used) == (100, 30)
    codec = EventCodec()
    first, *others = opt.history.events
    codec.encode(first)
    event = next(event for event in others if isinstance(event, Asked) and event.report is not None)
    plain = json.loads(json.dumps(codec.encode(event)))
    for word in ("n_seen", "n_used"):
        del plain["report"]["binding"][word]
    old = codec.decode(plain).report
    assert (old.n_seen, old.n_used) == (None, None)
    assert "observations" not in repr(old)


def test_check_says_that_the_model_uses_a_part_of_the_values():
    (found,) = [finding for finding in studied().result().diagnose() if finding.name == "subset"]
    assert "30 of 108 values" in found.sentence
    assert found.severity == "note"
    assert not [finding for finding in studied(20, 2).result().diagnose() if finding.name == "subset"]


def test_the_note_about_it_comes_once(caplog):
    opt = studied(asks=30)
    assert opt.history.notes == ("the model uses 30 of the observations (max_points)",)
    assert len(caplog.records) == 1


def test_a_resumed_study_goes_on_bit_for_bit(tmp_path):
    whole = studied(asks=12)
    part = studied(asks=6, storage=tmp_path / "run.db")
    part.close()
    with sf.Optimizer.resume(tmp_path / "run.db") as part:
        for _ in range(6):
            trial = part.ask()
            part.tell(trial, f(trial.point))
        assert [t.unit.tobytes() for t in part.trials] == [t.unit.tobytes() for t in whole.trials]
        assert [t.solve and t.solve.value for t in part.trials] == [t.solve and t.solve.value for t in whole.trials]


def test_an_audit_finds_the_same_scores():
    opt = studied()
    steps = audit(opt.result(), solver=SOLVER).steps
    assert [step.reason for step in steps] == [None] * 8
    for step in steps:
        assert step.value == pytest.approx(step.report.value, rel=1e-6, abs=1e-6)


def test_told_one_by_one_or_given_at_once_is_the_same():
    X = points(100)
    given = sf.Optimizer([(0, 1)] * 2, seed=0, model=MODEL, solver=SOLVER, x0=X, y0=[f(x) for x in X])
    assert given.ask().unit.tobytes() == studied(asks=1).trials[-1].unit.tobytes()
