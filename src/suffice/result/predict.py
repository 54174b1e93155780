"""What the model of all values says about an output anywhere in the space, in the user's units and sense.

X     (m, d)  rows of the unit cube               μ, σ  (m,)  posterior mean and deviation there, model units
h             the monotone map from model units back to the objective's: y = ± h(z)

    median = ± h(μ)      sd = (h(μ + σ) − h(μ − σ)) / 2      a band of ±z deviations: from ± h(μ − zσ) to ± h(μ + zσ)

So sd is half the width of what holds 68 %, and without a warp the deviation. σ h'(μ) is the same where σ is small, and
too small where the model is uncertain after a warp, whose slope changes over the band.

h takes quantiles to quantiles, so the ends of a band hold what they say. It does not take means to means: where the
model has bent the values (`GP(warp=True)`), the mean of the objective lies beside its median, on the side of the longer
tail, and where that tail is heavy it says little. So what is called the mean here is the median, which without a warp
is the mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from suffice.ask.models import model_of
from suffice.errors import NoFinishedTrial, SufficeError
from suffice.gp.model import Fitted, Model
from suffice.record.history import History
from suffice.record.settings import Opaque, Settings
from suffice.space import OwnSpace, SearchSpace, owns_points
from suffice.space.parameters import listed, nearest_name
from suffice.threads import one_thread
from suffice.types import Array

#| -- study.reading.points: Points as a user has them, one or many, as rows of the unit cube.
#|
#| X   (m, d)   rows of the unit cube

PREFIX = "parameter:"  # of the column of a parameter whose name another column of a table of trials has


def as_rows(points: Any, space: SearchSpace) -> tuple[Array, bool]:
    """The places of the points, (m, d), and whether it was a single one that came by itself.

    points   one point as the objective takes it, a list of them, an array (m, d) of numbers by position, a dict of
             columns, or a table with a column for each name, such as a pandas.DataFrame; its other columns are left out
    """
    if _is_table(points):
        return _rows(list(_of_table(points, space)), space), False
    if isinstance(points, Mapping):
        columns = _lengths(points)
        if columns is None:
            return space.to_unit(points)[None], True
        return _rows([dict(zip(points, row, strict=True)) for row in _transposed(points, columns)], space), False
    if _is_one(points, space):
        return space.to_unit(points)[None], True
    return _rows(list(points), space), False


def _rows(points: Sequence[Any], space: SearchSpace) -> Array:
    """One by one, so that a point that is none is refused by its number."""
    X = np.empty((len(points), space.dim))
    for i, point in enumerate(points):
        try:
            X[i] = space.to_unit(point)
        except (TypeError, ValueError) as error:
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"points[{i}]: {error}") from None
    return X


def _is_one(points: Any, space: SearchSpace) -> bool:
    """Whether it is a single point.

    Of spaces that say themselves what a point is, a row of a pool is one before it is a list of row numbers, and a list
    is a list of points before it is a point of a space of one's own. Otherwise it is one where its items are values.
    """
    if isinstance(space, OwnSpace):
        return not (isinstance(points, list) and all(_is_point(item, space) for item in points))
    if owns_points(space):
        return not isinstance(points, list | tuple | np.ndarray) or _is_point(points, space)
    if isinstance(points, np.ndarray):
        return points.ndim < 2
    if isinstance(points, str) or not hasattr(points, "__iter__"):
        return True  # to be refused by what it is
    if space.named or not isinstance(points, Sequence):
        return False
    several = len(points) == 0 or all(isinstance(item, list | tuple | np.ndarray) for item in points)
    return not several or _is_point(points, space)  # options may be tuples


def _is_point(point: Any, space: SearchSpace) -> bool:
    try:
        space.to_unit(point)
    except Exception:  # a space of the user's own may raise anything
        return False
    return True


# ---------------------------------------------------------------------- columns


def _lengths(points: Mapping[Any, Any]) -> int | None:
    """How long the columns of a dict of columns are; None if it is a point: no value of a parameter is a list."""
    columns = {name: v for name, v in points.items() if isinstance(v, list) or getattr(v, "ndim", 0) == 1}
    if not columns:
        return None
    values = [name for name in points if name not in columns]
    if values:
        raise ValueError(
            f"a dict of columns has a list for every name: got single values for {listed(values)}; one point has "
            "single values only"
        )
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns must have one length: got {lengths}")
    return next(iter(lengths.values()))


def _transposed(points: Mapping[Any, Any], n: int) -> Iterator[list[Any]]:
    columns = [list(column) for column in points.values()]
    return ([column[i] for column in columns] for i in range(n))


def _is_table(points: Any) -> bool:
    """A pandas.DataFrame or what looks like one, told by what it has: pandas is not imported for it."""
    return all(hasattr(points, name) for name in ("columns", "isna", "to_dict", "loc"))


def _of_table(table: Any, space: SearchSpace) -> Iterator[Any]:
    """The rows of a table as points: by the names of the columns or, without names, by their order."""
    headers = {name: f"{PREFIX}{name}" if f"{PREFIX}{name}" in table.columns else name for name in space.names}
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


TWO_SIDED = 1.959963984540054  # deviations of a normal distribution that hold 95 %
NARROW = 1e-6  # model units: the slope is as good as the difference of two ends, of which rounding leaves less


@dataclass(frozen=True)
class Surface:
    """An output as its model has it: without its noise, and as if every evaluation succeeded."""

    fitted: Fitted
    space: SearchSpace
    sign: float  # what turns larger-is-better into the user's sense, and back

    def __repr__(self) -> str:
        return f"<Surface over {len(self.space.names)} parameters, from {self.fitted.n_seen} values>"

    def median(self, X: Array) -> Array:
        """The posterior median at rows of the cube, (m,), which takes less work than the band."""
        return self._back(self.fitted.posterior.mean(X))

    def at(self, X: Array, z: float = TWO_SIDED) -> tuple[Array, Array, Array]:
        """The median at rows of the cube, and the two ends of a band of ±z deviations, (m,) each, low below high."""
        mean, std = self.fitted.posterior.predict(X)
        ends = self._back(mean - z * std), self._back(mean + z * std)
        return self._back(mean), np.minimum(*ends), np.maximum(*ends)

    def moments(self, X: Array) -> tuple[Array, Array]:
        """The median at rows of the cube and the deviation about it, half the width of what holds 68 %, (m,) each."""
        mean, std = self.fitted.posterior.predict(X)
        median, deviation = self.mapped(mean, std)
        with np.errstate(over="ignore", invalid="ignore"):  # as in `_inverse`
            half = self.fitted.outcome.halfwidth(mean, std)
        return median, np.where((std > NARROW) & np.isfinite(half), half, deviation)

    def mapped(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """The same of means and deviations in model units, (m,) each, to first order in the map."""
        median = self._inverse(mean)
        return self.sign * median, std / self.fitted.outcome.derivative(median)

    def _back(self, z: Array) -> Array:
        return self.sign * self._inverse(z)

    def _inverse(self, z: Array) -> Array:
        with np.errstate(over="ignore"):  # the far end of a band after a warp may be beyond float64
            return self.fitted.outcome.inverse(z)


# One model for each output of a history, so that what is read of a result is read from the same ones, each fitted once.
# The keys are weak: the models go with their history. The second has those that were given by hand.
_FITTED: "WeakKeyDictionary[History, dict[str, Fitted]]" = WeakKeyDictionary()
_GIVEN: "WeakKeyDictionary[History, Model]" = WeakKeyDictionary()


def surface(history: History, model: Any = None, name: str | None = None) -> Surface:
    """The surface of all values of one output of a history, by its own model or by another one.

    name    of the output, an objective or a constrained one; None: the only objective, ValueError if there are several

    A model that is given where a file could only describe the one of the run is kept: from then on everything that is
    read of this result is read from it.
    """
    settings, name = history.settings, as_output(name, history.settings)
    if model is not None:
        fitted = _fit(history, model, name)
        if isinstance(settings.model, Opaque):
            _GIVEN[history], _FITTED[history] = model, {name: fitted}
    else:
        known = _FITTED.setdefault(history, {})
        if name not in known:
            known[name] = _fit(history, _GIVEN.get(history, settings.model), name)
        fitted = known[name]
    return Surface(fitted, settings.space, settings.sign(name))


def as_output(name: Any, settings: Settings) -> str:
    """The name of an output, by default of the only objective; ValueError, with the names there are, for others."""
    outputs = settings.outputs
    if name is None:
        if settings.several:
            raise ValueError(f"there are several objectives: say by output= which is meant, of {listed(outputs)}")
        return settings.objective
    if name not in outputs:
        raise ValueError(f"there is no output {name!r}: {nearest_name(str(name), outputs)}")
    found: str = name
    return found


def _fit(history: History, model: Model | Opaque, name: str) -> Fitted:
    """From scratch: the fits of a run start from one another, and may be late to notice the noise."""
    if isinstance(model, Opaque):
        raise SufficeError(
            f"this needs the model of the run, of which the file has only the description {model.text}; give it by "
            "hand, once, before you read the result: suffice.result.predict.surface(result.history, model=…)"
        )
    data = history.observations(name)
    if not len(data):
        of = "" if len(history.settings.outputs) == 1 else f" of {name}"
        raise NoFinishedTrial(
            f"none of the {len(history.trials)} trials has a value{of}, so that there is nothing to learn a model from"
        )
    with one_thread(history.model_rows):
        fitted: Fitted = model_of(replace(history.settings, model=model), name)(data, history.settings.space)
        return fitted


def predict(history: History, points: Any, output: str | None = None) -> tuple[Any, Any]:
    """Median and deviation of an output at points as the user has them: arrays (m,), or floats of one point."""
    found = surface(history, name=output)
    X, one = as_rows(points, history.settings.space)
    with one_thread(found.fitted.posterior.n):
        median, deviation = found.moments(X)
    return (float(median[0]), float(deviation[0])) if one else (median, deviation)
