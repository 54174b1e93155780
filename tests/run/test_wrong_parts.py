"""Parts that are no parts are refused before anything is evaluated."""

from functools import partial

import numpy as np
import pytest

import suffice as sf
from suffice.solvers import Exhaustive

BOX = [(0.0, 1.0)]


def never(x):
    raise AssertionError("nothing may be evaluated")


@pytest.mark.parametrize(
    ("word", "given"),
    [
        ("acquisition", sf.acquisition.EI),
        ("acquisition", "ei"),
        ("solver", sf.solvers.Grid),
        ("model", sf.gp.RBF()),
        ("model", "gp"),
    ],
)
def test_a_class_or_a_name_is_not_a_part(word, given):
    with pytest.raises(TypeError, match=f"{word} must be an object such as sf"):
        sf.minimize(never, BOX, 5, **{word: given})


@pytest.mark.parametrize(
    "given",
    [
        sf.acquisition.EI(),
        sf.UCB(),
        sf.acquisition.Thompson(exact=True),
        sf.acquisition.LookAround(),
        sf.acquisition.KG(),
    ],
)
def test_an_acquisition_of_one_objective_is_refused_by_several(given):
    with pytest.raises(TypeError, match="is for one objective, and the study has 2: a, b; leave acquisition= out"):
        sf.optimize(never, BOX, 5, objectives={"a": "minimize", "b": "minimize"}, acquisition=given)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (partial(sf.minimize, never, BOX, 5, pruner=sf.pruning.Median()), r"write def never\(point, trial\)"),
        (partial(sf.GP, kernel="rbf"), "kernel must be an object"),
        (partial(sf.solvers.Grid, size=100), "Fixed"),
        (partial(sf.UCB, "high"), "a number or a schedule"),
        (partial(sf.minimize, never, BOX, 5, executor=4), "ThreadPoolExecutor"),
        (partial(sf.audit, "run.json"), "sf.load"),
    ],
)
def test_what_was_wanted_is_said(make, words):
    with pytest.raises(TypeError, match=words):
        make()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (partial(sf.acquisition.Thompson, features=2.5), "features"),
        (partial(sf.acquisition.MES, samples=1.5), "samples"),
        (partial(sf.acquisition.KG, points=2.5), "points"),
        (partial(sf.solvers.Adaptive, draws=20.5), "draws"),
        (partial(sf.solvers.LBFGSB, starts=2.5), "starts"),
        (partial(sf.solvers.Grid, keep=1.5), "keep"),
        (partial(Exhaustive, draws="a"), "draws"),
        (partial(sf.solvers.Polished, starts=True), "starts"),
    ],
)
def test_a_number_of_things_is_whole(make, name):
    with pytest.raises(ValueError, match=rf"{name}.* must be a whole number ≥ \d+: got"):
        make()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (partial(sf.acquisition.Constant, "a"), "value"),
        (partial(sf.acquisition.SqrtLog, "a"), "scale"),
        (partial(sf.acquisition.Widening, factor="a"), "factor"),
        (partial(sf.acquisition.Theory, "a", 1.0, 0.1), "B"),
        (partial(sf.acquisition.Theory, 1.0, 1.0, "a"), "delta"),
        (partial(sf.acquisition.Theory, 1.0, 1.0, 0.1, c="a"), "c"),
        (partial(sf.acquisition.Thompson, B="a"), "B"),
        (partial(sf.acquisition.Thompson, eta="a"), "eta"),
        (partial(sf.solvers.LBFGSB, tol="a"), "LBFGSB: tol"),
        (partial(sf.acquisition.EI, "a"), "xi"),
        (partial(sf.solvers.Adaptive, share="a"), "Adaptive: share"),
        (partial(sf.solvers.Adaptive, time_share=True), "Adaptive: time_share"),
        (partial(sf.solvers.Linear, "a"), "Linear: c"),
        (partial(sf.solvers.Power, 1.0, "a"), "Power: p"),
        (partial(sf.Target, "a"), "Target: value"),
        (partial(sf.RegretBelow, "a"), "RegretBelow: tolerance"),
        (partial(sf.RegretBelow, 0.1, seconds="a"), "RegretBelow: seconds"),
    ],
)
def test_a_number_is_a_number(make, name):
    with pytest.raises(TypeError, match=rf"{name} must be a number: got ('a'|True) of type"):
        make()


@pytest.mark.parametrize("lengthscale", ["a", None, [[1.0]]])
def test_length_scales_are_numbers(lengthscale):
    with pytest.raises((TypeError, ValueError), match="lengthscale must be"):
        sf.gp.Matern(2.5, lengthscale=lengthscale)


@pytest.mark.parametrize("beta", [np.int64(2), np.float32(2.0), 2])
def test_any_real_number_is_a_beta(beta):
    assert sf.UCB(beta) == sf.UCB(2.0)


@pytest.mark.parametrize("wrong", [5, sf.solvers.Grid])
def test_a_coarse_solver_is_a_solver(wrong):
    with pytest.raises(TypeError, match=r"Polished takes a coarse solver such as Grid\(\)"):
        sf.solvers.Polished(wrong)


@pytest.mark.parametrize("acquisition", [sf.UCB, sf.acquisition.Thompson])
def test_a_number_is_a_constant_beta(acquisition):
    assert acquisition(2) == acquisition(sf.acquisition.Constant(2.0))


def test_a_deadline_with_time_to_spare_changes_nothing():
    def bowl(x):
        return float(((x - 0.3) ** 2).sum())

    def points(deadline):
        opt = sf.Optimizer([(0.0, 1.0)] * 2, seed=0)
        for _ in range(15):
            trial = opt.ask(deadline=deadline)
            opt.tell(trial, bowl(trial.point))
        return [trial.point.tolist() for trial in opt.trials]

    assert points(60.0) == points(None)


def test_an_optimizer_prints_in_a_line_and_its_accuracy_in_a_few():
    opt = sf.Optimizer(BOX, seed=0, n_initial=3)
    for _ in range(5):
        trial = opt.ask()
        opt.tell(trial, float(trial.point[0]))
    for shown in (repr(opt), repr(sf.Optimizer(BOX))):
        assert shown.startswith("<")
        assert len(shown) < 200
    for accuracy in (opt.accuracy, sf.Optimizer(BOX).accuracy):
        assert repr(accuracy) == str(accuracy)
        assert 1 <= len(repr(accuracy).splitlines()) <= 4
