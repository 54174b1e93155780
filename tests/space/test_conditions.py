"""Parameters that are there only for some values of others."""

import math
import pickle
from itertools import product

import numpy as np
import pytest

from suffice.record.encoding import from_spec, to_spec
from suffice.space import Choice, Float, Int, Ordinal, Space

SVM = Space(
    gamma=Float(1e-4, 1, log=True, when={"kernel": ("rbf", "poly")}),  # before what it depends on
    kernel=Choice("linear", "rbf", "poly"),
    C=Float(1e-3, 1e3, log=True),
    degree=Int(2, 5, when={"kernel": "poly"}),
    scale=Ordinal("low", "high", when={"degree": (4, 5)}),
)


def test_a_point_has_the_active_parameters_and_no_others():
    for x in SVM.sample(200, np.random.default_rng(0)):
        point = SVM.from_unit(x)
        assert ("gamma" in point) == (point["kernel"] != "linear")
        assert ("degree" in point) == (point["kernel"] == "poly")
        assert ("scale" in point) == (point.get("degree", 0) >= 4)
        assert np.array_equal(SVM.to_unit(point), x) or np.allclose(SVM.to_unit(point), x, atol=1e-12)


def test_points_that_differ_in_nothing_active_have_one_place():
    point = {"kernel": "linear", "C": 1.0}
    assert np.array_equal(SVM.to_unit(point), SVM.to_unit({**point, "gamma": None, "degree": None, "scale": None}))
    rows = SVM.to_unit(point) + np.zeros((5, SVM.dim))
    rows[:, 0] = np.linspace(0, 1, 5)  # gamma, which is inactive
    assert len(np.unique(SVM.snap(rows), axis=0)) == 1


def test_parents_come_up_in_equal_shares_and_children_are_uniform_given_them():
    X = SVM.sample(6000, np.random.default_rng(1))
    points = SVM.points(X)
    kernels = [point["kernel"] for point in points]
    assert all(abs(kernels.count(kernel) - 2000) < 200 for kernel in ("linear", "rbf", "poly"))  # 5.5 deviations
    low = sum(point["gamma"] < 1e-2 for point in points if "gamma" in point)
    assert abs(low - 2000) < 200
    assert {point["degree"] for point in points if "degree" in point} == {2, 3, 4, 5}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"a": Float(0, 1, when={"b": 1})}, "parameter 'a': when: there is no parameter 'b'; the others are none"),
        ({"a": Choice(1, 2, when={"a": 1})}, "parameter 'a': when: it cannot depend on itself"),
        (
            {"a": Choice(1, 2), "b": Int(0, 3, when={"a": 3})},
            "parameter 'b': when: 'a' never takes 3: 3 of type int is",
        ),
        ({"a": Int(1, 2), "b": Int(0, 3, when={"a": 5})}, "'a' never takes 5: 5 is outside the bounds"),
        ({"a": Float(0, 1), "b": Int(0, 3, when={"a": 0.5})}, "'a' is continuous"),
        ({"a": Choice(1, 2, when={"b": 1}), "b": Choice(1, 2, when={"a": 1})}, "'a', 'b' depend on each other"),
        (
            {"a": Choice(1, 2), "b": Choice(1, 2, when={"a": 1}), "c": Int(0, 3, when={"a": 2, "b": 1})},
            "parameter 'c': it is never active",
        ),
    ],
)
def test_a_condition_that_cannot_be_is_refused_by_name(parameters, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        Space(parameters)


def test_a_condition_is_a_dict_and_belongs_to_a_named_space():
    with pytest.raises(TypeError, match="when must be a dict"):
        Float(0, 1, when="rbf")
    with pytest.raises(ValueError, match="at least one value of 'kernel'"):
        Float(0, 1, when={"kernel": ()})
    with pytest.raises(ValueError, match="when= needs parameters with names"):
        Space.positional(Choice(1, 2), Float(0, 1, when={"x[0]": 1}))


def test_what_is_missing_or_inactive_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"missing 'gamma', which is active with \{'kernel': \('rbf', 'poly'\)\}"):
        SVM.to_unit({"kernel": "rbf", "C": 1.0})
    with pytest.raises(ValueError, match="parameter 'degree': it is inactive here, because it needs"):
        SVM.to_unit({"kernel": "rbf", "C": 1.0, "gamma": 0.1, "degree": 3})
    assert SVM.only_active({"kernel": "linear", "C": 1.0, "gamma": 0.1, "degree": 3}) == {"kernel": "linear", "C": 1.0}


def test_a_child_of_an_inactive_parent_is_inactive():
    x = SVM.snap(SVM.to_unit({"kernel": "poly", "C": 1.0, "gamma": 0.1, "degree": 5, "scale": "high"})[None])
    x[0, 1:4] = (1.0, 0.0, 0.0)  # kernel is linear now
    assert SVM.from_unit(SVM.snap(x)[0]) == {"kernel": "linear", "C": pytest.approx(1.0)}


def test_a_finite_space_counts_and_lists_the_points_that_differ():
    space = Space(
        a=Choice("x", "y"), n=Int(1, 3), b=Int(1, 4, when={"a": "y"}), c=Choice(0, 1, when={"b": 2, "n": (1, 2)})
    )
    expected = set()
    for a, n, b, c in product("xy", (1, 2, 3), (1, 2, 3, 4), (0, 1)):
        point = space.only_active({"a": a, "n": n, "b": b, "c": c})
        expected.add(tuple(sorted(point.items())))
    assert space.size == len(expected) == 3 + 3 * 3 + 2 * 2 + 1
    assert {tuple(sorted(point.items())) for point in space.points(space.enumerate())} == expected


def test_steps_that_flip_a_parent_draw_its_children():
    x = SVM.to_unit({"kernel": "linear", "C": 1.0})
    points = SVM.points(SVM.near(x, 400, np.random.default_rng(2), (0.1,)))
    gammas = {point["gamma"] for point in points if "gamma" in point}
    assert len(gammas) > 50
    assert all((SVM.near(x, 100, np.random.default_rng(3), (1e-3,)) != x).any(axis=1))


def test_a_condition_prints_saves_and_compares_as_it_was_given():
    assert repr(SVM.params["degree"]) == "Int(low=2, high=5, log=False, when={'kernel': 'poly'})"
    assert eval(repr(SVM)) == SVM
    assert from_spec(to_spec(SVM)) == SVM
    assert pickle.loads(pickle.dumps(SVM)) == SVM
    assert Float(0, 1, when={"a": 1}) != Float(0, 1, when={"a": True})
    assert Float(0, 1, when={"a": (1, 2)}) == Float(0, 1, when={"a": [2, 1]})
    assert hash(Float(0, 1, when={"a": (1, 2)})) == hash(Float(0, 1, when={"a": [2, 1]}))


def test_values_at_many_rows_are_those_of_each_to_the_last_bit():
    space = Space(
        a=Float(0.1, 0.3),
        b=Float(1e-7, 3, log=True),
        c=Int(1, 10**12, log=True),
        d=Float(-1e308, 1e308),
        e=Int(0, 2**60),
    )
    X = np.vstack([space.sample(300, np.random.default_rng(4)), np.zeros(5), np.ones(5)])
    for x, point in zip(X, space.points(X), strict=True):
        single = {n: p.from_unit(x[[j]]) for j, (n, p) in enumerate(space.params.items())}
        assert point == single
        assert all(type(point[name]) is type(single[name]) for name in point)
    assert math.isinf(space.size)


def drawn_space(rng):
    """A finite space in which some parameters depend on others, in any order of names."""
    parameters = {}
    for j in range(int(rng.integers(2, 6))):
        when = {}
        for parent in parameters:
            if rng.random() < 0.4:
                values = OPTIONS[type(parameters[parent])]
                when[parent] = tuple(values[k] for k in np.flatnonzero(rng.random(len(values)) < 0.6)) or values[0]
        kind = (Choice, Int, Ordinal)[int(rng.integers(3))]
        arguments = (1, 3) if kind is Int else OPTIONS[kind]
        parameters[f"p{j}"] = kind(*arguments, when=when or None)
    names = rng.permutation(list(parameters)).tolist()
    return {name: parameters[name] for name in names}


OPTIONS = {Choice: ("a", "b", "c"), Int: (1, 2, 3), Ordinal: ("low", "high")}


@pytest.mark.parametrize("seed", range(30))
def test_any_tree_of_conditions_has_the_points_that_the_conditions_say(seed):
    rng = np.random.default_rng(seed)
    parameters = drawn_space(rng)
    expected = set()
    for values in product(*(OPTIONS[type(p)] for p in parameters.values())):
        point = dict(zip(parameters, values, strict=True))
        while True:  # drop what is inactive until nothing is
            lost = [n for n in point if any(point.get(q) not in vs for q, vs in (parameters[n].when or {}).items())]
            if not lost:
                break
            for name in lost:
                del point[name]
        expected.add(tuple(sorted(point.items())))
    never = set(parameters) - {name for point in expected for name, _ in point}
    if never:
        with pytest.raises(ValueError, match="it is never active"):
            Space(parameters)
        return
    space = Space(parameters)
    listed = space.points(space.enumerate())
    assert {tuple(sorted(point.items())) for point in listed} == expected
    assert len(listed) == space.size == len(expected)
    assert all(np.array_equal(space.to_unit(p), x) for p, x in zip(listed, space.enumerate(), strict=True))
    draws = {tuple(sorted(point.items())) for point in space.points(space.sample(100, rng))}
    assert draws <= expected


@pytest.mark.parametrize("seed", range(12))
def test_combinations_of_parents_that_differ_are_found_once_each_in_order(seed):
    """By hand: every combination with what is inactive at rest, the first of each that are equal."""
    rng = np.random.default_rng(seed)
    parents = {"a": Int(0, 2), "b": Choice("u", "v", "w", when={"a": (1, 2)}), "c": Int(1, 3, when={"b": "v"})}
    names = rng.permutation(list(parents)).tolist()
    space = Space({name: parents[name] for name in names} | {"x": Float(0, 1, when={"c": int(rng.integers(1, 4))})})
    whole = Space({name: Int(0, 2) if name != "b" else Choice("u", "v", "w") for name in names})
    kept = {space.snap(np.append(row, 0.5)[None])[0].tobytes(): None for row in whole.enumerate()}
    assert [row.tobytes() for row in space._parts.combinations] == list(kept)
    assert space.size == math.inf


def test_conditions_on_many_large_choices_take_no_gigabytes():
    """Half a million combinations of 60 columns were listed and sorted to make this space."""
    parents = {f"c{i}": Choice(*range(9)) for i in range(6)}
    space = Space(parents | {f"x{i}": Float(0, 1, when={f"c{i}": 3}) for i in range(6)})
    assert space._parts.combinations is None
    assert space.size == math.inf
    assert space.contains(space.sample(20, np.random.default_rng(0))).all()
