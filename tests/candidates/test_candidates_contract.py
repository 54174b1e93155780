"""What every rule in the registry promises, whatever the design."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.candidates import CANDIDATES
from suffice.types import UnitCube

every_rule = pytest.mark.parametrize("name", CANDIDATES)
every_design = pytest.mark.parametrize(
    "kind", ["empty", "one point", "two points", "duplicates", "all equal", "a line", "corners", "a cloud"]
)


def design_of(kind, d):
    cloud = np.random.default_rng(d).random((30, d))
    along = np.linspace(0.0, 1.0, 12)[:, None]
    return {
        "empty": cloud[:0],
        "one point": cloud[:1],
        "two points": cloud[:2],
        "duplicates": np.repeat(cloud[:5], 6, axis=0),
        "all equal": np.repeat(cloud[:1], 9, axis=0),
        "a line": cloud[0] + along * (cloud[1] - cloud[0]),
        "corners": np.round(cloud),
        "a cloud": cloud,
    }[kind]


def propose(name, n, domain, design, seed=0):
    return CANDIDATES[name](n, domain, design=design, rng=np.random.default_rng(seed))


@every_rule
@every_design
@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_n_points_of_the_cube_are_proposed_whatever_the_design(name, kind, d, n):
    design = design_of(kind, d)
    kept = design.copy()
    X = propose(name, n, UnitCube(d), design)
    assert X.shape == (n, d)
    assert X.dtype == np.float64
    assert np.all((X >= 0.0) & (X <= 1.0))
    assert np.array_equal(design, kept)


@every_rule
@every_design
def test_the_stream_decides_everything(name, kind):
    design = design_of(kind, 3)
    first, again, other = (propose(name, 20, UnitCube(3), design, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@every_rule
@every_design
@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_members_of_a_mixed_domain_are_proposed(name, kind, n, mixed):
    design = mixed.snap(design_of(kind, 5))
    X = propose(name, n, mixed, design)
    assert X.shape == (n, 5)
    assert np.array_equal(mixed.snap(X), X)


@pytest.mark.parametrize("name", sorted(CANDIDATES.keys() - {"local"}))  # which stays near the incumbent
def test_every_level_and_every_option_of_a_mixed_domain_is_reachable(name, mixed):
    design = mixed.sample(10, np.random.default_rng(0))
    X = propose(name, 1000, mixed, design)
    assert len(np.unique(X[:, 1])) == 5
    assert np.all(X[:, 2:].sum(axis=0) > 0)


@every_rule
def test_a_domain_without_columns_has_one_empty_point(name):
    assert propose(name, 4, UnitCube(0), np.empty((3, 0))).shape == (4, 0)


@every_rule
def test_a_rule_survives_the_way_to_another_process(name):
    assert pickle.loads(pickle.dumps(CANDIDATES[name])) == CANDIDATES[name]


@every_rule
@settings(deadline=None, max_examples=40)
@given(data=st.data(), d=st.integers(1, 4), k=st.integers(0, 12), n=st.integers(0, 30))
def test_no_design_however_odd_breaks_a_rule(name, data, d, k, n):
    value = st.one_of(st.sampled_from([0.0, 1e-310, 1e-12, 0.5, 0.5 + 1e-12, 1.0 - 1e-16, 1.0]), st.floats(0.0, 1.0))
    design = data.draw(arrays(float, (k, d), elements=value))
    X = propose(name, n, UnitCube(d), design)
    assert X.shape == (n, d)
    assert np.all((X >= 0.0) & (X <= 1.0))
