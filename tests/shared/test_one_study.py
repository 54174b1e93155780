"""A study on a server that several workers share: each trial once, whoever dies, and one record for all."""

import os
import signal
import threading
import time
from collections import Counter
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

import suffice as sf
from suffice.record.history import History
from suffice.record.trial import Asked, Claimed, Told
from suffice.store.journal import Memory

BOX = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def f(point):
    return (point["x"] - 0.3) ** 2 + (point["y"] - 0.6) ** 2


def slow(point):
    time.sleep(0.02)
    return f(point)


def started(target, *args):
    """Processes that are forks of this one: to load the library takes longer than the test."""
    process = get_context("fork").Process(target=target, args=args)
    process.start()
    return process


def worker(place, trials, words, objective=slow):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sf.minimize(objective, BOX, trials, storage=place, **words)


def check(result, trials):
    """Everything once."""
    told = Counter(event.number for event in result.history.events if isinstance(event, Told))
    assert len(result.trials) == result.nfev == trials
    assert told == dict.fromkeys(range(trials), 1)
    assert len({tuple(trial.point.values()) for trial in result.trials}) == trials
    assert all(trial.value == f(trial.point) for trial in result.trials)


def test_one_worker_makes_all_trials_and_everybody_reads_them(place, quick):
    seen = []
    result = sf.minimize(f, BOX, 12, storage=place, callback=lambda result: seen.append(result.nfev), **quick)
    check(result, 12)
    assert seen == list(range(1, 13))
    check(sf.load(place), 12)
    assert [trial.point for trial in sf.load(place).trials] == [trial.point for trial in result.trials]
    again = sf.minimize(f, BOX, 15, storage=place, **quick)
    check(again, 15)


def test_one_worker_finds_the_points_that_a_file_has(place, quick, tmp_path):
    there = sf.minimize(f, BOX, 12, storage=place, **quick)
    here = sf.minimize(f, BOX, 12, storage=tmp_path / "run.db", **quick)
    assert [trial.point for trial in there.trials] == [trial.point for trial in here.trials]


def test_several_workers_make_each_trial_once(place, quick):
    workers = [started(worker, place, 40, quick) for _ in range(4)]
    for one in workers:
        one.join(600)
    assert [one.exitcode for one in workers] == [0] * 4
    result = sf.load(place)
    check(result, 40)
    assert len({event.worker for event in result.history.events if isinstance(event, Claimed)}) > 1


def test_workers_that_begin_together_make_the_tables_and_the_study_once(server, quick):
    with server.connect() as connection:
        connection.execute("CREATE DATABASE fresh")
    place = f"{server.address(database='fresh')}?study=begin"
    workers = [started(worker, place, 8, quick) for _ in range(6)]
    for one in workers:
        one.join(600)
    assert [one.exitcode for one in workers] == [0] * 6
    check(sf.load(place), 8)


def test_threads_and_processes_of_a_worker_have_claims_of_their_own(place, quick):
    check(sf.minimize(slow, BOX, 12, storage=place, n_parallel=2, **quick), 12)


def rebuilt(history, number):
    """The suggestion that follows from the record alone."""
    event = next(event for event in history.events if isinstance(event, Asked) and event.number == number)
    start = number - event.basis.place
    known = history.before(start)
    polish = any(trial.origin == "polish" for trial in history.trials[start : number + 1])
    optimizer = sf.Optimizer(history.settings.space)
    optimizer._begin(Memory(list(known.events)), history.settings)
    return optimizer.ask(event.basis.size, polish=polish)[event.basis.place].point


def test_every_suggestion_follows_from_the_record_bit_for_bit(place):
    workers = [started(worker, place, 40, {"seed": 0}) for _ in range(3)]
    for one in workers:
        one.join(600)
    history = sf.load(place).history
    bases = [event.basis for event in history.events if isinstance(event, Asked)]
    assert all(basis is not None for basis in bases)
    for trial in history.trials:
        assert rebuilt(history, trial.number) == trial.point
    polished = {trial.number for trial in history.trials if trial.origin == "polish"}
    assert polished
    assert polished <= {36, 37, 38, 39}  # the last tenth, whoever proposes it
    assert len(sf.audit(sf.load(place), every=6).rebuilt) > 3


def test_a_proposal_that_comes_too_late_leaves_no_trace(place, quick):
    """Two workers propose a trial of one number, as when a connection was cut, and the slower one knew less."""
    sf.minimize(f, BOX, 14, storage=place, **quick)
    with sf.Optimizer.resume(place) as one, sf.Optimizer.resume(place) as other:
        one.journal.hired = other.journal.hired = True
        one.propose(1)
        other.sync()
        one.tell(one.trials[14], f(one.trials[14].point))
        one.propose(1)
        other.propose(1)  # knows neither the value nor the trial
        assert [len(each.trials) for each in (one, other)] == [16, 15]
        other.sync()
        other.tell(other.trials[15], f(other.trials[15].point))
        other.propose(2)
        history = other.history
    assert [rebuilt(history, number) == history.trials[number].point for number in (14, 15, 16, 17)] == [True] * 4


def test_the_order_of_outcomes_and_of_proposals_is_all_that_counts(place, quick):
    """Values that are told while points are proposed may stand before or after them."""
    result = sf.minimize(f, BOX, 10, storage=place, **quick)
    events = list(result.history.events)
    i = next(i for i, event in enumerate(events) if isinstance(event, Asked) and event.number == 6)
    moved = next(j for j in range(i, 0, -1) if isinstance(events[j], Told))
    asked = replace(events[i], basis=replace(events[i].basis, outcomes=events[i].basis.outcomes - 1))
    events[i] = asked
    later = [*events[:moved], *events[moved + 1 : i + 1], events[moved], *events[i + 1 :]]
    one, other = History.of(events).before(6), History.of(later).before(6)
    assert [trial.value for trial in one.trials] == [trial.value for trial in other.trials]
    assert one.settled == other.settled == asked.basis.outcomes


# ---------------------------------------------------------------------- workers that die


def dies(marker):
    def objective(point):
        if not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return slow(point)

    return objective


def test_the_trial_of_a_worker_that_was_killed_is_given_to_another(brief, quick, tmp_path):
    marker = tmp_path / "killed"
    first = started(worker, brief, 12, quick, dies(marker))
    first.join(600)
    assert (first.exitcode, marker.exists()) == (-signal.SIGKILL, True)
    result = sf.minimize(f, BOX, 12, storage=brief, **quick)
    check(result, 12)
    claims = Counter(event.number for event in result.history.events if isinstance(event, Claimed))
    assert sorted(claims.values()) == [1] * 11 + [2]


def test_a_point_that_kills_every_worker_fails_in_the_end(brief, quick):
    def deadly(point):
        if point["x"] == 0.5:
            os._exit(9)
        return f(point)

    words = {**quick, "x0": [{"x": 0.5, "y": 0.5}], "evaluation": sf.Evaluation(retries=1)}
    codes = []
    for _ in range(3):
        one = started(worker, brief, 6, words, deadly)
        one.join(600)
        codes.append(one.exitcode)
    assert codes == [9, 9, 0]
    result = sf.load(brief)
    assert (result.trials[0].state, result.trials[0].cause) == ("failed", "crashed")
    assert result.trials[0].reason == "its worker gave no sign of life, in all of 2 tries"
    assert result.nfev == 6


def test_a_worker_that_was_taken_for_dead_comes_late_and_nothing_is_counted_twice(brief, quick):
    """It is stopped for longer than a lease; another one has told the value when it goes on."""

    def stops(point):
        os.kill(os.getpid(), signal.SIGSTOP)
        return f(point) + 1

    late = started(worker, brief, 4, quick, stops)
    until = time.monotonic() + 30
    while not any(isinstance(e, Claimed) for e in events_of(brief)) and time.monotonic() < until:
        time.sleep(0.05)
    check(sf.minimize(f, BOX, 4, storage=brief, **quick), 4)
    os.kill(late.pid, signal.SIGCONT)
    late.join(600)
    assert late.exitcode == 0
    check(sf.load(brief), 4)


def events_of(place):
    try:
        return sf.load(place).history.events
    except (FileNotFoundError, IndexError, ValueError):  # it has not begun
        return ()


def test_a_long_evaluation_stays_claimed(place, quick):
    place += "&lease=4"  # its signs of life come each second: a busy machine may be late by three

    def long(point):
        time.sleep(9)  # more than two leases
        return f(point)

    one = started(worker, place, 2, quick, long)
    time.sleep(0.3)
    result = sf.minimize(f, BOX, 2, storage=place, **quick)
    one.join(600)
    check(result, 2)
    claims = Counter(event.number for event in result.history.events if isinstance(event, Claimed))
    assert set(claims.values()) == {1}


def test_who_is_interrupted_leaves_its_trial_to_the_others(place, quick):
    calls = []

    def interrupted(point):
        calls.append(point)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return f(point)

    first = sf.minimize(interrupted, BOX, 8, storage=place, **quick)
    assert (first.nfev, first.message) == (2, "interrupted")
    assert {trial.state for trial in sf.load(place).trials} == {"done", "pending"}
    result = sf.minimize(f, BOX, 8, storage=place, **quick)
    check(result, 8)
    assert result.trials[2].point == calls[2]  # at once: the lease is longer than the test


def test_a_rule_ends_every_worker(place, quick):
    one = started(worker, place, 400, {**quick, "stop": sf.Target(0.05)})
    two = started(worker, place, 400, {**quick, "stop": sf.Target(0.05)})
    one.join(600)
    two.join(600)
    assert (one.exitcode, two.exitcode) == (0, 0)
    result = sf.load(place)
    assert result.fun <= 0.05
    assert result.nfev < 400


# ---------------------------------------------------------------------- by hand, and from other tools


def test_ask_and_tell_by_hand_beside_a_worker(brief, quick):
    with sf.Optimizer(BOX, storage=brief, **quick) as optimizer:
        mine = optimizer.ask()
        begin = time.monotonic()

        def slowly(point):  # longer than a lease: it is not taken
            time.sleep(0.3)
            return f(point)

        result = sf.minimize(slowly, BOX, 6, storage=brief, callback=lambda result: result.nfev == 5, **quick)
        assert time.monotonic() > begin + 1.0
        assert {trial.number: trial.state for trial in result.trials}[mine.number] == "pending"
        assert optimizer.tell(mine, f(mine.point)).state == "done"
        assert len(optimizer.trials) == 6
        assert optimizer.tell({"x": 0.3, "y": 0.6}, 0.0).number == 6
        with pytest.raises(ValueError, match="already has the value"):
            optimizer.tell(optimizer.trials[2], 77.0)
        with pytest.raises(ValueError, match="a study on a server cannot withdraw a value"):
            optimizer.withdraw(optimizer.trials[2])
    with sf.Optimizer.resume(brief) as optimizer:
        assert optimizer.best.value == 0.0
        assert len(optimizer.ask(3)) == 3


def test_known_values_are_told_once(place, quick):
    words = {**quick, "x0": [{"x": 0.1, "y": 0.1}, {"x": 0.2, "y": 0.2}], "y0": [0.29, 0.17]}
    workers = [started(worker, place, 6, words) for _ in range(3)]
    for one in workers:
        one.join(600)
    result = sf.load(place)
    assert [trial.origin for trial in result.trials].count("foreign") == 2
    assert result.nfev == 8


def test_it_can_be_saved_and_loaded(place, quick, tmp_path):
    result = sf.minimize(f, BOX, 8, storage=place, **quick)
    result.save(tmp_path / "run.json")
    assert [t.point for t in sf.load(tmp_path / "run.json").trials] == [t.point for t in result.trials]
    assert np.isfinite(result.fun)


def test_many_threads_of_one_program_are_as_many_workers(place, quick):
    def run():
        sf.minimize(slow, BOX, 16, storage=place, **quick)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    check(sf.load(place), 16)
