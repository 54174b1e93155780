"""The average of members' scores: values, derivatives and bounds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import suffice as sf
from suffice.acquisition.constraints import LogProduct, log_probabilities, p_feasible, to_find_feasible
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.types import Step

CURVED = [sf.acquisition.EI(), sf.LogEI(), sf.acquisition.PI()]
BOUNDED = [*CURVED, sf.acquisition.MES()]
ACQUISITIONS = [*BOUNDED, sf.acquisition.KG()]
WEIGHTS = (0.2, 0.5, 0.3)
LEVELS = {"c": 0.1, "e": -0.5}
CUBE = sf.Space({"x": (0.0, 1.0), "y": (0.0, 1.0)})
FINITE = sf.Space({"x": (1, 20), "y": (1, 20)})  # few enough points that all members see the same ones


def each(parts):
    return pytest.mark.parametrize("acquisition", parts, ids=lambda a: type(a).__name__)


def beliefs(weights=WEIGHTS):
    rng = np.random.default_rng(0)
    X, z = rng.random((9, 2)), rng.standard_normal(9)
    members = [Posterior.condition(Matern(2.5, (ell, 2 * ell)), X, z, 0.01) for ell in (0.2, 0.5, 1.0)]
    single = Beliefs.of(members[0])
    ensembles = {single.objectives[0]: tuple(zip(weights, members, strict=True))}
    return Beliefs(single.posteriors, single.pending, ensembles=ensembles, outcomes=single.outcomes), members


def constrained():
    """The same with two constrained outputs, one of them with members."""
    known, members = beliefs()
    posteriors = {"value": known.observed, "c": members[1], "e": members[2]}
    ensembles = {"value": known.ensembles["value"], "c": known.ensembles["value"]}
    return replace(known, posteriors=posteriors, ensembles=ensembles, levels=LEVELS, feasible=known.known[:4]), members


def bound(acquisition, known, domain=CUBE, rng=None):
    rng = np.random.default_rng(5) if rng is None else rng
    return acquisition(known, domain, step=Step(3, known.known), rng=rng)


@pytest.mark.parametrize("pending", [0, 2])
@each(ACQUISITIONS)
def test_the_average_is_over_what_a_logarithm_is_of(acquisition, pending):
    known, members = beliefs()
    rng, X = np.random.default_rng(5), np.random.default_rng(1).random((40, 2))
    known = replace(known, pending=X[:pending])
    alpha = bound(acquisition, known, FINITE)
    scores = [bound(acquisition, Beliefs.of(member, pending=X[:pending]), FINITE, rng) for member in members]
    values = [np.exp(score(X)) if score.logarithmic else score(X) for score in scores]
    expected = 0.2 * values[0] + 0.5 * values[1] + 0.3 * values[2]
    np.testing.assert_allclose(np.exp(alpha(X)) if alpha.logarithmic else alpha(X), expected, rtol=1e-9)


@each(ACQUISITIONS)
def test_the_gradient_is_that_of_differences(acquisition, central_difference):
    alpha, X = bound(acquisition, beliefs()[0]), np.random.default_rng(2).uniform(0.01, 0.99, (20, 2))
    value, gradient = alpha.value_and_grad(X)
    np.testing.assert_allclose(value, alpha(X), rtol=1e-8)
    np.testing.assert_allclose(gradient, central_difference(alpha, X, 1e-5), rtol=1e-3, atol=1e-5)


@each([sf.acquisition.MES(), sf.acquisition.KG()])
def test_a_search_starts_at_the_best_places_of_all_members(acquisition):
    alpha = bound(acquisition, beliefs()[0])
    seeds = [part.seeds for _, part in alpha.parts]
    assert len(alpha.seeds) <= 10 < sum(map(len, seeds))
    assert alpha(alpha.seeds)[0] == alpha(np.vstack(seeds)).max()
    assert np.all(np.diff(alpha(alpha.seeds)) <= 0.0)


@each(CURVED)
def test_derivatives_are_those_of_differences(acquisition):
    alpha = bound(acquisition, beliefs()[0])
    X, h = np.random.default_rng(2).random((6, 2)), 1e-5
    value, gradient, hessian = alpha.with_hessian(X, np.arange(2))
    np.testing.assert_allclose(value, alpha(X), rtol=1e-8)
    np.testing.assert_allclose(gradient, alpha.value_and_grad(X)[1], rtol=1e-6, atol=1e-9)
    for j in range(2):
        step = h * np.eye(2)[j]
        ahead, behind = alpha.value_and_grad(X + step), alpha.value_and_grad(X - step)
        np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * h), gradient[:, j], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * h), hessian[:, :, j], rtol=2e-3, atol=1e-4)


@each(BOUNDED)
def test_boxes_bound_the_average_and_sieves_lose_nothing(acquisition):
    alpha, rng = bound(acquisition, beliefs()[0]), np.random.default_rng(3)
    assert alpha.bounded
    lower = rng.random((20, 2)) * 0.8
    upper = lower + 0.2
    inside = lower[:, None] + 0.2 * rng.random((20, 30, 2))
    highest = alpha(inside.reshape(-1, 2)).reshape(20, 30).max(axis=1)
    assert np.all(alpha.bound(lower, upper) >= highest)
    X = rng.random((300, 2))
    floor = float(np.quantile(alpha(X), 0.9))
    assert set(np.flatnonzero(alpha(X) >= floor)) <= set(alpha.reach(X, floor))


@each(ACQUISITIONS)
def test_one_member_has_no_average(acquisition):
    known, _ = beliefs()
    alpha = bound(acquisition, Beliefs.of(known.posteriors))
    assert type(alpha).__name__ in {"ImprovementScore", "EntropyScore", "KGScore"}


def test_the_probability_of_feasibility_is_averaged_over_the_members_of_each_output():
    known, members = constrained()
    X = np.random.default_rng(1).random((30, 2))
    alone = [norm.sf(LEVELS["c"], *member.predict(X)) for member in members]
    expected = np.dot(WEIGHTS, alone) * norm.sf(LEVELS["e"], *members[2].predict(X))
    np.testing.assert_allclose(np.exp(to_find_feasible(known)(X)), expected, rtol=1e-9)
    pending = replace(known, pending=X[:1])
    assert p_feasible(pending, X[0]) == p_feasible(known, X[0]) == pytest.approx(expected[0], rel=1e-9)
    assert to_find_feasible(pending)(X[:1]) != to_find_feasible(known)(X[:1])


@each([sf.LogEI(), sf.acquisition.MES(), sf.acquisition.KG()])
def test_averages_under_averaged_constraints_keep_gradient_and_bound(acquisition, central_difference):
    known, rng = constrained()[0], np.random.default_rng(3)
    alpha = LogProduct(bound(acquisition, known), log_probabilities(known))
    lower = rng.random((20, 2)) * 0.8
    inside = lower[:, None] + 0.2 * rng.random((20, 30, 2))
    X = inside[:, 0]
    expected = central_difference(alpha, X, 1e-5)
    np.testing.assert_allclose(alpha.value_and_grad(X)[1], expected, rtol=1e-3, atol=1e-5)
    if alpha.bounded:
        highest = alpha(inside.reshape(-1, 2)).reshape(20, 30).max(axis=1)
        assert np.all(alpha.bound(lower, lower + 0.2) >= highest)


def test_no_average_of_probabilities_is_above_one():
    drawn = np.random.default_rng(0).random((200, 3))
    weights = next(w for w in drawn / drawn.sum(axis=1, keepdims=True) if w.sum() > 1.0)  # by the last bit
    known, members = beliefs()
    ensembles = {"c": tuple(zip(weights.tolist(), members, strict=True))}
    sure = replace(known, posteriors={"c": members[0]}, ensembles=ensembles, levels={"c": -100.0})
    assert np.array_equal(to_find_feasible(sure)(np.random.default_rng(1).random((50, 2))), np.zeros(50))
