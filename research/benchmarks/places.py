"""How often, and how soon, a run is within one per cent: python -m research.benchmarks.places [--seeds N] [family …]

Each family of mixed problems (and basins of several widths) with the seeds 0 … N − 1, 50 trials a run, by suffice's
defaults, by suffice with aim="regret" and with LogEI, and by random search. A run is within p per cent if its regret is
at most p per cent of the median regret of a uniform random point, from 10 000 draws. "Options tried" counts those of
all choices of a space,
"best tried" the runs that ever evaluated the best combination of options, whatever the numbers beside it, and "in one"
the trials of a run that went to a single combination, the most frequent one.
"""

import argparse
import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS, Problem, find  # noqa: E402
from research.problems.registry import FIXED, SEEDED  # noqa: E402
from research.problems.typical import typical_regret  # noqa: E402
from suffice.space import Choice, Space, as_space  # noqa: E402

TRIALS = 50
LONGER = 80  # trials on a function of the registry
FAMILIES = (*FIXED, *SEEDED)
HEAD = ("family", "method", "within 1 %", "within 0.1 %", "evaluations to 1 %", "options tried", "best tried", "in one")

Runner = Callable[["Place", int], list[tuple[Any, float]]]  # of a problem and a seed: the points and their values


class Place(NamedTuple):
    """A problem on its own space, and the regret of a random point there."""

    problem: Problem
    space: Space
    function: Callable[[Any], float]
    typical: float  # median regret of a uniform random point


class Judged(NamedTuple):
    """One run: its regret in parts of a random point's."""

    regret: float
    evaluations: float  # until within 1 %, inf if never
    options: float  # share of all options that were tried, nan where there are none
    best: float  # whether the best combination of options was tried, nan where there are none
    in_one: float  # number of trials in the most frequent combination, nan where there are none


def place(name: str) -> Place:
    problem = find(name)
    space = problem.native.space if problem.native else as_space(problem.bounds)
    function = problem.native.function if problem.native else problem
    return Place(problem, space, function, typical_regret(problem))


def drawn(space: Space, function: Callable[[Any], float], n: int, rng: np.random.Generator) -> list[tuple[Any, float]]:
    points = [space.from_unit(x) for x in space.sample(n, rng)]
    return [(point, function(point)) for point in points]


def at_random(place: Place, seed: int) -> list[tuple[Any, float]]:
    return drawn(place.space, place.function, trials_of(place), np.random.default_rng([seed, 2]))


def by_suffice(**parts: Any) -> Runner:
    def run(place: Place, seed: int) -> list[tuple[Any, float]]:
        result = sf.minimize(place.function, place.space, trials_of(place), seed=seed, **parts)
        return [(trial.point, trial.value) for trial in result.trials]

    return run


def trials_of(place: Place) -> int:
    """The families are made for 50 trials; a function of the registry takes more."""
    return LONGER if place.problem.name in PROBLEMS else TRIALS


METHODS: dict[str, Runner] = {
    "default": by_suffice(),
    "regret": by_suffice(aim="regret"),
    "LogEI": by_suffice(acquisition=sf.acquisition.LogEI()),
    "random": at_random,
}
ABLATION: dict[str, Runner] = {
    "default": by_suffice(),
    "no exploration": by_suffice(acquisition=sf.acquisition.LogEI()),
    "one fit": by_suffice(model=sf.GP(members=1)),
    "improve by UCB": by_suffice(acquisition=sf.acquisition.LookAround(improve=sf.UCB())),
    "elsewhere, β = 0.5": by_suffice(acquisition=sf.acquisition.LookAround(elsewhere=sf.acquisition.Elsewhere(0.5))),
    "elsewhere, β = 2": by_suffice(acquisition=sf.acquisition.LookAround(elsewhere=sf.acquisition.Elsewhere(2.0))),
}


def judged(place: Place, trials: Sequence[tuple[Any, float]]) -> Judged:
    regret = (np.array([value for _, value in trials]) - place.problem.optimum) / place.typical
    within = np.flatnonzero(regret <= 0.01)
    evaluations = within[0] + 1 if len(within) else math.inf
    return Judged(regret.min(), evaluations, *options_tried(place, [point for point, _ in trials]))


def options_tried(place: Place, points: Sequence[Any]) -> tuple[float, float, float]:
    """The last three fields of `Judged`."""
    choices = {name: p.options for name, p in place.space.params.items() if isinstance(p, Choice)}
    if not choices or place.problem.native is None:
        return math.nan, math.nan, math.nan
    tried = sum(len({point[name] for point in points}) for name in choices)
    best = place.problem.native.point(np.array(place.problem.minimizers[0]))
    combinations = Counter(tuple(point[name] for name in choices) for point in points)
    met = tuple(best[name] for name in choices) in combinations
    return tried / sum(map(len, choices.values())), float(met), float(max(combinations.values()))


def row(family: str, method: str, runs: Sequence[Judged]) -> tuple[str, ...]:
    regret, evaluations, options, best, in_one = np.array(runs).T
    middle = statistics.median(evaluations)  # of runs that never got there inf
    chose = ~np.isnan(options)
    return (
        family,
        method,
        *(f"{int(np.sum(regret <= limit))} of {len(runs)}" for limit in (0.01, 0.001)),
        f"{middle:.0f}" if math.isfinite(middle) else f"> {LONGER if family in PROBLEMS else TRIALS}",
        f"{100 * options[chose].mean():.0f} %" if chose.any() else "–",
        f"{int(best[chose].sum())} of {chose.sum()}" if chose.any() else "–",
        f"{in_one[chose].mean():.0f}" if chose.any() else "–",
    )


def names(family: str, seeds: range) -> list[str]:
    """The problems of a family; one that draws nothing is the same for every seed of a run."""
    return [family if family in FIXED or family in PROBLEMS else f"{family}{seed}" for seed in seeds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=FAMILIES, metavar="family", help=", ".join(FAMILIES))
    parser.add_argument("--seeds", type=int, default=10, help="problems of each family, one run each (default: 10)")
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds (default: 0)")
    parser.add_argument("--ablation", action="store_true", help="variants of the default instead")
    words = parser.parse_args()
    methods, seeds = ABLATION if words.ablation else METHODS, range(words.first, words.first + words.seeds)
    rows, everything = [], {method: list[Judged]() for method in methods}
    for family in words.families:
        places = [place(name) for name in names(family, seeds)]
        for method, run in methods.items():
            runs = [judged(where, run(where, seed)) for seed, where in zip(seeds, places, strict=True)]
            everything[method] += runs
            rows.append(row(family, method, runs))
    rows += [row("all", method, runs) for method, runs in everything.items()]
    print_table(f"Within one per cent in {TRIALS} trials, {words.seeds} seeds", HEAD, rows)


if __name__ == "__main__":
    main()
