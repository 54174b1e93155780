"""What early stopping saves, and what it costs.

    python -m research.benchmarks.early_stopping [runs per family] [--tuning]

Simulated learning curves over six parameters: y_s(x) = a(x) + b(x) s^−c(x) + noise for s = 1 … 50, to be minimized;
the value of a trial is y_50. In one family all curves fall at the same rate, in one the rates differ, in one the points
that are best in the end fall slowest, so that curves cross and slow starters win. And simulated folds: what ten folds
give is f(x) + a term of the fold + a term of its own. Each is tuned by sf.minimize, all else by default: without a rule
in 60 trials, which is 100 % of the steps, and in 30; and with each rule until half of the steps are spent.

- quality: how far the true final value at the best point of the result is above the lowest one of the space, as a
  share of the range of the space. Noise is left out; of folds, the value is the mean over all ten.
- best pruned: runs in which the point whose true final value is the best of all points evaluated was stopped.

Seeds are odd; --tuning takes the even ones, with which the rules and their constants were chosen.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402
from scipy.optimize import minimize  # noqa: E402
from scipy.stats import qmc  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.stopping import interval  # noqa: E402
from suffice.types import Array  # noqa: E402

TRIALS, STEPS, FOLDS, D = 60, 50, 10, 6
SPACE = [(0.0, 1.0)] * D


@dataclass(frozen=True)
class Case:
    """Curves over the space: true values of each step, (m, steps), for rows of the cube, and what is reported."""

    curves: Callable[[Array], Array]  # without noise
    noise: float  # deviation of the noise in each report
    folds: bool = False  # the value is the mean of all steps, and not the last

    def final(self, X: Array) -> Array:
        """The true value in the end, (m,)."""
        curves = self.curves(X)
        found: Array = curves.mean(axis=1) if self.folds else curves[:, -1]
        return found


def surface(rng: np.random.Generator) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Two smooth functions of rows: a bowl with ripples, from 0 to about 0.9, and a wave, from −1 to 1."""
    centre, weights = rng.uniform(0.2, 0.8, D), rng.uniform(0.5, 2.0, D)
    weights = weights / weights.sum()
    frequency, phase, mix = rng.uniform(1.0, 4.0, D), rng.uniform(0.0, 2.0 * np.pi, D), rng.normal(size=D)

    def bowl(X: Array) -> Array:
        squared = 4.0 * (X - centre) ** 2 @ weights
        found: Array = squared / (0.3 + squared) + 0.05 * np.sin(6.0 * frequency * X + phase).mean(axis=1)
        return found

    def wave(X: Array) -> Array:
        found: Array = np.tanh(np.sin(3.0 * frequency * X + phase) @ mix)
        return found

    return bowl, wave


def learning(kind: str, noise: float, rng: np.random.Generator) -> Case:
    """Power laws: "alike" in their rates, "crossing", or with "slow winners"."""
    bowl, wave = surface(rng)
    s = np.arange(1.0, STEPS + 1.0)

    def curves(X: Array) -> Array:
        a, g = bowl(X), wave(X)
        if kind == "alike":
            rate, height = 0.8 * np.exp(0.1 * g), np.ones(len(X))
        elif kind == "crossing":
            rate, height = 0.6 * np.exp(0.7 * g), np.ones(len(X))
        else:
            rate, height = 0.6 * np.exp(0.7 * np.tanh(2.0 * (a - 0.4) + 0.5 * g)), 1.0 + 0.5 * g
        found: Array = a[:, None] + height[:, None] * s ** -rate[:, None]
        return found

    return Case(curves, noise)


def folded(own: float, rng: np.random.Generator) -> Case:
    """Folds of different difficulty, and a smooth term of each fold at each point with deviation `own`."""
    bowl, _ = surface(rng)
    hard = 0.3 * rng.normal(size=FOLDS)
    waves = [surface(rng)[1] for _ in range(FOLDS)]

    def curves(X: Array) -> Array:
        terms = np.column_stack([wave(X) for wave in waves])
        found: Array = bowl(X)[:, None] + hard + own * terms
        return found

    return Case(curves, 0.0, folds=True)


CURVES: dict[str, Callable[[int], Case]] = {
    f"{kind}, noise {noise:g}": lambda seed, kind=kind, noise=noise, j=j: learning(
        kind, noise, np.random.default_rng([seed, j])
    )
    for j, (kind, noise) in enumerate(
        (kind, noise) for kind in ("alike", "crossing", "slow winners") for noise in (0.003, 0.02)
    )
}
FOLDED: dict[str, Callable[[int], Case]] = {
    f"ten folds, own term {own:g}": lambda seed, own=own, j=j: folded(own, np.random.default_rng([seed, 10 + j]))
    for j, own in enumerate((0.03, 0.15))
}
WHOLE, HALF = {"none, 60 trials": (None, 1.0)}, {"none, 30 trials": (None, 0.5)}
RULES: dict[str, Any] = (
    WHOLE
    | HALF
    | {"sf.pruning.Median()": (sf.pruning.Median(), 0.5), "sf.pruning.Halving()": (sf.pruning.Halving(), 0.5)}
)
RACES: dict[str, Any] = WHOLE | HALF | {"sf.pruning.Race()": (sf.pruning.Race(), 0.5)}
MOST = 4 * TRIALS


@dataclass(frozen=True)
class Found:
    """What came of one run."""

    trials: int
    finished: int
    steps: float
    quality: float
    lost: bool  # the best of its points was stopped


def run(case: Case, seed: int, rule: Any, share: float) -> Found:
    """Trials with a rule, until this share of the steps is spent."""
    rng = np.random.default_rng([seed, 99])
    made, whole = 0, TRIALS * (FOLDS if case.folds else STEPS)

    def spent(optimizer: Any) -> str | None:  # noqa: ARG001
        return "the steps are spent" if made >= share * whole else None

    def objective(x: Any, trial: Any) -> float:
        nonlocal made
        curve = case.curves(np.asarray(x)[None])[0]
        reports = curve + case.noise * rng.standard_normal(len(curve))
        for step, value in enumerate(reports, start=1):
            made += 1
            trial.report(value, step)
            if trial.should_prune():
                break
        return float(reports.mean() if case.folds else value)

    n_initial = 14  # 2 (parameters + 1), in every arm
    result = sf.minimize(objective, SPACE, MOST, seed=seed, n_initial=n_initial, pruner=rule, stop=spent)
    low, high = ends(case)
    true = case.final(np.array([trial.point for trial in result.trials]))
    low = min(low, true.min())
    quality = (case.final(np.asarray(result.x)[None])[0] - low) / (high - low)
    states = [trial.state for trial in result.trials]
    lost = states[int(np.argmin(true))] == "pruned"
    return Found(len(states), states.count("done"), made / whole, float(quality), lost)


def ends(case: Case) -> tuple[float, float]:
    """The lowest and the highest true value, by many points and, for the lowest, polishing the best of them."""
    X = qmc.Sobol(D, rng=0).random(2**13)
    values = case.final(X)
    starts = X[np.argsort(values)[:8]]
    found = [minimize(lambda x: float(case.final(x[None])[0]), x, bounds=SPACE).fun for x in starts]
    return float(min(found)), float(values.max())


def row(name: str, rule: str, found: list[Found]) -> list[object]:
    lost = sum(each.lost for each in found)
    quality = np.array([each.quality for each in found])
    return [
        name,
        rule,
        len(found),
        f"{np.mean([each.trials for each in found]):.0f}",
        f"{np.mean([each.finished for each in found]):.0f}",
        f"{100 * np.mean([each.steps for each in found]):.0f} %",
        f"{100 * quality.mean():.2f} %",
        f"{100 * np.median(quality):.2f} %",
        "" if rule.startswith("none") else f"{lost} ({interval(lost, len(found))})",
    ]


HEADER = (
    "family",
    "rule",
    "runs",
    "trials",
    "finished",
    "steps",
    "quality, mean",
    "quality, median",
    "best pruned (95 % interval)",
)


def table(title: str, families: dict[str, Callable[[int], Case]], rules: dict[str, Any], seeds: range) -> None:
    """A line for each family and rule, and one for each rule over all families."""
    found = {
        (name, rule): [run(made(seed), seed, *given) for seed in seeds]
        for name, made in families.items()
        for rule, given in rules.items()
    }
    rows = [row(name, rule, each) for (name, rule), each in found.items()]
    rows += [row("all of them", rule, [one for name in families for one in found[name, rule]]) for rule in rules]
    print_table(title, HEADER, rows)


def main() -> None:
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    runs, first = counts[0] if counts else 20, 0 if "--tuning" in sys.argv else 1
    seeds = range(first, first + 2 * runs, 2)
    table("Learning curves", CURVES, RULES, seeds)
    table("Folds", FOLDED, RACES, seeds)


if __name__ == "__main__":
    main()
