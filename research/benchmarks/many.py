"""Many observations: what a model that uses some of them loses, and what it saves.

python -m research.benchmarks.many [--choice] [--methods …]  models side by side, all else being equal
python -m research.benchmarks.many --study [--points …]      whole studies, with at most so many points in the model
python -m research.benchmarks.many --times                   seconds of tell and ask, with up to 20 000 observations

A study is told n points: half of them anywhere, half around the ten best distinct places of those, as searches leave
them. Then come so many more, chosen by a model. Regret is that of the best value, in the units of the problem; time is
the processor's, of one ask. In the first form all models have the same search by expected improvement, the same
length-scales and the same transform of the values, which are fitted again after each quarter. What differs is what they
make of the data:

every      every observation: what the others are measured by
history    m of them: the best half, the others evenly over the history
some       m of them: the best, neighbours of the best distinct places, some of the rest (suffice.gp.model)
minimum    the minimum of the scores of six exact models of m/6 of them, each valid by itself: one of the best and some
           of the rest, five of neighbours of the best distinct places
nearest    for each candidate the m/8 observations nearest to it (Vecchia)
inducing   m of them as inducing points for all others (DTC)
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table
from research.problems import PROBLEMS, Problem
from research.problems.functions import ackley, dixon_price, griewank, levy, michalewicz, rosenbrock, styblinski_tang
from suffice.acquisition.improvement import LogExpectedGain
from suffice.gp.kernels import Stationary
from suffice.gp.model import (
    GP,
    Fitted,
    Observations,
    by_history,
    centres,
    chosen,
    neighbours,
)
from suffice.gp.posterior import Factor, Posterior
from suffice.space import UnitCube
from suffice.types import Array

PLACES = 10  # around which half of the points that are told lie
SPREAD = 0.1  # their deviation
DRAWS, NEAR, ROUNDS = 1000, 500, 5  # of the search: anywhere, around the best points, and then around the best draw
CHOICE = (michalewicz(5), griewank(6), styblinski_tang(6), dixon_price(8))  # what the rule was chosen on
REPORT = (PROBLEMS["hartmann6"], levy(8), ackley(10), rosenbrock(6))


@dataclass(frozen=True)
class Known:
    """What a model is made of, model units: the same for all methods."""

    kernel: Stationary
    X: Array
    z: Array
    tau: Array
    scale: float
    constant: float

    def exact(self, rows: Array) -> Posterior:
        return Posterior.condition(
            self.kernel, self.X[rows], self.z[rows], self.tau[rows], scale=self.scale, constant=self.constant
        )


Predict = Callable[[Array], tuple[Array, Array]]


def every(known: Known, _m: int) -> list[Predict]:
    """Appended to between fits: from scratch it would take a second."""
    made, before = _EVERY.get("last", (None, None))
    if made is None or made.kernel is not known.kernel:
        made = known.exact(np.arange(len(known.z)))
    else:
        made = made.append(known.X[made.n :], known.z[made.n :], known.tau[made.n :])
    _EVERY["last"] = made, before
    return [made.predict]


_EVERY: dict = {}


def history(known: Known, m: int) -> list[Predict]:
    return [known.exact(by_history(known.z, m)).predict]


def some(known: Known, m: int) -> list[Predict]:
    return [known.exact(chosen(known.X, known.z, m)).predict]


def minimum(known: Known, m: int) -> list[Predict]:
    part = max(10, m // 6)
    around = [neighbours(known.X, known.X[centre], part) for centre in centres(known.X, known.z, 5)]
    return [known.exact(np.sort(rows)).predict for rows in [by_history(known.z, part), *around]]


def nearest(known: Known, m: int) -> list[Predict]:
    k = max(10, m // 8)

    def predict(Q: Array) -> tuple[Array, Array]:
        ell = np.asarray(known.kernel.lengthscale)
        mean, std = np.empty(len(Q)), np.empty(len(Q))
        A = known.X / ell
        for i, q in enumerate(Q / ell):
            rows = np.argpartition(((A - q) ** 2).sum(axis=1), k)[:k]
            (mean[i],), (std[i],) = known.exact(rows).predict(Q[i : i + 1])
        return mean, std

    return [predict]


def inducing(known: Known, m: int) -> list[Predict]:
    """Deterministic training conditional (Quiñonero-Candela, Rasmussen 2005), m of the points being inducing ones."""
    U = known.X[chosen(known.X, known.z, m)]
    prior = Factor.condition(known.kernel, U, np.full(m, 1e-8))
    V = prior.half(known.kernel(U, known.X)) / np.sqrt(known.tau)
    B = np.eye(m) + V @ V.T
    L = np.linalg.cholesky(B)
    w = np.linalg.solve(B, V @ ((known.z - known.constant) / np.sqrt(known.tau)))

    def predict(Q: Array) -> tuple[Array, Array]:
        S = prior.half(known.kernel(U, Q))
        T = np.linalg.solve(L, S)
        share = 1.0 - (S**2).sum(axis=0) + (T**2).sum(axis=0)
        return known.constant + w @ S, known.scale * np.sqrt(np.maximum(share, 1e-14))

    return [predict]


METHODS = {f.__name__: f for f in (every, history, some, minimum, nearest, inducing)}


def told(problem: Problem, n: int, seed: int) -> tuple[Array, Array]:
    """Points of the cube, (n, d), and their values, larger being better."""
    rng = np.random.default_rng([seed, n])
    X = rng.random((n // 2, problem.dim))
    y = measured(problem, X)
    around = X[centres(X, y, PLACES)]
    near = around[rng.integers(len(around), size=n - n // 2)]
    near = np.clip(near + SPREAD * rng.standard_normal(near.shape), 0.0, 1.0)
    X = np.vstack([X, near])
    return X, measured(problem, X)


def measured(problem: Problem, X: Array) -> Array:
    low, high = np.array(problem.bounds, dtype=float).T
    return -np.array([problem(low + x * (high - low)) for x in X])


def known_of(fitted: Fitted, data: Observations, model: GP) -> Known:
    post = fitted.posterior
    tau = model._tau(data, fitted.outcome, fitted.hyper)
    return Known(post.kernel, data.X, fitted.outcome(data.y), tau, post.scale, post.constant)


def suggestion(predicts: Sequence[Predict], X: Array, z: Array, rng: np.random.Generator) -> Array:
    """The best of draws anywhere and near the best points, by the smallest of the expected improvements."""
    gain, d = LogExpectedGain(float(z.max())), X.shape[1]

    def alpha(Q: Array) -> Array:
        return np.min([gain(*predict(Q))[0] for predict in predicts], axis=0)

    tops = X[np.argsort(-z)[:5]]
    width = 10.0 ** rng.uniform(-3, -0.5, (NEAR, 1))
    near = tops[rng.integers(5, size=NEAR)] + width * rng.standard_normal((NEAR, d)) * (rng.random((NEAR, d)) < 0.5)
    Q = np.vstack([rng.random((DRAWS, d)), np.clip(near, 0.0, 1.0)])
    values = alpha(Q)
    x, best = Q[np.argmax(values)], values.max()
    for i in range(ROUNDS):
        Q = np.clip(x + 0.1 * 0.3**i * rng.standard_normal((100, d)), 0.0, 1.0)
        values = alpha(Q)
        if values.max() > best:
            x, best = Q[np.argmax(values)], values.max()
    return x


def run(problem: Problem, method: str, n: int, m: int, asks: int, seed: int) -> tuple[float, float]:
    """The regret after so many asks, and the median of their processor seconds, fits left out."""
    X, y = told(problem, n, seed)
    rng, model, spent = np.random.default_rng(seed), GP(), []
    fitted: Fitted | None = None
    for i in range(asks):
        data = Observations(X, y, np.full(len(y), np.nan))
        if fitted is None or i % max(1, asks // 4) == 0:
            fitted = model(data, UnitCube(problem.dim))
        start = time.process_time()
        known = known_of(fitted, data, model)
        x = suggestion(METHODS[method](known, m), X, known.z, rng)
        spent.append(time.process_time() - start)
        X, y = np.vstack([X, x]), np.append(y, measured(problem, x[None]))
    return -float(y.max()) - problem.optimum, statistics.median(spent)


def study(problem: Problem, n: int, m: int, asks: int, seed: int) -> tuple[float, float]:
    """The same of a whole study, whose model has at most m points."""
    X, y = told(problem, n, seed)
    low, high = np.array(problem.bounds, dtype=float).T
    optimizer = sf.Optimizer(problem.bounds, seed=seed, model=GP(max_points=m))
    for x, value in zip(low + X * (high - low), y, strict=True):
        optimizer.tell(x, -value)
    spent = []
    for _ in range(asks):
        start = time.process_time()
        trial = optimizer.ask()
        spent.append(time.process_time() - start)
        optimizer.tell(trial, problem(trial.point))
    return optimizer.best.value - problem.optimum, statistics.median(spent)


def times(counts: Sequence[int], asks: int = 15) -> None:
    """Processor seconds of telling and asking, Hartmann6, random points."""
    problem, rows = PROBLEMS["hartmann6"], []
    for n in counts:
        X = np.random.default_rng(0).random((n, problem.dim))
        y = [problem(x) for x in X]
        start = time.process_time()
        sf.Optimizer(problem.bounds, seed=0, x0=X, y0=y)
        given = time.process_time() - start
        optimizer = sf.Optimizer(problem.bounds, seed=0)
        start = time.process_time()
        for x, value in zip(X, y, strict=True):
            optimizer.tell(x, value)
        spent, used = [time.process_time() - start], 0
        for _ in range(asks + 1):
            start = time.process_time()
            trial = optimizer.ask()
            spent.append(time.process_time() - start)
            optimizer.tell(trial, problem(trial.point))
            used = trial.solve.n_used
        row = [n, used, f"{spent[0]:.2f} s", f"{given:.2f} s", f"{1e3 * spent[1]:.0f} ms"]
        rows.append([*row, f"{1e3 * statistics.median(spent[2:]):.0f} ms", f"{1e3 * max(spent[2:]):.0f} ms"])
        print(*rows[-1], flush=True)
    head = ["observations", "used", "tell one by one", "x0, y0", "first ask, with the fit", "ask, median", "slowest"]
    print_table("Processor time, Hartmann6", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--choice", action="store_true", help="on the problems that the rule was chosen on")
    parser.add_argument("--study", action="store_true", help="whole studies")
    parser.add_argument("--times", type=int, nargs="*", help="observations (default: 1000 2000 5000 20000)")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--told", type=int, default=2000, help="n")
    parser.add_argument("--points", type=int, nargs="+", default=[500], help="m")
    parser.add_argument("--asks", type=int, default=100)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    if given.times is not None:
        times(given.times or [1000, 2000, 5000, 20000])
        return
    n, asks, rows = given.told, given.asks, []
    for problem in CHOICE if given.choice else REPORT:
        for m in given.points:
            for method in ["study"] if given.study else given.methods:
                found = [
                    study(problem, n, m, asks, seed) if given.study else run(problem, method, n, m, asks, seed)
                    for seed in given.seeds
                ]
                regrets, seconds = zip(*found, strict=True)
                ms = f"{1e3 * statistics.median(seconds):.0f}"
                rows.append([problem.name, method, m, *(f"{regret:.2g}" for regret in regrets), ms])
                print(*rows[-1], flush=True)
    head = ["problem", "model", "m", *(f"seed {seed}" for seed in given.seeds), "ms"]
    print_table(f"Regret after {asks} asks beside {n} observations", head, rows)


if __name__ == "__main__":
    main()
