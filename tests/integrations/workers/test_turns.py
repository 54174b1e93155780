"""Two workers that propose at the same time: one of them gives way."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import optuna
import pytest

from suffice.integrations.optuna import SufficeSampler, sampler
from suffice.integrations.optuna import sampler as turns
from suffice.integrations.optuna.attributes import PROPOSAL, Proposal
from suffice.integrations.optuna.sampler import Seen


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setattr(turns, "WORKER_TIMEOUT", 0.05)
    study = optuna.create_study()
    study.ask()
    study.ask()
    return study


def propose(study, number, point):
    study._storage.set_trial_system_attr(study.trials[number]._trial_id, PROPOSAL, point)


def seen(study, number):
    return Seen.of(study.get_trials(deepcopy=False), number)


def test_what_was_known_before_the_search_is_no_reason_to_give_way(study):
    propose(study, 0, {"params": {"x": 1.0}})
    assert not seen(study, 1).has_to_give_way(study)


def test_the_higher_number_gives_way_to_a_point_that_came_meanwhile(study):
    before = seen(study, 1)
    assert not before.has_to_give_way(study)
    propose(study, 0, {"params": {"x": 1.0}})
    assert before.has_to_give_way(study)


def test_a_point_that_has_changed_is_a_new_one_and_one_that_was_withdrawn_is_none(study):
    propose(study, 0, {"params": {"x": 1.0}})
    before = seen(study, 1)
    propose(study, 0, {"params": {"x": 2.0}})
    assert before.has_to_give_way(study)
    propose(study, 0, {})
    assert not before.has_to_give_way(study)


def test_the_lower_number_stays_also_if_the_other_worker_died(study):
    before = seen(study, 0)
    propose(study, 1, {"params": {"x": 1.0}})
    assert not before.has_to_give_way(study)


def test_the_lower_number_gives_way_to_one_that_is_being_evaluated(study):
    before = seen(study, 0)
    late = study.ask()  # and to one that had not even begun
    propose(study, late.number, {"params": {"x": 1.0}})
    late.suggest_float("x", 0, 1)
    assert before.has_to_give_way(study)


def test_two_that_search_at_the_same_time_do_not_get_the_same_point(monkeypatch):
    first = optuna.create_study(study_name="both", sampler=SufficeSampler(seed=0))
    first.optimize(lambda trial: (trial.suggest_int("n", 0, 40) - 30) ** 2, n_trials=9)
    second = optuna.load_study(study_name="both", storage=first._storage, sampler=SufficeSampler(seed=0))
    together, searches, found = threading.Barrier(2), [], sampler.propose

    def in_step(settings, mapped, reads, *words):
        """The smallest number that is not under way, as far as this worker knows."""
        told = [read.trial.system_attrs.get(PROPOSAL) for read in reads if read.pending]
        known = {proposal["params"]["n"] for proposal in told if proposal}
        n = min(set(range(41)) - known)
        searches.append(n)
        if len(searches) <= 2:
            together.wait(timeout=60)  # none has written anything yet
        return replace(found(settings, mapped, reads, *words), proposal=Proposal({"n": n}, "model"))

    monkeypatch.setattr(turns, "WORKER_TIMEOUT", 60.0)  # the other one does go on
    monkeypatch.setattr(sampler, "propose", in_step)
    trials = [first.ask(), second.ask()]
    with ThreadPoolExecutor(2) as pool:
        points = list(pool.map(lambda trial: trial.suggest_int("n", 0, 40), trials))
    assert searches == [0, 0, 1]
    assert sorted(points) == [0, 1]  # who was first to look decides
