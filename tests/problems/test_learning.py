import itertools
import pickle
import sys

import numpy as np
import pytest

import suffice as sf
from suffice import minimize
from suffice.errors import MissingExtra, SufficeError
from suffice.problems import find, functions
from suffice.problems.functions import SPACE, validation_error
from suffice.problems.problem import Native

as_point = Native(SPACE, validation_error).point

# The paper's appendix, in its order; a pair of options is (0, 1).
BOX = [(0, 1), (0, 1), (20, 200), (0, 1), (0, 1), (2, 10), (1, 10), (0, 0.5), (1, 10), (0, 1), (2, 10)]
SIZE, MALIGNANT = 143, 53  # of the validation samples
USUAL = {
    "loss": "log_loss",
    "learning_rate": 0.2,
    "n_estimators": 30,
    "subsample": 0.8,
    "criterion": "friedman_mse",
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.01,
    "max_depth": 3,
    "max_features": "sqrt",
    "max_leaf_nodes": 8,
}


@pytest.fixture
def automl():
    pytest.importorskip("sklearn")
    return find("automl")


def test_the_box_is_that_of_the_appendix(automl):
    assert automl.name == "automl"
    assert automl.bounds == tuple(BOX)


def test_the_optimum_is_a_bound_that_no_point_is_known_to_attain(automl):
    assert (automl.optimum, automl.minimizers) == (0.0, ())


def test_every_corner_of_the_box_is_a_point_of_the_space():
    seen = {tuple(as_point(np.array(corner)).items()) for corner in itertools.product(*BOX)}
    assert len(seen) == 2**11
    for settings in seen:
        SPACE.to_unit(dict(settings))


def test_integers_and_options_are_rounded_to_the_nearest():
    low = np.array(BOX)[:, 0]
    before, after = as_point(low + 0.49), as_point(low + 0.51)
    for j, (name, parameter) in enumerate(SPACE.params.items()):
        if parameter.kind == "float":
            assert (before[name], after[name]) == (0.49, 0.51)
        else:
            levels = parameter.options if parameter.kind == "choice" else (BOX[j][0], BOX[j][0] + 1)
            assert (before[name], after[name]) == levels


def test_the_error_is_one_minus_the_accuracy_that_scikit_learn_reports(automl):
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.model_selection import train_test_split

    X, y = load_breast_cancer(return_X_y=True)
    X, X_validation, y, y_validation = train_test_split(X, y, stratify=y, random_state=0)
    model = GradientBoostingClassifier(
        loss="exponential",
        learning_rate=0.3,
        n_estimators=20,
        subsample=0.7,
        min_samples_split=3,
        min_samples_leaf=4,
        min_weight_fraction_leaf=0.05,
        max_depth=5,
        max_features="log2",
        max_leaf_nodes=6,
        random_state=0,
    )
    x = [0.8, 0.3, 20.3, 0.7, 0.0, 2.6, 4.2, 0.05, 5.4, 1.0, 6.0]
    assert automl(x) == pytest.approx(1 - model.fit(X, y).score(X_validation, y_validation), abs=1e-12)


def test_without_learning_all_malignant_samples_are_missed(automl):
    assert len(functions._split().validation_labels) == SIZE
    assert validation_error(USUAL | {"learning_rate": 0}) == MALIGNANT / SIZE


def test_usual_settings_are_right_nine_times_in_ten_and_again_the_same(automl):
    error = validation_error(USUAL)
    assert error < 0.1
    assert error == validation_error(dict(USUAL))
    assert error * SIZE == pytest.approx(round(error * SIZE), abs=1e-9)


def test_the_two_criteria_are_one(automl):
    assert validation_error(USUAL | {"criterion": "squared_error"}) == validation_error(USUAL)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_no_subsample_is_the_limit_of_small_ones(automl, loss):
    some = USUAL | {"loss": loss, "learning_rate": 1.0}
    assert validation_error(some | {"subsample": 0}) == validation_error(some | {"subsample": 1.5 / 426})


def test_the_extreme_corners_have_an_error(automl):
    corners = np.array(BOX).T
    corners[:, 2] = 20  # trees, to be quick
    errors = automl.values(corners)
    assert np.all((errors > 0) & (errors < 0.5))


def test_no_rows_have_no_errors(automl):
    assert automl.values(np.empty((0, 11))).shape == (0,)


def test_the_task_travels_to_another_process(automl):
    assert pickle.loads(pickle.dumps(automl)) == automl


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"subsample": 1.5}, "'subsample': 1.5 is outside"),
        ({"depth": 3}, "unknown 'depth'"),
        ({"loss": "mse"}, "'loss'"),
    ],
)
def test_what_is_no_point_of_the_space_is_refused_by_name(automl, change, fault):
    with pytest.raises(ValueError, match=fault):
        validation_error(USUAL | change)


def test_the_space_and_the_error_are_what_minimize_takes(automl):
    result = minimize(
        validation_error, SPACE, 6, seed=0, n_initial=4, x0=[USUAL], evaluation=sf.Evaluation(on_error="raise")
    )
    assert result.fun <= validation_error(USUAL)
    assert result.fun == validation_error(result.x)


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    functions._split.cache_clear()
    for ask in (lambda: find("automl"), lambda: validation_error(USUAL)):
        with pytest.raises(MissingExtra, match=r"AutoML task needs scikit-learn, .*: pip install 'suffice\[sklearn\]'"):
            ask()


def test_a_missing_extra_is_an_import_error_and_its_copy_says_the_same():
    error = MissingExtra("plot", "matplotlib", "a figure")
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, ImportError)
    assert isinstance(copy, SufficeError)
    assert str(copy) == str(error) == "a figure needs matplotlib, which is not installed: pip install 'suffice[plot]'"
