"""SufficeSampler as Optuna uses it: seeds, copies, threads, given values, and what each trial remembers."""

import json
import pickle
import subprocess
import sys

import numpy as np
import optuna
import pytest
from optuna.trial import TrialState

import suffice as sf
from suffice.errors import MissingExtra
from suffice.integrations.optuna import SufficeSampler
from suffice.integrations.optuna.attributes import fits_of, packed, report_from_plain, report_to_plain, unpacked
from suffice.integrations.optuna.sampler import propose


def objective(trial):
    x, y = trial.suggest_float("x", -2, 2), trial.suggest_float("y", -2, 2)
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return (x - 1) ** 2 + y**2 + trial.suggest_int("n", 1, 9) / 9
    return x**2 + (y + 1) ** 2 + 0.5


def points(study):
    return [trial.params for trial in study.trials]


def run(n=14, seed=0, **words):
    study = optuna.create_study(sampler=SufficeSampler(seed=seed, **words))
    study.optimize(objective, n_trials=n)
    return study


@pytest.fixture(scope="module")
def study():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return run()


def test_the_same_seed_gives_the_same_trials_and_another_one_others(study):
    assert points(run()) == points(study)
    assert points(run(3, seed=1)) != points(study)[:3]


def test_a_new_sampler_goes_on_as_the_old_one_would_have(study, tmp_path):
    """Nothing but the storage is needed: not even the last bit of the model lives in the sampler."""
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    optuna.create_study(storage=storage, study_name="s")
    for _ in range(14):
        fresh = optuna.load_study(storage=storage, study_name="s", sampler=SufficeSampler(seed=0))
        fresh.optimize(objective, n_trials=1)
    assert points(fresh) == points(study)
    assert sum(bool(fits_of(trial.system_attrs)) for trial in fresh.trials) < 8


def test_a_pickled_sampler_goes_on_as_the_original_would_have(study):
    half = run(8)
    half.sampler = pickle.loads(pickle.dumps(half.sampler))
    half.optimize(objective, n_trials=6)
    assert points(half) == points(study)


def test_copies_without_a_seed_and_reseeded_ones_draw_other_numbers():
    sampler = SufficeSampler()
    copies = [sampler, pickle.loads(pickle.dumps(sampler)), SufficeSampler(seed=0), SufficeSampler(seed=0)]
    copies[3].reseed_rng()
    firsts = []
    for copy in copies:
        one = optuna.create_study(sampler=copy)
        one.optimize(objective, n_trials=1)
        firsts.append(one.trials[0].params["x"])
    assert len(set(firsts)) == 4


def test_threads_never_propose_the_same_point():
    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(objective, n_trials=16, n_jobs=4)
    assert len(study.trials) == 16
    assert len({json.dumps(point, sort_keys=True) for point in points(study)}) == 16


def test_workers_with_the_same_seed_do_not_propose_the_same_point(study):
    """Each of them asks before any of the others has an answer."""
    shared = optuna.create_study(sampler=SufficeSampler(seed=0))
    shared.add_trials(study.trials)
    asked = []
    for _ in range(4):
        shared.sampler = SufficeSampler(seed=0)
        asked.append(shared.ask())
        assert asked[-1].relative_params
    seen = np.array([[trial.relative_params[name] for name in ("x", "y")] for trial in asked])
    distances = np.linalg.norm(seen[:, None] - seen, axis=2)[np.triu_indices(4, 1)]
    assert distances.min() > 1e-3


def test_a_running_trial_is_known_by_its_proposal_before_it_has_asked_for_its_parameters(study):
    one, other = (optuna.create_study(sampler=SufficeSampler(seed=0)) for _ in range(2))
    for both in (one, other):
        both.add_trials(study.trials)
    waiting = one.ask()
    assert waiting.relative_params  # proposed, and not one parameter was asked for
    other.ask()  # running as well, without a proposal
    assert one.ask().relative_params != other.ask().relative_params


def test_a_point_that_another_worker_proposes_meanwhile_is_not_proposed_again(study, monkeypatch):
    shared, found = optuna.create_study(sampler=SufficeSampler(seed=0)), []
    shared.add_trials(study.trials)
    other = shared.ask()  # it began before, has no proposal yet, and so the right of way

    def slow(settings, mapped, *known):
        found.append(propose(settings, mapped, *known))
        if len(found) == 1:  # the other one comes to the same point meanwhile
            plain = found[0].proposal.to_plain(mapped.distributions)
            shared._storage.set_trial_system_attr(other._trial_id, "suffice:proposal", plain)
        return found[-1]

    monkeypatch.setattr("suffice.integrations.optuna.sampler.propose", slow)
    proposed = shared.ask().relative_params
    assert len(found) == 2
    assert proposed == found[1].proposal.params
    assert (
        abs(proposed["x"] - found[0].proposal.params["x"]) + abs(proposed["y"] - found[0].proposal.params["y"]) > 1e-3
    )


def test_values_that_are_enqueued_are_kept_and_the_rest_is_proposed_around_them(study):
    more = optuna.create_study(sampler=SufficeSampler(seed=0))
    more.add_trials(study.trials)
    more.enqueue_trial({"kind": "b", "x": 0.125})
    more.enqueue_trial({"n": 4})  # a child whose parent is free: it is kept if it comes up
    more.enqueue_trial({"kind": "a", "x": 0.0, "y": 0.5, "n": 2})
    more.optimize(objective, n_trials=3)
    first, second, third = more.trials[-3:]
    assert (first.params["kind"], first.params["x"]) == ("b", 0.125)
    assert set(first.system_attrs["suffice:proposal"]["params"]) == {"kind", "x", "y"}
    assert second.params.get("n", 4) == 4
    assert third.params == {"kind": "a", "x": 0.0, "y": 0.5, "n": 2}


@pytest.mark.filterwarnings("ignore:PartialFixedSampler is experimental")
def test_what_another_sampler_fixes_is_known_when_the_rest_is_proposed(study):
    more = optuna.create_study(sampler=SufficeSampler(seed=0))
    more.add_trials(study.trials)
    more.sampler = optuna.samplers.PartialFixedSampler({"kind": "b", "x": 0.125}, more.sampler)
    more.optimize(objective, n_trials=1)
    last = more.trials[-1]
    assert (last.params["kind"], last.params["x"]) == ("b", 0.125)
    assert set(last.system_attrs["suffice:proposal"]["params"]) == {"kind", "x", "y"}


def test_trials_of_another_sampler_are_learned_from_at_once():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=30)
    study.sampler = SufficeSampler(seed=0)
    study.optimize(objective, n_trials=1)
    assert study.trials[-1].system_attrs["suffice:proposal"]["origin"] == "model"


def test_a_finite_space_that_is_used_up_goes_on_with_repetitions():
    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_int("n", 1, 3) + trial.suggest_categorical("c", [0, 1]), n_trials=9)
    assert len({json.dumps(point, sort_keys=True) for point in points(study)}) == 6
    assert study.best_value == 1


def test_the_report_of_a_proposal_is_small_plain_and_readable(study):
    last = study.trials[-1].system_attrs
    assert 0 <= last["suffice:report"]["relative_gap"] <= 1
    assert {"eta", "n_evals", "seconds", "status", "kind"} <= set(last["suffice:report"])
    assert set(last) == {"suffice:report", "suffice:proposal"}
    for trial in study.trials:
        assert len(json.dumps(trial.system_attrs, allow_nan=False)) < 3000
    for trial in study.trials:
        plain = trial.system_attrs.get("suffice:report")
        if plain is not None:
            assert report_to_plain(report_from_plain(json.loads(json.dumps(plain)))) == plain


def test_the_trials_of_a_fit_take_two_kilobytes_at_most_however_many_failed_in_between():
    rng = np.random.default_rng(0)
    for numbers in ((), (7, 0, 1, 2, 5, 6), range(10_000), range(0, 10_000, 2), rng.permutation(10_000)[:5000]):
        known = frozenset(map(int, numbers))
        assert unpacked(packed(known)) == known
        assert len(packed(known)) < 2000


@pytest.mark.parametrize(
    "damage",
    [
        "none",
        3,
        {"params": 7},
        {"origin": "model", "fits": {"value": {"hyper": 1}}, "trials": packed(frozenset())},
        {"params": {}},
    ],
)
def test_attributes_that_something_else_wrote_do_no_harm(damage):
    study = optuna.create_study(sampler=SufficeSampler(seed=0, n_startup_trials=2))
    study.optimize(objective, n_trials=3)
    attributes = {"suffice:proposal": damage, "suffice:report": damage}
    for state, value in ((TrialState.COMPLETE, 1.0), (TrialState.FAIL, None), (TrialState.RUNNING, None)):
        trial = study.trials[0]
        study.add_trial(
            optuna.create_trial(
                state=state,
                value=value,
                params=trial.params,
                distributions=trial.distributions,
                system_attrs=attributes,
            )
        )
    study.optimize(objective, n_trials=1)
    assert len(study.trials) == 7


def test_parts_are_those_of_the_library_and_wrong_ones_are_refused_at_once():
    study = run(8, acquisition=sf.acquisition.EI(), solver=sf.solvers.Grid(), n_startup_trials=4)
    assert study.trials[-1].system_attrs["suffice:proposal"]["origin"] == "model"
    with pytest.raises(TypeError, match=r"acquisition must be an object such as sf.acquisition.EI\(\)"):
        SufficeSampler(acquisition="EI")
    with pytest.raises(ValueError, match="aim must be 'best' or 'regret'"):
        SufficeSampler(aim="fun")
    with pytest.raises(ValueError, match="n_startup_trials"):
        SufficeSampler(n_startup_trials=-1)
    for wrong in ("random", optuna.samplers.RandomSampler):
        with pytest.raises(TypeError, match="independent_sampler must be a sampler such as"):
            SufficeSampler(independent_sampler=wrong)
    assert repr(SufficeSampler(0)) == repr(SufficeSampler(seed=0))
    with pytest.raises(TypeError, match="constraints_func must be a function of a trial, or None: got 3"):
        SufficeSampler(constraints_func=3)


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("n_initial", "n_startup_trials"),
        ("multivariate", "always modelled together"),
        ("constant_liar", "running trials"),
        ("deterministic_objective", "noise=0"),
        ("gamma", "density estimates of TPESampler"),
        ("search_space", "the ranges are those of the objective"),
        ("colour", "help"),
    ],
)
def test_words_of_other_samplers_are_refused_with_advice(word, advice):
    with pytest.raises(TypeError, match=rf"{word}.*{advice}"):
        SufficeSampler(**{word: 1})


def test_an_independent_sampler_draws_what_is_not_known_yet():
    class Ones(optuna.samplers.RandomSampler):
        def sample_independent(self, study, trial, name, distribution):
            return 1.0

    study = optuna.create_study(sampler=SufficeSampler(seed=0, independent_sampler=Ones()))
    study.optimize(lambda trial: trial.suggest_float("x", -2, 2), n_trials=2)
    assert study.trials[0].params["x"] == 1.0 != study.trials[1].params["x"]


def test_brackets_of_hyperband_search_side_by_side():
    def pruned(trial):
        x = trial.suggest_float("x", -2, 2)
        for step in range(9):
            trial.report(x**2 + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return x**2

    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9)
    study = optuna.create_study(sampler=SufficeSampler(seed=0), pruner=pruner, study_name="brackets")
    study.optimize(pruned, n_trials=20)
    assert len({trial.params["x"] for trial in study.trials}) == 20


def test_without_optuna_the_extra_is_named():
    code = """
import sys
sys.modules["optuna"] = None
import importlib.util
importlib.util.find_spec = lambda name, package=None: None
try:
    from suffice.integrations.optuna import SufficeSampler
except ImportError as error:
    print(type(error).__name__, error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith(MissingExtra.__name__)
    assert "pip install 'suffice[optuna]'" in said
