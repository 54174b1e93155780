"""What is suggested depends on what the storage holds, and on nothing that a sampler remembers."""

import subprocess
import sys

import optuna

from suffice.integrations.optuna import SufficeSampler

ASK = """
import sys, optuna
from suffice.integrations.optuna import SufficeSampler
study = optuna.load_study(study_name="copy", storage=sys.argv[1], sampler=SufficeSampler(seed=3))
trial = study.ask()
x, kind = trial.suggest_float("x", 0, 1), trial.suggest_categorical("kind", ["a", "b"])
print(trial.number, repr({"x": x, "kind": kind, "n": trial.suggest_int("n", 1, 9) if kind == "a" else None}))
"""


def point(trial):
    x, kind = trial.suggest_float("x", 0, 1), trial.suggest_categorical("kind", ["a", "b"])
    return {"x": x, "kind": kind, "n": trial.suggest_int("n", 1, 9) if kind == "a" else None}


def objective(trial):
    found = point(trial)
    return (found["x"] - 0.6) ** 2 + (0.3 if found["n"] is None else 0.05 * abs(found["n"] - 7))


def test_a_new_sampler_in_another_process_suggests_what_this_one_would(server, create):
    study = create("original")
    study.sampler = SufficeSampler(seed=3)
    study.optimize(objective, n_trials=15)
    study.ask()  # by a worker that was killed before it asked for its parameters
    storage = study._storage
    optuna.copy_study(from_study_name="original", from_storage=storage, to_storage=storage, to_study_name="copy")
    done = subprocess.run([sys.executable, "-c", ASK, server], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    trial = study.ask()
    assert done.stdout.strip() == f"{trial.number} {point(trial)!r}"
