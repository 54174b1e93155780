"""Optuna's distributions as parameters, and the values of its trials as points of the unit cube.

params   dict   name → value, as a trial of Optuna has them; a parameter that the trial did not ask for is not there
x        (d,)   its place in the unit cube; columns of absent parameters lie where inactive ones do, in the middle

A distribution may change from trial to trial. The newest one counts, and trials whose values lie outside it are not
learned from. But where the range depends on other values, as in suggest_float("y", 0, x), it is another one in almost
every trial. Then the range is what all of them cover, and a value proposed outside the range that the objective asks
for is moved to its nearest end.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import (
    BaseDistribution,
    CategoricalChoiceType,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from suffice.result.findings import CHANCE
from suffice.space import Choice, Float, Int, Space
from suffice.space.options import is_hashable, key
from suffice.space.parameters import Parameter
from suffice.types import Array


def options_of(distribution: CategoricalDistribution) -> tuple[Any, ...]:
    """The choices themselves where they are plain and differ; else their places, which always do."""
    choices = tuple(distribution.choices)
    plain = all(type(choice) in get_args(CategoricalChoiceType) for choice in choices)
    return choices if plain and len(set(map(key, choices))) == len(choices) else tuple(range(len(choices)))


def as_parameter(distribution: BaseDistribution, when: Mapping[str, Any] | None = None) -> Parameter:
    """The parameter that takes the values of a distribution."""
    match distribution:
        case FloatDistribution(low=low, high=high, log=log, step=step):
            return Float(low, high, log=log, step=None if distribution.single() else step, when=when)
        case IntDistribution(low=low, high=high, log=log, step=step):
            return Int(low, high, log=log, step=None if log or step == 1 or distribution.single() else step, when=when)
        case CategoricalDistribution():
            return Choice(*options_of(distribution), when=when)
    raise TypeError(f"wanted one of Optuna's float, int or categorical distributions: got {distribution!r}")


def inside(distribution: BaseDistribution, value: Any) -> Any:
    """A value that a trial has, as the parameter takes it; ValueError if it lies outside."""
    if isinstance(distribution, CategoricalDistribution):
        return options_of(distribution)[int(distribution.to_internal_repr(value))]
    # Optuna's storages keep floats, which round whole numbers beyond their mantissa.
    if isinstance(distribution, IntDistribution) and abs(value) >= 2**sys.float_info.mant_dig:
        return moved_into(distribution, value)
    return value


def outside(distribution: BaseDistribution, value: Any) -> Any:
    """The value of a parameter as Optuna has it: of a categorical one the very object among its choices."""
    if isinstance(distribution, CategoricalDistribution):
        keys = [key(option) for option in options_of(distribution)]
        return distribution.choices[keys.index(key(value))]
    return value


@dataclass(frozen=True, eq=False)
class Mapped:
    """A space made of distributions, and the way between trials and its cube."""

    space: Space
    distributions: Mapping[str, BaseDistribution]
    whens: Mapping[str, Mapping[str, Any]]  # conditions, by name
    _places: dict[tuple[str, Any], Array | None] = field(default_factory=dict)  # of values of discrete parameters

    @classmethod
    def of(
        cls, distributions: Mapping[str, BaseDistribution], whens: Mapping[str, Mapping[str, Any]] | None = None
    ) -> "Mapped":
        """The space of these distributions, each with its condition, by name, if it has one."""
        conditions = whens or {}
        made = {name: as_parameter(found, conditions.get(name)) for name, found in distributions.items()}
        return cls(Space(made), dict(distributions), conditions)

    @cached_property
    def digest(self) -> str:
        """A digest of this space, equal in every process."""
        return blake2b(repr(self.space).encode(), digest_size=8).hexdigest()

    @cached_property
    def columns(self) -> dict[str, slice]:
        return {coordinate.name: coordinate.columns for coordinate in self.space.coordinates}

    @cached_property
    def rest(self) -> Array:
        """Where every parameter lies if it is absent, (d,): the middle, and of options the one there."""
        middle = Space({name: as_parameter(found) for name, found in self.distributions.items()})
        row: Array = middle.place(np.full((1, len(middle.coordinates)), 0.5))[0]
        return row

    def rows(self, points: Sequence[Mapping[str, Any]]) -> tuple[Array, NDArray[np.bool_]]:
        """The places of trials, (m, d), what is inactive being at rest, and which of them have one, (m,).

        A trial without any of the parameters, or with a value outside the present range, has none.
        """
        X, found, inside = np.tile(self.rest, (len(points), 1)), np.zeros(len(points), bool), np.ones(len(points), bool)
        for name, columns in self.columns.items():
            there = [i for i, point in enumerate(points) if name in point]
            values = [points[i][name] for i in there]
            linear = self._linear(name, values)
            if linear is not None:
                X[there, columns.start] = linear
            else:
                for i, value in zip(there, values, strict=True):
                    place = self._place(name, value)
                    if place is None:
                        inside[i] = False
                    else:
                        X[i, columns] = place
            found[there] = True
        return self.space.snap(X), inside & found

    def _linear(self, name: str, values: Sequence[Any]) -> Array | None:
        """Of an even range of real numbers, where most values are, all at once as to_unit has them, to the last bit;
        None for others, or if one lies outside."""
        parameter, given = self.space.params[name], self.distributions[name]
        if not isinstance(parameter, Float) or parameter.log or parameter.step is not None:
            return None
        v = np.array(values, dtype=float)
        width = given.high - given.low if isinstance(given, FloatDistribution) else np.inf
        if not (np.isfinite(width) and np.all((parameter.low <= v) & (v <= parameter.high))):
            return None
        u: Array = (v - parameter.low) / width
        return u

    def _place(self, name: str, value: Any) -> Array | None:
        distribution = self.distributions[name]
        continuous = isinstance(distribution, FloatDistribution) and distribution.step is None
        if continuous or not is_hashable(value):
            return self._computed(name, value)
        known = name, key(value)
        if known not in self._places:
            self._places[known] = self._computed(name, value)
        return self._places[known]

    def _computed(self, name: str, value: Any) -> Array | None:
        try:
            return self.space.params[name].to_unit(inside(self.distributions[name], value))
        except (TypeError, ValueError):
            return None

    def params(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point of the space as Optuna has it."""
        return {name: outside(self.distributions[name], value) for name, value in point.items()}

    def restored(self, numbers: Mapping[str, float | None]) -> dict[str, Any]:
        """The values behind numbers of Optuna's storages, without those that are missing or outside the ranges."""
        found = {}
        for name, number in numbers.items():
            distribution = self.distributions[name]
            options = distribution.choices if isinstance(distribution, CategoricalDistribution) else None
            if number is not None and (options is None or 0 <= number < len(options)):
                value = distribution.to_external_repr(number)
                if self._place(name, value) is not None:
                    found[name] = value
        return found

    def fixed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values that can be fixed, as the parameters take them: that lie in the space, and of a
        conditional parameter only if its parents are fixed, too, at values that it needs."""
        found = {}
        for name, value in params.items():
            if name in self.columns and self._place(name, value) is not None:
                found[name] = self.space.params[name].as_value(inside(self.distributions[name], value))
        for _ in found:  # a parent may go only after its child was looked at
            found = {name: v for name, v in found.items() if set(self.space.params[name].when or ()) <= set(found)}
        return self.space.only_active(found) if found else {}


def present_distributions(seen: Iterable[Mapping[str, BaseDistribution]]) -> dict[str, BaseDistribution]:
    """The distribution of each parameter that takes several values, in the order in which they were met.

    seen    those of each trial, the oldest first
    """
    met: dict[str, list[BaseDistribution]] = {}
    for distributions in seen:
        for name, distribution in distributions.items():
            known = met.setdefault(name, [])
            if not known or known[-1] is not distribution:
                known.append(distribution)
    present = {name: _present(found) for name, found in met.items()}
    return {name: found for name, found in present.items() if not found.single()}


def _present(found: Sequence[BaseDistribution]) -> BaseDistribution:
    newest, different = found[-1], []
    for distribution in found[-10:]:  # the last trials that have the parameter
        if distribution not in different:
            different.append(distribution)
    # Somebody who changes a range does so once or twice: of more of them, it depends on other values.
    return newest if len(different) < CHANCE else covering(newest, found)


def covering(newest: BaseDistribution, found: Sequence[BaseDistribution]) -> BaseDistribution:
    """The range that all of them lie in; with steps if they have the same ones."""
    match newest:
        case FloatDistribution() | IntDistribution():
            of_a_kind = [d for d in found if type(d) is type(newest) and d.log == newest.log]
            low, high = min(d.low for d in of_a_kind), max(d.high for d in of_a_kind)
            steps = {d.step for d in of_a_kind}
            even = len(steps) == 1 and all(_on_step(d.low - low, newest.step) for d in of_a_kind)
            if isinstance(newest, FloatDistribution):
                return FloatDistribution(low, high, log=newest.log, step=newest.step if even else None)
            return IntDistribution(int(low), int(high), log=newest.log, step=newest.step if even else 1)
    return newest


def _on_step(distance: float, step: float | None) -> bool:
    if step is None:
        return True
    k = distance / step
    return abs(k - round(k)) < 1e-9 * max(1.0, abs(k))


def moved_into(distribution: BaseDistribution, value: float) -> Any:
    """The value of the distribution that is nearest to a value outside it; None for options, which have no order."""
    match distribution:
        case IntDistribution(low=low, high=high, step=step):
            return min(max(low + round((round(value) - low) / step) * step, low), high)
        case FloatDistribution(low=low, high=high, step=None):
            return min(max(value, low), high)
        case FloatDistribution(low=low, high=high, step=float(step)):
            steps = round((min(max(value, low), high) - low) / step)
            return as_parameter(distribution).as_value(min(low + steps * step, high))
    return None
