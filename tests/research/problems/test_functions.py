import math

import pytest

from research.problems import PROBLEMS
from research.problems.functions import FAMILIES, dixon_price, powell, rosenbrock
from suffice.problems import PROBLEMS as THE_PAPERS

from ...problems.contract import FunctionContract, uniform

DIMENSIONS = {
    "rosenbrock": (2, 3, 7),
    "styblinski_tang": (1, 2, 7),
    "cosine_mixture": (1, 2, 7),
    "dixon_price": (2, 3, 7),
    "powell": (4, 8),
}
NAMED = {name: problem for name, problem in PROBLEMS.items() if name not in THE_PAPERS} | {
    f"{name}{dim}": FAMILIES[name](dim) for name, dims in DIMENSIONS.items() for dim in dims
}


@pytest.mark.parametrize("problem", NAMED.values(), ids=NAMED)
class TestTheOtherFunctions(FunctionContract):
    kinked = ("ackley", "bukin")


# As printed in the literature, to the digits given there.
PUBLISHED = {
    "six_hump_camel": (-1.0316, 1e-4),
    "goldstein_price": (3.0, 0.0),
    "eggholder": (-959.6407, 1e-4),
    "hartmann4_rescaled": (-3.1344941412223984, 1e-14),
    "shekel5": (-10.1532, 1e-4),
    "shekel7": (-10.4029, 1e-4),
    "shekel10": (-10.5364, 1e-4),
    "styblinski_tang4": (-39.16599 * 4, 1e-3),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_optimum_is_the_published_one(name):
    value, tolerance = PUBLISHED[name]
    assert PROBLEMS[name].optimum == pytest.approx(value, abs=tolerance, rel=0)


# One number at a time, from the printed formula: an independent twin of each vectorised function.
def rosenbrock_by_the_book(*x):
    return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (x[i] - 1) ** 2 for i in range(len(x) - 1))


def styblinski_tang_by_the_book(*x):
    return sum(v**4 - 16 * v**2 + 5 * v for v in x) / 2


def cosine_mixture_by_the_book(*x):
    return -0.1 * sum(math.cos(5 * math.pi * v) for v in x) + sum(v * v for v in x)


def dixon_price_by_the_book(*x):
    return (x[0] - 1) ** 2 + sum(i * (2 * x[i - 1] ** 2 - x[i - 2]) ** 2 for i in range(2, len(x) + 1))


def powell_by_the_book(a, b, c, d):
    return (a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4


def six_hump_camel_by_the_book(x, y):
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (-4 + 4 * y**2) * y**2


def goldstein_price_by_the_book(x, y):
    first = 1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
    second = 30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
    return first * second


def eggholder_by_the_book(x, y):
    first = -(y + 47) * math.sin(math.sqrt(abs(y + x / 2 + 47)))
    return first - x * math.sin(math.sqrt(abs(x - (y + 47))))


def bukin6_by_the_book(x, y):
    return 100 * math.sqrt(abs(y - 0.01 * x**2)) + 0.01 * abs(x + 10)


BY_THE_BOOK = {
    "rosenbrock4": rosenbrock_by_the_book,
    "styblinski_tang4": styblinski_tang_by_the_book,
    "cosine_mixture8": cosine_mixture_by_the_book,
    "dixon_price4": dixon_price_by_the_book,
    "powell4": powell_by_the_book,
    "six_hump_camel": six_hump_camel_by_the_book,
    "goldstein_price": goldstein_price_by_the_book,
    "eggholder": eggholder_by_the_book,
    "bukin6": bukin6_by_the_book,
}


@pytest.mark.parametrize("name", BY_THE_BOOK)
def test_the_vectorised_function_is_the_printed_formula(name):
    problem = PROBLEMS[name]
    X = uniform(problem, 50)
    expected = [BY_THE_BOOK[name](*map(float, x)) for x in X]
    assert problem.values(X) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_the_rescaled_hartmann_is_the_plain_one_shifted_and_scaled():
    X = uniform(PROBLEMS["hartmann4"], 100)
    assert 0.839 * PROBLEMS["hartmann4_rescaled"].values(X) - 1.1 == pytest.approx(PROBLEMS["hartmann4"].values(X))


@pytest.mark.parametrize("make", [rosenbrock, dixon_price])
def test_too_few_inputs_are_refused(make):
    with pytest.raises(ValueError, match="at least 2 inputs, got dim=1"):
        make(1)


def test_powell_wants_groups_of_four():
    with pytest.raises(ValueError, match="multiple of 4"):
        powell(6)
