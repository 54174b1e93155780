"""How wide a sample of Thompson's: python -m research.benchmarks.thompson [--report] [--seeds N] [--trials N]

β multiplies the deviation of a sample from the mean. Each schedule runs on the tuning half of the registry's functions
and on three families with choices, integers and basins (seeds from 100); --report runs the other half and other
families, on which nothing was chosen. UCB runs along.

Printed for each schedule: the runs within 1 % and 0.1 % of a random point's median regret, the median log10 of the last
regret in the same unit, the geometric mean over the problems of the ratio of summed regrets to UCB's, and milliseconds
a suggestion.
"""

import argparse
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.defaults import REPORTING, TUNING  # noqa: E402
from research.benchmarks.places import Place, place  # noqa: E402

TRIALS, SEEDS = 40, 2
FAMILIES = {False: ("reaction_small", "staircase", "basins3d"), True: ("reaction", "which_model", "basins4d")}
FIRST = 100  # the first seed of a family: places.md reports on those from 0
RESOLUTION = 1e-10  # of the last regret: below, rounding decides
METHODS: dict[str, Any] = {
    "UCB": sf.UCB(),
    "Thompson, the paper's β": sf.acquisition.Thompson(sf.acquisition.SqrtLog()),
    **{f"Thompson, β = {beta}": sf.acquisition.Thompson(sf.acquisition.Constant(beta)) for beta in (1.0, 0.5, 0.25)},
}
HEAD = ("rule", "within 1 %", "within 0.1 %", "log10 r", "R ratio", "ms")


class Ran(NamedTuple):
    """One run: regrets in parts of a random point's."""

    last: float
    total: float
    milliseconds: float  # of a suggestion, in the median


def ran(where: Place, seed: int, acquisition: Any, trials: int) -> Ran:
    result = sf.minimize(where.function, where.space, trials, seed=seed, acquisition=acquisition)
    regret = (np.array([trial.value for trial in result.trials]) - where.problem.optimum) / where.typical
    asks = [sum(trial.solve.seconds.values()) for trial in result.trials if trial.solve is not None]
    return Ran(max(float(regret.min()), RESOLUTION), float(regret.sum()), 1e3 * statistics.median(asks))


def row(name: str, runs: Sequence[Sequence[Ran]], base: Sequence[Sequence[Ran]]) -> tuple[str, ...]:
    """A line of the table, from the runs on each problem and UCB's."""
    last = np.array([[run.last for run in cell] for cell in runs])
    ratios = [sum(a.total for a in own) / sum(b.total for b in ucb) for own, ucb in zip(runs, base, strict=True)]
    return (
        name,
        *(f"{np.sum(last <= limit)} of {last.size}" for limit in (0.01, 0.001)),
        f"{np.median(np.log10(last)):.1f}",
        f"{statistics.geometric_mean(ratios):.2f}",
        f"{statistics.median(run.milliseconds for cell in runs for run in cell):.0f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="the problems that nothing was chosen on")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--trials", type=int, default=TRIALS)
    words = parser.parse_args()
    seeds = range(FIRST, FIRST + words.seeds)
    functions = REPORTING if words.report else TUNING
    cells = [[(place(name), seed) for seed in seeds] for name in functions]
    cells += [[(place(f"{family}{seed}"), seed) for seed in seeds] for family in FAMILIES[words.report]]
    found = {
        name: [[ran(where, seed, acquisition, words.trials) for where, seed in cell] for cell in cells]
        for name, acquisition in METHODS.items()
    }
    rows = [row(name, runs, found["UCB"]) for name, runs in found.items()]
    print_table(f"{len(cells)} problems, {words.seeds} seeds, {words.trials} trials", HEAD, rows)


if __name__ == "__main__":
    main()
