"""The paper's experiment once more, plainly, on scikit-learn's GP and SciPy's minimizers: what our engine is held to.

Written from the description of the authors' method, with nothing of suffice in the loop but the test functions and
the random streams: the same initial designs, the same grids and the same starts as `suffice reproduce main` gives
its methods, so that both can be compared point by point.

    OMP_NUM_THREADS=1 python -m research.benchmarks.reference --seeds 20 --out reference.jsonl  # 3 h on one core

One line of JSON for each run; runs that are in the file already are not repeated.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

from research.problems import PROBLEMS
from suffice.streams import Streams
from suffice.types import Array

# problem -> initial points and iterations of the main experiment
MAIN = {
    "branin": (20, 80),
    "rastrigin3": (30, 100),
    "hartmann3": (30, 100),
    "hartmann4": (40, 120),
    "levy5": (50, 150),
    "hartmann6": (60, 200),
}
METHODS = ("uniform", "lbfgsb", "nelder_mead", "cg")
DESIGN_SEED = 20252026
RESTARTS, TOLERANCE = 10, 0.01


def design(low: Array, high: Array, n: int, seed: int) -> Array:
    """Scrambled Sobol points, (n, d); their balance needs a power of two, which the authors did not use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return qmc.scale(qmc.Sobol(len(low), scramble=True, seed=DESIGN_SEED + seed).random(n), low, high)


def best_of_grid(ucb: Callable[[Array], Array], low: Array, high: Array, t: int, rng: np.random.Generator) -> Array:
    """The best of 100 t uniform points, t from 1."""
    points = low + (high - low) * rng.random((100 * t, len(low)))
    return points[np.argmax(ucb(points))]


def best_of_restarts(
    method: str, ucb: Callable[[Array], Array], low: Array, high: Array, rng: np.random.Generator
) -> Array:
    """The best end of ten local searches with finite differences; those that SciPy calls failed are dropped."""
    d = len(low)
    kind, options, bounds = {
        "lbfgsb": ("L-BFGS-B", {"gtol": TOLERANCE, "maxiter": 200 * d}, np.column_stack([low, high])),
        "nelder_mead": ("Nelder-Mead", {"xatol": TOLERANCE, "fatol": TOLERANCE}, None),
        "cg": ("CG", {"gtol": TOLERANCE, "maxiter": 200 * d}, None),
    }[method]

    def objective(x: Array) -> float:
        inside = x if bounds is not None else np.clip(x, low, high)
        return -float(ucb(inside[None])[0])

    ends, values, kept = [], [], []
    for start in low + (high - low) * rng.random((RESTARTS, d)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = minimize(objective, start, method=kind, bounds=bounds, options=options)
        ends.append(np.clip(found.x, low, high))
        values.append(-objective(ends[-1]))
        kept.append(bool(found.success))
    values = np.where(kept, values, -np.inf) if any(kept) else np.array(values)
    return ends[int(np.argmax(values))]


def run(
    problem_name: str, method: str, seed: int, initial: int, iterations: int, twice: bool = False
) -> dict[str, object]:
    """One run: its regrets, its suggestions and its time; `twice` predicts every point twice, and rounds otherwise."""
    problem, streams = PROBLEMS[problem_name], Streams(seed)
    low, high = np.transpose(problem.bounds)
    X = design(low, high, initial, seed)
    y = problem.optimum - problem.values(X)  # maximized, the maximum is 0
    gp = GaussianProcessRegressor(Matern(nu=1.5), alpha=1e-4)
    start = time.perf_counter()
    for t in range(1, iterations + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gp.fit(X, y)
        beta = np.sqrt(np.log(t + 1))

        def ucb(points: Array, beta: float = beta) -> Array:
            mean, std = gp.predict(np.vstack([points, points]) if twice else points, return_std=True)
            return (mean + beta * std)[: len(points)]

        rng = streams("solver", len(y))
        if method == "uniform":
            x = best_of_grid(ucb, low, high, t, rng)
        else:
            x = best_of_restarts(method, ucb, low, high, rng)
        X, y = np.vstack([X, x]), np.append(y, problem.optimum - problem(x))
    return {
        "problem": problem_name,
        "method": method,
        "seed": seed,
        "seconds": time.perf_counter() - start,
        "regrets": (-y[initial:]).tolist(),
        "points": X[initial:].tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--problems", nargs="*", default=list(MAIN))
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--out", type=Path, default=Path("reference.jsonl"))
    words = parser.parse_args()
    done = set()
    if words.out.exists():
        lines = [json.loads(line) for line in words.out.read_text().splitlines()]
        done = {(line["problem"], line["method"], line["seed"]) for line in lines}
    wanted = [(p, m, s) for s in range(words.seeds) for p in words.problems for m in words.methods]
    with ProcessPoolExecutor(words.jobs) as pool:
        futures = [pool.submit(run, p, m, s, *MAIN[p]) for p, m, s in wanted if (p, m, s) not in done]
        for future in as_completed(futures):
            line = future.result()
            with words.out.open("a") as file:
                file.write(json.dumps(line) + "\n")
            cell = f"{line['problem']:12} {line['method']:12} seed {line['seed']:2}"
            print(f"{cell}  {sum(line['regrets']):10.4g}  {line['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
