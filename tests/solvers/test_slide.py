"""Local searches on domains that are no product: along constraints, and in active columns only."""

import math

import numpy as np
import pytest

from suffice.solvers import CG, LBFGSB, Adaptive
from suffice.solvers.search.mixed import ascend, exchanges
from suffice.space import Choice, Float, Int, Space
from suffice.testing.fakes import Counted, Peak
from suffice.types import Step

SOLVERS = {"enough": Adaptive(), "lbfgsb": LBFGSB(), "cg": CG()}
SQUARE = {"x": Float(0, 1), "y": Float(0, 1)}
CASES = {  # constraint, where the peak is, and the nearest member to it
    "a slope": (lambda p: p["x"] + p["y"] <= 1, (0.9, 0.6), (0.65, 0.35)),
    "a corner": ([lambda p: p["x"] <= 0.5, lambda p: p["x"] + p["y"] <= 0.8], (0.9, 0.9), (0.4, 0.4)),
    "two that meet": ([lambda p: p["x"] <= 0.3, lambda p: p["x"] + p["y"] <= 0.8], (0.9, 0.9), (0.3, 0.5)),
    "a disc": (
        lambda p: math.hypot(p["x"] - 0.5, p["y"] - 0.5) <= 0.3,
        (0.9, 0.8),
        (0.5 + 0.3 * 0.8, 0.5 + 0.3 * 0.6),
    ),
    "outside a disc": (lambda p: math.hypot(p["x"], p["y"]) >= 0.6, (0.3, 0.4), (0.36, 0.48)),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("case", CASES)
def test_the_best_point_on_a_constraint_is_found(case, solver):
    where, top, best = CASES[case]
    space = Space(SQUARE, where=where)
    alpha = Counted(Peak(np.array(top)))
    step = Step(1, space.sample(3, np.random.default_rng(0)))
    solution = SOLVERS[solver](alpha, space, step=step, rng=np.random.default_rng(1))
    assert space.contains(solution.x[None])[0]
    assert solution.value >= -np.sum((np.array(best) - top) ** 2) - 2e-3
    assert solution.n_grads == alpha.grads
    assert alpha.values + 3 * alpha.grads - solution.n_evals == 1


def test_runs_end_no_lower_than_they_began_and_inside():
    space = Space(SQUARE, where=CASES["a slope"][0])
    alpha, starts = Peak(np.array([0.9, 0.6])), space.sample(20, np.random.default_rng(2))
    ascent = ascend(alpha, space, starts)
    assert space.contains(ascent.points).all()
    assert np.all(ascent.values >= alpha(starts))
    assert np.array_equal(ascent.values, alpha(ascent.points))


BRANCHES = Space(
    kind=Choice("a", "b"), x=Float(0, 1), y=Float(0, 1, when={"kind": "b"}), n=Int(1, 9, when={"kind": "b"})
)


def test_inactive_columns_stay_at_rest_while_others_climb():
    starts = BRANCHES.sample(30, np.random.default_rng(3))
    alpha = Peak(np.array([1.0, 0.0, 0.8, 0.9, 0.9]))
    ascent = ascend(alpha, BRANCHES, starts)
    assert BRANCHES.contains(ascent.points).all()
    assert np.all(ascent.values == pytest.approx(-2 * 0.4**2, abs=1e-6))  # of kind a, with y and n in the middle


def test_an_exchange_of_a_parent_brings_its_children_along():
    x = BRANCHES.to_unit({"kind": "b", "x": 0.3, "y": 0.9, "n": 2})
    owner, others = exchanges(x[None], BRANCHES)
    assert BRANCHES.contains(others).all()
    points = BRANCHES.points(others)
    assert {"kind": "a", "x": 0.3} in points
    assert sorted(p["n"] for p in points if p["kind"] == "b") == [1, 3, 4, 5, 6, 7, 8, 9]
    assert len(owner) == 9
    back = BRANCHES.points(exchanges(BRANCHES.to_unit({"kind": "a", "x": 0.3})[None], BRANCHES)[1])
    assert back == [{"kind": "b", "x": 0.3, "y": 0.5, "n": 5}]
