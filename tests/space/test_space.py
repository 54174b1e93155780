"""The whole space: how it is made, what crosses its border, what it refuses by name."""

import itertools
import math
import pickle
import re

import numpy as np
import pytest
from scipy.optimize import Bounds

from suffice.space import Choice, Float, Int, Ordinal, Pool, Space, as_space, row_keys, sliced
from suffice.types import Coordinate, smooth_columns

NAN = float("nan")
MIXED = Space(
    lr=Float(1e-5, 1.0, log=True),
    depth=Int(1, 10),
    loss=Choice("log_loss", "exponential"),
    version=Choice("one"),
    huge=Int(-(2**60), 2**60),
)
POINT = {"lr": 0.01, "depth": 3, "loss": "exponential", "version": "one", "huge": 0}


# How it is made.


def test_the_coordinates_cover_the_columns_and_leave_constants_out():
    assert MIXED.dim == 5
    assert MIXED.coordinates == (
        Coordinate("lr", "float", 0, 1, True),
        Coordinate("depth", "int", 1, 2, False, MIXED.params["depth"].cells),
        Coordinate("loss", "choice", 2, 4, False),
        Coordinate("huge", "int", 4, 5, True),
    )
    assert smooth_columns(MIXED).tolist() == [True, False, False, False, True]


def test_a_point_has_one_place_to_the_last_bit():
    space = Space(x=(0.0, 1.0), y=(0.0, 1.0))
    plus, minus = space.to_unit({"x": 0.0, "y": 0.5}), space.to_unit({"x": -0.0, "y": 0.5})
    assert plus.tobytes() == minus.tobytes()
    first, second, third = row_keys(np.array([[0.0, 0.5], [-0.0, 0.5], [0.5, 0.5]]))
    assert first == second != third


def test_a_pair_is_a_float_and_of_two_whole_numbers_an_int():
    assert Space(x=(0.0, 1), y=[2, 3.5], z=np.array([4.0, 5.0])) == Space(x=Float(0, 1), y=Float(2, 3.5), z=Float(4, 5))
    assert Space(x=(0, 1), y=[2, 3], z=np.array([4, 5])) == Space(x=Int(0, 1), y=Int(2, 3), z=Int(4, 5))
    assert as_space([(0, 1), (2, 3)]) == as_space([Float(0, 1), (2, 3)]) == as_space([(0.0, 1.0), (2.0, 3.0)])
    assert as_space([(0, 1), (2, 3.0), Int(4, 5)]).parameters == (Int(0, 1), Float(2, 3), Int(4, 5))


@pytest.mark.parametrize(
    ("given", "remark"),
    [
        ({"x": (0, 1)}, "'x': a pair of whole numbers is an integer range; write sf.Int(0, 1) if that is intended, or"),
        (
            {"n": [16, 32], "lr": (0.0, 1.0)},
            "'n': a list of two numbers is a range here: [16, 32] means all whole numbers",
        ),
        ({"n": (1, 9), "lr": (0.0, 1.0)}, None),  # who wrote this knows both
        ({"n": Int(0, 1)}, None),
        ({"x": [0.0, 1.0]}, None),
        ([(0, 1)], None),
    ],
)
def test_what_may_be_meant_otherwise_is_said_once(given, remark, caplog):
    space = as_space(given)
    as_space(space).with_where(None)
    assert [record.message.startswith(remark) for record in caplog.records] == [True] * (remark is not None)


def test_a_single_value_is_a_constant_of_every_point():
    space = Space(x=(0.0, 1.0), k=3, name="adam", none=None, flag=True)
    assert [c.name for c in space.coordinates] == ["x"]
    assert space.from_unit(np.array([0.5])) == {"x": 0.5, "k": 3, "name": "adam", "none": None, "flag": True}
    with pytest.raises(ValueError, match="parameter 'k': 4 of type int is none of the options 3"):
        space.to_unit({"x": 0.5, "k": 4, "name": "adam", "none": None, "flag": True})


class Distribution:
    """A range as another library has it."""

    low, high = 0.0, 1.0


@pytest.mark.parametrize(
    "given", [["a", "b"], ("a", "b"), (1e-5, 1.0, "log-uniform"), {"a"}, range(3), Float, Distribution(), {}]
)
def test_what_was_hardly_meant_as_a_constant_is_refused_with_what_to_write(given):
    with pytest.raises(
        TypeError, match=r"parameter 'k': wanted .* a pair \(low, high\) or a constant: .*Choice\('a', 'b'\)"
    ):
        Space(k=given)


def test_a_constraint_inside_of_the_dict_is_not_taken_for_a_constant():
    with pytest.raises(
        TypeError, match=r"parameter 'where': a function is not a constant: .*Space\(parameters, where="
    ):
        Space({"x": (0.0, 1.0), "where": lambda p: p["x"] < 0.5})


def test_a_dict_and_keywords_make_the_same_space():
    assert Space({"x": (0, 1)}, y=Int(0, 3)) == Space(x=(0, 1), y=Int(0, 3))
    assert Space(self=(0, 1), mapping=(0, 1)).names == ("self", "mapping")


def test_the_order_of_the_parameters_is_part_of_the_space():
    assert Space(x=(0, 1), y=(0, 2)) != Space(y=(0, 2), x=(0, 1))


@pytest.mark.parametrize(
    "bounds",
    [
        [(-5, 10), (0, 15)],
        ((-5, 10), (0, 15)),
        [[-5, 10], Float(0, 15)],
        np.array([[-5, 10], [0, 15]]),
        np.array([[-5, 10], [0, 15]], dtype=np.float32),
        Bounds([-5, 0], [10, 15]),
    ],
    ids=["list", "tuple", "list with Float", "integer array", "float32 array", "scipy Bounds"],
)
def test_every_way_to_write_bounds_by_position_makes_the_same_space(bounds):
    space = as_space(bounds)
    assert space == Space.positional((-5, 10), (0, 15))
    assert not space.named
    point = space.from_unit(np.array([0.2, 1.0]))
    assert point.dtype == np.float64
    assert point.tolist() == [-2.0, 15.0]
    for told in (point, point.tolist(), tuple(point), [-2, np.int64(15)], point.astype(np.float32)):
        assert space.to_unit(told).tolist() == [0.2, 1.0]


def test_scalar_scipy_bounds_are_one_parameter():
    assert as_space(Bounds(0, 1)) == as_space([(0, 1)])


def test_a_dict_makes_a_named_space_and_a_space_is_itself():
    assert as_space({"x": (0, 1)}) == Space(x=(0, 1))
    assert as_space(MIXED) is MIXED
    assert as_space([(0, 1)]) != Space({"x[0]": (0.0, 1.0)})  # the same parameters, but points of another type


@pytest.mark.parametrize(("parameter", "value"), [(Int(0, 3), 0), (Choice("a", "b"), "a"), (Ordinal("a", "b"), "a")])
def test_the_points_of_a_list_of_unlike_parameters_are_lists_of_plain_values(parameter, value):
    space = as_space([(0.0, 1.0), parameter])
    point = space.from_unit(np.zeros(space.dim))
    assert point == [0.0, value]
    assert [type(v) for v in point] == [float, type(value)]
    assert space.to_unit(point).tolist() == space.to_unit(tuple(point)).tolist()


def test_an_iterator_of_pairs_is_a_list_of_them():
    assert as_space(zip([0, 1], [1, 2], strict=True)) == as_space([(0, 1), (1, 2)])
    assert as_space(pair for pair in [(0, 1)]) == as_space([(0, 1)])


@pytest.mark.parametrize("bounds", [3, "ab", None, {1, 2}, range(2), np.array(1.0)])
def test_what_is_no_bounds_is_refused(bounds):
    with pytest.raises(TypeError, match=r"space must be a Space, a dict, a list of pairs"):
        as_space(bounds)


@pytest.mark.parametrize("bounds", [(0, 1), np.array([0.0, 1.0]), [(0, 1, 2)], np.zeros((2, 3)), ["ab"]])
def test_bounds_that_are_no_pairs_are_refused_by_name(bounds):
    with pytest.raises(TypeError, match=r"parameter 'x\[0\]': a list has a parameter or a pair \(low, high\)"):
        as_space(bounds)


# Refused by name, before any evaluation.


@pytest.mark.parametrize(
    ("pair", "error", "words"),
    [
        ((2, 1), ValueError, "low must not exceed high"),
        ((NAN, 1), ValueError, "low must be finite"),
        ((0, math.inf), ValueError, "high must be finite"),
        ((-math.inf, 0), ValueError, "low must be finite"),
        ((None, 1), TypeError, "low must be a number: got None"),
        ((0, True), TypeError, "high must be a number: got True of type bool"),
        ((0, 1j), TypeError, "high must be a number: got 1j"),
        (("a", "b"), TypeError, r"options are written Choice\('a', 'b'\)"),
        ((0, 1, 2), TypeError, "a pair"),
        (Float, TypeError, "a pair"),
    ],
    ids=str,
)
def test_low_above_high_and_nan_and_infinite_bounds_are_refused_by_name(pair, error, words):
    with pytest.raises(error, match=rf"parameter 'learning rate': .*{words}"):
        Space({"fine": (0, 1), "learning rate": pair})
    with pytest.raises(error, match=rf"parameter 'x\[1\]': .*{words}"):
        as_space([(0, 1), pair])


@pytest.mark.parametrize("empty", [{}, [], (), np.zeros((0, 2))], ids=repr)
def test_an_empty_space_is_refused(empty):
    with pytest.raises(ValueError, match="the space is empty"):
        as_space(empty)
    with pytest.raises(ValueError, match="the space is empty"):
        Space()


def test_duplicate_names_are_refused():
    with pytest.raises(ValueError, match="duplicate names: 'x' came both"):
        Space({"x": (0, 1), "y": (0, 1)}, x=(0, 1))


def test_names_are_strings_and_not_empty():
    with pytest.raises(TypeError, match="names must be strings: got 3 of type int"):
        Space({3: (0, 1)})
    with pytest.raises(ValueError, match="names must not be empty"):
        Space({"": (0, 1)})
    with pytest.raises(TypeError, match="made of a dict"):
        Space([("x", (0, 1))])


# What crosses the border.


def test_plain_python_values_come_out():
    point = MIXED.from_unit(MIXED.to_unit(POINT))
    assert {name: type(value) for name, value in point.items()} == {
        "lr": float,
        "depth": int,
        "loss": str,
        "version": str,
        "huge": int,
    }
    assert point == pytest.approx(POINT, abs=2**21)  # `huge` is known to 2**61 of float64's 2**53 steps


def test_numpy_scalars_and_integral_floats_go_in():
    told = {"lr": np.float32(0.5), "depth": 3.0, "loss": np.str_("exponential"), "version": "one", "huge": np.int64(0)}
    assert np.array_equal(MIXED.to_unit(told), MIXED.to_unit({**POINT, "lr": 0.5}))
    assert Space(x=(0.0, 2.0)).to_unit({"x": 1}).tolist() == [0.5]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"lr": 2.0}, ValueError, r"'lr': 2\.0 is outside the bounds \[1e-05, 1\.0\]"),
        ({"lr": NAN}, ValueError, r"'lr': the value must be finite"),
        ({"lr": "0.1"}, TypeError, r"'lr': the value must be a number: got '0\.1' of type str"),
        ({"lr": True}, TypeError, r"'lr': the value must be a number"),
        ({"depth": 2.5}, ValueError, r"'depth': the value must be a whole number: got 2\.5"),
        ({"depth": 11}, ValueError, r"'depth': 11 is outside the bounds \[1, 10\]"),
        (
            {"loss": "hinge"},
            ValueError,
            r"'loss': 'hinge' of type str is none of the options 'log_loss', 'exponential'",
        ),
        ({"version": "two"}, ValueError, r"'version': 'two' of type str is none of"),
        ({"huge": 2**60 + 1}, ValueError, r"'huge': 1152921504606846977 is outside"),
        ({"width": 3}, ValueError, r"has unknown 'width': .*the names are 'lr', 'depth'"),
        ({"Loss": "a"}, ValueError, r"has unknown 'Loss': did you mean 'loss'\? the names are 'lr'"),
    ],
    ids=str,
)
def test_a_wrong_value_of_a_named_point_is_refused_by_name(change, error, words):
    with pytest.raises(error, match=words):
        MIXED.to_unit({**POINT, **change})


def test_a_missing_name_is_refused_by_name():
    with pytest.raises(ValueError, match="is missing 'lr', 'loss'"):
        MIXED.to_unit({name: POINT[name] for name in ("depth", "version", "huge")})


@pytest.mark.parametrize("point", [[0.01, 3], np.zeros(5), "lr", None, 3])
def test_a_point_of_a_named_space_is_a_dict(point):
    with pytest.raises(TypeError, match="is a dict of 'lr', 'depth'"):
        MIXED.to_unit(point)


@pytest.mark.parametrize("point", [{"x0": 0.5, "x1": 0.5}, "ab", b"ab", 0.5, None, {0.1, 0.2}])
def test_a_point_of_a_positional_space_is_an_array(point):
    with pytest.raises(TypeError, match=r"a list or 1-D array of length 2: got"):
        as_space([(0, 1), (0, 1)]).to_unit(point)


@pytest.mark.parametrize("point", [[0.5], [0.5] * 3, np.zeros(3), np.zeros((1, 2)), np.zeros((2, 1)), np.float64(0.5)])
def test_a_positional_point_of_the_wrong_shape_is_refused(point):
    with pytest.raises(ValueError, match=r"of length 2: got (length|shape)"):
        as_space([(0, 1), (0, 1)]).to_unit(point)


@pytest.mark.parametrize(
    ("value", "error"),
    [(1.5, ValueError), (NAN, ValueError), ("0.5", TypeError), ([0.5], TypeError), (True, TypeError)],
)
def test_a_wrong_value_of_a_positional_point_is_refused_by_name(value, error):
    with pytest.raises(error, match=r"parameter 'x\[1\]': "):
        as_space([(0, 1), (0, 1)]).to_unit([0.5, value])


@pytest.mark.parametrize("x", [np.zeros(4), np.zeros((1, 5)), np.full(5, NAN), np.full(5, np.inf)])
def test_a_row_that_is_no_row_of_the_cube_is_refused(x):
    with pytest.raises(ValueError, match="x must be 5 finite numbers"):
        MIXED.from_unit(x)


# Names.

HOSTILE_NAMES = [
    "n" * 1000,
    "😀🔥",
    "<img onerror=alert(1)>",
    "../../etc/passwd",
    "a\nb",
    " ",
    "class",
    "\x00",
    "'; --",
]


def test_names_with_1000_characters_emoji_html_and_paths_work():
    space = Space(dict.fromkeys(HOSTILE_NAMES, (0.0, 1.0)))
    point = space.from_unit(np.full(len(HOSTILE_NAMES), 0.25))
    assert point == dict.fromkeys(HOSTILE_NAMES, 0.25)
    assert space.to_unit(point).tolist() == [0.25] * len(HOSTILE_NAMES)
    assert [coordinate.name for coordinate in space.coordinates] == HOSTILE_NAMES
    assert pickle.loads(pickle.dumps(space)) == space
    assert eval(repr(space)) == space
    for name in HOSTILE_NAMES:
        with pytest.raises(ValueError, match=re.escape(f"parameter {name!r}: 2.0 is outside")):
            space.to_unit({**point, name: 2.0})


def test_numpy_strings_as_names_become_plain_strings():
    assert [type(name) for name in Space({np.str_("x"): (0, 1)}).names] == [str]


# Finite spaces.


def test_enumerating_lists_the_product_of_all_values():
    space = Space(a=Int(-1, 1), b=Choice("x"), c=Choice(None, True, 1), d=Int(1, 9, log=True))
    product = itertools.product([-1, 0, 1], ["x"], [None, True, 1], range(1, 10))
    assert space.size == 81
    listed = [tuple(space.from_unit(x).values()) for x in space.enumerate()]
    assert [tuple(map(repr, values)) for values in listed] == [tuple(map(repr, values)) for values in product]
    assert np.array_equal(space.snap(space.enumerate()), space.enumerate())


def test_a_million_points_are_enumerated_and_more_are_refused_with_their_number():
    assert Space(a=Int(1, 1000), b=Int(1, 1000)).enumerate().shape == (1_000_000, 2)
    with pytest.raises(ValueError, match=r"has 1001000 points, enumerate\(\) lists up to 1000000"):
        Space(a=Int(1, 1000), b=Int(1, 1001)).enumerate()
    with pytest.raises(ValueError, match="has infinitely many points"):
        MIXED.enumerate()


def test_a_lattice_too_large_to_count_has_a_size():
    assert Space({f"x{j}": Int(1, 2**40) for j in range(2)}).size == 2.0**80
    assert Space({f"x{j}": Int(1, 2**40) for j in range(50)}).size == math.inf  # beyond float64


def test_zero_width_and_single_choice_parameters_are_carried_as_constants():
    space = Space(x=Float(2.5, 2.5), y=Int(7, 7), z=Choice(NAN), free=Float(0, 1), w=Float(3, 3, log=True))
    assert (space.dim, len(space.coordinates)) == (1, 1)
    point = space.from_unit(np.array([0.5]))
    assert repr(point) == repr({"x": 2.5, "y": 7, "z": NAN, "free": 0.5, "w": 3.0})
    assert space.to_unit(point).tolist() == [0.5]
    with pytest.raises(ValueError, match=r"'y': 8 is outside the bounds \[7, 7\]"):
        space.to_unit({**point, "y": 8})


@pytest.mark.parametrize("space", [Space(x=(2, 2), y=Choice("a")), as_space([(1, 1), (3, 3)])], ids=repr)
def test_a_space_of_constants_only_has_one_point_and_no_columns(space):
    assert (space.dim, space.size, space.coordinates) == (0, 1, ())
    assert space.sample(4, np.random.default_rng(0)).shape == (4, 0)
    assert space.snap(np.zeros((3, 0))).shape == (3, 0)
    assert space.enumerate().shape == (1, 0)
    assert space.to_unit(space.from_unit(np.zeros(0))).shape == (0,)


# A value among values.


@pytest.mark.parametrize("space", [MIXED, as_space([(0, 1), (-1e308, 1e308)]), Space({"a b": Choice(True, 1, None)})])
def test_a_space_is_a_value(space):
    space.coordinates  # noqa: B018  what was computed on the way must not get in the way of pickling
    space.sample(2, np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(space))
    assert again == space
    assert hash(again) == hash(space)
    assert eval(repr(space)) == space
    assert dict(again.params) == dict(zip(space.names, space.parameters, strict=True))


def test_a_space_cannot_be_changed():
    with pytest.raises(AttributeError):
        MIXED.named = False
    with pytest.raises(TypeError):
        MIXED.params["lr"] = Float(0, 1)


def test_snapping_leaves_its_argument_alone():
    X = np.random.default_rng(0).uniform(-1, 2, (5, MIXED.dim))
    before = X.copy()
    MIXED.snap(X)
    assert np.array_equal(X, before)


# One way from a row to its point and back.


@pytest.mark.parametrize(
    "space",
    [
        MIXED,
        as_space([(0.0, 1e-320)]),  # a range of few floats moves the row
        Space(x=(0.0, 1.0), y=(0.0, 1.0), where=lambda p: p["x"] + p["y"] <= 1.0),
        sliced(MIXED, {"depth": 3}),
        Pool([{"salt": "KCl", "ph": 7.0}, {"salt": "NaCl", "ph": 6.5}]),
    ],
    ids=["mixed", "few floats", "constrained", "slice", "pool"],
)
def test_canonical_is_the_point_of_a_row_and_the_row_of_that_point(space):
    for x in space.sample(20, np.random.default_rng(0)):
        point, row = space.canonical(x)
        np.testing.assert_equal(point, space.from_unit(x))
        assert row.tobytes() == space.to_unit(point).tobytes()


def test_canonical_asks_a_constraint_once():
    asked = []
    space = Space(x=(0.0, 1.0), where=lambda p: asked.append(p) is None)
    space.canonical(np.array([0.3]))
    assert asked == [{"x": 0.3}]


def test_canonical_refuses_a_row_whose_point_breaks_a_constraint():
    with pytest.raises(ValueError, match="does not satisfy the constraint"):
        Space(x=(0.0, 1.0), where=lambda p: p["x"] < 0.5).canonical(np.array([0.9]))
