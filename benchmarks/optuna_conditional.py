"""Optuna's samplers on ten conditional problems: this library's, GPSampler, TPE made for such spaces, and random.

    python -m benchmarks.optuna_conditional                                  # 50 trials, five seeds, two processes
    python -m benchmarks.optuna_conditional --families svm --draws 7 8 --seeds 3 --systems suffice tpe

Needs optuna; torch for GPSampler; scikit-learn for the family `learning`. A row has the median regret of a problem's
runs after all trials, and of each rival the last lines say how many problems each one of the two has won.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

from benchmarks.define_by_run import TASKS, Task

Row = dict[str, float]  # system → median regret


def suffice(seed: int) -> Any:
    from suffice.integrations.optuna import SufficeSampler

    return SufficeSampler(seed=seed)


def gp(seed: int) -> Any:
    from optuna.samplers import GPSampler

    return GPSampler(seed=seed)


def tpe(seed: int) -> Any:
    from optuna.samplers import TPESampler

    return TPESampler(multivariate=True, group=True, seed=seed)


def uniform(seed: int) -> Any:
    from optuna.samplers import RandomSampler

    return RandomSampler(seed=seed)


SYSTEMS: Mapping[str, Callable[[int], Any]] = {"suffice": suffice, "gp": gp, "tpe": tpe, "random": uniform}


def run(family: str, draw: int, system: str, n: int, seed: int) -> tuple[float, float]:
    """The smallest value of one study, and the seconds that it took."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study = optuna.create_study(sampler=SYSTEMS[system](seed))
        start = time.perf_counter()
        study.optimize(TASKS[family](draw).objective, n_trials=n)
    return study.best_value, time.perf_counter() - start


def regrets(task: Task, values: Mapping[str, list[float]]) -> Row:
    best = min(map(min, values.values())) if task.optimum is None else task.optimum
    return {system: statistics.median(value - best for value in found) for system, found in values.items()}


def duels(rows: list[Row], ours: str) -> None:
    for rival in (system for system in rows[0] if system != ours):
        won = sum(row[ours] < row[rival] for row in rows)
        lost = sum(row[ours] > row[rival] for row in rows)
        print(f"{ours} against {rival}: {won} won, {lost} lost, {len(rows) - won - lost} equal")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--draws", type=int, nargs="+", default=[500, 501], help="of each family")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--seeds", type=int, default=5, help="runs of each problem")
    parser.add_argument("--first", type=int, default=0, help="the first seed of a run")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    print(f"{'problem':14}" + "".join(f"{name:>12}" for name in given.systems), flush=True)
    rows: list[Row] = []
    spent = dict.fromkeys(given.systems, 0.0)
    with ProcessPoolExecutor(given.jobs) as pool:
        for family, draw in product(given.families, given.draws):
            started = {
                system: [
                    pool.submit(run, family, draw, system, given.trials, given.first + i) for i in range(given.seeds)
                ]
                for system in given.systems
            }
            done = {system: [future.result() for future in futures] for system, futures in started.items()}
            for system, runs in done.items():
                spent[system] += sum(seconds for _, seconds in runs)
            task = TASKS[family](draw)
            row = regrets(task, {system: [value for value, _ in runs] for system, runs in done.items()})
            rows.append(row)
            print(f"{task.name:14}" + "".join(f"{row[name]:12.3g}" for name in given.systems), flush=True)
    trials = len(rows) * given.seeds * given.trials
    print(f"{'ms a trial':14}" + "".join(f"{1e3 * spent[name] / trials:12.3g}" for name in given.systems))
    if "suffice" in given.systems:
        duels(rows, "suffice")


if __name__ == "__main__":
    main()
