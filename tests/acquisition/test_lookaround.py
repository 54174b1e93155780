"""Steps that improve, steps that refine and steps that explore, and when which."""

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition.exploration import EVERY, PATIENCE, ElsewhereScore, LogApart, known_places
from suffice.acquisition.improvement import ImprovementScore
from suffice.belief import Beliefs
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.types import Step

# Two hills: the one at 0.2 is settled, with two evaluations on its top, the other at 0.8 has been met on its slope.
X = np.array([[0.05], [0.2], [0.2005], [0.35], [0.5], [0.65]])
Z = np.array([0.3, 1.0, 1.0, 0.4, -0.9, 0.1])
POSTERIOR = Posterior.condition(Matern(2.5, 0.15), X, Z, 1e-6)


def bound(acquisition, posterior=POSTERIOR, **known):
    step = Step(**{"t": 4, "design": posterior.X, "resolution": 1e-2, **known})
    domain = UnitCube(posterior.X.shape[1])
    return acquisition(Beliefs.of(posterior), domain, step=step, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("expected", "known", "purpose"),
    [
        (0.011, {}, "improve"),
        (0.009, {}, "explore"),  # at once
        (0.009, {"since_explored": 1}, "refine"),
        (0.009, {"since_explored": EVERY}, "explore"),
        (0.009, {"since_explored": EVERY, "in_vain": PATIENCE}, "refine"),
        (0.009, {"since_explored": EVERY + 1, "in_vain": PATIENCE}, "explore"),
        (0.009, {"resolution": 0.0}, "improve"),
        (1e-9, {"resolution": 0.0}, "explore"),  # less than rounding leaves
        (None, {"idle": 0}, "improve"),
        (None, {"idle": 1}, "explore"),
    ],
)
def test_a_step_improves_while_the_resolution_is_expected_and_explores_now_and_then_when_it_is_not(
    expected, known, purpose
):
    step = Step(**{"t": 4, "design": X, "resolution": 1e-2, **known})
    assert sf.acquisition.LookAround().purpose(expected, step) == purpose


def test_the_parts_are_the_users():
    both = sf.acquisition.LookAround(improve=sf.UCB())
    assert bound(both).kind is None
    assert isinstance(bound(both, purpose="explore"), ElsewhereScore)


@pytest.mark.parametrize("words", [{"improve": sf.LogEI}, {"elsewhere": "here"}])
def test_what_is_no_part_is_refused(words):
    with pytest.raises((TypeError, ValueError), match=next(iter(words))):
        sf.acquisition.LookAround(**words)


def test_elsewhere_climbs_the_other_hill_where_ucb_stays():
    grid = np.linspace(0, 1, 1001)[:, None]
    ucb, elsewhere = (grid[np.argmax(bound(part)(grid)), 0] for part in (sf.UCB(0.3), sf.acquisition.Elsewhere()))
    assert abs(ucb - 0.2) < 0.05
    assert elsewhere > 0.65


def test_a_known_place_is_worth_less_than_all_others():
    grid = np.linspace(0, 1, 1001)[:, None]
    best = X[[POSTERIOR.mean(X).argmax()]]
    assert bound(sf.acquisition.Elsewhere())(best)[0] < np.quantile(bound(sf.acquisition.Elsewhere())(grid), 0.01)


def test_no_exploration_goes_where_another_one_found_nothing_or_is_pending():
    grid, duds = np.linspace(0, 1, 1001)[:, None], np.empty((0, 1))
    for _ in range(6):
        alpha = bound(sf.acquisition.Elsewhere(), duds=duds if len(duds) else None)
        x = grid[[np.argmax(alpha(grid))]]
        assert np.all(np.abs(duds - x) > 0.03)
        duds = np.vstack([duds, x])
    step = Step(t=4, design=X, resolution=1e-2)
    beliefs, rng = Beliefs.of(POSTERIOR, pending=np.array([[0.8]])), np.random.default_rng(0)
    alpha = sf.acquisition.Elsewhere()(beliefs, UnitCube(1), step=step, rng=rng)
    assert abs(grid[np.argmax(alpha(grid)), 0] - 0.8) > 0.03


def test_the_score_of_an_exploration_has_derivatives_a_sieve_and_a_limit_over_boxes():
    rng = np.random.default_rng(3)
    known, h = rng.random((20, 2)), 1e-5
    posterior = Posterior.condition(Matern(2.5, (0.2, 0.4)), known, np.cos(5 * known).sum(axis=1), 1e-4)
    alpha, points = bound(sf.acquisition.Elsewhere(), posterior, duds=known[:3]), rng.random((40, 2))
    value, gradient, H = alpha.with_hessian(points, np.arange(2))
    assert value == pytest.approx(alpha(points))
    assert gradient == pytest.approx(alpha.value_and_grad(points)[1], rel=1e-6)
    for j in range(2):
        ahead, behind = (alpha.value_and_grad(points + sign * h * np.eye(2)[j]) for sign in (1, -1))
        assert gradient[:, j] == pytest.approx((ahead[0] - behind[0]) / (2 * h), rel=1e-3, abs=1e-4)
        assert H[:, j] == pytest.approx((ahead[1] - behind[1]) / (2 * h), rel=1e-2, abs=1e-2)
    floor = float(np.quantile(value, 0.8))
    assert set(np.flatnonzero(value >= floor)) <= set(alpha.reach(points, floor))
    lower = np.maximum(points - 0.1, 0.0)
    inside = lower + (points + 0.1 - lower) * rng.random((200, 40, 2))
    assert np.all(alpha.bound(lower, points + 0.1) >= np.max([alpha(rows) for rows in inside], axis=0))


def test_the_second_hill_is_known_once_it_was_evaluated_twice_with_the_same_result():
    twice = np.array([[0.8], [0.8005]])
    climbed, level = (
        Posterior.condition(Matern(2.5, 0.15), np.vstack([X, twice]), np.append(Z, pair), 1e-6)
        for pair in ([0.5, 0.56], [0.5, 0.501])
    )
    assert known_places(POSTERIOR, POSTERIOR.mean(X), 1e-2) == [int(np.argmax(POSTERIOR.mean(X)))]
    places = known_places(level, level.mean(level.X), 1e-2)
    assert places[0] in (1, 2)
    assert places[1] in (6, 7)
    assert len(known_places(climbed, climbed.mean(climbed.X), 1e-2)) == 1


def test_nothing_known_is_no_place():
    empty = Posterior.condition(Matern(2.5, 0.15), np.empty((0, 1)), np.empty(0), 1e-6)
    assert np.ptp(bound(sf.acquisition.Elsewhere(), empty)(np.linspace(0, 1, 9)[:, None])) == 0
    assert known_places(empty, np.empty(0), 1.0) == []


@pytest.mark.parametrize("kernel", [Matern(2.5, (0.2, 0.7)), Matern(1.5, 0.4), RBF(0.3)], ids=repr)
def test_the_weight_has_a_gradient_and_a_limit_over_boxes(kernel):
    rng = np.random.default_rng(1)
    weight, points, h = LogApart(kernel, rng.random((3, 2))), rng.random((30, 2)), 1e-6
    value, gradient = weight.value_and_grad(points)
    assert value == pytest.approx(weight(points))
    for j in range(2):
        ahead, behind = (weight(points + sign * h * np.eye(2)[j]) for sign in (1, -1))
        assert gradient[:, j] == pytest.approx((ahead - behind) / (2 * h), rel=1e-3, abs=1e-5)
    lower = np.maximum(points - 0.1, 0.0)
    inside = lower + (points + 0.1 - lower) * rng.random((200, 30, 2))
    highest = np.max([weight(rows) for rows in inside], axis=0)
    limit = weight.bound(lower, points + 0.1)
    assert np.all(limit >= highest)
    assert np.all(weight.bound(points, points) == pytest.approx(value))


@pytest.mark.parametrize("part", [sf.acquisition.EI(), sf.LogEI(), sf.acquisition.EI(xi=0.1)], ids=repr)
@pytest.mark.parametrize("width", [0.0, 0.01, 0.1, 0.5])
def test_no_point_of_a_box_has_more_expected_improvement_than_its_limit(part, width):
    rng = np.random.default_rng(2)
    known = rng.random((20, 2))
    posterior = Posterior.condition(Matern(2.5, 0.3), known, np.cos(5 * known).sum(axis=1), 1e-4, scale=1.3)
    alpha = bound(part, posterior)
    assert isinstance(alpha, ImprovementScore)
    lower = rng.random((25, 2)) * (1 - width)
    limit = alpha.bound(lower, lower + width)
    inside = lower + width * rng.random((300, 25, 2))
    highest = np.max([alpha(rows) for rows in inside], axis=0)
    assert np.all(limit >= highest)
    if width == 0.0:  # a box of one point: the limit is the value
        limit, highest = (np.exp(v) if alpha.logarithmic else v for v in (limit, highest))
        assert limit == pytest.approx(highest, abs=1e-3)
