"""What figures are drawn from: results, trials by merit, parameters as axes, and sections through the space.

X       (n, d)   rows of the unit cube         place   float   where a value lies on its axis (axes.Scale)
block   (m, w)   the columns of one parameter
base    (d,)     a row of the cube in which every parameter has a value, also one that is inactive at the point itself
rows    (m, d)   members of the space without its constraints          allowed   (m,)   which satisfy these
μ, σ    (m,)     posterior mean and standard deviation of a constrained output, larger is better      l   its limit

    P(feasible) = Π_c Φ((μ_c − l_c)/σ_c)        outputs independent of each other, their noise left out
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr

from suffice.checks import short
from suffice.errors import NoFinishedTrial, SufficeError
from suffice.plot.axes import Scale
from suffice.record.history import History
from suffice.record.history import rows as rows_of
from suffice.record.trial import Trial
from suffice.result.feasibility import least_violated
from suffice.result.front import Front
from suffice.result.predict import as_output, point_to_use, surface
from suffice.result.result import Result
from suffice.space import AbsentSpace, Choice, Ordinal, Parameter, Pool, SearchSpace, Space, active_coordinates
from suffice.space.library import TableRows
from suffice.space.parameters import nearest_name
from suffice.types import Array, Coordinate

Mask = NDArray[np.bool_]


# ---------------------------------------------------------------------- results and trials


def as_result(given: object, what: str) -> Result:
    """One result, of any number of objectives."""
    if not isinstance(given, Result):
        raise TypeError(f"plot.{what} takes a result, like that of sf.minimize: got {type(given).__name__}")
    return given


def with_values(given: object, what: str) -> Result:
    """A result in which an evaluation succeeded."""
    result = as_result(given, what)
    if not result.history.done:
        failed = len(result.history.failed)
        why = f"all {failed} evaluations failed" if failed else "no value was observed yet"
        raise NoFinishedTrial(f"plot.{what} plots values, but the result has none: {why}")
    return result


def subject(given: object, output: object, what: str) -> tuple[Result, str]:
    """A result, and the output that a figure is about, which has values: the one named, or the only objective."""
    result = with_values(given, what)
    try:
        name = as_output(output, result.settings)
    except ValueError as error:
        raise ValueError(f"plot.{what}: {error}") from None
    if not result.history.known(name):
        raise NoFinishedTrial(
            f"plot.{what} plots {name}, but none of the {len(result.history.done)} evaluations has a value for it"
        )
    return result, name


def as_results(given: object, what: str) -> dict[str, Result]:
    """One result, several in a list, or several by label; all with the same objectives and senses."""
    if isinstance(given, Result):  # which is a dict itself
        return {"": as_result(given, what)}
    if isinstance(given, Mapping):
        named = {str(label): as_result(result, what) for label, result in given.items()}
    elif isinstance(given, Sequence) and not isinstance(given, str):
        named = {f"run {i}": as_result(result, what) for i, result in enumerate(given, start=1)}
    else:
        raise TypeError(
            f"plot.{what} takes a result, a list of results, or a dict of labels and results: "
            f"got {type(given).__name__}"
        )
    if not named:
        raise ValueError(f"plot.{what} takes at least one result: got none")
    aims = [result.settings.objectives for result in named.values()]
    if any(result.settings.several for result in named.values()):
        if any(other != aims[0] for other in aims):
            raise ValueError(f"plot.{what}: the results have different objectives or directions; plot them separately")
    elif len({result.settings.sign() for result in named.values()}) > 1:
        raise ValueError(f"plot.{what}: some results minimize and some maximize; plot them separately")
    return named


def evaluated(result: Result) -> list[Trial]:
    """The trials that have ended, with or without a value, in the order they did."""
    ended = [trial for trial in result.trials if trial.state in ("done", "failed")]
    return sorted(ended, key=lambda trial: -1 if trial.order is None else trial.order)


def values_of(result: Result, name: str | None = None) -> Array:
    """Their values of an output, by default of the only objective, (n,); nan where there is none."""
    name = result.settings.objective if name is None else name
    return np.array([(trial.values or {}).get(name, math.nan) for trial in evaluated(result)], dtype=float)


def infeasible(result: Result) -> Mask:
    """Which of them are infeasible, (n,)."""
    return np.array([trial.state == "done" and not trial.feasible for trial in evaluated(result)], dtype=np.bool_)


def known_name(name: object, names: Collection[str], what: str, kind: str = "parameter") -> str:
    """One of the names of the parameters, or of another kind; others are refused, with the nearest that there is."""
    if not isinstance(name, str):
        a_kind = f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
        raise TypeError(f"plot.{what} takes the name of {a_kind}: got {short(name)} of type {type(name).__name__}")
    if name not in names:
        raise ValueError(f"plot.{what}: there is no {kind} {short(name)}; {nearest_name(name, names)}")
    return name


def best_first(history: History) -> list[Trial]:
    """The trials with values, the best first; of equals, the first asked for.

    Of several objectives those of the front, by the first one. Where nothing is feasible the least violated is first.
    """
    settings = history.settings
    name, sign = settings.objective, settings.sign()
    front = {trial.number for trial in Front(history).trials} if settings.several else set()
    least = least_violated(history) if settings.constraints and not history.feasible else None

    def demerit(trial: Trial) -> tuple[bool, bool, bool, float, int]:
        worth = sign * trial.values.get(name, -sign * np.inf)
        first = least is not None and trial.number == least.number
        return not first, not trial.feasible, trial.number not in front, -worth, trial.number

    return sorted(history.done, key=demerit)


def chosen(history: History) -> tuple[Trial | None, str]:
    """The trial to look at, None where nothing is feasible, and what it is: of several objectives the knee."""
    if history.settings.several:
        front = Front(history)
        return front.knee() if front.trials else None, "knee of the front"
    found = point_to_use(history)
    return (None, "best point") if found is None else (found.trial, f"{found.kind} point")


def feasible_probability(result: Result, X: Array) -> Array | None:
    """The predicted probability that rows of the cube are feasible, (m,); None without constraints or their models."""
    limits = result.settings.constraints
    if not limits:
        return None
    found = np.ones(len(X))
    for name, limit in limits.items():
        try:
            fitted = surface(result.history, name=name).fitted
        except SufficeError:  # a limited output that no evaluation returned
            return None
        mean, std = fitted.predict(X)
        level = float(fitted.outcome(np.array([limit.sign * limit.limit]))[0])
        found *= ndtr((mean - level) / np.maximum(std, np.finfo(float).eps))
    return found


def most_important(result: Result, names: Sequence[str], output: str | None = None) -> tuple[list[str], bool]:
    """The names, the most important first, and whether that is known: without a model they are in the space's order.

    For one output, or for all objectives: then a parameter counts by the one for which it matters most.
    """
    total: dict[str, float] = {}
    try:
        for target in result.settings.objectives if output is None else [output]:
            found = result.importance(target)
            for name, share in zip(found.names, found.total, strict=True):
                total[name] = max(total.get(name, 0.0), float(share))
    except SufficeError:
        return list(names), False
    order = {name: i for i, name in enumerate(names)}
    return sorted(names, key=lambda name: (-total.get(name, 0.0), order[name])), True


# ---------------------------------------------------------------------- parameters as axes


@dataclass(frozen=True)
class Dimension:
    """One axis: parameter number `index` of those that are not constant, and how its values lie on it."""

    index: int
    coordinate: Coordinate
    scale: Scale
    parameter: Parameter | None = None  # None: a feature of a pool
    features: Array | None = None  # of every row of a pool, (m,); None: as it is in the cube

    @property
    def name(self) -> str:
        return self.coordinate.name

    @property
    def columns(self) -> slice:
        return self.coordinate.columns

    def places(self, space: SearchSpace, X: Array) -> Array:
        """Where members lie on the axis, (n,); nan where the parameter is inactive."""
        if self.parameter is None:
            return self._of_pool(space, X)
        places = self.of_blocks(X[:, self.columns])
        places[~active_coordinates(space, X)[:, self.index]] = np.nan
        return places

    def of_blocks(self, blocks: Array) -> Array:
        """The same for the columns of this parameter alone, (m, w)."""
        assert self.parameter is not None
        if isinstance(self.parameter, Choice | Ordinal):
            return self.parameter.nearest(blocks).astype(float)
        return np.array([float(value) for value in self.parameter.values(blocks)], dtype=float)

    def grid(self, count: int) -> tuple[Array, Array]:
        """Places from end to end, (m,), and the columns of the values there, (m, w): all if they are few, else `count`
        of them, evenly spread over the axis."""
        assert self.parameter is not None
        size = self.parameter.size
        # of more values, evenly spread ones are looked at
        if isinstance(self.parameter, Choice | Ordinal) or size <= 200:
            blocks = self.parameter.members(np.arange(int(size)))
        else:
            blocks = np.unique(self.parameter.snap(np.linspace(0.0, 1.0, count)[:, None]), axis=0)
        return self.of_blocks(blocks), blocks

    def _of_pool(self, space: SearchSpace, X: Array) -> Array:
        assert isinstance(space, Pool)
        if self.features is not None:
            return self.features[space.members.find(X)]
        block = X[:, self.columns]
        return block[:, 0].copy() if block.shape[1] == 1 else np.argmax(block, axis=1).astype(float)


def places_of(result: Result, dimension: Dimension, trials: Sequence[Trial] | None = None) -> Array:
    """Where evaluations, by default all of them, lie on an axis, (n,)."""
    space = result.settings.space
    return dimension.places(space, rows_of(evaluated(result) if trials is None else trials, space.dim))


def dimensions(space: SearchSpace, what: str) -> dict[str, Dimension]:
    """The axes of a space by name, without constants; refused where points are not made of parameters."""
    if isinstance(space, Space):
        return {
            c.name: Dimension(i, c, scale_of(c.name, space.params[c.name]), space.params[c.name])
            for i, c in enumerate(space.coordinates)
        }
    if isinstance(space, Pool):
        return {c.name: _of_feature(i, c, space) for i, c in enumerate(space.coordinates)}
    if isinstance(space, AbsentSpace):
        raise SufficeError(f"plot.{what} needs the space, but the file has only a description; {space.advice}")
    raise SufficeError(
        f"plot.{what} has an axis for each parameter, and the points of {type(space).__name__} are not made of "
        "parameters; plot.convergence, plot.accuracy and plot.time work for any run"
    )


def of_parameters(space: SearchSpace, what: str) -> dict[str, Dimension]:
    """The axes of a space in which a parameter can be changed by itself."""
    if isinstance(space, Pool):
        raise SufficeError(
            f"plot.{what} varies one parameter with the others fixed, but a pool has no points except its rows; "
            "plot.evaluations and plot.parallel plot rows by their features"
        )
    found = dimensions(space, what)
    if not found:
        raise ValueError(f"plot.{what}: every parameter of the space is a constant")
    return found


def chosen_parameters(names: object, known: dict[str, Dimension], space: SearchSpace, what: str) -> list[Dimension]:
    """The axes of these names; a name or a list of them."""
    listed: Sequence[object] = [names] if isinstance(names, str) else list(names)  # type: ignore[call-overload]
    if not listed:
        raise ValueError(f"plot.{what} takes at least one name of a parameter: got none")
    constant = [name for name in listed if name in space.params and name not in known]
    if constant:
        raise ValueError(f"plot.{what}: {constant[0]!r} is a constant and has no axis")
    found = [known[known_name(name, known, what)] for name in listed]
    twice = [d.name for i, d in enumerate(found) if d in found[:i]]
    if twice:
        raise ValueError(f"plot.{what}: {twice[0]!r} came more than once")
    for dimension in found:
        if not _has_room(dimension.scale):
            raise ValueError(f"plot.{what}: {dimension.name!r} has a range too wide for matplotlib")
    return found


def _has_room(scale: Scale) -> bool:
    """Whether matplotlib can draw an axis that reaches a little further than the range at both ends."""
    if not scale.log:
        return bool(np.isfinite(scale.high * 2 - scale.low * 2))
    low, high = float(np.log(scale.low)), float(np.log(scale.high))
    info, room = np.finfo(float), 0.1 * (high - low)
    return bool(low - room > np.log(info.tiny) and high + room < np.log(info.max))


def scale_of(name: str, parameter: Parameter) -> Scale:
    """The axis of a parameter."""
    if isinstance(parameter, Choice | Ordinal):
        return Scale.of_options(name, tuple(map(str, parameter.options)))
    return Scale(name, float(parameter.low), float(parameter.high), parameter.log, whole=parameter.kind == "int")


def _of_feature(index: int, coordinate: Coordinate, pool: Pool) -> Dimension:
    """The axis of a feature: with the numbers of the rows, where they are known, else with those in the cube."""
    name, rows = coordinate.name, pool.rows
    if pool.features == () or name not in rows.names:
        return Dimension(index, coordinate, Scale(f"{name} (scaled)"))
    if isinstance(rows, TableRows):
        column, places = rows.column(name)
    else:
        assert rows.table is not None
        column, places = rows.table[:, rows.names.index(name)], None
    column = column if pool.numbers is None else column[pool.numbers]
    if places is not None:
        scale = Scale.of_options(name, tuple(map(str, places)))
    else:
        scale = Scale(name, float(column.min()), float(column.max()), whole=bool(np.all(column == np.round(column))))
    return Dimension(index, coordinate, scale, features=column)


# ---------------------------------------------------------------------- sections through the space


@dataclass(frozen=True)
class Centre:
    """The point that a section goes through: its row, and the row with a value for what is inactive there."""

    x: Array
    base: Array
    text: str  # what it is
    inactive: str = ""  # said of an axis whose parameter the point to use lacks: which options are assumed instead


def centre(result: Result, at: Any, varied: Sequence[Dimension], what: str) -> Centre:
    """The point given, or the one to use; where that one lacks a parameter, the best that has it.

    What is inactive at the point has the value of the best point in which it is active: an option of a parent that
    the point does not have then brings its children up at values that were good.
    """
    space, inactive = made_of_parameters(result.settings.space), ""
    if at is not None:
        x, text = space.to_unit(at), "the given point"
        missing = [d for d in varied if not active_coordinates(space, x[None])[0, d.index]]
        if missing:
            needed = space.params[missing[0].name].when
            raise ValueError(
                f"plot.{what}: {missing[0].name!r} is inactive at the given point, because it needs {needed!r}; give "
                "a point that has it, or leave at= out"
            )
    else:
        trial, text, inactive = _where_active(result, varied, what)
        x = trial.unit
    return Centre(x, _with_values(result, x), text, inactive)


def _where_active(result: Result, varied: Sequence[Dimension], what: str) -> tuple[Trial, str, str]:
    """The trial to use, or the best one that has the parameters; what it is, and what is assumed of it."""
    space, history, best = made_of_parameters(result.settings.space), result.history, best_first(result.history)
    first, text = chosen(history)
    if first is None:
        first, text = best[0], "point closest to feasible"
    order = [first, *(trial for trial in best if trial.number != first.number)]
    here = active_coordinates(space, rows_of(order, space.dim))[:, [d.index for d in varied]]
    active: Mask = np.logical_and.reduce(here, axis=1)
    if not active.any():
        names = " and ".join(repr(d.name) for d in varied)
        raise ValueError(f"plot.{what}: no successful evaluation has {names}; choose a point that does with at=")
    if active[0]:
        return first, f"the {text}", ""
    trial, taken = order[int(np.argmax(active))], [d.name for d in varied]
    options = [f"{name} {value}" for name, value in _needed(space, taken, trial).items()]
    assumed = f"; here {', '.join(options)}" if options else ""
    return trial, f"the best point with {' and '.join(taken)}", f"inactive at the {text}{assumed}"


def _needed(space: Space, names: Sequence[str], trial: Trial) -> dict[str, Any]:
    """The values of a trial by which these parameters are active."""
    point, found = trial.point, dict[str, Any]()
    for name in names:
        parents = tuple(space.params[name].when or ())
        known = {parent: point[parent] for parent in parents} if isinstance(point, Mapping) else {}
        found |= _needed(space, parents, trial) | known
    return found


def _with_values(result: Result, x: Array) -> Array:
    space, base = made_of_parameters(result.settings.space), x.copy()
    if space.product:
        return base
    best = best_first(result.history)
    X = rows_of(best, space.dim)
    here, active = active_coordinates(space, x[None])[0], active_coordinates(space, X)
    for i, coordinate in enumerate(space.coordinates):
        known = np.flatnonzero(active[:, i])
        if not here[i] and len(known):
            base[coordinate.columns] = X[known[0], coordinate.columns]
    return base


def through(space: Space, base: Array, varied: Sequence[Dimension], blocks: Sequence[Array]) -> tuple[Array, Mask]:
    """The rows with these columns, (m, w) each, in place of the base's, and which are points of the space, (m,)."""
    return placed(space, np.tile(base, (len(blocks[0]), 1)), varied, blocks)


def placed(space: Space, X: Array, varied: Sequence[Dimension], blocks: Sequence[Array]) -> tuple[Array, Mask]:
    """The same for rows, (m, d), that may differ elsewhere; where a varied parameter is inactive there is no point."""
    X = X.copy()
    for dimension, block in zip(varied, blocks, strict=True):
        X[:, dimension.columns] = block
    loose = space.with_where(None)
    found = loose.snap(X)
    allowed: Mask = np.logical_and.reduce(active_coordinates(loose, found)[:, [d.index for d in varied]], axis=1)
    if space.where:
        allowed = allowed & space.contains(found)
    return found, allowed


def drawn(space: Space, n: int, rng: Generator) -> Array:
    """n draws of the space, (n, d), in which also the inactive parameters have a value, drawn as well."""
    X = space.sample(n, rng)
    active = active_coordinates(space, X)
    for i, coordinate in enumerate(space.coordinates):
        absent = ~active[:, i]
        if absent.any():
            X[absent, coordinate.columns] = space.params[coordinate.name].place(rng.random(int(absent.sum())))
    return X


def made_of_parameters(space: SearchSpace) -> Space:
    """The space itself: other spaces have been refused."""
    assert isinstance(space, Space)
    return space
