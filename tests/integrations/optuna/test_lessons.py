"""What a trial teaches: values of objectives and constraints, failures, pruned and infeasible trials."""

import math

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState

from suffice.gp.model import GP
from suffice.integrations.optuna import SufficeSampler
from suffice.integrations.optuna.history import Read, lessons, objectives_of

UNIT = {"x": FloatDistribution(0.0, 1.0)}


def reads_of(study):
    return [Read.of(trial, study.directions) for trial in study.get_trials(deepcopy=False)]


def taught(study):
    found = lessons(reads_of(study), study.directions)
    return [
        lesson.state if lesson.state in ("pending", "failed") else (lesson.values, lesson.feasible) for lesson in found
    ]


def add(study, value=None, state=TrialState.COMPLETE, **words):
    values = {"values": value} if isinstance(value, list) else {"value": value}
    study.add_trial(optuna.create_trial(params={"x": 0.5}, distributions=UNIT, **values, state=state, **words))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_values_are_those_of_the_trial_and_what_failed_failed(direction):
    study = optuna.create_study(direction=direction)
    add(study, 2.0)
    add(study, state=TrialState.FAIL)
    add(study, math.inf)
    add(study, state=TrialState.RUNNING)
    assert taught(study) == [({"value": 2.0}, True), "failed", "failed", "pending"]


def test_several_objectives_are_outputs_of_their_own():
    study = optuna.create_study(directions=["minimize", "maximize"])
    add(study, [2.0, 3.0], constraints={"a": -1.0})
    add(study, [2.0, math.inf])
    found = [({"objective 0": 2.0, "objective 1": 3.0, "constraint a": -1.0}, True), "failed"]
    assert taught(study) == found
    assert objectives_of(study.directions) == {"objective 0": "minimize", "objective 1": "maximize"}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("last", [-1e9, -1.0, 3.0, 1e9])
def test_a_pruned_trial_is_never_believed_to_be_better_than_the_median(direction, last):
    study, sign = optuna.create_study(direction=direction), 1.0 if direction == "minimize" else -1.0
    for value in (1.0, 2.0, 4.0, 8.0, 9.0):
        add(study, sign * value)
    add(study, state=TrialState.PRUNED, intermediate_values={1: 7.0, 3: sign * last, 2: 5.0})
    assert taught(study)[-1] == ({"value": sign * max(last, 4.0)}, True)


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_a_pruned_trial_counts_with_what_it_would_have_come_to(direction, sign):
    study, gains = optuna.create_study(direction=direction), np.array([0.5, 0.7, 0.6, 0.9, 0.8])
    for i, gain in enumerate(gains):
        curve = {1: sign * (i + 2.0), 2: sign * (i + 1.0), 5: sign * (i + 1.0 - gain)}
        add(study, sign * (i + 1.0 - gain), intermediate_values=curve)
    add(study, state=TrialState.PRUNED, intermediate_values={1: sign * 9.0, 2: sign * 8.0})
    for _ in range(3):  # what came later changes nothing
        add(study, 0.0, intermediate_values={1: sign * 100.0})
    found = lessons([Read.of(trial, study.directions) for trial in study.trials], study.directions)[5]
    assert (found.state, found.values) == ("pruned", None)
    assert found.expected == pytest.approx(sign * (8.0 - gains.mean()))
    assert found.variance == pytest.approx(gains.var(ddof=1) * (1 + 1 / 5) * 4 / 2)


@pytest.mark.parametrize("reported", [{}, {0: math.nan}, {0: 1.0, 1: math.inf}])
def test_a_pruned_trial_that_reported_nothing_has_failed(reported):
    study = optuna.create_study()
    add(study, 1.0)
    add(study, state=TrialState.PRUNED, intermediate_values=reported)
    assert taught(study)[-1] == "failed"


def test_a_pruned_trial_teaches_its_constraints_and_is_compared_with_feasible_ones():
    study = optuna.create_study()
    add(study, state=TrialState.PRUNED, intermediate_values={0: 1.0}, constraints={"a": -1.0})
    add(study, 0.0, constraints={"a": 1.0})
    assert taught(study)[0] == ({"constraint a": -1.0}, False)  # there is no value to compare it with
    add(study, 5.0, constraints={"a": -2.0})
    assert taught(study)[0] == ({"value": 5.0, "constraint a": -1.0}, True)
    add(study, state=TrialState.PRUNED, intermediate_values={0: 1.0}, constraints={"a": 1.0})
    assert taught(study)[-1] == ({"constraint a": 1.0}, False)


def test_an_infeasible_trial_teaches_all_of_its_outputs():
    study = optuna.create_study()
    add(study, 1.0, constraints={"a": -1.0, "b": 0.0})
    add(study, -5.0, constraints={"a": 0.1, "b": -1.0})
    add(study, -7.0)  # without constraints: as in Optuna, nothing is violated
    assert taught(study) == [
        ({"value": 1.0, "constraint a": -1.0, "constraint b": 0.0}, True),
        ({"value": -5.0, "constraint a": 0.1, "constraint b": -1.0}, False),
        ({"value": -7.0}, True),
    ]


def test_what_is_infinite_is_left_out_and_a_failure_if_nothing_else_says_why():
    study = optuna.create_study()
    add(study, 1.0, constraints={"a": math.inf, "b": 0.5})
    add(study, 1.0, constraints={"a": math.inf, "b": -0.5})
    add(study, 1.0, constraints={"a": -math.inf, "b": -0.5})
    add(study, state=TrialState.FAIL, constraints={"a": 1.0})
    add(study, state=TrialState.FAIL, constraints={"a": -1.0})
    assert taught(study) == [
        ({"value": 1.0, "constraint b": 0.5}, False),
        "failed",
        ({"value": 1.0, "constraint b": -0.5}, True),
        ({"constraint a": 1.0}, False),
        "failed",
    ]


def test_the_best_feasible_point_is_found_on_the_edge_of_what_is_allowed():
    def objective(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_constraint("sum", x + y - 0.4)
        return -x - 0.5 * y  # best at (0.4, 0)

    study = optuna.create_study(sampler=SufficeSampler(seed=1))
    study.optimize(objective, n_trials=40)
    assert study.best_trial.constraints["sum"] <= 0.0
    assert study.best_value < -0.37


def test_a_small_feasible_region_is_found_by_following_the_violation():
    def objective(trial):
        x, y, z = (trial.suggest_float(name, 0, 1) for name in "xyz")
        trial.set_constraint("near", abs(x - 0.2) + abs(y - 0.7) + abs(z - 0.4) - 0.06)  # 0.03 % of the cube
        return x

    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(objective, n_trials=40)
    assert study.best_trial.constraints["near"] <= 0.0


def test_constraints_may_come_from_a_function_as_in_optuna():
    sampler = SufficeSampler(seed=0, constraints_func=lambda trial: [trial.params["x"] - 0.5])
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: -trial.suggest_float("x", 0, 1), n_trials=12)
    assert all(trial.constraints == {"0": trial.params["x"] - 0.5} for trial in study.trials)
    assert -0.5 <= study.best_value < -0.4


def test_where_evaluations_fail_fewer_are_tried():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if x > 0.5:
            raise ValueError
        return -x

    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(objective, n_trials=30, catch=ValueError)
    failed = [trial.state == TrialState.FAIL for trial in study.trials]
    assert sum(failed[:6]) >= 2
    assert sum(failed[10:]) <= 6
    assert study.best_value < -0.48


def test_pruned_trials_do_not_become_the_best_and_the_study_goes_on():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        for step in range(5):
            trial.report((x - 0.3) ** 2 * (step + 1), step)  # early values are the lowest
            if trial.should_prune():
                raise optuna.TrialPruned
        return 5 * (x - 0.3) ** 2

    pruner = optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=0)
    study = optuna.create_study(sampler=SufficeSampler(seed=0), pruner=pruner)
    study.optimize(objective, n_trials=25)
    assert any(trial.state == TrialState.PRUNED for trial in study.trials)
    assert study.best_value < 1e-3


class BeforeOptuna5:
    """A trial as Optuna 4 has it: without its constraints by name."""

    def __init__(self, trial):
        self.trial = trial

    def __getattr__(self, name):
        if name == "constraints":
            raise AttributeError(name)
        return getattr(self.trial, name)


def test_a_trial_of_optuna_4_says_the_same():
    study = optuna.create_study(sampler=SufficeSampler(seed=0, constraints_func=lambda t: (t.params["x"] - 0.5, -1.0)))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=4)
    for trial in study.trials:
        read = Read.of(BeforeOptuna5(trial), study.directions)
        assert read.violations == trial.constraints
        assert read.feasible == (trial.params["x"] <= 0.5)


def test_a_front_is_found():
    def objective(trial):
        x, y = trial.suggest_float("x", -2, 2), trial.suggest_float("y", -2, 2)
        return x**2 + y**2, -((x - 1) ** 2) - y**2

    study = optuna.create_study(directions=["minimize", "maximize"], sampler=SufficeSampler(seed=0))
    study.optimize(objective, n_trials=30)
    front = np.array([trial.values for trial in study.best_trials])
    on_it = [trial for trial in study.best_trials if abs(trial.params["y"]) < 0.05 and -0.05 < trial.params["x"] < 1.05]
    assert len(on_it) >= 6
    assert np.ptp(front[:, 0]) > 0.5


def test_a_known_noise_variance_is_that_of_the_observation(monkeypatch):
    study, seen = optuna.create_study(sampler=SufficeSampler(seed=0, n_startup_trials=3)), []
    call = GP.__call__
    monkeypatch.setattr(GP, "__call__", lambda self, data, *a, **k: seen.append(data) or call(self, data, *a, **k))

    def objective(trial):
        trial.set_user_attr("suffice:noise_var", 0.01 * (trial.number + 1))
        return (trial.suggest_float("x", 0, 1) - 0.3) ** 2

    add(study, 0.04)  # of which nothing is known
    study.optimize(objective, n_trials=5)
    np.testing.assert_array_equal(seen[-1].noise_var, [math.nan, 0.02, 0.03, 0.04, 0.05])


def test_noise_variances_of_several_objectives_are_a_list():
    study = optuna.create_study(directions=["minimize", "maximize"])
    add(study, [2.0, 3.0], user_attrs={"suffice:noise_var": [0.1, None]})
    add(study, [2.0, 3.0])
    assert [read.noise for read in reads_of(study)] == [{"objective 0": 0.1}, None]


@pytest.mark.parametrize("given", [-1.0, "small", math.nan, [0.1, 0.2], {"value": 0.1}])
def test_a_noise_variance_that_is_none_is_refused_with_the_number_of_its_trial(given):
    study = optuna.create_study()
    add(study, 2.0, user_attrs={"suffice:noise_var": given})
    with pytest.raises(ValueError, match=r"'suffice:noise_var' of trial 0 must be a variance ≥ 0.*leave it out"):
        reads_of(study)
