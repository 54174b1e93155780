"""The page about scikit-learn and the example: they run, and what they say is true."""

import re
import runpy
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import suffice as sf
from suffice.integrations.sklearn import SufficeSearchCV

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "howto" / "sklearn.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the names of the page stand for after the last example, and the folder that it wrote into."""
    folder = tmp_path_factory.mktemp("page")
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for example in EXAMPLES:
            exec(example, names)
    return names, folder


def test_the_model_is_tuned_and_has_a_report(told):
    names, folder = told
    assert names["search"].score(names["X_test"], names["y_test"]) > 0.93
    assert "svc__gamma" in (folder / "report.html").read_text(encoding="utf-8")
    assert str(names["search"].result_.importance())


def test_the_best_model_is_an_estimator_and_has_a_name_in_the_study(told):
    search = told[0]["models"]
    assert isinstance(search.best_params_["clf"], BaseEstimator)
    assert search.result_.x["clf"] == str(search.best_params_["clf"]).replace("\n", " ")


def test_every_name_of_the_page_exists():
    for name in set(re.findall(r"\bsf\.(\w+)", PAGE)):
        assert hasattr(sf, name), name
    words = SufficeSearchCV(None, {}).get_params()
    for word in re.findall(r"`([a-z_]+)=", PAGE):
        assert word in words, word


def test_every_link_leads_to_a_file():
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / "docs" / "howto" / target).exists(), target


def test_the_example_tunes_a_model_and_writes_its_report(tmp_path, capsys):
    example = runpy.run_path(str(ROOT / "examples" / "tune_model.py"))
    search = example["main"](str(tmp_path), n_trials=4, n_jobs=1)
    assert f"{search.best_score_:.4f}" in capsys.readouterr().out
    assert "clf__max_features" in (tmp_path / "tune_model.html").read_text(encoding="utf-8")
