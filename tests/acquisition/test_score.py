"""A score says what it can do."""

import numpy as np
import pytest

from suffice.testing.fakes import Peak
from suffice.types import Plain, Score, as_score

X = np.random.default_rng(0).random((20, 2))


class Bare(Score):
    def __call__(self, X):
        return X[:, 0]


def test_what_a_score_does_not_have_is_said_by_its_name():
    with pytest.raises(NotImplementedError, match="Bare has no gradient"):
        Bare().value_and_grad(X)
    with pytest.raises(NotImplementedError, match="Bare has no bound"):
        Bare().bound(X, X)
    assert (Bare().smooth, Bare().bounded, Bare().ranks, Bare().logarithmic) == (False, False, False, False)
    assert Bare().width(X) is Bare().shift(3) is Bare().scales is Bare().domain is Bare().beta is None


def test_the_top_is_sorted_with_ties_by_index_and_nan_last():
    values = np.array([1.0, np.nan, 3.0, 1.0, np.nan, 3.0, -np.inf])
    score = as_score(lambda X: values[: len(X)])
    rows, top = score.top(np.zeros((7, 1)), 7)
    assert rows.tolist() == [2, 5, 0, 3, 6, 1, 4]
    assert np.array_equal(top, values[rows], equal_nan=True)
    assert score.top(np.zeros((7, 1)), 3)[0].tolist() == [2, 5, 0]


def test_the_top_of_nothing_is_nothing():
    for X, k in ((np.zeros((0, 1)), 3), (np.zeros((4, 1)), 0)):
        rows, values = as_score(lambda X: X[:, 0]).top(X, k)
        assert (len(rows), len(values)) == (0, 0)


def test_a_function_becomes_a_score_and_a_score_stays_what_it_is():
    peak = Peak(np.full(2, 0.3))
    assert as_score(peak) is peak
    plain = as_score(peak.__call__)
    assert isinstance(plain, Plain)
    assert np.array_equal(plain(X), peak(X))


@pytest.mark.parametrize("wrong", [None, 3.0, "ucb", Peak])
def test_what_is_no_score_is_refused(wrong):
    with pytest.raises(TypeError, match="a function of X"):
        as_score(wrong)
