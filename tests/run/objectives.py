"""Objectives that another process can import."""

import os
import time
from dataclasses import dataclass

import suffice as sf


class Unpicklable(Exception):
    """It carries something that cannot leave its process."""

    def __init__(self, message):
        super().__init__(message)
        self.held = lambda: None


class Unbuildable(Exception):
    """It pickles, but cannot be built again from what was pickled: in a plain pool it breaks the whole pool."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


@dataclass(frozen=True)
class Frozen(Exception):
    """It takes no attribute and no note, and cannot be built again either."""

    code: int


class Unloadable:
    """A value that pickles, but cannot be built again."""

    def __reduce__(self):
        return int, ("far",)


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def slow_bowl(x):
    time.sleep(0.01)
    return bowl(x)


def unpicklable_above_half(x):
    if x[0] > 0.5:
        raise Unpicklable("too far right")
    return bowl(x)


def unbuildable_above_half(x):
    if x[0] > 0.5:
        raise Unbuildable("too", "far")
    return bowl(x)


def always_unpicklable(x):
    raise Unpicklable(f"no value at {x[0]:.1f}")


def unpicklable_value(x):
    return lambda: x


def unpicklable_value_above_half(x):
    return (lambda: "too far") if x[0] > 0.5 else bowl(x)


def unloadable_value_above_half(x):
    return Unloadable() if x[0] > 0.5 else bowl(x)


def frozen_above_half(x):
    if x[0] > 0.5:
        raise Frozen(7)
    return bowl(x)


def dies(x):
    os._exit(1)


def learning(x, trial):
    """A curve that falls to the bowl; it ends where the run says so."""
    for step in range(1, 11):
        value = bowl(x) + 1 / step
        trial.report(value, step)
        if trial.should_prune():
            break
    return value


@dataclass(frozen=True)
class KilledOnce:
    """The same, but the first evaluation at this place kills its process half-way."""

    marker: str
    where: float

    def __call__(self, x, trial):
        again = os.path.exists(self.marker)
        for step in range(1, 11):
            trial.report(bowl(x) + (0 if again else 100) + 1 / step, step)
            if x[0] == self.where and step == 5 and not again:
                open(self.marker, "w").close()
                os._exit(3)
            if trial.should_prune():
                break
        return bowl(x) + 0.1


@dataclass(frozen=True)
class DiesOnce:
    """The bowl, but the first evaluation at this place kills its process."""

    marker: str
    where: float

    def __call__(self, x):
        if x[0] == self.where and not os.path.exists(self.marker):
            open(self.marker, "w").close()
            os._exit(3)
        return bowl(x)


def deadly_at_nine_tenths(x):
    if x[0] == 0.9:
        os._exit(3)
    time.sleep(0.02)
    return bowl(x)


def asking(trial):
    """It asks for its parameters: a tree of them, nested and counted."""
    x, kind = trial.float("x", 0.0, 1.0), trial.choice("kind", ["a", "b"])
    if kind == "b":
        return (x - 0.3) ** 2 + 0.5 + trial.ordinal("size", ["small", "large"]).count("l")
    n = trial.int("layers", 1, 2)
    rates = [trial.float(f"rate {i}", 1e-3, 1.0, log=True) for i in range(n)]
    return (x - 0.3) ** 2 + abs(n - 2) + sum((rate - 0.1) ** 2 for rate in rates)


def asking_and_reporting(trial):
    x = trial.float("x", 0.0, 1.0)
    for step in range(5):
        trial.report((x - 0.3) ** 2 + 1.0 / (step + 1), step)
        if trial.should_prune():
            raise sf.Pruned
    return (x - 0.3) ** 2 + trial.float("y", 0.0, 0.1)


def asking_and_failing(trial):
    if trial.float("x", 0.0, 1.0) > 0.6:
        raise ValueError("too much")
    return trial.float("y", 0.0, 1.0)
