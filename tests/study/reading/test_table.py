"""A run as a table of pandas: every trial, with the types of its parameters."""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import MissingExtra

SPACE = sf.Space(
    x=sf.Float(0, 1),
    n=sf.Int(1, 9),
    c=sf.Choice("a", "b"),
    s=sf.Ordinal("small", "large"),
    flag=sf.Choice(True, False),
    layers=sf.Choice((64, 32), (32, 16)),
    deep=sf.Int(1, 4, when={"c": "b"}),
    soft=sf.Float(0, 1, when={"c": "b"}),
    value=sf.Float(0, 1),
)


@pytest.fixture(scope="module")
def result():
    optimizer = sf.Optimizer(SPACE, seed=0, n_initial=8, solver=sf.solvers.Grid(size=sf.solvers.Fixed(64)))
    for k in range(14):
        trial = optimizer.ask()
        if k == 3:
            optimizer.fail(trial, "ValueError: no", cause="raised", seconds=0.5)
        elif k == 4:
            optimizer.cancel(trial)
        elif k < 13:
            optimizer.tell(trial, trial.point["x"] + trial.point["n"], seconds=1.5, noise_var=0.1 if k == 5 else None)
    return optimizer.result()


@pytest.fixture(scope="module")
def table(result):
    return result.to_dataframe()


def test_there_is_a_row_for_each_trial(result, table):
    assert len(table) == 14
    assert table.number.tolist() == list(range(14))
    assert table.state.tolist() == [trial.state for trial in result.trials]
    assert table.value.isna().sum() == 3
    assert table.value.dropna().tolist() == [t.value for t in result.trials if t.value is not None]
    assert table.seconds.dropna().tolist() == [t.seconds for t in result.trials if t.seconds is not None]
    assert table.noise_var.dropna().tolist() == [0.1]
    assert table.origin.tolist() == [trial.origin for trial in result.trials]
    assert table.cause[3] == "raised"
    assert table.reason[3] == "ValueError: no"
    assert table.reason[0] is None


def test_columns_have_the_types_of_their_parameters(table):
    assert table.x.dtype == table.soft.dtype == table.value.dtype == np.float64
    assert table.n.dtype == table.deep.dtype == pd.Int64Dtype()
    assert table.c.dtype == pd.CategoricalDtype(["a", "b"])
    assert table.s.dtype == pd.CategoricalDtype(["small", "large"], ordered=True)
    assert table.flag.cat.categories.tolist() == [True, False]
    assert table.layers.dtype == object
    assert set(table.layers) <= {(64, 32), (32, 16)}
    assert table["parameter:value"].between(0, 1).all()


def test_what_is_inactive_is_missing(result, table):
    inactive = [trial.point["c"] == "a" for trial in result.trials]
    assert table.deep.isna().tolist() == table.soft.isna().tolist() == inactive
    assert any(inactive)
    assert not all(inactive)


def test_its_rows_are_points_to_predict_at(result, table):
    mean, sd = result.predict(table)
    assert np.array_equal(mean, result.predict([trial.point for trial in result.trials])[0])
    assert np.isfinite(sd).all()


def test_what_the_model_expected_is_in_the_objectives_units(result, table):
    asked = table[table.origin == "model"]
    assert asked.predicted.notna().all()
    assert (asked.predicted_sd > 0).all()
    assert asked.relative_gap.between(0, 1).all()
    assert table[table.origin == "design"].predicted.isna().all()
    z = (asked.value - asked.predicted) / asked.predicted_sd
    assert z.abs().max() < 10


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_expected_value_agrees_with_the_one_step_scores(direction):
    result = sf.Optimizer([(0.0, 1.0)], seed=0, direction=direction, n_initial=4, model=sf.GP(warp=False))
    for _ in range(8):
        trial = result.ask()
        result.tell(trial, math.sin(5 * trial.point[0]))
    table, sign = result.result().to_dataframe(), 1 if direction == "maximize" else -1
    z = sign * (table.value - table.predicted) / table.predicted_sd
    assert z.dropna().to_numpy() == pytest.approx(result.accuracy.z_scores)


def test_points_without_names_have_numbered_columns():
    optimizer = sf.Optimizer([sf.Float(0, 1), sf.Int(1, 3), sf.Choice("a", 1)], seed=0)
    optimizer.tell([0.5, 2, "a"], 1.0)
    table = optimizer.result().to_dataframe()
    assert table[["x[0]", "x[1]", "x[2]"]].to_numpy().tolist() == [[0.5, 2, "a"]]
    assert table["x[2]"].dtype == object  # pandas would take 1 and True for one


def test_rows_of_a_pool_and_points_of_ones_own():
    pool = sf.Pool([{"solvent": "water", "ph": 7.0}, {"solvent": "ethanol", "ph": 6.5}])
    optimizer = sf.Optimizer(pool, seed=0)
    optimizer.tell(pool[1], 1.0)
    table = optimizer.result().to_dataframe()
    assert table[["solvent", "ph"]].to_numpy().tolist() == [["ethanol", 6.5]]
    objects = sf.Pool(["CCO", "C", "CC"], features=np.array([[1.0], [2.0], [3.0]]))
    optimizer = sf.Optimizer(objects, seed=0)
    optimizer.tell("CC", 1.0)
    assert optimizer.result().to_dataframe().point.tolist() == ["CC"]


def test_an_empty_run_has_all_columns(table):
    empty = sf.Optimizer(SPACE, seed=0).result().to_dataframe()
    assert len(empty) == 0
    assert list(empty.columns) == list(table.columns)
    assert empty.dtypes.drop("reason").equals(table.dtypes.drop("reason"))


def test_integers_beyond_64_bits_stay_what_they_are():
    optimizer = sf.Optimizer(sf.Space(n=sf.Int(1, 2**70, log=True)), seed=0)
    optimizer.tell({"n": 2**69}, 1.0)
    assert optimizer.result().to_dataframe().n.tolist() == [2**69]


def test_without_pandas_the_command_is_named():
    assert str(MissingExtra("", "pandas", "to_dataframe")) == (
        "to_dataframe needs pandas, which is not installed: pip install pandas"
    )
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import suffice as sf\n"
        "try: sf.Optimizer([(0, 1)]).result().to_dataframe()\n"
        "except ImportError as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install pandas" in shown


def test_names_and_options_with_halves_of_letters_have_columns():
    space = sf.Space({"file\ud800": sf.Choice("a\udcff", "b"), "x": (0.0, 1.0)})
    optimizer = sf.Optimizer(space, seed=0)
    optimizer.tell({"file\ud800": "a\udcff", "x": 0.5}, 1.0)
    optimizer.fail(optimizer.ask(), "no \udcff")
    table = optimizer.result().to_dataframe()
    assert table["file\\ud800"][0] == "a\udcff"
    assert table["reason"][1] == "no \udcff"
    rows = sf.Optimizer(sf.Pool([{"file": "a\udcff", "n": 1}, {"file": "b", "n": 2}]), seed=0)
    rows.tell({"file": "a\udcff", "n": 1}, 1.0)
    assert rows.result().to_dataframe()["file"][0] == "a\udcff"


def test_an_option_that_is_none_is_told_from_a_parameter_that_is_lacking():
    space = sf.Space(
        {
            "model": sf.Choice("tree", "line"),
            "weight": sf.Choice(None, "balanced"),
            "features": sf.Choice(None, "sqrt", 0.5, when={"model": "tree"}),
            "value": (0.0, 1.0),
            "parameter:value": (0.0, 1.0),
        }
    )
    optimizer = sf.Optimizer(space, seed=0)
    for row in space.sample(12, np.random.default_rng(0)):
        optimizer.tell(space.from_unit(row), float(row.sum()))
    result = optimizer.result()
    table = result.to_dataframe()
    assert table.columns.is_unique
    assert len(table.columns) == len(sf.Optimizer({"x": (0, 1)}).result().to_dataframe().columns) + 4
    for point, found in zip(result.x_iters, table["features"], strict=True):
        assert found is point["features"] or found == point["features"] if "features" in point else math.isnan(found)
    assert np.allclose(result.predict(table)[0], result.predict(result.x_iters)[0])
