"""How good runs are, and how true what they say is: python -m research.benchmarks.statements [--half odd] [--save FILE]

Functions drawn with a seed (research/problems/fresh.py) without noise, with Gaussian noise of 5 % and 30 % of the
function's standard deviation over the space, and with values rounded to a tenth of it. Even seeds are for choosing,
odd ones for reporting. Each run is judged by its regret in parts of a random point's, and by what was predicted:

one step     each value against its prediction when the point was asked for, explorations apart
anywhere     `predict` at random points at the end, without noise
recommended  `fun_recommended` against the function there
waste        steps after the 20th trial worse than the median of the initial design, by kind of step
"""

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems.fresh import FRESH  # noqa: E402
from research.problems.typical import typical_regret  # noqa: E402
from suffice.problems import Problem  # noqa: E402
from suffice.result.predict import surface  # noqa: E402
from suffice.space import as_space  # noqa: E402

NOISES: dict[str, tuple[float, float]] = {  # deviation of the noise, width of rounding: in standard deviations
    "none": (0.0, 0.0),
    "5 %": (0.05, 0.0),
    "30 %": (0.3, 0.0),
    "rounded": (0.0, 0.1),
}
SHARES = (0.5, 0.9, 0.99)
ENDS = (0.6744897501960817, 1.6448536269514722, 2.5758293035489004)
TRIALS = {"none": 60, "5 %": 60, "30 %": 60, "rounded": 60}
METHODS: dict[str, Any] = {
    "default": lambda: {},
    "LogEI": lambda: {"acquisition": sf.acquisition.LogEI()},
    "LogEI, one fit": lambda: {"acquisition": sf.acquisition.LogEI(), "model": one_fit()},
}


def one_fit() -> Any:
    """The model without members, in every version."""
    try:
        return sf.GP(members=1)
    except TypeError:
        return sf.GP()


class Measured:
    """The function as a run sees it."""

    def __init__(self, problem: Problem, noise: str, seed: int) -> None:
        self.space = problem.native.space if problem.native else as_space(problem.bounds)
        self.function = problem.native.function if problem.native else problem
        rng = np.random.default_rng([seed, 3])
        self.points = [self.space.from_unit(x) for x in self.space.sample(200, rng)]
        self.truth = np.array([self.function(point) for point in self.points])
        self.sd = float(np.std(self.truth))
        self.noise, self.step = (share * self.sd for share in NOISES[noise])
        self.rng = np.random.default_rng([seed, 4, *problem.name.encode()])

    def __call__(self, point: Any) -> float:
        value = float(self.function(point)) + self.noise * float(self.rng.standard_normal())
        return round(value / self.step) * self.step if self.step else value


def run(name: str, seed: int, noise: str, method: str, trials: int) -> dict[str, Any]:
    """One run and the truth about it."""
    problem = FRESH[name](seed)
    measured = Measured(problem, noise, seed)
    result = sf.minimize(measured, measured.space, trials, seed=seed, **METHODS[method]())
    typical = typical_regret(problem)
    reports = [trial.solve for trial in result.trials if trial.solve is not None]
    first = np.median([t.value for t in result.trials if t.origin == "design"])
    z = result.accuracy.z_scores
    steps = [t for t in result.trials if t.solve is not None]
    truth = {t.number: float(measured.function(t.point)) for t in result.trials}
    found = surface(result.history)
    X = np.array([measured.space.to_unit(point) for point in measured.points])
    inside = []
    for end in ENDS:
        _, low, high = found.at(X, end)
        inside.append(float(np.mean((measured.truth >= low) & (measured.truth <= high))))
    median, sd = result.predict(measured.points)
    there = float(measured.function(result.x_recommended))
    return {
        "problem": name,
        "seed": seed,
        "noise": noise,
        "method": method,
        "regret": (float(measured.function(result.x)) - problem.optimum) / typical,
        "recommended": (there - problem.optimum) / typical,
        "path": (np.minimum.accumulate(list(truth.values())) - problem.optimum).tolist(),
        "typical": typical,
        "z": [None if math.isnan(v) else float(v) for v in z],
        "kinds": [report.kind for report in reports],
        "numbers": [t.number for t in steps],
        "bad": [bool(truth[t.number] > first) for t in steps],
        "inside": inside,
        "random_z": ((measured.truth - median) / sd).tolist(),
        "error": (result.fun_recommended - there) / measured.sd,
        "error_z": (result.fun_recommended - there) / result.fun_recommended_sd,
        "ms": 1e3 * float(np.median([sum(r.seconds.values()) for r in reports])),
        "tau": reports[-1].binding.hyper.tau,
        "lam": reports[-1].binding.outcome.lam,
    }


def cells(half: str, seeds: int, noises: list[str], names: list[str]) -> Iterator[tuple[str, int, str]]:
    first = {"even": 0, "odd": 1}[half]
    for k in range(seeds):
        for noise in noises:
            for name in names:
                yield name, first + 2 * k, noise


def table(runs: list[dict[str, Any]]) -> None:
    """What is claimed against what is so, by noise and method."""
    rows, regrets = [], []
    for noise in NOISES:
        for method in dict.fromkeys(r["method"] for r in runs):
            some = [r for r in runs if r["noise"] == noise and r["method"] == method]
            if not some:
                continue
            kinds = np.array([k for r in some for k in r["kinds"]], dtype=object)
            z = np.array([v for r in some for v in r["z"]], dtype=float)
            known = ~np.isnan(z) & ~np.isin(kinds, ("explore", "look elsewhere"))
            size = np.abs(z[known])
            errors = np.array([r["error_z"] for r in some])
            rows.append(
                (
                    noise,
                    method,
                    len(some),
                    len(size),
                    *(f"{100 * np.mean(size <= end):.0f}" for end in ENDS),
                    f"{math.sqrt(np.mean(size**2)):.2f}",
                    f"{size.max():.1f}",
                    *(f"{100 * np.mean([r['inside'][i] for r in some]):.0f}" for i in range(3)),
                    f"{np.mean(errors):+.2f}",
                    f"{100 * np.mean(np.abs(errors) <= 2):.0f}",
                )
            )
            late = [(k, b) for r in some for k, b, n in zip(r["kinds"], r["bad"], r["numbers"], strict=True) if n >= 20]
            by = [[b for k, b in late if (k in ("explore", "look elsewhere")) == e] for e in (False, True)]
            regret = np.array([r["recommended"] for r in some])
            regrets.append(
                (
                    noise,
                    method,
                    len(some),
                    f"{np.mean([r['regret'] for r in some]):.4f}",
                    f"{np.mean(regret):.4f}",
                    f"{np.mean(np.log10(np.maximum(regret, 1e-9))):.2f}",
                    f"{np.mean(regret <= 0.01):.2f}",
                    f"{100 * np.mean(by[0]):.0f}" if by[0] else "–",
                    f"{100 * len(by[1]) / len(late):.0f}",
                    f"{np.median([r['ms'] for r in some]):.0f}",
                )
            )
    head = (
        "noise",
        "method",
        "runs",
        "steps",
        "50",
        "90",
        "99",
        "rms z",
        "worst",
        "50",
        "90",
        "99",
        "error",
        "within 2",
    )
    print_table("One step | anywhere | recommended", head, rows)
    head = ("noise", "method", "runs", "best", "recommended", "log10", "within 1 %", "bad %", "exploring %", "ms")
    print_table("Regret in parts of a random point's", head, regrets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(FRESH), metavar="family")
    parser.add_argument("--half", choices=("even", "odd"), default="even")
    parser.add_argument("--seeds", type=int, default=1, help="of each family")
    parser.add_argument("--noise", nargs="*", default=list(NOISES), choices=list(NOISES))
    parser.add_argument("--methods", nargs="*", default=["default"], choices=list(METHODS))
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--label", default="", help="behind the name of each method in the table")
    parser.add_argument("--save", type=Path, help="append each run to this file, as a line of JSON")
    parser.add_argument("--read", type=Path, nargs="*", help="the table of saved runs, and none made")
    words = parser.parse_args()
    runs = [json.loads(line) for file in words.read or () for line in file.read_text().splitlines()]
    if not words.read:
        for name, seed, noise in cells(words.half, words.seeds, words.noise, words.names):
            for method in words.methods:
                runs.append(run(name, seed, noise, method, words.trials))
                runs[-1]["method"] += words.label
                if words.save:
                    with words.save.open("a") as file:
                        file.write(json.dumps(runs[-1]) + "\n")
    table(runs)


if __name__ == "__main__":
    main()
