"""The regret bound of real runs: what it says of the model, the trials and the search, and whether it holds."""

import math

import numpy as np
import pytest

from suffice import GP, UCB, Optimizer, load
from suffice.acquisition import EI, Constant, Theory, Thompson
from suffice.ask.models import fit_outputs
from suffice.gp import Prior
from suffice.gp.fit import LogNormal
from suffice.gp.kernels import Matern
from suffice.gp.model import Observations
from suffice.result.result import premises
from suffice.solvers import Adaptive, Diagnostics, Fixed, Grid

BOX = [(0.0, 1.0), (0.0, 1.0)]
FIXED = Prior(lengthscale_bounds=(0.5, 0.5), scale_bounds=(1.0, 1.0))


def wavy(point):
    x, y = point
    return (x - 0.3) ** 2 + 2 * (y - 0.6) ** 2 + 0.1 * math.sin(9 * x)


def skewed(point):
    return math.exp(6 * wavy(point))


def driven(optimizer, n, f=wavy):
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))
    return optimizer


def said(optimizer, words):
    return any(words in sentence for sentence in optimizer.accuracy.bound.broken)


def of_theory(**options):
    """A run in which nothing is fitted."""
    words = {"model": GP(standardize=False, noise=1e-4, prior=FIXED), "acquisition": UCB(Theory(3.0, 0.01, 0.1))}
    return Optimizer(BOX, seed=0, n_initial=4, **(words | options))


# ------------------------------------------------------------------ what is known of the model

FREE = (np.empty((0, 2)), np.empty(0), np.empty(0))
TOLD = (np.zeros((2, 2)), np.zeros(2), np.array([0.1, 0.2]))


@pytest.mark.parametrize(
    ("model", "data", "fixed"),
    [
        (GP(standardize=False, noise=0.1, prior=FIXED), FREE, True),
        (GP(standardize=False, prior=Prior(None, None, None, None, (0.5, 0.5), (1, 1), (1e-3, 1e-3))), FREE, True),
        (GP(standardize=False, prior=FIXED), TOLD, True),  # every value came with its noise
        (GP(standardize=False, prior=FIXED), (TOLD[0], TOLD[1], np.array([0.1, np.nan])), False),
        (GP(noise=0.1, prior=FIXED), FREE, False),  # the outputs are standardised by the data
        (GP(standardize=False, noise=0.1), FREE, False),
        (GP(), FREE, False),
    ],
)
def test_a_model_knows_whether_it_is_fixed(model, data, fixed):
    assert model.is_fixed(Observations(*data)) is fixed


def test_equal_bounds_fix_a_value_before_the_first_fit_too():
    prior = Prior(LogNormal(0.1, 0.5), lengthscale_bounds=(0.5, 0.5), scale_bounds=(4.0, 4.0), tau_bounds=(0.01, 0.01))
    optimizer = Optimizer(BOX, seed=0, n_initial=2, model=GP(standardize=False, prior=prior))
    for n in (2, 3):
        driven(optimizer, n)
        hyper = fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"].hyper
        assert hyper.lengthscale == pytest.approx((0.5, 0.5))
        assert (hyper.variance, hyper.tau) == pytest.approx((4.0, 0.01))


def test_a_run_of_the_theory_breaks_nothing_but_the_certainty_of_its_limits():
    (only,) = driven(of_theory(), 8).accuracy.bound.broken
    assert "in 4 of 4 steps the upper bound of α* is not proven" in only


def test_with_proven_limits_a_run_of_the_theory_breaks_nothing():
    bound = driven(of_theory(diagnostics=Diagnostics(proof_seconds=20.0)), 6).accuracy.bound
    assert bound.broken == ()
    assert 0 < bound.value <= 2 * 3.0 * 2
    assert "with a probability of at least 0.9" in str(bound)


def test_a_default_run_names_warp_fit_and_beta_and_is_in_the_objectives_units():
    optimizer = driven(Optimizer(BOX, seed=0, aim="regret"), 14, skewed)
    assert fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"].hyper.lam != 1.0
    for words in (
        "warp",
        "fitted",
        "rule of thumb",
        "B is not known",
        "R is not known",
        "refitted its model",
        "proven",
    ):
        assert said(optimizer, words)
    ledger, bound = optimizer.accuracy.ledger, optimizer.accuracy.bound
    assert bound.value_model >= (ledger.inaccuracies + ledger.widths) * (1 - 1e-12)  # limits, not estimates
    assert bound.value != pytest.approx(bound.value_model)


def test_a_warp_of_earlier_steps_is_not_forgotten():
    optimizer = driven(Optimizer(BOX, seed=0, aim="regret"), 12, skewed)
    history = optimizer.history
    assert fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"].hyper.lam != 1.0
    plain = GP(warp=False)(history.observations(), optimizer.space)  # as if the last fit had done without
    assert premises(plain, history).warped
    assert not premises(plain, optimizer.history.before(0)).warped


def test_other_units_of_the_objective_give_the_bound_in_other_units():
    plain, scaled = (
        driven(Optimizer(BOX, seed=0, aim="regret", model=GP(warp=False)), 10, f).accuracy.bound
        for f in (wavy, lambda point: 1024.0 * wavy(point))
    )
    assert scaled.value == pytest.approx(1024.0 * plain.value, rel=1e-6)
    assert scaled.value_model == pytest.approx(plain.value_model, rel=1e-6)


# ------------------------------------------------------------------ what is known of the trials


def test_points_under_way_failures_and_values_cut_off_are_said():
    optimizer = driven(of_theory(), 6)
    assert not said(optimizer, "pending")
    optimizer.ask(2)
    assert said(optimizer, "1 of 4 steps assumed the predicted values at pending points")
    assert not said(optimizer, "failed")
    optimizer.fail(optimizer.ask())
    assert said(optimizer, "1 failed trial counts as the worst observed value")
    usual = driven(Optimizer(BOX, seed=0, aim="regret", model=GP(warp=False)), 10)
    usual.tell(usual.ask(), 1e12)
    driven(usual, 1)
    assert said(usual, "values far worse than all others")


def test_observations_that_the_model_leaves_out_are_said():
    optimizer = driven(Optimizer(BOX, seed=0, aim="regret", model=GP(max_points=10), solver=Grid(size=Fixed(50))), 13)
    assert said(optimizer, "leaves out 2 of the observations")


# ------------------------------------------------------------------ what is known of the search


def test_other_acquisitions_have_no_bound_and_say_why():
    for acquisition in (None, EI(), Thompson(Constant(1.0))):
        optimizer = driven(Optimizer(BOX, seed=0, acquisition=acquisition, solver=Grid(size=Fixed(64))), 8)
        assert optimizer.accuracy.bound.value is None
        assert said(optimizer, "Theorem 1 is about UCB; 2 of 2 steps used another acquisition")


def test_a_saved_run_has_the_same_bound(tmp_path):
    result = driven(of_theory(), 7).result()
    result.save(tmp_path / "run.json")
    assert load(tmp_path / "run.json").accuracy.bound == result.accuracy.bound


# ------------------------------------------------------------------ whether it holds


@pytest.mark.parametrize("solver", [Adaptive(), Grid(size=Fixed(200))], ids=["enough", "grid"])
def test_the_regret_of_functions_of_known_norm_stays_below_the_bound(solver):
    # The streams are fixed. A band is missed with probability 0.1 at most, in practice far less often: none of 100 runs
    # exceeded its bound.
    bounds = []
    for seed in range(10):
        f, best, model = known_norm(1.5, 0.3, np.random.default_rng(seed))
        theory = {
            "model": model,
            "acquisition": UCB(Theory(1.5, 0.05, 0.1)),
            "solver": solver,
            "diagnostics": Diagnostics(proof_seconds=0.05),
        }
        optimizer = Optimizer([(0.0, 1.0)], seed=seed, n_initial=3, direction="maximize", **theory)
        noise = np.random.default_rng([seed, 1])
        driven(optimizer, 11, lambda x, f=f, noise=noise: f(x[0]) + 0.05 * noise.standard_normal())
        regret = sum(best - f(trial.point[0]) for trial in optimizer.trials if trial.solve is not None)
        bounds.append(optimizer.accuracy.bound.value)
        assert regret <= bounds[-1]
    assert np.median(bounds) < 0.9 * 2 * 1.5 * 8  # it says more than that f has a norm


def known_norm(B, ell, rng):
    """f = Σ c_j k(·, z_j) of norm B, its maximum on [0, 1], and the model that it is made for."""
    kernel, Z, c = Matern(2.5, ell), rng.random((6, 1)), rng.standard_normal(6)
    c *= B / math.sqrt(c @ kernel(Z, Z) @ c)
    best = float((kernel(np.linspace(0, 1, 2001)[:, None], Z) @ c).max())
    model = GP(standardize=False, noise=0.05**2, prior=Prior(lengthscale_bounds=(ell, ell), scale_bounds=(1.0, 1.0)))
    return lambda x: float((kernel(np.array([[x]]), Z) @ c)[0]), best, model
