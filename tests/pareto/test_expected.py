"""The expected gain: by quadrature, in its limits, with few digits lost, and its derivatives."""

import math
from functools import reduce

import numpy as np
import pytest
from scipy.special import ndtr

from suffice.pareto import Improving
from suffice.pareto.expected import NARROW, Strips, but_one, part_of_normal, part_of_normal_and_grad

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 4])


def moments(m, n, seed=0):
    rng = np.random.default_rng([seed, m])
    return rng.uniform(-0.5, 1.5, (n, m)), 10 ** rng.uniform(-2, 0.5, (n, m))


def by_quadrature(lower, upper, mean, std, nodes=60):
    """∫ from lower to upper of Φ((μ − t)/σ) dt, which is the part of a box below a normal variable, for scalars."""
    upper = min(upper, mean + 40 * std)
    if upper <= lower:
        return 0.0
    x, w = np.polynomial.legendre.leggauss(nodes)
    edges = np.unique(np.clip(mean + std * np.arange(-40.0, 41.0, 4.0), lower, upper))
    edges = np.unique(np.concatenate([[lower], edges, [upper]]))
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    return float((half[:, None] * w * ndtr((mean - middle[:, None] - half[:, None] * x) / std)).sum())


@SIZES
def test_the_expected_gain_is_that_of_quadrature(front, m):
    boxes = Improving.of(*front("curved", m, 8))
    for mean, std in zip(*moments(m, 3), strict=True):
        volumes = [
            math.prod(by_quadrature(*side) for side in zip(low, high, mean, std, strict=True))
            for low, high in zip(boxes.lower, boxes.upper, strict=True)
        ]
        assert boxes.expected_gain(mean[None], std[None])[0] == pytest.approx(sum(volumes), rel=1e-11)


@pytest.mark.parametrize("m", [2, 3])
def test_the_expected_gain_is_the_mean_of_gains(front, m):
    # A product rule of 40 Hermite nodes for each objective: exact for smooth functions, within 2 % for one with kinks.
    boxes = Improving.of(*front("curved", m, 5))
    x, w = np.polynomial.hermite_e.hermegauss(40)
    grid = np.stack(np.meshgrid(*[x] * m, indexing="ij"), axis=-1).reshape(-1, m)
    share = reduce(np.multiply.outer, [w / w.sum()] * m).ravel()
    mean, std = np.full(m, 0.4), np.full(m, 0.5)
    assert boxes.expected_gain(mean[None], std[None])[0] == pytest.approx(
        share @ boxes.gain(mean + std * grid), rel=0.02
    )


@SIZES
def test_with_one_objective_it_is_the_expected_improvement_and_without_a_front_a_product_of_them(m):
    mean, std = moments(m, 30)
    boxes = Improving.of(np.empty((0, m)), np.zeros(m))
    u = mean / std
    improvement = std * (np.exp(-0.5 * u**2) / math.sqrt(2 * math.pi) + u * ndtr(u))
    assert boxes.expected_gain(mean, std) == pytest.approx(improvement.prod(axis=1), rel=1e-11)


@SIZES
def test_without_deviation_it_is_the_gain(front, m):
    Y, r = front("curved", m, 20)
    boxes = Improving.of(Y, r)
    mean = np.concatenate([moments(m, 50)[0], Y, r[None]])  # also at kinks
    value, by_mean, by_std = boxes.expected_gain_and_grad(mean, np.zeros_like(mean))
    assert value == pytest.approx(boxes.gain(mean), rel=1e-15, abs=1e-290)
    assert boxes.expected_gain(mean, np.full_like(mean, 1e-9)) == pytest.approx(value, abs=1e-8)
    assert by_mean[:50] == pytest.approx(boxes.gain_and_grad(mean)[1][:50], rel=1e-13)
    assert (by_std[:50] == 0).all()


@SIZES
def test_the_derivatives_are_those_of_the_expected_gain(front, m, central_difference):
    boxes = Improving.of(*front("curved", m, 20))
    mean, std = moments(m, 40)
    value, by_mean, by_std = boxes.expected_gain_and_grad(mean, std)
    assert value == pytest.approx(boxes.expected_gain(mean, std), rel=1e-14)
    means = central_difference(lambda X: boxes.expected_gain(X, std), mean)
    stds = central_difference(lambda S: boxes.expected_gain(mean, S), std)
    assert by_mean == pytest.approx(means, rel=1e-6, abs=1e-8)
    assert by_std == pytest.approx(stds, rel=1e-6, abs=1e-8)


def test_it_grows_with_every_mean_and_every_deviation(front):
    # In each objective the gain is convex: the higher u_j, the fewer points dominate at that height.
    boxes = Improving.of(*front("curved", 3, 20))
    mean, std = moments(3, 200)
    value, by_mean, by_std = boxes.expected_gain_and_grad(mean, np.maximum(std, 0.1))
    for part in (value, by_mean, by_std):
        assert (part > 0).all()


@pytest.mark.parametrize("a", [-30.0, -3.0, -0.1, 0.0, 0.4, 5.0, 1e4])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.9 * NARROW, 1.1 * NARROW, 0.1, 3.0])
def test_the_part_of_an_interval_keeps_its_digits_however_narrow_it_is(a, delta):
    lower, mean, std = 0.0, np.array([2.0 * a]), np.array([2.0])
    strips = Strips.of(np.array([lower]), np.array([2.0 * delta]))
    x, w = np.polynomial.legendre.leggauss(60)
    t = a - 0.5 * delta * (1 + x)
    phi = np.exp(-0.5 * t**2) / math.sqrt(2 * math.pi)
    value, by_mean, by_std = (float(part[0, 0]) for part in part_of_normal_and_grad(strips, mean, std))
    # Far to the left 1 − v R loses digits with v², and a narrow interval three more.
    assert value == pytest.approx(delta * (w @ ndtr(t)), rel=1e-11, abs=0)
    assert by_mean == pytest.approx(0.5 * delta * (w @ phi), rel=1e-9, abs=1e-15)
    assert by_std == pytest.approx(0.5 * delta * (w @ (-t * phi)), rel=1e-8, abs=1e-15)


def test_neighbouring_intervals_add_up_to_the_whole():
    rng = np.random.default_rng(0)
    edges = np.sort(np.concatenate([rng.standard_normal(60), 1e-5 * rng.standard_normal(60)]))
    mean, std = rng.standard_normal(50), 10 ** rng.uniform(-3, 2, 50)
    pieces = part_of_normal(Strips.of(edges, np.append(edges[1:], np.inf)), mean, std)
    whole = part_of_normal(Strips.of(edges[:1], np.array([np.inf])), mean, std)
    assert pieces.sum(axis=0) == pytest.approx(whole[0], rel=1e-12)
    assert (pieces >= 0).all()


def test_infinitely_many_deviations_away_nothing_is_expected_and_nothing_warned():
    boxes = Improving.of(np.array([[1.0, 1.0]]), np.zeros(2))
    for part in boxes.expected_gain_and_grad(np.full((1, 2), -1e5), np.full((1, 2), 1e-305)):
        assert not part.any()


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_the_products_of_all_but_one_are_those(m):
    parts = list(np.random.default_rng(m).random((m, 3, 2)))
    kept = [part.copy() for part in parts]
    for j, product in enumerate(but_one(parts)):
        assert product == pytest.approx(np.prod(kept[:j] + kept[j + 1 :], axis=0) * np.ones((3, 2)))
        product *= 0  # an array of its own
    assert all((part == before).all() for part, before in zip(parts, kept, strict=True))
