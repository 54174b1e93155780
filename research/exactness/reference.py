"""How sure is the reference? Every solve of our own loop is measured by two heavy searches of different seeds.

In up to three dimensions branch and bound looks for a better point than theirs, and for a proof that there is none.

agreed    the two best values differ by at most 1e-6 of the acquisition
better    branch and bound has found more than that        proven   it has shown that there is no more than that
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import suffice as sf
from research.compare.entrant import design
from research.exactness.runs import INITIAL
from research.problems import registry  # noqa: F401  # registers the problems
from suffice.accuracy.certificate import certify
from suffice.exactness.libraries import LIBRARIES, Seen
from suffice.exactness.meter import measured
from suffice.exactness.watch import WATCHED_DRAWS, watched
from suffice.problems.functions import find

PROBLEMS = ("branin", "six_hump_camel", "rastrigin3", "hartmann3", "levy5", "hartmann6", "ackley10")
PROVEN_IN = 3  # dimensions; in more the boxes run out
NODES = 1_000_000  # boxes of a proof; most need a thousandth of it
SAME = 1e-6


@dataclass(frozen=True)
class Run:
    """Our loop with one model and LogEI on one problem with one seed."""

    problem: str
    seed: int
    trials: int = 50
    every: int = 4


def runs(seed: int, problems: tuple[str, ...] = PROBLEMS, **words: int) -> Iterator[Run]:
    """Those of one seed."""
    return (Run(problem, seed, **words) for problem in problems)


@dataclass
class Judge:
    """Counts what the heavy searches and branch and bound have found."""

    every: int
    seen: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("solves", "agreed", "better", "proven"), 0))

    def saw(self, seconds: float, read: Callable[[], Seen | None]) -> None:  # noqa: ARG002
        """One solve."""
        solve = read()
        self.seen += 1
        if solve is None or (self.seen - 1) % self.every:
            return
        alpha, domain = solve.alpha, solve.domain
        first, again = (
            measured(alpha, domain, solve.x, solve.known, draws=WATCHED_DRAWS, seed=seed).best for seed in (0, 1)
        )
        found = {"solves": True, "agreed": abs(first - again) <= SAME}
        if domain.dim <= PROVEN_IN:
            proof = certify(alpha, domain, value=first, nodes=NODES, tolerance=0.5 * SAME)
            found |= {"better": proof.value > first + SAME, "proven": proof.upper <= first + SAME}
        for name, yes in found.items():
            self.counts[name] += yes


def made(run: Run) -> dict[str, Any]:
    """The counts of one run."""
    problem, judge = find(run.problem), Judge(run.every)
    optimizer = sf.Optimizer(
        problem.bounds, seed=run.seed, n_initial=INITIAL, model=sf.GP(members=1), acquisition=sf.LogEI()
    )
    for x in design(problem, INITIAL, run.seed).tolist():
        optimizer.tell(x, problem(x))
    with watched(LIBRARIES["suffice"].seams[0], judge):  # type: ignore[arg-type]
        for _ in range(run.trials - INITIAL):
            trial = optimizer.ask()
            optimizer.tell(trial, problem(trial.point))
    return judge.counts
