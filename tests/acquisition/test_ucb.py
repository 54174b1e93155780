"""UCB: μ + β σ, and its two companions `top` and `width`."""

from types import SimpleNamespace

import numpy as np
import pytest

from suffice.acquisition import UCB, Constant, SqrtLog, Theory
from suffice.testing.acquisitions import bind
from suffice.types import Step


def test_the_value_is_mean_plus_beta_deviations(dial):
    alpha = bind(UCB(Constant(3.0)), dial())
    assert alpha(np.array([[1.0, 0.5], [-2.0, 0.0]])) == pytest.approx([2.5, -2.0])


def test_the_schedule_sees_the_step_and_the_posterior(dial):
    point = np.array([[0.0, 1.0]])
    assert bind(UCB(SqrtLog()), dial(), t=9)(point) == pytest.approx(np.sqrt(np.log(10)))
    theory = Theory(B=1.0, R=0.2, delta=0.1)
    assert bind(UCB(theory), dial(gain=4.0), t=9)(point) == pytest.approx(
        theory(Step(9, np.empty((0, 2))), dial(gain=4.0))
    )


def test_without_beta_it_is_greedy(gp):
    posterior, X = gp(), np.random.default_rng(1).random((50, 2))
    assert np.array_equal(bind(UCB(Constant(0.0)), posterior)(X), posterior.predict(X)[0])


def test_a_large_beta_only_explores(gp):
    posterior, X = gp(), np.random.default_rng(1).random((50, 2))
    alpha = bind(UCB(Constant(1e9)), posterior)
    assert np.argmax(alpha(X)) == np.argmax(posterior.predict(X)[1])


def test_the_gradient_is_that_of_the_value(gp, central_difference):
    X = np.random.default_rng(1).uniform(0.1, 0.9, (20, 2))
    alpha = bind(UCB(Constant(1.3)), gp())
    value, gradient = alpha.value_and_grad(X)
    assert value == pytest.approx(alpha(X), rel=1e-12)
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("k", [1, 5, 3000])
def test_top_is_the_head_of_the_sorted_values(gp, k):
    X = np.random.default_rng(1).random((3000, 2))
    alpha = bind(UCB(), gp(n=80, tau=1e-3), t=10)
    rows, values = alpha.top(X, k)
    order = np.argsort(-alpha(X), kind="stable")[:k]
    assert np.array_equal(rows, order)
    assert values == pytest.approx(alpha(X)[order], rel=1e-12)


def test_the_width_is_twice_beta_sigma(dial):
    alpha = bind(UCB(Constant(1.5)), dial())
    assert alpha.width(np.array([[7.0, 0.5], [7.0, 0.0]])) == pytest.approx([1.5, 0.0])


def test_it_offers_what_the_seam_can_use(gp):
    alpha = bind(UCB(), gp())
    assert alpha.smooth
    assert alpha.ranks
    assert alpha.bounded
    assert alpha.domain is None


def test_the_step_after_a_settled_one_looks_further(gp):
    settled, open_end = (bind(UCB(), gp(), t=4, last=SimpleNamespace(width=width)) for width in (1e-5, 1.0))
    assert settled.beta == 2 * open_end.beta
