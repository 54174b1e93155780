"""Processes that share a study: python workers.py STORAGE STUDY TRIALS WORKERS [--hang-in N] [--heartbeat].

A storage whose name ends with .log is a journal file. Each process is a fork of this one from before it has opened
anything, and has a sampler and connections of its own. It prints "told PID NUMBER VALUE" for each completed trial. The
last one prints "hangs PID NUMBER" in its N-th trial, and waits to be killed. With a heartbeat, the others go on until a
trial that was started again is completed.
"""

import argparse
import os
import time
import warnings

import optuna
import scipy.stats  # noqa: F401  what the forks would import later, each for itself
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from suffice.integrations.optuna import SufficeSampler


def say(*words):
    """A line in one piece, so that those of several processes do not mix."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def value(params):
    """Smallest, 0, at kind "b", size 5, x = 0.3 and y = 0.7."""
    loss = (params["x"] - 0.3) ** 2 + 0.02 * (params["size"] - 5) ** 2
    return loss + ((params["y"] - 0.7) ** 2 if params["kind"] == "b" else 0.2)


def suggested(trial):
    trial.suggest_float("x", 0, 1)
    trial.suggest_int("size", 1, 9)
    if trial.suggest_categorical("kind", ["a", "b"]) == "b":
        trial.suggest_float("y", 0, 1)
    return trial.params


def work(given, hang_in):
    begun = 0

    def objective(trial):
        nonlocal begun
        params, begun = suggested(trial), begun + 1
        if begun == hang_in:
            say("hangs", os.getpid(), trial.number)
            time.sleep(600)
        time.sleep(0.02)
        return value(params)

    def told(study, trial):
        say("told", os.getpid(), trial.number, repr(trial.value))
        if given.heartbeat and "retry_history" in trial.system_attrs:
            study.stop()

    callbacks = [told] if given.heartbeat else [told, optuna.study.MaxTrialsCallback(given.trials)]
    study = optuna.load_study(study_name=given.study, storage=storage(given), sampler=SufficeSampler())
    study.optimize(objective, n_trials=given.trials, callbacks=callbacks)


def storage(given):
    if given.storage.endswith(".log"):
        return JournalStorage(JournalFileBackend(given.storage))
    if not given.heartbeat:
        return given.storage
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        again = optuna.storages.RetryHeartbeatStaleTrialCallback(max_retry=1)
        words = {"heartbeat_interval": 60, "grace_period": 600, "heartbeat_stale_trial_callback": again}
        return optuna.storages.RDBStorage(given.storage, **words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("storage")
    parser.add_argument("study")
    parser.add_argument("trials", type=int)
    parser.add_argument("workers", type=int)
    parser.add_argument("--hang-in", type=int)
    parser.add_argument("--heartbeat", action="store_true")
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    children = []
    for i in range(given.workers):
        child = os.fork()
        if child == 0:
            work(given, given.hang_in if i == given.workers - 1 else None)
            return
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    say("ended", *codes)


if __name__ == "__main__":
    main()
