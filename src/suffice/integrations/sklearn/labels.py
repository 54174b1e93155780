"""Options that no file can hold, such as estimators, functions and dicts, by their names.

A study searches over names, so that it can be stored, drawn and reported; scikit-learn gets the objects.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from suffice.checks import short
from suffice.integrations.sklearn.spaces import as_parameter, options_of
from suffice.space import Choice, Ordinal, Parameter, SearchSpace, Space
from suffice.space.naming import about
from suffice.space.options import find
from suffice.space.predicates import Predicate, text
from suffice.space.sameness import equal, is_hashable, key
from suffice.study.spec import to_spec

LONGEST = 60  # letters of a name: an axis and a table have room for them


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
            if options is None or all(map(_storable, options)):
                parameters[name] = as_parameter(entry)
                continue
            names = labels(options)
            objects[name] = dict(zip(map(key, names), options, strict=True))
            kind = Ordinal if isinstance(entry, Ordinal) else Choice
            parameters[name] = kind(*names, when=getattr(entry, "when", None))
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
    own = getattr(option, "__qualname__", None)
    whole = own if isinstance(own, str) else " ".join(re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(option)).split())
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1] + "…"
