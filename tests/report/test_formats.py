"""Numbers as a reader wants them."""

import math

import pytest

from suffice.text import digits, with_error

nan = math.nan


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (nan, "–"), (0.0, "0"), (3.14159, "3.14"), (-36.61, "-36.6"), (2412.3, "2412"), (1e-5, "1e-05")],
)
def test_numbers_have_three_digits(value, text):
    assert digits(value) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (28.34, 2.13, "28.3 ± 2.1"),
        (2412.3, 82.3, "2412 ± 82"),
        (-0.6891, 0.2274, "-0.69 ± 0.23"),
        (1.2e-7, 3.4e-8, "1.20e-07 ± 3.4e-08"),
        (0.9806707, 9.86e-5, "0.980671 ± 0.000099"),
        (0.9806707, 1.2e-8, "0.980670700 ± 1.2e-08"),
        (1.0, 1e-30, "1.00000000000000 ± 1.0e-30"),
        (27.54, nan, "27.5"),
        (nan, nan, "–"),
    ],
)
def test_an_error_decides_how_many_decimals_are_worth_showing(value, error, text):
    assert with_error(value, error) == text
