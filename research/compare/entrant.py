"""A system in a comparison: what it is made of, and one run of it.

f  the problem        ε  noise, sd = noise × (max f − min f over the initial design)        the system is told f + ε

Regret is of f, without the noise. A run's `solve` is the time of ask, its `fit` that of tell, both measured inside the
system's process; nothing else counts as overhead.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from research.compare.installed import Installed
from research.compare.native import described, design
from research.compare.peer import LOADING, Peer, PeerFailed, hosted
from research.compare.systems import System
from research.problems import Problem, find
from suffice.lab.plan import Job, Method
from suffice.lab.results import Row, Trace
from suffice.types import Array

NOISE = 20252027  # the noise of run i is drawn by this seed and i: the same for all systems
TIMEOUT = 120.0  # seconds for a suggestion
OUTSIDE = 1e-9  # of a side of the box: what a point may be outside of it, by rounding


@dataclass(frozen=True)
class Entrant:
    """A system as it takes part."""

    system: System
    python: str
    versions: Mapping[str, str | None]
    noise: float = 0.0  # sd as a share of the range of the initial values
    timeout: float = TIMEOUT

    @property
    def method(self) -> Method:
        """As the experiments know it."""
        system = self.system
        return Method(system.name, system.label, partial(made_of, self), shifted=False, run=partial(compete, self))


def entrant(found: Installed, noise: float, timeout: float) -> Entrant:
    """A system that is installed."""
    return Entrant(found.system, found.python, found.versions, noise, timeout)


def made_of(entrant: Entrant, problem: Problem) -> dict[str, Any]:
    """What a run depends on: the limit of its time is no part of it."""
    system = entrant.system
    where = {"space": described(problem)} if problem.native else {}
    return {
        **system.parts,
        **where,
        "settings": dict(system.settings),
        "versions": entrant.versions,
        "noise": entrant.noise,
    }


def compete(entrant: Entrant, job: Job) -> Trace:
    """A run in a process of its own; if that fails, the message says in which step."""
    problem, initial = find(job.task.problem), job.task.initial
    X = design(problem, initial, job.seed)
    values = problem.values(X)
    errors = np.random.default_rng([NOISE, job.seed]).standard_normal(initial + job.task.iterations)
    errors *= entrant.noise * float(np.ptp(values))
    with hosted(entrant.python) as peer:
        step = "start"
        try:
            _start(peer, entrant, problem, X, values + errors[:initial], job.seed)
            rows, points = [], []
            for t, error in enumerate(errors[initial:], 1):
                step = f"step {t}"
                row, point = _step(peer, entrant, problem, t, float(error))
                rows.append(row)
                points.append(tuple(point))
        except PeerFailed as failed:
            raise PeerFailed(f"{entrant.system.label}, {step}: {failed}") from failed
    regret = float(values.min()) - problem.optimum
    return Trace(tuple(rows), tuple(points), regret, sum(row.fit + row.solve for row in rows))


def _start(peer: Peer, entrant: Entrant, problem: Problem, X: Array, values: Array, seed: int) -> None:
    peer.request(
        "start",
        max(LOADING, entrant.timeout),
        adapter=str(entrant.system.adapter),
        settings=dict(entrant.system.settings),
        **_where(entrant.system, problem),
        points=X.tolist(),
        values=values.tolist(),
        seed=seed,
    )


def _where(system: System, problem: Problem) -> dict[str, Any]:
    """The problem's own space, or the box if the system takes nothing else."""
    if system.native:
        return {"space": described(problem)}
    return {"bounds": [[float(low), float(high)] for low, high in problem.bounds]}


def _step(peer: Peer, entrant: Entrant, problem: Problem, t: int, error: float) -> tuple[Row, list[float]]:
    asked = peer.request("ask", entrant.timeout)
    point = _inside(asked["point"], problem)
    begin = time.perf_counter()
    value = problem(point)
    objective = time.perf_counter() - begin
    told = peer.request("tell", entrant.timeout, point=point, value=value + error)
    row = Row(
        t=t,
        value=value,
        regret=value - problem.optimum,
        fit=told["seconds"],
        bind=0.0,
        solve=asked["seconds"],
        report=0.0,
        objective=objective,
        n_evals=0,
    )
    return row, point


def _inside(point: list[float], problem: Problem) -> list[float]:
    """The point, rounded into the box; an error if it is elsewhere."""
    low, high = np.array(problem.bounds).T
    x = np.array(point)
    slack = OUTSIDE * (high - low)
    if x.shape != low.shape or not np.all((low - slack <= x) & (x <= high + slack)):
        raise PeerFailed(f"the point {point} is not in the box {list(problem.bounds)}")
    inside: list[float] = np.clip(x, low, high).tolist()
    return inside
