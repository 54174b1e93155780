import math

import pytest

from suffice.problems import PROBLEMS, find
from suffice.problems.functions import FAMILIES, levy

from .contract import FunctionContract, uniform

DIMENSIONS = {
    "rastrigin": (1, 2, 7),
    "levy": (1, 2, 7),
    "michalewicz": (1, 2, 7, 20),
    "ackley": (1, 2, 7),
    "griewank": (1, 2, 7),
}
NAMED = PROBLEMS | {f"{name}{dim}": FAMILIES[name](dim) for name, dims in DIMENSIONS.items() for dim in dims}


@pytest.mark.parametrize("problem", NAMED.values(), ids=NAMED)
class TestThePapersFunctions(FunctionContract):
    kinked = ("ackley",)


# As printed in the literature, to the digits given there.
PUBLISHED = {
    "branin": (0.397887, 1e-6),
    "hartmann3": (-3.86278214782076, 1e-14),
    "hartmann4": (-3.729840584485584, 1e-14),
    "hartmann6": (-3.32236801141551, 1e-14),
    "michalewicz2": (-1.8013, 1e-4),
    "michalewicz5": (-4.687658, 1e-6),
    "michalewicz10": (-9.66015, 1e-5),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_optimum_is_the_published_one(name):
    value, tolerance = PUBLISHED[name]
    assert find(name).optimum == pytest.approx(value, abs=tolerance, rel=0)


# One number at a time, from the printed formula: an independent twin of each vectorised function.
def branin_by_the_book(x, y):
    b, c, t = 5.1 / (4 * math.pi**2), 5 / math.pi, 1 / (8 * math.pi)
    return (y - b * x * x + c * x - 6) ** 2 + 10 * (1 - t) * math.cos(x) + 10


def rastrigin_by_the_book(*x):
    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)


def levy_by_the_book(*x):
    w = [1 + (v - 1) / 4 for v in x]
    total = math.sin(math.pi * w[0]) ** 2
    for v in w[:-1]:
        total += (v - 1) ** 2 * (1 + 10 * math.sin(math.pi * v + 1) ** 2)
    return total + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)


def michalewicz_by_the_book(*x):
    return -sum(math.sin(v) * math.sin(i * v * v / math.pi) ** 20 for i, v in enumerate(x, start=1))


def ackley_by_the_book(*x):
    d = len(x)
    root = math.sqrt(sum(v * v for v in x) / d)
    cosine = sum(math.cos(2 * math.pi * v) for v in x) / d
    return -20 * math.exp(-0.2 * root) - math.exp(cosine) + 20 + math.e


def griewank_by_the_book(*x):
    product = math.prod(math.cos(v / math.sqrt(i)) for i, v in enumerate(x, start=1))
    return sum(v * v for v in x) / 4000 - product + 1


BY_THE_BOOK = {
    "branin": branin_by_the_book,
    "rastrigin3": rastrigin_by_the_book,
    "levy5": levy_by_the_book,
    "michalewicz10": michalewicz_by_the_book,
    "ackley5": ackley_by_the_book,
    "griewank5": griewank_by_the_book,
}


@pytest.mark.parametrize("name", BY_THE_BOOK)
def test_the_vectorised_function_is_the_printed_formula(name):
    problem = find(name)
    X = uniform(problem, 50)
    expected = [BY_THE_BOOK[name](*map(float, x)) for x in X]
    assert problem.values(X) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_too_few_inputs_are_refused():
    with pytest.raises(ValueError, match="at least 1 inputs, got dim=0"):
        levy(0)
