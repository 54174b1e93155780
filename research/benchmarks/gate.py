"""What exploring costs and finds: python -m research.benchmarks.gate [waste | failing | basins] [--first S] [--seeds N]

waste      functions with one basin, 60 trials, alone and with two and four pending: of the evaluations after the 20th,
           how many are worse than the median of the initial design, and how many of these lie within 3 % of each range
           of an earlier one that was as bad
failing    squares and cubes a part of which fails, with the trend leading into it, 45 trials: suggestions after the
           15th that fail, and the regret against the best that works
basins     Hartmann6, Shekel10, Styblinski–Tang, Levy: how often the best point descends to another minimum

All instances are drawn with the seeds S … S + N − 1: those from 1000 on were never looked at when a default was chosen.
"""

import argparse
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402
from scipy.optimize import minimize as descend  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import find  # noqa: E402
from research.problems.fresh import FRESH  # noqa: E402
from suffice.space import as_space  # noqa: E402

EXPLORING = ("explore", "look elsewhere")  # the kinds of steps that leave the best basin, of this version and of 0.1.0
LATE, EDGE = 20, 15  # trials that are left out
BESIDE = 0.03  # of each range
BASINS = {"hartmann6": 100, "shekel10": 80, "styblinski_tang4": 80, "levy5": 80}  # and trials
RIGHT = 1e-3  # of the typical distance of a random value from the best one: in the right basin a descent ends below it


class Objective(NamedTuple):
    space: Any
    function: Callable[[Any], float]


def machine(seed: int) -> Objective:
    """A rate on a log scale and an integer, as f = log(a)² + |n − 9|/20."""
    rng = np.random.default_rng([seed, 21])
    a, n, c = 10.0 ** rng.uniform(-2, 2), int(rng.integers(3, 18)), rng.uniform(0.02, 0.1)
    space = sf.Space(a=sf.Float(1e-3, 1e3, log=True), n=sf.Int(1, 20))
    return Objective(space, lambda p: math.log(p["a"] / a) ** 2 + c * abs(p["n"] - n))


def bowl(seed: int, dim: int) -> Objective:
    problem = FRESH[f"fresh_ellipsoid{dim}d"](seed)
    return Objective(as_space(problem.bounds), problem)


def absolute(seed: int) -> Objective:
    """A kink at the minimum."""
    best = np.random.default_rng([seed, 22]).uniform(0.1, 0.9, 2)
    return Objective(as_space([(0.0, 1.0)] * 2), lambda x: float(np.sum(np.abs(np.asarray(x) - best))))


ONE_BASIN: dict[str, Callable[[int], Objective]] = {
    "log and integer": machine,
    "bowl, 2": lambda seed: bowl(seed, 2),
    "bowl, 4": lambda seed: bowl(seed, 4),
    "kink": absolute,
}


def driven(objective: Objective, seed: int, trials: int, pending: int) -> list[sf.Trial]:
    """The trials of a run in which the oldest of the pending points is told first."""
    optimizer, waiting = sf.Optimizer(objective.space, seed=seed), []
    for _ in range(trials):
        waiting.append(optimizer.ask())
        if len(waiting) > pending:
            first = waiting.pop(0)
            optimizer.tell(first, objective.function(first.point))
    for trial in waiting:
        optimizer.tell(trial, objective.function(trial.point))
    return list(optimizer.trials)


def kind(trial: sf.Trial) -> str | None:
    return None if trial.solve is None else trial.solve.kind


def wasted(seeds: range) -> None:
    rows = []
    for name, make in ONE_BASIN.items():
        for pending in (0, 2, 4):
            improving, later, beside, count = [], [], 0, 0
            for seed in seeds:
                trials = driven(make(seed), seed, 60, pending)
                median = np.median([t.value for t in trials if t.origin == "design"])
                bad: list[Any] = []
                for trial in trials:
                    if kind(trial) is None:
                        continue
                    is_bad = trial.value > median
                    if trial.number >= LATE:
                        (improving if kind(trial) not in EXPLORING else later).append(is_bad)
                    if is_bad:
                        count += 1
                        beside += any(np.all(np.abs(trial.unit - other) < BESIDE) for other in bad)
                        bad.append(trial.unit)
            total = len(improving) + len(later)
            shares = [f"{100 * sum(x) / max(1, y):.1f} %" for x, y in ((improving, len(improving)), (later, total))]
            rows.append((name, pending, len(seeds), *shares, f"{beside} of {count}"))
    head = ("objective", "pending", "runs", "bad of those not exploring", "exploring and bad, of all late", "repeated")
    print_table("Evaluations after the 20th worse than the median of the initial design", head, rows)


def cut(seed: int, dim: int) -> tuple[Objective, float]:
    """−a·x, failing where a·x is above a level: the best is on the whole edge."""
    a = np.random.default_rng([seed, 23, dim]).uniform(0.5, 1.5, dim)
    level = 0.5 * float(a.sum())
    space = as_space([(0.0, 1.0)] * dim)
    return Objective(space, lambda x: -float(a @ x) if a @ x <= level else math.nan), -level


def wall(seed: int, dim: int) -> tuple[Objective, float]:
    """A bowl whose centre is behind a wall."""
    rng = np.random.default_rng([seed, 24, dim])
    centre = np.append(rng.uniform(0.65, 0.95), rng.uniform(0.2, 0.8, dim - 1))
    edge = float(rng.uniform(0.35, 0.6))
    space = as_space([(0.0, 1.0)] * dim)

    def f(x: Any) -> float:
        return float(np.sum((np.asarray(x) - centre) ** 2)) if x[0] <= edge else math.nan

    return Objective(space, f), float((centre[0] - edge) ** 2)


def failing(seeds: range) -> None:
    rows = []
    for name, make, dim in (("cut", cut, 2), ("cut", cut, 3), ("wall", wall, 2), ("wall", wall, 4)):
        shares, regrets = [], []
        for seed in seeds:
            objective, best = make(seed, dim)
            result = sf.minimize(objective.function, objective.space, 45, seed=seed)
            shares.append(np.mean([t.state == "failed" for t in result.trials[EDGE:]]))
            regrets.append(result.fun - best)
        numbers = f"{100 * np.mean(shares):.1f} %", f"{np.median(regrets):.1e}", f"{np.mean(regrets):.1e}"
        rows.append((f"{name}, {dim}", len(seeds), *numbers))
    head = ("objective", "runs", "suggestions that fail after the 15th", "median regret", "mean regret")
    print_table("Evaluations that fail beyond an edge", head, rows)


def basins(seeds: range) -> None:
    rows = []
    for name, trials in BASINS.items():
        problem = find(name)
        low, high = np.array(problem.bounds).T
        draws = low + (high - low) * np.random.default_rng(0).random((10_000, len(low)))
        typical = float(np.median([problem(x) for x in draws])) - problem.optimum
        wrong, regrets = 0, []
        for seed in seeds:
            result = sf.minimize(problem, problem.bounds, trials, seed=seed)
            end = descend(problem, result.x, method="L-BFGS-B", bounds=problem.bounds, options={"maxls": 50})
            wrong += bool(min(end.fun, result.fun) - problem.optimum > RIGHT * typical)
            regrets.append((result.fun - problem.optimum) / typical)
        median = f"{np.median(regrets):.1e}"
        rows.append((name, trials, len(seeds), wrong, f"{np.mean(regrets):.4f}", median))
    print_table(
        "Runs that end in a wrong basin", ("function", "trials", "runs", "wrong", "mean regret", "median"), rows
    )


PARTS: dict[str, Callable[[range], None]] = {"waste": wasted, "failing": failing, "basins": basins}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), choices=[*PARTS, []], metavar="part")
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--seeds", type=int, default=10)
    words = parser.parse_args()
    for part in words.parts or PARTS:
        PARTS[part](range(words.first, words.first + words.seeds))


if __name__ == "__main__":
    main()
