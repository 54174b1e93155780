"""What a user gives, in plain types, or a sentence that says what is wrong: points, known values, randomness, times."""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from suffice.checks import as_count, short
from suffice.record.outputs import PARAMETER
from suffice.space import OpenSpace, OwnPoints, Parameter, SearchSpace, Space, sliced
from suffice.space.parameters import about, listed, nearest_name
from suffice.streams import Streams

log = logging.getLogger("suffice")

Known: TypeAlias = tuple[Any, Mapping[str, float], Any]  # a point, the outputs there by name, their noise's variance


def as_point(point: Any, space: SearchSpace) -> Any:
    """A user's point in plain types. Its numbers stay as they are: a trip through the cube would round them."""
    x = space.to_unit(point)
    if isinstance(space, OwnPoints):
        return space.from_unit(x)
    if isinstance(space, OpenSpace):
        return _in_order(point, space)
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
            raise ValueError(f"fixed has {name!r}, which is not a parameter: {nearest_name(name, space.names)}")
    return _in_order(fixed, space) or None


def _in_order(values: Mapping[str, Any], space: SearchSpace) -> dict[str, Any]:
    """Values of some parameters in plain types, in the order of the space."""
    found = {}
    for name, parameter in space.params.items():
        if name in values:
            with about(name):
                found[name] = parameter.as_value(values[name])
    return found


def to_plain(point: Any, space: SearchSpace) -> Any:
    """What a file holds of a point: the values of its parameters, in order, or what its space says."""
    if isinstance(space, OwnPoints):
        return space.to_plain(point)
    if isinstance(space, OpenSpace):  # whose parameters are others later
        return dict(point)
    if space.named:
        return tuple(point.get(name) for name in space.names)  # None for what is inactive
    return tuple(point.tolist() if isinstance(point, np.ndarray) else point)


def from_plain(plain: Any, space: SearchSpace) -> Any:
    """The point again, as the space has it: an option is the space's own object."""
    if isinstance(space, OwnPoints):
        return space.from_plain(plain)
    if isinstance(space, OpenSpace):
        return {**plain}
    point = dict(zip(space.names, plain, strict=True)) if space.named else plain
    conditional = any(parameter.when for parameter in space.params.values())
    return as_point(point, space) if conditional else _in_plain_types(point, space)  # where it is, is looked at later


def as_points(x0: Any, space: SearchSpace) -> tuple[Any, ...]:
    """Points to begin with, as settings hold them: of a list of points, one point, or a table."""
    return tuple(_each("x0", _listed(x0, space), lambda i, point: as_given(_completed(point, i, space), space)))


def _listed(x0: Any, space: SearchSpace) -> Sequence[Any]:
    """The points as they were given."""
    if x0 is None:
        return ()
    if is_table(x0):
        left = [
            name for name, p in space.params.items() if not p.when and not {name, PARAMETER + name} & set(x0.columns)
        ]
        if space.named and left:
            log.warning("x0: the table has no column %s: drawn at random", listed(left))
        return list(of_table(x0, space))
    if _is_a_point(x0, space):
        return [x0]
    if hasattr(x0, "to_dict"):  # another kind of table, such as one of polars
        raise TypeError("x0 must be a list of points: got a table; write x0=table.to_dict('records'), or to_dicts()")
    if isinstance(x0, str | bytes | Mapping) or not isinstance(x0, Sequence | np.ndarray):
        raise TypeError(f"x0 must be a list of points: got {type(x0).__name__} {short(x0)}; one point is x0=[point]")
    return list(x0)


def _each(name: str, items: Sequence[Any], read: Callable[[int, Any], Any]) -> Iterator[Any]:
    """What is read of each item; a wrong one is refused by its place."""
    for i, item in enumerate(items):
        try:
            yield read(i, item)
        except (TypeError, ValueError) as error:
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"{name}[{i}]: {error}") from None


def _completed(point: Any, i: int, space: SearchSpace) -> Any:
    """A point with a value for every parameter: those that a dict leaves out, or has as None, are drawn.

    The draw is the same whatever the seed is: a study that is resumed by the same call has to find the same points.
    """
    if not isinstance(space, Space) or not isinstance(point, Mapping) or not set(point) <= set(space.names):
        return as_point(point, space)
    said = {name: value for name, value in point.items() if not _is_left_out(value, space.params[name])}
    if not said or len(said) == len(space.names):
        return as_point(point, space)
    whole = all(name in said for name, parameter in space.params.items() if not parameter.when)
    if whole and len(space.only_active(said)) < len(said):  # refused, with the values to leave out
        return as_point(point, space)
    part = sliced(space, _in_order(said, space))
    return part.from_unit(part.sample(1, Streams(0)("x0", i))[0])


def _is_left_out(value: Any, parameter: Parameter) -> bool:
    """None where it is no option; and nan, which tables have for a conditional parameter that is inactive."""
    if value is None:
        return None not in getattr(parameter, "options", ())
    return bool(parameter.when) and isinstance(value, float) and math.isnan(value)


def as_given(point: Any, space: SearchSpace) -> Any:
    """A point as settings hold it: those that are compared by their numbers as tuples."""
    if isinstance(space, OwnPoints) or isinstance(point, dict):
        return point
    return tuple(point.tolist() if isinstance(point, np.ndarray) else point)


def earlier_values(x0: Any, y0: Any) -> tuple[Any, Any, Any]:
    """x0, y0 and the known variances of the noise; of an earlier result, or an optimizer, those of its values."""
    done = getattr(getattr(x0, "history", None), "done", None)  # results and histories lie in rooms above
    if done is None:
        return x0, y0, None
    if y0 is not None:
        raise ValueError("x0 is a result, which has the values at its points: got y0 as well; leave it out")
    return [trial.point for trial in done], [trial.values for trial in done], [trial.noise_var for trial in done]


def known_values(
    x0: Any, y0: Any, space: SearchSpace, as_values: Callable[[Any], Any]
) -> tuple[tuple[Any, ...], tuple[Known, ...]]:
    """The points whose values are still to be found, and those whose values are known, with their values.

    as_values    makes of what is given for one point all outputs by name, or says what is wrong with it
    """
    x0, y0, noise = earlier_values(x0, y0)
    if y0 is None:
        return as_points(x0, space), ()
    points = _listed(x0, space)
    if not len(points) and noise is None:
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

    def given(i: int, point: Any) -> Any:  # a value belongs to a whole point
        return as_given(_completed(point, i, space) if values[i] is None else as_point(point, space), space)

    found = list(_each("x0", points, given))
    outputs = _each("y0", list(values), lambda _, value: None if value is None else as_values(value))
    known = tuple(zip(found, outputs, noise or [None] * len(found), strict=True))
    left = tuple(point for point, told, _ in known if told is None)
    return left, tuple(one for one in known if one[1] is not None)


def count_known(x0: Any, y0: Any) -> int:
    """How many values are known at the start."""
    _, values, _ = earlier_values(x0, y0)
    if values is None or isinstance(values, Number | Mapping):
        return int(values is not None)
    return sum(value is not None for value in values)


def unrecorded(known: Sequence[Known], space: SearchSpace, told: Sequence[Any]) -> Iterator[Known]:
    """The known values that are not in a study yet; `told` are the unit-cube points of those that are."""
    heard = Counter(unit.tobytes() for unit in told)
    if not heard:  # nothing to compare with: the usual case
        yield from known
        return
    for one in known:
        place = space.to_unit(one[0]).tobytes()
        if heard[place]:
            heard[place] -= 1
        else:
            yield one


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


# ---------------------------------------------------------------------- tables


def is_table(points: Any) -> bool:
    """A pandas.DataFrame or what looks like one, told by what it has: pandas is not imported for it."""
    return all(hasattr(points, name) for name in ("columns", "isna", "to_dict", "loc"))


def of_table(table: Any, space: SearchSpace) -> Iterator[Any]:
    """The rows of a table as points: by the names of the columns or, without names, by their order."""
    headers = {name: f"{PARAMETER}{name}" if f"{PARAMETER}{name}" in table.columns else name for name in space.names}
    known = [name for name in space.names if headers[name] in table.columns]
    if not space.named and len(known) < len(space.names):
        if len(table.columns) != len(space.names):
            raise ValueError(
                f"the table must have the columns {listed(space.names)}, or {len(space.names)} in that order: got "
                f"{listed(list(table.columns))}"
            )
        known, headers = list(table.columns), {name: name for name in table.columns}
    columns = [table[headers[name]] for name in known]
    values, there = [column.tolist() for column in columns], [column.notna().tolist() for column in columns]
    for name, column, has in zip(known, values, there, strict=True):
        if None in getattr(space.params.get(name), "options", ()):
            has[:] = [one or value is None for one, value in zip(has, column, strict=True)]  # an option, not a gap
    for i in range(len(table)):
        if space.named:
            yield {name: v[i] for name, v, has in zip(known, values, there, strict=True) if has[i]}
        else:
            yield [v[i] for v in values]
