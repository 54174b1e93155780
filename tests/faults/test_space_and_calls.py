"""Spaces and calls that go wrong, from end to end.

Not here: a study taken up again with another space or direction, which is in test_crash_and_storage.py, and metadata of
trials, which do not exist. Nor the escaping of strange names in HTML: there is no page yet.
"""

import math
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice import GP, Choice, Float, Int, Optimizer, Ordinal, Space, audit, minimize
from suffice.ask.design import best_new_point
from suffice.errors import SpaceExhausted
from suffice.solvers import Fixed, Grid

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
QUICK = {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}


def refuse(point):
    raise AssertionError("nothing may be evaluated")


@pytest.mark.parametrize(
    ("bounds", "fault"),
    [
        ({"rate": (1.0, 0.0)}, "parameter 'rate': low must not exceed high"),
        ({"rate": (math.nan, 1.0)}, "parameter 'rate': low must be finite"),
        ({"rate": (0.0, math.inf)}, "parameter 'rate': high must be finite"),
        ([(0.0, 1.0), (-math.inf, 1.0)], r"parameter 'x\[1\]': low must be finite"),
        ({}, "the space is empty"),
        ([], "the space is empty"),
    ],
)
def test_bad_bounds_are_refused_by_name_before_any_evaluation(bounds, fault):
    with pytest.raises(ValueError, match=fault):
        minimize(refuse, bounds, 5)


def test_bad_parameters_are_refused_when_they_are_made():
    with pytest.raises(ValueError, match="log=True needs low > 0"):
        Float(0.0, 1.0, log=True)
    with pytest.raises(ValueError, match="log=True needs bounds between 1 and"):
        Int(0, 5, log=True)
    with pytest.raises(ValueError, match="duplicate names: 'a'"):
        Space({"a": (0, 1)}, a=(0, 1))


@pytest.mark.parametrize("make", [lambda: Float(0, 1, 0.05), lambda: Int(0, 9, 3)])
def test_a_number_in_the_place_of_log_is_taken_for_a_step_that_was_written_wrong(make):
    with pytest.raises(TypeError, match=r"log must be True or False: got .*; a step is written step="):
        make()


def test_a_parameter_without_width_or_with_one_option_is_carried_as_a_constant():
    space = Space(x=Float(0, 1), same=Float(3, 3), five=Int(5, 5), only=Choice("this"))
    result = minimize(lambda point: point["x"] * point["same"] + point["five"] + len(point["only"]), space, 12, **QUICK)
    assert all((p["same"], p["five"], p["only"]) == (3.0, 5, "this") for p in result.x_iters)
    alone = minimize(lambda point: point["x"] * 3 + 9, Space(x=Float(0, 1)), 12, **QUICK)
    assert [point["x"] for point in result.x_iters] == [point["x"] for point in alone.x_iters]


@pytest.mark.parametrize(
    "parameter",
    [
        Int(0, 2**60),
        Int(-(2**60), 2**60),
        Int(2**60 - 3, 2**60),
        Int(1, 2**60, log=True),
        Int(-(2**60), 2**60, step=2**50 + 1),
        Int(-(2**60), 2**60, step=3),
        Float(-1e12, 1e12, step=0.1),
        Float(0.1, 0.1 + 1e-15),
        Float(-1e12, 1e12),
        Float(1e12, 1e12 + 1e-3),
    ],
    ids=repr,
)
def test_huge_integers_and_extreme_bounds_stay_exact_and_inside(parameter):
    space = Space(v=parameter, x=Float(0, 1))
    middle = (parameter.low + parameter.high) / 2
    result = minimize(lambda p: abs(p["v"] - middle) / abs(parameter.high) + p["x"], space, 12, **QUICK)
    values = [point["v"] for point in result.x_iters]
    kind = int if isinstance(parameter, Int) else float
    assert all(type(value) is kind and parameter.low <= value <= parameter.high for value in values)
    assert all(parameter.as_value(value) == value for value in values)
    assert len(set(values)) > 2


parameters = st.one_of(
    st.tuples(st.floats(-1e6, 1e6), st.just(0.0) | st.floats(1e-3, 1e6)).map(lambda p: Float(p[0], p[0] + p[1])),
    st.tuples(st.floats(1e-9, 0.9), st.floats(1, 1e9)).map(lambda p: Float(*p, log=True)),
    st.tuples(st.integers(1, 99), st.integers(0, 99), st.booleans()).map(lambda p: Int(p[0], p[0] + p[1], log=p[2])),
    st.tuples(st.integers(1, 99), st.integers(1, 99), st.integers(1, 9)).map(
        lambda p: Int(p[0], p[0] + p[1] * p[2] + 1, step=p[1])
    ),
    st.tuples(st.integers(-99, 99), st.sampled_from([0.05, 0.1, 0.3, 2.5]), st.integers(1, 99)).map(
        lambda p: Float(p[0] / 10, p[0] / 10 + p[1] * p[2] + 0.01, step=p[1])
    ),
    st.lists(st.integers(0, 9) | st.text(max_size=3), min_size=1, max_size=5, unique=True).map(lambda o: Choice(*o)),
    st.lists(st.integers(0, 9) | st.text(max_size=3), min_size=1, max_size=5, unique=True).map(lambda o: Ordinal(*o)),
)


@settings(deadline=None, max_examples=25)
@given(st.dictionaries(st.text(min_size=1, max_size=5), parameters, min_size=1, max_size=4), st.integers(0, 9))
def test_every_suggestion_is_inside_its_bounds_on_its_step_and_plain_python(given, seed):
    space = Space(given)

    def f(point):
        for name, parameter in given.items():
            if isinstance(parameter, Choice | Ordinal):
                assert any(point[name] is option for option in parameter.options)
            else:
                assert type(point[name]) is (int if isinstance(parameter, Int) else float)
                assert parameter.low <= point[name] <= parameter.high
                assert parameter.as_value(point[name]) == point[name]  # on its step
        return float(seed + sum(value for value in point.values() if not isinstance(value, str)))

    result = minimize(f, space, 8, **(QUICK | {"seed": seed}), evaluation=sf.Evaluation(on_error="raise"))
    assert result.nfev == min(8, space.size)


def test_a_discrete_space_that_is_used_up_says_so_and_repeats_only_by_option():
    space = Space(n=Int(1, 3), flag=Choice(True, False))

    def f(point):
        return point["n"] + point["flag"]

    stopped = minimize(f, space, 10, **QUICK)
    assert len({tuple(point.values()) for point in stopped.x_iters}) == stopped.nfev == 6
    assert stopped.message.startswith("all 6 points of the space have been proposed")
    assert minimize(f, space, 10, **QUICK, repeat=True).nfev == 10
    opt = Optimizer(space, **QUICK)
    opt.ask(6)
    with pytest.raises(SpaceExhausted):
        opt.ask()


def test_options_may_be_nan_none_true_and_one_and_are_told_apart():
    options = (math.nan, None, True, 1, 1.0, "1")
    space = Space(c=Choice(*options), x=Float(0, 1))
    opt = Optimizer(space, **QUICK)
    for option in (float("nan"), *options[1:]):  # another NaN than the one in the space
        told = opt.tell({"c": option, "x": 0.5}, 1.0)
        assert repr(told.point["c"]) == repr(option)
    assert len({trial.unit.tobytes() for trial in opt.trials}) == 6
    result = minimize(lambda point: len(repr(point["c"])) + point["x"], space, 20, **QUICK)
    assert repr(result.x["c"]) == "1"  # the shortest


def test_three_hundred_options_are_searched():
    space = Space(c=Choice(*range(300)), x=Float(0, 1))
    result = minimize(lambda point: abs(point["c"] - 42) + point["x"], space, 30, **QUICK)
    assert result.nfev == 30
    assert len({point["c"] for point in result.x_iters}) > 15


def test_an_unhashable_option_is_refused():
    with pytest.raises(TypeError, match=r"options must be hashable: got \['a'\] of type list"):
        Choice(["a"], ["b"])


def test_tellings_that_are_unknown_repeated_outside_or_late_crash_nothing():
    opt, other = Optimizer(SQUARE, **QUICK), Optimizer(SQUARE, **(QUICK | {"seed": 1}))
    first, second = opt.ask(2)
    with pytest.raises(ValueError, match="not one of this optimizer's 2 trials"):
        opt.tell(other.ask(), 1.0)
    done = opt.tell(first, 1.0)
    assert opt.tell(first, 1.0) is done
    with pytest.raises(ValueError, match=r"already has the value 1\.0: got 2\.0"):
        opt.tell(first, 2.0)
    with pytest.raises(ValueError, match=r"parameter 'x\[0\]': 7\.0 is outside the bounds \[0\.0, 1\.0\]"):
        opt.tell([7.0, 0.0], 1.0)
    opt.cancel(second, "timed out")
    assert opt.tell(second, 0.5).state == "done"
    assert [trial.state for trial in opt.trials] == ["done", "done"]
    assert opt.ask().number == 2


def test_thousands_of_foreign_observations_with_duplicates_load_in_seconds_with_a_warning():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((1000, 2)), 3, axis=0)
    opt = Optimizer(SQUARE, seed=0, model=GP(warp=False, max_points=200), solver=Grid(size=Fixed(64)))
    start = time.perf_counter()
    for x in X:
        opt.tell(x, float(((x - 0.3) ** 2).sum()) + 0.01 * rng.normal())
    trial = opt.ask()
    assert time.perf_counter() - start < 10  # well below one second where nothing else runs
    assert trial.solve.notes == ("the model uses 200 of the observations (max_points)",)


@pytest.mark.parametrize(
    "name", ["n" * 1000, "🦉", "<img src=x onerror=alert(1)>", "../../etc/passwd", "a\nb\0c", "{x!r}", "%s", " "]
)
def test_strange_names_are_names_and_nothing_else(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = minimize(lambda point: point[name], {name: (0.0, 1.0)}, 6, **QUICK)
    assert list(result.x) == [name]
    assert result.fun == result.x[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the name is the message
        minimize(refuse, {name: (0.0, 1.0)}, 6, **QUICK, x0=[{name: 2.0}])
    assert repr(name) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("other", [{}, {"x": Float(0, 1)}, {"i": Int(0, 9)}], ids=["alone", "float", "int"])
def test_a_choice_of_many_options_does_not_fill_the_memory(other):
    # A list of the options is 3000 × 3000 numbers, 72 MB, and a score would make several such arrays.
    opt = Optimizer(Space(c=Choice(*range(3000)), **other), seed=0, n_initial=3)
    tracemalloc.start()
    try:
        for k in range(6):
            opt.tell(opt.ask(), math.sin(k))
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_the_last_option_of_many_is_found():
    space = Space(c=Choice(*range(2100)))
    last = space.to_unit({"c": 1234})
    found = best_new_point(
        space.to_unit({"c": 0}), None, (space,), lambda x: np.array_equal(x, last), np.random.default_rng(0)
    )
    assert np.array_equal(found, last)


@pytest.mark.parametrize("floats", [3, 20, 1000])
def test_a_range_of_few_floats_is_reported_where_its_points_are(floats):
    narrow = (1.0, 1.0 + floats * math.ulp(1.0))
    result = minimize(lambda x: (x[0] - 1.0) / math.ulp(1.0) / floats + x[1], [narrow, (0.0, 1.0)], 10, seed=0)
    assert {step.reason for step in audit(result).steps} == {None}
