"""The first part: every library in its own loop, with its own model and acquisition; how exact its solves are.

A run is one file, so that a study goes on where it stopped. Libraries are asked and told by the adapters of the
comparison (research/compare/adapters), all from the same initial design.
"""

import importlib.util
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from research.compare.entrant import described, design
from research.compare.systems import SYSTEMS
from research.problems import registry  # noqa: F401  # registers the problems
from suffice.problems.lookup import find

# The name of the comparison's system, and of the watcher. BoTorch has the effort that its tutorials have; "more" has
# about three times as much.
LIBRARIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "botorch": ("botorch_logei", "botorch", {}),
    "botorch more": ("botorch_logei", "botorch", {"restarts": 20, "raw_samples": 1024}),
    "optuna": ("optuna_gp", "optuna", {}),
    "skopt": ("skopt", "skopt", {}),
    "bayes_opt": ("bayes_opt", "bayes_opt", {}),
    "suffice": ("suffice", "suffice", {}),
}
PAPER = ("branin", "rastrigin3", "hartmann3", "hartmann4", "levy5", "hartmann6")
FURTHER = ("six_hump_camel", "goldstein_price", "ackley10", "michalewicz5", "two_way", "reaction_small0")
NOISY = {"branin+noise": ("branin", 5.0), "hartmann6+noise": ("hartmann6", 0.1)}  # the deviation of the noise
INITIAL = 10


@dataclass(frozen=True)
class Run:
    """One library on one problem with one seed."""

    library: str
    problem: str
    seed: int
    trials: int
    every: int

    @property
    def file(self) -> str:
        return f"{self.library}-{self.problem}-{self.seed}.json".replace(" ", "_")


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
    make = adapter(system.adapter).Peer
    peer = make(points=points, values=values, seed=run.seed, **where, **{**system.settings, **settings})
    with sf.watch_solves(watched, every=run.every) as solves:
        for _ in range(run.trials - INITIAL):
            x = peer.ask()
            values.append(f(x))
            peer.tell(x, values[-1])
    rows = [
        {"step": s.step, "eta": s.quality.eta, "relative_gap": s.quality.relative_gap, "seconds": s.seconds}
        for s in solves.measured
        if s.quality is not None
    ]
    return {"library": solves.library, "solves": len(solves), "rows": rows, "values": values}


def adapter(path: Path) -> Any:
    """The module of an adapter."""
    spec = importlib.util.spec_from_file_location(f"adapter_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def carry_out(runs: Iterator[Run], folder: Path) -> None:
    """Make the runs that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        path = folder / run.file
        if path.exists():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other libraries
            found = made(run)
        if found is not None:
            path.write_text(json.dumps({**vars(run), **found}), encoding="utf-8")
            print(f"{run.file}: {len(found['rows'])} solves measured", flush=True)


def table(folder: Path) -> list[list[str]]:
    """For each problem and library: solves, the shares below 0.99, 0.9 and 0.5, M_T for 50 solves, milliseconds."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        groups.setdefault((found["problem"], found["library"]), []).extend(found["rows"])
    lines = []
    for (problem, library), rows in sorted(groups.items()):
        if not rows:
            continue
        etas = np.array([row["eta"] for row in rows])
        shares = [f"{100 * (etas < level).mean():.1f} %" for level in (0.99, 0.9, 0.5)]
        ms = 1e3 * float(np.median([row["seconds"] for row in rows]))
        lines.append([problem, library, str(len(etas)), *shares, f"{50 * (1 - etas).mean():.2f}", f"{ms:.0f}"])
    return lines
