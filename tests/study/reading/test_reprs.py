"""Everything that a user can hold prints itself in a few lines, without arrays; a part prints what makes it again."""

import inspect
import re

import numpy as np
import pytest

import suffice as sf
from suffice.ask.models import fit_outputs
from suffice.result.predict import recommend

WORDS = {  # of the parts that need some
    "AtLeast": (0.9,),
    "AtMost": (50.0,),
    "Choice": ("a", "b"),
    "Fixed": (10,),
    "Float": (0.0, 1.0),
    "Int": (1, 9),
    "LogNormal": (0.3, 0.7),
    "NoImprovement": (5,),
    "Ordinal": ("s", "l"),
    "Power": (10.0, 0.5),
    "RegretBelow": (0.1,),
    "Target": (0.1,),
    "Theory": (1.0, 0.1, 0.1),
}
NOT_PARTS = {"Optimizer", "CustomKernel", "CustomSpace", "Pool", "Result", "Space", "Trial"}
PARTS = [
    name
    for name in sf.__all__
    if inspect.isclass(getattr(sf, name)) and not issubclass(getattr(sf, name), Exception) and name not in NOT_PARTS
]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_prints_what_makes_it_again(name):
    part = getattr(sf, name)(*WORDS.get(name, ()))
    shown = repr(part)
    assert "\n" not in shown
    assert len(shown) < 450
    assert " at 0x" not in shown
    names = {word: getattr(sf, word) for word in sf.__all__}
    rooms = (sf.gp, sf.acquisition, sf.solvers, sf.study.stop)
    assert eval(shown, {name: thing for room in rooms for name, thing in vars(room).items()} | names) == part


@pytest.fixture(scope="module")
def things():
    optimizer = sf.Optimizer([(0.0, 1.0)] * 101, seed=0, n_initial=6, solver=sf.solvers.Grid(size=sf.solvers.Fixed(64)))
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, float(trial.point.sum()))
    failed = optimizer.fail(optimizer.ask(), "x" * 5000)
    result, fitted = (
        optimizer.result("m" * 300),
        fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"],
    )
    solve = result.trials[7].solve
    found = sf.audit(sf.minimize(lambda x: float(x[0]), [(0.0, 1.0)], 5, n_initial=3, seed=0))
    return {
        "optimizer": optimizer,
        "result": result,
        "trial": result.trials[0],
        "failed trial": failed,
        "report": solve,
        "binding": solve.binding.t,
        "accuracy": result.accuracy,
        "calibration": result.accuracy.calibration,
        "bound": result.accuracy.bound,
        "settings": result.settings,
        "history": result.history,
        "observations": result.history.observations(),
        "posterior": fitted.posterior,
        "factor": fitted.posterior.factor,
        "importance": result.importance(),
        "findings": result.diagnose(),
        "recommended": recommend(result.history),
        "audit": found,
        "pool": sf.Pool(np.random.default_rng(0).random((1000, 5))),
        "no result": sf.Result(),
    }


def test_everything_prints_in_a_few_lines_and_no_arrays(things):
    for name, thing in things.items():
        shown = repr(thing)
        assert 0 < len(shown) < 4000, name
        assert shown.count("\n") < 50, name
        assert not re.search(r"array\(\[\[", shown), name
        assert max(map(len, shown.splitlines())) < 900, name


def test_a_long_point_is_cut_and_a_short_one_is_not(things):
    assert "(101 in all)" in repr(things["trial"])
    assert "(101 in all)" in repr(things["result"])
    optimizer = sf.Optimizer({"x": (0.0, 1.0), "c": sf.Choice("a", "b")}, seed=0)
    told = optimizer.tell({"x": 0.25, "c": "a"}, 1.5)
    assert repr(told) == "Trial(number=0, point={'x': 0.25, 'c': 'a'}, state='done', value=1.5)"


def test_settings_show_what_was_asked_for():
    plain = repr(sf.Optimizer({"x": (0.0, 1.0)}, seed=3).settings)
    assert "model=GP()" in plain
    assert "audit" not in plain
    assert "diagnostics=Diagnostics(audit=0.1)" in repr(
        sf.Optimizer(
            {"x": (0.0, 1.0)}, seed=3, diagnostics=sf.solvers.Diagnostics(audit=0.1), model=sf.GP(ard=False)
        ).settings
    )


def test_what_a_result_can_do_is_offered_for_completion(things):
    assert {"diagnose", "importance", "plot", "predict", "save", "to_dataframe", "x_recommended"} <= set(
        dir(things["result"])
    )
    assert not [name for name in dir(things["result"]) if name.startswith("_")]
