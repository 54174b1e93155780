"""A box around the best point: its side follows success and failure, and what is found in it is the box's maximum."""

from dataclasses import replace

import numpy as np
import pytest

from suffice.solvers import Adaptive, Grid, Region
from suffice.solvers.region import WHOLE, Glass, box
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.testing.fakes import (
    CONDITIONAL,
    CONSTRAINED,
    FINITE,
    MIXED,
    Counted,
    Peak,
    peak_in,
)
from suffice.types import Solution, Step, smooth_columns

LOST, WON = (False,), (True,)


def solve(solver, alpha, domain, trail, best=None, seed=0):
    design = domain.sample(5, np.random.default_rng(1))
    if best is not None:
        design = np.vstack([best, design])
    return solver(alpha, domain, step=Step(5, design, trail=trail), rng=np.random.default_rng(seed))


def test_the_side_is_halved_by_failures_in_a_row_and_doubled_by_successes_in_a_row():
    region = Region(failures=4, successes=3)
    assert region.side((), 9) == WHOLE
    assert region.side(4 * LOST, 9) == WHOLE / 2
    assert region.side(3 * LOST + WON + 3 * LOST, 9) == WHOLE
    assert region.side(8 * LOST + 3 * WON, 9) == WHOLE / 2
    assert region.side(8 * LOST + 2 * WON + LOST + WON, 9) == WHOLE / 4
    assert region.side(12 * WON, 9) == WHOLE  # never more than everything


def test_a_box_that_has_become_too_small_gives_way_to_the_whole_space():
    region = Region(failures=1, smallest=0.1)
    assert [region.side(n * LOST, 2) for n in range(7)] == [2.0, 1.0, 0.5, 0.25, 0.125, 2.0, 1.0]


def test_by_default_a_box_is_as_patient_as_there_are_parameters():
    assert Region().side(29 * LOST, 30) == WHOLE
    assert Region().side(30 * LOST, 30) == WHOLE / 2
    assert Region().side(4 * LOST, 1) == WHOLE / 2


def test_a_box_has_the_shape_of_the_scales_and_ends_at_the_faces():
    low, size = box(np.array([0.5, 0.5, 0.0]), 0.2, np.array([2.0, 0.5, 1.0]), np.ones(3, bool))
    assert low == pytest.approx([0.3, 0.45, 0.0])
    assert size == pytest.approx([0.4, 0.1, 0.1])


def test_a_column_that_is_not_smooth_is_not_confined_and_does_not_count_for_the_shape():
    smooth = np.array([True, False, True])
    low, size = box(np.full(3, 0.5), 0.2, np.array([1.0, 1e-6, 1.0]), smooth)
    assert low == pytest.approx([0.4, 0.0, 0.4])
    assert size == pytest.approx([0.2, 1.0, 0.2])


@pytest.mark.parametrize("inside", [True, False])
def test_it_finds_the_maximum_of_the_box(inside):
    best = np.full(6, 0.5)
    top = best + (0.05 if inside else 0.3)
    found = solve(Region(failures=1), Peak(top), UnitCube(6), 3 * LOST, best)  # a side of 0.25
    assert found.x == pytest.approx(np.minimum(top, 0.625), abs=1e-3)
    assert np.all(np.abs(found.x - best) <= 0.125)


def test_without_failures_it_is_the_solver_it_holds():
    alpha = Peak(np.array([0.3, 0.7]))
    assert np.array_equal(
        solve(Region(Adaptive(draws=50)), alpha, UnitCube(2), WON).x,
        solve(Adaptive(draws=50), alpha, UnitCube(2), WON).x,
    )


@pytest.mark.parametrize("domain", [FINITE, CONDITIONAL, CONSTRAINED], ids=["finite", "conditional", "constrained"])
def test_what_is_no_product_with_smooth_columns_is_searched_whole(domain):
    alpha = peak_in(domain)
    confined, free = (solve(s, alpha, domain, 50 * LOST) for s in (Region(failures=10), Adaptive()))
    assert np.array_equal(confined.x, free.x)


@pytest.mark.parametrize("domain", [UnitCube(1), UnitCube(8), MIXED], ids=["one", "eight", "mixed"])
@pytest.mark.parametrize("solver", [Adaptive(), Grid()], ids=["enough", "grid"])
def test_in_the_box_the_facts_are_true_and_every_row_is_counted(domain, solver):
    alpha = Counted(peak_in(domain))
    found = solve(Region(solver, failures=1), alpha, domain, 4 * LOST)
    counted = alpha.values + (int(smooth_columns(domain).sum()) + 1) * alpha.grads - found.n_evals
    assert domain.contains(found.x[None]).all()
    assert found.value == alpha(found.x[None])[0]
    assert found.n_grads == alpha.grads
    assert 1 <= counted <= 2
    assert domain.contains(found.draws.points).all()
    assert found.draws.values == pytest.approx(alpha(found.draws.points))
    assert (found.draws.iid, found.starts) == (
        False,
        None,
    )  # no draws of the whole domain


def test_integers_and_options_outside_the_box_are_found():
    space = Space(x=Float(0, 1), n=Int(0, 20), kind=Choice("a", "b", "c"))
    top = space.to_unit({"x": 0.5, "n": 17, "kind": "c"})
    best = space.to_unit({"x": 0.45, "n": 2, "kind": "a"})
    found = solve(Region(failures=1), Peak(top), space, 4 * LOST, best)
    assert {**space.from_unit(found.x), "x": None} == {"x": None, "n": 17, "kind": "c"}


def test_a_score_seen_through_the_glass_has_its_values_and_the_gradient_of_these():
    rng = np.random.default_rng(3)
    glass = Glass(Peak(rng.random(4)), 0.2 * rng.random(4), 0.1 + 0.7 * rng.random(4))
    U, h = rng.random((5, 4)), 1e-6
    values, gradients = glass.value_and_grad(U)
    assert np.array_equal(values, glass.inner(glass.low + glass.size * U))
    for j in range(4):
        step = h * np.eye(4)[j]
        assert (glass(U + step) - glass(U - step)) / (2 * h) == pytest.approx(gradients[:, j], abs=1e-6)
    assert glass.back(glass.through(U)) == pytest.approx(U)
    assert glass.holds(glass.through(U)).all()


def test_the_solver_inside_sees_the_observed_points_that_are_in_the_box():
    seen = []

    def spy(alpha, domain, *, step, rng):
        seen.append(step.design)
        return Solution(step.best, float(alpha(step.best[None])[0]), n_evals=1)

    best = np.full(2, 0.5)
    design = np.array([best, [0.55, 0.5], [0.9, 0.5]])
    step = Step(5, design, trail=3 * LOST)
    Region(spy, failures=1)(Peak(best), UnitCube(2), step=step, rng=np.random.default_rng(0))
    assert seen[0] == pytest.approx(np.array([[0.5, 0.5], [0.7, 0.5]]))
    empty = replace(step, design=np.empty((0, 2)))
    assert Region()(Peak(best), UnitCube(2), step=empty, rng=np.random.default_rng(0)).x == pytest.approx(
        best, abs=1e-3
    )


def test_settings_that_make_no_region_are_refused():
    with pytest.raises(TypeError, match="takes a solver such as Adaptive"):
        Region(Adaptive)
    with pytest.raises(ValueError, match="failures"):
        Region(failures=0)
    with pytest.raises(ValueError, match="successes"):
        Region(successes=0)
    with pytest.raises(ValueError, match="smallest=2"):
        Region(smallest=2.0)
