"""One parameter at a time: its formula, its ends, its extremes, its refusals."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from suffice.space import Choice, Float, Int

EPS = np.finfo(float).eps
NAN = float("nan")


def value_at(parameter, u):
    return parameter.from_unit(np.array([u]))


def unit_of(parameter, value):
    (u,) = parameter.to_unit(value)
    return u


# The docstrings' formulas, one number at a time.


@pytest.mark.parametrize(("low", "high"), [(-5.0, 10.0), (0.1, 0.3), (1e4, 3e4)])
def test_a_float_is_placed_by_its_share_of_the_range(low, high):
    for share in np.linspace(0.05, 0.95, 10):
        v = float(low + share * (high - low))
        assert unit_of(Float(low, high), v) == pytest.approx(share, abs=1e-14)
        assert unit_of(Float(-high, -low), -v) == pytest.approx(1 - share, abs=1e-14)


@pytest.mark.parametrize(("low", "high"), [(1e-5, 1.0), (3.0, 5.0), (7.0, 7e9)])
def test_a_log_float_is_placed_by_its_share_of_the_logarithms(low, high):
    for v in np.geomspace(low, high, 11).clip(low, high):
        wanted = (math.log(v) - math.log(low)) / (math.log(high) - math.log(low))
        assert unit_of(Float(low, high, log=True), v) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("factor", [1e-200, 0.01, 1.0, 1e6, 1e200])
def test_a_log_float_does_not_depend_on_the_unit_of_measurement(factor):
    here, there = Float(2.0, 300.0, log=True), Float(2.0 * factor, 300.0 * factor, log=True)
    for u in np.linspace(0, 1, 9):
        assert value_at(there, u) == pytest.approx(factor * value_at(here, u), rel=1e-12)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 4), (10, 109)])
def test_an_int_is_the_centre_of_one_of_equal_cells(low, high):
    levels = high - low + 1
    for i in range(low, high + 1):
        edge = (i - low) / levels
        assert unit_of(Int(low, high), i) == pytest.approx(edge + 0.5 / levels, abs=EPS)
        assert value_at(Int(low, high), edge + 1e-9) == i == value_at(Int(low, high), edge + 1 / levels - 1e-9)


@pytest.mark.parametrize(("low", "high"), [(1, 2), (1, 1000), (5, 64)])
def test_a_log_int_is_at_its_logarithm_between_the_outer_edges(low, high):
    parameter = Int(low, high, log=True)
    a, b = math.log(low - 0.5), math.log(high + 0.5)
    for i in range(low, high + 1):
        assert unit_of(parameter, i) == pytest.approx((math.log(i) - a) / (b - a), abs=1e-14)
    for u in np.linspace(0, 1, 1001):
        nearest = round(math.exp(a + u * (b - a)))
        assert value_at(parameter, u) == min(max(nearest, low), high)


def test_a_choice_is_a_one_hot_block():
    parameter = Choice("a", "b", "c")
    assert [parameter.to_unit(option).tolist() for option in "abc"] == np.eye(3).tolist()
    assert parameter.snap(np.array([[0.1, 0.9, 0.8], [0.5, 0.5, 0.2]])).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert parameter.from_unit(np.array([0.1, 0.2, 0.3])) == "c"


@pytest.mark.parametrize("parameter", [Int(-3, 9), Int(1, 40, log=True), Choice(*"abcd")])
def test_the_members_are_the_columns_of_every_value_in_turn(parameter):
    values = parameter.options if isinstance(parameter, Choice) else range(parameter.low, parameter.high + 1)
    members = parameter.members(np.arange(int(parameter.size)))
    assert np.array_equal(members, [parameter.to_unit(value) for value in values])
    assert np.array_equal(parameter.snap(members), members)


def test_columns_and_sizes():
    described = {
        Float(0, 1): (1, math.inf, True),
        Float(1, 1): (0, 1, False),
        Int(0, 9): (1, 10, False),
        Int(4, 4): (0, 1, False),
        Int(1, 2**40): (1, 2**40, False),
        Int(0, 2**40): (1, math.inf, True),
        Int(1, 2**41, log=True): (1, 2**41, False),  # 1 and 2 are far apart
        Int(2**60, 2**62, log=True): (1, math.inf, True),
        Choice("a", "b"): (2, 2, False),
        Choice("a"): (0, 1, False),
    }
    for parameter, (width, size, smooth) in described.items():
        assert (parameter.width, parameter.size, parameter.smooth) == (width, size, smooth)
        assert parameter.constant == (width == 0)


# Extremes.

EXTREME_FLOATS = [
    Float(0.0, 1e-15),
    Float(1.0, 1.0 + 1e-15),
    Float(-1.0 - 1e-15, -1.0),
    Float(1e12, 1e12 + 1e-3),
    Float(-1e12, 1e12),
    Float(-1e308, 1e308),
    Float(-1.7976931348623157e308, 1.7976931348623157e308),
    Float(0.0, 5e-324),
    Float(1.0, 1.0 + 1e-15, log=True),
    Float(1e12, math.nextafter(1e12, math.inf), log=True),
    Float(1e12, 1e12 + 1, log=True),
    Float(1e-308, 1e308, log=True),
    Float(5e-324, 1.7976931348623157e308, log=True),
]


@pytest.mark.parametrize("parameter", EXTREME_FLOATS, ids=repr)
def test_bounds_1e_15_wide_and_bounds_of_1e308_stay_inside_and_reach_both_ends(parameter):
    values = [value_at(parameter, u) for u in np.concatenate([np.linspace(0, 1, 101), [1e-300, 1 - EPS / 2]])]
    assert all(type(v) is float and parameter.low <= v <= parameter.high for v in values)
    assert value_at(parameter, 0.0) == parameter.low
    assert value_at(parameter, 1.0) == parameter.high
    assert (unit_of(parameter, parameter.low), unit_of(parameter, parameter.high)) == (0.0, 1.0)
    # Values are float64: the columns of a value are known up to one spacing of the values around it.
    for v in values:
        u, below, above = (unit_of(parameter, w) for w in (v, *neighbours(parameter, v)))
        assert abs(unit_of(parameter, value_at(parameter, u)) - u) <= above - below + 1e-12


def neighbours(parameter, v):
    below, above = math.nextafter(v, -math.inf), math.nextafter(v, math.inf)
    return max(below, parameter.low), min(above, parameter.high)


def test_the_middle_of_a_range_wider_than_float64_is_its_middle():
    assert value_at(Float(-1e308, 1e308), 0.5) == 0.0
    assert value_at(Float(-1e308, 1e308), 0.75) == pytest.approx(5e307)
    assert unit_of(Float(-1e308, 1e308), 5e307) == pytest.approx(0.75)


@pytest.mark.parametrize(
    "parameter",
    [
        Int(2**60 - 5, 2**60 + 5),
        Int(-(2**60) - 5, -(2**60) + 5),
        Int(10**400, 10**400 + 6),
        Int(2**60, 2**60 + 10, log=True),
        Int(10**299, 10**299 + 10, log=True),
    ],
    ids=["2**60", "-2**60", "10**400", "log 2**60", "log 10**299"],
)
def test_integers_to_2_to_the_60_and_beyond_lie_on_an_exact_lattice(parameter):
    for i in range(parameter.low, parameter.high + 1):
        u = parameter.to_unit(i)
        assert parameter.from_unit(u) == i
        assert np.array_equal(parameter.snap(u[None])[0], u)
        # This narrow, a logarithmic scale is a linear one.
        assert u[0] == pytest.approx((i - parameter.low + 0.5) / parameter.count, abs=1e-14)


@pytest.mark.parametrize(
    ("low", "high"),
    [(-(2**60), 2**60), (2**60, 2**61), (0, 2**40), (-(10**400), 10**401)],
    ids=["2**60", "2**61", "2**40", "10**401"],
)
def test_a_smooth_range_of_integers_is_cut_by_exact_arithmetic(low, high):
    parameter = Int(low, high)
    for u in [*np.random.default_rng(0).random(200).tolist(), 0.0, 0.5, 1e-300, 1 - EPS / 2]:
        exact = low + math.floor(Fraction(u) * (high - low + 1))
        assert value_at(parameter, u) == exact
        assert type(value_at(parameter, u)) is int
        assert unit_of(parameter, exact) == pytest.approx(u, abs=2**-40)
    assert (value_at(parameter, 0.0), value_at(parameter, 1.0)) == (low, high)


@pytest.mark.parametrize("high", [2**41, 2**60, 10**300], ids=["2**41", "2**60", "10**300"])
def test_a_huge_logarithmic_range_of_integers_stays_inside_and_reaches_both_ends(high):
    parameter = Int(1, high, log=True)
    values = [value_at(parameter, u) for u in np.linspace(0, 1, 1001)]
    assert all(type(i) is int and 1 <= i <= high for i in values)
    assert values == sorted(values)
    assert (values[0], values[-1]) == (1, high)
    for i in values:
        assert value_at(parameter, unit_of(parameter, i)) == pytest.approx(i, rel=1e-12)


@pytest.mark.parametrize("high", [2**41, 2**60, 10**300], ids=["2**41", "2**60", "10**300"])
def test_a_huge_logarithmic_range_is_a_lattice_where_its_cells_are_wide(high):
    parameter = Int(1, high, log=True)
    assert not parameter.smooth  # 1, 2 and 3 are far apart
    for i in [*range(1, 100), 2**30, 2**40 - 1, 2**40]:
        assert parameter.from_unit(parameter.to_unit(i)) == i
    U = np.random.default_rng(2).random((1000, 1))
    snapped = parameter.snap(U)
    assert np.array_equal(parameter.snap(snapped), snapped)
    assert [parameter.from_unit(u) for u in snapped] == [parameter.from_unit(u) for u in U]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (187432449649331577, 197238631027176867),
        (13887471101456292573, 17722692340719989265),
        (58308480638990230795, 100746466364886114642),
        (445981552097019343, 564620532207920012),
    ],
)
def test_rounding_just_below_the_upper_end_does_not_leave_the_bounds(low, high):
    # The number of integers is rounded up in float64, so that the last cell alone would be too far.
    assert value_at(Int(low, high, log=True), 1 - EPS / 2) <= high


@pytest.mark.parametrize(
    "parameter",
    [Float(-1e308, 1e308), Float(1e-308, 1e308, log=True), Int(-4, 4), Int(0, 2**60), Int(1, 10**300, log=True)],
    ids=["float", "log float", "int", "smooth int", "log int"],
)
def test_columns_far_outside_the_cube_are_brought_to_the_ends(parameter):
    far, ends = np.array([[-1e300], [-1.0], [2.0], [1e300]]), np.array([[0.0], [0.0], [1.0], [1.0]])
    assert np.array_equal(parameter.snap(far), parameter.snap(ends))
    assert [parameter.from_unit(u) for u in far] == [parameter.low] * 2 + [parameter.high] * 2


@pytest.mark.parametrize("log", [False, True])
def test_the_finest_lattice_is_still_exact(log):
    parameter = Int(1, 2**40, log=log)
    drawn = np.random.default_rng(1).integers(1, 2**40, 500, endpoint=True).tolist()
    for i in [1, 2, 3, 2**40 - 2, 2**40 - 1, 2**40, *drawn]:
        u = parameter.to_unit(i)
        assert parameter.from_unit(u) == i
        assert np.array_equal(parameter.snap(u[None])[0], u)


# Choices of every kind.


def test_nan_equals_nan_among_the_options():
    parameter = Choice(NAN, 1.0)
    assert parameter.to_unit(float("nan")).tolist() == [1, 0]
    assert parameter.to_unit(np.float32("nan")).tolist() == [1, 0]
    assert parameter == Choice(float("-nan"), 1.0)
    assert hash(parameter) == hash(Choice(float("-nan"), 1.0))
    with pytest.raises(ValueError, match=r"more than once"):
        Choice(NAN, np.float64("nan"))


def test_bool_and_int_and_none_are_different_options():
    parameter = Choice(True, 1, 1.0, None, 0, False, "")
    for j, option in enumerate(parameter.options):
        assert parameter.to_unit(option).tolist() == np.eye(7)[j].tolist()
        assert parameter.from_unit(np.eye(7)[j]) is option
    assert Choice(True, False) != Choice(1, 0)


def test_a_value_of_another_type_finds_the_only_option_that_equals_it():
    assert Choice("a", "b").to_unit(np.str_("b")).tolist() == [0, 1]
    assert Choice(1, 2).to_unit(2.0).tolist() == [0, 1]
    assert Choice(1, 2).to_unit(np.int64(2)).tolist() == [0, 1]
    assert Choice(True, False).to_unit(np.bool_(False)).tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"equals several of the options True, 1"):
        Choice(True, 1).to_unit(1.0)


def test_300_choices_work_and_a_wrong_one_is_refused_in_short():
    parameter = Choice(*(f"option {j}" for j in range(300)))
    for j in range(300):
        assert parameter.from_unit(parameter.to_unit(f"option {j}")) == f"option {j}"
    with pytest.raises(
        ValueError, match=r"'option 300' of type str is none of .*'option 7', … \(300 options\)"
    ) as caught:
        parameter.to_unit("option 300")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [["a"], ("a", ["b"]), np.array(["a", "b"]), {"a": 1}])
def test_an_unhashable_value_is_none_of_the_options(value):
    with pytest.raises(ValueError, match=r"is none of the options 'a', 'b'"):
        Choice("a", "b").to_unit(value)


@pytest.mark.parametrize("options", [(["a", "b"],), ("a", {"b"}), (("a", []),)])
def test_unhashable_choices_are_refused(options):
    with pytest.raises(TypeError, match=r"options must be hashable: got .* write Choice\('a', 'b'\)"):
        Choice(*options)


def test_an_empty_choice_is_refused():
    with pytest.raises(ValueError, match=r"at least one option"):
        Choice()


@pytest.mark.parametrize("options", [("a", "b", "a"), (None, None), (0.0, -0.0)])
def test_duplicate_choices_are_refused(options):
    with pytest.raises(ValueError, match=r"options must differ: got .* more than once"):
        Choice(*options)


# Refusals.


@pytest.mark.parametrize("kind", [Float, Int])
@pytest.mark.parametrize("bound", [True, np.bool_(True), "1", b"1", None, 1j, np.complex128(1), Decimal(1), [1]])
def test_bounds_that_are_no_numbers_are_refused(kind, bound):
    with pytest.raises(TypeError, match=r"low must be a number: got"):
        kind(bound, 2)
    with pytest.raises(TypeError, match=r"high must be a number: got"):
        kind(0, bound)


@pytest.mark.parametrize("kind", [Float, Int])
@pytest.mark.parametrize("bound", [NAN, math.inf, -math.inf, np.float32("inf")])
def test_nan_and_infinite_bounds_are_refused(kind, bound):
    with pytest.raises(ValueError, match=r"low must be finite"):
        kind(bound, 2)
    with pytest.raises(ValueError, match=r"high must be finite"):
        kind(0, bound)


def test_a_float_bound_beyond_float64_is_refused():
    with pytest.raises(ValueError, match=r"high must be finite in float64"):
        Float(0, 10**400)


@pytest.mark.parametrize("kind", [Float, Int])
def test_reversed_bounds_are_refused(kind):
    with pytest.raises(ValueError, match=r"low must not exceed high: got low=2\S*, high=1"):
        kind(2, 1)


@pytest.mark.parametrize("kind", [Float, Int])
@pytest.mark.parametrize("low", [0, -1])
def test_log_of_a_non_positive_bound_is_refused(kind, low):
    with pytest.raises(ValueError, match=rf"log=True needs .* got low={low}"):
        kind(low, 5, log=True)


def test_a_log_int_beyond_float64_is_refused():
    with pytest.raises(ValueError, match=r"log=True needs bounds between 1 and 1e300"):
        Int(1, 10**301, log=True)


@pytest.mark.parametrize("log", [1, "yes", None])
def test_log_is_true_or_false(log):
    with pytest.raises(TypeError, match=r"log must be True or False"):
        Float(1, 2, log=log)


def test_a_fractional_bound_of_an_int_is_refused():
    with pytest.raises(ValueError, match=r"low must be a whole number: got 0\.5"):
        Int(0.5, 2)


@pytest.mark.parametrize("value", [True, "1", None, 1j])
@pytest.mark.parametrize("parameter", [Float(0, 2), Int(0, 2), Float(1, 1), Int(1, 1)])
def test_values_that_are_no_numbers_are_refused(parameter, value):
    with pytest.raises(TypeError, match=r"the value must be a number"):
        parameter.to_unit(value)


@pytest.mark.parametrize("value", [-1, 3, 2.0000001, 10**400, NAN, math.inf])
@pytest.mark.parametrize("parameter", [Float(0, 2), Int(0, 2), Float(1, 1), Int(1, 1), Float(1, 2, log=True)])
def test_values_that_are_not_inside_the_bounds_are_refused(parameter, value):
    with pytest.raises(ValueError, match=r"outside the bounds|must be finite|must be a whole number"):
        parameter.to_unit(value)


@pytest.mark.parametrize(
    "parameter", [Float(0, 2), Float(-7, 1e9), Float(1e-5, 1, log=True), Float(1 / 3, 1 / 3), Float(-1e308, 1e308)]
)
def test_a_rounding_error_outside_the_bounds_is_the_bound(parameter):
    low, high = parameter.low, parameter.high
    scale = abs(low) if parameter.log or parameter.constant else high / 2 - low / 2
    for bound, outwards in ((low, -1), (high, 1)):
        beside = bound + outwards * 4e-9 * (abs(bound) if parameter.log else scale)
        assert parameter.as_value(beside) == bound
        assert np.array_equal(parameter.to_unit(beside), parameter.to_unit(bound))
        with pytest.raises(ValueError, match="outside the bounds"):
            parameter.as_value(bound + outwards * 2e-8 * (abs(bound) if parameter.log else scale))


# Plain values.


def test_numpy_bounds_become_plain_python_numbers():
    from_numpy = Float(np.float32(0.5), np.int8(3), log=np.bool_(True))
    assert [type(v) for v in (from_numpy.low, from_numpy.high, from_numpy.log)] == [float, float, bool]
    assert from_numpy == Float(0.5, 3.0, log=True)
    assert [type(v) for v in (Int(np.int64(1), np.float64(5)).low, Int(1, 5.0).high)] == [int, int]
    assert Int(np.int64(1), 5.0) == Int(1, 5)


@pytest.mark.parametrize(
    "parameter", [Float(1e-5, 1, log=True), Int(-3, 2**60), Choice("a", None, NAN, True, 1, (2, "b"))], ids=repr
)
def test_parameters_are_frozen_and_survive_pickling(parameter):
    again = pickle.loads(pickle.dumps(parameter))
    assert again == parameter
    assert hash(again) == hash(parameter)
    assert repr(again) == repr(parameter)
    with pytest.raises(AttributeError):
        parameter.low = 0.5
