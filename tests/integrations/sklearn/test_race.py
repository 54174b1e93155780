"""Folds that race: candidates that are clearly worse are stopped after a few of them."""

import numpy as np
import pytest

import suffice as sf

pytest.importorskip("sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold, ShuffleSplit

from suffice.integrations.sklearn import SufficeSearchCV

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)


class Known(ClassifierMixin, BaseEstimator):
    """Its score is known: the peak at a = 0.3, and folds of different difficulty."""

    def __init__(self, a=0.0, broken=False):
        self.a, self.broken = a, broken

    def fit(self, X, y):
        if self.broken and self.a > 0.8:
            raise ValueError("too far")
        self.classes_ = np.array([0, 1])
        return self

    def score(self, X, y):
        return -((self.a - 0.3) ** 2) + float(np.sin(1000 * X[0, 0])) + 1e-3 * float(np.sin(50 * self.a * X[0, 1]))


def searched(rule, cv=6, **words):
    search = SufficeSearchCV(
        Known(**words), {"a": (0.0, 1.0)}, n_iter=16, cv=cv, random_state=0, pruner=rule, n_parallel=1
    )
    return search.fit(X, Y)


@pytest.mark.parametrize("cv", [6, KFold(6), ShuffleSplit(6, random_state=None)], ids=repr)
def test_candidates_that_are_worse_are_stopped_and_have_nan(cv):
    search = searched(sf.pruning.Race(), cv)
    scores = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(6)])
    stopped = np.array([trial.state == "pruned" for trial in search.result_.trials])
    assert 3 <= stopped.sum() <= 12
    assert np.isfinite(scores[:, ~stopped]).all()
    assert np.isfinite(scores[:2]).all()
    assert np.isnan(scores[:, stopped]).any(axis=0).all()
    assert np.isnan(search.cv_results_["mean_test_score"][stopped]).all()
    assert not stopped[search.best_index_]
    assert search.best_params_["a"] == pytest.approx(0.3, abs=0.1)
    assert search.n_splits_ == 6
    assert search.best_estimator_.get_params()["a"] == search.best_params_["a"]
    for trial, column in zip(search.result_.trials, scores.T, strict=True):
        assert [value for _, value in trial.reports] == [v for v in column if np.isfinite(v)][: len(trial.reports)]


def test_without_a_rule_every_fold_is_evaluated_and_the_scores_are_the_same():
    raced, whole = searched(sf.pruning.Race()), searched(None)
    assert np.isfinite(whole.cv_results_["mean_test_score"]).all()
    first = [trial.point for trial in raced.result_.trials][:3]
    assert first == [trial.point for trial in whole.result_.trials][:3]
    assert raced.cv_results_["mean_test_score"][:3] == pytest.approx(whole.cv_results_["mean_test_score"][:3])


def test_fits_that_fail_are_failed_trials_in_a_race_too():
    with pytest.warns(Warning, match="fits failed"):
        search = searched(sf.pruning.Race(), broken=True)
    far = [trial for trial in search.result_.trials if trial.point["a"] > 0.8]
    assert far
    assert {trial.state for trial in far} == {"failed"}
    assert search.best_params_["a"] == pytest.approx(0.3, abs=0.1)


def test_what_is_no_rule_is_refused():
    with pytest.raises(TypeError, match="pruner"):
        searched("race")
