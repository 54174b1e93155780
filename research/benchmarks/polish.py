"""What the last trials of a run gain by a local search: python -m research.benchmarks.polish [--trials 80] [--seeds 5]

Ten functions that nothing was chosen on, in boxes without a minimum in the middle. The same run is made with
`polish=False` and with the default; printed is the mean over the seeds of log10 of the regret, and how many runs ended
lower and higher.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

import suffice as sf
from suffice.types import Array

Function = Callable[[Array], float]
FLOOR = 1e-14  # of a regret: the rest is rounding


def _rosenbrock(x: Array) -> float:
    return float((100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum())


def _dixon_price(x: Array) -> float:
    return float((x[0] - 1.0) ** 2 + (np.arange(2, len(x) + 1) * (2.0 * x[1:] ** 2 - x[:-1]) ** 2).sum())


def _camel(x: Array) -> float:
    return float(2 * x[0] ** 2 - 1.05 * x[0] ** 4 + x[0] ** 6 / 6 + x[0] * x[1] + x[1] ** 2)


def _powell(x: Array) -> float:
    a, b, c, d = x
    return float((a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4)


def _ackley(x: Array) -> float:
    return float(
        20 - 20 * math.exp(-0.2 * math.sqrt((x * x).mean())) - math.exp(np.cos(2 * math.pi * x).mean()) + math.e
    )


def _styblinski_tang(x: Array) -> float:
    return float(((x**4 - 16 * x**2 + 5 * x) / 2).sum() + 39.16616570377142 * len(x))


def _goldstein_price(x: Array) -> float:
    a, b = x
    first = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b)
    second = 30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b)
    return math.log(first * second / 3)


def _schaffer(x: Array) -> float:
    return 0.5 + (math.sin(x[0] ** 2 - x[1] ** 2) ** 2 - 0.5) / (1 + 0.001 * float(x @ x)) ** 2


def _corner(x: Array) -> float:
    return float(np.abs(x - 0.3).sum())


FUNCTIONS: dict[str, tuple[Function, tuple[float, float], int]] = {
    "Ackley 2": (_ackley, (-20.0, 32.0), 2),
    "corner 3": (_corner, (-1.0, 1.0), 3),
    "Dixon-Price 3": (_dixon_price, (-10.0, 8.9), 3),
    "Goldstein-Price (log)": (_goldstein_price, (-2.0, 2.0), 2),
    "Powell 4": (_powell, (-4.0, 5.0), 4),
    "Rosenbrock 2": (_rosenbrock, (-4.0, 4.0), 2),
    "Rosenbrock 4": (_rosenbrock, (-3.0, 2.7), 4),
    "Schaffer 2": (_schaffer, (-8.0, 9.1), 2),
    "Styblinski-Tang 4": (_styblinski_tang, (-5.0, 5.0), 4),
    "three-hump camel": (_camel, (-5.0, 4.3), 2),
}


def regret(function: Function, bounds: tuple[float, float], d: int, n: int, seed: int, polish: bool | None) -> float:
    """log10 of what is left above the optimum, 0, after n trials."""
    return math.log10(max(FLOOR, sf.minimize(function, [bounds] * d, n, seed=seed, polish=polish).fun))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=80)
    parser.add_argument("--seeds", type=int, default=5)
    given, gains = parser.parse_args(), []
    for name, problem in FUNCTIONS.items():
        pairs = np.array(
            [[regret(*problem, given.trials, seed, polish) for polish in (False, None)] for seed in range(given.seeds)]
        )
        gains.append(pairs)
        print(f"{name:24s} without {pairs[:, 0].mean():6.2f}   with {pairs[:, 1].mean():6.2f}", flush=True)
    whole = np.concatenate(gains)
    lower, higher = (whole[:, 1] < whole[:, 0] - 0.01).sum(), (whole[:, 1] > whole[:, 0] + 0.01).sum()
    print(f"mean {whole.mean(axis=0).round(2).tolist()}; of {len(whole)} runs {lower} ended lower and {higher} higher")


if __name__ == "__main__":
    main()
