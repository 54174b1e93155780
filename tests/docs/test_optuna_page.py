"""The page about Optuna: its examples run, one after the other, and what it says about them is true."""

import re
from pathlib import Path

import optuna
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "optuna.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names():
    """What the names of the page stand for after its last example."""
    before, found = optuna.logging.get_verbosity(), {}
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for example in EXAMPLES:
        exec(example, found)
    optuna.logging.set_verbosity(before)
    return found


def test_the_conditional_example_is_solved_and_reported(names):
    study = names["study"]
    assert study.best_value < 1e-3
    assert study.best_params["model"] == "svm"
    assert set(study.best_params) == {"model", "C"}
    assert 0 <= names["report"]["relative_gap"] <= 1
    assert names["report"]["status"] == "DONE"


def test_the_constraint_of_the_example_holds_at_the_best_point(names):
    best = names["constrained"].best_trial
    assert best.constraints["strength"] <= 0
    assert best.value < 0.24  # 0.2 at full height


def test_the_front_of_the_example_has_several_points(names):
    assert len(names["front"].best_trials) >= 5


def test_the_pages_that_it_leads_to_exist():
    for name in re.findall(r"\]\((\w+\.md)\)", PAGE):
        assert (ROOT / "docs" / "howto" / name).exists(), name
