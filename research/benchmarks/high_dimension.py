"""Many parameters: regret by several optimizers, and the time and memory of an ask.

    python -m research.benchmarks.high_dimension
    python -m research.benchmarks.high_dimension                          # the problems to report on, five seeds
    python -m research.benchmarks.high_dimension --suite choosing         # those on which defaults are chosen
    python -m research.benchmarks.high_dimension --keep runs.jsonl        # what is in the file is not run again
    python -m research.benchmarks.high_dimension --asks                   # milliseconds and memory of an ask instead

Beside the default there are longer and shorter searches, a region, more patience and LogEI, which the default was
chosen from. The optuna methods need optuna 5, the first one torch and the last one cmaes as well. Of each problem and
method the first table has medians over the seeds: the regret after a half and after all of the evaluations, and
milliseconds of the processor between two evaluations. Of the Lasso, whose smallest value is not known, the regret is
the error itself.
"""

import argparse
import resource
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from research.benchmarks.kept_runs import Job, Kept, Recorder, made
from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS, Problem, find  # noqa: E402
from research.problems.wide import ellipsoid, hidden  # noqa: E402

# Each with its number of evaluations. Of a family that a seed draws, the seed of the run is that of the problem.
REPORT = {
    "hartmann6_in100d": 120,
    "levy20": 200,
    "ackley50": 200,
    "rosenbrock20": 200,
    "ellipsoid40d": 200,
    "lasso180d": 200,
}
CHOOSING = {
    "branin_in60d": 120,
    "griewank30": 200,
    "styblinski_tang30": 200,
    "sphere60d": 200,
    "dixon_price25": 200,
    "michalewicz20": 200,
    "hartmann6_in60d": 120,
}
SUITES = {"report": REPORT, "choosing": CHOOSING}
FAMILIES: dict[str, Callable[[int], Problem]] = {
    "branin_in60d": lambda seed: hidden(PROBLEMS["branin"], seed, 60),
    "hartmann6_in60d": lambda seed: hidden(PROBLEMS["hartmann6"], seed, 60),
    "sphere60d": lambda seed: ellipsoid(seed, 60, condition=1.0),
}
HEAD = ("problem", "method", "runs", "regret at half", "regret at end", "ms per suggestion")
SIZES = ((100, 200), (1000, 100), (1000, 300))  # d and n of an ask
ASKS = 15

Method = Callable[[Problem, Recorder, int, int], None]  # evaluates n points with a seed


def problem_of(name: str, seed: int) -> Problem:
    """The problem of a run."""
    if name in FAMILIES:
        return FAMILIES[name](seed)
    return find(f"{name}{seed}" if name.endswith("d") else name)


def at_random(problem: Problem, f: Recorder, n: int, seed: int) -> None:
    low, high = np.transpose(problem.bounds)
    for x in np.random.default_rng([seed, 2]).uniform(low, high, (n, problem.dim)):
        f(x)


def by_suffice(**parts: Any) -> Method:
    def run(problem: Problem, f: Recorder, n: int, seed: int) -> None:
        sf.minimize(lambda x: f(x)["value"], list(problem.bounds), n, seed=seed, **parts)

    return run


def by_optuna(sampler: str, **words: Any) -> Method:
    def run(problem: Problem, f: Recorder, n: int, seed: int) -> None:
        import optuna

        if sampler == "GPSampler":
            import torch

            torch.set_num_threads(1)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study = optuna.create_study(sampler=getattr(optuna.samplers, sampler)(seed=seed, **words))
        box = list(enumerate(problem.bounds))
        study.optimize(lambda trial: f([trial.suggest_float(f"x{i}", *ends) for i, ends in box])["value"], n_trials=n)

    return run


ONE_BATCH = sf.solvers.Adaptive(cap=1)
METHODS: dict[str, Method] = {
    "suffice": by_suffice(),
    "longer": by_suffice(solver=sf.solvers.Adaptive()),
    "twice": by_suffice(solver=sf.solvers.Adaptive(cap=2)),
    "shorter": by_suffice(solver=ONE_BATCH),
    "region": by_suffice(solver=sf.solvers.Region(ONE_BATCH, failures=10)),
    "patient": by_suffice(solver=ONE_BATCH, acquisition=sf.acquisition.LookAround(patience=5)),
    "LogEI": by_suffice(solver=ONE_BATCH, acquisition=sf.LogEI()),
    "optuna-gp": by_optuna("GPSampler", deterministic_objective=True),
    "optuna-tpe": by_optuna("TPESampler"),
    "optuna-cmaes": by_optuna("CmaEsSampler"),
    "random": at_random,
}


def carry_out(job: Job) -> Kept:
    problem = problem_of(job.problem, job.seed)
    f = Recorder(lambda x: {"value": problem(x)})
    METHODS[job.method](problem, f, job.n, job.seed)
    return f.run(job)


def row(name: str, method: str, runs: Sequence[Kept], n: int) -> tuple[object, ...]:
    def regret(at: int) -> str:
        best = [min(o["value"] for o in run.outputs[:at]) - problem_of(name, run.seed).optimum for run in runs]
        return f"{statistics.median(best):.3g}"

    seconds = statistics.median(s for run in runs for s in run.processor[:n])
    return name, method, len(runs), regret(n // 2), regret(n), f"{1e3 * seconds:.3g}"


def compare(words: argparse.Namespace) -> None:
    suite = SUITES[words.suite]
    names = words.problems or list(suite)
    seeds = range(words.first, words.first + words.seeds)
    # seed by seed, so that what is there after an hour is of all problems
    jobs = [Job(p, m, seed, suite[p]) for seed, p, m in product(seeds, names, words.methods)]
    runs = made(jobs, carry_out, words.keep, 1)
    rows = [
        row(name, method, [run for run in runs if (run.problem, run.method) == (name, method)], suite[name])
        for name, method in product(names, words.methods)
    ]
    print_table(f"Many parameters, {words.seeds} seeds", HEAD, rows)


def asks() -> None:
    """Time and memory of an ask after n random points and a few that were asked for, a fit in between included."""
    rows = []
    for d, n in SIZES:
        centre = np.random.default_rng(0).uniform(0.2, 0.8, d)
        optimizer = sf.Optimizer([(0.0, 1.0)] * d, seed=0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for x in np.random.default_rng(1).random((n, d)):
            optimizer.tell(x, float(np.sum((x - centre)[:10] ** 2)))
        times = []
        for _ in range(ASKS):
            start = time.process_time()
            trial = optimizer.ask()
            times.append(1e3 * (time.process_time() - start))
            optimizer.tell(trial, float(np.sum((np.asarray(trial.point) - centre)[:10] ** 2)))
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        rows.append(
            (d, n, f"{times[0]:.0f}", f"{statistics.median(times):.0f}", f"{max(times[1:]):.0f}", f"{more:.0f}")
        )
    head = ("d", "n", "first ask, ms", "median, ms", "longest other, ms", "memory, MB more")
    print_table(f"Asks in many dimensions, {ASKS} each", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="problem", help="of the suite (default: all)")
    parser.add_argument("--suite", choices=list(SUITES), default="report")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=["suffice", "random"])
    parser.add_argument("--seeds", type=int, default=5, help="runs of each method on each problem (default: 5)")
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds (default: 0)")
    parser.add_argument("--keep", type=Path, help="a file for the runs, one in a line")
    parser.add_argument("--asks", action="store_true", help="time and memory of asks instead")
    words = parser.parse_args()
    if words.asks:
        asks()
    else:
        compare(words)


if __name__ == "__main__":
    main()
