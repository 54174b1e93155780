"""Frozen α_t of real GP-UCB runs, for the benchmarks that judge what is said about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import suffice as sf
from suffice.problems import PROBLEMS, Problem
from suffice.problems import scalable as make
from suffice.types import Solution, Step


@dataclass
class Recorder:
    """A solver that keeps the frozen α_t of some steps."""

    wanted: frozenset[int]
    solver: Any = field(default_factory=lambda: sf.Grid(size=sf.Fixed(500)))
    kept: list[tuple[Any, Step]] = field(default_factory=list)

    def __call__(self, alpha: Any, domain: Any, *, step: Step, rng: Any) -> Solution:
        if len(step.design) in self.wanted:
            self.kept.append((alpha, step))
        return self.solver(alpha, domain, step=step, rng=rng)


def surfaces(problem: Problem, seed: int, sizes: Sequence[int]) -> list[tuple[Any, Step]]:
    """α_t of one run when it had these numbers of observations."""
    recorder = Recorder(frozenset(sizes))
    n_initial = min(2 * (problem.dim + 1), min(sizes))
    sf.minimize(problem, problem.bounds, max(sizes) + 1, seed=seed, n_initial=n_initial, aim="regret", solver=recorder)
    return recorder.kept


def functions(d: int) -> list[Problem]:
    """Up to six functions of d columns; some of them are also those that `Enough` was tuned on."""
    any_d = [make.levy(d), make.ackley(d), make.griewank(d), make.styblinski_tang(d), make.rastrigin(d)]
    named = [
        problem for problem in PROBLEMS.values() if problem.dim == d and problem.name not in {p.name for p in any_d}
    ]
    return [*any_d, *named][:6]
