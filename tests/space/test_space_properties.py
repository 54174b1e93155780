"""Properties of random spaces, and the distribution of samples."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from suffice.record.arguments import as_point
from suffice.space import Choice, Float, Int, Listed, Ordinal, Space, as_space

EPS = float(np.finfo(float).eps)


def tell_apart(option):
    return (type(option), "nan" if option != option else option)


finite = st.floats(allow_nan=False, allow_infinity=False)
narrow = st.tuples(st.sampled_from([0.0, 1.0, -1e12, 1e12]), st.sampled_from([1e-15, 1e-3, 1.0, 1e12])).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
positive = st.floats(min_value=5e-324, allow_infinity=False)
whole = st.integers(-(2**62), 2**62)
floats = (st.tuples(finite, finite).map(sorted) | narrow).map(lambda pair: Float(*pair))
log_floats = st.tuples(positive, positive).map(sorted).map(lambda pair: Float(*pair, log=True))
ints = st.tuples(whole, st.integers(0, 100) | st.integers(0, 2**62)).map(lambda p: Int(p[0], p[0] + p[1]))
log_ints = st.tuples(st.integers(1, 2**60), st.integers(0, 100) | st.integers(0, 2**62)).map(
    lambda p: Int(p[0], p[0] + p[1], log=True)
)
options = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.tuples(st.integers())
choices = st.lists(options, min_size=1, max_size=6, unique_by=tell_apart).map(lambda given: Choice(*given))
ordinals = st.lists(options, min_size=1, max_size=6, unique_by=tell_apart).map(lambda given: Ordinal(*given))
decimals = st.decimals(-1000, 1000, places=3).map(float)
stepped_floats = st.tuples(decimals, st.decimals("0.001", 10, places=3).map(float), st.integers(1, 10**4)).map(
    lambda p: Float(p[0], max(p[0] + p[1], p[0] + p[1] * p[2]), step=p[1])
)
stepped_ints = st.tuples(whole, st.integers(1, 2**40), st.integers(1, 100)).map(
    lambda p: Int(p[0], p[0] + p[1] * p[2] + p[1] // 2, step=p[1])
)
parameters = floats | log_floats | ints | log_ints | choices | ordinals | stepped_floats | stepped_ints
lists = st.lists(parameters, min_size=1, max_size=4).map(as_space)
spaces = st.dictionaries(st.text(min_size=1, max_size=20), parameters, min_size=1, max_size=5).map(Space)
boxes = st.lists(floats | log_floats, min_size=1, max_size=4).map(as_space)
seeds = st.integers(0, 2**32)


def rows(space, seed):
    """Samples, snapped points from in and around the cube, and corners."""
    rng = np.random.default_rng(seed)
    around = space.snap(rng.uniform(-0.5, 1.5, (4, space.dim)))
    corners = space.snap(rng.integers(0, 2, (4, space.dim)).astype(float))
    return np.concatenate([space.sample(4, rng), around, corners])


@settings(deadline=None, max_examples=200)
@given(spaces, seeds)
def test_every_point_is_inside_bounds_on_its_step_and_of_plain_python_types(space, seed):
    for x in rows(space, seed):
        assert np.all((x >= 0) & (x <= 1))
        point = space.from_unit(x)
        assert type(point) is dict
        assert tuple(point) == space.names
        for name, parameter in space.params.items():
            if isinstance(parameter, Listed):
                assert any(point[name] is option for option in parameter.options)
            else:
                assert type(point[name]) is (int if isinstance(parameter, Int) else float)
                assert parameter.low <= point[name] <= parameter.high
                assert on_its_step(parameter, point[name])


def on_its_step(parameter, value):
    """Whether a value is low + k step, in decimals, or high where rounding is all that is between."""
    if parameter.step is None:
        return True
    low, high, step, v = (Fraction(repr(x)) for x in (parameter.low, parameter.high, parameter.step, value))
    exact = type(value)(low + round((v - low) / step) * step)
    r = (high - low) / step
    return value == exact or (value == parameter.high and abs(r - round(r)) <= 5e-9)


@settings(deadline=None, max_examples=100)
@given(lists, seeds)
def test_a_point_of_a_list_finds_its_way_back_and_is_an_array_only_where_all_are_floats(space, seed):
    for x in rows(space, seed):
        point = space.from_unit(x)
        assert type(point) is (np.ndarray if all(isinstance(p, Float) for p in space.parameters) else list)
        assert space.to_unit(point) == pytest.approx(x, abs=rounding(space, point))
        again = as_point(tuple(point), space)
        assert repr(again) == repr(point)


@settings(deadline=None, max_examples=100)
@given(boxes, seeds)
def test_every_point_of_a_box_is_a_float_array_inside_bounds(space, seed):
    for x in rows(space, seed):
        point = space.from_unit(x)
        assert isinstance(point, np.ndarray)
        assert point.dtype == np.float64
        assert all(p.low <= v <= p.high for p, v in zip(space.parameters, point, strict=True))
        assert space.to_unit(point) == pytest.approx(x, abs=rounding(space, point))


@settings(deadline=None, max_examples=200)
@given(spaces, seeds)
def test_a_point_finds_its_way_back_into_the_cube(space, seed):
    for x in rows(space, seed):
        point = space.from_unit(x)
        back = space.to_unit(point)
        for coordinate in space.coordinates:
            if not coordinate.smooth and space.params[coordinate.name].size <= 2**40:
                assert np.array_equal(back[coordinate.columns], x[coordinate.columns])  # bit for bit on a lattice
        assert back == pytest.approx(x, abs=rounding(space, point.values()))


def rounding(space, values):
    """How far float64 may carry u through v and back: the worst coordinate."""
    return max((_rounding(p, v) for p, v in zip(space.parameters, values, strict=True)), default=0.0) + 8 * EPS


def _rounding(parameter, value):
    if parameter.constant or isinstance(parameter, Listed):
        return 0.0
    if isinstance(parameter, Int) or parameter.step is not None:
        return 2.0**-40 if parameter.size > 2**40 else 0.0  # the finest cell that counts
    low, high = parameter.low, parameter.high
    step = EPS * max(abs(low), abs(high)) + 5e-324  # between neighbouring values
    if not parameter.log:
        return step / (high / 2 - low / 2) if high / 2 > low / 2 else 1.0
    W = math.log(high) - math.log(low) if high >= 2 * low else math.log1p((high - low) / low)
    sizes = abs(math.log(low)) + abs(math.log(high)) if high >= 2 * low else 1.0
    return 4 * (EPS * (1 + sizes) + 5e-324 / value) / W


@settings(deadline=None, max_examples=200)
@given(spaces, seeds)
def test_snapping_twice_is_snapping_once(space, seed):
    X = rows(space, seed)
    assert np.array_equal(space.snap(X), X)


@settings(deadline=None, max_examples=100)
@given(spaces, seeds)
def test_snapping_does_not_change_the_point(space, seed):
    rng = np.random.default_rng(seed)
    for x in rng.uniform(-0.5, 1.5, (5, space.dim)):
        assert repr(space.from_unit(x)) == repr(space.from_unit(space.snap(x[None])[0]))


@settings(deadline=None, max_examples=100)
@given(spaces)
def test_any_space_survives_pickling(space):
    again = pickle.loads(pickle.dumps(space))
    assert again == space
    assert hash(again) == hash(space)


small_ints = st.tuples(whole, st.integers(0, 4)).map(lambda p: Int(p[0], p[0] + p[1]))
finite_spaces = st.dictionaries(st.text(min_size=1), small_ints | choices, min_size=1, max_size=4).map(Space)


@settings(deadline=None, max_examples=50)
@given(finite_spaces)
def test_enumeration_lists_every_point_once(space):
    X = space.enumerate()
    assert len(X) == space.size == len({tuple(x) for x in X.tolist()})
    assert np.array_equal(space.snap(X), X)


# Distribution: Pearson's statistic, fixed streams. A correct sampler exceeds the limit in one of a million streams.


def assert_fits(counts, probabilities):
    n = counts.sum()
    expected = n * np.asarray(probabilities)
    assert expected.min() > 5  # where the chi-squared distribution holds
    assert ((counts - expected) ** 2 / expected).sum() < stats.chi2.isf(1e-6, len(counts) - 1)


def draw(parameter, n, seed):
    space = Space(x=parameter)
    return [space.from_unit(x)["x"] for x in space.sample(n, np.random.default_rng(seed))]


@pytest.mark.parametrize("parameter", [Int(0, 1), Int(-3, 3), Int(2**60, 2**60 + 30)], ids=repr)
def test_integers_are_drawn_uniformly(parameter):
    drawn = [i - parameter.low for i in draw(parameter, 20_000, seed=1)]
    assert_fits(np.bincount(drawn, minlength=parameter.count), np.full(parameter.count, 1 / parameter.count))


@pytest.mark.parametrize("parameter", [Int(1, 2, log=True), Int(1, 30, log=True), Int(50, 70, log=True)], ids=repr)
def test_logarithmic_integers_are_drawn_by_the_length_of_their_cells(parameter):
    drawn = [i - parameter.low for i in draw(parameter, 20_000, seed=2)]
    edges = np.log(np.arange(parameter.low, parameter.high + 2) - 0.5)
    assert_fits(np.bincount(drawn, minlength=parameter.count), np.diff(edges) / (edges[-1] - edges[0]))


@pytest.mark.parametrize("m", [2, 3, 17, 300])
def test_choices_are_drawn_uniformly(m):
    drawn = draw(Choice(*range(m)), 20_000, seed=3)
    assert_fits(np.bincount(drawn, minlength=m), np.full(m, 1 / m))


@pytest.mark.parametrize(("log", "forward"), [(False, float), (True, math.log)])
def test_floats_are_drawn_uniformly_on_their_scale(log, forward):
    low, high = 0.01, 50.0
    drawn = np.array([forward(v) for v in draw(Float(low, high, log=log), 20_000, seed=4)])
    edges = np.linspace(forward(low), forward(high), 21)
    assert_fits(np.histogram(drawn, edges)[0], np.full(20, 1 / 20))


def test_parameters_are_drawn_independently_of_each_other():
    space = Space(a=Int(0, 3), b=Choice("x", "y", "z"), c=Int(1, 2), d=Choice(True, False))
    listed = {tuple(x): j for j, x in enumerate(space.enumerate().tolist())}
    drawn = [listed[tuple(x)] for x in space.sample(40_000, np.random.default_rng(5)).tolist()]
    assert_fits(np.bincount(drawn, minlength=48), np.full(48, 1 / 48))


def test_the_same_stream_gives_the_same_sample():
    space = Space(a=Float(0, 1), b=Int(0, 9), c=Choice("x", "y"))
    first, again = (space.sample(5, np.random.default_rng(6)) for _ in range(2))
    assert np.array_equal(first, again)
