"""The gain along directions: the hypervolume improvement on average, with the region of `Improving` in its limit."""

import math

import numpy as np
import pytest

from suffice.pareto import Directions, Improving, c_m, hypervolume, weights

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 6])
DRAWS = 4_000


def reach(U, w, r):
    """How far one can go from r in the direction w and still be below u, (N,)."""
    return ((U - r) / w).min(axis=1)


def volume(along):
    """That of the front, as an average over the directions."""
    m = along.weights.shape[1]
    return c_m(m) * np.mean(along.best**m)


def made(front, m, k=300):
    Y, r = front("curved", m, 15)
    return Y, r, Directions.of(Y, r, weights(k, m, np.random.default_rng(m)))


def _dominated(U, w, r):
    """t₊^m: what the hypervolume is a mean of, over directions w."""
    return np.maximum(reach(U, w, r), 0.0) ** len(w)


@SIZES
def test_directions_are_positive_and_of_length_one(m):
    W = weights(50, m, np.random.default_rng(0))
    assert W.shape == (50, m)
    assert (W > 0).all()
    assert (W**2).sum(axis=1) == pytest.approx(np.ones(50), rel=1e-14)


@pytest.mark.parametrize("m", [2, 3, 5])
def test_directions_are_uniform_on_the_sphere(m):
    # E w_j² = 1/m and E w_i w_j = 2/(πm); each mean is within 5 deviations: a false alarm in 1 of 50 000 streams.
    W = weights(DRAWS, m, np.random.default_rng(1))
    products = np.einsum("ni,nj->nij", W, W)
    expected = np.where(np.eye(m) > 0, 1 / m, 2 / (math.pi * m))
    assert (np.abs(products.mean(axis=0) - expected) < 5 * products.std(axis=0) / math.sqrt(DRAWS)).all()


@pytest.mark.parametrize(("m", "expected"), [(1, 1.0), (2, math.pi / 4), (3, math.pi / 6), (4, math.pi**2 / 32)])
def test_the_constant_is_the_volume_of_the_positive_part_of_the_ball(m, expected):
    assert c_m(m) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("m", "n"), [(1, 6), (2, 1), (2, 6), (3, 6), (5, 1), (5, 6)])
def test_the_mean_over_directions_is_the_hypervolume(front, m, n):
    # Six cases, each within 5 deviations of a mean that is nearly normal: a false alarm in 1 of 200 000 streams.
    Y, r = front("curved", m, n, seed=3)
    best = np.array(
        [np.maximum(reach(Y, w, r), 0.0).max() ** m for w in weights(DRAWS, m, np.random.default_rng([m, n]))]
    )
    margin = 5 * best.std() / math.sqrt(DRAWS) + 1e-12
    assert abs(best.mean() - hypervolume(Y, r) / c_m(m)) < margin
    assert m == 1 or margin < 0.3 * best.mean()


def test_in_two_objectives_the_integral_over_angles_is_the_volume_of_one_point():
    y, r = np.array([[1.3, 0.8]]), np.array([0.1, -0.2])
    angles = (np.arange(100_000) + 0.5) * math.pi / 200_000
    W = np.column_stack([np.cos(angles), np.sin(angles)])
    squared = np.minimum(*((y - r) / W).T) ** 2
    few = np.array([reach(y, w, r)[0] ** 2 for w in W[::1000]])
    assert few == pytest.approx(squared[::1000], rel=1e-13)
    assert c_m(2) * squared.mean() == pytest.approx(hypervolume(y, r), rel=1e-8)


@SIZES
def test_gain_and_volume_are_means_of_scalarisations(front, m):
    Y, r, along = made(front, m, k=40)
    U = np.random.default_rng(0).uniform(-0.2, 1.2, (30, m))
    best = np.array([_dominated(Y, w, r).max() for w in along.weights])
    gains = np.array([np.maximum(_dominated(U, w, r) - b, 0.0) for w, b in zip(along.weights, best, strict=True)])
    assert volume(along) == pytest.approx(c_m(m) * best.mean(), rel=1e-12)
    assert along.gain(U) == pytest.approx(c_m(m) * gains.mean(axis=0), rel=1e-11, abs=1e-16)


@pytest.mark.parametrize("m", [2, 3, 5])
def test_with_many_directions_they_come_to_those_of_the_boxes(front, m):
    # Eleven means, each within 5 deviations: a false alarm in 1 of 50 000 streams for each m.
    k = 4_000
    Y, r, along = made(front, m, k)
    U = np.random.default_rng(1).uniform(0.4, 1.0, (10, m))
    exact = Improving.of(Y, r).gain(U)
    each = np.array(
        [Directions(w[None], b, r).gain(U) for w, b in zip(along.weights, along.best[:, None], strict=True)]
    )
    assert each.mean(axis=0) == pytest.approx(along.gain(U), rel=1e-10, abs=1e-16)
    assert (np.abs(along.gain(U) - exact) <= 5 * each.std(axis=0) / math.sqrt(k) + 1e-12).all()
    spread = c_m(m) * (along.best**m).std() / math.sqrt(k)
    assert abs(volume(along) - hypervolume(Y, r)) < 5 * spread


@SIZES
def test_the_gradient_is_that_of_the_gain(front, m, central_difference):
    Y, _, along = made(front, m)
    U = np.concatenate([np.random.default_rng(0).uniform(0.0, 1.5, (40, m)), Y + 0.1])
    value, grad = along.gain_and_grad(U)
    assert value == pytest.approx(along.gain(U), rel=1e-13)
    assert grad == pytest.approx(central_difference(along.gain, U, step=1e-7), rel=1e-3, abs=1e-4)


@SIZES
def test_there_is_a_gain_where_there_is_no_shortfall(front, m, central_difference):
    _, _, along = made(front, m)
    U = np.random.default_rng(0).uniform(-0.5, 1.0, (300, m))
    short, grad = along.shortfall_and_grad(U)
    assert ((along.gain(U) > 0) == (short == 0)).all()
    assert (short == along.shortfall(U)).all()
    assert grad == pytest.approx(central_difference(along.shortfall, U, step=2.0**-24), abs=1e-6)


def test_before_the_first_point_everything_above_the_reference_point_is_a_gain():
    r = np.array([1.0, 2.0])
    along = Directions.of(np.empty((0, 2)), r, weights(5, 2, np.random.default_rng(0)))
    assert volume(along) == 0.0
    assert (along.corners == r).all()
    assert (along.gain(np.array([r + 1.0, r - 1.0])) > 0).tolist() == [True, False]
