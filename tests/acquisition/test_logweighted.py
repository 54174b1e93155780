"""The logarithm of a weighted acquisition keeps the promises of the one it weights."""

import numpy as np
import pytest

from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, KG, MES, PI, UCB, LogEI, LogWeighted, Weighted
from suffice.space import UnitCube
from suffice.testing.acquisitions import bind
from suffice.testing.fakes import Ramp
from suffice.types import Plain

X = np.random.default_rng(7).uniform(0.05, 0.95, (25, 2))
HALF = Ramp(0.2, 0.9)
LOGARITHMS = [LogEI(), PI(), MES(samples=3, points=50), KG(points=8)]


@pytest.fixture
def log_ei(gp):
    return bind(LogEI(), gp())


def test_it_is_the_logarithm_of_the_weighted_acquisition(gp, log_ei):
    plain = Weighted(bind(EI(), gp()), HALF, floor=0.0)
    assert np.exp(LogWeighted(log_ei, HALF)(X)) == pytest.approx(plain(X), rel=1e-9)


def test_a_power_counts_the_weight_so_many_times(log_ei):
    once, thrice = (LogWeighted(log_ei, HALF, power)(X) for power in (1.0, 3.0))
    assert thrice - log_ei(X) == pytest.approx(3 * (once - log_ei(X)))


def test_an_equal_weight_everywhere_changes_no_ranking(log_ei):
    flat = LogWeighted(log_ei, Ramp(0.5, 0.5), 20.0)(X)
    assert np.array_equal(np.argsort(flat), np.argsort(log_ei(X)))


@pytest.mark.parametrize("acquisition", LOGARITHMS, ids=lambda a: type(a).__name__)
def test_the_gradient_is_that_of_the_value(gp, central_difference, acquisition):
    alpha = LogWeighted(bind(acquisition, gp()), HALF, 3.0)
    value, gradient = alpha.value_and_grad(X)
    assert alpha.smooth
    assert value == pytest.approx(alpha(X))
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-3, abs=1e-4)


def test_it_has_no_gradient_where_the_weight_has_none(log_ei):
    alpha = LogWeighted(log_ei, Plain(HALF))
    assert not alpha.smooth
    assert alpha(X) == pytest.approx(LogWeighted(log_ei, HALF)(X))


@pytest.mark.parametrize("weight", [HALF, Plain(HALF)], ids=["bounded weight", "any weight"])
@pytest.mark.parametrize("acquisition", LOGARITHMS[:3], ids=lambda a: type(a).__name__)
def test_no_value_in_a_box_is_above_the_bound(gp, acquisition, weight):
    alpha, rng = LogWeighted(bind(acquisition, gp()), weight, 20.0), np.random.default_rng(0)
    ends = np.sort(rng.random((2, 50, 2)), axis=0)
    limits = alpha.bound(*ends)
    for share in rng.random((20, 50, 2)):
        assert np.all(alpha(ends[0] + share * (ends[1] - ends[0])) <= limits)
    assert np.all(alpha(ends[0]) <= alpha.bound(ends[0], ends[0]))


def test_a_certificate_of_it_holds(log_ei):
    alpha = LogWeighted(log_ei, HALF, 3.0)
    proven = certify(alpha, UnitCube(2), nodes=20_000)
    assert alpha(np.random.default_rng(1).random((5000, 2))).max() <= proven.upper
    assert proven.upper - proven.value < 0.5


@pytest.mark.parametrize("acquisition", LOGARITHMS, ids=lambda a: type(a).__name__)
def test_what_the_score_offers_is_passed_on(gp, acquisition):
    inner = bind(acquisition, gp())
    alpha = LogWeighted(inner, HALF, 3.0)
    for name in ("bounded", "sieves", "domain", "ceiling", "beta", "kind", "logarithmic"):
        assert getattr(alpha, name) == getattr(inner, name)
    for name in ("seeds", "scales"):
        assert np.array_equal(getattr(alpha, name), getattr(inner, name))
    assert alpha.shift(10) == inner.shift(10)
    assert alpha.base is None  # times a power of a probability it is no expected excess
    assert LogWeighted(inner, HALF).base == inner.base
    assert np.all(np.isin(np.flatnonzero(alpha(X) >= alpha(X).max() - 1.0), alpha.reach(X, alpha(X).max() - 1.0)))


def test_what_is_no_logarithm_is_refused(gp):
    with pytest.raises(ValueError, match="UCBScore is not the logarithm of an acquisition: use Weighted"):
        LogWeighted(bind(UCB(), gp()), HALF)
