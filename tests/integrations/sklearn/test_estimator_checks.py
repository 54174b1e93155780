"""scikit-learn's own checks of an estimator, on the estimators with which it checks its own searches."""

import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from suffice.integrations.sklearn import SufficeSearchCV

# scikit-learn expects the same of its own GridSearchCV and RandomizedSearchCV.
EXPECTED = {
    Ridge: {"check_supervised_y_2d": "a column of y is a regression with one output for Ridge, without a warning"}
}


def search(estimator, name):
    spaces = {name: (0.1, 10.0, "log-uniform")}
    return SufficeSearchCV(estimator, spaces, n_iter=2, cv=2, error_score="raise", random_state=0)


SEARCHES = [
    search(Ridge(), "alpha"),
    search(Pipeline([("pca", PCA()), ("logistic", LogisticRegression())]), "logistic__C"),
]


@pytest.mark.filterwarnings("default")  # the checks warn of what they pass on purpose
@parametrize_with_checks(SEARCHES, expected_failed_checks=lambda search: EXPECTED.get(type(search.estimator), {}))
def test_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)
