"""The certified gap of UCB surfaces from real runs, against its targets: python -m benchmarks.certificate [d …]

A surface is the UCB score, β = sqrt(log(t + 1)), of the default model fitted to the first n trials of a run. Its
relative gap is (upper − α*) / (α* − median of α over uniform draws), where α* is the best value that a heavy search or
the certificate itself has found. One thread; nodes are shown because seconds depend on the machine and its load.
"""

from benchmarks.timing import pin_threads, print_table

pin_threads()

import sys  # noqa: E402
from collections.abc import Iterator  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from suffice.accuracy.certificate import certify  # noqa: E402
from suffice.acquisition.ucb import UCBScore  # noqa: E402
from suffice.gp.model import Observations  # noqa: E402
from suffice.problems import PROBLEMS, Problem  # noqa: E402
from suffice.problems import scalable as make  # noqa: E402
from suffice.solvers import Heavy  # noqa: E402
from suffice.types import Step  # noqa: E402

SECONDS = {1: 1.0, 2: 1.0, 3: 1.0, 4: 5.0, 5: 5.0, 6: 5.0}
TARGETS = {1: 0.02, 2: 0.02, 3: 0.03, 4: 0.15}  # of the median; none beyond
SIZES = (25, 40, 60, 80, 100)  # observations, beside the initial design's 2(d + 1)


def problems(d: int) -> list[Problem]:
    """At least six for every d: those of the registry, and families that exist in any dimension."""
    families = [make.levy(d), make.ackley(d), make.griewank(d), make.rastrigin(d), make.styblinski_tang(d)]
    families += [make.rosenbrock(d), make.michalewicz(d)] if d > 1 else [make.cosine_mixture(1)]
    named = {problem.name: problem for problem in [*PROBLEMS.values(), *families] if problem.dim == d}
    return list(named.values())[:8]


def surfaces(problem: Problem) -> Iterator[tuple[UCBScore, Step]]:
    """Scores of one run, at several numbers of observations."""
    result = sf.minimize(problem, problem.bounds, max(SIZES), seed=1, aim="regret")
    space = sf.Optimizer(problem.bounds).space
    X = np.array([space.to_unit(x) for x in result.x_iters])
    y = -np.asarray(result.func_vals)  # larger is better
    n_initial = 2 * (problem.dim + 1)
    for n in (n_initial, *SIZES):
        data = Observations(X[:n], y[:n], np.full(n, np.nan))
        posterior = sf.GP()(data, space).posterior
        t = n - n_initial + 1
        yield UCBScore(posterior, sf.SqrtLog()(t, posterior)), Step(t, X[:n][np.argsort(-y[:n])])


def certified(alpha: UCBScore, step: Step, seconds: float) -> tuple[float, int, float, bool]:
    """The relative gap, nodes, seconds, and whether the heavy search had found the maximum."""
    domain = alpha.posterior.domain
    reference = Heavy()(alpha, domain, step=step, rng=np.random.default_rng(0))
    median = float(np.median(alpha(domain.sample(5000, np.random.default_rng(1)))))
    found = certify(alpha, domain, value=reference.value, seconds=seconds)
    spread = found.value - median
    return (
        (found.upper - found.value) / spread,
        found.nodes,
        found.seconds,
        found.value - reference.value <= 1e-6 * spread,
    )


def row(d: int) -> list[object]:
    rows = [certified(*surface, SECONDS[d]) for problem in problems(d) for surface in surfaces(problem)]
    gaps, nodes, seconds, found = (np.array(column) for column in zip(*rows, strict=True))
    target = f" (≤ {TARGETS[d]})" if d in TARGETS else ""
    return [
        d,
        len(rows),
        f"{SECONDS[d]:.0f} s",
        f"{np.median(gaps):.1e}{target}",
        *(f"{np.quantile(gaps, q):.1e}" for q in (0.75, 0.9, 1.0)),
        f"{np.mean(gaps < 1e-6):.0%}",
        f"{np.median(nodes):.0f}",
        f"{nodes.sum() / seconds.sum():.0f}",
        f"{len(rows) - found.sum():.0f}",
    ]


def main(dims: tuple[int, ...] = tuple(SECONDS)) -> None:
    header = ["d", "surfaces", "limit", "median gap", "75 %", "90 %", "worst", "closed", "nodes", "nodes/s", "missed"]
    print_table("Certified relative gap of UCB surfaces, n ≤ 100", header, [row(d) for d in dims])
    print("  closed: gap below 1e-6; missed: surfaces on which the heavy search had not found the maximum")


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or tuple(SECONDS))
