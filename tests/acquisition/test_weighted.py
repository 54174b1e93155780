"""A weighted score keeps the promises of the one it weights."""

import numpy as np
import pytest

from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, UCB, Constant, LogEI, Thompson, Weighted
from suffice.space import UnitCube
from suffice.testing.acquisitions import bind
from suffice.testing.fakes import Ramp
from suffice.types import Plain

X = np.random.default_rng(7).uniform(0.05, 0.95, (25, 2))
HALF = Ramp(0.2, 0.9)


@pytest.fixture
def ucb(gp):
    return bind(UCB(Constant(2.0)), gp(shift=-3.0))  # negative everywhere


def test_a_point_of_weight_zero_is_worth_the_floor(ucb):
    assert Weighted(ucb, Ramp(0.0, 0.0), floor=-7.0)(X) == pytest.approx(np.full(len(X), -7.0))


def test_values_lie_between_the_floor_and_the_score(ucb):
    for floor in (-9.0, 4.0):
        values, ends = Weighted(ucb, HALF, floor)(X), np.array([ucb(X), np.full(len(X), floor)])
        assert np.all((ends.min(axis=0) <= values) & (values <= ends.max(axis=0)))


@pytest.mark.parametrize("floor", [0.0, -4.0])
@pytest.mark.parametrize("acquisition", [UCB(Constant(2.0)), EI(), Thompson(Constant(1.0), features=64)], ids=str)
def test_the_gradient_is_that_of_the_value(gp, central_difference, acquisition, floor):
    alpha = Weighted(bind(acquisition, gp()), HALF, floor)
    value, gradient = alpha.value_and_grad(X)
    assert alpha.smooth
    assert value == pytest.approx(alpha(X))
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-4, abs=1e-6)


def test_it_has_no_gradient_where_the_weight_has_none(ucb):
    alpha = Weighted(ucb, Plain(HALF))
    assert not alpha.smooth
    assert alpha(X) == pytest.approx(Weighted(ucb, HALF)(X))


@pytest.mark.parametrize("floor", [-9.0, 0.0, 4.0])
def test_the_shift_makes_it_non_negative(ucb, floor):
    alpha = Weighted(ucb, HALF, floor)
    assert np.all(alpha(X) + alpha.shift(len(X)) >= 0)


def test_without_a_shift_there_is_none(ucb):
    assert Weighted(Plain(ucb), HALF).shift(10) is None


@pytest.mark.parametrize("weight", [HALF, Plain(HALF)], ids=["bounded weight", "any weight"])
@pytest.mark.parametrize("floor", [-9.0, 0.0, 4.0])
def test_no_value_in_a_box_is_above_the_bound(ucb, floor, weight):
    alpha, rng = Weighted(ucb, weight, floor), np.random.default_rng(0)
    ends = np.sort(rng.random((2, 50, 2)), axis=0)
    limits = alpha.bound(*ends)
    for share in rng.random((40, 50, 2)):
        assert np.all(alpha(ends[0] + share * (ends[1] - ends[0])) <= limits)
    assert np.all(alpha(ends[0]) <= alpha.bound(ends[0], ends[0]))


def test_the_bound_of_the_weight_makes_it_tighter(ucb):
    lower, upper = np.zeros((1, 2)), np.array([[0.2, 1.0]])
    assert Weighted(ucb, HALF, -9.0).bound(lower, upper) < Weighted(ucb, Plain(HALF), -9.0).bound(lower, upper)


def test_a_certificate_of_it_holds(ucb):
    alpha = Weighted(ucb, HALF, -9.0)
    proven = certify(alpha, UnitCube(2), nodes=20_000)
    assert alpha(np.random.default_rng(1).random((5000, 2))).max() <= proven.upper
    assert proven.upper - proven.value < 0.5


def test_width_scales_and_beta_are_those_of_the_score(ucb):
    alpha = Weighted(ucb, HALF)
    assert np.array_equal(alpha.width(X), ucb.width(X))
    assert np.array_equal(alpha.scales, ucb.scales)
    assert (alpha.beta, alpha.domain) == (2.0, None)


def test_a_finite_set_stays_one(gp):
    draw = bind(Thompson(exact=True, points=20), gp())
    assert Weighted(draw, HALF).domain is draw.domain


def test_a_logarithm_is_not_weighted(gp):
    with pytest.raises(ValueError, match="use LogWeighted"):
        Weighted(bind(LogEI(), gp()), HALF)
