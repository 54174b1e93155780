"""Optuna's samplers on ten conditional problems: this library's, GPSampler, TPE made for such spaces, and random.

    python -m research.benchmarks.optuna_conditional  # 50 trials, five seeds, two processes
    python -m research.benchmarks.optuna_conditional --families svm --draws 7 8 --seeds 3 --systems suffice tpe
    python -m research.benchmarks.optuna_conditional --keep runs.jsonl  # go on where the file ends

Needs optuna; torch for GPSampler; scikit-learn for the family `learning`. A row has the median regret of a problem's
runs after all trials, and of each rival the last lines say how many problems each one of the two has won.
"""

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

from research.benchmarks.define_by_run import TASKS, Task

Row = dict[str, float]  # system → median regret
Run = tuple[str, int, str, int, int]  # family, draw, system, trials, seed
Done = tuple[float, float]  # the smallest value of a study, and the seconds that it took


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


def run(family: str, draw: int, system: str, n: int, seed: int) -> Done:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study = optuna.create_study(sampler=SYSTEMS[system](seed))
        start = time.perf_counter()
        study.optimize(TASKS[family](draw).objective, n_trials=n)
    return study.best_value, time.perf_counter() - start


def runs_of(wanted: list[Run], pool: ProcessPoolExecutor, keep: Path | None) -> dict[Run, Done]:
    """All of these runs: those that the file has, and new ones, which are added to it."""
    known: dict[Run, Done] = {}
    if keep is not None and keep.exists():
        for line in keep.read_text(encoding="utf-8").splitlines():
            made, done = json.loads(line)
            known[tuple(made)] = tuple(done)
    started = {made: pool.submit(run, *made) for made in wanted if made not in known}
    for made, future in started.items():
        known[made] = future.result()
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps([made, known[made]]) + "\n")
    return known


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
    parser.add_argument("--keep", type=Path, help="a file for the runs, one in a line")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    print(f"{'problem':14}" + "".join(f"{name:>12}" for name in given.systems), flush=True)
    rows: list[Row] = []
    spent = dict.fromkeys(given.systems, 0.0)
    with ProcessPoolExecutor(given.jobs) as pool:
        for family, draw in product(given.families, given.draws):
            wanted = [
                (family, draw, system, given.trials, given.first + i)
                for system in given.systems
                for i in range(given.seeds)
            ]
            found = runs_of(wanted, pool, given.keep)
            values: dict[str, list[float]] = {system: [] for system in given.systems}
            for made in wanted:
                values[made[2]].append(found[made][0])
                spent[made[2]] += found[made][1]
            task = TASKS[family](draw)
            row = regrets(task, values)
            rows.append(row)
            print(f"{task.name:14}" + "".join(f"{row[name]:12.3g}" for name in given.systems), flush=True)
    trials = len(rows) * given.seeds * given.trials
    print(f"{'ms a trial':14}" + "".join(f"{1e3 * spent[name] / trials:12.3g}" for name in given.systems))
    if "suffice" in given.systems:
        duels(rows, "suffice")


if __name__ == "__main__":
    main()
