"""How tight the proven limit of max α is: python -m benchmarks.certificate

Fitted GP-UCB surfaces of real runs with n ≤ 100. The relative gap is (proven limit − best)/(best − median of α over
uniform draws), the best being that of the heavy reference. A box is one node; seconds are those of one thread.
"""

from benchmarks.timing import pin_threads, print_table

pin_threads()

import statistics  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402

import numpy as np  # noqa: E402

from benchmarks.surfaces import functions, surfaces  # noqa: E402
from suffice.accuracy.certificate import certify  # noqa: E402
from suffice.problems import Problem  # noqa: E402
from suffice.solvers import Heavy  # noqa: E402

LIMITS = {1: (1.0, 0.02), 2: (1.0, 0.02), 3: (1.0, 0.03), 4: (5.0, 0.15), 5: (5.0, None), 6: (5.0, None)}
SIZES = (10, 20, 50, 100)


def judge(problem: Problem, seed: int, seconds: float) -> list[tuple[float, int, bool]]:
    """Relative gap, nodes and whether the maximum was proven, for each surface of a run."""
    rows = []
    for alpha, step in surfaces(problem, seed, [n for n in SIZES if n >= problem.dim + 2]):
        domain, rng = alpha.posterior.domain, np.random.default_rng(seed)
        best = Heavy()(alpha, domain, step=step, rng=rng)
        assert best.draws is not None
        assert best.draws.median is not None
        found = certify(alpha, domain, value=best.value, seconds=seconds)
        gap = (found.upper - found.value) / (found.value - best.draws.median)
        rows.append((gap, found.nodes, found.finished))
    return rows


def main() -> None:
    table = []
    with ProcessPoolExecutor(2) as pool:
        for d, (seconds, target) in LIMITS.items():
            runs = [pool.submit(judge, problem, seed, seconds) for problem in functions(d)[:4] for seed in range(2)]
            rows = [row for run in runs for row in run.result()]
            gaps = sorted(gap for gap, _, _ in rows)
            table.append(
                [
                    d,
                    len(rows),
                    f"{seconds:g} s",
                    f"{statistics.median(gaps):.1e}",
                    f"{np.quantile(gaps, 0.75):.1e}",
                    f"{max(gaps):.1e}",
                    f"{statistics.mean(finished for _, _, finished in rows):.0%}",
                    f"{statistics.median(nodes for _, nodes, _ in rows):.0f}",
                    "reported only" if target is None else f"≤ {target}",
                ]
            )
    header = ["d", "surfaces", "within", "median gap", "75 %", "worst", "closed", "median nodes", "target (median)"]
    print_table("Certified relative gap", header, table)


if __name__ == "__main__":
    main()
