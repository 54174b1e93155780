"""What an acquisition is told about points without a value."""

import numpy as np
import pytest

from suffice.belief import VALUE, Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior

RNG = np.random.default_rng(0)
X, PENDING = RNG.random((12, 2)), RNG.random((2, 2))


@pytest.fixture
def posterior():
    return Posterior.condition(Matern(2.5, 0.4), X, np.sin(5 * X).sum(axis=1), 1e-3)


def test_without_such_points_the_posterior_is_the_models_own(posterior):
    beliefs = Beliefs.of(posterior)
    assert beliefs.objective is beliefs.observed is posterior
    assert beliefs.posteriors == {VALUE: posterior}


def test_pending_points_count_as_the_mean(posterior):
    beliefs = Beliefs.of({VALUE: posterior}, pending=PENDING)
    assert beliefs.observed is posterior
    assert np.array_equal(beliefs.objective.X, np.vstack([X, PENDING]))
    assert beliefs.objective.mean(X) == pytest.approx(beliefs.observed.mean(X), abs=1e-9)
    assert np.all(beliefs.objective.predict(PENDING)[1] < beliefs.observed.predict(PENDING)[1])


def test_what_nobody_asks_for_is_not_computed_and_what_is_computed_is_computed_once(posterior, monkeypatch):
    appended = []
    whole = Posterior.append
    monkeypatch.setattr(Posterior, "append", lambda *words: appended.append(len(words[1])) or whole(*words))
    beliefs = Beliefs.of(posterior, pending=PENDING)
    assert appended == []
    assert beliefs.objective is beliefs.objective
    assert appended == [2]
