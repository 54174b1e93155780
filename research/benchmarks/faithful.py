"""Is our engine faithful to the paper's method, and how much faster is it? Against the plain reference.

    OMP_NUM_THREADS=1 python -m research.benchmarks.faithful --speed                     # both in turns, 5 minutes
    OMP_NUM_THREADS=1 python -m research.benchmarks.faithful reference.jsonl results.db  # runs made before
    OMP_NUM_THREADS=1 python -m research.benchmarks.faithful --control                   # reference against itself

The first compares time: the main experiment's Uniform and L-BFGS-B cells, the reference and our engine one after the
other. The second compares what was found: `python -m research.benchmarks.reference` makes the first file, `suffice
reproduce main --out DIR` the second, from the same designs, grids and starts. "same" is the share of runs whose first
ten suggestions agree to 1e-4 in the problem's units; the difference of the mean cumulative regrets is in standard
errors of the paired differences over the seeds. The third is what "same" can be at best: the reference against itself,
each point being predicted twice in one call, which changes nothing but the last digits. Finite differences with a step
of 1e-8 make them count.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from research.benchmarks import reference
from suffice.lab.plan import Job, Task
from suffice.lab.results import Results, run_job
from suffice.paper.presets import AUTHORS

FIRST, TOLERANCE = 10, 1e-4


def compare(reference_file: Path, results_file: Path) -> None:
    """One line for each cell."""
    theirs = {}
    for line in reference_file.read_text().splitlines():
        run = json.loads(line)
        theirs[run["problem"], run["method"], run["seed"]] = run
    with Results(results_file) as results:
        ours = {(run.problem, run.method, run.seed): run for run in results.runs("main")}
    print("problem      method       seeds   same  identical  reference     ours   difference in SE")
    for problem in reference.MAIN:
        for method in reference.METHODS:
            keys = [key for key in theirs if key[:2] == (problem, method) and key in ours]
            if not keys:
                continue
            same, whole, pairs = 0, 0, []
            for key in keys:
                distance = np.abs(np.array(theirs[key]["points"]) - np.array(ours[key].points)).max(axis=1)
                same += distance[:FIRST].max() <= TOLERANCE
                whole += distance.max() <= TOLERANCE
                pairs.append((sum(theirs[key]["regrets"]), float(ours[key].cumulative[-1])))
            a, b = np.transpose(pairs)
            error = np.std(b - a, ddof=1) / np.sqrt(len(a)) if len(a) > 1 else np.nan
            score = 0.0 if np.array_equal(a, b) or not error else (b - a).mean() / error
            print(
                f"{problem:12} {method:12} {len(a):5} {same / len(a):6.0%} {whole / len(a):10.0%}"
                f" {a.mean():10.4g} {b.mean():8.4g} {score:+10.2f}"
            )


def speed(seeds: int) -> None:
    """Uniform and L-BFGS-B, both engines in turns, in seconds."""
    totals = np.zeros(2)
    print("problem      method     seed  reference    ours   ratio")
    for seed in range(seeds):
        for problem, (initial, iterations) in reference.MAIN.items():
            for method in AUTHORS[:2]:
                slow = float(str(reference.run(problem, method.name, seed, initial, iterations)["seconds"]))
                trace = run_job(Job("main", Task(problem, initial, iterations), method, seed))
                fast = trace.seconds + sum(row.objective for row in trace.rows)
                totals += slow, fast
                print(f"{problem:12} {method.name:10} {seed:4} {slow:10.2f} {fast:7.2f} {slow / fast:7.1f}", flush=True)
    print(f"{'all':28} {totals[0]:10.2f} {totals[1]:7.2f} {totals[0] / totals[1]:7.1f}")


def control(seeds: int) -> None:
    """The share of runs of the reference whose first ten suggestions survive another rounding."""
    print("problem      method       seeds   same as itself")
    for problem, (initial, _) in reference.MAIN.items():
        for method in reference.METHODS:
            same = 0
            for seed in range(seeds):
                once, again = (
                    np.array(reference.run(problem, method, seed, initial, FIRST, twice)["points"])
                    for twice in (False, True)
                )
                same += np.abs(once - again).max() <= TOLERANCE
            print(f"{problem:12} {method:12} {seeds:5} {same / seeds:10.0%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="reference.jsonl results.db")
    parser.add_argument("--speed", action="store_true", help="compare time instead of what was found")
    parser.add_argument("--control", action="store_true", help="compare the reference with itself")
    parser.add_argument("--seeds", type=int, help="for --speed (1) and --control (10)")
    words = parser.parse_args()
    if words.speed:
        speed(words.seeds or 1)
    elif words.control:
        control(words.seeds or 10)
    elif len(words.files) == 2:
        compare(*words.files)
    else:
        parser.error("give --speed, --control, or the two files reference.jsonl and results.db")


if __name__ == "__main__":
    main()
