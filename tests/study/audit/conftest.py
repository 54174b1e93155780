"""Runs to look back at, and a reference solver that is small enough for tests."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import suffice as sf
from suffice.solvers import Exhaustive

BOX = [(0.0, 1.0), (-5.0, 10.0)]
MIXED = sf.Space(a=sf.Float(1e-3, 1, log=True), b=sf.Int(1, 9), c=sf.Choice("u", "v", None))


def value_of(point):
    if isinstance(point, dict):
        return math.log10(point["a"]) ** 2 + (point["b"] - 4) ** 2 / 10 + (point["c"] == "u")
    x = (np.asarray(point) - np.array([0.0, -5.0])) / [1.0, 15.0]
    return float(np.sum([1, 2] * (x - 0.3) ** 2) + 0.1 * np.sin(12 * x[0]))


def foreign_point(space):
    return {"a": 0.2, "b": 2, "c": None} if isinstance(space, sf.Space) else [0.11, 0.77]


def eventful(space, n=20, **words):
    """Batches told out of order, failures, cancellations, known noise, points from elsewhere and a hurried ask."""
    words = {"seed": 1, "n_initial": 5, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(64))} | words
    optimizer, rng, open_trials = sf.Optimizer(space, **words), np.random.default_rng(0), []
    while len(optimizer.trials) < n:
        number = len(optimizer.trials)
        open_trials += optimizer.ask(3) if number % 2 else [optimizer.ask(deadline=60.0 if number % 4 else None)]
        while len(open_trials) > 1:
            trial = open_trials.pop(int(rng.integers(len(open_trials))))
            what = rng.random()
            if what < 0.15:
                optimizer.fail(trial)
            elif what < 0.3:
                optimizer.cancel(trial)
            else:
                optimizer.tell(trial, value_of(trial.point), noise_var=1e-4 if what < 0.5 else None)
        if number in (7, 8):
            optimizer.tell(foreign_point(space), value_of(foreign_point(space)) + number)
    return optimizer.result()


@dataclass(frozen=True)
class Recorded:
    """An acquisition that remembers the scores it made, by the number of their step."""

    acquisition: object
    scores: dict = field(default_factory=dict)

    def __call__(self, beliefs, domain, *, step, rng):
        self.scores[step.t] = score = self.acquisition(beliefs, domain, step=step, rng=rng)
        return score


@pytest.fixture(scope="session")
def make_eventful():
    return eventful


@pytest.fixture(scope="session")
def recorded():
    return Recorded


@pytest.fixture(scope="session")
def small():
    return Exhaustive(draws=400, near=60, starts=5)


@pytest.fixture(scope="session")
def spaces():
    return {"box": BOX, "mixed": MIXED}


@pytest.fixture(scope="session")
def objective():
    return value_of


@pytest.fixture(scope="session")
def box_result():
    return eventful(BOX)


@pytest.fixture(scope="session")
def coarse_result():
    """A solver that is deliberately bad: the best of 20 points."""
    return sf.minimize(
        value_of,
        BOX,
        25,
        seed=0,
        n_initial=6,
        solver=sf.solvers.Grid(size=sf.solvers.Fixed(20), near=False),
        polish=False,
    )
