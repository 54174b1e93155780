"""The figures of docs/ideas/: python -m research.benchmarks.ideas_figures

search       one search for the next point: the model, its score, a random grid, and what the grid missed
grids        fill distances of random grids, which is why linear growth is enough
budget       how many runs make an estimate affordable, and the two sums of a run
certificate  bounds over boxes, and how they close with the number of boxes
bound        the regret of a run on a function of known norm, below its bounds
"""

from research.benchmarks.timing import pin_threads

pin_threads()

from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import matplotlib as mpl  # noqa: E402

mpl.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.surfaces import Recorder  # noqa: E402
from research.problems import find  # noqa: E402
from suffice.accuracy.certificate import certify  # noqa: E402
from suffice.accuracy.estimate import MISS, chance_of_a_miss  # noqa: E402
from suffice.accuracy.regret import observed_bound  # noqa: E402
from suffice.gp.kernels import Matern  # noqa: E402
from suffice.paper.fill import fill_bracket, grid_fills  # noqa: E402
from suffice.paper.theorems import lipschitz  # noqa: E402
from suffice.plot.style import COLOURS, RC  # noqa: E402

FOLDER = Path(__file__).parents[2] / "docs" / "figures" / "ideas"
BLUE, ORANGE, GREEN, PINK, RED = COLOURS[:5]
GREY = "#888888"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for draw in (search, grids, budget, certificate, bound):
        with plt.rc_context(RC):
            figure = draw()
            path = FOLDER / f"{draw.__name__}.svg"
            figure.savefig(path, metadata={"Date": None})
            plt.close(figure)
        print(f"wrote {path.relative_to(FOLDER.parent.parent.parent)}", flush=True)


# ---------------------------------------------------------------------- one search


def wave(x: float) -> float:
    return float(np.sin(9.0 * x) + 0.6 * np.cos(23.0 * x) + x)


def frozen_wave() -> Any:
    """μ + 2σ of a model that knows eight values of the wave."""
    known, recorder = np.array([0.03, 0.13, 0.27, 0.4, 0.55, 0.66, 0.8, 0.97]), Recorder(frozenset([8]))
    opt = sf.Optimizer(
        [(0.0, 1.0)],
        direction="maximize",
        seed=0,
        n_initial=8,
        model=sf.GP(noise=1e-6, warp=False),
        acquisition=sf.UCB(2.0),
        solver=recorder,
    )
    for x in known:
        opt.tell([x], wave(x))
    opt.ask()
    ((alpha, _, _),) = recorder.kept
    return alpha


def search() -> Any:
    alpha, x = frozen_wave(), np.linspace(0.0, 1.0, 1001)
    score = alpha(x[:, None])
    mean, deviation = alpha.posterior.predict(x[:, None])
    grid = np.sort(np.random.default_rng(3).random(20))
    values = alpha(grid[:, None])
    best = int(np.argmax(values))
    fig, (top, low) = plt.subplots(2, 1, figsize=(5.2, 3.9), sharex=True, layout="constrained", height_ratios=(1, 1.2))
    top.fill_between(x, mean - 2 * deviation, mean + 2 * deviation, color=BLUE, alpha=0.15, linewidth=0)
    top.plot(x, mean, color=BLUE, label="the model: mean and two standard deviations")
    top.plot(alpha.posterior.X[:, 0], alpha.posterior.mean(alpha.posterior.X), "o", color=COLOURS[5], label="observed")
    low.plot(x, score, color=BLUE, label="the acquisition function α = μ + 2σ")
    low.plot(grid, values, "|", color=ORANGE, markersize=7, label="a random grid of 20 points")
    low.plot(grid[best], values[best], "s", color=ORANGE, markersize=5, label="the best of the grid, x_t")
    peak = int(np.argmax(score))
    low.plot(x[peak], score[peak], "^", color=GREEN, markersize=6, label="the maximum, α*")
    for height in (score[peak], values[best]):
        low.axhline(height, color=GREY, linewidth=0.6, linestyle=":")
    low.annotate("", (0.5, score[peak]), (0.5, values[best]), arrowprops={"arrowstyle": "<->", "color": RED})
    low.text(0.51, (score[peak] + values[best]) / 2, "missed", color=RED, va="center")
    for ax in (top, low):
        ax.set_yticks([])
    low.set_ylim(top=score[peak] + 0.12 * np.ptp(score))
    fig.legend(loc="outside lower center", ncols=2, fontsize=7)
    low.set_xlabel("x")
    return fig


# ---------------------------------------------------------------------- why a random grid is enough


def grids() -> Any:
    sizes = np.array([100, 200, 500, 1000, 2000])
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.0, 2.6), layout="constrained")
    for d, colour in zip((1, 2, 3, 4), (BLUE, ORANGE, GREEN, PINK), strict=True):
        rng = np.random.default_rng(d)
        holes = [[fill_bracket(rng.random((n, d)), np.random.default_rng(0)).lower for _ in range(3)] for n in sizes]
        h = np.mean(holes, axis=1)
        left.loglog(sizes, h, "o-", color=colour, label=f"d = {d}")
        guide = h[-1] * (sizes / sizes[-1]) ** (-1.0 / d)
        left.loglog(sizes, guide, color=colour, linewidth=0.7, linestyle=":")
        T = np.arange(1, 21)
        steps = np.exp(np.interp(np.log(100 * T), np.log(sizes), np.log(h)))
        right.plot(T, np.cumsum(steps) / T, color=colour)
    left.set(xlabel="points in the grid", ylabel="fill distance h")
    left.legend(fontsize=7, ncols=2)
    left.set_title("The farthest that a point can be from the grid;\ndotted: n^(−1/d)")
    right.set(xlabel="steps T, with 100 t points in step t", ylabel="Σ h_t / T", xticks=range(0, 21, 5), ylim=(0, None))
    right.set_title("What a step adds to the bound on average:\nit falls, slower in more dimensions")
    return fig


# ---------------------------------------------------------------------- the budget


def budget() -> Any:
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.0, 2.9), layout="constrained")
    m = np.arange(4, 201)
    for w, colour in zip((1, 2, 4, 8), (BLUE, ORANGE, GREEN, PINK), strict=True):
        expected = [MISS * chance_of_a_miss(int(runs), w) for runs in m]
        left.loglog(m, expected, color=colour, label=f"{w} maxim{'um' if w == 1 else 'a'} found")
    for share, text in ((1.0, "share=1"), (0.1, "share=0.1, the default"), (0.01, "share=0.01")):
        left.axhline(share * 1e-2, color=GREY, linewidth=0.7, linestyle=":")
        left.text(1400, share * 1.1e-2, text, color="#555555", fontsize=6.5, ha="right")
    left.set(xlabel="local runs", ylabel="expected miss, of the spread", xlim=(3.5, 1500), ylim=(4e-6, 0.05))
    left.legend(fontsize=7, loc="lower left")
    left.set_title("One step: runs until the curve is below the line")
    problem = find("hartmann3")
    for solver, colour, name in (
        (sf.solvers.Adaptive(), BLUE, "Adaptive"),
        (sf.solvers.Grid(near=False), ORANGE, "a grid of 100 t points"),
    ):
        run = sf.minimize(problem, list(problem.bounds), 60, seed=0, aim="regret", solver=solver)
        reports = run.accuracy.reports
        spent = np.cumsum([report.missed for report in reports])
        right.semilogy(spent, color=colour, label=f"Σ ĝ, {name}")
        right.semilogy(0.1 * np.cumsum([r.width for r in reports]), color=colour, linestyle="--", label="its 0.1 Σ w")
    right.set(xlabel="step", ylabel="model units")
    right.legend(fontsize=7, loc="lower right")
    right.set_title("A run: what was left, and what was allowed")
    return fig


# ---------------------------------------------------------------------- the certificate


def certificate() -> Any:
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.0, 2.9), layout="constrained")
    alpha, x = frozen_wave(), np.linspace(0.0, 1.0, 1001)
    score = alpha(x[:, None])
    left.plot(x, score, color=BLUE, label="α(x)")
    for parts, colour in ((8, ORANGE), (32, GREEN)):
        edges = np.linspace(0.0, 1.0, parts + 1)
        limits = alpha.bound(edges[:-1, None], edges[1:, None])
        left.stairs(limits, edges, color=colour, baseline=None, linewidth=1.2, label=f"bounds over {parts} boxes")
    left.axhline(score.max(), color=GREY, linewidth=0.7, linestyle=":")
    left.set(xlabel="x", yticks=[])
    left.legend(fontsize=7, loc="lower right")
    left.set_title("No value in a box is above its bound")
    boxes = [2**k for k in range(4, 16)]
    for name, colour in (("branin", BLUE), ("hartmann3", ORANGE), ("levy5", GREEN), ("hartmann6", PINK)):
        problem, recorder = find(name), Recorder(frozenset([30]))
        sf.minimize(problem, list(problem.bounds), 31, seed=0, aim="regret", solver=recorder)
        alpha, domain, step = recorder.kept[0]
        found = sf.solvers.Adaptive()(alpha, domain, step=step, rng=np.random.default_rng(0))
        spread = found.value - float(np.median(alpha(np.random.default_rng(1).random((2000, domain.dim)))))
        gaps = [(certify(alpha, domain, value=found.value, nodes=n).upper - found.value) / spread for n in boxes]
        right.loglog(
            boxes, np.maximum(gaps, 1e-9), "o-", markersize=2.5, color=colour, label=f"{name}, d = {domain.dim}"
        )
    right.set(xlabel="boxes", ylabel="proven gap, of the spread")
    right.legend(fontsize=7)
    right.set_title("The proof closes fast in few dimensions only")
    return fig


# ---------------------------------------------------------------------- the theorems


def known_run(T: int = 60) -> tuple[sf.Result, Callable[[float], float], float]:
    """A run that keeps all assumptions: on a sum of two kernels, whose norm is at most 1.3."""
    kernel, centres, weights = Matern(2.5, 0.3), np.array([[0.2], [0.7]]), np.array([0.6, 1.0])
    rng = np.random.default_rng(0)

    def g(x: Any) -> float:
        return float((kernel(np.atleast_2d(x), centres) @ weights)[0])

    prior = sf.gp.Prior(lengthscale_bounds=(0.3, 0.3), scale_bounds=(1.0, 1.0))
    run = sf.maximize(
        lambda x: g(x) + 0.05 * rng.standard_normal(),
        [(0, 1)],
        T + 3,
        seed=0,
        n_initial=3,
        model=sf.GP(noise=0.05**2, standardize=False, warp=False, prior=prior),
        acquisition=sf.UCB(sf.acquisition.Theory(B=1.3, R=0.05, delta=0.1)),
        solver=sf.solvers.Grid(),
        diagnostics=sf.solvers.Diagnostics(proof_seconds=10.0),
    )
    return run, g, 1.3


def bound() -> Any:
    run, g, B = known_run()
    reports = run.accuracy.reports
    best = max(g(x) for x in np.linspace(0, 1, 10_001))
    regret = np.cumsum([best - g(trial.point) for trial in run.trials if trial.solve])
    premises = run.accuracy.premises
    assert premises is not None
    observed = [observed_bound(premises, reports[:t]).value for t in range(1, len(reports) + 1)]
    width = np.array([report.width for report in reports])
    fills = np.array(grid_fills(run).fills)
    slope = lipschitz(Matern(2.5, 0.3)) or np.nan
    T = np.arange(1, len(reports) + 1)
    fig, ax = plt.subplots(figsize=(4.6, 2.9), layout="constrained")
    ax.plot(T, 2 * B * T, color=GREY, linestyle=":", label="2BT, whatever happens")
    ax.plot(T, np.cumsum(np.minimum(B * slope * fills + width, 2 * B)), color=ORANGE, label="Theorem 3, the grid")
    ax.plot(T, observed, color=BLUE, label="Theorem 1, observed")
    ax.plot(T, regret, color=COLOURS[5], label="the regret R_T, which a user cannot know")
    ax.set(xlabel="step T", ylabel="cumulative regret", ylim=(0, 60))
    ax.legend(fontsize=7)
    return fig


if __name__ == "__main__":
    main()
