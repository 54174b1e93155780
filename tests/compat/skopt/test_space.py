"""Real, Integer, Categorical and the space that they span, by scikit-optimize's rules."""

import pickle

import numpy as np
import pytest

from suffice.compat.skopt.space import Categorical, Dimension, Integer, Real, Space, check_dimension


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((1, 9), Integer(1, 9)),
        ([1, 9], Integer(1, 9)),
        ((np.int32(1), 9), Integer(1, 9)),
        ((0.0, 1.0), Real(0.0, 1.0)),
        ((0, 1.0), Real(0.0, 1.0)),
        (np.array([0.5, 2.0]), Real(0.5, 2.0)),
        ((1e-5, 1.0, "log-uniform"), Real(1e-5, 1.0, "log-uniform")),
        ((1, 100, "log-uniform"), Integer(1, 100, "log-uniform")),
        ((1.0, 100, "uniform"), Real(1.0, 100.0)),
        ((1, 64, "log-uniform", 2), Integer(1, 64, "log-uniform", 2)),
        (["a", "b"], Categorical(["a", "b"])),
        (("a", "b", "c"), Categorical(["a", "b", "c"])),
        ((1, 2, 3), Categorical([1, 2, 3])),
        ([True, False], Categorical([True, False])),
        (["only"], Categorical(["only"])),
        ((1, 2, "gamma"), Categorical([1, 2, "gamma"])),
    ],
)
def test_a_tuple_or_list_stands_for_a_dimension(given, wanted):
    found = check_dimension(given)
    assert type(found) is type(wanted)
    assert found == wanted
    assert found.prior == wanted.prior


def test_a_dimension_stands_for_itself():
    dimension = Real(0, 1)
    assert check_dimension(dimension) is dimension
    assert isinstance(dimension, Dimension)


@pytest.mark.parametrize("given", ["abc", 3, (), (None, 1), {"a": 1}, (1j, 2)])
def test_what_is_no_dimension_is_refused(given):
    with pytest.raises(ValueError, match="dimension"):
        check_dimension(given)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Real(1, 1), "below"),
        (lambda: Integer(5, 2), "below"),
        (lambda: Real(0, 1, "normal"), "prior"),
        (lambda: Real(0, 1, "log-uniform"), "above 0"),
        (lambda: Integer(-4, -1, "log-uniform"), "above 0"),
        (lambda: Real(0, 1, transform="onehot"), "transform"),
        (lambda: Real(0, 1, dtype=int), "dtype"),
        (lambda: Integer(0, 1, dtype=float), "dtype"),
        (lambda: Real(0, 1, dtype="complex"), "dtype"),
        (lambda: Integer(0.5, 3), "whole"),
        (lambda: Categorical([]), "at least one"),
        (lambda: Categorical(["a", "b"], prior=[0.5, 0.4]), "sum 1"),
        (lambda: Real(0, 1, name=3), "name"),
        (lambda: Real(0, 1, base=1), "base"),
        (lambda: Space([(0, 1)], constraint=3), "constraint"),
    ],
)
def test_what_a_dimension_cannot_be_is_said(make, said):
    with pytest.raises(ValueError, match=said):
        make()


DIMENSIONS = [
    Real(-2.0, 3.0),
    Real(1e-4, 1e2, "log-uniform"),
    Real(1.0, 64.0, "log-uniform", base=2, transform="normalize"),
    Integer(1, 7),
    Integer(1, 7, transform="normalize"),
    Integer(1, 1000, "log-uniform", transform="normalize"),
    *(Categorical(["a", "b", "c"], transform=word) for word in Categorical.transforms),
    *(Categorical([1, 2], transform=word) for word in Categorical.transforms),
    Categorical(["only"]),
]


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: f"{d!r} {d.transform_}")
def test_the_inverse_transform_undoes_the_transform(dimension):
    values = dimension.rvs(50, random_state=0)
    assert all(value in dimension for value in values)
    back = dimension.inverse_transform(dimension.transform(values))
    if isinstance(dimension, Real):
        np.testing.assert_allclose(back, values, rtol=1e-12)
    else:
        assert list(back) == list(values)
    if not isinstance(dimension, Categorical):
        low, high = dimension.transformed_bounds
        ends = np.asarray(dimension.transform(list(dimension.bounds)))
        np.testing.assert_allclose(ends, [low, high], atol=1e-12)


def test_the_transforms_are_what_they_are_called():
    assert Real(10.0, 1000.0, "log-uniform").transform([100.0]) == pytest.approx([2.0])
    assert Real(1.0, 16.0, "log-uniform", 2).transform([8.0]) == pytest.approx([3.0])
    assert Real(1.0, 16.0, "log-uniform", 2, "normalize").transform([4.0]) == pytest.approx([0.5])
    assert Integer(1, 5, transform="normalize").transform([2, 5]).tolist() == [0.25, 1.0]
    assert Categorical(["a", "b", "c"]).transform(["b", "a"]).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert Categorical(["a", "b"]).transform(["b", "a"]).tolist() == [[1], [0]]
    assert Categorical([3, 5, 7], transform="normalize").transform([5]).tolist() == [0.5]
    with pytest.raises(ValueError, match="from 1 to 5"):
        Integer(1, 5, transform="normalize").transform([6])
    with pytest.raises(ValueError, match="not one of the categories"):
        Categorical(["a", "b"]).transform(["c"])


def test_values_are_pythons_numbers_unless_another_type_is_wished_for():
    assert {type(v) for v in Integer(1, 9).rvs(3)} == {int}
    assert {type(v) for v in Integer(1, 9, dtype=int).rvs(3)} == {int}
    assert Integer(1, 9, dtype=np.int16).rvs(3).dtype == np.int16
    assert {type(v) for v in Real(1, 9).rvs(3)} == {float}
    assert Real(1, 9, dtype="float32").rvs(3).dtype == np.float32
    assert type(Real(1, 9).rvs(None)) is float
    assert Categorical(["a"]).rvs() == "a"


def test_random_values_follow_the_prior():
    few = np.array(Real(1e-4, 1.0, "log-uniform").rvs(2000, random_state=1))
    assert abs(np.mean(few < 1e-2) - 0.5) < 0.05  # 4.5 deviations: fails by chance in one of 10⁵
    ends = np.bincount(Integer(0, 2).rvs(3000, random_state=1), minlength=3)
    assert np.all(np.abs(ends - 1000) < 120)  # 4.6 deviations
    assert set(Categorical(["a", "b", "c"], prior=[0.5, 0.5, 0.0]).rvs(100, random_state=1)) == {"a", "b"}


SPACE = Space([Real(0.0, 1.0, name="rate"), (1, 9), ["x", "y", "z"]])


def test_a_space_knows_its_points():
    assert [0.5, 3, "x"] in SPACE
    assert [1.5, 3, "x"] not in SPACE
    assert [0.5, 3, "w"] not in SPACE
    assert ["0.5", 3, "x"] not in SPACE
    assert SPACE.bounds == [(0.0, 1.0), (1, 9), ("x", "y", "z")]
    assert SPACE.n_dims == 3
    assert SPACE.dimension_names == ["rate", "X_1", "X_2"]
    assert SPACE["rate"] == (0, SPACE.dimensions[0])
    assert SPACE[1] == (1, SPACE.dimensions[1])
    assert SPACE[["rate", "nothing"]] == [(0, SPACE.dimensions[0]), (None, None)]
    assert SPACE.distance([0.5, 3, "x"], [0.25, 5, "y"]) == 3.25
    assert (SPACE.is_real, SPACE.is_categorical, SPACE.is_partly_categorical) == (False, False, True)
    assert len(list(SPACE)) == 3
    assert SPACE == Space(SPACE)
    assert SPACE != Space([(0.0, 1.0)])


def test_a_space_is_printed_as_the_code_that_makes_it():
    assert repr(Space([(0, 1)])) == "Space([Integer(low=0, high=1, prior='uniform', transform='identity')])"
    many = repr(Space([(0.0, 1.0)] * 40))
    assert many.count("Real") == 30
    assert "..." in many
    assert repr(Categorical(list("abcdefghij"))) == (
        "Categorical(categories=('a', 'b', 'c', ..., 'h', 'i', 'j'), prior=None)"
    )


def test_points_go_through_the_transformed_space():
    space = SPACE.normalized()
    points = space.rvs(20, random_state=3)
    Xt = space.transform(points)
    assert Xt.shape == (20, space.transformed_n_dims) == (20, 5)
    assert Xt.min() >= 0
    assert Xt.max() <= 1
    assert len(space.transformed_bounds) == 5
    for point, back in zip(points, space.inverse_transform(Xt), strict=True):
        assert back[1:] == point[1:]
        assert back[0] == pytest.approx(point[0])
    assert SPACE.get_transformer() == ["identity", "identity", "onehot"]  # the original stays as it was
    assert space.get_transformer() == ["normalize", "normalize", "onehot"]


def test_random_points_satisfy_the_constraint():
    space = Space([(0.0, 1.0), (0.0, 1.0)], constraint=lambda x: x[0] + x[1] <= 0.2)
    points = space.rvs(25, random_state=0)
    assert len(points) == 25
    assert all(sum(point) <= 0.2 for point in points)
    assert [0.5, 0.5] not in space


def test_a_constraint_without_points_is_an_error(monkeypatch):
    monkeypatch.setattr("suffice.compat.skopt.space.ROUNDS", 5)
    with pytest.raises(RuntimeError, match="constraint"):
        Space([(0.0, 1.0)], constraint=lambda x: False).rvs(2)


def test_the_same_state_draws_the_same_points():
    assert SPACE.rvs(5, random_state=7) == SPACE.rvs(5, random_state=np.random.RandomState(7))
    np.random.seed(3)  # noqa: NPY002
    first = SPACE.rvs(5)
    np.random.seed(3)  # noqa: NPY002
    assert SPACE.rvs(5) == first
    with pytest.raises(ValueError, match="random_state"):
        SPACE.rvs(5, random_state="seed")


def test_a_data_frame_spans_a_space():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 5], "b": [0.5, 2.5], "c": ["x", "y"]})
    space = Space.from_df(frame, priors={"b": "log-uniform"})
    assert space == Space([(1, 5), (0.5, 2.5, "log-uniform"), ["x", "y"]])
    assert space.dimension_names == ["a", "b", "c"]


def test_a_space_travels():
    assert pickle.loads(pickle.dumps(SPACE)) == SPACE


@pytest.mark.parametrize("dtype", [None, "int8", "int64", "float32", float, int])
@pytest.mark.parametrize("transform", ["identity", "normalize"])
@pytest.mark.parametrize("prior", ["uniform", "log-uniform"])
def test_what_a_dimension_draws_is_in_it_in_every_transform(prior, transform, dtype):
    words = {"prior": prior, "transform": transform} | ({} if dtype is None else {"dtype": dtype})
    make = Real if dtype in ("float32", float) else Integer
    dimension = make(1, 100, **words)
    values = dimension.rvs(n_samples=300, random_state=0)
    assert all(value in dimension for value in values)
    assert min(values) >= 1
    assert max(values) <= 100
    assert dimension.rvs() in dimension
    assert values in dimension
    assert [0.5] not in dimension
    assert ["x"] not in dimension


def test_a_normalized_categorical_draws_an_array():
    dimension = Categorical(["a", "b", "c"], transform="normalize")
    assert isinstance(dimension.rvs(random_state=0), np.ndarray)
    assert dimension.rvs(random_state=0).tolist() == [Categorical(["a", "b", "c"]).rvs(random_state=0)]
    assert dimension.rvs() in dimension
    assert type(Space([dimension]).rvs(random_state=0)[0][0]) is str
