"""Rows of a large table by their contents."""

import numpy as np
import pytest

from suffice.space import pointset as rowindex
from suffice.space.pointset import RowIndex


@pytest.mark.parametrize("d", [1, 3, 30])
def test_every_row_is_found_and_nothing_else(d):
    rng = np.random.default_rng(d)
    table = rng.integers(0, 3, (500, d)) / 4
    X = np.concatenate([table, rng.random((50, d)), table[:5] + 1e-15])
    first = {}
    for i, row in enumerate(map(tuple, table.tolist())):
        first.setdefault(row, i)
    assert RowIndex(table).find(X).tolist() == [first.get(tuple(row), -1) for row in X.tolist()]


def test_repeats_are_counted_in_order():
    table = np.random.default_rng(0).integers(0, 3, (300, 3)).astype(float)
    seen, expected = {}, []
    for i, row in enumerate(map(tuple, table.tolist())):
        if row in seen:
            expected.append((i, seen[row]))
        seen[row] = seen.get(row, 0) + 1
    rows, earlier = RowIndex(table).repeats()
    assert list(zip(rows.tolist(), earlier.tolist(), strict=True)) == expected


def test_the_answer_does_not_rest_on_the_hash(monkeypatch):
    monkeypatch.setattr(rowindex, "hashed", lambda X: np.full(len(X), 7, dtype=np.uint64))
    table = np.array([[0.1], [0.2], [0.3]])
    assert RowIndex(table).find(np.array([[0.3], [0.25], [0.1]])).tolist() == [2, -1, 0]
    assert not len(RowIndex(table).repeats()[0])


def test_zero_has_one_sign_and_nan_is_no_row():
    index = RowIndex(np.array([[0.0, 1.0], [0.5, np.nan]]))
    assert index.find(np.array([[-0.0, 1.0], [0.5, np.nan]])).tolist() == [0, -1]


def test_rows_of_noughts_and_ones_have_hashes_of_their_own():
    table = (np.random.default_rng(1).random((20_000, 40)) < 0.5).astype(float)
    assert len(np.unique(RowIndex(table).sorted)) == len(np.unique(table, axis=0))
