"""What failures cost.

    python -m research.benchmarks.failures [--seeds N] [--peers] [--aim best|regret] [half | places | random]

half      a square, half of which fails, with the trend leading into it: two objectives, 60 trials
places    other laws of place, a choice and integers among them, in one to six dimensions, 60 trials; those whose name
          begins with a capital were looked at when the numbers of belief.py and ask/models.py were
          chosen, the others were not
random    failures that have nothing to do with the point, and none: Hartmann6, 90 trials, and Branin, 60

"Failing" is the share of the suggestions after the first 15 that fail. The regret is that against the best point that
can be evaluated, as a median over the seeds. With --peers Optuna's samplers run beside, if Optuna is installed.
"""

import argparse
import math
import statistics
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import logging  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import find  # noqa: E402
from suffice.space import as_space  # noqa: E402

TRIALS, FIRST = 60, 15
RATES = (0.0, 0.03, 0.1, 0.2)
FAR = 0.01  # of Hartmann6: a run that ends above it is most often in the second-best basin
HEAD = ("problem", "method", "failing suggestions after the first 15", "median regret against the best that works")
BY_CHANCE = ("function", "method", "evaluations that fail", "median regret", f"runs that end above {FAR}")


class Place(NamedTuple):
    """An objective that cannot be evaluated everywhere."""

    space: Any
    function: Callable[[Any], float]
    fails: Callable[[Any], bool]
    best: float  # of what can be evaluated


def bowl(*centre: float) -> Callable[[Any], float]:
    return lambda x: float(np.sum((np.asarray(x) - np.array(centre)) ** 2))


def square(d: int) -> list[tuple[float, float]]:
    return [(0.0, 1.0)] * d


BRANIN, HARTMANN = find("branin"), find("hartmann6")
OPTIONS = {"a": 0.0, "b": 0.5, "c": 0.3, "d": 0.8}

HALF = {
    "a bowl": Place(square(2), bowl(0.9, 0.3), lambda x: x[0] > 0.5, 0.16),
    "a slope": Place(square(2), lambda x: float(-x[0] + 0.3 * math.sin(6 * x[1])), lambda x: x[0] > 0.5, -0.8),
}
PLACES = {
    "A diagonal, d = 2": Place(
        square(2),
        lambda x: float(-2 * x[0] - x[1] + 0.3 * math.sin(5 * x[0])),
        lambda x: x[0] + x[1] > 1.1,
        -2.3876772,
    ),
    "A disc, Branin": Place(
        BRANIN.bounds, BRANIN, lambda x: (x[0] - 2.5) ** 2 + (x[1] - 7.5) ** 2 > 30, BRANIN.optimum
    ),
    "A half, d = 4": Place(square(4), bowl(0.8, 0.3, 0.5, 0.6), lambda x: x[0] > 0.5, 0.09),
    "A hole around the optimum": Place(
        square(2), bowl(0.4, 0.6), lambda x: float(np.sum((np.asarray(x) - [0.4, 0.6]) ** 2)) < 0.03, 0.03
    ),
    "An option of four": Place(
        {"o": sf.Choice(*OPTIONS), "x": (0.0, 1.0), "y": (0.0, 1.0)},
        lambda p: OPTIONS[p["o"]] + (p["x"] - 0.3) ** 2 + (p["y"] - 0.6) ** 2,
        lambda p: p["o"] == "a",
        0.3,
    ),
    "line, d = 1": Place(
        square(1), lambda x: float(-x[0] + 0.2 * math.sin(12 * x[0])), lambda x: x[0] > 0.7, -0.61032556955
    ),
    "corner, d = 3": Place(square(3), bowl(0.9, 0.8, 0.7), lambda x: float(np.sum(x)) > 1.8, 0.12),
    "slab, d = 4": Place(square(4), bowl(0.95, 0.3, 0.5, 0.6), lambda x: abs(x[0] - 0.4) > 0.2, 0.35**2),
    "memory, two integers": Place(
        {"batch": sf.Int(1, 256, log=True), "width": sf.Int(8, 512, log=True), "lr": (-1.0, 1.0)},
        lambda p: -math.log(p["batch"]) - 0.5 * math.log(p["width"]) + p["lr"] ** 2,
        lambda p: p["batch"] * p["width"] > 8000,
        -math.log(256) - 0.5 * math.log(31),
    ),
    "two choices": Place(
        {"a": sf.Choice(1, 2, 3), "b": sf.Choice("u", "v", "w"), "x": (0.0, 1.0)},
        lambda p: -p["a"] + {"u": 0.0, "v": -0.5, "w": -1.0}[p["b"]] + (p["x"] - 0.4) ** 2,
        lambda p: p["a"] == 3 and p["b"] != "u",
        -3.0,
    ),
    "quadrant, Hartmann6": Place(HARTMANN.bounds, HARTMANN, lambda x: x[0] > 0.5 and x[1] > 0.5, HARTMANN.optimum),
    "a side that does not matter": Place(
        square(3), lambda x: float((x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2), lambda x: x[2] > 0.5, 0.0
    ),
}

Method = Callable[[Any, Callable[[Any], float], int, int], list[tuple[float, bool]]]  # (value, failed) of every trial


def by_suffice(**words: Any) -> Method:
    def run(space: Any, f: Callable[[Any], float], n: int, seed: int) -> list[tuple[float, bool]]:
        result = sf.minimize(f, space, n, seed=seed, **words)
        return [(math.inf if t.value is None else t.value, t.state == "failed") for t in result.trials]

    return run


def by_optuna(name: str) -> Method:
    """One of Optuna's samplers; None says to it that a trial failed."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def run(space: Any, f: Callable[[Any], float], n: int, seed: int) -> list[tuple[float, bool]]:
        whole = as_space(space)
        study = optuna.create_study(sampler=getattr(optuna.samplers, name)(seed=seed))
        told = []
        for _ in range(n):
            trial = study.ask()
            values = {name: _suggested(trial, name, parameter) for name, parameter in whole.params.items()}
            value = f(values if whole.named else np.array(list(values.values())))
            failed = math.isnan(value)
            study.tell(trial, None if failed else value, state=optuna.trial.TrialState.FAIL if failed else None)
            told.append((math.inf if failed else value, failed))
        return told

    return run


def _suggested(trial: Any, name: str, parameter: Any) -> Any:
    match parameter:
        case sf.Choice():
            return trial.suggest_categorical(name, list(parameter.options))
        case sf.Int():
            return trial.suggest_int(name, parameter.low, parameter.high, log=parameter.log)
    return trial.suggest_float(name, parameter.low, parameter.high, log=parameter.log)


def placed(places: dict[str, Place], methods: dict[str, Method], seeds: int) -> Iterator[tuple[str, ...]]:
    for name, place in places.items():
        for called, method in methods.items():

            def f(x: Any, place: Place = place) -> float:
                return math.nan if place.fails(x) else place.function(x)

            runs = [method(place.space, f, TRIALS, seed) for seed in range(seeds)]
            failing = statistics.fmean(failed for run in runs for _, failed in run[FIRST:])
            regret = statistics.median(min(value for value, _ in run) - place.best for run in runs)
            yield name, called, f"{100 * failing:.1f} %", f"{regret:.1e}"


def by_chance(methods: dict[str, Method], seeds: int) -> Iterator[tuple[str, ...]]:
    for problem, n in ((HARTMANN, 90), (BRANIN, 60)):
        for rate in RATES:
            for called, method in methods.items():
                regrets = []
                for seed in range(seeds):
                    rng = np.random.default_rng([seed, 7, int(1000 * rate)])

                    def f(x: Any, rng: Any = rng, rate: float = rate, problem: Any = problem) -> float:
                        return math.nan if rng.random() < rate else problem(x)

                    regrets.append(min(v for v, _ in method(problem.bounds, f, n, seed)) - problem.optimum)
                above = f"{sum(regret > FAR for regret in regrets)} of {seeds}"
                yield problem.name, called, f"{100 * rate:.0f} %", f"{statistics.median(regrets):.1e}", above


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=["half", "places", "random", []], default=[])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--aim", choices=["best", "regret"], action="append")
    options = parser.parse_args()
    logging.getLogger("suffice").setLevel(logging.ERROR)
    methods = {f'`aim="{aim}"`': by_suffice(aim=aim) for aim in options.aim or ("best", "regret")}
    if options.peers:
        methods |= {f"Optuna {name}": by_optuna(name) for name in ("GPSampler", "TPESampler")}
    for table in options.tables or ("half", "places", "random"):
        places = {"half": HALF, "places": PLACES}.get(table)
        found = by_chance(methods, options.seeds) if places is None else placed(places, methods, options.seeds)
        print_table(f"{table}, {options.seeds} seeds", BY_CHANCE if places is None else HEAD, list(found))


if __name__ == "__main__":
    main()
