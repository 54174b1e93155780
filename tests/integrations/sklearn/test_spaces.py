"""What a search space may be written as, and what it then means."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import suffice as sf
from suffice.integrations.sklearn.space import as_parameter, as_spaces, labelled


class Real(SimpleNamespace):
    """The shape of scikit-optimize's."""


class Integer(SimpleNamespace):
    pass


class Categorical(SimpleNamespace):
    pass


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (sf.Ordinal("s", "m"), sf.Ordinal("s", "m")),
        ((1, 8), sf.Int(1, 8)),
        ((1, 8.0), sf.Float(1, 8)),
        ((np.int64(1), np.int64(8)), sf.Int(1, 8)),
        ((1e-6, 1e6, "log-uniform"), sf.Float(1e-6, 1e6, log=True)),
        ((1, 100, "log-uniform", 2), sf.Int(1, 100, log=True)),
        ((0.0, 1.0, "uniform"), sf.Float(0, 1)),
        (["a", "b"], sf.Choice("a", "b")),
        (("a", "b"), sf.Choice("a", "b")),
        ((True, False), sf.Choice(True, False)),
        ((None, "balanced"), sf.Choice(None, "balanced")),
        ([1, 8], sf.Choice(1, 8)),
        ([3], sf.Choice(3)),
        ([1, 10, 100], sf.Ordinal(1, 10, 100)),
        ([1, 100, 10], sf.Choice(1, 100, 10)),
        (np.logspace(-1, 1, 3), sf.Ordinal(0.1, 1.0, 10.0)),
        ([(10,), (20, 10)], sf.Choice((10,), (20, 10))),
        (range(1, 10, 2), sf.Int(1, 9, step=2)),
        (range(3, 4), sf.Choice(3)),
        ("adam", sf.Choice("adam")),
        (None, sf.Choice(None)),
        (stats.uniform(1, 2), sf.Float(1, 3)),
        (stats.loguniform(1e-3, 1e3), sf.Float(1e-3, 1e3, log=True)),
        (stats.randint(1, 9), sf.Int(1, 8)),
        (stats.randint(low=1, high=9), sf.Int(1, 8)),
        (Real(low=1, high=2, prior="uniform"), sf.Float(1, 2)),
        (Real(low=1, high=2, prior="log-uniform"), sf.Float(1, 2, log=True)),
        (Integer(low=1, high=2, prior="log-uniform"), sf.Int(1, 2, log=True)),
        (Categorical(categories=("a", "b"), prior=None), sf.Choice("a", "b")),
    ],
)
def test_an_entry_is_read_as_it_is_meant(given, meant):
    assert as_parameter(given) == meant


def test_a_descending_range_has_the_values_of_the_range():
    assert as_parameter(range(9, 0, -2)) == sf.Int(1, 9, step=2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (stats.norm(0, 1), "norm"),
        (stats.loguniform(1, 10, loc=3), "loc"),
        (stats.poisson(3), "poisson"),
        ((1, 8, "normal"), "normal"),
        ((1, 8, "log-uniform", 0), "base"),
        ([], "at least one"),
        ((8, 1), "swap"),
        ((0.0, 1.0, "log-uniform"), "low > 0"),
        (SimpleNamespace(low=0, high=1), "SimpleNamespace"),
        ({"a", "b"}, "options"),
        ((1, 2, 2), "once"),
    ],
)
def test_what_is_no_parameter_is_refused_by_name(given, said):
    with pytest.raises((TypeError, ValueError), match=said):
        as_parameter(given)


def test_a_message_has_the_name_of_the_parameter():
    with pytest.raises(ValueError, match="'svc__C': the distribution norm"):
        labelled({"svc__C": stats.norm(0, 1)})


def test_an_encoder_with_categories_is_an_estimator_and_no_list_of_options():
    encoder = OneHotEncoder(categories="auto")
    found = labelled({"step": encoder, "C": (0.0, 1.0)})
    assert found.params({"step": "OneHotEncoder()", "C": 0.5}) == {"step": encoder, "C": 0.5}


def test_objects_are_searched_by_name_and_come_back_as_they_are():
    def f():
        return None

    one, other, weights = SVC(), SVC(), {0: 1.0, 1: 5.0}
    found = labelled({"clf": [one, other, "passthrough"], "w": [None, weights, "SVC()"], "f": [f, np.log]})
    names = found.space.params
    assert names["clf"].options == ("SVC()", "SVC() (2)", "passthrough")
    assert names["w"].options == (None, "{0: 1.0, 1: 5.0}", "SVC()")
    assert "0x" not in repr(names["f"])
    for name, objects in (("clf", [one, other]), ("f", [f, np.log])):
        for option, thing in zip(names[name].options, objects, strict=False):
            assert found.params({name: option})[name] is thing
    assert found.params({"w": "{0: 1.0, 1: 5.0}"})["w"] is weights
    assert found.params({"w": None}) == {"w": None}


def test_conditions_and_constraints_are_about_the_objects():
    one, other = SVC(), SVC(kernel="linear")
    space = sf.Space(
        clf=sf.Choice(one, other),
        C=sf.Float(0, 1),
        gamma=sf.Float(0, 1, when={"clf": one}),
        where=lambda p: p["clf"] is one or p["C"] < 0.5,
    )
    found = labelled(space)
    points = [found.space.from_unit(x) for x in found.space.sample(200, np.random.default_rng(0))]
    params = [found.params(point) for point in points]
    assert all(("gamma" in p) == (p["clf"] is one) for p in params)
    assert {p["clf"] for p in params} == {one, other}
    assert all(p["C"] < 0.5 for p in params if p["clf"] is other)
    assert any(p["C"] > 0.5 for p in params if p["clf"] is one)


def test_a_space_without_objects_is_itself():
    space = sf.Space(C=sf.Float(0, 1), where=lambda p: p["C"] < 0.5)
    assert labelled(space).space == space


def test_a_list_of_two_real_numbers_has_two_options_and_a_warning_says_so(caplog):
    found = labelled({"C": [0.1, 10.0], "degree": [2, 3], "gamma": (0.1, 1.0), "shrink": [True, False]}).space
    assert [type(parameter).__name__ for parameter in found.parameters] == ["Choice", "Choice", "Float", "Choice"]
    (record,) = caplog.records
    assert record.message.startswith("'C': the list [0.1, 10.0] has two options; write (0.1, 10.0) for the range")


def test_spaces_come_alone_or_in_a_list_with_or_without_their_trials():
    one, other = {"C": (0, 1)}, sf.Space(C=(0.0, 1.0))
    assert as_spaces(one) == ((one, None),)
    assert as_spaces((one, 7)) == ((one, 7),)
    assert as_spaces([one, (other, 3)]) == ((one, None), (other, 3))


@pytest.mark.parametrize("given", [[], {}, [{}], (1, 2, 3), ({"C": (0, 1)}, 0), ({"C": (0, 1)}, True)], ids=repr)
def test_no_space_and_no_trials_are_refused(given):
    with pytest.raises(ValueError, match=r"space"):
        as_spaces(given)


@pytest.mark.parametrize("given", [[(0, 1)], sf.Space.positional((0, 1)), 3, "C"], ids=repr)
def test_parameters_need_names(given):
    with pytest.raises(TypeError, match=r"names|dict"):
        labelled(given)
