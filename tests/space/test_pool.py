"""The rows of a library as a space."""

import copy
import pickle

import numpy as np
import pytest

from suffice.space import Pool, SearchSpace, as_space

SOLVENTS = [
    {"solvent": solvent, "ph": ph, "name": f"{solvent} {ph}"}
    for solvent in ("water", "ethanol", "acetone")
    for ph in (5.0, 6.0, 7.5)
]


class Molecule:
    """An object that is equal to itself only."""


class Frame:
    """What a pool uses of a data frame."""

    def __init__(self, **columns):
        self.data = {name: np.array(column) for name, column in columns.items()}

    columns = property(lambda self: list(self.data))

    def to_dict(self, orient):
        raise AssertionError("a million dicts are not needed")

    def __getitem__(self, name):
        class Series:
            to_numpy = staticmethod(lambda: self.data[name])

        return Series


def points_of(pool):
    return [pool.from_unit(x) for x in pool.enumerate()]


def test_a_pool_is_a_space_that_a_study_takes():
    pool = Pool(np.eye(3))
    assert isinstance(pool, SearchSpace)
    assert as_space(pool) is pool


def test_rows_of_an_array_come_back_as_they_were_given():
    rows = np.array([[1, 200, 7], [2, 100, 7], [3, 150, 7]])
    pool = Pool(rows)
    assert [point.tolist() for point in points_of(pool)] == rows.tolist()
    assert points_of(pool)[0].dtype == rows.dtype
    assert [pool.index(row) for row in rows] == [0, 1, 2]
    assert pool.enumerate().tolist() == [[0, 1], [0.5, 0], [1, 0.5]]  # by range; a column without a difference is none


def test_dicts_of_numbers_and_strings_come_back_as_they_were_given():
    pool = Pool(SOLVENTS, features=["solvent", "ph"])
    assert points_of(pool) == SOLVENTS
    assert [coordinate.kind for coordinate in pool.coordinates] == ["choice", "float"]
    assert pool.dim == 4
    assert pool.index(dict(reversed(SOLVENTS[4].items()))) == 4
    assert pool.named
    assert pool.names == ("solvent", "ph", "name")


def test_a_table_of_columns_is_a_list_of_dicts():
    columns = {name: [row[name] for row in SOLVENTS] for name in SOLVENTS[0]}
    for table in (columns, Frame(**columns)):
        pool = Pool(table, features=["ph", "solvent"])
        assert points_of(pool) == SOLVENTS
        assert type(pool[0]["ph"]) is float
        assert [pool.index(row) for row in points_of(pool)] == list(range(9))
    assert Pool(columns, features="ph").dim == 1


def test_a_column_of_names_describes_nothing_and_a_column_that_is_not_used_may_hold_anything():
    named = Pool(SOLVENTS)
    assert [coordinate.name for coordinate in named.coordinates] == ["solvent", "ph"]
    assert points_of(named) == SOLVENTS
    odd = [
        row | {"note": note}
        for row, note in zip(SOLVENTS, [None, "x", [1], 2, float("nan"), {}, (1,), "", 1], strict=True)
    ]
    pool = Pool(odd, features=["solvent", "ph"])
    assert [pool.index(row) for row in odd] == list(range(9))
    assert [pool.index(point) for point in points_of(pool)] == list(range(9))
    gaps = Pool({"x": np.array([1.0, 2.0, 3.0]), "comment": np.array([np.nan, 1.0, np.nan])}, features="x")
    assert [gaps.index(gaps[i]) for i in range(3)] == [0, 1, 2]


def test_rows_that_are_equal_count_once_whatever_describes_them():
    pool = Pool([SOLVENTS[0], SOLVENTS[1], SOLVENTS[0], SOLVENTS[4]], features=["ph", "solvent"])
    assert (len(pool), pool.size) == (4, 3)
    assert [pool.index(i) for i in range(4)] == [0, 1, 0, 3]


def test_any_objects_have_features_beside_them():
    molecules = [Molecule() for _ in range(4)]
    pool = Pool(molecules, features=[[0.0], [1.0], [1.0], [3.0]])
    assert all(a is b for a, b in zip(points_of(pool), molecules, strict=True))
    assert [pool.index(molecule) for molecule in molecules] == [0, 1, 2, 3]
    assert pool.index(2) == 2
    with pytest.raises(ValueError, match="is not a row of the pool"):
        pool.index(Molecule())


def test_objects_that_are_equal_to_a_row_are_that_row():
    pool = Pool([("a", "b"), ("b", "a")], features=[[0.0], [1.0]])
    assert pool.index(("b", "a")) == 1
    pairs = Pool([(1, 2), (2, 1)], features=[[0.0], [1.0]])
    assert (pairs[1], pairs.index((2, 1))) == ((2, 1), 1)
    arrays = Pool([np.zeros((2, 2)), np.ones((2, 2))], features=[[0.0], [1.0]])
    assert arrays.index(np.ones((2, 2))) == 1


def test_rows_with_the_same_features_are_different_rows_at_one_place():
    pool = Pool(list("abcdef"), features=[[1.0, 1.0]] * 5 + [[2.0, 3.0]])
    X = pool.enumerate()
    assert pool.size == 6 == len(np.unique(X, axis=0))
    assert np.ptp(X[:5], axis=0).max() < 1e-11
    assert points_of(pool) == list("abcdef")
    assert [pool.from_unit(pool.to_unit(letter)) for letter in "abcdef"] == list("abcdef")


def test_rows_that_are_equal_count_once():
    rows = np.array([[0.0, 1.0], [2.0, 1.5], [0.0, 1.0], [-0.0, 1.0], [4.0, 1.0]])
    pool = Pool(rows)
    assert (len(pool), pool.size) == (5, 3)
    assert [point.tolist() for point in points_of(pool)] == [[0.0, 1.0], [2.0, 1.5], [4.0, 1.0]]
    assert [pool.index(i) for i in range(5)] == [0, 1, 0, 0, 4]
    for i in range(5):
        assert np.array_equal(pool.from_unit(pool.to_unit(rows[i])), rows[i])
        assert np.array_equal(pool.to_unit(i), pool.to_unit(rows[i]))


def test_a_row_that_came_back_from_a_file_with_a_rounding_error_is_found():
    pool = Pool(np.random.default_rng(0).random((50, 3)) * [1.0, 1e6, 1e-6])
    row = pool[7] * (1 + 1e-13)
    assert pool.index(row) == 7
    with pytest.raises(ValueError, match="is not a row of the pool"):
        pool.index(pool[7] * 1.01)


def test_outliers_leave_the_others_their_room():
    values = np.random.default_rng(1).random(1000)
    values[3] = 1e9
    crowded = Pool(values[:, None]).enumerate()[:, 0]
    assert np.array_equal(np.argsort(crowded), np.argsort(values))
    assert np.quantile(crowded, 0.75) - np.quantile(crowded, 0.25) > 0.4


def test_the_largest_of_floats_have_places():
    X = Pool(np.array([[-1.7e308], [0.0], [1.7e308]])).enumerate()
    assert X[:, 0].tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("points", "features", "message"),
    [
        ([], None, "the pool is empty"),
        (np.zeros((0, 2)), None, "the pool is empty"),
        ("abc", None, "got str"),
        (5, None, "got int"),
        ([1.0, 2.0], None, "features=..."),
        (["CCO", "CCC"], None, "features=..."),
        (np.array([[1.0], [np.nan]]), None, "row 1 of the pool has nan in 'x0'"),
        ([{"a": 1.0}, {"a": float("inf")}], None, "row 1 of the pool has inf in 'a'"),
        ([{"a": 1.0}, {"b": 1.0}], None, "row 1 of the pool has other names than row 0"),
        ([{"a": 1.0}, {"a": float("nan")}], None, "row 1 of the pool has nan in 'a'"),
        ([{"a": "x"}, {"a": None}], None, "row 1 of the pool has None in 'a'"),
        ([{"a": 1}, {"a": "x"}], None, "row 1 of the pool has 'x' in 'a', where others have 1"),
        ([{"a": [1]}, {"a": [2]}], None, r"row 0 of the pool has \[1\] in 'a'"),
        ([{"a": f"molecule {i}"} for i in range(101)], None, "101 different strings"),
        ([{"a": 1.0, "b": i} for i in range(3)], ["a"], "the same features"),
        ([{"a": 1.0}], ["c"], "no column 'c': its columns are a"),
        ([[1.0], [2.0]], ["a"], "rows without names"),
        (["a", "b"], [[1.0]], r"an array \(2, k\), one row for each point: got shape \(1, 1\)"),
        (["a", "b"], [1.0, 2.0], "got shape"),
        (["a", "b"], [["x"], ["y"]], "an array of numbers"),
        (["a", "b"], [[1.0], [np.nan]], "row 1 of the pool has nan in 'f0'"),
        ({"a": [1, 2], "b": [1]}, None, "the same length"),
    ],
)
def test_what_is_no_pool_is_refused_by_row_and_name(points, features, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Pool(points, features)


def test_what_is_no_row_is_refused():
    pool = Pool(SOLVENTS, features=["ph"])
    for point in ({"ph": 5.0}, [5.0], None, 9, -10, True, SOLVENTS[0] | {"ph": "x"}, SOLVENTS[0] | {"solvent": "wine"}):
        with pytest.raises(ValueError, match="is not a row of the pool"):
            pool.to_unit(point)
    with pytest.raises(ValueError, match="must be the coordinates of a row"):
        pool.from_unit(np.array([0.123]))
    with pytest.raises(IndexError, match="rows 0 to 8"):
        pool[9]


def test_the_pool_does_not_change_with_what_it_was_made_of():
    rows, dicts = np.arange(6.0).reshape(3, 2), [{"a": 1.0}, {"a": 2.0}]
    array, table = Pool(rows), Pool(dicts)
    rows[:], dicts[0]["a"] = 0.0, 9.0
    array[0][:] = 9.0
    table[0]["a"] = 9.0
    assert (array[0].tolist(), table[0]) == ([0.0, 1.0], {"a": 1.0})


def test_pools_are_told_apart_by_what_they_hold():
    rows = np.random.default_rng(0).random((20, 2))
    pool = Pool(rows)
    assert pool == Pool(rows.copy()) == pickle.loads(pickle.dumps(pool))
    assert pool != Pool(2 * rows)  # the same places, other points
    assert pool != Pool(rows[::-1])
    assert copy.deepcopy(pool) is pool
    assert hash(pool) == hash(Pool(rows))


def test_a_pickled_pool_of_objects_knows_its_own_objects_and_not_where_those_of_the_original_were():
    pool = Pool([Molecule() for _ in range(5)], features=np.arange(5.0)[:, None])
    assert pool.index(pool[3]) == 3  # now it knows them by their places in memory, where others may be later
    copied = pickle.loads(pickle.dumps(pool))
    assert copied.index(copied[3]) == 3
    with pytest.raises(ValueError, match="is not a row of the pool"):
        copied.index(pool[3])


def test_whole_numbers_that_floats_do_not_tell_apart_are_names_in_a_table_and_refused_in_an_array():
    first = 2**60
    for ids in ([first + i for i in range(3)], np.arange(first, first + 3)):
        pool = Pool({"id": ids, "ph": [5.0, 5.0, 7.0]}, features=["ph"])
        assert pool.size == 3
        assert [pool.index({"id": first + i, "ph": pool[i]["ph"]}) for i in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"whole numbers above 2\*\*53"):
        Pool(np.array([[first], [first + 1]]))


def test_a_gap_in_a_column_that_describes_nothing_does_not_make_other_numbers_in_it_equal():
    pool = Pool([{"ph": 5.0, "price": np.nan}, {"ph": 6.0, "price": 3.0}], features=["ph"])
    assert pool.index({"ph": 5.0, "price": np.nan}) == 0
    assert pool.index({"ph": 6.0 + 1e-10, "price": 3.0}) == 1
    with pytest.raises(ValueError, match="is not a row of the pool"):
        pool.index({"ph": 6.0, "price": 4.0})
