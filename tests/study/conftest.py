"""A cheap model and solver for tests of the record, where neither matters, and acquisitions that can be watched."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from suffice import GP, UCB, Optimizer
from suffice.belief import Beliefs
from suffice.gp.posterior import Posterior
from suffice.solvers import Fixed, Grid


@pytest.fixture
def make():
    """Optimizer(...) with a cheap model and solver, seed 0, unless told otherwise."""

    def made(space, **words):
        quick = {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}
        return Optimizer(space, **(quick | words))

    return made


@pytest.fixture
def drive():
    """Ask, evaluate and tell n times; the trials."""

    def driven(optimizer, n, f=None):
        return [optimizer.tell(trial, (f or bowl)(trial.point)) for trial in (optimizer.ask() for _ in range(n))]

    return driven


def bowl(point):
    """A smooth objective without symmetries, minimal at 0.3 in every coordinate of the unit box."""
    x = np.asarray(list(point.values()) if isinstance(point, dict) else point, dtype=float)
    return float(np.sum((np.arange(len(x)) + 1.0) * (x - 0.3) ** 2))


@dataclass(frozen=True)
class Watched:
    """UCB that remembers the posteriors and steps it was given."""

    posteriors: list[Posterior] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    def __call__(self, beliefs, domain, *, step, rng):
        self.posteriors.append(beliefs.objective)
        self.steps.append(step.t)
        return UCB()(beliefs, domain, step=step, rng=rng)


@dataclass(frozen=True)
class WatchedRandom(Watched):
    """The same without a belief about pending points, like a random acquisition."""

    def __call__(self, beliefs, domain, *, step, rng):
        return super().__call__(Beliefs.of(beliefs.observed), domain, step=step, rng=rng)


@pytest.fixture
def watched():
    return Watched()


@pytest.fixture
def watched_random():
    return WatchedRandom()


@pytest.fixture
def quick():
    """A cheap model and solver, seed 0."""
    return {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}
