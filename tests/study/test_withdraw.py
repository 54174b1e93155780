"""A wrong value is withdrawn and told again: nothing uses it any more, and what it had led to stays reproducible."""

import math

import pytest

import suffice as sf
from suffice.record.history import History
from suffice.study.observations import pooled

SQUARE = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}


def f(point):
    return (point["x"] - 0.3) ** 2 + point["y"] ** 2 + 1.0


def run(opt, n):
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, f(trial.point))
    return opt


def test_a_withdrawn_value_is_neither_best_nor_in_the_model_and_the_right_one_takes_its_place():
    opt = run(sf.Optimizer(SQUARE, seed=0), 8)
    wrong = opt.ask()
    opt.tell(wrong, -500.0)
    run(opt, 3)
    assert opt.best.number == wrong.number
    lost = opt.withdraw(wrong, "wrong unit")
    assert (lost.state, lost.values, lost.feasible, lost.reason) == (
        "cancelled",
        None,
        None,
        "wrong unit; the value was -500.0",
    )
    assert opt.withdraw(wrong).reason == lost.reason
    assert opt.best.value > 0.9
    assert wrong.number not in [trial.number for trial in opt.history.done]
    assert -500.0 not in opt.history.observations().y
    assert opt.result().fun > 0.9
    done = opt.tell(wrong, f(wrong.point))
    assert (done.state, done.value, done.reason) == ("done", f(wrong.point), None)
    assert opt.history.done[-1].number == wrong.number
    run(opt, 6)
    mean, _ = opt.result().predict([{"x": 0.3, "y": 0.0}])
    assert abs(mean[0] - 1.0) < 0.2
    assert opt.best.value < 1.05


def test_a_study_with_withdrawals_resumes_bit_for_bit_and_its_steps_are_audited(tmp_path):
    def steps(opt):
        run(opt, 9)
        opt.withdraw(opt.trials[2])
        run(opt, 2)
        opt.tell(opt.trials[2], 5.0)
        opt.withdraw(opt.trials[9], "the pump leaked")
        yield opt
        run(opt, 3)
        yield opt

    whole = list(steps(sf.Optimizer(SQUARE, seed=1)))[-1]
    parts = steps(sf.Optimizer(SQUARE, seed=1, storage=tmp_path / "run.db"))
    next(parts).close()
    with sf.Optimizer.resume(tmp_path / "run.db") as again:
        assert [(t.state, t.values, t.reason) for t in again.trials] == [
            (t.state, t.values, t.reason) for t in whole.trials[:-3]
        ]
        run(again, 3)
        assert [t.point for t in again.trials] == [t.point for t in whole.trials]
        assert History.of(again.history.events).table.done.tolist() == again.history.table.done.tolist()
    whole.result().save(tmp_path / "run.json")
    saved = sf.load(tmp_path / "run.json")
    assert saved.fun == whole.best.value
    assert saved.trials[9].state == "cancelled"
    audit = sf.audit(saved)
    assert len(audit.rebuilt) == len(audit.steps) == 7


def test_values_set_aside_are_forgotten_with_the_model_that_knew_the_withdrawn_one():
    opt = sf.Optimizer(SQUARE, seed=0)
    for i in range(24):
        trial = opt.ask()
        opt.tell(trial, f(trial.point) + (400.0 if i == 15 else 0.0))
    assert opt.history.aside().tolist() == [15]
    opt.withdraw(opt.trials[3])
    assert opt.history.aside().tolist() == []
    run(opt, 6)
    assert set(opt.history.aside().tolist()) <= {15}  # never the row that was the 16th value before


def test_only_a_value_can_be_withdrawn():
    opt = sf.Optimizer(SQUARE, seed=0)
    trial = opt.ask()
    with pytest.raises(ValueError, match="trial 0 is pending and has no value to withdraw"):
        opt.withdraw(trial)
    opt.fail(trial)
    with pytest.raises(ValueError, match="trial 0 is failed"):
        opt.withdraw(trial)


def test_a_withdrawn_mean_lends_its_variance_to_no_other():
    plain, other = (sf.Optimizer(SQUARE, seed=0) for _ in range(2))
    values = [1.0, 1.1, 1.3]
    for opt in (plain, other):
        opt.tell({"x": 0.1, "y": 0.1}, [2.0, 2.5])
    wrong = other.tell({"x": 0.2, "y": 0.1}, [9.0, 99.0])
    other.withdraw(wrong)
    for opt in (plain, other):
        opt.tell({"x": 0.3, "y": 0.1}, values)
    assert math.isclose(other.trials[-1].noise_var, plain.trials[-1].noise_var, rel_tol=1e-9)
    assert pooled(0.1, 2, other.history.events[:1], "value") == 0.1
