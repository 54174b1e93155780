import pickle

import numpy as np
import pytest

from suffice.problems import PROBLEMS, Problem

branin = PROBLEMS["branin"]


def test_a_point_is_refused_where_rows_are_meant_and_the_other_way_round():
    with pytest.raises(ValueError, match=r"one point of shape \(2,\), got shape \(3, 2\); use `values`"):
        branin(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"\(m, 2\), got shape \(2,\); call the problem itself"):
        branin.values(np.zeros(2))
    with pytest.raises(ValueError, match=r"got shape \(3,\)"):
        branin([0.0, 0.0, 0.0])


def test_a_point_may_be_a_plain_list_and_the_value_is_a_plain_float():
    assert type(branin([0, 0])) is float


def test_no_rows_have_no_values():
    assert branin.values(np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_travels_to_another_process_unchanged(problem):
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert isinstance(copy, Problem)
