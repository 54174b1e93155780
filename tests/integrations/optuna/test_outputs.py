"""Several objectives and constraints: each output has a model, whose parameters are shared by way of the storage."""

import json

import numpy as np
import optuna
import pytest

import suffice as sf
from suffice.integrations.optuna import SufficeSampler
from suffice.integrations.optuna.attributes import Fit, fits_of
from suffice.integrations.optuna.history import Read, Rows, history_of, lessons, limits_in, objectives_of
from suffice.integrations.optuna.space import Mapped
from suffice.record.outputs import AtMost
from suffice.record.settings import Settings

OUTPUTS = {"objective 0", "objective 1", "constraint edge"}
SELDOM = sf.GP(refit=sf.gp.Refit(growth=0.5, surprise=8.0))  # models are extended more often than fitted
RANGES = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}


def outputs(trial, sign=1.0):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    trial.set_constraint("edge", 0.3 - x)
    return x + y**2, sign * ((x - 1) ** 2 + y)


def points(study):
    return [trial.params for trial in study.trials]


def run(n=12, directions=("minimize", "minimize"), sign=1.0, **words):
    sampler = SufficeSampler(seed=0, model=SELDOM, **words)
    study = optuna.create_study(directions=list(directions), sampler=sampler)
    study.optimize(lambda trial: outputs(trial, sign), n_trials=n)
    return study


@pytest.fixture(scope="module")
def study():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return run()


def test_a_new_sampler_goes_on_as_the_old_one_would_have(study):
    storage = optuna.storages.InMemoryStorage()
    optuna.create_study(storage=storage, study_name="s", directions=["minimize", "minimize"])
    for _ in range(12):
        fresh = optuna.load_study(storage=storage, study_name="s", sampler=SufficeSampler(seed=0, model=SELDOM))
        fresh.optimize(outputs, n_trials=1)
    assert points(fresh) == points(study)


def test_the_fits_of_all_outputs_are_in_the_storage_and_there_are_few_of_them(study):
    made = [set(fits_of(trial.system_attrs)) for trial in study.trials]
    assert OUTPUTS in made
    assert set() in made[7:]
    assert all(names <= OUTPUTS for names in made)
    for trial in study.trials:
        text = json.dumps(trial.system_attrs, allow_nan=False)
        assert len(text) < 5000
        assert fits_of(json.loads(text)) == fits_of(trial.system_attrs)


def test_the_direction_is_only_a_sign(study):
    assert points(run(directions=("minimize", "maximize"), sign=-1.0)) == points(study)


def test_the_report_has_the_reference_point_in_the_users_units_and_the_chance_of_being_feasible():
    study = run(directions=("minimize", "maximize"), sign=-1.0, n=10)
    report = study.trials[-1].system_attrs["suffice:report"]
    assert 0.0 <= report["p_feasible"] <= 1.0
    first, second = (report["reference"][f"objective {i}"] for i in range(2))
    front = np.array([trial.values for trial in study.best_trials])
    assert first > front[:, 0].min()
    assert second < front[:, 1].max()


def test_the_best_trials_are_feasible_and_spread(study):
    assert all(trial.constraints["edge"] <= 0 for trial in study.best_trials)
    assert len(study.best_trials) >= 4
    assert min(trial.params["x"] for trial in study.best_trials) < 0.35
    assert max(trial.params["x"] for trial in study.best_trials) > 0.8


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_the_front_can_be_plotted(study):
    pytest.importorskip("matplotlib")
    axes = optuna.visualization.matplotlib.plot_pareto_front(study)
    assert sum(len(dots.get_offsets()) for dots in axes.collections) >= len(study.best_trials)


def test_trials_without_constraints_among_others_count_as_feasible(study):
    more = optuna.create_study(directions=["minimize", "minimize"], sampler=SufficeSampler(seed=0))
    more.add_trials(study.trials)
    known = study.trials[0]
    more.add_trial(optuna.create_trial(values=[0.1, 0.1], params=known.params, distributions=known.distributions))
    more.optimize(outputs, n_trials=2)
    assert all(trial.system_attrs["suffice:proposal"]["origin"] == "model" for trial in more.trials[-2:])


def test_a_constraint_that_appears_later_is_modelled_from_then_on():
    def late(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number > 4:
            trial.set_constraint("late", x - 0.5)
        return -x

    study = optuna.create_study(sampler=SufficeSampler(seed=0, n_startup_trials=4))
    study.optimize(late, n_trials=10)
    made = [set(fits_of(trial.system_attrs)) for trial in study.trials]
    assert {"value"} in made[:6]
    assert any("constraint late" in names for names in made[6:])
    assert "p_feasible" in study.trials[-1].system_attrs["suffice:report"]


def test_threads_never_propose_the_same_point_of_a_front():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=SufficeSampler(seed=0))
    study.optimize(outputs, n_trials=12, n_jobs=3)
    assert len({json.dumps(point, sort_keys=True) for point in points(study)}) == 12


def test_an_acquisition_for_one_objective_is_refused_with_the_one_to_take():
    with pytest.raises(TypeError, match=r"for one objective, and the study has 2.*sf.acquisition.Hypervolume\(\)"):
        run(acquisition=sf.acquisition.EI(), n_startup_trials=3, n=6)
    assert run(acquisition=sf.acquisition.Hypervolume(beta=1.0), n_startup_trials=3, n=5).best_trials


# ---------------------------------------------------------------------- one order for all outputs


def told(*numbers_by_output, n=8):
    """The history of n trials, of which the third has no value, and which of the fits to these trials are kept."""
    study = optuna.create_study(directions=["minimize", "minimize"])
    for i in range(n):
        state = optuna.trial.TrialState.FAIL if i == 2 else optuna.trial.TrialState.COMPLETE
        values = None if i == 2 else [float(i), -float(i)]
        study.add_trial(optuna.create_trial(params={"x": i / n}, distributions=RANGES, values=values, state=state))
    reads, mapped = [Read.of(trial, study.directions) for trial in study.trials], Mapped.of(RANGES)
    settings = Settings.of(mapped.space, seed=0, objectives=objectives_of(study.directions))
    fits = {
        f"objective {i}": Fit(None, None, 0.0, 0, "", frozenset(numbers)) for i, numbers in enumerate(numbers_by_output)
    }
    history, kept = history_of(settings, reads, lessons(reads, study.directions), Rows(mapped), n, fits)
    return [trial.number for trial in history.done], set(kept)


def test_the_trials_of_an_earlier_fit_come_first_then_those_of_a_later_one():
    assert told({4, 1}, {6, 1, 4, 0}) == ([1, 4, 0, 6, 3, 5, 7], {"objective 0", "objective 1"})
    assert told({6, 1, 4, 0}, {4, 1}) == ([1, 4, 0, 6, 3, 5, 7], {"objective 0", "objective 1"})


def test_a_fit_whose_trials_cannot_come_first_or_are_gone_is_left_out():
    assert told({0, 1}, {0, 3, 4}) == ([0, 1, 3, 4, 5, 6, 7], {"objective 0"})
    assert told({0, 2}, {0, 1}) == ([0, 1, 3, 4, 5, 6, 7], {"objective 1"})


def test_constraints_are_those_of_trials_in_the_space():
    study = optuna.create_study()
    for x, name in ((0.5, "b"), (0.7, "a"), (2.0, "outside")):
        ranges = {"x": optuna.distributions.FloatDistribution(0.0, 3.0)}
        study.add_trial(optuna.create_trial(params={"x": x}, distributions=ranges, value=0.0, constraints={name: -1.0}))
    reads = [Read.of(trial, study.directions) for trial in study.trials]
    found = limits_in(reads, lessons(reads, study.directions), Rows(Mapped.of(RANGES)))
    assert found == {"constraint a": AtMost(0.0), "constraint b": AtMost(0.0)}
    assert list(found) == sorted(found)
