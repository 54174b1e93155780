"""What scikit-learn's searches can do, this one can: several scorers, refit, metadata, callbacks."""

import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_wine
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import suffice as sf
from suffice.integrations.sklearn import SufficeSearchCV

X, y = load_wine(return_X_y=True)
DEPTHS = {"max_depth": (1, 8), "min_samples_leaf": (1, 30)}
TREE = DecisionTreeClassifier(random_state=0)


def searched(model=TREE, spaces=DEPTHS, fit=None, **options):
    options = {"n_iter": 6, "cv": 3, "random_state": 0} | options
    return SufficeSearchCV(model, spaces, **options).fit(X, y, **(fit or {}))


def told(search):
    return [trial.value for trial in search.result_.trials]


def both(estimator, X, y):
    right = np.mean(estimator.predict(X) == y)
    return {"right": right, "wrong": 1 - right}


@pytest.mark.parametrize("name", ["accuracy", "neg_log_loss"])
def test_of_several_scorers_that_of_refit_is_maximized(name):
    search = searched(scoring=["accuracy", "neg_log_loss"], refit=name)
    assert told(search) == search.cv_results_[f"mean_test_{name}"].tolist()
    assert search.best_score_ == search.result_.fun == max(told(search))
    assert search.best_index_ == search.cv_results_[f"rank_test_{name}"].tolist().index(1)


def test_a_function_may_return_several_scores():
    search = searched(scoring=both, refit="wrong")
    assert told(search) == search.cv_results_["mean_test_wrong"].tolist()
    assert search.multimetric_


def test_a_refit_that_is_no_score_of_the_function_is_refused_in_the_first_round():
    rounds = []
    with pytest.raises(ValueError, match="refit must be set to a scorer key"):
        searched(scoring=both, refit="right or wrong", callback=rounds.append)
    assert rounds == []


def test_where_refit_is_a_function_the_first_score_is_maximized_and_the_function_chooses():
    def smallest(results):
        return int(np.argmin(results["param_max_depth"]))

    search = searched(scoring=["neg_log_loss", "accuracy"], refit=smallest)
    assert told(search) == search.cv_results_["mean_test_neg_log_loss"].tolist()
    assert search.best_params_["max_depth"] == min(search.cv_results_["param_max_depth"])
    assert not hasattr(search, "best_score_")
    assert search.best_estimator_.get_depth() <= search.best_params_["max_depth"]


def test_without_refit_there_are_the_best_parameters_and_no_estimator():
    search = searched(refit=False)
    assert search.best_params_ == search.result_.x
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(searched(refit=False, scoring=["accuracy", "f1_macro"]), "best_params_")


def test_the_search_passes_for_what_it_searches():
    tags = get_tags(SufficeSearchCV(SVC(kernel="precomputed"), {"C": (0.1, 1.0)}))
    assert tags.estimator_type == "classifier"
    assert tags.input_tags.pairwise


def test_groups_reach_the_splitter():
    groups = np.arange(len(y)) % 3
    search = searched(cv=GroupKFold(3), fit={"groups": groups})
    assert search.n_splits_ == 3
    scores = cross_validate(TREE.set_params(**search.best_params_), X, y, groups=groups, cv=GroupKFold(3))
    assert search.best_score_ == np.mean(scores["test_score"])


class Weighed(GaussianNB):
    """A model that remembers the weights that it was given."""

    def fit(self, X, y, sample_weight=None):
        self.weights_ = sample_weight
        return super().fit(X, y, sample_weight=sample_weight)


def test_metadata_is_routed_as_it_was_requested():
    weights, groups, spaces = np.where(y == 0, 5.0, 1.0), np.arange(len(y)) % 3, {"var_smoothing": (1e-9, 1.0)}
    with config_context(enable_metadata_routing=True):
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
        for wanted in (True, False):
            model = Weighed().set_fit_request(sample_weight=wanted)
            both = {"sample_weight": weights, "groups": groups}
            search = searched(model, spaces, scoring=scorer, cv=GroupKFold(3), fit=both, n_iter=3)
            assert np.array_equal(search.best_estimator_.weights_, weights) == wanted
        with pytest.raises(ValueError, match="sample_weight"):
            searched(Weighed(), spaces, fit={"sample_weight": weights})


def test_weights_are_split_and_reach_the_fits():
    class Checked(BaseEstimator):
        def __init__(self, a=0.0):
            self.a = a

        def fit(self, X, y, sample_weight):
            assert np.array_equal(X[:, 0], sample_weight)
            return self

        def score(self, X, y, sample_weight=None):
            return -self.a

    assert searched(Checked(), {"a": (0.0, 1.0)}, fit={"sample_weight": X[:, 0]}, error_score="raise").best_score_ <= 0


def test_train_scores_and_any_callable_score():
    search = searched(scoring=make_scorer(lambda truth, found: float(np.mean(truth == found))), return_train_score=True)
    assert np.all(search.cv_results_["mean_train_score"] >= search.cv_results_["mean_test_score"] - 0.2)


class Listener:
    """A callback of scikit-learn's kind."""

    heard: ClassVar[list[str]] = []

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **more):
        pass

    def on_fit_task_end(self, estimator, context, **more):
        self.heard.append(context.task_name)

    def teardown(self, estimator, context):
        pass


def test_callbacks_of_scikit_learn_hear_of_every_fit():
    search = SufficeSearchCV(TREE, DEPTHS, n_iter=3, n_parallel=2, cv=2, random_state=0)
    search.set_callbacks(Listener()).fit(X, y)
    assert [Listener.heard.count(word) for word in ("search", "round", "candidate-split-evaluation")] == [1, 2, 6]


def test_parts_of_the_library_are_taken_and_cloned():
    search = clone(
        SufficeSearchCV(
            TREE, DEPTHS, model=sf.GP(kernel=sf.gp.Matern(1.5)), acquisition=sf.acquisition.EI(), n_initial=3
        )
    )
    settings = search.set_params(n_iter=5, cv=2).fit(X, y).result_.settings
    assert (settings.acquisition, settings.n_initial) == (sf.acquisition.EI(), 3)
    assert settings.model.kernel == sf.gp.Matern(1.5)


def test_without_scikit_learn_the_pip_command_is_named_and_spaces_can_be_read():
    code = """
import sys
sys.modules["sklearn"] = None
from suffice.integrations.sklearn.space import as_parameter
as_parameter((1, 8))
try:
    from suffice.integrations.sklearn import SufficeSearchCV
except ImportError as error:
    assert "pip install 'suffice[sklearn]'" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
