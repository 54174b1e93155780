"""KG: what a small compared set loses, and what it costs: python -m research.benchmarks.knowledge [d …]

A surface is log KG of the default model fitted to the first n trials of a default run. The point that KG(points=k)
chooses is judged by KG with many points, drawn from another stream: the loss is how much lower log KG is there than at
the best point known.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterator  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import functions as make  # noqa: E402
from suffice.belief import Beliefs  # noqa: E402
from suffice.gp.model import Observations  # noqa: E402
from suffice.gp.posterior import Posterior  # noqa: E402
from suffice.solvers import Adaptive  # noqa: E402
from suffice.solvers.search.mixed import polish  # noqa: E402
from suffice.space import Space  # noqa: E402
from suffice.types import Array, Score, Step  # noqa: E402

SIZES, POINTS, REFERENCE = (20, 40), (8, 16, 32, 64), 200


def surfaces(d: int) -> Iterator[tuple[Posterior, Space, Step]]:
    """Posteriors of runs on functions of three kinds, at two numbers of observations."""
    for problem in (make.levy(d), make.ackley(d), make.styblinski_tang(d)):
        result = sf.minimize(problem, problem.bounds, max(SIZES), seed=1)
        space = sf.Optimizer(problem.bounds).space
        X, y = np.array([space.to_unit(x) for x in result.x_iters]), -np.asarray(result.func_vals)
        for n in SIZES:
            posterior = sf.GP()(Observations(X[:n], y[:n], np.full(n, np.nan)), space).posterior
            yield posterior, space, Step(n, X[:n][np.argsort(-y[:n])])


def bound(points: int, surface: tuple[Posterior, Space, Step], seed: int) -> Score:
    posterior, space, step = surface
    return sf.acquisition.KG(points)(Beliefs.of(posterior), space, step=step, rng=np.random.default_rng(seed))


def measured(surface: tuple[Posterior, Space, Step]) -> tuple[list[float], list[float]]:
    """For every size of the set: the loss, and the seconds of binding and solving."""
    _, space, step = surface
    choices, seconds = [], []
    for points in POINTS:
        start = time.perf_counter()
        choices.append(solved(bound(points, surface, 0), space, step))
        seconds.append(time.perf_counter() - start)
    reference = bound(REFERENCE, surface, 1)
    values = reference(np.array([*choices, solved(reference, space, step)]))
    return (values.max() - values[:-1]).tolist(), seconds


def solved(alpha: Score, space: Space, step: Step) -> Array:
    """The best of what the default solver finds, and local runs from the seeds."""
    ends = polish(alpha, space, alpha.seeds).points
    found = Adaptive()(alpha, space, step=step, rng=np.random.default_rng(2)).x
    return np.vstack([ends, found])[np.argmax(alpha(np.vstack([ends, found])))]


if __name__ == "__main__":
    rows = []
    for d in map(int, sys.argv[1:] or (1, 2, 3, 5, 10)):
        losses, seconds = (np.array(part) for part in zip(*map(measured, surfaces(d)), strict=True))
        for points, loss, time_each in zip(POINTS, losses.T, seconds.T, strict=True):
            rows.append([d, points, f"{loss.mean():.3f}", f"{loss.max():.3f}", f"{time_each.mean():.3f}"])
    print_table("KG over compared sets", ["d", "points", "loss of log KG", "worst", "seconds"], rows)
