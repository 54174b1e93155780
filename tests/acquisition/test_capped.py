"""Points that are known by belief only are left out."""

import numpy as np
import pytest

from suffice.acquisition import EI, UCB, LogEI, Thompson
from suffice.acquisition.wrappers import (
    STEEP,
    Capped,
    where_it_tells,
)
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.types import Step

RNG = np.random.default_rng(1)
X, PENDING, PLACES = RNG.random((10, 2)), RNG.random((2, 2)), RNG.random((200, 2))
SQUARE = UnitCube(2)


@pytest.fixture
def beliefs():
    posterior = Posterior.condition(Matern(2.5, 0.5), X, np.sin(5 * X).sum(axis=1), 1e-4)
    return Beliefs.of(posterior, pending=PENDING)


def bound(acquisition, beliefs):
    return acquisition(beliefs, SQUARE, step=Step(t=3, design=X), rng=np.random.default_rng(0))


@pytest.mark.parametrize("acquisition", [UCB(), EI(), LogEI()], ids=repr)
def test_it_is_the_score_itself_up_to_the_cap_and_far_below_beyond(beliefs, acquisition):
    alpha = bound(acquisition, beliefs)
    capped = where_it_tells(alpha, beliefs)
    assert isinstance(capped, Capped)
    told = beliefs.objective.information(PLACES)
    within = told <= Capped.cap
    assert 0 < np.count_nonzero(within) < len(PLACES)
    np.testing.assert_array_equal(capped(PLACES)[within], alpha(PLACES)[within])
    far = told > Capped.cap + 0.1
    assert capped(PLACES)[far].max() < np.median(alpha(PLACES)[within])


@pytest.mark.parametrize("acquisition", [UCB(), EI(), LogEI()], ids=repr)
def test_the_gradient_is_that_of_the_value(beliefs, acquisition):
    capped = where_it_tells(bound(acquisition, beliefs), beliefs)
    places = np.vstack([PLACES, PENDING[0] + np.linspace(0.01, 0.2, 4000)[:, None] * np.array([0.6, -0.8])])
    told = beliefs.objective.information(places)
    farthest = np.inf if capped.logarithmic else 10.0 / STEEP  # beyond, all is at the floor
    smooth = places[(np.abs(told - Capped.cap) > 1e-4) & (told - Capped.cap < farthest)]
    assert np.any(beliefs.objective.information(smooth) > Capped.cap)
    values, gradients = capped.value_and_grad(smooth)
    np.testing.assert_allclose(values, capped(smooth), rtol=1e-9, atol=1e-12)
    h = 1e-8
    for k in range(2):
        step = h * np.eye(2)[k]
        slope = (capped(smooth + step) - capped(smooth - step)) / (2 * h)
        np.testing.assert_allclose(gradients[:, k], slope, rtol=1e-3, atol=1e-4 * (1 + np.abs(slope).max()))


def test_scores_that_do_not_believe_and_asks_without_pending_points_are_left_alone(beliefs):
    sample = bound(Thompson(), beliefs)
    assert where_it_tells(sample, beliefs) is sample
    alone = Beliefs.of(beliefs.observed)
    alpha = bound(UCB(), alone)
    assert where_it_tells(alpha, alone) is alpha
    ignoring = bound(UCB(), alone)  # a rule that does not look at pending points
    assert where_it_tells(ignoring, beliefs) is ignoring
