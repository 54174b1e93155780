"""Constraints as text: what they mean, what they refuse, and that a file keeps them."""

import copy
import pickle

import pytest

import suffice as sf
from suffice.space.constraints import Inequality, Missing

POINT = {"x": 2.0, "n": 3}


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("x * n <= 6", True),
        ("x * n < 6", False),
        ("1 <= x + n / 2 <= 3.5", True),
        ("-(x - 1) * 2 >= -2 + n * 0", True),
        ("x / (n - 3) < 1e9", False),
        ("absent + x <= 0", True),
        ("1e308 * n * x >= 0", True),
    ],
)
def test_an_inequality_means_what_it_says(text, met):
    found = Inequality(text)
    assert found(POINT) is met
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "lambda p: p <= 1",
        "x ** 2 <= 1",
        "f(x) <= 1",
        "x.real <= 1",
        "x[0] <= 1",
        "1 <= 2",
        "x <= 'a'",
        "x <= True",
        "x == 1",
        "x <= 1 and n <= 2",
        "x <",
        "",
        "x <= 1e999",
        "x +" * 300 + "x <= 1",
        "(" * 300 + "x" + ")" * 300,
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match="where: wanted an inequality"):
        Inequality(text)


def test_names_must_be_numeric_parameters_of_the_space():
    params = {"x": (0.0, 1.0), "acid": sf.Choice("HCl", "HNO3"), "n": sf.Ordinal(1, 2, 4)}
    assert sf.Space(params, where="x * n <= 1").where == (Inequality("x * n <= 1"),)
    with pytest.raises(ValueError, match="there is no parameter 'y': x, acid, n"):
        sf.Space(params, where="y <= 1")
    with pytest.raises(ValueError, match="the options of 'acid' are not all numbers"):
        sf.Space(params, where=["x <= 1", "acid <= 1"])


def test_a_file_keeps_an_inequality_and_of_a_function_its_text(tmp_path):
    limits = ["x + y <= 1", lambda p: p["x"] >= p["y"]]
    for where, kinds in ((limits[0], [Inequality]), (limits, [Inequality, Missing])):
        space, path = sf.Space(x=(0.0, 1.0), y=(0.0, 1.0), where=where), tmp_path / f"{len(kinds)}.db"
        with sf.Optimizer(space, storage=path, seed=0) as opt:
            opt.ask(3)
            points = [trial.point for trial in copy.deepcopy(opt).ask(2)]
        with sf.Optimizer.resume(path) as opt:
            assert [type(predicate) for predicate in opt.space.where] == kinds
            if len(kinds) == 1:
                assert [trial.point for trial in opt.ask(2)] == points
        with sf.Optimizer(space, storage=path, seed=0) as opt:  # the same space
            assert all(trial.point["x"] + trial.point["y"] <= 1 for trial in opt.trials)
