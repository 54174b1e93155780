"""Many workers at once.

    python -m research.benchmarks.batches [--report] [--rule NAME …] [--workers N …] [--strategy NAME …]

Each worker asks as soon as it is free; a clock of the simulation's own runs from one end of an evaluation to the next,
so that nothing is waited for. Evaluations last a log-normal time of median 1 (sd of the logarithm 0.5), the same for
the same problem, seed and trial whatever is compared. `research.benchmarks.pending` has the strategies: what a rule
makes of the points that the other workers have under way.

The level of a problem is 1 % of a random point's median regret or, where one worker does not get there in most of its
runs, what it gets to. One worker has N evaluations, more have 1.5 N, 64 have 4 N. Printed for each strategy and number
of workers: on how many problems the median number of evaluations until the level is at most 1.5 times that of one
worker; the runs within 1 %; the mean log10 of the regret after N evaluations, at the end, and at the time 4 (when one
worker has had about four results), none better than 0.1 %; and the share of asks beside a point under way: nearer than
0.01 in every column of the unit cube. Strategies are compared on the first ten problems; --report runs the other ten.
"""

import argparse
import heapq
import math
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.pending import Apart, Believe, Drawn, Ignore, Marked, Penalise, drawn, lower, worst  # noqa: E402
from research.benchmarks.places import Place, place  # noqa: E402

EVALUATIONS, SEEDS, FIRST = 40, 2, 100  # of one worker; runs a problem; the first seed, as in benchmarks.thompson
SPREAD = 0.5  # sd of the logarithm of an evaluation's time
CLOCK = 7  # the name of the stream of times, beside the seed and the trial
NEAR = 0.01  # of the range of every parameter: who asks for such a point has learned nothing by having many workers
FLOOR = 1e-3  # of a random point's regret: what is below is polishing
TIME = 4.0  # in medians of an evaluation's time
LEVEL, ALLOWED = 0.01, 1.5  # of a random point's regret; evaluations in parts of one worker's
TUNING = (
    *("branin", "hartmann3", "rosenbrock4", "shekel5", "ackley5", "hartmann6", "cosine_mixture8"),
    *("reaction_small", "staircase", "basins3d"),
)
REPORTING = (
    *("six_hump_camel", "hartmann4", "shekel7", "powell4", "styblinski_tang4", "levy5", "michalewicz5"),
    *("reaction", "two_way", "basins4d"),
)
SEEDED = ("reaction_small", "reaction", "staircase", "basins3d", "basins4d")  # whose name goes on with the seed
RULES: dict[str, Any] = {"UCB": sf.UCB(), "LogEI": sf.LogEI(), "default": None}
HEAD = ("rule", "strategy", "workers", "within 1.5 ×", "within 1 %", "after N", "end", "time 4", "near")


class Run(NamedTuple):
    """The evaluations in the order in which they ended."""

    regret: np.ndarray  # in parts of a random point's, the best so far
    clock: np.ndarray
    near: float  # share of the asks beside a point under way


def with_rule(rule: Any, wrap: Callable[[Any], Any]) -> dict[str, Any]:
    return {"acquisition": wrap(rule)}


STRATEGIES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "mean": lambda rule: {"acquisition": rule},
    "lower": partial(with_rule, wrap=partial(Believe, value=lower)),
    "worst": partial(with_rule, wrap=partial(Believe, value=worst)),
    "sample": partial(with_rule, wrap=partial(Believe, value=drawn)),
    "penalised": partial(with_rule, wrap=Penalise),
    "apart": lambda rule: {"acquisition": Marked(rule), "solver": Apart(sf.solvers.Adaptive())},
    "ignored": partial(with_rule, wrap=Ignore),
    "drawn": lambda rule: {"acquisition": Ignore(rule), "solver": Drawn()},
    "Thompson": lambda _rule: {"acquisition": sf.acquisition.Thompson()},
}


def simulated(where: Place, seed: int, workers: int, evaluations: int, parts: dict[str, Any]) -> Run:
    """A run of `evaluations` trials by so many workers, none of which is ever idle while there is something to ask."""
    optimizer = sf.Optimizer(where.space, seed=seed, **parts)
    under_way: list[tuple[float, int, sf.Trial]] = []  # by the time of their end
    asked, near, now = 0, 0, 0.0
    values, clock = [], []
    while len(values) < evaluations:
        while asked < evaluations and len(under_way) < workers:
            trial = optimizer.ask()
            if trial.origin == "model":
                near += any(np.abs(trial.unit - other.unit).max() < NEAR for _, _, other in under_way)
            heapq.heappush(under_way, (now + duration(seed, trial.number), trial.number, trial))
            asked += 1
        now, _, trial = heapq.heappop(under_way)
        value = where.function(trial.point)
        optimizer.tell(trial, value)
        values.append(value)
        clock.append(now)
    regret = np.minimum.accumulate((np.array(values) - where.problem.optimum) / where.typical)
    return Run(regret, np.array(clock), near / evaluations)


def duration(seed: int, trial: int) -> float:
    """How long an evaluation takes."""
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(CLOCK, trial)))
    return float(stream.lognormal(0.0, SPREAD))


def until(runs: Sequence[Run], level: float) -> float:
    """The median over the runs of the evaluations until the level; inf where most never got there."""
    reached = [np.flatnonzero(run.regret <= level) for run in runs]
    return float(statistics.median_high(rows[0] + 1.0 if len(rows) else math.inf for rows in reached))


def level_of(alone: Sequence[Run]) -> float:
    """1 %, or what the worse half of the runs of one worker just gets to."""
    return max(LEVEL, float(statistics.median_high(run.regret[-1] for run in alone)))


def row(names: tuple[str, str, int], runs: Sequence[Sequence[Run]], alone: Sequence[Sequence[Run]]) -> tuple[str, ...]:
    """A line of the table, from the runs on each problem and those of one worker."""
    counts = [(until(a, level_of(b)), until(b, level_of(b))) for a, b in zip(runs, alone, strict=True)]
    flat = [run for cell in runs for run in cell]
    return (
        *map(str, names),
        f"{sum(own <= ALLOWED * one for own, one in counts)} of {len(counts)}",
        f"{sum(run.regret[-1] <= LEVEL for run in flat)} of {len(flat)}",
        *(logarithm([run.regret[:end][-1] for run in flat]) for end in (EVALUATIONS, None)),
        logarithm([run.regret[max(0, np.searchsorted(run.clock, TIME, "right") - 1)] for run in flat]),
        f"{100 * np.mean([run.near for run in flat]):.0f} %",
    )


def logarithm(regrets: Sequence[float]) -> str:
    return f"{np.mean(np.log10(np.maximum(regrets, FLOOR))):.2f}"


def budget(workers: int) -> int:
    return math.ceil(EVALUATIONS * {1: 1.0, 64: 4.0}.get(workers, ALLOWED))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", nargs="+", default=list(STRATEGIES), choices=STRATEGIES)
    parser.add_argument("--report", action="store_true", help="the problems that nothing was chosen on")
    parser.add_argument("--rule", nargs="+", default=["UCB", "LogEI"], choices=RULES)
    parser.add_argument("--workers", type=int, nargs="+", default=[16])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--problems", nargs="+", help="only these")
    words = parser.parse_args()
    if "default" in words.rule and words.strategy != ["mean"]:
        parser.error("--rule default goes with --strategy mean: a strategy needs a rule that it can hold")
    seeds = range(FIRST, FIRST + words.seeds)
    problems = words.problems or (REPORTING if words.report else TUNING)
    cells = [[(place(f"{name}{seed}" if name in SEEDED else name), seed) for seed in seeds] for name in problems]

    def runs(strategy: str, rule: str, workers: int) -> list[list[Run]]:
        parts = STRATEGIES[strategy](RULES[rule])
        return [[simulated(where, seed, workers, budget(workers), parts) for where, seed in cell] for cell in cells]

    rows, detail = [], []
    for rule in words.rule:
        alone = runs("mean", rule, 1)
        rows.append(row((rule, "one", 1), alone, alone))
        detail.append((rule, "one", 1, *(f"{until(a, level_of(a)):.0f}" for a in alone)))
        for workers in words.workers:
            for strategy in words.strategy:
                found = runs(strategy, rule, workers)
                rows.append(row((rule, strategy, workers), found, alone))
                print(" | ".join(rows[-1]), flush=True)
                counts = (until(a, level_of(b)) for a, b in zip(found, alone, strict=True))
                detail.append((rule, strategy, workers, *(f"{count:.0f}" for count in counts)))
    print_table(f"{len(cells)} problems, {words.seeds} seeds", HEAD, rows)
    print_table("Evaluations until the level", ("rule", "strategy", "workers", *problems), detail)


if __name__ == "__main__":
    main()
