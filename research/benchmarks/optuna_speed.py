"""How long SufficeSampler takes to propose a point, in studies of many trials.

    python -m research.benchmarks.optuna_speed [asks]

Random trials are added to a study in memory; then so many points are proposed and told, 60 unless another number is
given, refits included. "first" is the first proposal of a process, which reads all trials and fits the model. The
processor's time does not depend on the load of the machine as much as that of the clock; BLAS has one thread.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import optuna

from research.benchmarks.timing import print_table
from suffice.integrations.optuna import SufficeSampler

SIZES = (500, 10_000)


def flat(trial: optuna.Trial) -> float:
    """Six real numbers."""
    return sum((trial.suggest_float(f"x{i}", -5, 5) - 0.3 * i) ** 2 for i in range(6))


def conditional(trial: optuna.Trial) -> float:
    """Three branches, one of them with a number of layers."""
    kind = trial.suggest_categorical("kind", ["svm", "forest", "net"])
    if kind == "svm":
        C, gamma = trial.suggest_float("C", 1e-3, 1e3, log=True), trial.suggest_float("gamma", 0, 1)
        return float((np.log10(C) - 1) ** 2 + gamma)
    if kind == "forest":
        return 1 + trial.suggest_int("depth", 1, 20) / 20 + trial.suggest_float("share", 0, 1)
    layers = trial.suggest_int("layers", 1, 4)
    return 0.5 * abs(layers - 2) + sum((trial.suggest_float(f"u{i}", 0, 1) - 0.4) ** 2 for i in range(layers))


WORDS = {flat: "six numbers", conditional: "conditional"}


def measured(objective: Callable[[optuna.Trial], float], n: int, asks: int) -> list[tuple[float, float]]:
    """Seconds of each proposal, by the clock and of the processor."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=n)
    study.sampler = SufficeSampler(seed=0)
    found = []
    for _ in range(asks):
        trial = study.ask()
        clock, processor = time.perf_counter(), time.process_time()
        assert trial.relative_params
        found.append((time.perf_counter() - clock, time.process_time() - processor))
        study.tell(trial, objective(trial))
    return found


def main(asks: int) -> None:
    """Print the table."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rows = []
    for n in SIZES:
        for objective in (flat, conditional):
            first, *rest = measured(objective, n, asks)
            columns = [
                first,
                *(tuple(map(of, zip(*rest, strict=True))) for of in (statistics.mean, statistics.median, max)),
            ]
            told = (f"{1e3 * clock:.0f} / {1e3 * processor:.0f}" for clock, processor in columns)
            rows.append([n, WORDS[objective], *told])
    print_table("Milliseconds: clock / processor", ["trials", "space", "first", "mean", "median", "longest"], rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
