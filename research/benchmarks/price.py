"""The price of a suggestion beside Optuna's samplers.

    python -m research.benchmarks.price [--samplers tpe gp] [--asks N]

Milliseconds of an ask and the telling of its value, the evaluation not counted: medians and means over so many asks,
refits included, after n observations, of which half were random points. Spaces are of d real numbers, or of real
numbers, integers and choices in turn. Everything is in one process with one thread, ours and theirs by turns, and the
time is that of the processor; ratios are of medians. `python -m research.benchmarks.latency` takes our own time apart.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402
import optuna  # noqa: E402

import suffice as sf  # noqa: E402

SIZES, DIMENSIONS, KINDS = (100, 400), (2, 6, 20), ("floats", "mixed")
OPTIONS = {"a": 0.0, "b": 0.3, "c": 0.1}
SAMPLERS: dict[str, Callable[[], Any]] = {
    "tpe": lambda: optuna.samplers.TPESampler(seed=0),
    "gp": lambda: optuna.samplers.GPSampler(seed=0),
}
HEAD = ("space", "n", "d", "suffice, median", "mean")


def parameters(kind: str, d: int) -> dict[str, Any]:
    """Real numbers, or real numbers, integers and choices in turn."""
    if kind == "floats":
        return {f"x{j}": sf.Float(0, 1) for j in range(d)}
    makes = (lambda: sf.Float(0, 1), lambda: sf.Int(0, 20), lambda: sf.Choice(*OPTIONS))
    return {f"x{j}": makes[j % 3]() for j in range(d)}


def value(point: dict[str, Any]) -> float:
    """Several basins in the real numbers, one in the integers."""
    total = 0.0
    for x in point.values():
        if isinstance(x, str):
            total += OPTIONS[x]
        elif isinstance(x, int):
            total += (x / 20 - 0.6) ** 2
        else:
            total += (x - 0.3) ** 2 + 0.3 * math.sin(9 * x)
    return total


def timed(ask: Callable[[], tuple[Any, dict[str, Any]]], tell: Callable[[Any, float], object]) -> float:
    """Seconds of the processor for one suggestion and its value."""
    start = time.process_time()
    trial, point = ask()
    asked = time.process_time()
    y = value(point)
    evaluated = time.process_time()
    tell(trial, y)
    return asked - start + time.process_time() - evaluated


def ours(kind: str, d: int, n: int) -> Callable[[], float]:
    """One suggestion of ours after n observations."""
    optimizer = sf.Optimizer(parameters(kind, d), seed=0)
    for x in optimizer.space.sample(n // 2, np.random.default_rng(0)):
        point = optimizer.space.from_unit(x)
        optimizer.tell(point, value(point))

    def ask() -> tuple[Any, dict[str, Any]]:
        trial = optimizer.ask()
        return trial, trial.point

    while len(optimizer.trials) < n:
        timed(ask, optimizer.tell)
    return lambda: timed(ask, optimizer.tell)


def theirs(name: str, kind: str, d: int, n: int) -> Callable[[], float]:
    """One suggestion of a sampler after n observations; those that fill a study cost it nothing."""
    distributions = {key: distribution(p) for key, p in parameters(kind, d).items()}
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for _ in range(n):
        trial = study.ask(distributions)
        study.tell(trial, value(trial.params))
    study.sampler = SAMPLERS[name]()

    def ask() -> tuple[Any, dict[str, Any]]:
        trial = study.ask(distributions)
        return trial, trial.params

    return lambda: timed(ask, study.tell)


def distribution(parameter: Any) -> Any:
    """Optuna's word for a parameter of ours."""
    if isinstance(parameter, sf.Choice):
        return optuna.distributions.CategoricalDistribution(list(OPTIONS))
    if isinstance(parameter, sf.Int):
        return optuna.distributions.IntDistribution(0, 20)
    return optuna.distributions.FloatDistribution(0.0, 1.0)


def row(kind: str, n: int, d: int, samplers: list[str], asks: int) -> list[str]:
    runs = [ours(kind, d, n), *(theirs(name, kind, d, n) for name in samplers)]
    few = [asks, *(max(3, asks // 8) if name == "gp" else asks for name in samplers)]
    spent: list[list[float]] = [[] for _ in runs]
    for i in range(asks):  # by turns: what else the machine does meets all of them
        for run, times, most in zip(runs, spent, few, strict=True):
            if i < most:
                times.append(1e3 * run())
    mine, *others = (statistics.median(times[1:]) for times in spent)
    cells = [kind, str(n), str(d), f"{mine:.1f}", f"{statistics.fmean(spent[0][1:]):.1f}"]
    for median in others:
        cells += [f"{median:.1f}", f"{median / mine:.1f}"]
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samplers", nargs="*", choices=tuple(SAMPLERS), default=["tpe"])
    parser.add_argument("--asks", type=int, default=40)
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    head = [*HEAD, *(word for name in given.samplers for word in (f"Optuna {name.upper()}, median", "times ours"))]
    rows = [row(kind, n, d, given.samplers, given.asks) for kind in KINDS for n in SIZES for d in DIMENSIONS]
    print_table("Milliseconds of a suggestion", head, rows)


if __name__ == "__main__":
    main()
