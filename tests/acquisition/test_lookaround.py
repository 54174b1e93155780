"""Steps that improve and steps that look elsewhere, and when which."""

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition.exploration import Apart, ElsewhereScore, known_places
from suffice.acquisition.improvement import ImprovementScore
from suffice.belief import Beliefs
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.space import UnitCube
from suffice.types import Step

# Two hills: the one at 0.2 is settled, with two evaluations on its top, the other at 0.8 has been met on its slope.
X = np.array([[0.05], [0.2], [0.2005], [0.35], [0.5], [0.65]])
Z = np.array([0.3, 1.0, 1.0, 0.4, -0.9, 0.1])
POSTERIOR = Posterior.condition(Matern(2.5, 0.15), X, Z, 1e-6)


def bound(acquisition, posterior=POSTERIOR, **known):
    step = Step(**{"t": 4, "design": posterior.X, "resolution": 1e-2, **known})
    domain = UnitCube(posterior.X.shape[1])
    return acquisition(Beliefs.of(posterior), domain, step=step, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("idle", "t", "kind"),
    [
        (0, 4, "improve"),
        (1, 5, "improve"),
        (1, 4, "look elsewhere"),
        (2, 4, "look elsewhere"),
        (2, 5, "improve"),
        (9, 8, "look elsewhere"),
    ],
)
def test_every_second_step_looks_elsewhere_once_the_run_is_idle(idle, t, kind):
    assert bound(sf.acquisition.LookAround(), idle=idle, t=t).kind == kind


def test_patience_and_parts_are_the_users():
    alpha = bound(sf.acquisition.LookAround(improve=sf.UCB(), patience=5), idle=4)
    assert alpha.kind is None
    assert isinstance(bound(sf.acquisition.LookAround(patience=5), idle=5), ElsewhereScore)


@pytest.mark.parametrize("words", [{"patience": 0}, {"improve": sf.LogEI}, {"elsewhere": "here"}])
def test_what_is_no_part_is_refused(words):
    with pytest.raises((TypeError, ValueError), match=next(iter(words))):
        sf.acquisition.LookAround(**words)


def test_elsewhere_climbs_the_other_hill_where_ucb_stays():
    grid = np.linspace(0, 1, 1001)[:, None]
    ucb, elsewhere = (grid[np.argmax(bound(part)(grid)), 0] for part in (sf.UCB(0.3), sf.acquisition.Elsewhere()))
    assert abs(ucb - 0.2) < 0.05
    assert elsewhere > 0.65


def test_a_known_place_is_worth_what_the_worst_point_is():
    alpha = bound(sf.acquisition.Elsewhere())
    lowest = POSTERIOR.mean(X).min()
    assert alpha(X[[POSTERIOR.mean(X).argmax()]])[0] == pytest.approx(lowest, abs=1e-6)
    assert np.all(alpha(np.linspace(0, 1, 50)[:, None]) <= bound(sf.UCB(1.0))(np.linspace(0, 1, 50)[:, None]) + 1e-9)


def test_the_second_hill_is_known_once_it_was_evaluated_twice_with_the_same_result():
    twice = np.array([[0.8], [0.8005]])
    climbed, level = (
        Posterior.condition(Matern(2.5, 0.15), np.vstack([X, twice]), np.append(Z, pair), 1e-6)
        for pair in ([0.5, 0.56], [0.5, 0.501])
    )
    assert known_places(POSTERIOR, POSTERIOR.mean(X), 1e-2) == [int(np.argmax(POSTERIOR.mean(X)))]
    places = known_places(level, level.mean(level.X), 1e-2)
    assert places[0] in (1, 2)
    assert places[1] in (6, 7)
    assert len(known_places(climbed, climbed.mean(climbed.X), 1e-2)) == 1


def test_nothing_known_is_no_place():
    empty = Posterior.condition(Matern(2.5, 0.15), np.empty((0, 1)), np.empty(0), 1e-6)
    assert np.all(bound(sf.acquisition.Elsewhere(), empty)(np.linspace(0, 1, 9)[:, None]) > 0)
    assert known_places(empty, np.empty(0), 1.0) == []


@pytest.mark.parametrize("kernel", [Matern(2.5, (0.2, 0.7)), Matern(1.5, 0.4), RBF(0.3)], ids=repr)
def test_the_weight_has_a_gradient_and_a_limit_over_boxes(kernel):
    rng = np.random.default_rng(1)
    weight, points, h = Apart(kernel, rng.random((3, 2))), rng.random((30, 2)), 1e-6
    value, gradient = weight.value_and_grad(points)
    assert value == pytest.approx(weight(points))
    for j in range(2):
        ahead, behind = (weight(points + sign * h * np.eye(2)[j]) for sign in (1, -1))
        assert gradient[:, j] == pytest.approx((ahead - behind) / (2 * h), rel=1e-3, abs=1e-5)
    lower = np.maximum(points - 0.1, 0.0)
    inside = lower + (points + 0.1 - lower) * rng.random((200, 30, 2))
    highest = np.max([weight(rows) for rows in inside], axis=0)
    limit = weight.bound(lower, points + 0.1)
    assert np.all(limit >= highest)
    assert np.all(weight.bound(points, points) == pytest.approx(value))


@pytest.mark.parametrize("part", [sf.acquisition.EI(), sf.LogEI(), sf.acquisition.EI(xi=0.1)], ids=repr)
@pytest.mark.parametrize("width", [0.0, 0.01, 0.1, 0.5])
def test_no_point_of_a_box_has_more_expected_improvement_than_its_limit(part, width):
    rng = np.random.default_rng(2)
    known = rng.random((20, 2))
    posterior = Posterior.condition(Matern(2.5, 0.3), known, np.cos(5 * known).sum(axis=1), 1e-4, scale=1.3)
    alpha = bound(part, posterior)
    assert isinstance(alpha, ImprovementScore)
    lower = rng.random((25, 2)) * (1 - width)
    limit = alpha.bound(lower, lower + width)
    inside = lower + width * rng.random((300, 25, 2))
    highest = np.max([alpha(rows) for rows in inside], axis=0)
    assert np.all(limit >= highest)
    if width == 0.0:  # a box of one point: the limit is the value
        limit, highest = (np.exp(v) if alpha.logarithmic else v for v in (limit, highest))
        assert limit == pytest.approx(highest, abs=1e-3)
