"""Parameters in the forms in which users of scikit-learn and scikit-optimize write them.

It needs neither library: objects of theirs are known by their shape.
"""

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.checks import short
from suffice.space import Choice, Float, Int, Ordinal, Parameter
from suffice.space.pairs import constant, is_whole

PRIORS = {"uniform": False, "log-uniform": True}  # scikit-optimize's words, and whether the scale is logarithmic


def as_parameter(given: Any) -> Parameter:
    """The parameter that is meant by one entry of a search space.

    sf.Float, sf.Int, …                     itself
    (1, 8), (0.0, 1.0)                      a range, with both ends: Int if both are whole numbers, else Float
    (1e-6, 1e6, "log-uniform")              a range on a log scale; a base after it changes nothing
    ["a", "b"], ("a", "b"), an array        options; sorted numbers, three or more, keep their order (Ordinal)
    range(1, 10, 2)                         Int with a step
    uniform, loguniform, randint of SciPy   the range of the distribution
    skopt's Real, Integer, Categorical      what they say, but for the prior of a Categorical
    3, "adam", None                         a constant

    A tuple of two numbers is a range, a list of two numbers has two options.
    """
    if isinstance(given, Parameter):
        return given
    options = options_of(given)
    if options is not None:
        return Ordinal(*options) if _is_sorted(options) else Choice(*options)
    if isinstance(given, tuple):
        return _of_bounds(*given)
    if isinstance(given, range):
        return Int(min(given), max(given), step=abs(given.step)) if len(given) > 1 else Choice(*given)
    if hasattr(given, "rvs") and hasattr(given, "dist"):
        return _of_distribution(given)
    if hasattr(given, "low") and hasattr(given, "high"):
        return _of_dimension(given)
    return constant(given)


def options_of(given: Any) -> tuple[Any, ...] | None:
    """The options that are meant, as plain Python values where they are numbers; None if it is no set of options."""
    if isinstance(given, Choice | Ordinal):
        return given.options
    if is_estimator(given):  # a constant; some have attributes that look like those of a range
        return (given,)
    if not isinstance(given, type) and hasattr(given, "categories"):  # skopt's Categorical
        return tuple(map(_plain, given.categories))
    if isinstance(given, list | np.ndarray) or (isinstance(given, tuple) and not _is_range(given)):
        if not len(given):
            raise ValueError(f"options are a list with at least one: got {given!r}")
        return tuple(map(_plain, given))
    return None


def is_estimator(given: Any) -> bool:
    """Whether it is a model of scikit-learn's kind."""
    return hasattr(given, "get_params") and hasattr(given, "set_params") and not isinstance(given, type)


def _plain(option: Any) -> Any:
    """NumPy's numbers as Python's."""
    return option.item() if isinstance(option, np.generic) else option


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _is_range(given: tuple[Any, ...]) -> bool:
    """Two numbers, and perhaps the word for the scale and its base."""
    if len(given) not in (2, 3, 4) or not all(map(_is_number, given[:2])):
        return False
    return len(given) == 2 or isinstance(given[2], str)


def _is_sorted(options: tuple[Any, ...]) -> bool:
    """Whether an order is meant: three numbers or more that go up, or down."""
    if len(options) < 3 or not all(map(_is_number, options)):
        return False
    steps = np.sign(np.diff(np.array(options, dtype=np.float64)))
    return bool(np.all(steps == 1) or np.all(steps == -1))


def _of_bounds(low: Any, high: Any, prior: Any = "uniform", base: Any = 10) -> Parameter:
    """A range as scikit-optimize has it; the base of its logarithm changes no point."""
    if prior not in PRIORS:
        raise ValueError(f"the scale of a range is 'uniform' or 'log-uniform': got {short(prior)}")
    if not _is_number(base) or base <= 1:
        raise ValueError(f"the base of a log scale is a number above 1: got {short(base)}")
    kind = Int if is_whole(low) and is_whole(high) else Float
    return kind(low, high, log=PRIORS[prior])


def _of_dimension(given: Any) -> Parameter:
    """An object with the shape of skopt's Real or Integer."""
    kinds = {base.__name__ for base in type(given).__mro__}
    prior = getattr(given, "prior", "uniform")
    if not kinds & {"Real", "Integer"} or prior not in PRIORS:
        raise TypeError(
            f"{short(given)} of type {type(given).__name__} is no range that is known here; write sf.Float(low, high) "
            "or sf.Int(low, high), with log=True for a log scale"
        )
    kind = Int if "Integer" in kinds else Float
    return kind(given.low, given.high, log=PRIORS[prior])


def _of_distribution(given: Any) -> Parameter:
    """A frozen distribution of SciPy, as RandomizedSearchCV draws from it, where its density is a kind of range."""
    name = given.dist.name
    low, high = given.support()
    if name == "uniform":
        return Float(low, high)
    if name == "randint":
        return Int(low, high)
    shifted = name in ("loguniform", "reciprocal") and not math.isclose(given.median(), math.sqrt(low * high))
    if name in ("loguniform", "reciprocal") and not shifted:
        return Float(low, high, log=True)
    fault = f"{name} with loc ≠ 0" if shifted else str(name)
    raise ValueError(
        f"the distribution {fault} is no range: uniform, loguniform and randint are; write where to search as "
        "sf.Float(low, high), sf.Float(low, high, log=True) or sf.Int(low, high)"
    )


def as_spaces(given: Any) -> tuple[tuple[Any, int | None], ...]:
    """What is to be searched one after the other: spaces, each with its number of trials or None.

    One space, a pair (space, n), or a list of both.
    """
    several = given if isinstance(given, list) else [given]
    if not several:
        raise ValueError("search_spaces is empty: give a dict such as {'C': (1e-3, 1e3, 'log-uniform')}")
    return tuple(map(_with_trials, several))


def _with_trials(given: Any) -> tuple[Any, int | None]:
    if isinstance(given, tuple):
        if len(given) != 2 or not is_whole(given[1]) or given[1] < 1:
            raise ValueError(
                f"a tuple among the search spaces is (space, n) with n trials, a whole number ≥ 1: got {short(given)}"
            )
        return given[0], int(given[1])
    if isinstance(given, Mapping) and not given:
        raise ValueError("a search space is empty: give it at least one parameter, such as {'C': (0.1, 10.0)}")
    return given, None
