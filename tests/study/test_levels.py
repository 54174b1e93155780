"""Steps and options in an order, from the design to the proof."""

from collections import Counter

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.certificate import certify
from suffice.ask.models import fit_outputs
from suffice.ask.suggest import freeze
from suffice.solvers.search.mixed import exchanges
from suffice.space import Space

SPACE = Space(
    rate=sf.Float(0, 1, step=0.05),
    width=sf.Int(16, 256, step=16),
    size=sf.Ordinal("s", "m", "l", "xl", "xxl"),
    x=sf.Float(0, 1),
)


def f(point):
    order = {"s": 2, "m": 1, "l": 0, "xl": 1, "xxl": 2}[point["size"]]
    return (point["rate"] - 0.35) ** 2 + ((point["width"] - 96) / 200) ** 2 + 0.1 * order + (point["x"] - 0.7) ** 2


def driven(space, n, **words):
    opt = sf.Optimizer(space, seed=0, **words)
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, f({"x": 0.7, "rate": 0.35, "width": 96, **trial.point}))
    return opt


@pytest.mark.parametrize("n", [5, 10, 12])
def test_the_design_has_options_in_an_order_in_equal_shares(n):
    opt = sf.Optimizer(SPACE, seed=3, n_initial=n)
    counts = Counter(trial.point["size"] for trial in opt.ask(n))
    assert len(counts) == 5
    assert max(counts.values()) - min(counts.values()) <= 1


def test_an_exchange_tries_every_option_in_an_order_and_every_step_of_few():
    space = Space(size=sf.Ordinal("s", "m", "l"), rate=sf.Float(0, 1, step=0.25))
    x = space.to_unit({"size": "m", "rate": 0.5})
    _, others = exchanges(x[None], space)
    points = [space.from_unit(row) for row in others]
    assert all(space.contains(others))
    assert {(p["size"], p["rate"]) for p in points} == {
        *(("s", 0.5), ("l", 0.5)),
        *(("m", rate) for rate in (0.0, 0.25, 0.75, 1.0)),
    }


def test_a_proof_of_a_space_of_levels_is_the_maximum_over_its_list():
    space = Space(rate=sf.Float(0, 1, step=0.05), size=sf.Ordinal("s", "m", "l", "xl", "xxl"), n=sf.Int(0, 40, step=4))
    opt = driven(space, 10, acquisition=sf.UCB(), n_initial=6)
    fitted = fit_outputs(opt.settings, opt.history, opt._fitted)["value"]
    frozen = freeze(opt.settings, opt.history, {"value": fitted}, number=10)
    best = float(frozen.alpha(space.enumerate()).max())
    proof = certify(frozen.alpha, Listless(space), value=best, nodes=20_000)
    assert best <= proof.upper <= best + 1e-3 * abs(best) + 1e-6


class Listless:
    """A space that does not say how many points it has, so that nothing lists them."""

    def __init__(self, space):
        self._space = space
        self.size = np.inf

    def __getattr__(self, name):
        return getattr(self._space, name)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"solver": sf.solvers.Grid(sf.candidates.delaunay)},
        {"solver": sf.solvers.Grid(sf.candidates.voronoi)},
        {"solver": sf.solvers.Grid(sf.candidates.local)},
        {"solver": sf.solvers.LBFGSB(starts=4)},
        {"acquisition": sf.acquisition.Thompson(features=64)},
    ],
    ids=["Adaptive", "delaunay", "voronoi", "local", "LBFGSB", "Thompson"],
)
def test_every_search_finds_the_best_levels(parts):
    result = sf.minimize(f, SPACE, 28, seed=1, **parts)
    assert result.x["size"] == "l"
    assert abs(result.x["rate"] - 0.35) <= 0.1
    assert abs(result.x["width"] - 96) <= 32


def test_points_of_a_list_survive_saving_and_changing_what_was_handed_out(tmp_path):
    def g(x):
        return x[0] + x[1] + (x[2] == "a")

    result = sf.minimize(g, [sf.Float(0, 1, step=0.1), sf.Int(1, 9), sf.Choice("a", "b"), (2, 4)], 8, seed=0)
    assert all(type(point) is list for point in result.x_iters)
    assert [type(v) for v in result.x] == [float, int, str, int]
    result.trials[0].point[1] = 77
    result.x_iters[1][1] = 77
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert [t.point for t in again.trials] == [t.point for t in result.trials]
    assert again.settings.space == result.settings.space
    assert all(t.point[1] != 77 for t in again.trials)
