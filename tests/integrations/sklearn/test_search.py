"""A search: what it finds, what it keeps, and what it says."""

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.integrations.sklearn import SufficeSearchCV

X, y = load_wine(return_X_y=True)
MODEL = make_pipeline(StandardScaler(), KNeighborsClassifier())
SPACE = {"kneighborsclassifier__n_neighbors": (1, 40), "kneighborsclassifier__p": (1.0, 4.0)}


class Peak(ClassifierMixin, BaseEstimator):
    """Its score is known: largest at a = 0.3; it fails where b is "bad"."""

    def __init__(self, a=0.0, b="good", c=None):
        self.a, self.b, self.c = a, b, c

    def fit(self, X, y, sample_weight=None):
        if self.b == "bad":
            raise RuntimeError("b is bad")
        self.classes_, self.weighed_ = np.unique(y), sample_weight is not None
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))

    def score(self, X, y, sample_weight=None):
        return -((self.a - 0.3) ** 2) + 1e-3 * len(X) + (sample_weight is not None)


def searched(spaces=None, estimator=None, **options):
    options = {"n_iter": 8, "cv": 3, "random_state": 0} | options
    return SufficeSearchCV(estimator or Peak(), spaces or {"a": (0.0, 1.0)}, **options).fit(X, y)


@pytest.fixture(scope="module")
def tuned():
    return SufficeSearchCV(MODEL, SPACE, n_iter=8, cv=3, random_state=0, return_train_score=True).fit(X, y)


def values(search):
    return [trial.value for trial in search.result_.trials]


@pytest.mark.parametrize("search", [SufficeSearchCV, RandomizedSearchCV])
def test_splits_that_are_used_up_are_refused_in_the_words_of_scikit_learn(search):
    """A generator has its splits once: a second fit has none."""
    made = search(Peak(), {"a": [0.1, 0.2]}, n_iter=2, cv=KFold(3).split(X), random_state=0)
    made.fit(X, y)
    made.cv = iter(())
    with pytest.raises(ValueError, match="No fits were performed"):
        made.fit(X, y)


def test_the_results_have_the_form_of_scikit_learn(tuned):
    theirs = RandomizedSearchCV(
        MODEL, {name: [1, 2, 3] for name in SPACE}, n_iter=8, cv=3, random_state=0, return_train_score=True
    ).fit(X, y)
    assert set(tuned.cv_results_) == set(theirs.cv_results_)
    for name, column in theirs.cv_results_.items():
        assert type(tuned.cv_results_[name]) is type(column)
        assert len(tuned.cv_results_[name]) == 8
    assert {name for name in vars(tuned) if name.endswith("_")} == {
        *(name for name in vars(theirs) if name.endswith("_")),
        "result_",
        "results_",
    }


def test_a_candidate_has_the_scores_that_a_grid_of_it_alone_has(tuned):
    best = {name: [value] for name, value in tuned.best_params_.items()}
    theirs = GridSearchCV(MODEL, best, cv=3, return_train_score=True).fit(X, y)
    for name, column in theirs.cv_results_.items():
        if "score" in name and "time" not in name and "rank" not in name:
            assert tuned.cv_results_[name][tuned.best_index_] == column[0]
    assert tuned.score(X, y) == theirs.score(X, y)


def test_trials_and_rows_are_the_same_in_the_same_order(tuned):
    trials = tuned.result_.trials
    assert [trial.value for trial in trials] == tuned.cv_results_["mean_test_score"].tolist()
    assert [trial.point for trial in trials] == tuned.cv_results_["params"]
    assert tuned.result_.fun == tuned.best_score_
    assert tuned.result_.settings.direction == "maximize"


def test_of_equals_the_first_is_the_best():
    search = searched({"a": [0.1, 0.5, 0.2, 0.4]}, n_iter=4)
    ranks = search.cv_results_["rank_test_score"]
    assert search.best_index_ == ranks.tolist().index(1)


def test_the_search_finds_the_peak():
    assert abs(searched(n_iter=15).best_params_["a"] - 0.3) < 0.02


def test_the_same_state_gives_the_same_search_whatever_runs_it():
    one = searched({"a": (0.0, 1.0), "c": ["x", "y"]}, n_parallel=2)
    with parallel_config("threading"):
        other = searched({"a": (0.0, 1.0), "c": ["x", "y"]}, n_parallel=2, n_jobs=2)
    assert one.cv_results_["params"] == other.cv_results_["params"]
    assert values(one) == values(other)
    assert (
        searched({"a": (0.0, 1.0), "c": ["x", "y"]}, random_state=1).cv_results_["params"] != one.cv_results_["params"]
    )


def test_a_random_state_of_numpy_is_drawn_from():
    states = [np.random.RandomState(5), np.random.RandomState(5)]
    one, other = (searched(random_state=state) for state in states)
    assert values(one) == values(other)
    assert searched(random_state=states[0]).result_.seed != one.result_.seed


def test_without_a_random_state_numpys_own_is_drawn_from_as_in_scikit_learn():
    seeds = set()
    for _ in range(2):
        np.random.seed(3)  # noqa: NPY002  # what a user of scikit-learn may have written
        seeds.add(searched(n_iter=1).set_params(random_state=None).fit(X, y).result_.seed)
    assert len(seeds) == 1
    assert searched(n_iter=1).set_params(random_state=None).fit(X, y).result_.seed not in seeds


def test_a_second_fit_is_the_first_one_again():
    search = searched({"a": (0.0, 1.0), "c": ["x", "y"]})
    before = values(search)
    assert values(search.fit(X, y)) == before == values(clone(search).fit(X, y))


def test_a_pickled_search_predicts_and_has_its_result(tuned):
    copy = pickle.loads(pickle.dumps(tuned))
    assert np.array_equal(copy.predict(X), tuned.predict(X))
    assert copy.result_.fun == tuned.result_.fun
    assert values(copy) == values(tuned)


def test_all_candidates_are_judged_on_the_same_splits():
    class Counted(KFold):
        calls = 0

        def split(self, X, y=None, groups=None):
            Counted.calls += 1
            return super().split(X, y, groups)

    searched(estimator=MODEL, spaces=SPACE, cv=Counted(3, shuffle=True), n_iter=4)
    assert Counted.calls == 1


def test_estimators_are_options_and_their_parameters_depend_on_them():
    near, bayes = KNeighborsClassifier(), GaussianNB()
    space = sf.Space(
        clf=sf.Choice(near, bayes),
        clf__n_neighbors=sf.Int(1, 30, when={"clf": near}),
        clf__var_smoothing=sf.Float(1e-9, 1, log=True, when={"clf": bayes}),
        scale=sf.Choice(StandardScaler(), "passthrough"),
    )
    pipeline = Pipeline([("scale", StandardScaler()), ("clf", near)])
    search = clone(SufficeSearchCV(pipeline, space, n_iter=10, cv=3, random_state=0)).fit(X, y)
    kinds = {type(params["clf"]) for params in search.cv_results_["params"]}
    assert kinds == {KNeighborsClassifier, GaussianNB}
    assert np.ma.getmaskarray(search.cv_results_["param_clf__n_neighbors"]).any()
    assert search.result_.x["clf"] == str(search.best_params_["clf"])
    assert not hasattr(near, "classes_")  # the user's own estimators stay as they are
    pickle.loads(pickle.dumps(search)).predict(X)


def test_a_failed_fit_is_a_failed_trial_that_teaches():
    with pytest.warns(FitFailedWarning, match="b is bad"), pytest.warns(UserWarning, match="non-finite"):
        search = searched({"a": (0.0, 1.0), "b": ["bad", "good"]}, n_iter=14)
    scores, params = search.cv_results_["mean_test_score"], search.cv_results_["params"]
    states = [trial.state for trial in search.result_.trials]
    assert [p["b"] == "bad" for p in params] == np.isnan(scores).tolist() == [s == "failed" for s in states]
    failed = [trial for trial in search.result_.trials if trial.state == "failed"]
    assert failed[0].reason == "RuntimeError: b is bad"
    assert "Traceback" in failed[0].traceback
    assert sum(p["b"] == "bad" for p in params[5:]) <= 2
    assert search.best_params_["b"] == "good"


def test_rounds_in_which_only_some_fail_have_the_same_rows():
    with pytest.warns(FitFailedWarning), pytest.warns(UserWarning, match="non-finite"):
        search = searched({"a": (0.0, 1.0), "b": ["bad", "good"]}, n_iter=12, n_parallel=4)
    bad = np.array([p["b"] == "bad" for p in search.cv_results_["params"]])
    assert 0 < bad.sum() < 12
    assert np.array_equal(np.isnan(search.cv_results_["split2_test_score"]), bad)
    assert [trial.state == "failed" for trial in search.result_.trials] == bad.tolist()


def test_a_number_as_error_score_is_the_value_of_a_failed_candidate():
    with pytest.warns(FitFailedWarning) as warned:
        search = searched({"a": (0.0, 1.0), "b": ["bad", "good"]}, error_score=-7.0)
    assert warned[0].filename == __file__  # where fit was called
    bad = [p["b"] == "bad" for p in search.cv_results_["params"]]
    assert any(bad)
    assert (search.cv_results_["mean_test_score"] == -7.0).tolist() == bad == [v == -7.0 for v in values(search)]


def test_an_error_is_raised_where_that_is_wanted():
    with pytest.raises(RuntimeError, match="b is bad"):
        searched({"a": (0.0, 1.0), "b": "bad"}, error_score="raise")


def test_where_every_fit_fails_the_search_is_given_up_as_scikit_learn_does():
    with pytest.raises(ValueError, match=r"fits failed(.|\n)*b is bad"):
        searched({"a": (0.0, 1.0), "b": "bad"}, n_iter=100)
    with pytest.raises(ValueError, match=r"fits failed(.|\n)*b is bad"):
        searched({"a": (0.0, 1.0), "b": "bad"}, n_iter=2)


def test_a_finite_space_is_searched_once_and_the_search_says_so():
    with pytest.warns(UserWarning, match="3 of 8") as warned:
        search = searched({"a": [0.1, 0.2, 0.3]})
    assert warned[0].filename == __file__  # where fit was called
    assert sorted(p["a"] for p in search.cv_results_["params"]) == [0.1, 0.2, 0.3]
    with pytest.warns(UserWarning, match="1 of 8"):
        assert searched({"a": 0.5}).best_params_ == {"a": 0.5}


def test_what_failed_is_not_tried_again_when_all_is_tried():
    non_finite = pytest.warns(UserWarning, match="non-finite")
    with pytest.warns(UserWarning, match="2 of 8"), pytest.warns(FitFailedWarning), non_finite:
        search = searched({"b": ["bad", "good"]})
    assert len(search.cv_results_["params"]) == 2


@pytest.mark.parametrize("n_iter", [1, 2, 3])
def test_few_trials_are_enough(n_iter):
    assert len(searched(n_iter=n_iter).cv_results_["params"]) == n_iter


def test_each_space_of_a_list_has_its_trials_and_its_result():
    search = searched([{"a": (0.0, 0.2)}, ({"a": (0.25, 0.35), "c": ["x"]}, 5)], n_iter=4)
    assert [len(result.trials) for result in search.results_] == [4, 5]
    assert len(search.cv_results_["params"]) == 9
    assert search.result_ is search.results_[1]
    assert np.ma.getmaskarray(search.cv_results_["param_c"]).tolist() == [True] * 4 + [False] * 5
    assert search.best_index_ >= 4


def test_two_equal_spaces_are_searched_differently():
    first, second = searched([{"a": (0.0, 1.0)}, {"a": (0.0, 1.0)}]).results_
    assert first.seed != second.seed
    assert first.trials[0].point != second.trials[0].point


def test_a_callback_and_a_rule_end_the_search():
    heard = []
    search = searched(callback=lambda result: heard.append(result.fun) or len(heard) == 3)
    assert len(heard) == len(search.cv_results_["params"]) == 3
    assert "callback" in search.result_.message
    assert len(searched(stop=sf.Target(-10.0)).cv_results_["params"]) == 1


def test_a_store_has_the_study_and_is_used_once(tmp_path):
    search = searched({"a": (0.0, 1.0), "c": [Peak(), np.log]}, storage=tmp_path / "run.db")
    assert [t.point for t in sf.load(tmp_path / "run.db").trials] == [t.point for t in search.result_.trials]
    with pytest.raises(ValueError, match=r"already contains a study.*sf\.maximize.*x0=earlier"):
        search.fit(X, y)
    with pytest.raises(ValueError, match="2 spaces"):
        searched([{"a": (0.0, 1.0)}] * 2, storage=tmp_path / "other.db")


def test_an_interrupted_search_leaves_nothing_pending(tmp_path):
    def interrupt(result):
        if sum(trial.state == "done" for trial in result.trials) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searched(callback=interrupt, storage=tmp_path / "run.db", n_parallel=2)
    states = [trial.state for trial in sf.load(tmp_path / "run.db").trials]
    assert states == ["done", "done", "done", "cancelled"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_iter": 0}, "n_iter"),
        ({"n_parallel": 0}, "n_parallel"),
        ({"spaces": [{}]}, "empty"),
        ({"random_state": -1}, "random_state"),
        ({"timeout": 0}, "timeout"),
        ({"model": "gp"}, "model"),
        ({"refit": "f1", "scoring": ["accuracy"]}, "refit"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(options, said):
    with pytest.raises((TypeError, ValueError), match=said):
        searched(**options)


def test_a_name_that_the_estimator_does_not_know_is_refused_before_anything_is_fitted():
    space = sf.Space(b=sf.Choice("good", "other"), aa=sf.Float(0, 1, when={"b": "other"}))
    heard = []
    with pytest.raises(ValueError, match="Peak has no parameter 'aa': did you mean 'a'"):
        searched(space, callback=heard.append)
    assert heard == []


def test_the_search_can_be_judged_by_cross_validation():
    scores = cross_val_score(SufficeSearchCV(MODEL, SPACE, n_iter=4, cv=2, random_state=0), X, y, cv=2)
    assert np.all(scores > 0.9)
