"""Parts as plain data: a round trip changes nothing, and data can name nothing but parts."""

import json
import math
from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice.acquisition import ACQUISITIONS, Beta
from suffice.candidates import CANDIDATES, Delaunay, Local, Voronoi
from suffice.gp import KERNELS
from suffice.record import encoding as spec
from suffice.record.encoding import from_spec, parts, to_spec
from suffice.solvers import SOLVERS, Exhaustive

REGISTERED = {
    **{f"kernel {name}": make() for name, make in KERNELS.items()},
    **{f"acquisition {name}": make() for name, make in ACQUISITIONS.items()},
    **{f"solver {name}": make() for name, make in SOLVERS.items()},
    **{f"candidates {name}": rule for name, rule in CANDIDATES.items()},
}


def through_json(part):
    return from_spec(json.loads(json.dumps(to_spec(part), allow_nan=False)))


@pytest.mark.parametrize("name", REGISTERED)
def test_every_registered_part_survives_the_round_trip(name):
    part = REGISTERED[name]
    back = through_json(part)
    assert back == part
    assert type(back) is type(part)


def test_a_function_comes_back_as_itself():
    assert through_json(sf.candidates.sobol) is sf.candidates.sobol
    assert through_json(sf.solvers.Grid(candidates=sf.candidates.latin)).candidates is sf.candidates.latin


def test_every_part_within_a_part_is_known():
    """Else a part could be registered whose default settings cannot be stored."""

    def within(value):
        if is_dataclass(value):
            yield type(value)
            for field in fields(value):
                yield from within(getattr(value, field.name))

    found = {kind for part in REGISTERED.values() for kind in within(part)}
    assert found <= set(parts().values())


positive = st.floats(1e-3, 1e3)
counts = st.integers(1, 1000)
kernels = st.one_of(
    st.builds(sf.gp.RBF, st.one_of(positive, st.tuples(positive, positive))),
    st.builds(sf.gp.Matern, st.sampled_from([0.5, 1.5, 2.5, 1.7]), st.one_of(positive, st.tuples(positive))),
)
log_normals = st.none() | st.builds(sf.gp.LogNormal, positive, positive)
models = st.builds(
    sf.GP,
    st.just(sf.gp.RBF()) | st.builds(sf.gp.Matern, st.sampled_from([0.5, 1.5, 2.5, 1.7])),
    ard=st.booleans(),
    noise=st.none() | positive,
    prior=st.builds(sf.gp.Prior, log_normals, log_normals, log_normals, st.none() | positive),
    refit=st.builds(sf.gp.Refit, positive, positive | st.just(math.inf)),
    max_points=st.integers(10, 5000),
)
betas = st.one_of(
    st.builds(sf.acquisition.SqrtLog, positive),
    st.builds(sf.acquisition.Constant, positive),
    st.builds(
        sf.acquisition.Theory, positive, positive, st.floats(0.01, 0.99), form=st.sampled_from(["general", "paper"])
    ),
)
acquisitions = st.one_of(
    st.builds(sf.UCB, betas),
    st.builds(sf.acquisition.Thompson, betas, counts, st.booleans(), counts),
    st.builds(sf.acquisition.EI, positive),
    st.builds(sf.LogEI, positive),
    st.builds(sf.acquisition.PI, positive),
    st.builds(sf.acquisition.MES, counts, counts),
    st.builds(sf.acquisition.KG, counts),
)
growths = st.one_of(
    st.builds(sf.solvers.Fixed, counts),
    st.builds(sf.solvers.Linear, positive, counts),
    st.builds(sf.solvers.Power, positive, st.none() | positive, counts),
)
rules = st.one_of(
    st.sampled_from(list(CANDIDATES.values())),
    st.builds(Local, st.lists(positive, min_size=1, max_size=3).map(tuple)),
    st.builds(Voronoi, st.floats(0, 1), st.floats(0, 1)),
    st.builds(Delaunay, st.floats(0.01, 0.99), st.floats(0, 1)),
)
solvers = st.recursive(
    st.one_of(
        st.builds(sf.solvers.Grid, rules, growths, counts),
        st.builds(sf.solvers.Adaptive, positive, st.none() | positive),
        st.builds(sf.solvers.LBFGSB, counts, st.just(0), st.none() | counts),
        st.builds(sf.solvers.NelderMead, counts, st.just(0)),
        st.builds(Exhaustive, counts, counts, counts),
    ),
    lambda inner: st.builds(sf.solvers.Polished, inner, counts),
    max_leaves=3,
)


@given(st.one_of(kernels, models, acquisitions, solvers))
@settings(max_examples=100)
def test_any_part_with_any_settings_survives_the_round_trip(part):
    assert through_json(part) == part


options = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.tuples(st.integers(0, 9), st.text(max_size=2)),
    st.sampled_from([np.float64(0.5), np.float32(0.1), np.int64(3), np.int32(3), np.bool_(True), np.str_("a")]),
)
floats = st.tuples(st.floats(1e-9, 1.0), st.floats(1.0, 1e9), st.booleans()).map(lambda args: sf.Float(*args))
integers = st.tuples(st.integers(1, 5), st.integers(5, 2**70), st.booleans()).map(lambda args: sf.Int(*args))
choices = st.lists(options, min_size=1, max_size=4, unique_by=lambda v: (type(v), repr(v))).map(
    lambda chosen: sf.Choice(*chosen)
)
spaces = st.one_of(
    st.dictionaries(st.text(min_size=1), st.one_of(floats, integers, choices), min_size=1, max_size=4).map(sf.Space),
    st.lists(floats, min_size=1, max_size=3).map(lambda given: sf.Space.positional(*given)),
)


@given(spaces)
@settings(max_examples=100)
def test_any_space_survives_the_round_trip_with_the_types_of_its_options(space):
    back = through_json(space)
    assert back == space
    assert repr(back) == repr(space)
    for parameter, again in zip(space.parameters, back.parameters, strict=True):
        assert again == parameter
        if isinstance(parameter, sf.Choice):
            assert [type(option) for option in again.options] == [type(option) for option in parameter.options]
            assert repr(again.options) == repr(parameter.options)


def test_numbers_that_json_lacks_are_spelt_out():
    spec = to_spec(sf.Choice(math.nan, math.inf, -math.inf, 1.0, 1, True))
    assert spec["options"] == [{"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, 1.0, 1, True]


@pytest.mark.parametrize("option", [b"bytes", frozenset({1}), int, 1j, (1, b"x"), np.float16(0.5)], ids=repr)
def test_an_option_that_is_no_plain_value_is_refused_by_name(option):
    with pytest.raises(TypeError, match=r"cannot be stored") as caught:
        to_spec(sf.Choice("a", option))
    culprit = option[1] if isinstance(option, tuple) else option
    assert repr(culprit) in str(caught.value)


@dataclass(frozen=True)
class Mine(Beta):
    """Somebody's own β schedule."""

    scale: float = 2.0

    def __call__(self, step, posterior, /):
        return self.scale

    def broken(self, posterior, /):
        return ()


@dataclass(frozen=True)
class UCB:
    """Not the library's, but called the same."""

    beta: object = None


@pytest.mark.parametrize("part", [Mine(), sf.UCB(Mine()), UCB(), lambda n: n, 3, "UCB"])
def test_what_is_no_part_of_the_library_cannot_be_stored(part):
    with pytest.raises(TypeError, match=r"cannot be stored|made of a part"):
        to_spec(part)


def test_the_refusal_names_the_class():
    with pytest.raises(TypeError, match=r"Mine\(scale=2.0\) of type .*\.Mine cannot be stored"):
        to_spec(sf.UCB(Mine()))


def test_a_registered_newcomer_can_be_stored_as_long_as_it_is_registered(monkeypatch):
    monkeypatch.setitem(SOLVERS, "mine", Mine)
    spec = to_spec(Mine(3.0))
    assert from_spec(spec) == Mine(3.0)
    monkeypatch.delitem(SOLVERS, "mine")
    with pytest.raises(ValueError, match="unknown part 'Mine'"):
        from_spec(spec)


def test_a_room_registers_its_parts_once_and_under_names_of_their_own(monkeypatch):
    monkeypatch.setattr(spec, "REGISTERED", [])
    with pytest.raises(TypeError, match="cannot be stored"):
        to_spec(Mine())
    spec.register(Mine)
    spec.register(Mine)
    assert spec.REGISTERED == [Mine]
    assert through_json(sf.UCB(Mine(3.0))) == sf.UCB(Mine(3.0))
    with pytest.raises(ValueError, match="UCB is a part already"):
        spec.register(UCB)


def test_a_newcomer_does_not_take_the_name_of_a_small_part(monkeypatch):
    class Fixed(Mine): ...

    monkeypatch.setitem(SOLVERS, "fixed", Fixed)
    assert type(from_spec({"is": "Fixed", "n": 3})) is sf.solvers.Fixed


@pytest.mark.parametrize(
    "name", ["os.system", "builtins.eval", "__import__", "object", "type", "Codec", "suffice.GP", "gp", "", "Ucb"]
)
def test_a_name_that_is_no_part_is_refused_with_what_is_known(name):
    with pytest.raises(ValueError, match="unknown part") as caught:
        from_spec({"is": name})
    assert repr(name) in str(caught.value)
    assert "Grid, " in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"is": 3},
        {"is": ["UCB"]},
        {"is": "UCB", "gamma": 1},
        {"is": "Fixed"},
        {"is": "Fixed", "n": -1},
        {"is": "Constant", "value": "high"},
        {"is": "Constant", "value": {"float": "1"}},
        {"is": "uniform", "n": 3},
        {"is": "Choice", "options": 3},
        {"is": "Choice", "options": [["a"], {"is": "UCB", "is not": 1}]},
        {"is": "Space", "names": ["x"], "parameters": [], "named": True},
        {"is": "Space", "names": [], "parameters": [{"is": "Choice", "options": ["a"]}], "named": False},
        {"is": "Float", "low": 1.0, "high": 0.0},
        {"is": "Constant", "value": {"numpy": "ndarray", "value": 1}},
        [],
        "UCB",
        None,
    ],
    ids=str,
)
def test_a_spec_that_describes_no_part_is_a_value_error(spec):
    with pytest.raises(ValueError, match=r"."):
        from_spec(spec)
