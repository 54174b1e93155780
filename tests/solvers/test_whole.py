"""Domains that are looked at as a whole."""

import numpy as np
import pytest

from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, PI, UCB, Elsewhere, LogEI
from suffice.belief import Beliefs
from suffice.gp import Matern
from suffice.gp.posterior import Posterior
from suffice.solvers import Adaptive, Exhaustive
from suffice.solvers.record import enumerated, seen_whole
from suffice.space import PointSet, UnitCube
from suffice.testing.fakes import Peak, ValuesOnly
from suffice.types import Status, Step

MANY = PointSet(np.random.default_rng(0).random((30_000, 4)))


def bound(acquisition, n=40):
    X = MANY.points[:n]
    posterior = Posterior.condition(Matern(2.5, lengthscale=0.6), X, np.cos(5 * X).sum(axis=1), 1e-4)
    step = Step(3, X[np.argsort(-posterior.z)], resolution=1e-3)
    return acquisition(Beliefs.of(posterior), MANY, step=step, rng=np.random.default_rng(0)), step


@pytest.mark.parametrize("acquisition", [UCB(), UCB(beta=3.0), EI(), LogEI(), PI(), Elsewhere()], ids=repr)
@pytest.mark.parametrize("solver", [Adaptive(), Exhaustive()], ids=repr)
def test_the_best_of_all_points_is_found_and_said_to_be(acquisition, solver):
    alpha, step = bound(acquisition)
    solution = solver(alpha, MANY, step=step, rng=np.random.default_rng(1))
    values = alpha(MANY.points)
    assert np.array_equal(solution.x, MANY.points[np.argmax(values)])
    assert solution.value == pytest.approx(values.max(), rel=1e-12)
    assert solution.draws is not None
    assert (solution.draws.n, solution.draws.iid) == (30_000, False)
    assert solution.n_evals == 30_000
    best = np.sort(values)[::-1][: len(solution.draws.values)]
    assert np.allclose(solution.draws.values, best, rtol=1e-9, atol=1e-12)


def test_a_score_that_does_not_sieve_is_enumerated_too():
    peak = Peak(MANY.points[12_345])
    for alpha in (peak, ValuesOnly(peak)):
        assert np.array_equal(enumerated(alpha, MANY).x, MANY.points[12_345])


def test_a_flat_score_and_one_without_values_have_an_answer():
    flat = enumerated(ValuesOnly(Peak(np.zeros(4), scale=0.0)), MANY)
    assert np.array_equal(flat.x, MANY.points[0])

    class Nowhere(ValuesOnly):
        def __call__(self, X):
            return np.full(len(X), np.nan)

    assert MANY.contains(enumerated(Nowhere(Peak(np.zeros(4))), MANY).x[None])[0]


def test_a_certificate_of_very_many_points_is_exact_and_rules_most_of_them_out():
    alpha, _ = bound(UCB())
    domain = PointSet(np.random.default_rng(1).random((150_000, 4)))
    proof = certify(alpha, domain, value=float(alpha(domain.points[:100]).max()), seconds=60.0)
    best = float(alpha(domain.points).max())
    assert proof.finished
    assert proof.value == pytest.approx(best, rel=1e-12)
    assert best <= proof.upper <= best + 1e-6


def test_a_deadline_leaves_the_best_so_far_and_no_claim_about_the_rest():
    alpha, _ = bound(UCB())
    solution = enumerated(alpha, PointSet(np.tile(MANY.points, (10, 1))), deadline=0.0)
    assert solution.status is Status.BUDGET
    assert solution.draws is None
    assert 0 < solution.n_evals < 300_000


def test_what_costs_too_much_is_not_looked_at_as_a_whole():
    alpha, step = bound(UCB())
    assert seen_whole(alpha, MANY, step)
    assert not seen_whole(alpha, UnitCube(4), step)
    many = Step(3, np.zeros((100_000, 4)))
    assert not seen_whole(alpha, MANY, many)
    thousand = Step(3, np.zeros((1000, 4)))
    assert seen_whole(alpha, MANY, thousand)
    assert not seen_whole(ValuesOnly(alpha), MANY, thousand)
