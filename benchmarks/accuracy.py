"""Calibration, certificate and effort: python -m benchmarks.accuracy [--quick] [--seeds N] [--only NAME]

Everything is judged on frozen α_t from real runs of GP-UCB with the default model. α* is the best of the heavy
reference (20 000 uniform and 2 000 local draws, the 50 best and all observed points polished) and of the solve itself.
"""

from benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
import math  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
from collections import defaultdict  # noqa: E402
from collections.abc import Iterator, Sequence  # noqa: E402
from concurrent.futures import Executor, ProcessPoolExecutor  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from functools import partial  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from benchmarks import certificate  # noqa: E402
from benchmarks.surfaces import functions, surfaces  # noqa: E402
from suffice.accuracy.estimate import DELTA, estimate  # noqa: E402
from suffice.accuracy.eta import eta  # noqa: E402
from suffice.problems import PROBLEMS, Problem  # noqa: E402
from suffice.solvers import Heavy  # noqa: E402
from suffice.solvers.drawing import median  # noqa: E402
from suffice.types import Draws, Solution, Step  # noqa: E402

SIX = (("branin", 80), ("rastrigin3", 100), ("hartmann3", 100), ("hartmann4", 120), ("levy5", 150), ("hartmann6", 200))
SETTINGS = f"δ = {DELTA}; κ = (smooth columns + those at a bound)/2; C = max(B, |μ − m|_k) − m, B unknown"


# ---------------------------------------------------------------------- calibration


def calibrate(d: int, name_and_seed: tuple[Problem, int], *, sizes: Sequence[int], draws: Sequence[int]) -> list[Any]:
    """Rows (d, N or "Enough", covered, excess, found) of one run."""
    problem, seed = name_and_seed
    rows: list[Any] = []
    for alpha, step in surfaces(problem, seed, sizes):
        domain, rng = alpha.posterior.domain, np.random.default_rng([seed, len(step.design)])
        best = Heavy()(alpha, domain, step=step, rng=rng).value
        solves = [sf.Enough()(alpha, domain, step=step, rng=rng) for _ in range(5)]
        best = max([best, *(solve.value for solve in solves)])
        slack = 1e-9 * max(1.0, abs(best))
        for solve in solves:
            found = estimate(solve.draws, solve.starts, solve.x, solve.value, domain)
            assert found is not None
            rows.append((d, "Enough", found.upper >= best - slack, math.nan, best - solve.value <= 1e-3 * abs(best)))
        for n in draws:
            for _ in range(5):
                X = domain.sample(n, rng)
                top, values = alpha.top(X, 10)
                facts = Draws(n, True, X[top], values, median(alpha(X[:100])))
                found = estimate(facts, None, X[top[0]], float(values[0]), domain)
                assert found is not None
                excess = (found.upper - best) / max(best - values[0], 1e-12)
                rows.append((d, n, found.upper >= best - slack, excess, False))
    return rows


def calibration(pool: Executor, quick: bool) -> None:
    draws = (100, 400, 1600)
    sizes = (10, 30, 100) if quick else (10, 30, 100, 300)
    seeds = range(1 if quick else 3)
    cells: dict[Any, list[Any]] = defaultdict(list)
    jobs = []
    for d in (1, 2, 3, 4, 5, 6, 8):
        kept = [n for n in sizes if n >= d + 2]
        run = partial(calibrate, d, sizes=kept, draws=draws)
        jobs += [pool.submit(run, (problem, seed)) for problem in functions(d) for seed in seeds]
    for job in jobs:
        for d, n, covered, excess, found in job.result():
            cells[d, n].append((covered, excess, found))
    header = ["d", "solves", "stop: cover", "found", *(f"N={n}: cover, excess" for n in draws)]
    table = []
    for d in (1, 2, 3, 4, 5, 6, 8):
        stop = cells[d, "Enough"]
        row: list[object] = [d, len(stop), f"{np.mean([c for c, _, _ in stop]):.2f}"]
        row.append(f"{np.mean([f for _, _, f in stop]):.2f}")
        for n in draws:
            cell = cells[d, n]
            row.append(f"{np.mean([c for c, _, _ in cell]):.2f}, {statistics.median(e for _, e, _ in cell):.1f}")
        table.append(row)
    print_table(f"Calibration of the 90 % limit of max α ({SETTINGS})", header, table)
    for label, chosen in (("at the stopping time of Enough", ["Enough"]), ("draws only", list(draws))):
        pooled = [row for (_, n), rows in cells.items() if n in chosen for row in rows]
        print(f"  {label}: pooled coverage {np.mean([c for c, _, _ in pooled]):.3f} of {len(pooled)} (0.88 to 0.97)")
    excesses = [e for (_, n), rows in cells.items() if n != "Enough" for _, e, _ in rows]
    print(f"  draws only: median (upper − α*)/(α* − best draw) {statistics.median(excesses):.2f} (≤ 3)")


# ---------------------------------------------------------------------- effort


@dataclass
class Audited:
    """A solver whose answers are compared with the heavy reference in every k-th step."""

    solver: Any
    every: int
    rows: list[dict[str, float]] = field(default_factory=list)

    def __call__(self, alpha: Any, domain: Any, *, step: Step, rng: Any) -> Solution:
        start = time.perf_counter()
        solution = self.solver(alpha, domain, step=step, rng=rng)
        row = {"t": step.t, "seconds": time.perf_counter() - start, "evals": solution.n_evals}
        row["width"] = float(alpha.width(solution.x[None])[0])
        if step.t % self.every == 0:
            reference = Heavy()(alpha, domain, step=step, rng=np.random.default_rng(step.t))
            assert reference.draws is not None
            assert reference.draws.median is not None
            best = max(reference.value, solution.value)
            row["gap"], row["spread"] = best - solution.value, best - reference.draws.median
            row["eta"] = eta(solution.value, best, alpha.shift(1))
        self.rows.append(row)
        return solution


def effort_run(name: str, T: int, solver: Any, seed: int, every: int) -> dict[str, float]:
    """One run in the settings of the main experiment: 10 d initial points, then T model-based steps."""
    problem, audited = PROBLEMS[name], Audited(solver, every)
    n = 10 * problem.dim
    result = sf.minimize(problem, problem.bounds, n + T, n_initial=n, seed=seed, aim="regret", solver=audited)
    late = [row["gap"] / row["spread"] for row in audited.rows if "gap" in row and row["t"] >= 20]
    regret = sum(trial.value - problem.optimum for trial in result.trials if trial.origin == "model")
    spread = every * sum(row.get("spread", 0.0) for row in audited.rows)
    return {
        "evals": sum(row["evals"] for row in audited.rows),
        "seconds": sum(row["seconds"] for row in audited.rows),
        "gap": statistics.mean(late),
        "regret": regret,
        "sum_g": every * sum(row.get("gap", 0.0) for row in audited.rows),
        "estimated": result.accuracy.ledger.inaccuracies,
        "budget": 0.1 * result.accuracy.ledger.widths,
        "spread": spread,
        "m_audited": every * sum(1.0 - row["eta"] for row in audited.rows if "eta" in row),
        "m_t": result.accuracy.m_t,
        "report": sum(trial.solve.seconds["report"] for trial in result.trials if trial.solve)
        / sum(sum(trial.solve.seconds.values()) for trial in result.trials if trial.solve),
    }


def effort(pool: Executor, quick: bool, n_seeds: int) -> None:
    solvers = {"Enough": sf.Enough(), "Grid(100 t)": sf.Grid(), "LBFGSB": sf.LBFGSB()}
    seeds = range(1 if quick else n_seeds)
    jobs = {}
    for name, T in SIX:
        for label, solver in solvers.items():
            every = 10 if quick else (2 if label == "Enough" else 5)
            jobs[name, label] = [pool.submit(effort_run, name, T, solver, seed, every) for seed in seeds]
    runs = {key: [job.result() for job in value] for key, value in jobs.items()}
    table, budget = [], []
    for name, _ in SIX:
        ours = runs[name, "Enough"]
        for label in solvers:
            rows = runs[name, label]
            mean = {key: statistics.mean(row[key] for row in rows) for key in rows[0]}
            pairs = [a["regret"] - b["regret"] for a, b in zip(ours, rows, strict=True)]
            error = statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else math.nan
            share = sum(r["evals"] for r in ours) / sum(r["evals"] for r in rows)
            table.append(
                [
                    name,
                    label,
                    f"{mean['evals']:.0f}",
                    f"{share:.2f}",
                    f"{mean['seconds']:.2f}",
                    f"{mean['gap']:.4f}",
                    f"{mean['regret']:.1f}",
                    "" if label == "Enough" else f"{statistics.mean(pairs):+.1f} ± {error:.1f}",
                ]
            )
        budget += [[name, *_budget_row(row)] for row in ours]
    header = ["problem", "solver", "evals", "Enough's share", "solve s", "mean gap t ≥ 20", "regret", "Enough − this"]
    print_table(f"Effort, {len(seeds)} seeds, mean over seeds ({SETTINGS})", header, table)
    for label in solvers:
        total = sum(row["seconds"] for name, _ in SIX for row in runs[name, label]) / len(seeds)
        print(f"  {label}: {total:.1f} s of solving in all six")
    print_table(
        "Budget of Enough, each run",
        ["problem", "audited Σg", "Σĝ", "s Σw", "0.01 Σ spread", "audited M_T", "m_t", "report / ask"],
        budget,
    )
    everything = [row for name, _ in SIX for row in runs[name, "Enough"]]
    within = statistics.mean(row["sum_g"] <= row["budget"] for row in everything)
    covered = statistics.mean(row["m_audited"] <= row["m_t"] for row in everything)
    ratio = statistics.median(row["estimated"] / max(3 * row["sum_g"], 0.01 * row["spread"]) for row in everything)
    print(f"  audited Σg ≤ s Σw in {within:.0%} of runs; audited M_T ≤ m_t in {covered:.0%} (≥ 90 %)")
    print(f"  median Σĝ / max(3 Σg, 0.01 Σ spread) = {ratio:.2f} (≤ 1)")


def _budget_row(row: dict[str, float]) -> Iterator[str]:
    for key in ("sum_g", "estimated", "budget"):
        yield f"{row[key]:.3f}"
    yield f"{0.01 * row['spread']:.3f}"
    yield f"{row['m_audited']:.4f}"
    yield f"{row['m_t']:.4f}"
    yield f"{row['report']:.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibration, certificate and effort of the accuracy estimates.")
    parser.add_argument("--quick", action="store_true", help="a few minutes instead of about half an hour")
    parser.add_argument("--seeds", type=int, default=5, help="of the effort table")
    parser.add_argument("--jobs", type=int, default=2, help="processes; one thread each")
    parser.add_argument("--only", choices=("calibration", "certificate", "effort"))
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        if options.only in (None, "calibration"):
            calibration(pool, options.quick)
        if options.only in (None, "effort"):
            effort(pool, options.quick, options.seeds)
    if options.only in (None, "certificate"):
        certificate.main()


if __name__ == "__main__":
    main()
