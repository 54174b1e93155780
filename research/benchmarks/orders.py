"""Options in an order, as an Ordinal and as a Choice: python -m research.benchmarks.orders [--seeds N]

Twelve options in an order beside two real numbers. "ordered" has a single valley along the order; "shuffled" has the
same values of the options in a random order, where an order is no help. Printed is the median, and the largest, over
the seeds of the best value that was found, which is 0 at the optimum; a random point's median is 0.75.
"""

import argparse
import statistics

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402

OPTIONS, TRIALS = 12, (18, 30)
ORDERS = {False: "means something: one valley along it", True: "means nothing: the same values, shuffled"}
NAMES = tuple(f"size {k}" for k in range(OPTIONS))


def best_values(kind: type, shuffled: bool, trials: int, seeds: int) -> list[float]:
    """The best value of each run; the optimum is elsewhere for each seed."""
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 11])
        place, a, b = rng.integers(OPTIONS), *rng.random(2)
        order = rng.permutation(OPTIONS) if shuffled else np.arange(OPTIONS)
        height = {name: 4 * ((k - place) / OPTIONS) ** 2 for name, k in zip(NAMES, order, strict=True)}

        def f(p: dict, height: dict = height, a: float = a, b: float = b) -> float:
            return height[p["size"]] + (p["a"] - a) ** 2 + (p["b"] - b) ** 2

        space = {"a": (0.0, 1.0), "b": (0.0, 1.0), "size": kind(*NAMES)}
        found.append(sf.minimize(f, space, trials, seed=seed).fun)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    rows = []
    for shuffled, meaning in ORDERS.items():
        for trials in TRIALS:
            found = [best_values(kind, shuffled, trials, seeds) for kind in (sf.Ordinal, sf.Choice)]
            rows.append(
                [meaning, trials, *(f"{of(values):.1g}" for of in (statistics.median, max) for values in found)]
            )
    head = ["the order of the options", "trials", "as Ordinal", "as Choice", "largest as Ordinal", "largest as Choice"]
    print_table(f"The best value of {seeds} runs, median and largest", head, rows)


if __name__ == "__main__":
    main()
