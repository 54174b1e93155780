"""Trials per second of a study that many processes share, beside Optuna's on the same server, and what that costs.

    python -m research.benchmarks.shared_speed [speed|regret] [trials [workers ...]]

speed: 1, 4 and 16 processes evaluate 400 trials of 50 ms, with suffice and with Optuna's RDB storage and its TPE
and GP samplers (GP needs torch). Trials per second are counted from the first value to the last, so that the start of
processes does not count; the order of the three is drawn anew for each count. CPU is what workers and server used for a
trial, in milliseconds: on a machine with other work it says more than the rate. `age` is how many values older than
the newest the models of suggestions were, when the points were taken up: mean and largest.

regret: 200 trials on three functions by 16 processes that share a study, and by one driver with n_parallel=16, where an
evaluation takes 50 ms: the median over seeds of the best value above the minimum. The last row has the mean over all
pairs of log10 of the ratio, with its 95 % interval (Student's t).

It needs Debian's postgresql and an Optuna; only ratios within one run mean something on a machine that is shared.
"""

import math
import random
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

import suffice as sf
import suffice.run.minimize  # what the forks would import later, each for itself
from research.benchmarks.timing import print_table
from suffice.report.verdict import ages
from tests.servers import PostgreSQL

SECONDS, SEEDS = 0.05, 10
TINY = 1e-15  # a smaller value is a matter of rounding
NAMES = ("x", "y", "z", "w")
PROGRAMS = Path("/usr/lib/postgresql")


def bowl(point: dict[str, float]) -> float:
    """A curved bowl in four dimensions."""
    u = np.array([point[name] for name in NAMES]) - 0.37
    return float(u @ u + 0.3 * u[0] * u[1])


def ripples(point: dict[str, float]) -> float:
    """Rastrigin's function with few ripples."""
    u = 3.0 * (np.array([point[name] for name in NAMES]) - 0.42)
    return float((u**2 + 0.5 * (1 - np.cos(4 * u))).sum())


def valley(point: dict[str, float]) -> float:
    """Rosenbrock's function."""
    u = 3.0 * np.array([point[name] for name in NAMES]) - 1.0
    return float((10 * (u[1:] - u[:-1] ** 2) ** 2 + (1 - u[:-1]) ** 2).sum())


FUNCTIONS = {"bowl": bowl, "ripples": ripples, "valley": valley}
SPACE = dict.fromkeys(NAMES, (0.0, 1.0))


def slow(f: Callable[[Any], float], point: Any) -> float:
    """The function, in 50 ms."""
    time.sleep(SECONDS)
    return f(point)


def ours(place: str, trials: int, name: str, seed: int = 0) -> None:
    """One worker of suffice."""
    f = FUNCTIONS[name]
    sf.minimize(lambda point: slow(f, point), SPACE, trials, storage=place, seed=seed)


def theirs(place: str, trials: int, kind: str) -> None:
    """One worker of Optuna."""
    import optuna
    from optuna.study import MaxTrialsCallback

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler() if kind == "TPE" else optuna.samplers.GPSampler()
    study = optuna.load_study(storage=optuna.storages.RDBStorage(place), study_name="speed", sampler=sampler)

    def f(trial: Any) -> float:
        return slow(bowl, {name: trial.suggest_float(name, 0.0, 1.0) for name in NAMES})

    study.optimize(f, callbacks=[MaxTrialsCallback(trials)])


def together(count: int, target: Callable[..., None], *words: Any) -> None:
    """So many processes, to their end."""
    workers = [get_context("fork").Process(target=target, args=words) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def server() -> PostgreSQL:
    """A new one."""
    folder = sorted(PROGRAMS.glob("*/bin"))[-1]
    return PostgreSQL(str(folder / "initdb"), str(folder / "postgres"))


def speed(kind: str, count: int, trials: int) -> tuple[float, float, str]:
    """Trials per second, milliseconds of processor time for a trial, and how old models were."""
    with server() as there:
        start = used()
        rate, more = rate_of(there, kind, count, trials)
    return rate, 1000 * (used() - start) / trials, more


def used() -> float:
    """Seconds of processor time of all processes that were started and have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def rate_of(there: PostgreSQL, kind: str, count: int, trials: int) -> tuple[float, str]:
    """Trials per second of so many workers, and what is known of their models."""
    if kind == "suffice":
        place = f"{there.address()}?study=speed"
        together(count, ours, place, trials, "bowl")
        with there.connect() as connection:
            query = "SELECT extract(epoch FROM max(at) - min(at)) FROM suffice.events WHERE kind = 'told'"
            took = float(connection.execute(query).fetchone()[0])
        return (trials - 1) / took, age(sf.load(place))
    import optuna

    if kind == "GP":
        import torch  # noqa: F401  else it is missed only after the first random trials
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    place = there.address().replace("postgresql://", "postgresql+psycopg://")
    study = optuna.create_study(storage=optuna.storages.RDBStorage(place), study_name="speed")
    together(count, theirs, place, trials, kind)
    ends = [t.datetime_complete for t in study.trials if t.datetime_complete is not None]
    return (len(ends) - 1) / (max(ends) - min(ends)).total_seconds(), f"{len(ends)} trials"


def age(result: sf.Result) -> str:
    """How many values were there, when a point was taken up, that its model did not know: mean and largest."""
    old = ages(result.history)
    return f"age {np.mean(old):.1f}, at most {max(old)}" if old else ""


def regret(name: str, seed: int, count: int, trials: int, shared: bool) -> float:
    """The best value above the minimum, which is 0."""
    if shared:
        with server() as there:
            place = f"{there.address()}?study=regret"
            together(count, ours, place, trials, name, seed)
            return float(sf.load(place).fun)
    f = FUNCTIONS[name]
    with ThreadPoolExecutor(count) as pool:
        words: dict[str, Any] = {"executor": pool, "n_parallel": count, "seed": seed}
        return float(sf.minimize(lambda point: slow(f, point), SPACE, trials, **words).fun)


def main() -> None:
    """One of the tables."""
    what, *numbers = sys.argv[1:] or ["speed"]
    trials, *counts = [int(number) for number in numbers] or [400 if what == "speed" else 200]
    rows = []
    if what == "speed":
        for count in counts or [1, 4, 16]:
            kinds = ["suffice", "TPE", "GP"]
            random.shuffle(kinds)
            for kind in kinds:
                try:
                    rate, cpu, more = speed(kind, count, trials)
                    rows.append([str(count), kind, f"{rate:.1f}", f"{cpu:.0f}", more])
                except ImportError as error:
                    rows.append([str(count), kind, "", "", str(error)])
                print(*rows[-1], sep="  ", flush=True)
        print_table("Trials per second", ["workers", "", "trials/s", "CPU, ms a trial", ""], rows)
        return
    ratios = []
    for name in FUNCTIONS:
        found: dict[bool, list[float]] = {True: [], False: []}
        for seed in range(SEEDS):
            for shared in (True, False):
                found[shared].append(regret(name, seed, *(counts or [16]), trials, shared))
        ratios += [
            math.log10(max(here, TINY) / max(there, TINY))
            for here, there in zip(found[True], found[False], strict=True)
        ]
        rows.append([name, *(f"{np.median(found[shared]):.2e}" for shared in (True, False))])
        print(*rows[-1], found, sep="  ", flush=True)
    half = scipy.stats.t.ppf(0.975, len(ratios) - 1) * np.std(ratios, ddof=1) / math.sqrt(len(ratios))
    rows.append(["log10 of the ratio", f"{np.mean(ratios):.2f} ± {half:.2f}", ""])
    print_table("Regret", ["function", "16 workers of a shared study", "one driver, n_parallel=16"], rows)


if __name__ == "__main__":
    main()
