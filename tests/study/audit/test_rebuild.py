"""The score of a past step, rebuilt from the record, is the score that was solved."""

from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition.wrappers import Capped
from suffice.record.history import History
from suffice.record.trial import Asked, Failed
from suffice.study.audit import audit, known_at, refrozen

ACQUISITIONS = {
    "ucb": sf.UCB(),
    "ucb by theory": sf.UCB(sf.acquisition.Theory(1.0, 0.1, 0.1)),  # β depends on the data, pending points included
    "ei": sf.acquisition.EI(),
    "logei": sf.LogEI(),
    "pi": sf.acquisition.PI(),
    "mes": sf.acquisition.MES(points=200),
    "kg": sf.acquisition.KG(8),
    "thompson": sf.acquisition.Thompson(features=128),
    "thompson, exact": sf.acquisition.Thompson(exact=True, points=100),
    "thompson, inexact": sf.acquisition.Thompson(features=128, B=2.0),
}


def rebuilt(result, number):
    binding = result.trials[number].solve.binding
    alpha = refrozen(result.settings, known_at(result.history, number, binding), number, binding).alpha
    alpha = getattr(alpha, "inner", alpha)  # what the acquisition made; where evaluations failed it is weighted,
    return alpha.inner if isinstance(alpha, Capped) else alpha  # and where points are under way it is capped


@pytest.mark.parametrize("space", ["box", "mixed"])
@pytest.mark.parametrize("name", ACQUISITIONS)
def test_the_rebuilt_score_is_the_one_that_was_solved_everywhere(name, space, spaces, make_eventful, recorded):
    watched = recorded(ACQUISITIONS[name])
    words = {"solver": sf.solvers.Adaptive()} if "inexact" in name else {}  # asks its solver for an accuracy
    result = make_eventful(spaces[space], acquisition=watched, **words)
    result.settings = replace(result.settings, acquisition=ACQUISITIONS[name])
    X = result.settings.space.sample(40, np.random.default_rng(0))
    steps = [trial for trial in result.trials if trial.solve is not None]
    assert len(steps) >= 10
    for trial in steps:
        was, again = watched.scores[trial.solve.binding.t], rebuilt(result, trial.number)
        assert (again.domain is None) == (was.domain is None)
        at = X if was.domain is None else was.domain.points
        spread = np.ptp(was(at))
        # Conditioning at once instead of one by one changes rounding only: by the condition number, at most 1e6 here.
        assert again(at) == pytest.approx(was(at), abs=(2e-6 if name == "kg" else 1e-7) * spread)


@pytest.mark.parametrize("space", ["box", "mixed"])
@pytest.mark.parametrize("name", ["ucb", "ei", "thompson", "thompson, exact"])
def test_every_step_of_an_eventful_run_is_rebuilt(name, space, spaces, make_eventful, small):
    result = make_eventful(spaces[space], acquisition=ACQUISITIONS[name])
    found = audit(result, solver=small)
    asked = [trial for trial in result.trials if trial.solve is not None and trial.state != "cancelled"]
    assert [step.number for step in found.steps] == [trial.number for trial in asked]
    assert [step.t for step in found.steps] == [trial.solve.binding.t for trial in asked]
    assert [step.reason for step in found.steps] == [None] * len(asked)
    for step in found.steps:
        assert step.value == pytest.approx(step.report.value, rel=1e-6, abs=1e-6)
    assert {trial.state for trial in result.trials} >= {"done", "failed", "cancelled"}
    assert any(step.report.binding.pending for step in found.steps)


def test_a_model_of_a_subset_is_rebuilt(spaces, objective, small):
    model = sf.GP(max_points=10, refit=sf.gp.Refit(growth=0.2))
    words = {"seed": 0, "n_initial": 6, "polish": False}
    result = sf.minimize(objective, spaces["box"], 26, model=model, solver=sf.solvers.Grid(), **words)
    found = audit(result, solver=small)
    assert [step.reason for step in found.steps] == [None] * 20
    fits = {step.report.binding.n_refit for step in found.steps}
    assert max(fits) > 10
    assert len(fits) < 20  # some were only appended to


def test_a_model_that_was_fitted_between_asks_is_rebuilt(spaces, objective, small):
    optimizer = sf.Optimizer(spaces["box"], seed=0, n_initial=4, solver=sf.solvers.Grid())
    for i in range(12):
        trial = optimizer.ask()
        optimizer.tell(trial, objective(trial.point))
        if i > 4:
            optimizer.result().predict([trial.point])
    assert {step.reason for step in audit(optimizer.result(), solver=small).steps} == {None}


# ---------------------------------------------------------------------- what cannot be rebuilt says so


def settled_twice(space, objective):
    """A run in which trial 6 failed, and was told three asks later."""
    optimizer = sf.Optimizer(space, seed=0, n_initial=4, solver=sf.solvers.Grid())
    late = None
    for i in range(12):
        trial = optimizer.ask()
        if i == 6:
            late = optimizer.fail(trial)
        else:
            optimizer.tell(trial, objective(trial.point))
        if i == 8:
            optimizer.tell(late, objective(late.point))
    return optimizer.result()


def test_a_trial_that_failed_and_was_told_later_hides_nothing(spaces, objective, small):
    found = audit(settled_twice(spaces["box"], objective), solver=small)
    assert [step.reason for step in found.steps] == [None] * 8


def test_a_record_that_lost_the_first_settlement_hides_the_steps_between(spaces, objective, small):
    """As files of version 1 have it: the last settlement of a trial replaced the first."""
    result = settled_twice(spaces["box"], objective)
    kept = [event for event in result.history.events if not isinstance(event, Failed)]
    found = audit(sf.Result(result, history=History.of(kept)), solver=small)
    assert [step.reason is None for step in found.steps] == [True, True, True, False, False, False, False, False]
    hidden = found.steps[3]
    assert "and a trial had two" in hidden.reason
    assert (hidden.value, hidden.reference, hidden.inaccuracy, hidden.eta, hidden.changed) == (None,) * 5


def test_a_report_with_another_value_is_noticed(box_result, small):
    number = next(trial.number for trial in box_result.trials if trial.solve is not None and trial.state == "done")
    forge = lambda event: replace(event, report=replace(event.report, value=event.report.value * (1 + 1e-5)))  # noqa: E731
    events = [
        forge(event) if isinstance(event, Asked) and event.number == number else event
        for event in box_result.history.events
    ]
    forged = sf.Result(box_result, history=History.of(events))
    (step,) = (step for step in audit(forged, solver=small).steps if step.reason is not None)
    assert step.number == number
    assert "in the report" in step.reason


def test_another_acquisition_or_model_is_noticed(box_result, small):
    for words in ({"acquisition": sf.acquisition.EI()}, {"model": sf.GP(kernel=sf.gp.RBF())}):
        found = audit(box_result, solver=small, **words)
        assert found.rebuilt == ()
        assert all("in the report" in step.reason for step in found.steps)
