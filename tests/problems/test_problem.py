import math
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


def test_noise_has_mean_zero_and_the_standard_deviation_asked_for():
    observe = branin.noisy(0.5, np.random.default_rng(0))
    x, n = [1.0, 2.0], 4000
    errors = np.array([observe(x) for _ in range(n)]) - branin(x)
    # Both limits are 5 standard errors: a false alarm in about one stream of a million; the stream is fixed besides.
    assert abs(errors.mean()) < 5 * 0.5 / math.sqrt(n)
    assert abs(errors.std() - 0.5) < 5 * 0.5 / math.sqrt(2 * n)


def test_no_noise_leaves_the_value_as_it_is():
    assert branin.noisy(0.0, np.random.default_rng(0))([1.0, 2.0]) == branin([1.0, 2.0])


def test_the_same_stream_gives_the_same_noise():
    first, again = (branin.noisy(1.0, np.random.default_rng(7)) for _ in range(2))
    assert [first([0, 0]) for _ in range(3)] == [again([0, 0]) for _ in range(3)]


@pytest.mark.parametrize("sd", [-1.0, math.nan])
def test_a_noise_that_is_no_standard_deviation_is_refused(sd):
    with pytest.raises(ValueError, match="at least 0, got"):
        branin.noisy(sd, np.random.default_rng(0))


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_travels_to_another_process_unchanged(problem):
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert isinstance(copy, Problem)
