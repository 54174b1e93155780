"""How often `RegretBelow` is wrong: python -m research.benchmarks.stopping [runs per family] [--tuning] [--keep DIR]

Every run is one of all defaults, 60 trials long. The rule looks at it after each trial, as in `stop=`, but does not end
it: it is a function of the history, so that runs that are kept in a directory can be judged again by another rule. It
is wrong where the point that the result recommends is truly worse than the optimum by more than the tolerance. The
tolerance is a fraction of the function's range, the largest value − the smallest one over the space.

Seeds are odd, from 49 on; --tuning takes the even ones from 0 on, with which the rule's constants were chosen. (Odd
ones below 49 judged earlier choices.)
"""

import argparse
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402
from scipy.optimize import minimize  # noqa: E402
from scipy.stats import beta as beta_distribution  # noqa: E402
from scipy.stats import qmc  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems.drawn import (  # noqa: E402
    reaction,
    reaction_small,
    two_way,
    which_model,
)
from research.problems.fresh import FRESH, SHAPES  # noqa: E402
from suffice.gp.kernels import RBF, Matern, Stationary  # noqa: E402
from suffice.gp.posterior import Posterior, sample_path  # noqa: E402
from suffice.problems.problem import Problem  # noqa: E402
from suffice.record.history import History  # noqa: E402
from suffice.result.predict import recommend  # noqa: E402
from suffice.space import Space, as_space  # noqa: E402
from suffice.types import Array  # noqa: E402

TRIALS = 60


@dataclass(frozen=True)
class Case:
    """A function to minimize, its noise, and the truth about it."""

    space: Space
    function: Callable[[Any], float]  # of a point of the space, without noise
    lowest: float
    highest: float
    noise: float = 0.0  # its standard deviation, as a fraction of the range

    @property
    def range(self) -> float:
        return self.highest - self.lowest


def smooth(values: Callable[[Array], Array], d: int, noise: float = 0.0) -> Case:
    """A case from a function of rows of the unit cube, its ends by a dense search with polishing."""

    def value(x: Any) -> float:
        return float(values(np.asarray(x, dtype=float)[None])[0])

    X = qmc.Sobol(d, rng=0).random(2 ** (11 + d))
    found = values(X)
    ends = []
    for sign in (1.0, -1.0):
        starts = X[np.argsort(sign * found)[:12]]
        runs = [minimize(lambda x, s=sign: s * value(x), x, bounds=[(0.0, 1.0)] * d) for x in starts]
        ends.append(sign * min(float(run.fun) for run in runs))
    return Case(as_space([(0.0, 1.0)] * d), value, ends[0], ends[1], noise)


def sample(kernel: Stationary, d: int, rng: np.random.Generator, noise: float = 0.0) -> Case:
    """A sample of a Gaussian process, with a length-scale between 0.2 and 0.5."""
    kernel = kernel.with_lengthscale(np.full(d, rng.uniform(0.2, 0.5)))
    prior = Posterior.condition(kernel, np.empty((0, d)), np.empty(0), 1e-4)
    return smooth(sample_path(prior, rng), d, noise)


def forty_bumps(rng: np.random.Generator, noise: float = 0.0) -> Case:
    """Forty bumps in the plane, with widths of 0.03 to 0.3 and heights of 0 to 1."""
    centres, widths, heights = rng.random((40, 2)), np.exp(rng.uniform(np.log(0.03), np.log(0.3), 40)), rng.random(40)

    def values(X: Array) -> Array:
        squared = np.sum((X[:, None, :] - centres) ** 2, axis=2)
        value: Array = -np.exp(-0.5 * squared / widths**2) @ heights
        return value

    return smooth(values, 2, noise)


def two_wells(rng: np.random.Generator, noise: float = 0.0) -> Case:
    """Two wells far apart in a bowl's place, the second one shallower by 2 to 5 %, both 0.08 to 0.2 wide."""
    first = rng.uniform(0.1, 0.4, 2)
    centres = np.array([first, 1.0 - first])[:: int(rng.choice([-1, 1]))]
    widths, depths = rng.uniform(0.08, 0.2, 2), np.array([1.0, 1.0 - rng.uniform(0.02, 0.05)])

    def values(X: Array) -> Array:
        squared = np.sum((X[:, None, :] - centres) ** 2, axis=2)
        value: Array = -np.exp(-0.5 * squared / widths**2) @ depths
        return value

    return smooth(values, 2, noise)


def mixed(problem: Problem) -> Case:
    """A problem with choices; its largest value by many draws and the corners' values near them."""
    native = problem.native
    assert native is not None
    low, high = np.transpose(problem.bounds)
    X = low + (high - low) * qmc.Sobol(len(low), rng=0).random(2**13)
    ends = np.concatenate([X, np.where(X > (low + high) / 2, high, low)])
    return Case(native.space, native.function, problem.optimum, float(problem.values(ends).max()))


def fresh(shape: str, seed: int, noise: float = 0.0) -> Case:
    """A function of research/problems/fresh.py in 2, 3 or 4 dimensions; its noise is in standard deviations of it."""
    d = 2 + seed // 2 % 3
    problem = FRESH[f"fresh_{shape}{d}d"](seed)
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * d), axis=-1).reshape(-1, d)
    values = problem.values(np.concatenate([corners, qmc.Sobol(d, rng=0).random(2 ** (11 + d))]))
    width = float(values.max()) - problem.optimum
    function = partial(_first, problem)
    return Case(as_space(problem.bounds), function, problem.optimum, float(values.max()), noise * values.std() / width)


def _first(problem: Problem, x: Any) -> float:
    return float(problem.values(np.asarray(x, dtype=float)[None])[0])


FAMILIES: dict[str, Callable[[int], Case]] = {
    "Matérn 5/2 sample, d = 1": lambda seed: sample(Matern(2.5), 1, np.random.default_rng([seed, 1])),
    "Matérn 5/2 sample, d = 2": lambda seed: sample(Matern(2.5), 2, np.random.default_rng([seed, 2])),
    "Matérn 5/2 sample, d = 3": lambda seed: sample(Matern(2.5), 3, np.random.default_rng([seed, 3])),
    "RBF sample, d = 1, 2 or 3": lambda seed: sample(RBF(), 1 + seed // 2 % 3, np.random.default_rng([seed, 4])),
    "forty bumps of various widths, d = 2": lambda seed: forty_bumps(np.random.default_rng([seed, 5])),
    "two wells of nearly equal depth, d = 2": lambda seed: two_wells(np.random.default_rng([seed, 6])),
    "reaction, 24 combinations of options": lambda seed: mixed(reaction_small(seed)),
    "reaction, 128 combinations of options": lambda seed: mixed(reaction(seed)),
    "choice of two, and two numbers": lambda seed: mixed(two_way((1.0, 0.05)[seed // 2 % 2])),
    "choice of five models with a valley each, and three numbers": lambda seed: mixed(which_model(seed)),
}
NOISY: dict[str, Callable[[int], Case]] = {
    "Matérn 5/2 sample, d = 1, noise 3 %": lambda seed: sample(Matern(2.5), 1, np.random.default_rng([seed, 7]), 0.03),
    "Matérn 5/2 sample, d = 1, noise 5 %": lambda seed: sample(Matern(2.5), 1, np.random.default_rng([seed, 8]), 0.05),
    "Matérn 5/2 sample, d = 2, noise 3 %": lambda seed: sample(Matern(2.5), 2, np.random.default_rng([seed, 9]), 0.03),
    "Matérn 5/2 sample, d = 2, noise 5 %": lambda seed: sample(Matern(2.5), 2, np.random.default_rng([seed, 10]), 0.05),
    "forty bumps, noise 3 %": lambda seed: forty_bumps(np.random.default_rng([seed, 11]), 0.03),
    "two wells, noise 5 %": lambda seed: two_wells(np.random.default_rng([seed, 12]), 0.05),
}
for _shape in (*SHAPES, "bumps"):  # in 2, 3 and 4 dimensions
    FAMILIES[f"fresh {_shape}"] = partial(fresh, _shape)
    for _noise in (0.05, 0.3):
        NOISY[f"fresh {_shape}, noise {100 * _noise:.0f} % of the sd"] = partial(fresh, _shape, noise=_noise)


@dataclass(frozen=True)
class Stopped:
    """Where the rule would have ended a run, and whether it was right; trial 0: it would not."""

    trial: int = 0
    wrong: bool = False
    excess: float = 0.0  # true regret / tolerance


@dataclass(frozen=True)
class Run:
    """What is kept of a run: the rule is a function of the history, and the truth about its points does not change."""

    history: History
    truth: tuple[float, ...]  # the function at each trial's point, without noise
    lowest: float
    highest: float

    @classmethod
    def of(cls, case: Case, seed: int) -> "Run":
        """Sixty trials, all defaults."""
        rng, sd = np.random.default_rng([seed, 0]), case.noise * case.range
        optimizer = sf.Optimizer(case.space, seed=seed)
        truth = []
        for _ in range(TRIALS):
            trial = optimizer.ask()
            truth.append(case.function(trial.point))
            optimizer.tell(trial, truth[-1] + sd * rng.standard_normal())
        return cls(optimizer.history, tuple(truth), case.lowest, case.highest)


def kept(made: Callable[[int], Case], name: str, seed: int, folder: Path | None) -> Run:
    """The run of a seed, from its file if there is one."""
    if folder is None:
        return Run.of(made(seed), seed)
    file = folder / f"{name.replace('/', ':')}, {seed}.pickle"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(Run.of(made(seed), seed)))
    found: Run = pickle.loads(file.read_bytes())
    return found


def stopped(run: Run, share: float, seconds: list[float]) -> Stopped:
    """The first trial after which the rule says stop; appends what each look took."""
    rule = sf.RegretBelow(share * (run.highest - run.lowest))
    for n in range(1, TRIALS + 1):
        history = History.of(run.history.events[: 1 + 2 * n])  # the start, then an ask and a telling for each trial
        start = time.process_time()
        told = rule.judge(history)
        seconds.append(time.process_time() - start)
        if told is not None:
            found = recommend(history) if "result.x_recommended" in told else None
            trial = history.best if found is None else found.trial
            assert trial is not None
            excess = (run.truth[trial.number] - run.lowest) / rule.tolerance
            return Stopped(n, excess > 1.0, excess)
    return Stopped()


def row(name: str, found: list[Stopped]) -> list[object]:
    """Runs, stops, wrong stops, an interval for their share, the worst of them, and when."""
    stops = [each for each in found if each.trial]
    wrong = [each for each in stops if each.wrong]
    worst = f"{max(each.excess for each in wrong):.1f}" if wrong else ""
    when = f"{np.median([each.trial for each in stops]):.0f}" if stops else ""
    return [name, len(found), len(stops), len(wrong), interval(len(wrong), len(stops)), worst, when]


def interval(k: int, n: int) -> str:
    """The 95 % interval of Clopper and Pearson for a share of which k in n were seen."""
    if not n:
        return ""
    low = beta_distribution.ppf(0.025, k, n - k + 1) if k else 0.0
    high = beta_distribution.ppf(0.975, k + 1, n - k) if k < n else 1.0
    return f"{100 * low:.0f}–{100 * high:.0f} %"


HEADER = (
    "family",
    "runs",
    "stops",
    "wrong",
    "95 % interval of the share",
    "worst / tolerance",
    "median trial of the stop",
)


TABLES: tuple[tuple[str, dict[str, Callable[[int], Case]], tuple[float, ...]], ...] = (
    ("Without noise", FAMILIES, (0.01,)),
    ("With noise", NOISY, (0.05, 0.01)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=12)
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--keep", type=Path, help="a directory of runs: those that it has are not made again")
    parser.add_argument("--only-runs", action="store_true", help="make them, and judge none")
    args = parser.parse_args()
    first = 0 if args.tuning else 49
    seconds: list[float] = []
    everything: list[Stopped] = []
    for title, families, shares in TABLES:
        found: dict[float, dict[str, list[Stopped]]] = {share: {name: [] for name in families} for share in shares}
        for name, made in families.items():
            for seed in range(first, first + 2 * args.runs, 2):
                run = kept(made, name, seed, args.keep)
                for share in () if args.only_runs else shares:
                    found[share][name].append(stopped(run, share, seconds))
        for share, by_name in found.items():
            pooled = [each for one in by_name.values() for each in one]
            rows = [*(row(name, one) for name, one in by_name.items()), row("all of them", pooled)]
            print_table(f"{title}, tolerance {100 * share:g} % of the range", HEADER, rows)
            everything += pooled
    print_table("Together", HEADER, [row("all three tables", everything)])
    looks = np.array([each for each in seconds if each > 1e-3])  # the others had no model to ask
    if len(looks):
        middle, long = np.quantile(looks, (0.5, 0.95))
        print(
            f"\nA look took {middle:.3f} s of one processor in the median, and more than {long:.3f} s in one of twenty."
        )


if __name__ == "__main__":
    main()
