"""What an acquisition is told about points without a value."""

import numpy as np
import pytest

from suffice.belief import VALUE, Beliefs
from suffice.belief.beliefs import MOST_FAILED
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior

RNG = np.random.default_rng(0)
X, FAILED, PENDING = RNG.random((12, 2)), RNG.random((3, 2)), RNG.random((2, 2))


@pytest.fixture
def posterior():
    return Posterior.condition(Matern(2.5, 0.4), X, np.sin(5 * X).sum(axis=1), 1e-3)


def test_without_such_points_the_posterior_is_the_models_own(posterior):
    beliefs = Beliefs.of(posterior)
    assert beliefs.objective is beliefs.observed is posterior
    assert beliefs.posteriors == {VALUE: posterior}


def test_failed_points_count_as_the_worst_value_and_pending_ones_as_the_mean(posterior):
    beliefs = Beliefs.of({VALUE: posterior}, failed=FAILED, pending=PENDING)
    assert beliefs.observed.n == 15
    assert np.all(beliefs.observed.z[-3:] == posterior.z.min())
    assert np.array_equal(beliefs.objective.X, np.vstack([X, FAILED, PENDING]))
    assert beliefs.objective.mean(X) == pytest.approx(beliefs.observed.mean(X), abs=1e-9)
    assert np.all(beliefs.objective.predict(PENDING)[1] < beliefs.observed.predict(PENDING)[1])


def test_what_nobody_asks_for_is_not_computed_and_what_is_computed_is_computed_once(posterior, monkeypatch):
    appended = []
    whole = Posterior.append
    monkeypatch.setattr(Posterior, "append", lambda *words: appended.append(len(words[1])) or whole(*words))
    beliefs = Beliefs.of(posterior, failed=FAILED, pending=PENDING)
    assert appended == []
    assert beliefs.observed is beliefs.observed
    assert appended == [3]
    assert beliefs.objective is beliefs.objective
    assert appended == [3, 2]


def test_of_many_failed_points_the_latest_count(posterior):
    many = np.random.default_rng(1).random((5000, 2))
    observed = Beliefs.of(posterior, failed=many).observed
    assert np.array_equal(observed.X[posterior.n :], many[-MOST_FAILED:])
