"""The hypervolume after 60 evaluations, by several optimizers: python -m research.benchmarks.objectives

    python -m research.benchmarks.objectives --methods suffice random            # those to report on, five seeds
    python -m research.benchmarks.objectives --suite choosing --methods suffice  # those to choose defaults on
    python -m research.benchmarks.objectives --keep runs.jsonl                   # go on where the file ends

The methods optuna-gp and optuna-nsga2 need optuna, the former torch as well; botorch needs botorch, and is told the
reference by which it is measured. Of each problem and method the table has means over the seeds of log10 of the gap:
what is missing of the best known hypervolume, as a share of it, after half of the evaluations and after all; and the
median of milliseconds of the processor between two evaluations. The last lines say on how many problems one method is
ahead of another.
"""

import argparse
import math
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path

from research.benchmarks.kept_runs import Job, Kept, Recorder, made, proposed
from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems.fronts import TradeOff  # noqa: E402
from research.problems.suites import TRADE_OFFS, TRADE_OFFS_CHOOSING  # noqa: E402
from suffice.pareto import hypervolume  # noqa: E402

EVALUATIONS = 60
SUITES = {"report": TRADE_OFFS, "choosing": TRADE_OFFS_CHOOSING}
HEAD = ("problem", "method", "runs", "gap at half", "gap at end", "ms per suggestion")
SMALLEST = 1e-6  # gap that is told from none: best known hypervolumes are not known any better

Method = Callable[[TradeOff, Recorder, int, int], None]  # evaluates n points with a seed


def at_random(problem: TradeOff, f: Recorder, n: int, seed: int) -> None:
    for point in problem.space.points(problem.space.sample(n, np.random.default_rng([seed, 2]))):
        f(point)


def by_suffice(problem: TradeOff, f: Recorder, n: int, seed: int) -> None:
    sf.optimize(f, problem.space, n_trials=n, objectives=dict(problem.objectives), seed=seed)


def by_optuna(sampler: str) -> Method:
    def run(problem: TradeOff, f: Recorder, n: int, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        words = {"deterministic_objective": True} if sampler == "GPSampler" else {}
        study = optuna.create_study(
            directions=list(problem.objectives.values()), sampler=getattr(optuna.samplers, sampler)(seed=seed, **words)
        )

        def objective(trial: optuna.Trial) -> tuple[float, ...]:
            outputs = f(proposed(trial, problem.space))
            return tuple(outputs[name] for name in problem.objectives)

        study.optimize(objective, n_trials=n)

    return run


def by_botorch(problem: TradeOff, f: Recorder, n: int, seed: int) -> None:
    from research.benchmarks import nehvi

    nehvi.run(problem, f, n, seed)


METHODS: dict[str, Method] = {
    "suffice": by_suffice,
    "botorch": by_botorch,
    "optuna-gp": by_optuna("GPSampler"),
    "optuna-nsga2": by_optuna("NSGAIISampler"),
    "random": at_random,
}


def carry_out(job: Job) -> Kept:
    problem = (TRADE_OFFS | TRADE_OFFS_CHOOSING)[job.problem]
    f = Recorder(problem)
    METHODS[job.method](problem, f, job.n, job.seed)
    return f.run(job)


def gap(problem: TradeOff, run: Kept, n: int) -> float:
    """log10 of the share of the best known hypervolume that is missing after n evaluations."""
    Y = np.array([problem.losses(outputs) for outputs in run.outputs[:n]])
    return math.log10(max(1.0 - hypervolume(-Y, -problem.worst) / problem.hypervolume, SMALLEST))


def row(problem: TradeOff, method: str, runs: Sequence[Kept], n: int) -> tuple[object, ...]:
    seconds = statistics.median(s for run in runs for s in run.processor[:n])
    gaps = (f"{statistics.mean(gap(problem, run, at) for run in runs):.2f}" for at in (n // 2, n))
    return (problem.name, method, len(runs), *gaps, f"{1e3 * seconds:.3g}")


def duels(ends: Mapping[tuple[str, str], float], methods: Sequence[str], problems: Sequence[str]) -> None:
    """Prints of each two methods how often one is ahead of the other, in means over the seeds."""
    for ours, other in combinations(methods, 2):
        won = sum(ends[name, ours] < ends[name, other] for name in problems)
        lost = sum(ends[name, ours] > ends[name, other] for name in problems)
        print(f"{ours} against {other}: ahead on {won}, behind on {lost}, equal on {len(problems) - won - lost}")


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
        ends[name, method] = statistics.mean(gap(problem, run, words.evaluations) for run in mine)
    print_table(f"log10 of the gap in hypervolume, {words.evaluations} evaluations, {words.seeds} seeds", HEAD, rows)
    duels(ends, words.methods, list(problems))


if __name__ == "__main__":
    main()
