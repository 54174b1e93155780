"""The upper confidence bound among the points that may be within all limits."""

from dataclasses import replace

import numpy as np
import pytest

from suffice.accuracy.certificate import certify
from suffice.acquisition import UCB, Constant, Thompson
from suffice.acquisition.constraints import STEEP, Confined, Slack, beneath
from suffice.acquisition.ucb import UCBScore
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.types import Step

RNG = np.random.default_rng(3)
SEEN = RNG.random((12, 2))
X = RNG.uniform(0.05, 0.95, (40, 2))
GRID = np.stack(np.meshgrid(*[np.linspace(0, 1, 61)] * 2), axis=-1).reshape(-1, 2)
TWO = {"a": 0.3, "b": -0.1}


def about(levels=TWO, *, tau=1e-3, scale=1.0, seed=0):
    """Beliefs about functions drawn from the prior, an objective and one output for each level; prior deviation s."""
    rng = np.random.default_rng(seed)
    posteriors = {}
    for name in ("value", *levels):
        kernel = Matern(2.5, tuple(rng.uniform(0.3, 0.8, 2)))
        root = np.linalg.cholesky(kernel(SEEN, SEEN) + 1e-9 * np.eye(len(SEEN)))
        posteriors[name] = Posterior.condition(
            kernel, SEEN, scale * (root @ rng.standard_normal(len(SEEN))), tau, scale=scale
        )
    within = np.all([posteriors[name].z >= level for name, level in levels.items()], axis=0)
    return Beliefs(posteriors, np.empty((0, 2)), levels=levels, feasible=SEEN[within])


def confined(beliefs, *, beta=1.2, kappa=1.5, floor=-4.0):
    inner = UCBScore(beliefs.objective, beta)
    return Confined(inner, Slack.of(beliefs, kappa), floor)


# ------------------------------------------------------------------ the slack


def test_the_slack_is_the_least_margin_in_deviations_of_the_prior():
    beliefs = about(scale=3.0)
    margins = []
    for name, level in TWO.items():
        mean, std = beliefs.posteriors[name].predict(X)
        margins.append((mean + 1.5 * std - level) / 3.0)
    assert Slack.of(beliefs, 1.5)(X) == pytest.approx(np.min(margins, axis=0), rel=1e-12)


def test_the_slack_has_its_gradient_and_a_bound_over_boxes(central_difference):
    slack, rng = Slack.of(about(), 1.5), np.random.default_rng(0)
    value, gradient = slack.value_and_grad(X)
    assert value == pytest.approx(slack(X), rel=1e-9)
    assert gradient == pytest.approx(central_difference(slack, X), rel=1e-4, abs=1e-6)
    ends = np.sort(rng.random((2, 60, 2)), axis=0)
    limits = slack.bound(*ends)
    for share in rng.random((40, 60, 2)):
        assert np.all(slack(ends[0] + share * (ends[1] - ends[0])) <= limits)
    assert slack.bound(X, X) == pytest.approx(slack(X), abs=1e-6)


@pytest.mark.parametrize("scale", [0.05, 1.0, 40.0])
def test_nothing_is_further_beyond_a_limit_than_the_depth(scale):
    slack = Slack.of(about({"a": 0.3 * scale, "b": 2.0 * scale}, scale=scale), 1.5)
    assert np.max(-slack(GRID)) <= slack.depth()
    assert slack.depth() < 20.0  # in deviations of the prior, whatever the units


def test_more_deviations_leave_more_points_possible():
    beliefs = about()
    values = [Slack.of(beliefs, kappa)(GRID) for kappa in (0.0, 1.0, 3.0)]
    assert np.all(np.diff(values, axis=0) >= 0.0)


# ------------------------------------------------------------------ the score


def test_inside_it_is_the_score_and_outside_it_falls_steeply_to_the_floor_and_the_slack():
    alpha = confined(about())
    slack, inner, values = alpha.slack(GRID), alpha.inner(GRID), alpha(GRID)
    assert 0.1 < np.mean(slack >= 0.0) < 0.9
    assert np.array_equal(values[slack >= 0], inner[slack >= 0])
    assert np.all(values <= inner)
    steep, far = inner + STEEP * slack, alpha.floor + slack
    outside = slack < 0
    assert np.array_equal(values[outside], np.minimum(inner, np.maximum(steep, far))[outside])
    assert np.any(outside & (steep > far))
    assert np.any(outside & (steep < far))


def test_it_has_no_jump_at_the_edge():
    alpha = confined(about())
    ends = GRID[[np.argmin(alpha.slack(GRID)), np.argmax(alpha.slack(GRID))]]
    line = np.linspace(*ends, 100_001)
    edge = np.flatnonzero(np.diff(alpha.slack(line) >= 0))
    assert len(edge)
    assert np.max(np.abs(np.diff(alpha(line))[edge])) < 1e-3


@pytest.mark.parametrize("floor", [-4.0, 0.0, 4.0])
@pytest.mark.parametrize("tau", [1e-2, 1e-9], ids=["noise", "hardly any noise"])
def test_the_gradient_is_that_of_the_value_on_both_sides(central_difference, tau, floor):
    alpha, step = confined(about(tau=tau), floor=floor), 1e-6
    away = np.abs(alpha.slack(X)) > 100 * step  # in between there is an edge
    for side in (alpha.slack(X) >= 0, alpha.slack(X) < 0):
        points = X[away & side]
        assert len(points) >= 5
        value, gradient = alpha.value_and_grad(points)
        assert value == pytest.approx(alpha(points), rel=1e-9)
        assert gradient == pytest.approx(central_difference(alpha, points, step), rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("floor", [-9.0, 0.0, 4.0])
def test_no_value_in_a_box_is_above_the_bound(floor):
    alpha, rng = confined(about(), floor=floor), np.random.default_rng(0)
    ends = np.sort(rng.random((2, 80, 2)), axis=0)
    small = np.clip(np.array([X - 5e-3, X + 5e-3]), 0.0, 1.0)
    for lower, upper in (ends, small, (X, X), (SEEN, SEEN)):
        limits = alpha.bound(lower, upper)
        for share in rng.random((40, *lower.shape)):
            assert np.all(alpha(lower + share * (upper - lower)) <= limits)


def test_the_bound_of_a_point_is_close_to_its_value():
    alpha = confined(about(), floor=-9.0)  # below all of inner, where no floor cuts the bound
    away = np.abs(alpha.slack(X)) > 1e-4
    assert alpha.bound(X, X)[away] == pytest.approx(alpha(X)[away], abs=1e-6)


def test_a_box_without_a_possible_point_is_worth_less_than_the_floor():
    alpha = confined(about({"a": 3.0, "b": -5.0}), kappa=0.1)
    worst = GRID[[np.argmin(alpha.slack(GRID))]]
    assert alpha.bound(worst - 0.01, worst + 0.01)[0] < alpha.floor


@pytest.mark.parametrize("scale", [0.05, 1.0, 40.0])
def test_the_shift_makes_it_non_negative(scale):
    beliefs = about({"a": 2.0 * scale, "b": 0.0}, scale=scale)
    alpha = confined(beliefs, floor=-2.0 * scale)
    assert np.all(alpha(GRID) + alpha.shift(len(GRID)) >= 0.0)


def test_width_beta_and_kind_are_those_of_the_score_inside():
    beliefs = about()
    alpha = confined(beliefs, beta=1.2)
    assert np.array_equal(alpha.width(X), alpha.inner.width(X))
    assert (alpha.beta, alpha.kind, alpha.domain, alpha.logarithmic) == (1.2, None, None, False)


# ------------------------------------------------------------------ its maximum


@pytest.mark.parametrize("seed", range(6))
def test_its_maximum_is_that_of_the_score_among_the_points_that_are_possible(seed):
    beliefs = about(seed=seed)
    alpha = confined(beliefs)
    alpha = replace(alpha, floor=beneath(alpha.inner, alpha.slack, beliefs))
    slack = alpha.slack(GRID)
    possible = GRID[slack >= 0]
    best = GRID[np.argmax(alpha(GRID))]
    if len(possible):
        assert alpha.slack(best[None])[0] >= 0  # here inner never rises so fast that an edge is passed
        assert alpha(GRID).max() == pytest.approx(alpha.inner(possible).max(), rel=1e-12)
    else:
        assert alpha.slack(best[None])[0] == slack.max()


def test_an_edge_is_passed_by_no_more_than_what_is_won_there_over_the_slope():
    """The limited output is nearly flat where it meets its limit, and the objective rises steeply there."""
    x = np.linspace(0.0, 1.0, 9)[:, None]
    kernel = Matern(2.5, 0.5)
    posteriors = {
        "value": Posterior.condition(kernel, x, 30.0 * x[:, 0], 1e-4),
        "a": Posterior.condition(kernel, x, 0.02 * (0.5 - x[:, 0]), 1e-6),
    }
    beliefs = Beliefs(posteriors, np.empty((0, 1)), levels={"a": 0.0}, feasible=x[:5])
    alpha, grid = confined(beliefs, kappa=1.0, floor=0.0), np.linspace(0.0, 1.0, 4001)[:, None]
    values, slack, inner = alpha(grid), alpha.slack(grid), alpha.inner(grid)
    won = values.max() - inner[slack >= 0].max()
    assert won > 0.0
    assert slack[np.argmax(values)] == pytest.approx((values.max() - inner[np.argmax(values)]) / STEEP)
    assert -slack[np.argmax(values)] <= (inner.max() - inner[slack >= 0].max()) / STEEP


def test_a_certificate_holds_and_closes():
    alpha = confined(about())
    points = np.random.default_rng(1).random((20_000, 2))
    values = alpha(points)
    proof = certify(alpha, UnitCube(2), nodes=8000)
    assert values.max() <= proof.upper
    assert proof.upper - max(values.max(), proof.value) < 0.05 * (values.max() - np.median(values))


def test_a_sample_of_the_objective_is_confined_too():
    beliefs = about()
    step = Step(3, SEEN)
    inner = Thompson(Constant(1.0), features=64)(beliefs, UnitCube(2), step=step, rng=np.random.default_rng(0))
    alpha = Confined(inner, Slack.of(beliefs, 1.0), -4.0)
    assert not alpha.bounded
    assert alpha.smooth
    assert np.all(np.isfinite(alpha(GRID)))


def test_a_limit_far_below_everything_changes_no_bit():
    beliefs = about({"a": -1e70, "b": -1e70})
    inner = UCB(Constant(1.2))(beliefs, UnitCube(2), step=Step(3, SEEN), rng=np.random.default_rng(0))
    alpha = Confined(inner, Slack.of(beliefs, 1.2), -4.0)
    assert np.array_equal(alpha(X), inner(X))
    assert all(map(np.array_equal, alpha.value_and_grad(X), inner.value_and_grad(X)))
    assert np.array_equal(alpha.bound(X, X), inner.bound(X, X))
