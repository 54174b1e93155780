"""Conditional spaces: parameters that are absent from the points where they mean nothing, against the same parameters
always there, against TPE with group=True, and against random search.

    python -m research.benchmarks.conditional                                  # ten problems, five seeds
    python -m research.benchmarks.conditional --problems 100 101 --seeds 3     # of other draws of both families
    python -m research.benchmarks.conditional --systems conditional flattened  # without Optuna
    python -m research.benchmarks.conditional --systems conditional asked tpe  # an objective that asks for parameters

A row has the median regret of the runs of a problem after all evaluations; a problem is won if no other has less.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table
from research.problems import Problem
from research.problems.conditional import boosting, svm
from suffice.space import Listed, Space

Values = list[float]  # of one run, in the order of the evaluations
System = Callable[[Problem, int, int], Values]


def conditional(problem: Problem, n: int, seed: int) -> Values:
    """This library, on the space as it is."""
    return _minimized(problem, problem.native.space, n, seed)


def flattened(problem: Problem, n: int, seed: int) -> Values:
    """This library, with all parameters in every point: the function ignores those that do not matter."""
    return _minimized(problem, flat(problem.native.space), n, seed)


def asked(problem: Problem, n: int, seed: int) -> Values:
    """This library without a space: the objective asks for its parameters, and nobody tells the conditions."""

    def objective(trial: Any) -> float:
        point: dict[str, Any] = {}
        for name, parameter in problem.native.space.params.items():  # parents stand before their children
            if all(point.get(parent) in needed for parent, needed in (parameter.when or {}).items()):
                point[name] = _asked(trial, name, parameter)
        return float(problem.native.function(point))

    return [trial.value for trial in sf.minimize(objective, n_trials=n, seed=seed).trials]


def _asked(trial: Any, name: str, parameter: Any) -> Any:
    if isinstance(parameter, Listed):
        return trial.choice(name, list(parameter.options))
    ask = trial.int if isinstance(parameter, sf.Int) else trial.float
    return ask(name, parameter.low, parameter.high, parameter.log)


def _minimized(problem: Problem, space: Space, n: int, seed: int) -> Values:
    result = sf.minimize(problem.native.function, space, n_trials=n, seed=seed)
    return [trial.value for trial in result.trials]


def flat(space: Space) -> Space:
    """The space without conditions."""
    return Space({name: _always(parameter) for name, parameter in space.params.items()})


def _always(parameter: Any) -> Any:
    return type(parameter)(*parameter.options) if isinstance(parameter, Listed) else replace(parameter, when=None)


def uniform(problem: Problem, n: int, seed: int) -> Values:
    """Independent draws of the conditional space."""
    space = problem.native.space
    return [problem.native.function(point) for point in space.points(space.sample(n, np.random.default_rng(seed)))]


def tpe(problem: Problem, n: int, seed: int) -> Values:
    """Optuna's TPESampler(multivariate=True, group=True), which is made for such spaces, on its own define-by-run."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space, values = problem.native.space, []

    def objective(trial: Any) -> float:
        point: dict[str, Any] = {}
        for name, parameter in space.params.items():  # parents stand before their children in these problems
            if all(point.get(parent) in needed for parent, needed in (parameter.when or {}).items()):
                point[name] = _suggested(trial, name, parameter)
        values.append(problem.native.function(point))
        return values[-1]

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # group and multivariate are experimental
        sampler = optuna.samplers.TPESampler(multivariate=True, group=True, seed=seed)
    optuna.create_study(sampler=sampler).optimize(objective, n_trials=n)
    return values


def _suggested(trial: Any, name: str, parameter: Any) -> Any:
    if isinstance(parameter, Listed):
        return trial.suggest_categorical(name, list(parameter.options))
    suggest = trial.suggest_int if isinstance(parameter, sf.Int) else trial.suggest_float
    return suggest(name, parameter.low, parameter.high, log=parameter.log)


USUAL: Mapping[str, System] = {"conditional": conditional, "flattened": flattened, "tpe": tpe, "random": uniform}
SYSTEMS: Mapping[str, System] = {**USUAL, "asked": asked}
WORDS = {"flattened": "without conditions", "tpe": "Optuna's TPE, `group=True`"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--problems", type=int, nargs="+", default=range(5), metavar="SEED", help="draws of each family"
    )
    parser.add_argument("--families", nargs="+", default=["svm", "boosting"], choices=["svm", "boosting"])
    parser.add_argument("--seeds", type=int, default=5, help="runs of each problem")
    parser.add_argument("--first", type=int, default=0, help="the first seed of a run")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--systems", nargs="+", default=list(USUAL), choices=list(SYSTEMS))
    given = parser.parse_args()
    factories = {"svm": svm, "boosting": boosting}
    problems = [factories[family](seed) for family in given.families for seed in given.problems]
    rows, won = [], dict.fromkeys(given.systems, 0)
    for problem in problems:
        medians = {}
        for name in given.systems:
            runs = (SYSTEMS[name](problem, given.trials, given.first + i) for i in range(given.seeds))
            medians[name] = statistics.median(min(values) - problem.optimum for values in runs)
        best = min(medians, key=medians.__getitem__)
        won[best] += 1
        shown = {name: f"{median:.2g}" for name, median in medians.items()} | {best: f"**{medians[best]:.2g}**"}
        rows.append([problem.name, *(shown[name] for name in given.systems)])
        print(*rows[-1], file=sys.stderr, flush=True)
    rows.append(["the least of all on", *(str(won[name]) for name in given.systems)])
    title = f"Median regret of {given.seeds} runs after {given.trials} evaluations"
    print_table(title, ["problem", *(WORDS.get(name, name) for name in given.systems)], rows)


if __name__ == "__main__":
    main()
