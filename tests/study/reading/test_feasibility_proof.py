"""That no point is within all limits: whether the proof of it is one."""

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition.constraints import Slack
from suffice.ask.models import beliefs_of, fit_outputs
from suffice.gp.kernels import Matern
from suffice.result.feasibility import KAPPA, feasibility

ELL = 0.5
SQUARE = [(0.0, 1.0)] * 2
GRID = np.stack(np.meshgrid(*[np.linspace(0, 1, 81)] * 2), axis=-1).reshape(-1, 2)
COARSE = np.stack(np.meshgrid(*[np.linspace(0, 1, 15)] * 2), axis=-1).reshape(-1, 2)
ROOT = np.linalg.cholesky(Matern(2.5, ELL)(COARSE, COARSE) + 1e-9 * np.eye(len(COARSE)))
MODEL = sf.GP(
    standardize=False,
    warp=False,
    noise=1e-4,
    prior=sf.gp.Prior(lengthscale_bounds=(ELL, ELL), scale_bounds=(1.0, 1.0)),
)


def study(seed, limit, n=20):
    """A study that has seen n points of the grid, of functions that are drawn from the model's own law."""
    rng = np.random.default_rng(seed)
    truth = {name: ROOT @ rng.standard_normal(len(COARSE)) for name in ("value", "c", "d")}
    limits = {name: sf.AtLeast(limit) for name in ("c", "d")}
    optimizer = sf.Optimizer(SQUARE, seed=seed, model=MODEL, constraints=limits)
    for i in rng.choice(len(COARSE), n, replace=False):
        optimizer.tell(COARSE[i], {name: f[i] + 0.01 * rng.standard_normal() for name, f in truth.items()})
    return optimizer, np.minimum(truth["c"], truth["d"])


def slack_of(history):
    return Slack.of(beliefs_of(history, fit_outputs(history.settings, history, None)), KAPPA)


@pytest.mark.parametrize("limit", [1.0, 2.5, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_no_point_has_more_slack_than_is_proven(seed, limit):
    history = study(seed, limit)[0].result().history
    found, largest = feasibility(history), float(slack_of(history)(GRID).max())
    assert found.slack >= largest - 1e-6  # the search is at least as good as a grid
    if found.slack < 0.0:
        assert largest <= found.slack_proven
        assert found.slack <= found.slack_proven
        assert found.impossible == (found.slack_proven < 0.0)
    else:
        assert found.slack_proven is None
        assert not found.impossible


def test_what_is_possible_is_never_called_impossible_and_what_is_far_away_is():
    """Of functions of the model's law an output is beyond 3 deviations at some of 225 points now and then, but a point
    that is within both limits would have to be so, too; the streams are fixed."""
    said = []
    for seed in range(12):
        optimizer, margin = study(seed, 1.3, n=30)
        found = optimizer.result().feasibility()
        said.append(found.impossible)
        assert not (found.impossible and margin.max() >= 1.3)
    assert study(0, 8.0)[0].result().feasibility().impossible
    assert any(said)
    assert not all(said)


def test_points_under_way_prove_nothing():
    optimizer, _ = study(1, 2.0)
    before = feasibility(optimizer.result().history)
    optimizer.ask(5)
    history = optimizer.result().history
    after = feasibility(history)
    assert len(history.pending) == 5
    assert (after.slack, after.slack_proven) == pytest.approx((before.slack, before.slack_proven), abs=1e-6)


def test_more_deviations_prove_less():
    history = study(0, 4.0)[0].result().history
    slacks = [feasibility(history, kappa).slack for kappa in (1.0, 3.0, 6.0)]
    assert slacks == sorted(slacks)
