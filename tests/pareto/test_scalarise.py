"""Scalarisations: their mean over directions is the hypervolume."""

import math

import numpy as np
import pytest

from suffice.pareto import hypervolume
from suffice.pareto.directions import (
    c_m,
    reach,
    reach_and_grad,
    weights,
)

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 5])
DRAWS = 4_000


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


@pytest.mark.parametrize(("m", "volume"), [(1, 1.0), (2, math.pi / 4), (3, math.pi / 6), (4, math.pi**2 / 32)])
def test_the_constant_is_the_volume_of_the_positive_part_of_the_ball(m, volume):
    assert c_m(m) == pytest.approx(volume, rel=1e-14)


@SIZES
@pytest.mark.parametrize("n", [1, 6])
def test_the_mean_over_directions_is_the_hypervolume(front, m, n):
    # Eight cases, each within 5 deviations of a mean that is nearly normal: a false alarm in 1 of 200 000 streams.
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
def test_the_gradients_are_those_of_the_values(m, central_difference):
    rng = np.random.default_rng(m)
    U, r = rng.uniform(-1.0, 2.0, (60, m)), np.zeros(m)
    (w,) = weights(1, m, rng)
    at, grad = reach_and_grad(U, w, r)
    assert (at == reach(U, w, r)).all()
    differences = central_difference(lambda X: reach(X, w, r), U, step=1e-7)
    assert grad == pytest.approx(differences, rel=1e-5, abs=1e-5)


def test_the_reach_is_nowhere_flat_and_positive_above_the_reference():
    rng = np.random.default_rng(0)
    U, r = rng.standard_normal((300, 3)), np.zeros(3)
    (w,) = weights(1, 3, rng)
    t, grad = reach_and_grad(U, w, r)
    assert (grad.sum(axis=1) > 0).all()
    assert ((t > 0) == (U > 0).all(axis=1)).all()
    assert (reach(U + rng.random(U.shape), w, r) >= t).all()
