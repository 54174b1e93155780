"""What programs import from scikit-optimize is there, or says why it is not; and nothing optional is needed for it."""

import subprocess
import sys

import pytest

import suffice.compat.skopt as skopt
from suffice.compat.skopt.space import Integer, Real
from suffice.compat.skopt.utils import (
    cook_estimator,
    dimensions_aslist,
    normalize_dimensions,
    point_asdict,
    point_aslist,
    use_named_args,
)


def test_the_modules_are_attributes_of_the_package():
    assert skopt.callbacks.CheckpointSaver is not None
    assert skopt.space.Real is Real
    assert skopt.utils.use_named_args is use_named_args
    assert skopt.optimizer.base_minimize is not None
    for name in skopt.__all__:
        assert getattr(skopt, name) is not None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from suffice.compat.skopt.learning import GaussianProcessRegressor", "sf.GP"),
        ("from suffice.compat.skopt.learning import RandomForestRegressor", "sf.GP"),
        ("from suffice.compat.skopt.acquisition import gaussian_ei", "predict"),
    ],
)
def test_an_import_of_what_is_not_here_says_why(line, said):
    with pytest.raises(ImportError, match=said):
        exec(line)


def test_a_name_that_nobody_has_is_an_ordinary_error():
    assert not hasattr(skopt.learning, "nothing")
    with pytest.raises(ImportError, match="cannot import name"):
        exec("from suffice.compat.skopt.learning import Nothing")


def test_an_estimator_is_not_made_here():
    with pytest.raises(NotImplementedError, match=r"sf\.GP"):
        cook_estimator("GP", space=None)


def test_the_core_alone_is_enough():
    code = """
import sys
for name in ("sklearn", "joblib", "matplotlib", "pandas", "yaml", "skopt"):
    sys.modules[name] = None  # as if it were not installed
import suffice.compat.skopt as skopt
result = skopt.gp_minimize(lambda x: x[0] ** 2, [(-1.0, 1.0)], n_calls=5, n_initial_points=3, random_state=0)
skopt.dump(result, sys.argv[1], store_objective=False)
assert skopt.load(sys.argv[1]).fun == result.fun
try:
    skopt.BayesSearchCV
except ImportError as error:
    assert "suffice[sklearn]" in str(error), error
else:
    raise AssertionError("BayesSearchCV without scikit-learn")
assert skopt.expected_minimum(result, 2, random_state=0)[1] <= result.fun + 0.1
"""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, f"{folder}/r.pkl.gz"], capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr


def test_an_objective_gets_its_arguments_by_name():
    @use_named_args([Real(0, 1, name="rate"), Integer(1, 9, name="depth")])
    def objective(depth, rate):
        """What it does."""
        return 10 * depth + rate

    assert objective([0.5, 3]) == 30.5
    assert objective.__doc__ == "What it does."
    with pytest.raises(ValueError, match="2 values"):
        objective([0.5])


@pytest.mark.parametrize("dimensions", [[Real(0, 1)], [(0, 1)]])
def test_dimensions_without_names_are_refused(dimensions):
    with pytest.raises(ValueError, match="name"):
        use_named_args(dimensions)(lambda x: x)


def test_points_by_name_are_sorted_by_it():
    space = {"b": (1, 2), "a": (0.0, 1.0)}
    assert dimensions_aslist(space) == [(0.0, 1.0), (1, 2)]
    assert point_asdict(space, [0.5, 1]) == {"a": 0.5, "b": 1}
    assert point_aslist(space, {"b": 1, "a": 0.5}) == [0.5, 1]
    assert normalize_dimensions([(0.0, 2.0)]).transform([[1.0]]).tolist() == [[0.5]]
