"""The engine's speed and quality against its targets: python -m research.benchmarks.engine

Every speed is a ratio within this run, the median of several, on one thread. The surfaces come from real runs:
data that an optimizer chose prune well, random data do not.
"""

from research.benchmarks.timing import median_seconds, pin_threads, print_table

pin_threads()

import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable  # noqa: E402

import numpy as np  # noqa: E402
from scipy.linalg import solve_triangular  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS  # noqa: E402
from suffice.acquisition.ucb import UCBScore  # noqa: E402
from suffice.gp.model import Observations  # noqa: E402
from suffice.gp.posterior import Posterior  # noqa: E402
from suffice.types import Step  # noqa: E402

QUICK = sf.solvers.Grid(
    size=sf.solvers.Fixed(500), near=False
)  # a cheap solver for the runs that only provide surfaces


def surface(problem: str, n: int, noise: float | None) -> UCBScore:
    """The UCB surface of a run with n evaluations; `noise` replaces the fitted noise-to-signal ratio."""
    p = PROBLEMS[problem]
    result = sf.minimize(
        p, p.bounds, n, seed=0, n_initial=10 * p.dim, aim="regret", solver=QUICK, model=sf.GP(refit=sf.gp.Refit(0.3))
    )
    space = sf.Optimizer(p.bounds).space
    X = np.array([space.to_unit(x) for x in result.x_iters])
    y = -np.asarray(result.func_vals)  # larger is better
    posterior = sf.GP()(Observations(X, y, np.full(n, np.nan)), space).posterior
    tau = posterior.factor.tau if noise is None else np.full(n, noise)
    posterior = Posterior.condition(
        posterior.kernel, X, posterior.z, tau, scale=posterior.scale, constant=posterior.constant
    )
    return UCBScore(posterior, sf.acquisition.SqrtLog()(Step(n - 10 * p.dim, X), posterior))


def bare_solve(posterior: Posterior, X: np.ndarray) -> float:
    """Median seconds of one triangular solve of the same size."""
    L = np.asfortranarray(np.linalg.inv(posterior.factor.R))
    B = np.asfortranarray(posterior.kernel(posterior.X, X))
    times = []
    for _ in range(7):
        b = B.copy(order="F")
        start = time.perf_counter()
        solve_triangular(L, b, lower=True, check_finite=False, overwrite_b=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_megabytes(f: Callable[[], object]) -> float:
    """Peak memory that a call allocates."""
    tracemalloc.start()
    f()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


def ucb_row(problem: str, n: int, N: int, noise: float | None, targets: tuple[str, str]) -> list[object]:
    alpha = surface(problem, n, noise)
    X = np.random.default_rng(1).random((N, alpha.posterior.X.shape[1]))
    bare, values = bare_solve(alpha.posterior, X), alpha(X)
    error = np.abs(alpha.top(X, 10)[1] - np.sort(values)[::-1][:10]).max() / (values.max() - np.median(values))
    calls = (lambda: alpha(X)), (lambda: alpha.top(X, 10))
    ratios = [f"{median_seconds(call) / bare:.2f} {target}" for call, target in zip(calls, targets, strict=True)]
    peaks = " / ".join(f"{peak_megabytes(call):.0f}" for call in calls)
    return [
        f"{problem} n={n} N={N}",
        f"{alpha.posterior.tau:.0e}",
        f"{1e3 * bare:.0f} ms",
        *ratios,
        f"{error:.0e}",
        peaks,
    ]


def ucb_rows() -> list[list[object]]:
    """With the fitted noise (a function without noise: the screening is in float64) and with more."""
    sizes = (("hartmann6", 260, 20_000, ("(≤ 2.5)", "(≤ 0.8)")), ("michalewicz10", 1000, 50_000, ("", "(≤ 0.5)")))
    return [ucb_row(problem, n, N, noise, t) for problem, n, N, t in sizes for noise in (None, 1e-4)]


def append_row() -> list[object]:
    rng = np.random.default_rng(0)
    X, n = rng.random((540, 6)), 500
    z, kernel = np.sin(3 * X.sum(axis=1)), sf.gp.Matern(2.5, 0.7)
    scratch = median_seconds(lambda: Posterior.condition(kernel, X[:n], z[:n], 1e-4), 21)
    times = []
    for _ in range(5):
        posterior = Posterior.condition(kernel, X[:n], z[:n], 1e-4)
        for i in range(n, 540):
            start = time.perf_counter()
            posterior = posterior.append(X[i : i + 1], z[i : i + 1])
            times.append(time.perf_counter() - start)
    return ["append, n = 500", f"{scratch / statistics.median(times):.0f} × faster than from scratch", "≥ 40 ×"]


def ask_row() -> list[object]:
    """Growth of the time of an ask without a refit, N = 2 000."""
    p, sizes, seconds = PROBLEMS["hartmann6"], (250, 500, 1000, 2000), []
    rng = np.random.default_rng(0)
    for n in sizes:
        model = sf.GP(refit=sf.gp.Refit(growth=10.0, surprise=1e9), max_points=4000)
        opt = sf.Optimizer(
            p.bounds, seed=0, model=model, solver=sf.solvers.Polished(sf.solvers.Grid(size=sf.solvers.Fixed(2000)))
        )
        for x in rng.random((n, p.dim)):
            opt.tell(x, p(x))
        opt.ask()  # the first ask fits
        times = []
        for _ in range(7):
            x = rng.random(p.dim)
            opt.tell(x, p(x))
            start = time.perf_counter()
            trial = opt.ask()
            times.append(time.perf_counter() - start)
            opt.cancel(trial)
        seconds.append(statistics.median(times))
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    shown = ", ".join(f"{1e3 * s:.0f}" for s in seconds)
    return [f"ask, n = {sizes}", f"exponent {exponent:.2f} ({shown} ms)", "≤ 2.2"]


def import_row() -> list[object]:
    def seconds(code: str) -> float:
        return median_seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)

    base = seconds("import numpy, scipy.linalg, scipy.optimize")
    code = "from suffice import minimize"  # `import suffice` alone loads nothing else
    return [code, f"{seconds(code) - base:.2f} s beyond NumPy and SciPy", "< 0.3 s"]


def quality_rows() -> list[list[object]]:
    branin, hartmann = PROBLEMS["branin"], PROBLEMS["hartmann6"]
    worst = max(sf.minimize(branin, branin.bounds, 50, seed=s, aim="regret").fun - branin.optimum for s in range(10))
    regrets, overheads = [], []
    for seed in range(5):
        result = sf.minimize(hartmann, hartmann.bounds, 160, n_initial=60, seed=seed, aim="regret")
        regrets.append(result.fun - hartmann.optimum)
        overheads.append(sum(sum(t.solve.seconds.values()) for t in result.trials if t.solve is not None))
    return [
        ['Branin, 50 trials, 10 seeds, aim="regret"', f"worst simple regret {worst:.1e}", "≤ 1e-3"],
        [
            'Hartmann6, 60 + 100, 5 seeds, aim="regret"',
            f"median simple regret {statistics.median(regrets):.1e}",
            "≤ 0.05",
        ],
        ["   the same, overhead", f"median {statistics.median(overheads):.2f} s in all", "< 10 s"],
    ]


def main() -> None:
    print_table(
        "UCB against one triangular solve of the same size (float64, Fortran order)",
        ["surface", "noise/signal", "bare solve", "all values ×", "10 best ×", "error / spread", "peak MB all / top"],
        ucb_rows(),
    )
    print_table("Engine", ["what", "measured", "target"], [append_row(), ask_row(), import_row(), *quality_rows()])


if __name__ == "__main__":
    main()
