"""The probability of being allowed: its gradient, its limits, and what it does to an acquisition."""

import numpy as np
import optuna
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import norm

from suffice.acquisition import LogEI
from suffice.belief import Beliefs
from suffice.gp.model import GP, Observations
from suffice.integrations.optuna.allowed import MOST, Allowed, allowance
from suffice.integrations.optuna.allowed import _nearest_the_edge as nearest_the_edge
from suffice.integrations.optuna.lessons import Read
from suffice.integrations.optuna.record import Rows
from suffice.integrations.optuna.spaces import Mapped
from suffice.types import Step

RANGES = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in "xy"}


@pytest.fixture(scope="module")
def weight():
    """Of points to the left of 0.5 and below 0.7, told at 40 places."""
    study, rng = optuna.create_study(), np.random.default_rng(0)
    for x, y in rng.random((40, 2)).tolist():
        study.add_trial(
            optuna.create_trial(
                params={"x": x, "y": y}, distributions=RANGES, value=x, constraints={"left": x - 0.5, "below": y - 0.7}
            )
        )
    reads, mapped = [Read.of(trial, study.directions) for trial in study.trials], Mapped.of(RANGES)
    return allowance(reads, Rows(mapped), mapped.space)


def test_it_is_the_product_of_the_probabilities_of_all_constraints(weight):
    X = np.random.default_rng(1).random((50, 2))
    product = np.ones(50)
    for posterior, edge in weight.models:
        product *= norm.sf(edge, *posterior.predict(X))
    assert len(weight.models) == 2
    assert weight(X) == pytest.approx(np.maximum(product, np.exp(-30)), rel=1e-9)


def test_its_gradient_is_that_of_its_value(weight):
    for x in np.array([[0.45, 0.3], [0.5, 0.7], [0.52, 0.66], [0.2, 0.69]]):
        p, slope = weight.value_and_grad(x[None])
        assert p == pytest.approx(weight(x[None]), rel=1e-7)
        numeric = approx_fprime(x, lambda at: float(weight(at[None])[0]), 1e-7)
        assert slope[0] == pytest.approx(numeric, rel=1e-3, abs=1e-5)


def test_what_was_measured_to_be_allowed_is_and_what_was_not_is_not(weight):
    assert weight(np.array([[0.1, 0.1], [0.3, 0.5]])).min() > 0.99
    assert weight(np.array([[0.9, 0.1], [0.1, 0.95], [0.9, 0.9]])).max() < 0.01


def test_an_acquisition_is_worth_nothing_more_where_a_point_is_not_allowed(weight):
    rng, space = np.random.default_rng(2), Mapped.of(RANGES).space
    X = rng.random((12, 2)) * [0.5, 0.7]
    data = Observations(X, X[:, 0], np.full(12, np.nan))
    beliefs = Beliefs.of(GP()(data, space).posterior)
    known = {"step": Step(1, X), "rng": rng}
    free, bound = LogEI()(beliefs, space, **known), Allowed(LogEI(), weight)(beliefs, space, **known)
    Z = rng.random((400, 2))
    assert bound(Z) == pytest.approx(free(Z) + np.log(weight(Z)))
    assert Z[np.argmax(free(Z))][0] > 0.9
    assert Z[np.argmax(bound(Z))][0] < 0.6


def test_a_constraint_that_was_never_violated_needs_no_model():
    study = optuna.create_study()
    study.add_trial(
        optuna.create_trial(params={"x": 0.1, "y": 0.1}, distributions=RANGES, value=0.0, constraints={"a": -1.0})
    )
    mapped = Mapped.of(RANGES)
    assert allowance([Read.of(study.trials[0], study.directions)], Rows(mapped), mapped.space) is None


def test_of_many_points_those_nearest_to_the_edge_are_kept():
    c = np.random.default_rng(3).normal(size=1000)
    rows = nearest_the_edge(c)
    assert len(set(rows.tolist())) == MOST
    assert set(np.argsort(np.abs(c))[: MOST // 2].tolist()) <= set(rows.tolist())
