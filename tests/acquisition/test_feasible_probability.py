"""The probability that all limits are kept, and scores that count as far as they are."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import suffice as sf
from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, PI, LogEI
from suffice.acquisition.constraints import (
    FeasibleProbability,
    Found,
    LogProduct,
    log_probabilities,
    p_feasible,
    to_find_feasible,
)
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.types import Plain, Step

RNG = np.random.default_rng(11)
SEEN = RNG.random((14, 2))
X = RNG.uniform(0.05, 0.95, (25, 2))


def about(levels, *, tau=1e-2, pending=None, scale=1.0):
    """Beliefs about an objective and one output for each level, all of them different functions."""
    waves = {name: np.cos((3 + i) * SEEN).sum(axis=1) + i * SEEN[:, 0] for i, name in enumerate(("value", *levels))}
    posteriors = {
        name: Posterior.condition(Matern(2.5, 0.4 + 0.1 * i), SEEN, scale * z, tau, scale=scale)
        for i, (name, z) in enumerate(waves.items())
    }
    within = np.all([waves[name] * scale >= level for name, level in levels.items()], axis=0)
    nowhere = np.empty((0, 2))
    return Beliefs(posteriors, nowhere if pending is None else pending, levels=levels, feasible=SEEN[within])


def bound(acquisition, beliefs):
    return acquisition(beliefs, UnitCube(2), step=Step(3, SEEN), rng=np.random.default_rng(0))


def product(beliefs, acquisition=LogEI()):
    return LogProduct(bound(acquisition, beliefs), log_probabilities(beliefs))


TWO = {"a": 0.4, "b": -0.2}
EVERY_SCORE = {
    "log EI": lambda beliefs: product(beliefs),
    "PI": lambda beliefs: product(beliefs, PI(xi=0.0)),
    "find": to_find_feasible,
    "P": lambda beliefs: FeasibleProbability(log_probabilities(beliefs)),
}


@pytest.fixture(params=EVERY_SCORE)
def make(request):
    return EVERY_SCORE[request.param]


# ------------------------------------------------------------------ values


def test_p_is_the_mass_of_the_predictions_within_their_limits():
    beliefs = about(TWO)
    for x in X[:5]:
        mass = 1.0
        for name, level in TWO.items():
            mean, std = (float(moment[0]) for moment in beliefs.posteriors[name].predict(x[None]))
            far = mean + 12 * std
            mass *= quad(lambda y, m=mean, s=std: norm.pdf(y, m, s), level, max(far, level), epsabs=1e-12)[0]
        assert p_feasible(beliefs, x) == pytest.approx(mass, rel=1e-7, abs=1e-10)


def test_the_product_is_the_expected_improvement_of_what_is_within_the_limits():
    """E[max(f − b, 0) 1{all limits are kept}] by drawing the outputs: 4 × 10⁵ draws, five deviations of their mean."""
    beliefs, rng, n = about(TWO), np.random.default_rng(1), 400_000
    alpha = product(beliefs)
    for x in X[np.argsort(-alpha(X))[:4]]:
        moments = {name: posterior.predict(x[None]) for name, posterior in beliefs.posteriors.items()}
        draws = {name: rng.normal(float(mean[0]), float(std[0]), n) for name, (mean, std) in moments.items()}
        kept = np.all([draws[name] >= level for name, level in TWO.items()], axis=0)
        gains = np.maximum(draws["value"] - alpha.base, 0.0) * kept
        assert math.exp(alpha(x[None])[0]) == pytest.approx(gains.mean(), abs=5 * gains.std() / math.sqrt(n))


def test_without_noise_a_measured_point_is_within_its_limit_or_it_is_not():
    beliefs = about({"a": 0.4}, tau=1e-10)
    z = beliefs.posteriors["a"].z
    assert np.min(np.abs(z - 0.4)) > 1e-3
    for x, value in zip(SEEN, z, strict=True):
        assert p_feasible(beliefs, x) == float(value > 0.4)


def test_a_limit_far_below_everything_changes_no_bit_and_one_far_above_leaves_nothing():
    far, beyond = about({"a": -1e70}), about({"a": 1e30})
    alpha, inner = product(far), bound(LogEI(), far)
    assert np.array_equal(alpha(X), inner(X))
    assert all(map(np.array_equal, alpha.value_and_grad(X), inner.value_and_grad(X)))
    assert np.array_equal(FeasibleProbability(log_probabilities(far))(X), np.ones(len(X)))
    assert np.array_equal(FeasibleProbability(log_probabilities(beyond))(X), np.zeros(len(X)))
    values = to_find_feasible(beyond)(X)
    assert np.all(np.isfinite(values))
    assert np.all(values < -1e50)


def test_the_order_of_the_limits_changes_nothing(make):
    beliefs = about(TWO)
    turned = replace(beliefs, levels=dict(reversed(beliefs.levels.items())))
    assert make(turned)(X) == pytest.approx(make(beliefs)(X), rel=1e-13)


def test_an_output_and_its_limit_in_other_units_say_the_same(make):
    plain, scaled = about(TWO), about({name: 8.0 * level for name, level in TWO.items()}, scale=8.0)
    factor = math.log(8.0) if make is EVERY_SCORE["log EI"] else 0.0  # the improvement is in units of the objective
    assert make(scaled)(X) == pytest.approx(make(plain)(X) + factor, rel=1e-9, abs=1e-12)


def test_the_logarithm_is_that_of_the_product():
    beliefs = about(TWO)
    assert np.exp(to_find_feasible(beliefs)(X)) == pytest.approx(
        FeasibleProbability(log_probabilities(beliefs))(X), rel=1e-12
    )
    apart = [norm.cdf((m - TWO[c]) / s) for c in TWO for m, s in [beliefs.posteriors[c].predict(X)]]
    assert FeasibleProbability(log_probabilities(beliefs))(X) == pytest.approx(np.prod(apart, axis=0), rel=1e-9)


# ------------------------------------------------------------------ what a score offers besides


@pytest.mark.parametrize("tau", [1e-1, 1e-9], ids=["noise", "hardly any noise"])
def test_the_gradient_is_that_of_the_value(make, central_difference, tau):
    alpha = make(about(TWO, tau=tau))
    value, gradient = alpha.value_and_grad(X)
    assert alpha.smooth
    assert value == pytest.approx(alpha(X), rel=1e-9, abs=1e-300)
    assert gradient == pytest.approx(central_difference(alpha, X), rel=1e-3, abs=1e-5)


def test_the_gradient_is_finite_where_the_deviation_is_nothing(make):
    for levels in (TWO, {"a": 1e30, "b": -1e70}):
        value, gradient = make(about(levels, tau=1e-12)).value_and_grad(SEEN)
        assert np.all(np.isfinite(value))
        assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize("tau", [1e-1, 1e-9], ids=["noise", "hardly any noise"])
def test_no_value_in_a_box_is_above_its_bound(make, tau):
    alpha, rng = make(about(TWO, tau=tau)), np.random.default_rng(0)
    ends = np.sort(rng.random((2, 60, 2)), axis=0)
    centres = np.vstack([SEEN, X])
    small = np.clip(np.array([centres - 1e-3, centres + 1e-3]), 0.0, 1.0)
    for lower, upper in (ends, small):
        limits = alpha.bound(lower, upper)
        for share in rng.random((40, *lower.shape)):
            assert np.all(alpha(lower + share * (upper - lower)) <= limits)


def test_the_bound_of_a_point_is_close_to_its_value(make):
    alpha = make(about(TWO))
    limits, values = alpha.bound(X, X), alpha(X)
    assert np.all(values <= limits)
    assert limits == pytest.approx(values, abs=1e-5 * np.ptp(values))


def test_the_limits_make_the_bound_tighter():
    beliefs = about({"a": 2.5, "b": 1.5})
    lower, upper = np.full((1, 2), 0.6), np.full((1, 2), 0.7)
    inner = bound(LogEI(), beliefs)
    assert product(beliefs).bound(lower, upper)[0] < inner.bound(lower, upper)[0] - 0.5


def test_a_certificate_holds_and_closes(make):
    alpha = make(about(TWO))
    proof = certify(alpha, UnitCube(2), nodes=3_000)
    values = alpha(np.random.default_rng(1).random((5000, 2)))
    assert values.max() <= proof.upper
    assert proof.upper - proof.value < 0.05 * (proof.value - np.median(values))


def test_no_point_that_reaches_a_value_is_sieved_out():
    alpha, points = product(about(TWO)), np.random.default_rng(2).random((400, 2))
    values = alpha(points)
    for floor in np.quantile(values, [0.1, 0.9, 1.0]):
        assert np.isin(np.flatnonzero(values >= floor), alpha.reach(points, float(floor))).all()


def test_nothing_is_above_its_ceiling():
    beliefs = about(TWO)
    assert product(beliefs, PI()).ceiling == to_find_feasible(beliefs).ceiling == 0.0
    assert product(beliefs).ceiling is None
    assert np.all(to_find_feasible(about({"a": -50.0}))(X) <= 0.0)


def test_what_a_step_is_for_is_told():
    beliefs = about(TWO)
    assert product(beliefs).kind == "improve"
    found = to_find_feasible(beliefs)
    assert isinstance(found, Found)
    assert (found.kind, found.base, found.logarithmic) == ("find a feasible point", None, True)
    assert product(beliefs).base == bound(LogEI(), beliefs).base


def test_only_a_logarithm_is_multiplied_this_way():
    beliefs = about(TWO)
    with pytest.raises(ValueError, match="use Weighted"):
        LogProduct(bound(EI(), beliefs), log_probabilities(beliefs))


def test_without_a_gradient_or_a_bound_there_is_none():
    beliefs = about(TWO)
    inner = bound(LogEI(), beliefs)
    plain = Plain(inner)
    assert not plain.logarithmic
    assert LogProduct(inner, (Plain(log_probabilities(beliefs)[0]),)).smooth is False
    # A factor without a bound is at most 1.
    box = np.zeros((1, 2)), np.ones((1, 2))
    assert LogProduct(inner, (Plain(log_probabilities(beliefs)[0]),)).bound(*box) >= inner.bound(*box)
    assert np.array_equal(FeasibleProbability((Plain(log_probabilities(beliefs)[0]),)).bound(*box), [1.0])


# ------------------------------------------------------------------ points under way


def test_a_point_under_way_is_believed_by_the_score_and_not_by_the_report():
    """The score counts it as measured at the mean, as it does of the objective; the probability is the models' own."""
    pending = np.array([[0.52, 0.48]])
    there, alone = about(TWO, pending=pending), about(TWO)
    assert p_feasible(there, pending[0]) == p_feasible(alone, pending[0])
    near = pending + 0.01
    believed = [there.believed[c].predict(near) for c in TWO]
    expected = sum(norm.logcdf((m - level) / s) for (m, s), level in zip(believed, TWO.values(), strict=True))
    assert to_find_feasible(there)(near) == pytest.approx(expected, rel=1e-9)
    assert to_find_feasible(there)(near) != pytest.approx(to_find_feasible(alone)(near), rel=1e-3)


def test_without_limits_there_is_no_probability():
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0, n_initial=3)
    for _ in range(4):
        trial = optimizer.ask()
        optimizer.tell(trial, float(trial.point[0]))
    assert trial.solve.p_feasible is None
