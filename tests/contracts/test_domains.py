"""Every kind of domain keeps the contract."""

from itertools import permutations, product

import numpy as np
import pytest

from suffice.space import Choice, Float, Int, Ordinal, PointSet, Pool, Space, UnitCube, as_space
from suffice.testing import DomainContract

CLOUD = np.random.default_rng(0).random((40, 3))

DOMAINS = {
    "no columns": UnitCube(0),
    "line": UnitCube(1),
    "cube": UnitCube(7),
    "constants": Space(a=Float(1, 1), b=Choice("only")),
    "mixed": Space(lr=Float(1e-5, 1, log=True), depth=Int(1, 12), loss=Choice("a", "b", "c"), on=Choice(True, False)),
    "finite": Space(i=Int(0, 9), j=Int(1, 6), c=Choice("x", "y", "z", None)),
    "two points": Space(i=Int(0, 1)),
    "log lattice": Space(width=Int(4, 512, log=True), narrow=Int(10**299, 10**299 + 10, log=True)),
    "huge lattice": Space(i=Int(0, 2**40 - 1), j=Int(1, 2**40, log=True)),
    "smooth above its levels": Space(i=Int(1, 10**300, log=True), j=Int(1, 2**41, log=True)),
    "steps": Space(a=Int(16, 250, step=16), b=Float(-1, 1, step=0.3), c=Float(0, 1, step=1e-13), d=Float(0, 1)),
    "orders of words": Space(size=Ordinal("small", "medium", "large"), x=Float(0, 1), k=3, two=Ordinal(0, 1)),
    "unnamed": as_space([(0.0, 1.0), Int(1, 9), Choice("a", "b"), Ordinal("s", "m", "l"), (2, 4)]),
    "many options": Space(c=Choice(*range(700)), x=Float(0, 1)),
    "orders": Space(order=Choice(*permutations("abcd")), x=Float(0, 1)),
    "tuples": Space(layers=Choice(*product((16, 32, 64), ("relu", "tanh"))), depth=Int(1, 3)),
    "conditional": Space(
        kernel=Choice("linear", "rbf", "poly"),
        C=Float(1e-3, 1e3, log=True),
        gamma=Float(1e-4, 1, log=True, when={"kernel": ("rbf", "poly")}),
        degree=Int(2, 5, when={"kernel": "poly"}),
        scale=Choice("auto", "by hand", when={"degree": (3, 4, 5)}),
    ),
    "finite conditional": Space(
        a=Choice("x", "y"), n=Int(1, 3), b=Int(1, 4, when={"a": "y"}), c=Choice(0, 1, when={"b": 2, "n": (1, 2)})
    ),
    "constrained": Space(x=Float(0, 1), y=Float(0, 1), n=Int(1, 5), where=lambda p: p["x"] + p["y"] <= p["n"] / 5),
    "constrained by position": Space.positional((0, 1), (-1, 1), where=[lambda p: p[0] > p[1], lambda p: p[1] > 0]),
    "finite constrained": Space(i=Int(0, 9), j=Int(0, 9), where=lambda p: p["i"] * p["j"] == 12),
    "conditional and constrained": Space(
        tree=Choice(True, False),
        depth=Int(1, 9, when={"tree": True}),
        rate=Float(0, 1),
        where=lambda p: p["rate"] * p.get("depth", 1) <= 2,
    ),
    "cloud": PointSet(CLOUD),
    "one point": PointSet(CLOUD[:1]),
    "pool": Pool([{"size": float(i % 7), "kind": "abc"[i % 3], "same": 1} for i in range(40)]),
    "pool of one row": Pool([[1.0, 2.0]]),
    "points without columns": PointSet(np.zeros((1, 0))),
}


class TestDomains(DomainContract):
    @pytest.fixture(params=DOMAINS)
    def domain(self, request):
        return DOMAINS[request.param]
