"""Results to draw, made once, and ways to read what was drawn."""

import math

import pytest

import suffice as sf

pyplot = pytest.importorskip("matplotlib.pyplot")

SPACE = sf.Space(
    kernel=sf.Choice("rbf", "linear", "poly"),
    gamma=sf.Float(1e-4, 1.0, log=True, when={"kernel": ("rbf", "poly")}),
    degree=sf.Int(2, 5, when={"kernel": "poly"}),
    C=sf.Float(0.01, 100.0, log=True),
    size=sf.Ordinal("small", "medium", "large"),
    k=3,
)


def loss(p):
    """A mixed, conditional objective that fails in a corner."""
    if p["C"] > 50.0:
        raise RuntimeError("did not converge")
    value = {"rbf": 0.1, "linear": 0.5, "poly": 0.3}[p["kernel"]] + 0.05 * math.log10(p["C"]) ** 2
    value += 0.1 * (math.log10(p["gamma"]) + 2.0) ** 2 if "gamma" in p else 0.0
    value += 0.05 * (p["degree"] - 3) ** 2 if "degree" in p else 0.0
    return value + {"small": 0.2, "medium": 0.0, "large": 0.1}[p["size"]]


def evaluate(space, points, f, sense="minimize", **words):
    """A result of these points, told from elsewhere, so that nothing is searched for."""
    opt = sf.Optimizer(space, sense=sense, seed=0, **words)
    for point in points:
        opt.tell(point, f(point))
    return opt.result()


@pytest.fixture(scope="session")
def mixed():
    """Thirty evaluations of the mixed, conditional objective, some failed."""
    return sf.minimize(
        loss, SPACE, 30, seed=1, n_initial=12, x0=[{"kernel": "linear", "C": 90.0, "size": "small", "k": 3}]
    )


@pytest.fixture(scope="session")
def mirrored():
    """The same, to be maximized."""
    return sf.maximize(lambda p: -loss(p), SPACE, 14, seed=2, n_initial=12)


@pytest.fixture(scope="session")
def noisy():
    import numpy as np

    rng = np.random.default_rng(0)
    return sf.minimize(lambda x: float((x[0] - 0.3) ** 2 + 0.1 * rng.standard_normal()), [(0.0, 1.0)], 24, seed=0)


@pytest.fixture(scope="session")
def failed():
    """A result without a value."""
    opt = sf.Optimizer([(0.0, 1.0)], seed=0)
    for _ in range(3):
        opt.fail(opt.ask(), reason="no")
    return opt.result()


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")
