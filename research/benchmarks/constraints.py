"""The best value within limits after 60 evaluations, by several optimizers: python -m research.benchmarks.constraints

    python -m research.benchmarks.constraints --methods suffice random            # those to report on, five seeds
    python -m research.benchmarks.constraints --suite choosing --methods suffice  # those to choose defaults on
    python -m research.benchmarks.constraints --keep runs.jsonl                   # go on where the file ends

The methods optuna-gp and optuna-tpe need optuna 5, the former torch as well. Of each problem and method the table has
medians over the seeds: how far the best value within the limits is above the best known one, after half of the
evaluations and after all; how many evaluations were within the limits; and milliseconds of the processor between two
evaluations. The last lines say on how many problems one method is ahead of another.
"""

import argparse
import math
import statistics
import warnings
from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path

from research.benchmarks.kept_runs import Job, Kept, Recorder, made, proposed
from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems.constrained import Constrained  # noqa: E402
from research.problems.suites import CONSTRAINED, CONSTRAINED_CHOOSING  # noqa: E402

EVALUATIONS = 60
SUITES = {"report": CONSTRAINED, "choosing": CONSTRAINED_CHOOSING}
HEAD = ("problem", "method", "runs", "gap at half", "gap at end", "feasible", "ms per suggestion")
ALIKE = 1e-9  # of the optimum: differences below are rounding

Method = Callable[[Constrained, Recorder, int, int], None]  # evaluates n points with a seed


def at_random(problem: Constrained, f: Recorder, n: int, seed: int) -> None:
    for point in problem.space.points(problem.space.sample(n, np.random.default_rng([seed, 2]))):
        f(point)


def by_suffice(problem: Constrained, f: Recorder, n: int, seed: int) -> None:
    limits = {one.name: (sf.AtMost if one.at_most else sf.AtLeast)(one.limit) for one in problem.limits}
    sf.minimize(f, problem.space, n, constraints=limits, seed=seed)


def by_optuna(sampler: str) -> Method:
    def run(problem: Constrained, f: Recorder, n: int, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        words = {"deterministic_objective": True} if sampler == "GPSampler" else {}
        study = optuna.create_study(sampler=getattr(optuna.samplers, sampler)(seed=seed, **words))

        def objective(trial: optuna.Trial) -> float:
            outputs = f(proposed(trial, problem.space))
            for one in problem.limits:
                beyond = outputs[one.name] - one.limit
                trial.set_constraint(one.name, beyond if one.at_most else -beyond)
            return outputs["value"]

        study.optimize(objective, n_trials=n)

    return run


METHODS: dict[str, Method] = {
    "suffice": by_suffice,
    "optuna-gp": by_optuna("GPSampler"),
    "optuna-tpe": by_optuna("TPESampler"),
    "random": at_random,
}


def carry_out(job: Job) -> Kept:
    problem = (CONSTRAINED | CONSTRAINED_CHOOSING)[job.problem]
    f = Recorder(problem)
    METHODS[job.method](problem, f, job.n, job.seed)
    return f.run(job)


def shortfall(problem: Constrained, run: Kept, n: int) -> float:
    """How far the best value within the limits is above the best known one after n evaluations; inf without any."""
    values = [o["value"] for o in run.outputs[:n] if problem.feasible(o)]
    return max(min(values, default=math.inf) - problem.optimum, 0.0)


def row(problem: Constrained, method: str, runs: Sequence[Kept], n: int) -> tuple[object, ...]:
    within = statistics.mean(float(problem.feasible(o)) for run in runs for o in run.outputs[:n])
    seconds = statistics.median(s for run in runs for s in run.processor[:n])
    short = (statistics.median([shortfall(problem, run, at) for run in runs]) for at in (n // 2, n))
    shown = ("none within" if math.isinf(number) else f"{number:.3g}" for number in short)
    return (problem.name, method, len(runs), *shown, f"{100 * within:.0f} %", f"{1e3 * seconds:.3g}")


def duels(ends: dict[tuple[str, str], float], methods: Sequence[str], problems: dict[str, Constrained]) -> None:
    """Prints of each two methods how often one is ahead of the other, in medians over the seeds."""
    for ours, other in combinations(methods, 2):
        pairs = [(ends[name, ours], ends[name, other], ALIKE * abs(p.optimum)) for name, p in problems.items()]
        won = sum(a < b - least for a, b, least in pairs)
        lost = sum(b < a - least for a, b, least in pairs)
        print(f"{ours} against {other}: ahead on {won}, behind on {lost}, equal on {len(pairs) - won - lost}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="problem", help="of the suite (default: all)")
    parser.add_argument("--suite", choices=list(SUITES), default="report")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=5, help="runs of each method on each problem (default: 5)")
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds (default: 0)")
    parser.add_argument("--evaluations", type=int, default=EVALUATIONS)
    parser.add_argument("--keep", type=Path, help="a file for the runs, one in a line")
    parser.add_argument("--processes", type=int, default=1)
    words = parser.parse_args()
    suite = SUITES[words.suite]
    problems = {name: suite[name] for name in words.problems or suite}
    seeds = range(words.first, words.first + words.seeds)
    # seed by seed, so that what is there after an hour is of all problems
    jobs = [Job(p, m, seed, words.evaluations) for seed, p, m in product(seeds, problems, words.methods)]
    runs = made(jobs, carry_out, words.keep, words.processes)
    rows, ends = [], {}
    for (name, problem), method in product(problems.items(), words.methods):
        mine = [run for run in runs if run.problem == name and run.method == method]
        rows.append(row(problem, method, mine, words.evaluations))
        ends[name, method] = statistics.median([shortfall(problem, run, words.evaluations) for run in mine])
    print_table(f"Within the limits, {words.evaluations} evaluations, {words.seeds} seeds", HEAD, rows)
    duels(ends, words.methods, problems)


if __name__ == "__main__":
    main()
