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


# ------------------------------------------------------------------ several outputs


@pytest.fixture
def limited(posterior):
    """An objective, and an output that has to be 0.5 at least, which some points are known to be."""
    c = Posterior.condition(Matern(2.5, 0.4), X, X[:, 1], 1e-6, scale=2.0)
    return Beliefs({VALUE: posterior, "c": c}, PENDING, levels={"c": 0.5}, feasible=X[X[:, 1] >= 0.5], outcomes={})


def test_what_has_a_level_is_no_objective(limited, posterior):
    assert limited.objectives == (VALUE,)
    assert list(limited.aims) == [VALUE]
    assert limited.observed is posterior


def test_an_expected_violation_is_in_deviations_and_nothing_within_the_limit(limited):
    expected = np.maximum(0.0, 0.5 - limited.posteriors["c"].mean(X)) / 2.0
    assert np.array_equal(limited.violation(X), expected)
    assert np.all(limited.violation(limited.feasible) < 1e-5)


def test_what_counts_as_found_is_within_all_limits_or_expected_to_be(limited):
    inside = limited.violation(PENDING) == 0.0
    assert 0 < inside.sum() < len(PENDING)
    assert np.array_equal(limited.standing, np.vstack([limited.feasible, PENDING[inside]]))
    without = Beliefs.of(limited.posteriors[VALUE], pending=PENDING)
    assert np.array_equal(without.standing, np.vstack([X, PENDING]))


def test_the_known_points_are_those_of_the_output_that_is_known_best(posterior):
    fewer = Posterior.condition(Matern(2.5, 0.4), X[:5], X[:5, 0], 1e-3)
    assert Beliefs.of({"a": fewer, "b": posterior}).known is posterior.X


def test_an_acquisition_for_one_objective_refuses_several(posterior):
    with pytest.raises(TypeError, match="for one objective, and the study has 2: a, b"):
        _ = Beliefs.of({"a": posterior, "b": posterior}).objective
