"""Random spaces from end to end: every suggestion is inside its bounds, on its lattice, in plain Python types."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice import GP, Choice, Float, Int, Optimizer, Ordinal, Space
from suffice.acquisition import Thompson
from suffice.errors import SpaceExhausted
from suffice.solvers import Fixed, Grid, Polished

finite = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=5e-324, allow_infinity=False)
narrow = st.sampled_from([(0.0, 1e-15), (1.0, 1.0 + 4e-16), (-1e12, 1e12), (-1.7e308, 1.7e308)])
floats = (st.tuples(finite, finite).map(sorted) | narrow).map(lambda pair: Float(*pair))
log_floats = st.tuples(positive, positive).map(sorted).map(lambda pair: Float(*pair, log=True))
width = st.integers(0, 5) | st.integers(0, 2**60)
ints = st.tuples(st.integers(-(2**60), 2**60), width).map(lambda p: Int(p[0], p[0] + p[1]))
log_ints = st.tuples(st.integers(1, 2**60), width).map(lambda p: Int(p[0], p[0] + p[1], log=True))
options = st.sampled_from([None, True, 1, 1.5, math.nan, "a", "", ("t", 1)])
choices = st.lists(options, min_size=1, max_size=5, unique_by=lambda o: (type(o), repr(o))).map(lambda o: Choice(*o))
ordinals = choices.map(lambda choice: Ordinal(*choice.options))
step = st.sampled_from([0.05, 0.1, 1 / 3, 2.5, 1e-13])
stepped_floats = st.tuples(st.sampled_from([0.0, -1.1, 100.0]), step, st.integers(1, 40)).map(
    lambda p: Float(p[0], p[0] + p[1] * (p[2] + 0.5), step=p[1])
)
stepped_ints = st.tuples(st.integers(-9, 9), st.integers(1, 64), st.integers(1, 9)).map(
    lambda p: Int(p[0], p[0] + p[1] * p[2], step=p[1])
)
parameters = floats | log_floats | ints | log_ints | choices | ordinals | stepped_floats | stepped_ints
spaces = st.dictionaries(st.text(min_size=1, max_size=8), parameters, min_size=1, max_size=4).map(Space)

solvers = st.sampled_from([Grid(size=Fixed(32)), Polished(Grid(size=Fixed(32)))])
acquisitions = st.sampled_from([None, Thompson(features=32), Thompson(exact=True, points=16)])


def check(space, point):
    assert type(point) is dict
    assert tuple(point) == space.names
    for name, parameter in space.params.items():
        value = point[name]
        if isinstance(parameter, Choice | Ordinal):
            assert any(value is option for option in parameter.options)
        else:
            assert type(value) is (float if isinstance(parameter, Float) else int)
            assert parameter.low <= value <= parameter.high
            assert parameter.as_value(value) == value  # on its step


def n_told_apart(space):
    """How many points of a small space float64 tells apart: fewer than real numbers where the bounds are very close."""
    X = space.sample(1000, np.random.default_rng(0))
    return len({space.to_unit(space.from_unit(x)).tobytes() for x in X})


@settings(deadline=None, max_examples=60)
@given(spaces, st.integers(0, 99), solvers, acquisitions, st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=8))
def test_every_suggestion_is_a_point_of_the_space_and_none_comes_twice(space, seed, solver, acquisition, values):
    opt = Optimizer(space, seed=seed, n_initial=2, model=GP(warp=False), solver=solver, acquisition=acquisition)
    try:
        for value in values[:4]:
            opt.tell(opt.ask(), value)
        opt.fail(opt.ask())
        for trial, value in zip(opt.ask(3), values[4:], strict=False):
            opt.tell(trial.point, value)
    except SpaceExhausted:
        assert len({trial.unit.tobytes() for trial in opt.trials}) == min(space.size, n_told_apart(space))
    for trial in opt.trials:
        check(space, trial.point)
        assert np.all((trial.unit >= 0) & (trial.unit <= 1))
        assert trial.origin != "foreign"  # told by its point, it was recognized
    kept = [trial.unit.tobytes() for trial in opt.trials if trial.state != "failed"]  # what failed is tried again
    assert len(set(kept)) == len(kept)


@settings(deadline=None, max_examples=20)
@given(st.lists(floats | log_floats, min_size=1, max_size=4), st.integers(0, 99))
def test_every_suggestion_in_a_box_is_a_float_array_inside_it(parameters, seed):
    opt = Optimizer(parameters, seed=seed, n_initial=2, model=GP(warp=False), solver=Grid(size=Fixed(32)), repeat=True)
    for value in range(4):
        trial = opt.ask()
        assert trial.point.dtype == np.float64
        assert trial.point.shape == (len(parameters),)
        assert all(p.low <= v <= p.high for p, v in zip(parameters, trial.point, strict=True))
        opt.tell(trial, value)


@settings(deadline=None, max_examples=25)
@given(spaces, st.integers(0, 99), solvers, st.data())
def test_every_suggestion_has_the_values_that_are_fixed_and_none_comes_twice(space, seed, solver, data):
    opt = Optimizer(space, seed=seed, n_initial=2, model=GP(warp=False), solver=solver)
    point = space.from_unit(space.sample(1, np.random.default_rng(seed))[0])
    names = data.draw(st.lists(st.sampled_from(space.names), unique=True))
    fixed = {name: point[name] for name in names}
    try:
        for value in (1.0, 3.0, 2.0, 5.0):
            opt.tell(opt.ask(fixed=fixed), value)
    except SpaceExhausted:
        assert opt.trials
    for trial in opt.trials:
        check(space, trial.point)
        assert all(trial.point[name] is value or trial.point[name] == value for name, value in fixed.items())
    assert len({trial.unit.tobytes() for trial in opt.trials}) == len(opt.trials)
