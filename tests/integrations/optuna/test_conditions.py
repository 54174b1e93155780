"""Conditions are read off the trials: the tree that an objective has is found, and nothing that is not there."""

import logging
import warnings

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

from suffice.integrations.optuna import SufficeSampler
from suffice.integrations.optuna.history import Patterns, Read, conditional, inferred
from suffice.integrations.optuna.space import present_distributions

UNIT = FloatDistribution(0.0, 1.0)


def reads_of(study):
    return [Read.of(trial, study.directions) for trial in study.get_trials(deepcopy=False)]


def conditions_of(study):
    reads = reads_of(study)
    distributions = present_distributions(read.trial.distributions for read in reads)
    return inferred(reads, Patterns(distributions))


def run(objective, n=60, seed=0):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    study.optimize(objective, n_trials=n)
    return study


def add(study, state=TrialState.COMPLETE, **given):
    """One trial: each parameter with its value and its distribution."""
    params = {name: value for name, (value, _) in given.items()}
    found = {name: distribution for name, (_, distribution) in given.items()}
    value = 0.0 if state == TrialState.COMPLETE else None
    study.add_trial(optuna.create_trial(params=params, distributions=found, value=value, state=state))


def nested(trial):
    model = trial.suggest_categorical("model", ["svm", "forest", "nearest"])
    bootstrap = trial.suggest_categorical("flag", [True, False])
    if model == "svm":
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly", "linear"])
        trial.suggest_float("C", 1e-3, 1e3, log=True)
        if kernel == "rbf":
            trial.suggest_float("gamma", 1e-3, 1.0, log=True)
        if kernel == "poly":
            trial.suggest_int("degree", 2, 5)
    elif model == "forest":
        for i in range(trial.suggest_int("layers", 1, 4)):
            trial.suggest_int(f"units_{i}", 8, 128)
        if bootstrap:
            trial.suggest_float("share", 0.1, 1.0)
    return 0.0


def test_a_tree_is_found_with_its_nested_branches_and_counted_layers():
    whens = conditions_of(run(nested, 200))
    assert whens["kernel"] == whens["C"] == {"model": ("svm",)}
    assert whens["gamma"] == {"kernel": ("rbf",)}
    assert whens["degree"] == {"kernel": ("poly",)}
    assert whens["layers"] == whens["units_0"] == {"model": ("forest",)}
    assert whens["units_1"] == {"layers": (2, 3, 4)}
    assert whens["units_3"] == {"layers": (4,)}
    assert whens["share"] == {"model": ("forest",), "flag": (True,)}
    assert "model" not in whens
    assert "flag" not in whens


@pytest.mark.parametrize("seed", range(5))
def test_what_is_inferred_agrees_with_every_trial_however_few_there_are(seed):
    for n in (2, 5, 10, 20, 40):
        study = run(nested, n, seed)
        reads = reads_of(study)
        distributions = present_distributions(read.trial.distributions for read in reads)
        mapped = conditional(distributions, inferred(reads, Patterns(distributions)))
        for read in reads:
            explained = {name for name in distributions if name in mapped.whens}
            there = {name for name in read.trial.params if name in distributions}
            active = set(mapped.space.from_unit(mapped.space.snap(mapped.rows([read.trial.params])[0])[0]))
            assert active & explained == there & explained


def test_of_numbers_that_were_never_seen_the_nearest_one_decides():
    study, layers = optuna.create_study(), IntDistribution(1, 20)
    for n in (2, 3, 10, 12):
        units = {"units": (0.5, UNIT)} if n >= 10 else {}
        add(study, layers=(n, layers), **units)
    assert conditions_of(study) == {"units": {"layers": tuple(range(7, 21))}}


def test_an_option_that_was_never_seen_is_taken_to_have_branches_of_its_own():
    study, kind = optuna.create_study(), CategoricalDistribution(["a", "b", "c"])
    add(study, kind=("a", kind), x=(0.5, UNIT))
    add(study, kind=("b", kind))
    assert conditions_of(study) == {"x": {"kind": ("a",)}}


def test_options_that_are_equal_but_not_the_same_are_told_apart():
    study, kind = optuna.create_study(), CategoricalDistribution([True, 1.5, None, "None"])
    for option in kind.choices:
        add(study, kind=(option, kind), **({"x": (0.5, UNIT)} if option is None else {}))
    assert conditions_of(study) == {"x": {"kind": (None,)}}


def test_a_trial_that_failed_before_it_asked_says_nothing_about_absence():
    study, kind = optuna.create_study(), CategoricalDistribution(["a", "b"])
    for option in ("a", "b", "a", "b"):
        add(study, kind=(option, kind), x=(0.5, UNIT))
    add(study, TrialState.FAIL, kind=("a", kind))
    assert conditions_of(study) == {}


def test_a_trial_that_failed_between_a_child_and_its_parent_refutes_nothing():
    study, kind = optuna.create_study(), CategoricalDistribution(["a", "b"])
    for option in ("a", "b", "a", "b"):
        add(study, **({"x": (0.5, UNIT)} if option == "a" else {}), kind=(option, kind))
    add(study, TrialState.FAIL, x=(0.5, UNIT))
    assert conditions_of(study) == {"x": {"kind": ("a",)}}


def test_what_nothing_explains_has_no_condition_and_is_modelled_in_its_middle_where_absent():
    study, kind = optuna.create_study(), CategoricalDistribution(["a", "b"])
    for option, there in (("a", True), ("a", False), ("b", True), ("b", False)):
        add(study, kind=(option, kind), **({"x": (0.25, UNIT)} if there else {}))
    reads = reads_of(study)
    distributions = present_distributions(read.trial.distributions for read in reads)
    assert conditions_of(study) == {}
    mapped = conditional(distributions, {})
    X, _ = mapped.rows([read.trial.params for read in reads])
    assert X[:, mapped.columns["x"]].ravel().tolist() == [0.25, 0.5, 0.25, 0.5]


def test_more_trials_refute_a_parent_that_explained_the_first_ones_by_chance():
    study = optuna.create_study()
    kind, other = CategoricalDistribution(["a", "b"]), CategoricalDistribution([0, 1])
    add(study, other=(0, other), kind=("a", kind), x=(0.5, UNIT))
    add(study, other=(1, other), kind=("b", kind))
    assert conditions_of(study) == {"x": {"other": (0,)}}  # both explain it, and this one was met first
    add(study, other=(0, other), kind=("b", kind))
    assert conditions_of(study) == {"x": {"kind": ("a",)}}


def test_only_what_is_active_is_proposed_and_nothing_is_drawn_on_its_own_once_the_tree_is_known():
    drawn = []

    class Watched(SufficeSampler):
        def sample_independent(self, study, trial, name, distribution):
            drawn.append((trial.number, name))
            return super().sample_independent(study, trial, name, distribution)

    study = optuna.create_study(sampler=Watched(seed=0))
    for trial in run(nested, 80).trials:
        study.add_trial(trial)
    study.optimize(lambda trial: nested(trial) + trial.number % 3, n_trials=4)
    assert drawn == []
    for trial in study.trials[80:]:
        assert set(trial.system_attrs["suffice:proposal"]["params"]) == set(trial.params)


def test_a_wrong_guess_about_a_condition_is_corrected_in_silence():
    drawn, lines = [], []

    class Watched(SufficeSampler):
        def sample_independent(self, study, trial, name, distribution):
            if any(name in other.params for other in study.get_trials(deepcopy=False)):
                drawn.append(trial.number)
            return super().sample_independent(study, trial, name, distribution)

    def dynamic(trial):
        return sum((trial.suggest_float(f"u{i}", 0.0, 1.0) - 0.3) ** 2 for i in range(trial.suggest_int("n", 1, 8)))

    listener = logging.Handler(logging.WARNING)
    listener.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("optuna").addHandler(listener)
    try:
        optuna.create_study(sampler=Watched(seed=0)).optimize(dynamic, n_trials=30)
    finally:
        logging.getLogger("optuna").removeHandler(listener)
    assert drawn  # else this is about another case
    assert max(drawn) < 15  # the first trials correct what is inferred, and from then on it is right
    assert lines == []


def test_a_conditional_optimum_is_found_where_each_branch_has_parameters_of_its_own():
    def objective(trial):
        branch = trial.suggest_categorical("branch", ["line", "square", "flat"])
        if branch == "line":
            return 1.0 + abs(trial.suggest_float("a", -1, 1) - 0.4)
        if branch == "square":
            return (trial.suggest_float("b", -1, 1) - 0.3) ** 2 + (trial.suggest_float("c", -1, 1) + 0.6) ** 2
        return 0.5

    study = optuna.create_study(sampler=SufficeSampler(seed=3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.optimize(objective, n_trials=40)
    assert study.best_value < 1e-4
    assert {trial.params["branch"] for trial in study.trials[:6]} == {"line", "square", "flat"}
    assert np.isfinite([t.value for t in study.trials]).all()
