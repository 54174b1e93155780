import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.solvers import Fixed, Linear, Power


def test_fixed_is_fixed():
    assert [Fixed(7)(t, 3) for t in (1, 2, 1000)] == [7, 7, 7]


def test_the_paper_uses_a_hundred_points_for_each_step():
    assert [Linear()(t, 6) for t in (1, 2, 150)] == [100, 200, 15_000]


def test_the_number_of_points_is_capped():
    assert Linear(100, cap=1000)(11, 2) == 1000
    assert Power(1.0, None, cap=50_000)(10**6, 1000) == 50_000  # the power itself is beyond floating point


def test_the_power_may_be_the_dimension():
    assert [Power(2.0, None)(3, dim) for dim in (0, 1, 2, 4)] == [2, 6, 18, 162]


@given(t=st.integers(1, 500), c=st.integers(1, 50), dim=st.integers(0, 5))
def test_linear_growth_is_the_first_power(t, c, dim):
    assert Linear(c)(t, dim) == Power(c, 1.0)(t, dim) == c * t


def test_a_power_is_rounded_up():
    assert [Power(1.5, 2.0)(t, 3) for t in (1, 2, 3)] == [2, 6, 14]
    assert Power(0.01, 0.5)(4, 3) == 1


@given(c=st.floats(0.01, 500.0), p=st.floats(0.0, 4.0), t=st.integers(1, 2000))
def test_later_steps_never_get_fewer_points(c, p, t):
    assert Power(c, p)(t, 2) <= Power(c, p)(t + 1, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Fixed(0), "n, a number of points, must be a whole number ≥ 1: got 0"),
        (lambda: Fixed(2.5), "n, a number of points, must be a whole number ≥ 1: got 2.5"),
        (lambda: Linear(0), "c=0"),
        (lambda: Linear(math.nan), "c=nan"),
        (lambda: Linear(100, cap=0), "cap, a number of points, must be a whole number ≥ 1: got 0"),
        (lambda: Power(math.inf), "c=inf"),
        (lambda: Power(1.0, -1.0), "p=-1.0"),
        (lambda: Power(1.0, math.inf), "p=inf"),
    ],
)
def test_a_rule_that_makes_no_grid_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
