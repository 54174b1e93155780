"""scikit-optimize and suffice.compat.skopt side by side: evaluations, results, models and errors for many arguments.

    python -m research.benchmarks.skopt_parity            # needs scikit-optimize: pip install --group compare

Every case is run with both. Printed are those that differ, and how many do not. What comes out is compared: the number
of calls of the objective, of evaluations in the result and of models, and the class of the error, if any; not which
points were chosen. Then come the seconds that gp_minimize takes beside its evaluations.
"""

import argparse
import importlib
import statistics
import time
import warnings
from types import ModuleType
from typing import Any

import numpy as np

DIMENSIONS = [(-2.0, 2.0), (1, 5), ["a", "b"]]
POINT = [0.5, 2, "a"]
CASES: list[dict[str, Any]] = [
    {"n_calls": 12, "n_initial_points": 5},
    {"n_calls": 5},
    {"n_calls": 12, "x0": POINT},
    {"n_calls": 11, "x0": POINT},
    {"n_calls": 10, "x0": POINT},
    {"n_calls": 11, "x0": tuple(POINT)},
    {"n_calls": 11, "x0": [tuple(POINT)]},
    {"n_calls": 10, "x0": POINT, "y0": 1.0},
    {"n_calls": 10, "x0": [POINT], "y0": [1.0]},
    {"n_calls": 10, "x0": [POINT], "y0": np.array([1.0])},
    {"n_calls": 10, "x0": [POINT], "y0": [1.0, 2.0]},
    {"n_calls": 10, "y0": [1.0]},
    {"n_calls": 10, "x0": [], "y0": []},
    {"n_calls": 3, "n_initial_points": 0},
    {"n_calls": 3, "n_initial_points": 0, "x0": POINT},
    {"n_calls": 0, "n_initial_points": 0, "x0": [POINT], "y0": [1.0]},
    {"n_calls": 12, "x0": [[3.5, 2, "a"]]},
    {"n_calls": 10, "x0": [[0.5, 2.5, "a"]], "y0": [1.0]},
    {"n_calls": 10, "x0": [[0.5, 2, "c"]], "y0": [1.0]},
    {"n_calls": 10, "x0": [[0.5, 2]], "y0": [1.0]},
    {"n_calls": 10, "x0": (POINT,)},
    {"n_calls": 11, "x0": [POINT], "callback": lambda _: True},
    {"n_calls": 11, "callback": lambda result: len(result.x_iters) == 3},
    {"n_calls": 11, "callback": 3},
    {"n_calls": 11, "acq_func": "XX"},
    {"n_calls": 11, "acq_optimizer": "XX"},
    {"n_calls": 11, "initial_point_generator": "XX"},
    {"n_calls": 11, "random_state": "a"},
    {"n_calls": 11, "random_state": np.random.RandomState(3)},
    {"n_calls": 11, "base_estimator": "XX"},
    {"n_calls": 11, "base_estimator": "RF", "acq_func": "EI"},
    {"n_calls": 11, "acq_func": "EIps"},
    {"n_calls": 11, "n_random_starts": 3},
    {"n_calls": 11, "space_constraint": 3},
    {"n_calls": 11, "space_constraint": lambda x: x[0] < 1},
    {"n_calls": 12, "n_initial_points": 5, "model_queue_size": 2},
    {"n_calls": 11, "model_queue_size": "a"},
    *({"n_calls": 11, "noise": noise} for noise in (0.1, 1e-10, "x")),
    *({"n_calls": 11, "acq_func": word} for word in ("EI", "LCB", "PI")),
    *(
        {"n_calls": 6, "n_initial_points": 5, "initial_point_generator": word}
        for word in ("random", "sobol", "halton", "hammersly", "lhs", "grid")
    ),
]


def outcome(library: ModuleType, words: dict[str, Any]) -> str:
    """What came of a case."""
    calls = 0

    def objective(x: list[Any]) -> float:
        nonlocal calls
        calls += 1
        return float(x[0]) ** 2 + int(x[1]) + (x[2] == "a")

    try:
        result = library.gp_minimize(objective, DIMENSIONS, **{"random_state": 0, **words})
    except Exception as error:
        return f"{type(error).__name__} after {calls} calls"
    return f"{calls} calls, {len(result.x_iters)} evaluations, {len(result.models)} models"


def seconds(library: ModuleType, n_calls: int, runs: int) -> float:
    """The median over runs of what gp_minimize takes for Branin's function, which takes nothing itself."""
    benchmarks = importlib.import_module(f"{library.__name__}.benchmarks")
    taken = []
    for seed in range(runs):
        began = time.perf_counter()
        library.gp_minimize(benchmarks.branin, [(-5.0, 10.0), (0.0, 15.0)], n_calls=n_calls, random_state=seed)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="of gp_minimize that are timed (%(default)s; 0: none)")
    parser.add_argument("--calls", type=int, default=40, help="of the objective in each (%(default)s)")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    theirs, ours = importlib.import_module("skopt"), importlib.import_module("suffice.compat.skopt")
    same = 0
    for words in CASES:
        both = outcome(theirs, words), outcome(ours, words)
        same += both[0] == both[1]
        if both[0] != both[1]:
            print(f"{words}\n    scikit-optimize  {both[0]}\n    here             {both[1]}")
    print(f"{same} of {len(CASES)} cases have the same outcome")
    for name, library in (("scikit-optimize", theirs), ("here", ours)) if given.runs else ():
        print(f"{name:>16}: {seconds(library, given.calls, given.runs):.2f} s for gp_minimize with {given.calls} calls")


if __name__ == "__main__":
    main()
