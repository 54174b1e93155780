"""How many rows are held at once, and which domains are listed."""

import math

import numpy as np
import pytest

from suffice.solvers.record import enumerated
from suffice.space import Choice, Float, Int, Space, UnitCube, blocks, domain, held, listable
from suffice.testing.fakes import Peak

FINITE = Space(i=Int(0, 6), c=Choice(*"abcde"))


@pytest.mark.parametrize("columns", [1, 6, 5000, 10**7])
def test_what_is_held_at_once_is_bounded_in_entries(columns):
    assert held(UnitCube(columns)) * columns <= max(domain.HELD, columns)
    assert held(UnitCube(columns)) >= 1


def test_a_domain_is_listed_if_rows_and_entries_allow():
    assert listable(Space(c=Choice(*range(2000))), 2000)
    assert not listable(Space(c=Choice(*range(2001))), 2000)
    assert not listable(Space(c=Choice(*range(2100))), 100_000)
    assert listable(Space(i=Int(1, 100_000)), 100_000)
    assert not listable(Space(x=Float(0, 1)), 100_000)
    assert listable(UnitCube(0), 1)


def test_blocks_are_the_list_in_pieces(monkeypatch):
    monkeypatch.setattr(domain, "HELD", 4 * FINITE.dim)
    pieces = list(blocks(FINITE))
    assert len(pieces) == math.ceil(FINITE.size / 4)
    assert np.array_equal(np.concatenate(pieces), FINITE.enumerate())


def test_the_best_of_a_list_does_not_depend_on_the_pieces(monkeypatch):
    alpha = Peak(np.random.default_rng(0).random(FINITE.dim))
    whole = enumerated(alpha, FINITE)
    monkeypatch.setattr(domain, "HELD", 4 * FINITE.dim)
    parts = enumerated(alpha, FINITE)
    assert np.array_equal(parts.x, whole.x)
    assert (parts.value, parts.n_evals, parts.draws.median) == (whole.value, whole.n_evals, whole.draws.median)
    assert np.array_equal(parts.draws.points, whole.draws.points)
