"""Words of other searches, and names at another depth, are answered with what to write."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import suffice as sf
from suffice.integrations.sklearn import SufficeSearchCV

X, y = [[0.0], [1.0], [0.1], [0.9]] * 4, [0, 1, 0, 1] * 4


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("n_trials", "n_iter"),
        ("early_stop", "pruner"),
        ("store", "storage"),
        ("seed", "random_state"),
        ("param_distributions", "search_spaces"),
    ],
)
def test_a_word_of_another_search_is_answered_with_the_one_here(word, here):
    with pytest.raises(TypeError, match=f"no argument '{word}': it is called '{here}' here"):
        SufficeSearchCV(SVC(), {"C": (0.1, 1.0)}, **{word: 3})


def test_a_slip_is_answered_with_the_nearest_argument():
    with pytest.raises(TypeError, match=r"no argument 'n_itr': did you mean 'n_iter'\?"):
        SufficeSearchCV(SVC(), {"C": (0.1, 1.0)}, n_itr=3)


@pytest.mark.parametrize(
    ("estimator", "name", "meant"),
    [(make_pipeline(StandardScaler(), SVC()), "C", "svc__C"), (SVC(), "svc__C", "C"), (SVC(), "gama", "gamma")],
)
def test_a_parameter_at_another_depth_is_found(estimator, name, meant):
    with pytest.raises(ValueError, match=rf"has no parameter '{name}': did you mean '{meant}'\?"):
        SufficeSearchCV(estimator, {name: (0.1, 1.0)}, n_iter=2, cv=2).fit(X, y)


@pytest.mark.parametrize(("name", "home"), [("SufficeSampler", "optuna"), ("SufficeSearchCV", "sklearn")])
def test_what_lives_in_an_integration_is_said_where_it_is_looked_for(name, home):
    with pytest.raises(AttributeError, match=f"from suffice.integrations.{home} import {name}"):
        getattr(sf, name)
