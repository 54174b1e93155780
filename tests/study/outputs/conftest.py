"""Studies of the four kinds: one objective, with limits, several objectives, both; cheap models and solvers."""

import pytest

import suffice as sf

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
AIMS = {"error": "minimize", "gain": "maximize"}
LIMITS = {"weight": sf.AtMost(0.9), "reach": sf.AtLeast(0.2)}
KINDS = {
    "plain": {},
    "limited": {"constraints": LIMITS},
    "several": {"objectives": AIMS},
    "both": {"objectives": AIMS, "constraints": LIMITS},
}


def outputs(point, names):
    """All outputs of a smooth problem; far beyond the limit of the weight nothing else is known."""
    x, y = point["x"], point["y"]
    known = {"value": (x - 0.4) ** 2 + (y - 0.3) ** 2, "gain": x - 0.5 * y**2, "weight": x + y, "reach": x + 0.5 * y}
    known["error"] = known["value"]
    found = {name: known[name] for name in names}
    if found.get("weight", 0.0) > 1.3:
        return {"weight": found["weight"]}
    return found["value"] if len(found) == 1 else found


class Studies:
    """Makes studies and runs them."""

    kinds = KINDS
    outputs = staticmethod(outputs)

    def make(self, kind, space=SPACE, **words):
        quick = {
            "seed": 0,
            "n_initial": 4,
            "model": sf.GP(warp=False),
            "solver": sf.solvers.Grid(size=sf.solvers.Fixed(64)),
        }
        return sf.Optimizer(space, **(quick | KINDS[kind] | words))

    def step(self, optimizer, f=outputs):
        trial = optimizer.ask()
        return optimizer.tell(trial, f(trial.point, optimizer.settings.outputs))

    def run(self, kind, n=9, **words):
        optimizer = self.make(kind, **words)
        for _ in range(n):
            self.step(optimizer)
        return optimizer


@pytest.fixture(scope="session")
def studies():
    return Studies()


@pytest.fixture(params=list(KINDS))
def kind(request):
    """One of the four kinds of study."""
    return request.param
