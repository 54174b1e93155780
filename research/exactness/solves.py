"""The first part: every library in its own loop, with its own model, acquisition and defaults.

Libraries are asked and told by the adapters of the comparison (research/compare/adapters), all from the same initial
design. Problems whose parameters are not all real are for the libraries whose adapters take such spaces.

η      of every solve that was measured        gap    relative to the spread of the acquisition
ms     median processor time of a solve, without the fit of the model
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import suffice as sf
from research.compare.entrant import described, design
from research.compare.systems import SYSTEMS
from research.exactness.runs import INITIAL
from research.problems import registry  # noqa: F401  # registers the problems
from suffice.problems.functions import find

# The comparison's system, the watcher and settings. BoTorch has the effort of its tutorials; "more", about three times
# as much, is measured on Hartmann 6d only.
LIBRARIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "optuna": ("optuna_gp", "optuna", {}),
    "bayes_opt": ("bayes_opt", "bayes_opt", {}),
    "botorch": ("botorch_logei", "botorch", {}),
    "skopt": ("skopt", "skopt", {}),
    "botorch more": ("botorch_logei", "botorch", {"restarts": 20, "raw_samples": 1024}),
    "suffice": ("suffice", "suffice", {}),
}
PAPER = ("branin", "rastrigin3", "hartmann3", "hartmann4", "levy5", "hartmann6")
FURTHER = ("six_hump_camel", "goldstein_price", "michalewicz5", "ackley10", "two_way", "reaction_small0")
NOISY = {"branin+noise": ("branin", 5.0), "hartmann6+noise": ("hartmann6", 0.1)}  # the standard deviation of the noise


@dataclass(frozen=True)
class Run:
    """One library on one problem with one seed; every so many of its solves are measured."""

    library: str
    problem: str
    seed: int
    trials: int = 50
    every: int = 5


def runs(seed: int, problems: tuple[str, ...] = (*PAPER, *FURTHER, *NOISY), **words: int) -> Iterator[Run]:
    """Those of one seed."""
    for problem in problems:
        for library in LIBRARIES:
            if library != "botorch more" or problem == "hartmann6":
                yield Run(library, problem, seed, **words)


def made(run: Run) -> dict[str, Any] | None:
    """The solves of one run; None where the library takes no such space."""
    system_name, watched, settings = LIBRARIES[run.library]
    system = SYSTEMS[system_name]
    name, deviation = NOISY.get(run.problem, (run.problem, 0.0))
    problem, rng = find(name), np.random.default_rng(run.seed)
    if problem.native is not None and not system.native:
        return None

    def f(x: list[float]) -> float:
        return problem(x) + deviation * float(rng.standard_normal())

    points = design(problem, INITIAL, run.seed).tolist()
    values = [f(x) for x in points]
    where = {"space": described(problem)} if system.native else {"bounds": problem.bounds}
    make = import_module(f"research.compare.adapters.{system.adapter.stem}").Peer
    peer = make(points=points, values=values, seed=run.seed, **where, **{**system.settings, **settings})
    with sf.watch_solves(watched, every=run.every) as solves:
        for _ in range(run.trials - INITIAL):
            x = peer.ask()
            peer.tell(x, f(x))
    qualities = [solve.quality for solve in solves if solve.quality is not None]
    return {
        "version": solves.library,
        "acquisition": " ".join(dict.fromkeys(solve.acquisition for solve in solves if solve.acquisition)),
        "steps": " ".join(str(solve.step) for solve in solves.measured),
        "eta": " ".join(f"{quality.eta:.5g}" for quality in qualities),
        "gap": " ".join(f"{quality.relative_gap:.2g}" for quality in qualities),
        "ms": f"{1e3 * np.median([solve.seconds for solve in solves]):.3g}",
    }
