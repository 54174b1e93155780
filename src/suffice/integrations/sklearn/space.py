"""Search spaces in the forms in which users of scikit-learn and scikit-optimize write them.

Neither library is needed: their objects are known by their shape, a protocol each. Options that no file can hold, such
as estimators, functions and dicts, go by their names: a study searches over names, so that it can be stored, drawn and
reported, and scikit-learn gets the objects (`Labelled`).
"""

import logging
import math
import numbers
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from suffice.checks import short
from suffice.record.encoding import to_spec
from suffice.space import Choice, Float, Int, Ordinal, Parameter, SearchSpace, Space
from suffice.space.constraints import Predicate, text
from suffice.space.options import equal, find, is_hashable, key
from suffice.space.parameters import about, constant, is_whole
from suffice.text import visible

log = logging.getLogger("suffice")


@runtime_checkable
class Estimator(Protocol):
    """A model of scikit-learn's kind."""

    get_params: Any
    set_params: Any


@runtime_checkable
class Distribution(Protocol):
    """A frozen distribution of SciPy."""

    rvs: Any
    dist: Any


@runtime_checkable
class Dimension(Protocol):
    """A range such as skopt's Real and Integer."""

    low: Any
    high: Any


@runtime_checkable
class Categories(Protocol):
    """Options such as skopt's Categorical."""

    categories: Any


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
    if isinstance(given, Distribution):
        return _of_distribution(given)
    if isinstance(given, Dimension):
        return _of_dimension(given)
    return constant(given)


def options_of(given: Any) -> tuple[Any, ...] | None:
    """The options that are meant, as plain Python values where they are numbers; None if it is no set of options."""
    if isinstance(given, Choice | Ordinal):
        return given.options
    if isinstance(given, type):
        return None
    if isinstance(given, Estimator):  # a constant; some have attributes that look like those of a range
        return (given,)
    if isinstance(given, Categories):
        return tuple(map(_plain, given.categories))
    if isinstance(given, list | np.ndarray) or (isinstance(given, tuple) and not _is_range(given)):
        if not len(given):
            raise ValueError(f"options are a list with at least one: got {given!r}")
        return tuple(map(_plain, given))
    return None


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
    prior = vars(given).get("prior", "uniform")
    if not kinds & {"Real", "Integer"} or prior not in PRIORS:
        raise TypeError(
            f"{short(given)} of type {type(given).__name__} is not a supported range; write sf.Float(low, high) "
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
        f"the distribution {fault} is not supported: uniform, loguniform and randint are; write the range as "
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


@dataclass(frozen=True)
class Labelled:
    """A space as a study searches it, and what its names stand for."""

    space: SearchSpace
    objects: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)  # parameter → key of an option → object

    def params(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point of the study as scikit-learn's `set_params` takes it."""
        return {name: self.objects[name][key(v)] if name in self.objects else v for name, v in point.items()}


@dataclass(frozen=True)
class OfObjects:
    """A user's constraint, asked about the objects."""

    predicate: Predicate
    labelled: Labelled

    @property
    def __name__(self) -> str:
        return text(self.predicate)

    def __call__(self, point: Mapping[str, Any]) -> bool:
        return self.predicate(self.labelled.params(point))


def labelled(given: Any) -> Labelled:
    """A search space as a user gives it: a Space, a dict of whatever `as_parameter` reads, or another named space."""
    if isinstance(given, Space) and given.named:
        return _of_entries(given.params, given)
    if isinstance(given, Mapping):
        return _of_entries(given, None)
    if isinstance(given, SearchSpace) and not isinstance(given, type) and given.named:
        return Labelled(given)
    raise TypeError(
        "a search space is a dict such as {'C': (1e-3, 1e3, 'log-uniform')}, or an sf.Space with the names of the "
        f"estimator's parameters: got {short(given)} of type {type(given).__name__}"
    )


def _of_entries(entries: Mapping[str, Any], whole: Space | None) -> Labelled:
    objects: dict[str, Mapping[Any, Any]] = {}
    parameters: dict[str, Parameter] = {}
    for name, entry in entries.items():
        with about(name):
            options = options_of(entry)
            if (
                isinstance(entry, list)
                and len(entry) == 2
                and _is_range(tuple(entry))
                and not all(map(is_whole, entry))
            ):
                low, high = entry
                log.warning(
                    f"{name!r}: the list [{low}, {high}] has two options; write ({low}, {high}) for the range between "
                    f"them, or sf.Choice({low}, {high}) if two options are meant"
                )
            if options is None or all(map(_storable, options)):
                parameters[name] = as_parameter(entry)
                continue
            names = labels(options)
            objects[name] = dict(zip(map(key, names), options, strict=True))
            kind = Ordinal if isinstance(entry, Ordinal) else Choice
            parameters[name] = kind(*names, when=entry.when if isinstance(entry, Parameter) else None)
    known = {name: _told_by_name(parameter, parameters, objects) for name, parameter in parameters.items()}
    result = Labelled(Space(known) if whole is None else whole.with_parameters(tuple(known.values())), objects)
    if whole is None or not whole.where or not objects:
        return result
    where = [OfObjects(predicate, result) for predicate in whole.where]
    return Labelled(Space(known, where=where), objects)


def _told_by_name(
    parameter: Parameter, among: Mapping[str, Parameter], objects: Mapping[str, Mapping[Any, Any]]
) -> Parameter:
    """The parameter, with a condition on objects as one on their names."""
    if parameter.when is None or not any(parent in objects for parent in parameter.when):
        return parameter
    when = {}
    for parent, values in parameter.when.needs:  # type: ignore[attr-defined]  # a When, made by the parameter
        if parent in objects:
            names: Any = among[parent].options  # type: ignore[union-attr]  # of objects there is a choice
            options = tuple(objects[parent].values())
            places = {key(option): j for j, option in enumerate(options) if is_hashable(option)}
            values = tuple(names[find(value, options, places)] for value in values)
        when[parent] = values
    if isinstance(parameter, Choice | Ordinal):
        return type(parameter)(*parameter.options, when=when)
    return replace(parameter, when=when)


def labels(options: Sequence[Any]) -> tuple[Any, ...]:
    """What stands for each option: itself where a file can hold it, else a name, each only once."""
    found: list[Any] = []
    for option in options:
        label = option if _storable(option) else _name(option)
        number = 2
        while any(equal(label, other) for other in found) and not _storable(option):
            label, number = f"{_name(option)} ({number})", number + 1
        found.append(label)
    return tuple(found)


def _storable(option: Any) -> bool:
    if not is_hashable(option):
        return False
    try:
        to_spec(Choice(option))
    except TypeError:
        return False
    return True


def _name(option: Any) -> str:
    """A name that is the same in every process: without addresses."""
    own = getattr(option, "__qualname__", None)  # of a function or a class, whoever made it
    return visible(own if isinstance(own, str) else " ".join(re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(option)).split()))
