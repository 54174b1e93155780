"""A system in a comparison: what it is made of, one run of it, and a problem in words that any interpreter understands.

f  the problem        ε  noise, sd = noise × (max f − min f over the initial design)        the system is told f + ε
u  (n, d)  points of the unit cube, a column for each parameter        rows  (n, d)  points as they are told to a peer

Regret is of f, without the noise. A run's `solve` is the time of ask, its `fit` that of tell, both measured inside the
system's process; nothing else counts as overhead.

A parameter is {"kind": "float" or "int", "low", "high", "log"} or {"kind": "choice", "options": [a word for each]}.
A point is a number for each parameter: of an option its place, from 0. That is also the problem's box, whose function
takes it as it is. Options are words, as Python writes them, because some systems take numbers for quantities.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from research.compare.peer import LOADING, Peer, PeerFailed, hosted
from research.compare.systems import Installed, System
from research.problems import Problem, find
from suffice.lab.plan import Job, Method
from suffice.lab.results import Row, Trace, initial_design, unit_design
from suffice.space import Float, Listed, Parameter, as_space
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


def described(problem: Problem) -> list[dict[str, Any]]:
    """The parameters of its own space, or of its box, which is one of floats."""
    space = problem.native.space if problem.native else as_space(problem.bounds)
    return [_described(parameter) for parameter in space.params.values()]


def design(problem: Problem, n: int, seed: int) -> Array:
    """The n scrambled Sobol points of run number `seed`, (n, d): of its own space if it has one, else of its box."""
    if problem.native is None:
        return initial_design(problem, n, seed)
    parameters = problem.native.space.parameters
    return np.column_stack(list(map(_numbers, parameters, unit_design(problem.dim, n, seed).T)))


def _described(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Listed):
        return {"kind": "choice", "options": [repr(option) for option in parameter.options]}
    kind = "float" if isinstance(parameter, Float) else "int"
    return {"kind": kind, "low": parameter.low, "high": parameter.high, "log": parameter.log}


def _numbers(parameter: Parameter, u: Array) -> Array:
    """The values at u, (n,), as numbers, (n,)."""
    if isinstance(parameter, Listed):
        places: Array = np.floor(u * len(parameter.options))  # u < 1
        return places
    return np.array([parameter.from_unit(row) for row in parameter.place(u)], dtype=np.float64)
