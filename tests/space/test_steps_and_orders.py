"""Numbers in steps, and options in an order."""

import math
import pickle

import numpy as np
import pytest

from suffice.record.encoding import from_spec, to_spec
from suffice.space import Choice, Float, Int, Ordinal, Space


def values(parameter):
    return [parameter.from_unit(row) for row in parameter.members(np.arange(int(parameter.size)))]


def test_steps_are_the_decimals_that_a_user_would_type():
    assert values(Float(0, 1, step=0.05)) == [float(f"{k * 5 / 100:.2f}") for k in range(21)]
    assert values(Float(0.1, 0.5, step=0.1)) == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert values(Float(-1e-3, 1e-3, step=5e-4)) == [-1e-3, -5e-4, 0.0, 5e-4, 1e-3]
    assert values(Int(16, 64, step=16)) == [16, 32, 48, 64]


def test_the_last_step_may_fall_short_of_high_but_not_by_rounding():
    assert values(Float(0, 1, step=0.3)) == [0.0, 0.3, 0.6, 0.9]
    assert values(Int(1, 10, step=4)) == [1, 5, 9]
    assert values(Float(0, 1, step=1 / 3))[-1] == 1.0
    assert values(Float(0, 0.9, step=0.1 + 0.2)) == [0.0, 0.30000000000000004, 0.6000000000000001, 0.9]


@pytest.mark.parametrize("parameter", [Float(0, 1, step=0.05), Int(16, 256, step=16), Ordinal("s", "m", "l")], ids=repr)
def test_levels_are_the_centres_of_equal_cells(parameter):
    m = int(parameter.size)
    assert [parameter.to_unit(v)[0] for v in values(parameter)] == pytest.approx((np.arange(m) + 0.5) / m, abs=1e-15)
    edges = np.arange(1, m) / m
    assert [parameter.from_unit(np.array([u])) for u in edges - 1e-9] == values(parameter)[:-1]
    assert [parameter.from_unit(np.array([u])) for u in edges + 1e-9] == values(parameter)[1:]
    (coordinate,) = Space(x=parameter).coordinates
    assert (coordinate.levels.count, coordinate.smooth, coordinate.stop) == (m, False, 1)
    assert coordinate.ends == pytest.approx((0.5 / m, 1 - 0.5 / m))


def test_a_value_beside_a_step_is_refused_with_the_nearest_and_a_rounding_error_is_none():
    rate, width = Float(0, 1, step=0.05), Int(16, 250, step=16)
    assert rate.as_value(0.15000000000000002) == 0.15
    assert rate.as_value(1 + 1e-12) == 1.0
    assert width.as_value(31.999999999999996) == 32
    with pytest.raises(
        ValueError, match=r"0\.17 is not one of the steps from 0\.0 by 0\.05; the nearest are 0\.15 and 0\.2"
    ):
        rate.to_unit(0.17)
    with pytest.raises(ValueError, match=r"20 is not one of the steps from 16 by 16; the nearest are 16 and 32"):
        width.to_unit(20)
    with pytest.raises(ValueError, match=r"250 is not one of the steps from 16 by 16; the nearest is 240"):
        width.to_unit(250)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Float(1e-3, 1, log=True, step=0.1), "a step cannot be combined with log=True: .*drop one of them"),
        (lambda: Int(1, 9, log=True, step=2), "a step cannot be combined with log=True"),
        (lambda: Float(0, 1, step=0), "step must be > 0: got 0.0"),
        (lambda: Float(0, 1, step=-0.1), "step must be > 0"),
        (lambda: Float(0, 1, step=math.nan), "step must be finite"),
        (lambda: Int(0, 9, step=0), "step must be ≥ 1: got 0"),
        (lambda: Int(0, 9, step=1.5), "step must be a whole number: got 1.5"),
        (lambda: Float(0, 1, step=2), r"step=2.0 is larger than the range .* leaves only 0.0; use a smaller step"),
        (lambda: Int(0, 9, step=16), "step=16 is larger than the range"),
    ],
)
def test_a_step_that_is_none_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_steps_of_a_constant_and_steps_too_fine_to_see_are_no_trouble():
    assert Float(2, 2, step=0.5).constant
    assert Int(2, 2, step=5).constant
    fine = Float(0, 1, step=1e-15)
    assert (fine.smooth, fine.size, fine.levels) == (True, math.inf, None)
    assert fine.from_unit(np.array([0.1234567890123456])) == pytest.approx(0.123456789012345, abs=1e-15)
    wide = Int(-(2**60), 2**60, step=2**20)
    assert wide.as_value(wide.from_unit(np.array([0.3]))) % 2**20 == 0


def test_options_are_told_apart_by_type_and_value_in_an_order_too():
    nan = float("nan")
    mixed = Ordinal(1, True, 1.0, nan, None, "1")
    assert [mixed.as_value(v) for v in (1, True, 1.0, None, "1")] == [1, True, 1.0, None, "1"]
    assert mixed.as_value(float("nan")) is nan
    with pytest.raises(ValueError, match="2 of type int is none of the options"):
        mixed.to_unit(2)
    with pytest.raises(ValueError, match="options must differ: got 'a' more than once"):
        Ordinal("a", "b", "a")
    with pytest.raises(ValueError, match=r"Ordinal needs at least one option: got none; write Ordinal\('a', 'b'\)"):
        Ordinal()
    with pytest.raises(TypeError, match="options must be hashable"):
        Ordinal(["a", "b"])
    assert Ordinal("only").constant
    assert Ordinal(*range(300)).size == 300


@pytest.mark.parametrize("kind", [Choice, Ordinal])
@pytest.mark.parametrize("option", [Space(x=(0.0, 1.0)), Float(0, 1)], ids=repr)
def test_a_space_as_an_option_is_refused_with_the_form_that_depends(kind, option):
    with pytest.raises(TypeError, match=r"a parameter that depends on an option stands beside the choice, with when="):
        kind("a", option)


@pytest.mark.parametrize(
    "space",
    [
        Space(a=Float(0, 1, step=0.05), b=Int(1, 9, step=2), c=Ordinal("s", "m", 3), k=3, name="adam"),
        Space.positional(Float(0, 1), Int(1, 3), Ordinal("a", "b")),
    ],
    ids=["named", "list"],
)
def test_what_is_printed_saved_or_pickled_makes_the_same_space(space):
    assert eval(repr(space)) == from_spec(to_spec(space)) == pickle.loads(pickle.dumps(space)) == space
    assert hash(from_spec(to_spec(space))) == hash(space)


def test_a_file_in_which_parameters_without_names_are_called_otherwise_is_read():
    space = Space.positional((0, 1), (2, 3))
    assert from_spec({**to_spec(space), "names": ["x0", "x1"]}) == space
