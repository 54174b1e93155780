"""BayesSearchCV: scikit-optimize's arguments and results around SufficeSearchCV."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from suffice.compat.skopt import BayesSearchCV
from suffice.compat.skopt.callbacks import DeltaYStopper
from suffice.compat.skopt.searchcv import BayesSearchCV as FromItsModule
from suffice.compat.skopt.space import Categorical, Integer, Real
from suffice.integrations.sklearn import SufficeSearchCV

X, Y = load_iris(return_X_y=True)
TREE = {"max_depth": (1, 8), "min_samples_leaf": Integer(1, 20), "criterion": ["gini", "entropy"]}


def search(spaces=TREE, estimator=None, **words):
    tree = DecisionTreeClassifier(random_state=0) if estimator is None else estimator
    return BayesSearchCV(tree, spaces, **{"n_iter": 5, "cv": 3, "random_state": 0, **words})


def test_a_search_finds_parameters_and_fits_the_best():
    found = search().fit(X, Y)
    assert FromItsModule is BayesSearchCV
    assert isinstance(found, SufficeSearchCV)
    assert set(found.best_params_) == set(TREE)
    assert found.best_score_ == max(found.cv_results_["mean_test_score"]) > 0.8
    assert len(found.cv_results_["params"]) == 5
    assert found.score(X, Y) > 0.9
    assert found.predict(X).shape == Y.shape
    assert found.best_estimator_.get_params()["max_depth"] == found.best_params_["max_depth"]


def test_the_results_are_scikit_optimizes():
    found = search().fit(X, Y)
    (result,) = found.optimizer_results_
    assert result.space.dimension_names == sorted(TREE)
    assert result.x == [found.best_params_[name] for name in sorted(TREE)]
    assert result.fun == -found.best_score_
    np.testing.assert_array_equal(result.func_vals, -found.cv_results_["mean_test_score"])
    assert result.suffice.fun == found.best_score_
    assert result.models[-1].predict(result.space.transform(result.x_iters)).shape == (5,)


def test_callbacks_hear_of_each_candidate_and_end_the_search():
    heard = []
    found = search(n_iter=9).fit(X, Y, callback=[lambda r: heard.append(r.fun), lambda r: len(r.x_iters) == 4])
    assert len(heard) == len(found.cv_results_["params"]) == 4
    assert heard[-1] == -found.best_score_
    assert len(search(n_iter=9).fit(X, Y, callback=DeltaYStopper(1.0, n_best=2)).cv_results_["params"]) == 2
    with pytest.raises(ValueError, match="callback"):
        search().fit(X, Y, callback=3)


def test_a_pipeline_may_have_a_choice_of_models():
    pipe = Pipeline([("model", SVC())])
    support = {"model": Categorical([SVC()]), "model__C": Real(1e-3, 1e3, prior="log-uniform")}
    linear = {"model": [LogisticRegression(max_iter=500)], "model__C": (1e-3, 1e3, "log-uniform")}
    found = search([(support, 3), linear], pipe, n_points=2, return_train_score=True)
    assert found.total_iterations == 8
    found.fit(X, Y)
    assert [len(result.x_iters) for result in found.optimizer_results_] == [3, 5]
    assert isinstance(found.best_params_["model"], SVC | LogisticRegression)
    assert found.best_estimator_.named_steps["model"].C == found.best_params_["model__C"]
    assert isinstance(found.optimizer_results_[1].x[0], LogisticRegression)
    assert sorted(found.cv_results_["rank_train_score"])[0] == 1


def test_it_is_an_estimator_of_scikit_learn():
    made = search(optimizer_kwargs={"acq_func": "EI"}, n_points=3)
    assert repr(clone(made)) == repr(made)
    assert set(made.get_params(deep=False)) == {
        "estimator",
        "search_spaces",
        "optimizer_kwargs",
        "n_iter",
        "scoring",
        "fit_params",
        "n_jobs",
        "n_points",
        "iid",
        "refit",
        "cv",
        "verbose",
        "pre_dispatch",
        "random_state",
        "error_score",
        "return_train_score",
    }
    with pytest.raises(NotFittedError):
        _ = made.optimizer_results_
    fitted = pickle.loads(pickle.dumps(search().fit(X, Y)))
    assert fitted.optimizer_results_[0].fun == -fitted.best_score_


def test_the_same_random_state_gives_the_same_search():
    one, other = (search().fit(X, Y) for _ in range(2))
    assert one.cv_results_["params"] == other.cv_results_["params"]
    assert search(random_state=1).fit(X, Y).cv_results_["params"] != one.cv_results_["params"]


@pytest.mark.parametrize(
    "given",
    [
        {"base_estimator": "GP", "n_initial_points": 2},
        {"acq_func": "LCB", "acq_func_kwargs": {"kappa": 1.0}},
        {"base_estimator": "dummy"},
        {"acq_optimizer": "sampling", "n_jobs": 2, "initial_point_generator": "lhs"},
    ],
)
def test_the_optimizers_arguments_are_taken(given):
    found = search(optimizer_kwargs=given).fit(X, Y)
    assert len(found.cv_results_["params"]) == 5
    modelled = sum(trial.origin == "model" for trial in found.result_.trials)
    if given.get("n_initial_points") == 2:
        assert modelled == 3
    if given.get("base_estimator") == "dummy":
        assert modelled == 0


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"base_estimator": "RF"}, NotImplementedError),
        ({"acq_func": "XX"}, ValueError),
        ({"dimension": 3}, TypeError),
        ({"initial_point_generator": "XX"}, ValueError),
    ],
)
def test_optimizers_arguments_that_are_none_are_refused(given, error):
    with pytest.raises(error):
        search(optimizer_kwargs=given).fit(X, Y)


@pytest.mark.parametrize("spaces", [{}, [], [(TREE, "five")], [(TREE,)], {"max_depth": 3}, {"max_depth": "abc"}])
def test_what_is_no_space_is_refused_when_it_is_made(spaces):
    with pytest.raises(ValueError, match=r"space|dimension"):
        search(spaces)


@pytest.mark.parametrize("spaces", [3, [3]])
def test_what_is_not_even_a_dict_is_refused(spaces):
    with pytest.raises(TypeError, match="dict"):
        search(spaces)


def test_two_numbers_in_a_list_are_a_range_as_in_scikit_optimize():
    found = search({"max_depth": [1, 30]}, n_iter=8).fit(X, Y)
    assert len({params["max_depth"] for params in found.cv_results_["params"]}) > 2


def test_parameters_of_fit_may_be_said_before():
    weights = np.where(Y == 0, 5.0, 1.0)
    before = search(fit_params={"sample_weight": weights}).fit(X, Y)
    then = search().fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(before.cv_results_["mean_test_score"], then.cv_results_["mean_test_score"])


def test_groups_reach_the_splitter():
    from sklearn.model_selection import GroupKFold

    groups = np.arange(len(Y)) % 5
    assert len(search(cv=GroupKFold(5)).fit(X, Y, groups=groups).cv_results_["params"]) == 5


def test_an_error_of_a_fit_comes_out_unless_a_score_stands_for_it():
    spaces = {"alpha": (-1.0, 1.0)}
    with pytest.raises(ValueError, match="alpha"):
        search(spaces, Ridge(), n_iter=10).fit(X, Y)


def test_iid_has_no_effect_and_says_so():
    with pytest.warns(UserWarning, match="iid"):
        search(iid=True)


def test_several_scores_are_kept_and_one_is_searched_for():
    found = search(scoring=["accuracy", "f1_macro"], refit="f1_macro").fit(X, Y)
    assert "mean_test_accuracy" in found.cv_results_
    assert found.optimizer_results_[0].fun == -found.best_score_
