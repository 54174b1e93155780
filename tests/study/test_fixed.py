"""ask(fixed=...): the rest is suggested."""

import re

import numpy as np
import pytest

import suffice as sf
from suffice.ask.suggest import freeze
from suffice.study.optimizer import Optimizer

SPACE = {
    "lr": sf.Float(1e-4, 1, log=True),
    "depth": sf.Int(1, 8),
    "loss": sf.Choice("a", "b", "c"),
    "size": sf.Ordinal("s", "m", "l"),
}
FIXED = [{"lr": 0.01}, {"depth": 3, "loss": "b"}, {"size": "m"}, {"lr": 0.01, "depth": 3, "loss": "b", "size": "s"}]


def f(point):
    bad = {"a": 0.5, "b": 0.0, "c": 1.0}[point["loss"]] + {"s": 0.2, "m": 0.0, "l": 0.4}[point["size"]]
    return (np.log10(point["lr"]) + 2) ** 2 + 0.1 * (point["depth"] - 5) ** 2 + bad


def driven(n=10, **words):
    opt = Optimizer(SPACE, seed=1, n_initial=4, **words)
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, f(trial.point))
    return opt


def has(point, fixed):
    return {name: point[name] for name in fixed} == fixed


@pytest.mark.parametrize("n", [0, 2, 6], ids=["design", "middle of the design", "model"])
@pytest.mark.parametrize("fixed", FIXED, ids=str)
def test_what_is_fixed_is_what_was_given_to_the_last_digit(n, fixed):
    opt = driven(n)
    trial = opt.ask(fixed=fixed)
    assert has(trial.point, fixed)
    assert trial.fixed == fixed
    assert trial.origin == ("design" if n < 4 else "model")
    assert opt.ask().fixed is None


@pytest.mark.parametrize(
    "parts",
    [
        {"solver": sf.solvers.Grid()},
        {"solver": sf.solvers.Grid(sf.candidates.delaunay)},
        {"solver": sf.solvers.Grid(sf.candidates.voronoi)},
        {"solver": sf.solvers.Grid(sf.candidates.local)},
        {"solver": sf.solvers.LBFGSB(starts=3)},
        {"solver": sf.solvers.NelderMead(starts=3)},
        {"solver": sf.solvers.Polished(sf.solvers.Grid(size=sf.solvers.Fixed(50)))},
        {"acquisition": sf.LogEI()},
        {"acquisition": sf.acquisition.Thompson()},
        {"acquisition": sf.acquisition.Thompson(exact=True, points=50)},
        {"acquisition": sf.acquisition.MES()},
        {"acquisition": sf.acquisition.KG(), "solver": sf.solvers.Grid(size=sf.solvers.Fixed(20))},
        {"acquisition": sf.UCB(), "diagnostics": sf.solvers.Diagnostics(proof_seconds=0.01)},
        {"diagnostics": sf.solvers.Diagnostics(audit=1.0)},
    ],
    ids=lambda parts: re.sub(r" at 0x\w+", "", str(parts)),
)
def test_every_solver_and_acquisition_stays_in_the_slice(parts):
    opt = driven(6, **parts)
    for trial in opt.ask(3, fixed={"loss": "c", "lr": 0.1}):
        assert has(trial.point, {"loss": "c", "lr": 0.1})
        assert trial.origin == "model"


def test_the_rest_is_the_best_of_the_slice_by_the_model():
    opt = driven(12, acquisition=sf.UCB(), solver=sf.solvers.LBFGSB(starts=20))
    part = sf.Space(**SPACE)
    trial = opt.ask(fixed={"loss": "c"})
    rng = np.random.default_rng(0)
    X = part.sample(2000, rng)
    X[:, 2:5] = [0.0, 0.0, 1.0]  # the columns of the choice
    past = opt.history.before(trial.number)
    alpha = freeze(opt.settings, past, opt._fitted, number=trial.number).alpha  # everywhere
    assert alpha(part.to_unit(trial.point)[None])[0] >= alpha(X).max() - 1e-9


def test_an_audit_looks_in_the_same_slice_also_after_saving(tmp_path):
    opt = driven(8, acquisition=sf.UCB())
    for _ in range(3):
        trial = opt.ask(fixed={"loss": "c", "depth": 2})
        opt.tell(trial, f(trial.point))
    result = opt.result()
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert [t.fixed for t in again.trials] == [t.fixed for t in result.trials]
    audited = sf.audit(again)
    assert not [step.reason for step in audited.steps if step.reason]
    whole = [step.value for step in audited.steps[-3:]]
    assert all(step.reference - step.value <= 0.05 * abs(step.reference) + 1e-3 for step in audited.steps[-3:]), whole


def test_the_same_seed_and_the_same_fixed_values_give_the_same_points():
    first, again = (driven(6).ask(2, fixed={"loss": "a"}) for _ in range(2))
    assert [t.point for t in first] == [t.point for t in again]


def test_asks_that_fix_nothing_are_as_if_fixed_did_not_exist():
    plain, empty = driven(6), driven(6)
    assert plain.ask().point == empty.ask(fixed={}).point == driven(6).ask(fixed=None).point


def test_points_to_begin_with_wait_unless_they_have_the_values():
    x0 = [{"lr": 0.1, "depth": 1, "loss": "a", "size": "s"}, {"lr": 0.2, "depth": 2, "loss": "b", "size": "m"}]
    opt = Optimizer(SPACE, seed=0, x0=x0)
    assert opt.ask(fixed={"loss": "b"}).point == x0[1]
    assert opt.ask(fixed={"loss": "b"}).origin == "design"
    assert opt.ask().point == x0[0]


def test_a_slice_that_is_used_up_is_said_to_be():
    opt = Optimizer({"i": sf.Int(0, 2), "c": sf.Choice("a", "b")}, seed=0)
    assert sorted(t.point["i"] for t in opt.ask(5, fixed={"c": "b"})) == [0, 1, 2]
    with pytest.raises(sf.errors.SpaceExhausted, match=r"all 3 points with c = 'b' have been proposed; fix fewer"):
        opt.ask(fixed={"c": "b"})
    assert opt.ask().point["c"] == "a"
    assert Optimizer({"i": sf.Int(0, 2)}, repeat=True).ask(5, fixed={"i": 1})[4].point == {"i": 1}


def test_everything_fixed_is_that_point():
    point = {"lr": 0.013, "depth": 3, "loss": "b", "size": "s"}
    opt = driven(6)
    assert opt.ask(fixed=point).point == point
    with pytest.raises(sf.errors.SpaceExhausted, match=r"the only point with lr = 0\.013, depth = 3, .* has been"):
        opt.ask(fixed=point)


def test_a_box_fixes_by_the_names_of_its_dimensions():
    opt = Optimizer([(0.0, 1.0), (0.0, 1.0)], seed=0, n_initial=2)
    for _ in range(4):
        trial = opt.ask(fixed={"x[1]": 0.3})
        assert trial.point[1] == 0.3
        opt.tell(trial, float(np.sum(trial.point)))


@pytest.mark.parametrize(
    ("fixed", "error", "words"),
    [
        ({"lr": 2.0}, ValueError, r"parameter 'lr': 2.0 is outside the bounds"),
        ({"loss": "d"}, ValueError, r"parameter 'loss': 'd' of type str is none of the options"),
        ({"dept": 3}, ValueError, r"fixed has 'dept', which is not a parameter: did you mean 'depth'\?"),
        ({"width": 3}, ValueError, r"fixed has 'width', which is not a parameter: .*the names are 'lr', 'depth'"),
        ({0: 3}, ValueError, r"fixed has 0, which is not a parameter"),
        ("lr", TypeError, r"fixed must be a dict of names and values, such as {'lr': value}: got str"),
    ],
)
def test_wrong_values_and_names_are_refused_and_leave_nothing_pending(fixed, error, words):
    opt = driven(1)
    with pytest.raises(error, match=words):
        opt.ask(fixed=fixed)
    assert len(opt.trials) == 1


def test_a_rounding_error_outside_the_bounds_is_fixed_at_the_bound():
    assert driven(1).ask(fixed={"lr": 1 + 1e-12}).point["lr"] == 1.0


# Conditions and constraints.

KERNELS = sf.Space(
    kernel=sf.Choice("rbf", "linear", "poly"),
    C=sf.Float(1e-3, 1e3, log=True),
    gamma=sf.Float(1e-4, 1, log=True, when={"kernel": ("rbf", "poly")}),
    degree=sf.Int(2, 5, when={"kernel": "poly"}),
)


def svm(point):
    return abs(np.log10(point["C"])) + abs(np.log10(point.get("gamma", 1.0)) + 2) + 0.1 * point.get("degree", 0)


@pytest.mark.parametrize(
    ("fixed", "names"),
    [
        ({"kernel": "linear"}, {"kernel", "C"}),
        ({"kernel": "poly"}, {"kernel", "C", "gamma", "degree"}),
        ({"kernel": "poly", "degree": 3}, {"kernel", "C", "gamma", "degree"}),
        ({"kernel": "rbf", "gamma": 0.1}, {"kernel", "C", "gamma"}),
    ],
)
def test_to_fix_a_parent_decides_which_parameters_there_are(fixed, names):
    opt = Optimizer(
        KERNELS, seed=0, n_initial=3, acquisition=sf.UCB(), diagnostics=sf.solvers.Diagnostics(proof_seconds=0.01)
    )
    for _ in range(6):
        trial = opt.ask(fixed=fixed)
        assert set(trial.point) == names
        assert has(trial.point, fixed)
        opt.tell(trial, svm(trial.point))
    assert not [step.reason for step in sf.audit(opt.result()).steps if step.reason]


def test_a_parameter_is_fixed_together_with_what_it_depends_on():
    opt = Optimizer(KERNELS, seed=0)
    with pytest.raises(ValueError, match=r"'gamma' is active only with .*; fix 'kernel' as well"):
        opt.ask(fixed={"gamma": 0.1})
    with pytest.raises(ValueError, match="'gamma' is inactive here"):
        opt.ask(fixed={"gamma": 0.1, "kernel": "linear"})
    assert opt.trials == ()


def test_known_constraints_hold_in_a_slice():
    space = sf.Space(x=(0.0, 1.0), y=(0.0, 1.0), where=lambda p: p["x"] + p["y"] <= 1)
    opt = Optimizer(space, seed=0, n_initial=2)
    for _ in range(5):
        trial = opt.ask(fixed={"x": 0.9})
        assert trial.point["x"] == 0.9
        assert trial.point["x"] + trial.point["y"] <= 1
        opt.tell(trial, -trial.point["y"])
    with pytest.raises(ValueError, match="none of the 1 points of the space satisfies"):
        opt.ask(fixed={"x": 0.9, "y": 0.5})


@pytest.mark.parametrize("value", [False, 0, 0.0])
def test_a_condition_on_a_fixed_option_is_met_by_that_option_and_not_by_one_that_equals_it(value):
    space = sf.Space(
        p=sf.Ordinal(False, 0, 0.0),
        q=sf.Float(0, 1, when={"p": False}),
        c=sf.Choice("a", "b", when={"p": (0, 0.0)}),
        y=(0.0, 1.0),
    )
    opt = sf.Optimizer(space, seed=0, n_initial=2)
    for _ in range(4):
        trial = opt.ask(fixed={"p": value})
        assert list(trial.point) == (["p", "q", "y"] if value is False else ["p", "c", "y"])
        opt.tell(trial, trial.point["y"])
