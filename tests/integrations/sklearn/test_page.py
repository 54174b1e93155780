"""The page about scikit-learn and the example: they run, and what they say is true."""

import re
import runpy

import pytest
from sklearn.base import BaseEstimator

from suffice.integrations.sklearn import SufficeSearchCV

from ...docs.pages import ROOT, Page

PAGE = Page("docs/howto/sklearn.md")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return PAGE.run(tmp_path_factory.mktemp("page"))


def test_the_model_is_tuned_and_has_a_report(ran):
    assert ran["search"].score(ran["X_test"], ran["y_test"]) > 0.93
    assert "svc__gamma" in (ran.folder / "report.html").read_text(encoding="utf-8")
    assert str(ran["search"].result_.importance())


def test_an_earlier_search_is_continued_from_its_trials(ran):
    earlier, continued = ran["search"].result_, ran["continued"]
    assert len(continued.trials) == len(earlier.trials) + 5
    assert [trial.value for trial in continued.trials[:20]] == [trial.value for trial in earlier.trials]
    assert continued.fun >= earlier.fun


def test_the_best_model_is_an_estimator_and_has_a_name_in_the_study(ran):
    search = ran["models"]
    assert isinstance(search.best_params_["clf"], BaseEstimator)
    assert search.result_.x["clf"] == str(search.best_params_["clf"]).replace("\n", " ")


def test_every_argument_of_the_page_exists():
    words = SufficeSearchCV(None, {}).get_params()
    for word in re.findall(r"`([a-z_]+)=", PAGE.text):
        assert word in words, word


def test_the_example_tunes_a_model_and_writes_its_report(tmp_path, capsys):
    example = runpy.run_path(str(ROOT / "examples" / "tune_model.py"))
    search = example["main"](str(tmp_path), n_iter=4, n_jobs=1)
    assert f"{search.best_score_:.4f}" in capsys.readouterr().out
    assert "clf__max_features" in (tmp_path / "tune_model.html").read_text(encoding="utf-8")
