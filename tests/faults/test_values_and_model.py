"""Values that no model likes, from end to end.

Not here: a search that learns where evaluations fail. A failed point counts as the worst observed value, so the search
turns away from it; a model of feasibility, and the test that half of a domain may fail, come with that model. Nor a
refusal of candidate sets that are too large: they are worked through in blocks, so only the points have to fit.
"""

import logging
import math
import tracemalloc
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import suffice as sf
from suffice import GP, UCB, Optimizer, minimize
from suffice.errors import NoFinishedTrial
from suffice.gp import Prior, Refit
from suffice.gp.model import Observations
from suffice.gp.posterior import Posterior
from suffice.solvers import Fixed, Grid
from suffice.space import UnitCube

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
QUICK = {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


@dataclass(frozen=True)
class Watched:
    """UCB that remembers the posteriors it was given."""

    posteriors: list[Posterior] = field(default_factory=list)

    def __call__(self, beliefs, domain, *, step, rng):
        self.posteriors.append(beliefs.objective)
        return UCB()(beliefs, domain, step=step, rng=rng)


def test_failures_by_chance_cost_some_evaluations_and_no_more():
    def flaky(x):
        calls.append(x)
        return math.nan if len(calls) % 4 == 0 else bowl(x)

    calls = []
    assert minimize(flaky, SQUARE, 30, seed=0).fun < 1e-4


def drive(optimizer, f, n):
    """The places of n further evaluations in the unit cube, (n, d)."""
    return np.array([optimizer.tell(trial, f(trial.point)).unit for trial in (optimizer.ask() for _ in range(n))])


def tell_design(optimizer, f, n=20):
    """n foreign points, told."""
    X = np.random.default_rng(1).random((n, 2))
    for x in X:
        optimizer.tell(x, f(x))
    return X


def test_nan_is_a_failed_trial_that_is_kept_and_turned_away_from():
    def cliff(x):
        return bowl(x) if x[0] < 0.5 else math.nan

    watched = Watched()
    result = minimize(cliff, SQUARE, 20, **QUICK, acquisition=watched)
    failed = [trial for trial in result.trials if trial.state == "failed"]
    assert result.nfev == 20
    assert 0 < len(failed) < 10
    assert {(trial.cause, trial.reason) for trial in failed} == {("nan", "the value was nan")}
    done = sum(trial.state == "done" for trial in result.trials[:19])
    assert watched.posteriors[-1].n == done  # the model of the objective does not see them
    assert result.fun < 0.02


def test_of_a_half_that_fails_few_suggestions_are_made_although_the_trend_leads_there():
    def cliff(x):  # better and better towards x[0] = 0.9, but nothing works beyond the middle
        return (x[0] - 0.9) ** 2 + (x[1] - 0.3) ** 2 if x[0] <= 0.5 else math.nan

    result = minimize(cliff, SQUARE, 30, seed=0)
    failed = [trial.state == "failed" for trial in result.trials[15:]]
    assert np.mean(failed) <= 0.2  # without a model of failures: more than half
    assert result.fun < 0.16 + 0.02  # the best that works: 0.16
    kinds = {trial.solve.kind for trial in result.trials if trial.solve is not None}
    assert {"improve", "explore"} <= kinds <= {"improve", "explore", "refine", None}


@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_an_infinite_value_is_a_failed_trial_with_one_warning_and_never_reaches_the_model(caplog, infinite):
    def overflowing(x):
        return bowl(x) if x[0] < 0.5 else infinite

    watched = Watched()
    with caplog.at_level(logging.WARNING, "suffice"):
        result = minimize(overflowing, SQUARE, 15, **QUICK, acquisition=watched)
    failed = [trial for trial in result.trials if trial.state == "failed"]
    assert len(failed) > 1
    assert {trial.reason for trial in failed} == {f"the value was {infinite}"}
    assert [r.message for r in caplog.records] == [
        "an infinite value counts as a failed evaluation, like nan",
        f"{len(failed)} of 15 evaluations failed; the last: the value was {infinite}",
    ]
    assert result.notes == ("an infinite value counts as a failed evaluation, like nan",)
    assert all(np.all(np.isfinite(posterior.z)) for posterior in watched.posteriors)
    assert math.isfinite(result.fun)


def test_while_everything_fails_the_points_fill_the_space_and_best_is_a_named_error():
    opt = Optimizer(SQUARE, **QUICK, n_initial=4)
    for _ in range(16):
        opt.fail(opt.ask())
    X = np.array([trial.unit for trial in opt.trials])
    # Sixteen Sobol points: one in each sixteenth of either side and in each of the sixteen squares.
    assert all(sorted(np.floor(16 * column)) == list(range(16)) for column in X.T)
    assert len({(int(4 * u), int(4 * v)) for u, v in X}) == 16
    with pytest.raises(NoFinishedTrial, match="none of the 16 trials has a value yet"):
        _ = opt.best


@pytest.mark.parametrize("on_error", ["record", "raise"])
def test_an_objective_that_raises_leaves_its_traceback(on_error):
    def fragile(x):
        return bowl(x) / (0 if x[0] > 0.5 else 1)

    if on_error == "record":
        trials = minimize(fragile, SQUARE, 12, **QUICK).trials
        assert len(trials) == 12
    else:
        with pytest.raises(ZeroDivisionError) as caught:
            minimize(fragile, SQUARE, 12, **QUICK, evaluation=sf.Evaluation(on_error="raise"))
        trials = caught.value.trials
    failed = [trial for trial in trials if trial.state == "failed"]
    assert failed
    assert all("in fragile" in trial.traceback for trial in failed)
    assert {trial.cause for trial in failed} == {"raised"}
    assert {trial.reason for trial in failed} == {"ZeroDivisionError: float division by zero"}


@pytest.mark.parametrize("wrong", [None, "1.0", 1j, (1.0, 2.0)], ids=["None", "str", "complex", "two values"])
def test_a_wrong_return_type_is_refused_at_the_first_trial(wrong):
    calls = []
    with pytest.raises(TypeError, match=f"got {type(wrong).__name__} "):
        minimize(lambda x: calls.append(x) or wrong, SQUARE, 12, **QUICK)
    assert len(calls) == 1


@pytest.mark.parametrize("constant", [0.0, -7.5, 1e300])
def test_constant_values_divide_nothing_by_zero_and_repeat_no_point(constant):
    result = minimize(lambda x: constant, SQUARE, 20, seed=0)
    X = np.array(result.x_iters)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)[np.triu_indices(20, 1)]
    assert result.fun == constant
    assert distances.min() > 0.05  # nothing to exploit: it explores


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e308, -1e308])
def test_the_scale_of_the_values_changes_no_suggestion(scale):
    def unit(x):  # in [−1, 1]
        return math.sin(7 * x[0]) * math.cos(5 * x[1])

    words = {"seed": 0, "n_initial": 4, "solver": Grid()}
    direction = "maximize" if scale < 0 else "minimize"
    plain = drive(Optimizer(SQUARE, **words), unit, 12)
    scaled = drive(Optimizer(SQUARE, **words, direction=direction), lambda x: scale * unit(x), 12)
    np.testing.assert_allclose(scaled, plain, rtol=0, atol=1e-12)  # the best of the same candidates


def test_the_scale_of_a_known_noise_does_not_matter_either():
    runs = []
    for scale in (1.0, 2.0**-500, 2.0**500):
        opt = Optimizer(SQUARE, **QUICK)
        for x in np.random.default_rng(1).random((8, 2)):
            opt.tell(x, scale * bowl(x), noise_var=scale**2 * 0.01)
        runs.append(opt.ask().unit.tolist())
    assert runs[0] == runs[1] == runs[2]


def test_one_outlier_neither_stops_the_search_nor_goes_unnoticed(caplog):
    opt = Optimizer(SQUARE, seed=0)
    X = 0.5 + 0.5 * np.random.default_rng(1).random((19, 2))
    for x in X:
        opt.tell(x, bowl(x))
    opt.tell([0.9, 0.9], 1e12)
    with caplog.at_level(logging.WARNING, "suffice"):
        drive(opt, bowl, 12)
    assert opt.best.value < 0.25 * min(map(bowl, X))
    outliers = [record.message for record in caplog.records if "far worse than all others" in record.message]
    assert len(outliers) == 1
    assert outliers[0] in opt.result().notes


def test_values_over_many_orders_of_magnitude_are_no_outliers():
    result = minimize(lambda x: 10 ** (9 * x[0]), SQUARE, 20, **QUICK)
    assert result.notes == ()


@pytest.mark.parametrize("noise", [1.0, 100.0], ids=["pure noise", "noise above the signal"])
def test_noise_leaves_the_length_scales_inside_their_bounds(noise):
    rng = np.random.default_rng(0)
    result = minimize(lambda x: (noise == 100.0) * bowl(x) + noise * rng.normal(), SQUARE, 25, seed=0)
    prior = Prior()
    hypers = [trial.solve.binding.hyper for trial in result.trials if trial.solve]
    low, high = prior.lengthscale_bounds
    assert len(hypers) == 19
    assert all(low <= ell <= high for hyper in hypers for ell in hyper.lengthscale)
    assert all(prior.tau_bounds[0] <= hyper.tau <= prior.tau_bounds[1] for hyper in hypers)


@pytest.mark.parametrize("model", [GP(warp=False), GP(warp=False, noise=0.0)], ids=["fitted noise", "no noise"])
@pytest.mark.parametrize(("n", "spread"), [(500, 0.0), (20, 1.0), (150, 1.0)])
def test_many_exact_duplicates_with_equal_or_different_values_leave_a_finite_posterior(n, spread, model):
    watched = Watched()
    opt = Optimizer(SQUARE, seed=0, model=model, solver=Grid(size=Fixed(64)), acquisition=watched)
    rng = np.random.default_rng(0)
    for value in spread * rng.normal(size=n):
        opt.tell([0.25, 0.75], value)
    opt.ask(2)
    for posterior in watched.posteriors:
        mean, std = posterior.predict(np.vstack([rng.random((50, 2)), [[0.25, 0.75]]]))
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(std) & (std >= 0))
        assert std[-1] < std[:-1].min()
    jitter = watched.posteriors[0].factor.jitter
    assert (jitter > 0) == any("jitter" in note for note in opt.result().notes)


def test_near_duplicates_appended_one_by_one_agree_with_a_model_built_at_once():
    watched = Watched()
    never = GP(warp=False, refit=Refit(growth=1e9, surprise=1e9))
    opt = Optimizer(SQUARE, seed=0, model=never, solver=Grid(size=Fixed(64)), acquisition=watched)
    X = tell_design(opt, bowl, 10)
    for k in range(20):
        opt.cancel(opt.ask())
        opt.tell(X[k % 10] * (1 - 1e-12), bowl(X[k % 10]))
    opt.ask()
    grown = watched.posteriors[-1]
    whole = Posterior.condition(
        grown.kernel, grown.X, grown.z, grown.factor.tau, scale=grown.scale, constant=grown.constant
    )
    points = np.vstack([np.random.default_rng(2).random((100, 2)), X])
    assert grown.n == 30
    for one, other in zip(grown.predict(points), whole.predict(points), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-8)


def test_nothing_observed_is_the_prior_and_one_observation_fits_nothing():
    model = GP()
    none = model(Observations(np.empty((0, 2)), np.empty(0), np.empty(0)), UnitCube(2))
    mean, std = none.posterior.predict(np.random.default_rng(0).random((5, 2)))
    assert np.array_equal(mean, np.zeros(5))
    assert np.array_equal(std, np.ones(5))
    opt = Optimizer(SQUARE, seed=0, n_initial=0)
    first = opt.tell(opt.ask(), 3.0)
    second = opt.ask()
    assert (first.origin, second.origin) == ("design", "model")
    assert second.solve.binding.hyper == none.hyper
    assert np.linalg.norm(second.unit - first.unit) > 0.3  # far from what is known


@pytest.mark.parametrize("found", [math.nan, math.inf], ids=["nan", "no finite evidence"])
def test_a_likelihood_fit_that_fails_keeps_the_last_good_parameters_and_goes_on(monkeypatch, caplog, found):
    opt = Optimizer(SQUARE, seed=0, model=GP(warp=False, refit=Refit(growth=0)), solver=Grid(size=Fixed(64)))
    drive(opt, bowl, 9)
    good = opt.trials[-1].solve.binding.hyper

    def hopeless(fun, x0, **words):
        return OptimizeResult(x=np.full_like(x0, math.nan), fun=found, success=False)

    monkeypatch.setattr("suffice.gp.fit.minimize", hopeless)
    with caplog.at_level(logging.WARNING, "suffice"):
        drive(opt, bowl, 4)
    assert good.variance != 1.0  # not the centre of the prior
    assert {trial.solve.binding.hyper for trial in opt.trials[-4:]} == {good}
    assert [r.message for r in caplog.records] == [
        "the fit of the hyper-parameters failed; the last good ones are kept"
    ]
    monkeypatch.undo()
    drive(opt, bowl, 2)
    assert opt.trials[-1].solve.notes == ()


def test_a_large_candidate_set_is_worked_through_in_blocks_of_bounded_memory():
    n, N = 100, 100_000
    opt = Optimizer(SQUARE, seed=0, aim="regret", model=GP(warp=False), solver=Grid(size=Fixed(N)))
    tell_design(opt, bowl, n)
    opt.cancel(opt.ask())  # the fit and the imports
    tracemalloc.start()
    try:
        trial = opt.ask()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert trial.solve.n_evals >= N
    points = 8 * N * 2  # bytes
    assert peak < 6 * points < 8 * N * n / 8  # far below the whole kernel matrix
