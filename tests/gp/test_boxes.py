"""No point of a box has a value above the box's limit, and the limit is tight where it can be."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.gp import box_bounds as boxes
from suffice.gp.box_bounds import (
    BoxBound,
    Expansion,
    Parabolas,
    _expansion,
    _second_order,
    least_deviation,
)
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior

KERNELS = {
    "rbf": RBF(),
    "matern12": Matern(0.5),
    "matern1": Matern(1.0),
    "matern32": Matern(1.5),
    "matern18": Matern(1.8),
    "matern22": Matern(2.2),
    "matern52": Matern(2.5),
    "matern10": Matern(10.0),
}
SMOOTH = ("rbf", "matern22", "matern52", "matern10")


def ucb(p, X, beta):
    mean, std = p.predict(X)
    return mean + beta * std


def wild(rng, kernel):
    """A posterior of any kind: spread, clustered or repeated points, smooth or wild outputs, long or short scales."""
    n, d = int(rng.integers(0, 41)), int(rng.integers(1, 6))
    X = rng.random((n, d))
    if rng.random() < 0.4:
        X[n // 2 :] = np.clip(0.3 + 10 ** rng.uniform(-5, -1) * rng.standard_normal((n - n // 2, d)), 0, 1)
    if n > 2 and rng.random() < 0.2:
        X[1] = X[0]
    z = 10 ** rng.uniform(-2, 3) * rng.standard_normal(n) if rng.random() < 0.5 else 3 * np.sin(5 * X.sum(axis=1))
    return Posterior.condition(
        kernel.with_lengthscale(10 ** rng.uniform(-2, 1, d)),
        X,
        z,
        10 ** rng.uniform(-6, 0),
        scale=10 ** rng.uniform(-1, 1),
        constant=rng.standard_normal(),
    )


def any_boxes(rng, p, m):
    """From the whole cube to a point, anywhere or near the data, flat in some columns."""
    d = p.X.shape[1]
    c = rng.random((m, d))
    if p.n:
        around = p.X[rng.integers(p.n, size=m)] + 10 ** rng.uniform(-7, -1, (m, 1)) * rng.standard_normal((m, d))
        c = np.where(rng.random((m, 1)) < 0.5, np.clip(around, 0, 1), c)
        c[0] = p.X[0]
    width = 10 ** rng.uniform(-7, 0.3, (m, 1)) * rng.random((m, d)) * (rng.random((m, d)) < 0.9)
    share = rng.random((m, d))
    return np.clip(c - share * width, 0, 1), np.clip(c + (1 - share) * width, 0, 1)


def largest_found(rng, p, beta, lower, upper):
    """The largest value in each box that corners, the centre, draws and a random local search find, (m,)."""
    m, d = lower.shape
    share = rng.random((30, m, d))
    share[:12] = np.round(share[:12])  # corners
    share[12] = 0.5
    X = lower + share * (upper - lower)
    values = ucb(p, X.reshape(-1, d), beta).reshape(-1, m)
    x, best = X[np.argmax(values, axis=0), np.arange(m)], values.max(axis=0)
    for step in (0.2, 0.05, 0.01):
        Y = np.clip(x + step * (upper - lower) * rng.standard_normal((8, m, d)), lower, upper)
        values = ucb(p, Y.reshape(-1, d), beta).reshape(-1, m)
        x = np.where((values.max(axis=0) > best)[:, None], Y[np.argmax(values, axis=0), np.arange(m)], x)
        best = np.maximum(best, values.max(axis=0))
    return best


def assert_valid(rng, kernel):
    p = wild(rng, kernel)
    beta = float(rng.choice([0.0, 0.1, 1.0, 2.0, 30.0]))
    lower, upper = any_boxes(rng, p, 8)
    limit = BoxBound(p, beta)(lower, upper)
    assert np.all(np.isfinite(limit))
    assert np.all(limit >= largest_found(rng, p, beta, lower, upper))


@pytest.mark.parametrize("name", KERNELS)
def test_no_point_of_a_box_is_above_its_limit(name):
    closed = KERNELS[name] in (RBF(), Matern(0.5), Matern(1.5), Matern(2.5))  # Bessel functions are slow
    for seed in range(350 if closed else 120):
        assert_valid(np.random.default_rng(seed), KERNELS[name])


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 2**32), nu=st.one_of(st.none(), st.floats(0.1, 50)))
def test_nor_for_any_other_smoothness(seed, nu):
    assert_valid(np.random.default_rng(seed), RBF() if nu is None else Matern(nu))


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(KERNELS)))
def test_a_box_of_width_zero_has_the_value_of_its_point(seed, name):
    rng = np.random.default_rng(seed)
    p = wild(rng, KERNELS[name])
    X = np.vstack([rng.random((20, p.X.shape[1])), p.X])
    excess = BoxBound(p, 2.0)(X, X) - ucb(p, X, 2.0)
    assert np.all(excess > 0)
    # For rounding: much more where weights are huge, and where the kernel is steep, than on any surface of use.
    assert np.all(excess <= 1e-6 * (p.rkhs_norm + 2 * p.scale) + 1e-8 * np.abs(p.a).sum())


@pytest.mark.parametrize("name", SMOOTH)
def test_the_allowance_for_rounding_is_small(name):
    p = surface(KERNELS[name])
    X = np.vstack([np.random.default_rng(0).random((100, 2)), p.X])
    assert np.all(BoxBound(p, 2.0)(X, X) - ucb(p, X, 2.0) <= 2e-9 * (p.rkhs_norm + 2 * p.scale))


def surface(kernel, n=30, d=2):
    """As an optimizer meets it: half of the points near the best."""
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    X[n // 2 :] = np.clip(0.4 + 0.05 * rng.standard_normal((n - n // 2, d)), 0, 1)
    z = -8 * np.sum((X - 0.4) ** 2, axis=1) + np.sin(6 * X.sum(axis=1))
    return Posterior.condition(kernel.with_lengthscale(np.linspace(0.2, 0.4, d)), X, z, 1e-4, scale=1.4, constant=-0.2)


def excess_by_width(kernel, widths):
    """The median over boxes of limit − largest value in the box, for each width."""
    p = surface(kernel)
    rng = np.random.default_rng(1)
    c = 0.1 + 0.8 * rng.random((60, 2))
    grid = np.stack(np.meshgrid(*2 * [np.linspace(-1, 1, 11)]), axis=-1).reshape(-1, 1, 2)
    out = []
    for width in widths:
        inside = ucb(p, (c + 0.5 * width * grid).reshape(-1, 2), 2.0).reshape(len(grid), -1).max(axis=0)
        out.append(np.median(BoxBound(p, 2.0)(c - 0.5 * width, c + 0.5 * width) - inside))
    return np.array(out)


@pytest.mark.parametrize(
    ("name", "order"),
    [("rbf", 2.0), ("matern10", 2.0), ("matern52", 2.0), ("matern22", 2.0), ("matern32", 1.5), ("matern12", 0.5)],
)
def test_the_excess_falls_with_the_width_at_the_order_of_the_kernel(name, order):
    widths = np.array([0.02, 0.01, 0.005, 0.0025])
    exponent = np.polyfit(np.log(widths), np.log(excess_by_width(KERNELS[name], widths)), 1)[0]
    assert exponent > order - 0.1  # rougher terms count more as the box shrinks, smoother ones less: from above
    assert name in SMOOTH or exponent < 2


def test_small_boxes_are_limited_far_better_than_by_the_lipschitz_constant():
    p = surface(KERNELS["matern52"], d=3)
    c = np.random.default_rng(0).random((500, 3))
    for width, share in ((0.1, 0.4), (0.02, 0.15)):
        lower, upper = np.clip(c - width / 2, 0, 1), np.clip(c + width / 2, 0, 1)
        middle = 0.5 * (lower + upper)
        corner = np.array([p.kernel(m[None], u[None])[0, 0] for m, u in zip(middle, upper, strict=True)])
        lipschitz = (p.rkhs_norm + 2.0 * p.scale) * np.sqrt(2 - 2 * corner)
        assert np.median((BoxBound(p, 2.0)(lower, upper) - ucb(p, middle, 2.0)) / lipschitz) < share


def test_weights_that_cancel_do_not_spoil_the_limit(monkeypatch):
    p = surface(KERNELS["matern52"], n=60)
    noisy = p.z + 0.03 * np.random.default_rng(5).standard_normal(60)  # taken for signal in a cluster of points
    p = Posterior.condition(p.kernel, p.X, noisy, 1e-6, scale=1.4)
    assert np.abs(p.a).sum() > 1000 * p.rkhs_norm
    c = np.random.default_rng(0).random((200, 2))
    lower, upper = np.clip(c - 0.05, 0, 1), np.clip(c + 0.05, 0, 1)
    inside = largest_found(np.random.default_rng(1), p, 2.0, lower, upper)
    split = np.median(BoxBound(p, 2.0)(lower, upper) - inside)
    monkeypatch.setattr(boxes, "RIDGES", ())
    assert split < 0.7 * np.median(BoxBound(p, 2.0)(lower, upper) - inside)


@pytest.mark.parametrize("nu", [0.3, 0.5, 1.0])
def test_a_box_around_an_observation_of_a_rough_surface_is_limited(nu):
    p = Posterior.condition(Matern(nu, 0.5), np.full((1, 2), 0.5), np.array([-3.0]), 1e-4)
    lower, upper = np.full((1, 2), 0.375), np.full((1, 2), 0.625)  # the observation is exactly at the centre
    highest = ucb(p, np.vstack([lower, upper]), 2.0).max()
    assert highest <= BoxBound(p, 2.0)(lower, upper)[0] <= 2.0  # the prior's limit is 2


def test_the_whole_cube_without_data_has_the_value_of_the_prior():
    p = Posterior.condition(Matern(2.5, 0.3), np.zeros((0, 3)), np.zeros(0), 1e-4, scale=1.5, constant=0.7)
    limit = BoxBound(p, 2.0)(np.zeros((1, 3)), np.ones((1, 3)))
    assert limit == pytest.approx([0.7 + 2.0 * 1.5], abs=1e-8)


def test_far_from_the_data_a_large_box_has_the_value_of_the_prior():
    p = Posterior.condition(Matern(2.5, 0.01), np.full((5, 2), 0.1), np.arange(5.0), 0.1, scale=1.5, constant=0.7)
    limit = BoxBound(p, 2.0)(np.full((1, 2), 0.5), np.ones((1, 2)))
    assert limit == pytest.approx([0.7 + 2.0 * 1.5], abs=1e-6)


@pytest.mark.parametrize("name", KERNELS)
def test_a_box_does_not_depend_on_its_company(name):
    p = surface(KERNELS[name], n=300, d=3)  # several blocks
    lower, upper = any_boxes(np.random.default_rng(0), p, 500)
    bound = BoxBound(p, 1.0)
    alone = np.concatenate([bound(lower[i : i + 1], upper[i : i + 1]) for i in range(0, 500, 25)])
    assert bound(lower, upper)[::25] == pytest.approx(alone, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["rbf", "matern12", "matern32", "matern52"])
def test_the_limit_follows_the_posterior(name):
    p = surface(KERNELS[name], d=3)
    lower, upper = any_boxes(np.random.default_rng(0), p, 100)
    limit = BoxBound(p, 2.0)(lower, upper)
    ell = np.asarray(p.kernel.lengthscale)

    def moved(columns, c, s):
        kernel = p.kernel.with_lengthscale(ell[columns])
        z = s * (p.z - p.constant) + c
        return Posterior.condition(kernel, p.X[:, columns], z, p.factor.tau, scale=s * p.scale, constant=c)

    columns = np.array([2, 0, 1])
    permuted = BoxBound(moved(columns, -0.2, 1.0), 2.0)(lower[:, columns], upper[:, columns])
    assert permuted == pytest.approx(limit, rel=1e-6)
    assert BoxBound(moved(np.arange(3), 5.0, 10.0), 2.0)(lower, upper) == pytest.approx(
        5.0 + 10.0 * (limit + 0.2), rel=1e-6
    )


def by_the_book(kernel, t):
    """|φ(t) − φ(0)| and |φ(t) − φ(0) − t φ'(0)| in one dimension, with a difference quotient for φ'(0)."""
    e = 1e-4  # a sum of φ at these points, with coefficients c, has the squared norm c'Kc
    points = np.array([[t], [0.0], [e], [-e]])
    K = kernel(points, points)
    first, second = np.array([1.0, -1.0, 0, 0]), np.array([1.0, -1.0, -0.5 * t / e, 0.5 * t / e])
    return math.sqrt(first @ K @ first), math.sqrt(second @ K @ second)


@pytest.mark.parametrize("name", ["rbf", "matern32", "matern52", "matern10"])
@pytest.mark.parametrize("t", [0.05, 0.3, 1.0, 4.0])
def test_the_expansion_of_the_feature_map_is_what_its_docstring_says(name, t):
    gain, rho, smooth = _expansion(KERNELS[name], np.array([t]))
    expected_gain, expected_rho = by_the_book(KERNELS[name], t)
    assert smooth
    assert gain[0] == pytest.approx(expected_gain, rel=1e-5)
    assert rho[0] == pytest.approx(expected_rho, rel=2e-3)  # the difference quotient is wrong by O(e) for ν = 3/2


def test_a_rough_kernel_has_no_gradient():
    gain, rho, smooth = _expansion(Matern(0.5), np.array([0.0, 0.2]))
    assert not smooth
    assert gain == pytest.approx([0.0, math.sqrt(2 - 2 * math.exp(-0.2))])
    assert np.array_equal(gain, rho)


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 2**32), d=st.integers(1, 4))
def test_the_peak_of_a_parabola_is_its_largest_value_on_the_box(seed, d):
    rng = np.random.default_rng(seed)
    parabola = Parabolas(rng.standard_normal((3, 2)), rng.standard_normal((3, 2, d)), rng.standard_normal((3, 2)))
    u = rng.random((3, d)) * (rng.random((3, d)) < 0.8)
    peak = parabola.peak(u)
    axis = np.linspace(-1, 1, 401)[:, None, None, None] * u[:, None, :]  # coordinate by coordinate: it is separable
    terms = parabola.slope * axis + parabola.curvature[:, :, None] * axis**2
    assert peak == pytest.approx(parabola.value + terms.max(axis=0).sum(axis=-1), abs=1e-4)


@given(name=st.sampled_from(sorted(KERNELS)), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=100)
def test_no_deviation_in_a_box_is_below_the_least(name, seed):
    rng = np.random.default_rng(seed)
    p = wild(rng, KERNELS[name])
    lower, upper = any_boxes(rng, p, 20)
    least = least_deviation(p, lower, upper)
    for share in rng.random((20, *lower.shape)):
        share = np.where(rng.random(share.shape) < 0.3, np.round(share), share)
        assert np.all(p.predict(lower + share * (upper - lower))[1] >= least)


def test_the_least_deviation_of_a_point_is_its_own():
    rng = np.random.default_rng(0)
    p = Posterior.condition(Matern(2.5, 0.3), rng.random((20, 2)), rng.standard_normal(20), 1e-4, scale=3.0)
    X = rng.random((30, 2))
    assert least_deviation(p, X, X) == pytest.approx(p.predict(X)[1], rel=1e-4)


@given(kernel=st.sampled_from([RBF(), Matern(2.5)]), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=100)
def test_mean_and_variance_stay_below_their_expansions(kernel, seed):
    rng = np.random.default_rng(seed)
    p = wild(rng, kernel)
    lower, upper = any_boxes(rng, p, 20)
    near = Expansion.of(p, lower, upper)
    weights = rng.random((2, 20)) * rng.choice([0.0, 1.0, 1e3], (2, 20))
    highest, centre = near.highest(*weights), 0.5 * (lower + upper)
    for share in rng.random((20, *lower.shape)):
        X = lower + np.where(rng.random(share.shape) < 0.3, np.round(share), share) * (upper - lower)
        for i in range(20):  # alone: many rows have the rounding of a matrix product
            (mean, std), (at, spread) = p.predict(X[[i]]), p.predict(centre[[i]])
            gain = weights[0, i] * (mean - at) + weights[1, i] * (std**2 - spread**2)
            assert gain[0] <= highest[i]
            assert std[0] ** 2 >= near.least[i]


@pytest.mark.parametrize("name", ["rbf", "matern52"])
@pytest.mark.parametrize("t", [0.1, 0.5, 1.0])
def test_what_is_beyond_the_second_order_is_bounded_and_no_more_than_that(name, t):
    kernel, e = KERNELS[name], 0.02 * t
    points = np.array([[t], [0.0], [e], [-e]])  # as in `by_the_book`, with a difference quotient for φ''(0), too
    slope, bend = 0.5 * t / e, 0.5 * t**2 / e**2
    c = np.array([1.0, -1.0 + 2.0 * bend, -slope - bend, slope - bend])
    exact = math.sqrt(c @ kernel(points, points) @ c)
    limit = _second_order(kernel, np.array([t]))[0]
    assert 0.3 * limit <= exact <= 1.05 * limit
