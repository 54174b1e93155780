"""What a user gives, in plain types, or a sentence that says what is wrong: points, known values, randomness, times."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from suffice.checks import as_count, short
from suffice.space import OwnPoints, SearchSpace, Space
from suffice.space.parameters import about, nearest_name

Known: TypeAlias = tuple[Any, Mapping[str, float]]  # a point, and the outputs there by name


def as_point(point: Any, space: SearchSpace) -> Any:
    """A user's point in plain types. Its numbers stay as they are: a trip through the cube would round them."""
    x = space.to_unit(point)
    if isinstance(space, OwnPoints):
        return space.from_unit(x)
    if not any(parameter.when for parameter in space.params.values()):
        return _in_plain_types(point, space)
    there = space.names_at(x) if isinstance(space, Space) else space.from_unit(x)  # the parameters that are active
    return {name: space.params[name].as_value(point[name]) for name in there}


def _in_plain_types(point: Any, space: SearchSpace) -> Any:
    """Each value as its parameter has it, of a point that has all parameters."""
    if space.named:
        return {name: parameter.as_value(point[name]) for name, parameter in space.params.items()}
    array = isinstance(space, Space) and space.arrays
    given = zip(space.params.values(), np.array(point, dtype=float).tolist() if array else point, strict=True)
    values = [parameter.as_value(value) for parameter, value in given]
    return np.array(values) if array else values


def as_fixed(fixed: Any, space: SearchSpace) -> dict[str, Any] | None:
    """Values, by name, that a point has to have, in plain types and in the order of the space; None: none."""
    if fixed is None:
        return None
    if not space.params:
        raise TypeError(f"fixed= needs a space made of parameters: got {space!r}; ask without it")
    example = f"{{{space.names[0]!r}: value}}"
    if not isinstance(fixed, Mapping):
        raise TypeError(f"fixed must be a dict of names and values, such as {example}: got {type(fixed).__name__}")
    for name in fixed:
        if name not in space.params:
            raise ValueError(f"fixed has {name!r}, which is no parameter: {nearest_name(name, space.names)}")
    found = {}
    for name, parameter in space.params.items():
        if name in fixed:
            with about(name):
                found[name] = parameter.as_value(fixed[name])
    return found or None


def to_plain(point: Any, space: SearchSpace) -> Any:
    """What a file holds of a point: the values of its parameters, in order, or what its space says."""
    if isinstance(space, OwnPoints):
        return space.to_plain(point)
    if space.named:
        return tuple(point.get(name) for name in space.names)  # None for what is inactive
    return tuple(point.tolist() if isinstance(point, np.ndarray) else point)


def from_plain(plain: Any, space: SearchSpace) -> Any:
    """The point again, as the space has it: an option is the space's own object."""
    if isinstance(space, OwnPoints):
        return space.from_plain(plain)
    point = dict(zip(space.names, plain, strict=True)) if space.named else plain
    conditional = any(parameter.when for parameter in space.params.values())
    return as_point(point, space) if conditional else _in_plain_types(point, space)  # where it is, is looked at later


def as_points(x0: Any, space: SearchSpace) -> tuple[Any, ...]:
    """Points to begin with, as settings hold them: a list of points, or one point."""
    if x0 is None:
        return ()
    if _is_a_point(x0, space):
        x0 = [x0]
    if hasattr(x0, "to_dict"):  # a table of pandas or polars; neither is imported here
        raise TypeError("x0 must be a list of points: got a table; write x0=table.to_dict('records')")
    if isinstance(x0, str | bytes | Mapping) or not isinstance(x0, Sequence | np.ndarray):
        raise TypeError(f"x0 must be a list of points: got {type(x0).__name__} {short(x0)}; one point is x0=[point]")
    found = []
    for i, point in enumerate(x0):
        try:
            found.append(as_given(as_point(point, space), space))
        except (TypeError, ValueError) as error:
            raise type(error)(f"x0[{i}]: {error}") from None
    return tuple(found)


def as_given(point: Any, space: SearchSpace) -> Any:
    """A point as settings hold it: those that are compared by their numbers as tuples."""
    if isinstance(space, OwnPoints) or isinstance(point, dict):
        return point
    return tuple(point.tolist() if isinstance(point, np.ndarray) else point)


def known_values(
    x0: Any, y0: Any, space: SearchSpace, as_values: Callable[[Any], Any]
) -> tuple[tuple[Any, ...], tuple[Known, ...]]:
    """The points whose values are still to be found, and those whose values are known, with their values.

    as_values    makes of what is given for one point all outputs by name, or says what is wrong with it
    """
    points = as_points(x0, space)
    if y0 is None:
        return points, ()
    if not points:
        raise ValueError("y0 has the values at the points x0: got y0 without x0; give the points as well")
    if hasattr(y0, "to_dict") and hasattr(y0, "columns"):  # a table, and no column of one
        raise TypeError("y0 must be a list of values: got a table; write y0=table.to_dict('records')")
    one = isinstance(y0, Number) or (isinstance(y0, Mapping) and len(points) == 1)
    values = [y0] if one else y0.tolist() if hasattr(y0, "tolist") else y0  # an array, or a column of pandas
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Sequence | np.ndarray):
        raise TypeError(f"y0 must be a list of values, one for each point of x0: got {type(y0).__name__}")
    if len(values) != len(points):
        raise ValueError(
            f"y0 must have a value for each point of x0: got {len(values)} for {len(points)} points; "
            "None stands for a value that is not known"
        )
    left = tuple(point for point, value in zip(points, values, strict=True) if value is None)
    known = []
    for i, (point, value) in enumerate(zip(points, values, strict=True)):
        if value is not None:
            try:
                known.append((point, as_values(value)))
            except (TypeError, ValueError) as error:
                raise type(error)(f"y0[{i}]: {error}") from None
    return left, tuple(known)


def count_known(y0: Any) -> int:
    """How many values y0 has."""
    if y0 is None or isinstance(y0, Number | Mapping):
        return int(y0 is not None)
    return sum(value is not None for value in y0)


def not_told(known: Sequence[Known], space: SearchSpace, told: Sequence[Any]) -> Iterator[Known]:
    """Those of the known values that a study has not heard of; `told` are the places of the points that it has."""
    heard = Counter(unit.tobytes() for unit in told)
    if not heard:  # nothing to compare with: the usual case
        yield from known
        return
    for point, value in known:
        place = space.to_unit(point).tobytes()
        if heard[place]:
            heard[place] -= 1
        else:
            yield point, value


def as_seed(seed: Any) -> int | None:
    """The seed of a run; None: a fresh one is to be drawn.

    A generator is drawn from once, and what it gives is the seed that the run records.
    """
    match seed:
        case None:
            return None
        case np.random.SeedSequence():
            return int(seed.generate_state(1)[0])
        case np.random.BitGenerator() | np.random.Generator():
            return int(np.random.default_rng(seed).integers(2**32))
        case np.random.RandomState():
            return int(seed.randint(2**32, dtype=np.uint64))
    return as_count(seed, "seed", 0)


def _is_a_point(x0: Any, space: SearchSpace) -> bool:
    """Whether it is one point and no list of them: a dict, or as many values in a row as there are parameters."""
    if isinstance(space, OwnPoints):
        return False
    if space.named:
        return isinstance(x0, Mapping)
    if isinstance(x0, np.ndarray):
        return bool(x0.shape == (len(space.names),))
    if isinstance(x0, str | bytes) or not isinstance(x0, Sequence):
        return False
    return len(x0) == len(space.names) and not any(isinstance(v, list | tuple | np.ndarray) for v in x0)
