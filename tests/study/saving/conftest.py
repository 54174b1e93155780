"""Results with everything in them that a file has to keep, and a comparison of two results, field by field."""

import math
from dataclasses import fields

import numpy as np
import pytest

import suffice as sf

MIXED = sf.Space(
    {
        "rate": sf.Float(1e-4, 1.0, log=True),
        "depth": sf.Int(1, 9),
        "kind": sf.Choice("a", None, True, 1, 1.0, math.nan, ("b", 2)),
        "fixed": sf.Int(7, 7),
        "näme<img>": sf.Float(-1, 1),
    }
)


def value_of(point):
    if not isinstance(point, dict):
        return float(np.sum((np.asarray(point) - 0.3) ** 2))
    return math.log10(point["rate"]) ** 2 + point["depth"] / 9 + (point["kind"] == "a") + point["näme<img>"] ** 2


def eventful(space, **words):
    """A run with trials of every state and origin."""
    start = as_given(space, 0.5)
    words = {"seed": 3, "n_initial": 4, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(32)), "x0": [start]} | words
    optimizer = sf.Optimizer(space, **words)
    optimizer.tell(as_given(space, 0.25), value_of(as_given(space, 0.25)), noise_var=0.01)
    for i in range(7):
        first, second = optimizer.ask(2)
        optimizer.tell(first, value_of(first.point), seconds=0.5)
        if i == 1:
            optimizer.fail(second, "out of \udc80 memory", cause="raised", traceback="in f\n  \udc80\n")
        elif i == 2:
            optimizer.tell(second, math.inf)
        elif i == 3:
            optimizer.cancel(second)
        else:
            optimizer.tell(second, value_of(second.point))
    optimizer.ask(2)
    return optimizer.result("enough for a test")


def as_given(space, u):
    """The point in the middle of everything, as a user would write it."""
    space = space if isinstance(space, sf.Space) else sf.Space.positional(*space)
    return space.from_unit(space.snap(np.full((1, space.dim), u))[0])


@pytest.fixture(scope="module")
def mixed_result():
    return eventful(MIXED)


@pytest.fixture(scope="module")
def box_result():
    return eventful([(0.0, 1.0), (-5.0, 10.0)], direction="maximize", acquisition=sf.acquisition.Thompson(features=64))


@pytest.fixture(scope="module", params=["mixed", "box"])
def result(request):
    return request.getfixturevalue(f"{request.param}_result")


@pytest.fixture(scope="session")
def make_eventful():
    return eventful


@pytest.fixture(scope="session")
def same():
    """Assert that two results agree in all fields, types included."""

    def check(a, b):
        assert set(a) == set(b)
        assert len(a.trials) == len(b.trials)
        for mine, other in zip(a.trials, b.trials, strict=True):
            for field in fields(sf.Trial):
                equal(getattr(mine, field.name), getattr(other, field.name))
        for word in ("x", "fun", "nfev", "nit", "success", "message", "seed", "notes", "accuracy", "settings"):
            equal(a[word], b[word])
        equal(a.x_iters, b.x_iters)
        equal(a.func_vals, b.func_vals)

    return check


def equal(a, b):
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        assert a.flags.writeable == b.flags.writeable
        assert a.tobytes() == b.tobytes()
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            equal(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for mine, other in zip(a, b, strict=True):
            equal(mine, other)
    elif isinstance(a, float):
        assert a == b or (math.isnan(a) and math.isnan(b))
    else:
        assert a == b
