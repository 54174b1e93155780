"""Four processes and one study on a PostgreSQL server, of which one is killed in the middle of a trial."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from optuna.trial import TrialState

WORKERS = Path(__file__).with_name("workers.py")
TRIALS = 32


def killed(server, study, *words, then=lambda lost: None):
    """The values that the workers printed, by process, and the trial of the one that hung and was killed.

    then    called with the number of that trial, after the kill
    """
    values, lost, codes = {}, None, None
    command = [sys.executable, str(WORKERS), server, study, *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    try:
        for word, *rest in map(str.split, process.stdout):
            if word == "told":
                values.setdefault(int(rest[0]), {})[int(rest[1])] = float(rest[2])
            elif word == "hangs":
                lost = int(rest[1])
                os.kill(int(rest[0]), signal.SIGKILL)
                then(lost)
            else:
                codes = [int(code) for code in rest]
        errors = process.stderr.read()
    finally:
        if process.poll() is None:  # what still runs after a failure, all of it
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert codes == [0] * (len(codes or [0]) - 1) + [-signal.SIGKILL], errors
    return values, lost


@pytest.fixture(scope="module")
def run(server, create):
    """A study by four workers, the last of which is killed in its second trial."""
    study = create("four")
    return study, *killed(server, "four", TRIALS, 4, "--hang-in", 2)


def test_the_others_finish_and_no_value_is_lost(run):
    study, values, _ = run
    stored = {trial.number: trial.value for trial in study.get_trials(states=(TrialState.COMPLETE,))}
    assert stored == {number: value for found in values.values() for number, value in found.items()}
    assert sum(map(len, values.values())) == len(stored)  # each is of one worker
    assert len(values) == 4
    assert TRIALS <= len(stored) <= TRIALS + 2  # each of three may be in a trial when the last one is completed


def test_the_trial_of_the_killed_worker_is_still_running(run):
    study, _, lost = run
    assert [trial.number for trial in study.trials if trial.state != TrialState.COMPLETE] == [lost]
    assert study.trials[lost].state == TrialState.RUNNING


def test_no_point_is_evaluated_twice(run):
    study, _, _ = run
    points = Counter(tuple(sorted(trial.params.items())) for trial in study.trials)
    assert points.most_common(1)[0][1] == 1


def test_together_they_find_the_optimum(run):
    study, _, _ = run
    assert study.best_value < 0.01
    assert study.best_params["kind"] == "b"
    assert study.best_params["size"] == 5


def test_with_a_heartbeat_the_trial_of_a_killed_worker_fails_and_its_point_is_tried_again(server, create):
    study = create("heartbeat")

    def an_hour_later(lost):  # the heartbeat is made older, instead of waiting until it is
        with psycopg.connect(server.replace("+psycopg", ""), autocommit=True) as connection:
            older = "UPDATE trial_heartbeats SET heartbeat = heartbeat - interval '1 hour' WHERE trial_id = %s"
            assert connection.execute(older, [study.trials[lost]._trial_id]).rowcount == 1

    _, lost = killed(server, "heartbeat", 200, 2, "--hang-in", 2, "--heartbeat", then=an_hour_later)
    assert study.trials[lost].state == TrialState.FAIL
    again = [t for t in study.trials if t.number != lost and t.params == study.trials[lost].params]
    assert [t.state for t in again] == [TrialState.COMPLETE]
