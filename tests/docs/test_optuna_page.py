"""The page about Optuna: its examples run, one after the other, and what it says about them is true."""

import optuna
import pytest

from .pages import Page

PAGE = Page("docs/howto/optuna.md")


@pytest.fixture(scope="module", autouse=True)
def silence():
    """Optuna tells of every trial otherwise."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def test_the_conditional_example_is_solved_and_reported(ran):
    study = ran["study"]
    assert study.best_value < 1e-3
    assert study.best_params["model"] == "svm"
    assert set(study.best_params) == {"model", "C"}
    report = study.trials[-1].system_attrs["suffice:report"]
    assert 0 <= report["relative_gap"] <= 1
    assert report["status"] == "DONE"


def test_the_constraint_of_the_example_holds_at_the_best_point(ran):
    best = ran["constrained"].best_trial
    assert best.constraints["strength"] <= 0
    assert best.value < 0.24  # 0.2 at full height


def test_the_front_of_the_example_has_several_points(ran):
    assert len(ran["front"].best_trials) >= 5
