"""Which score an acquisition becomes under limits, and what its largest value means."""

import numpy as np
import pytest

from suffice.acquisition import EI, KG, MES, PI, UCB, Constant, Elsewhere, LogEI, Thompson
from suffice.acquisition.constraints import Confined, LogProduct, among_feasible
from suffice.acquisition.wrappers import Weighted
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.types import Step

RNG = np.random.default_rng(3)
SEEN = RNG.random((12, 2))
GRID = np.stack(np.meshgrid(*[np.linspace(0, 1, 41)] * 2), axis=-1).reshape(-1, 2)


def about(z, c, level=0.0, *, tau=1e-3):
    """Beliefs about an objective and one limited output, both observed at the same points."""
    kernel = Matern(2.5, 0.4)
    posteriors = {
        name: Posterior.condition(kernel, SEEN, values, tau) for name, values in (("value", z), ("limited", c))
    }
    return Beliefs(posteriors, np.empty((0, 2)), levels={"limited": level}, feasible=SEEN[c >= level])


def allowed(acquisition, beliefs):
    rng = np.random.default_rng(0)
    return among_feasible(acquisition(beliefs, UnitCube(2), step=Step(2, SEEN), rng=rng), beliefs)


@pytest.fixture
def beliefs():
    return about(np.cos(4 * SEEN).sum(axis=1), 8.0 * SEEN[:, 0] - 4.0)


@pytest.mark.parametrize(
    ("acquisition", "kind"),
    [
        (LogEI(), LogProduct),
        (PI(), LogProduct),
        (UCB(Constant(2.0)), Confined),
        (Thompson(Constant(1.0), features=64), Confined),
        (EI(), Weighted),
        (MES(), LogProduct),
        (KG(), LogProduct),
        (Elsewhere(), LogProduct),
    ],
    ids=str,
)
def test_what_is_certainly_within_the_limit_keeps_its_value_and_what_is_beyond_it_is_never_chosen(
    beliefs, acquisition, kind
):
    alpha = allowed(acquisition, beliefs)
    plain = acquisition(beliefs, UnitCube(2), step=Step(2, SEEN), rng=np.random.default_rng(0))
    assert type(alpha) is kind
    mean, std = beliefs.posteriors["limited"].predict(GRID)
    within, beyond = mean > 8 * std, mean < -8 * std
    assert within.sum() > 50
    assert alpha(GRID[within]) == pytest.approx(plain(GRID[within]), rel=1e-9)
    assert alpha(GRID[beyond]).max() < alpha(GRID[within]).max()


@pytest.mark.parametrize("beta", [0.2, 3.0])
def test_limits_are_looked_at_with_the_deviations_of_the_bound_but_with_one_at_least(beliefs, beta):
    alpha = allowed(UCB(Constant(beta)), beliefs)
    assert alpha.slack.beta == max(1.0, beta)


def test_an_allowed_point_is_chosen_although_all_that_is_not_allowed_was_better():
    """The objective is far higher beyond the limit than anywhere within it."""
    z = 10.0 * (SEEN[:, 0] < 0.8)
    alpha = allowed(UCB(Constant(0.1)), about(z, SEEN[:, 0] - 0.8))
    best = GRID[[np.argmax(alpha(GRID))]]
    assert alpha.slack(best)[0] >= 0.0


def test_so_it_is_where_the_models_doubt_every_point_that_was_within():
    rng = np.random.default_rng(0)
    z, c = rng.standard_normal(12), np.where(np.arange(12) == 4, 0.01, -1.0)
    beliefs = about(z, 4.0 * c, tau=5.0)  # mostly noise: one lucky value says little
    alpha = allowed(UCB(Constant(0.1)), beliefs)
    possible = alpha.slack(GRID) >= 0
    assert alpha.slack(beliefs.feasible)[0] < 0.0
    if possible.any():
        assert alpha(GRID).max() == pytest.approx(alpha.inner(GRID[possible]).max(), rel=1e-12)
    assert alpha.floor <= alpha.inner(GRID).min()


def test_the_best_value_to_beat_is_one_within_the_limit():
    z = np.where(SEEN[:, 0] < 0.5, 5.0, 0.0) + SEEN[:, 1]
    beliefs = about(z, SEEN[:, 0] - 0.5)
    inside = beliefs.objective.mean(SEEN[SEEN[:, 0] >= 0.5])
    assert allowed(LogEI(), beliefs).base == pytest.approx(inside.max())
