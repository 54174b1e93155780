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


def evaluate(space, points, f, direction=None, **words):
    """A result of these points, told from elsewhere, so that nothing is searched for."""
    opt = sf.Optimizer(space, direction=direction, seed=0, **words)
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


MODELS = sf.Space(width=sf.Int(8, 512, log=True), depth=sf.Int(1, 6), act=sf.Choice("relu", "gelu"))


def cost(p):
    """Two objectives of both senses, and an output that has a limit; one of them is missing far beyond it."""
    memory = p["width"] * p["depth"] / 50
    found = {"error": 0.05 + p["width"] ** -0.5 + 0.1 / p["depth"] + 0.02 * (p["act"] == "relu"), "memory": memory}
    return found if memory > 30 else found | {"throughput": 9000 / p["width"] / p["depth"]}


def told(space, n, f, **words):
    """A result of n points drawn from the space, told from elsewhere; what raises has failed."""
    opt = sf.Optimizer(space, seed=0, n_initial=n, **words)
    for _ in range(n):
        trial = opt.ask()
        try:
            opt.tell(trial, f(trial.point))
        except ZeroDivisionError:
            opt.fail(trial, reason="no")
    return opt.result()


@pytest.fixture(scope="session")
def traded():
    """Two objectives with a limit on a third output."""
    aims = {"error": "minimize", "throughput": "maximize"}
    return told(MODELS, 25, cost, objectives=aims, constraints={"memory": sf.AtMost(12.0)})


@pytest.fixture(scope="session")
def triple():
    """Three objectives without limits."""
    aims = {"cost": "minimize", "weight": "minimize", "strength": "maximize"}

    def f(p):
        return {"cost": p["a"], "weight": 1.1 - p["a"] * p["b"], "strength": p["a"] + p["b"] ** 2 - p["c"]}

    return told(dict.fromkeys("abc", (0.0, 1.0)), 16, f, objectives=aims)


@pytest.fixture(scope="session")
def limited():
    """One objective and two limits; some evaluations fail, and some lack the value."""

    def f(p):
        if p["y"] > 0.93:
            raise ZeroDivisionError
        latency = 60 * p["x"] * p["y"] + 20
        found = {"latency": latency, "recall": 1 - 0.4 * p["x"] ** 2}
        return found if latency > 60 else found | {"value": (p["x"] - 1.0) ** 2 + (p["y"] - 0.8) ** 2}

    limits = {"latency": sf.AtMost(50.0), "recall": sf.AtLeast(0.8)}
    return told({"x": (0.0, 1.0), "y": (0.0, 1.0)}, 20, f, constraints=limits)


@pytest.fixture(scope="session")
def impossible():
    """Limits that no evaluation satisfies."""
    f = lambda p: {"value": p["x"], "latency": 20.0 + p["x"]}  # noqa: E731
    return told({"x": (0.0, 1.0), "y": (0.0, 1.0)}, 8, f, constraints={"latency": sf.AtMost(5.0)})


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")
