"""The ask as a function: pure, and the same one for whoever asks."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import suffice as sf
from suffice.ask import suggest as module
from suffice.ask.models import fit_outputs
from suffice.ask.suggest import freeze, suggest
from suffice.space import PointSet, domain
from suffice.types import as_score

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def told(make, drive, n=9, **words):
    opt = make(SQUARE, n_initial=4, **words)
    drive(opt, n)
    return opt


def test_it_is_pure_and_what_an_optimizer_asks(make, drive):
    opt = told(make, drive)
    history = opt.history
    first, again = (suggest(opt.settings, history, opt._fitted) for _ in range(2))
    trial = opt.ask()
    for found in (first, again):
        assert found.origin == "model"
        assert np.array_equal(found.point, trial.point)
        assert found.report.value == trial.solve.value
    assert len(history.trials) == 9


def test_what_is_frozen_is_what_was_solved(make, drive):
    opt = told(make, drive)
    trial = opt.ask()
    past = opt.history.before(trial.number)
    frozen = freeze(opt.settings, past, opt._fitted, number=trial.number)
    assert frozen.alpha(trial.unit[None])[0] == trial.solve.value
    assert frozen.step.t == trial.solve.binding.t
    assert frozen.domain is opt.space


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_solver_sees_the_observed_points_best_first(make, drive, direction):
    opt = told(make, drive, direction=direction)
    fitted = fit_outputs(opt.settings, opt.history, opt._fitted)["value"]
    seen = freeze(opt.settings, opt.history, {"value": fitted}, number=9).step.design
    order = sorted(opt.trials, key=lambda trial: trial.value, reverse=direction == "maximize")
    assert np.array_equal(seen, [trial.unit for trial in order])


def test_randomness_is_that_of_its_number(make, drive):
    opt = told(make, drive, acquisition=sf.acquisition.Thompson(features=32))
    fitted, X = fit_outputs(opt.settings, opt.history, opt._fitted)["value"], np.random.default_rng(0).random((5, 2))

    def values(number=9):
        return freeze(opt.settings, opt.history, {"value": fitted}, number=number).alpha(X)

    assert np.array_equal(values(), values())
    assert not np.isclose(values(), values(number=10)).any()


def test_a_point_that_was_taken_is_replaced_within_the_scores_own_set_as_long_as_that_has_others(make, monkeypatch):
    opt, points = make(SQUARE), np.array([[0.1, 0.1], [0.2, 0.2], [0.4, 0.4], [0.3, 0.3]])
    monkeypatch.setattr(domain, "HELD", 2)  # each point is a block of its own
    own, alpha = PointSet(points), as_score(lambda X: -X[:, 0])
    for row in (0, 1, 3):
        assert np.array_equal(module.new_point(opt.settings, opt.history, points[row], alpha, own).x, points[row])
        opt.tell(points[row], 0.0)
        best = {0: 1, 1: 3, 3: 2}[row]  # of those that are left
        assert np.array_equal(module.new_point(opt.settings, opt.history, points[row], alpha, own).x, points[best])
    opt.tell(points[2], 0.0)
    assert not own.contains(module.new_point(opt.settings, opt.history, points[0], alpha, own).x[None])[0]


@pytest.mark.parametrize(
    ("top", "within"), [([0.301, 0.301], 1e-3), ([0.9, 0.8], 0.1), ([0.8, 0.1], 0.1)], ids=["near", "up", "right"]
)
def test_a_point_that_was_taken_is_replaced_by_the_best_near_it_or_anywhere(make, top, within):
    opt, taken = make(SQUARE), np.array([0.3, 0.3])
    opt.tell(taken, 0.0)
    alpha = as_score(lambda X: -np.abs(X - top).sum(axis=1))
    found = module.new_point(opt.settings, opt.history, taken, alpha, opt.space).x
    assert np.abs(found - top).sum() < within
    assert not np.array_equal(found, taken)


@pytest.mark.parametrize("certify", [None, 0.1])
@pytest.mark.parametrize("audit", [None, 1.0])
def test_the_phases_add_up_to_the_ask(make, drive, monkeypatch, certify, audit):
    opt = told(make, drive, diagnostics=sf.solvers.Diagnostics(proof_seconds=certify, audit=audit))
    now = [0.0]

    def later(seconds, function):
        def call(*args, **words):
            now[0] += seconds
            return function(*args, **words)

        return call

    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0], monotonic=lambda: 0.0))
    monkeypatch.setattr(module, "freeze", later(1.0, module.freeze))
    monkeypatch.setattr(module, "new_point", later(2.0, module.new_point))
    monkeypatch.setattr(module, "solve_report", later(4.0, module.solve_report))
    monkeypatch.setattr(module, "certify", later(8.0, module.certify))
    monkeypatch.setattr(module, "solved_again", later(16.0, module.solved_again))
    report = suggest(opt.settings, opt.history, opt._fitted).report
    assert sum(report.seconds.values()) == now[0]
    proof = {} if certify is None else {"certify": 8.0}
    again = {} if audit is None else {"audit": 16.0}
    assert report.seconds == {"fit": 0.0, "bind": 1.0, "solve": 2.0} | proof | {"report": 4.0} | again
    assert list(report.seconds) == ["fit", "bind", "solve", *proof, *again, "report"]  # as they follow each other


def test_a_fit_that_would_take_more_than_half_of_the_time_left_is_put_off(make, drive, monkeypatch):
    now, hurried, whole = [0.0], [], sf.GP.__call__

    def fit(model, data, domain, previous=None, *, hurry=False):
        fitted = whole(model, data, domain, previous, hurry=hurry)
        now[0] += len(data) / 4 if previous is None or previous.n_refit != fitted.n_refit else 0.0
        hurried.append(hurry)
        return fitted

    monkeypatch.setattr(sf.GP, "__call__", fit)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0], monotonic=lambda: 100.0))
    opt = make(SQUARE, n_initial=4)
    drive(opt, 4)
    opt.ask(2)  # the first takes a second to fit four values, and the second goes on from there
    for x in (0.1, 0.2, 0.3, 0.4):
        opt.tell([x, x], x)
    del hurried[:]
    # The cost grows with the cube: eight values take eight seconds.
    for left in (15.9, 16.1):
        suggest(opt.settings, opt.history, opt._fitted, deadline=100.0 + left)
    suggest(opt.settings, opt.history, opt._fitted)
    suggest(opt.settings, opt.history, deadline=100.1)  # without a model there is no other way
    assert hurried == [True, False, False, False]
    opt.ask()  # fits the eight, in two seconds: the last fit is what the next one is judged by
    for x in np.linspace(0.5, 0.9, 8):
        opt.tell([x, x], x)
    del hurried[:]
    for left in (31.9, 32.1):
        suggest(opt.settings, opt.history, opt._fitted, deadline=100.0 + left)
    assert hurried == [True, False]


def test_given_points_come_first_and_none_twice(make):
    space = sf.Space(i=sf.Int(0, 5))
    opt = make(space, x0=[{"i": 3}] * 8 + [{"i": 4}], n_initial=2)
    trials = [opt.tell(opt.ask(), 0.0) for _ in range(6)]
    assert [trial.point["i"] for trial in trials[:2]] == [3, 4]
    assert [trial.origin for trial in trials[:2]] == ["given", "given"]
    assert len({trial.point["i"] for trial in trials}) == 6
    with pytest.raises(sf.errors.SpaceExhausted):
        opt.ask()


def test_a_given_point_that_was_told_already_is_not_asked_for(make):
    opt = make(SQUARE, x0=[[0.5, 0.5], [0.25, 0.75]])
    opt.tell([0.5, 0.5], 1.0)
    assert opt.ask().point.tolist() == [0.25, 0.75]


def test_points_from_elsewhere_do_not_move_the_design(make):
    plain, other = make(SQUARE, n_initial=6), make(SQUARE, n_initial=6, x0=[[0.5, 0.5]])
    other.tell([0.25, 0.75], 1.0)
    assert other.ask().origin == "given"
    for _ in range(4):
        first, second = plain.ask(), other.ask()
        assert (first.origin, second.origin) == ("design", "design")
        assert np.array_equal(first.point, second.point)


def test_a_point_that_no_model_proposed_keeps_the_model_for_the_next(make, drive):
    last = told(make, drive)._fitted
    opt = make(SQUARE, x0=[[0.5, 0.5]])
    for origin in ("given", "design"):
        found = suggest(opt.settings, opt.history, last)
        assert (found.origin, found.fitted) == (origin, last)
        opt.ask()


def test_with_repeats_a_given_point_comes_as_often_as_it_was_given(make):
    opt = make(SQUARE, x0=[[0.5, 0.5]] * 3, repeat=True)
    assert [opt.tell(opt.ask(), 1.0).origin for _ in range(4)] == ["given"] * 3 + ["design"]


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        ({"proof_seconds": "abc"}, TypeError, "proof_seconds must be a number"),
        ({"proof_seconds": -5}, ValueError, "proof_seconds must be seconds > 0"),
        ({"proof_seconds": 10**400}, ValueError, "proof_seconds must be seconds > 0"),
        ({"proof_seconds": 0}, ValueError, "proof_seconds must be seconds > 0"),
        ({"proof_fraction": "abc"}, TypeError, "proof_fraction must be a number"),
        ({"proof_fraction": 0}, ValueError, "proof_fraction must be a fraction > 0"),
        ({"proof_fraction": -0.1}, ValueError, "proof_fraction must be a fraction > 0"),
        ({"proof_fraction": math.nan}, ValueError, "proof_fraction must be a"),
        ({"proof_fraction": math.inf}, ValueError, "proof_fraction must be a"),
        ({"audit": 2}, ValueError, "audit must be a fraction of the points"),
    ],
)
def test_wrong_diagnostics_are_refused_by_name(words, error, text):
    with pytest.raises(error, match=text):
        sf.solvers.Diagnostics(**words)


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        ({"x0": 5}, TypeError, "x0 must be a list of points: got int"),
        ({"x0": {"a": 1}}, TypeError, "x0 must be a list of points: got dict"),
        ({"x0": [[0.5, 2.0]]}, ValueError, "outside the bounds"),
        ({"diagnostics": 0.1}, TypeError, r"diagnostics must be a value such as sf.solvers.Diagnostics\(audit=0.1\)"),
        ({"diagnostics": sf.solvers.Diagnostics}, TypeError, "diagnostics must be a value such as"),
        ({"repeat": "no"}, TypeError, "repeat must be True or False"),
        ({"direction": "up"}, ValueError, "direction must be 'minimize' or 'maximize'"),
        ({"seed": -1}, ValueError, "seed must be a whole number"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_evaluated(words, error, text):
    def never(x):
        raise AssertionError("evaluated")

    with pytest.raises(error, match=text):
        sf.Optimizer(SQUARE, **words)
    if "direction" not in words:
        with pytest.raises(error, match=text):
            sf.minimize(never, SQUARE, 5, **words)
