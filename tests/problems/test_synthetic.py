import math

import numpy as np
import pytest

from suffice.problems import PROBLEMS, Problem
from suffice.problems import scalable as family

each = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)

SCALABLE = {
    "rastrigin": (family.rastrigin, (1, 2, 7)),
    "levy": (family.levy, (1, 2, 7)),
    "michalewicz": (family.michalewicz, (1, 2, 7, 20)),
    "ackley": (family.ackley, (1, 2, 7)),
    "griewank": (family.griewank, (1, 2, 7)),
    "rosenbrock": (family.rosenbrock, (2, 3, 7)),
    "styblinski_tang": (family.styblinski_tang, (1, 2, 7)),
    "cosine_mixture": (family.cosine_mixture, (1, 2, 7)),
    "dixon_price": (family.dixon_price, (2, 3, 7)),
    "powell": (family.powell, (4, 8)),
}
IN_ANY_DIMENSION = [make(dim) for make, dims in SCALABLE.values() for dim in dims]
KINKED = {"bukin6", "ackley1", "ackley2", "ackley5", "ackley7"}  # no derivative exists at the minimizer
NAMED = PROBLEMS | {problem.name: problem for problem in IN_ANY_DIMENSION}
SMOOTH = [problem for name, problem in NAMED.items() if name not in KINKED]


def uniform(problem: Problem, n: int) -> np.ndarray:
    low, high = np.array(problem.bounds).T
    return low + (high - low) * np.random.default_rng(0).random((n, problem.dim))


def gradient(problem: Problem, x: np.ndarray) -> np.ndarray:
    """Central differences of the fourth order, per unit of the box's width."""
    low, high = np.array(problem.bounds).T
    E = np.diag(5e-5 * (high - low))
    near, far = (problem.values(x + k * E) - problem.values(x - k * E) for k in (1, 2))
    return (8 * near - far) / 6e-4


@each
def test_the_minimizers_are_inside_the_box_and_attain_the_optimum(problem):
    low, high = np.array(problem.bounds).T
    for x in problem.minimizers:
        assert np.all((low <= x) & (x <= high))
        assert problem(x) == pytest.approx(problem.optimum, rel=1e-14, abs=1e-14)


@each
def test_random_points_are_never_better_than_the_optimum(problem):
    assert np.all(problem.values(uniform(problem, 10_000)) > problem.optimum)


@pytest.mark.parametrize("problem", IN_ANY_DIMENSION, ids=lambda problem: problem.name)
def test_the_optimum_holds_in_any_dimension(problem):
    for x in problem.minimizers:
        assert problem(x) == pytest.approx(problem.optimum, rel=1e-14, abs=1e-14)
    assert np.all(problem.values(uniform(problem, 10_000)) >= problem.optimum)


@each
def test_no_small_step_from_a_minimizer_goes_down(problem):
    low, high = np.array(problem.bounds).T
    steps = np.random.default_rng(1).standard_normal((2_000, problem.dim)) * (high - low)
    for x in problem.minimizers:
        for size in (1e-2, 1e-4):
            values = problem.values(np.clip(x + size * steps, low, high))
            assert np.all(values >= problem.optimum - 1e-13 * max(1.0, abs(problem.optimum)))


@pytest.mark.parametrize("problem", SMOOTH, ids=lambda problem: problem.name)
def test_the_slope_at_a_minimizer_is_zero_inside_and_points_out_at_a_bound(problem):
    low, high = np.array(problem.bounds).T
    scale = np.std(problem.values(uniform(problem, 1_000)))
    for x in np.array(problem.minimizers):
        slope = gradient(problem, x) / scale
        at_high, at_low = x == high, x == low
        assert np.all(np.abs(slope[~at_high & ~at_low]) < 1e-6)
        assert np.all(slope[at_high] < 0)
        assert np.all(slope[at_low] > 0)


@each
def test_a_batch_is_its_rows_one_by_one(problem):
    X = uniform(problem, 17)
    assert problem.values(X) == pytest.approx([problem(x) for x in X], rel=1e-13)


@each
def test_the_input_is_left_alone(problem):
    X = uniform(problem, 5)
    X.setflags(write=False)
    problem.values(X)


@each
def test_a_problem_is_registered_under_its_own_name_with_a_source(problem):
    assert PROBLEMS[problem.name] is problem
    assert problem.source
    assert all(len(x) == problem.dim for x in problem.minimizers)


# As printed in the literature, to the digits given there.
PUBLISHED = {
    "branin": (0.397887, 1e-6),
    "six_hump_camel": (-1.0316, 1e-4),
    "goldstein_price": (3.0, 0.0),
    "eggholder": (-959.6407, 1e-4),
    "hartmann3": (-3.86278214782076, 1e-14),
    "hartmann4": (-3.729840584485584, 1e-14),
    "hartmann4_rescaled": (-3.1344941412223984, 1e-14),
    "hartmann6": (-3.32236801141551, 1e-14),
    "shekel5": (-10.1532, 1e-4),
    "shekel7": (-10.4029, 1e-4),
    "shekel10": (-10.5364, 1e-4),
    "michalewicz2": (-1.8013, 1e-4),
    "michalewicz5": (-4.687658, 1e-6),
    "michalewicz10": (-9.66015, 1e-5),
    "styblinski_tang4": (-39.16599 * 4, 1e-3),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_optimum_is_the_published_one(name):
    value, tolerance = PUBLISHED[name]
    assert PROBLEMS[name].optimum == pytest.approx(value, abs=tolerance, rel=0)


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
    "branin": branin_by_the_book,
    "rastrigin3": rastrigin_by_the_book,
    "levy5": levy_by_the_book,
    "michalewicz10": michalewicz_by_the_book,
    "ackley5": ackley_by_the_book,
    "griewank5": griewank_by_the_book,
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
    X = uniform(PROBLEMS[name], 50)
    expected = [BY_THE_BOOK[name](*map(float, x)) for x in X]
    assert PROBLEMS[name].values(X) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_the_rescaled_hartmann_is_the_plain_one_shifted_and_scaled():
    X = uniform(PROBLEMS["hartmann4"], 100)
    assert 0.839 * PROBLEMS["hartmann4_rescaled"].values(X) - 1.1 == pytest.approx(PROBLEMS["hartmann4"].values(X))


@pytest.mark.parametrize(("make", "dim"), [(family.levy, 0), (family.rosenbrock, 1), (family.dixon_price, 1)])
def test_too_few_inputs_are_refused(make, dim):
    with pytest.raises(ValueError, match=f"at least .* inputs, got dim={dim}"):
        make(dim)


def test_powell_wants_groups_of_four():
    with pytest.raises(ValueError, match="multiple of 4"):
        family.powell(6)
