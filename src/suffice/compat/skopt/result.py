"""The result of a run, with scikit-optimize's fields."""

import bz2
import copy
import gzip
import lzma
import math
import os
import pickle
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, TypeAlias

import numpy as np
import scipy.optimize
from scipy.optimize import minimize

import suffice.result.result as native
from suffice.compat.skopt.points import Border
from suffice.compat.skopt.space import Dimension, Space
from suffice.gp.model import GP
from suffice.integrations.sklearn.space import Labelled, labelled
from suffice.record.history import History
from suffice.result.result import Result
from suffice.space import Space as NativeSpace
from suffice.store.files import FilePath, replace_bytes
from suffice.study.optimizer import Optimizer
from suffice.types import Array

#| -- compat.skopt.surrogate: `models`: what is known about the objective after so many evaluations, as something that
#| predicts.
#|
#| Xt     (m, transformed_n_dims)   rows as `space.transform` makes them        mean, std  (m,)  in the objective's
#| units


class Surrogate:
    """The model of the first n evaluations of a run, fitted when it is first asked for something."""

    def __init__(self, space: Space, Xi: list[Any], yi: list[Any], model: Any, rule: Any = None) -> None:
        # The lists are those of the run, which only grow: a hundred models need not hold a hundred copies.
        self.space, self.model, self.rule, self._Xi, self._yi, self._n = space, model, rule, Xi, yi, len(Xi)

    def __repr__(self) -> str:
        return f"<Surrogate of {self._n} evaluations, {self.model!r}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: without the fit, which is made again where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "suffice"}

    @property
    def X_train_(self) -> Array:  # noqa: N802
        """The evaluated points, transformed, (n, transformed_n_dims)."""
        return self.space.transform(self._Xi[: self._n])

    @property
    def y_train_(self) -> Array:
        """Their values, (n,)."""
        return np.asarray(self._yi[: self._n], dtype=np.float64)

    @property
    def y_train_std_(self) -> float:
        """The deviation of the values."""
        return float(np.nanstd(self.y_train_))

    @cached_property
    def suffice(self) -> Result:
        """The same evaluations as a result of this library."""
        border = Border.of(self.space)
        study = Optimizer(border.inside, seed=0, n_initial=0, model=self.model, acquisition=self.rule)
        with study.together():
            for point, value in zip(self._Xi[: self._n], self._yi[: self._n], strict=True):
                study.tell(border.inward(point), value)
        return study.result()

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The objective at rows of the transformed space, its noise left out; with return_std its deviation, too.

        It is the posterior median, which is the mean where the model has not bent the values.
        """
        border = Border.of(self.space)
        points = [border.inward(point) for point in self.space.inverse_transform(np.atleast_2d(X))]
        mean, std = self.suffice.predict(points)
        return (mean, std) if return_std else mean


class OptimizeResult(scipy.optimize.OptimizeResult):
    """The best point, its value and every evaluation: a SciPy OptimizeResult with the fields of scikit-optimize.

    Attributes
    ----------
    x : list
        The best point.
    fun : float
        Its value.
    x_iters : list
        Every evaluated point.
    func_vals : ndarray
        Their values.
    space : Space
        The search space.
    models : list
        What predicts the objective, after each evaluation that a model had a part in.
    random_state : RandomState
        Where everything random was drawn from.
    specs : dict
        The function that was called and its arguments.
    """

    @property
    def suffice(self) -> Result:
        """The same run as this library has it: `result.suffice.accuracy`, `.check()`, `.importance()`, `.plot()`."""
        history = self.__dict__.get("_history")
        if history is not None:
            return native.make_result(history, "the run so far", native.accuracy_of(history, None))
        if self.space is None:
            raise ValueError("a result that was made of points and values alone needs a space: create_result(…, space)")
        return Surrogate(self.space, self.x_iters, list(self.func_vals), GP()).suffice


def create_result(
    Xi: list[Any],
    yi: Any,
    space: Space | None = None,
    rng: np.random.RandomState | None = None,
    specs: Mapping[str, Any] | None = None,
    models: list[Any] | None = None,
    *,
    history: History | None = None,
) -> OptimizeResult:
    """The result of evaluations: the first of the best values is the best, and nan is never."""
    if not len(Xi):
        raise ValueError("there is no result yet: nothing has been evaluated")
    values = np.asarray(yi)
    result = OptimizeResult()
    best = int(np.nanargmin(values)) if not np.all(np.isnan(values.astype(float))) else 0
    result.update(
        x=Xi[best],
        fun=values[best],
        func_vals=values,
        x_iters=Xi,
        models=models,
        space=space,
        random_state=rng,
        specs=specs,
    )
    if history is not None:
        result.__dict__["_history"] = history  # beside the fields: who lists them sees scikit-optimize's
    return result


#| -- compat.skopt.storing: dump and load: a result in a file, by pickle, compressed by the ending of its name.
#|
#| A pickle can do anything when it is loaded: load only files that you trust. `result.suffice.save("run.json")`
#| writes a
#| file from which nothing is run.

Codec: TypeAlias = tuple[Callable[[bytes, int], bytes], Callable[[bytes], bytes], bytes]

LEVEL = 3  # of compression where none is said: joblib's
# How to compress, how to undo it, and how such a file begins.
CODECS: dict[str, Codec] = {
    "zlib": (lambda data, level: zlib.compress(data, level), zlib.decompress, b"\x78"),
    "gzip": (lambda data, level: gzip.compress(data, level, mtime=0), gzip.decompress, b"\x1f\x8b"),
    "bz2": (lambda data, level: bz2.compress(data, max(level, 1)), bz2.decompress, b"BZh"),
    "xz": (lambda data, level: lzma.compress(data, preset=level), lzma.decompress, b"\xfd7zXZ"),
    "lzma": (
        lambda data, level: lzma.compress(data, lzma.FORMAT_ALONE, preset=level),
        lzma.decompress,
        b"\x5d\x00",
    ),
}
ENDINGS = {".z": "zlib", ".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".lzma": "lzma"}


def dump(
    res: OptimizeResult,
    filename: FilePath | IO[bytes],
    store_objective: bool = True,
    *,
    compress: Any = 0,
    protocol: int | None = None,
    **others: Any,
) -> None:
    """Write a result into a file, which `load` reads; an older file is replaced at once.

    Parameters
    ----------
    res : OptimizeResult
        What to write.
    filename : path or file
        A path, whose ending .z, .gz, .bz2, .xz or .lzma says how to compress; or a file opened to write.
    store_objective : bool, default: True
        False leaves the objective out, which then need not be picklable.
    compress : int, str or tuple, default: 0
        A level from 0 to 9, or a method, or both, as joblib has it: 9, "gzip", ("bz2", 9).
    protocol : int or None, default: None
        Of pickle; None: Python's default.
    **others : object
        Only cache_size, which has no effect; any other is refused.
    """
    others.pop("cache_size", None)  # of joblib: it has had no effect there for long
    if others:
        raise TypeError(f"dump has no keyword argument {next(iter(others))!r}: it takes compress and protocol")
    if not store_objective and "func" in _arguments(res):
        res = _without_objective(res)
    data = pickle.dumps(res, protocol)
    if isinstance(filename, str | os.PathLike):
        method, level = _method(os.fspath(filename), compress)
        replace_bytes(filename, data if method is None else CODECS[method][0](data, level))
    else:
        filename.write(data)


def load(filename: FilePath | IO[bytes], **others: Any) -> Any:
    """Read the result in a file that `dump` wrote. Load only what you trust: a pickle can do anything.

    Parameters
    ----------
    filename : path or file
        A path, or a file opened to read.
    **others : object
        Only mmap_mode, which has no effect; any other is refused.

    Returns
    -------
    OptimizeResult
        The result.
    """
    others.pop("mmap_mode", None)  # of joblib, for arrays that are larger than those of a result
    if others:
        raise TypeError(f"load has no keyword argument {next(iter(others))!r}")
    if isinstance(filename, str | os.PathLike):
        with open(filename, "rb") as file:
            data = file.read()
    else:
        data = filename.read()
    for _, decompress, beginning in CODECS.values():
        if data.startswith(beginning):
            data = decompress(data)
            break
    if b"skopt.space" in data and b"suffice.compat" not in data:
        raise ValueError(
            f"{filename} was written by scikit-optimize, whose objects it holds: load it with scikit-optimize once, "
            "and go on with its points and values, gp_minimize(..., x0=result.x_iters, y0=result.func_vals)"
        )
    return pickle.loads(data)


def _arguments(res: Any) -> dict[str, Any]:
    specs = res.get("specs") or {}
    found: dict[str, Any] = specs.get("args", {})
    return found


def _without_objective(res: OptimizeResult) -> OptimizeResult:
    """A copy, as far as it has to be one, whose arguments lack the objective."""
    other = copy.copy(res)
    arguments = {name: value for name, value in _arguments(res).items() if name != "func"}
    other["specs"] = {**res["specs"], "args": arguments}
    return other


def _method(path: str, compress: Any) -> tuple[str | None, int]:
    """How to compress, and how much: the ending of the name decides, unless a method is said."""
    by_name = ENDINGS.get(os.path.splitext(path)[1])
    method, level = compress if isinstance(compress, tuple) else (None, compress)
    if isinstance(level, str):
        method, level = level, LEVEL
    if level is True:
        level = LEVEL
    if not (isinstance(level, int) and 0 <= level <= 9):
        raise ValueError(f"compress must be a level from 0 to 9, a method, or a pair of both: got {compress!r}")
    if method is not None and method not in CODECS:
        raise ValueError(f"compress knows the methods {', '.join(CODECS)}: got {method!r}")
    if method is None and by_name is None and not level:
        return None, 0
    return method or by_name or "zlib", level or LEVEL


#| -- compat.skopt.scores: The result of a search for the best score, as scikit-optimize has it: points in lists, and
#| scores negated.


@dataclass(frozen=True, eq=False)
class Negated:
    """Reads the results of one space."""

    labelled: Labelled
    space: Space  # its dimensions in the order of their names

    @classmethod
    def of(cls, dimensions: Mapping[str, Dimension]) -> "Negated":
        """For the space of these dimensions."""
        ordered = [dimensions[name] for name in sorted(dimensions)]
        return cls(labelled(dimensions), Space(ordered).normalized())

    def __call__(self, result: Result) -> OptimizeResult:
        """The result so far: the least value is that of the best score."""
        done = [trial for trial in result.trials if trial.state in ("done", "failed")]
        points = [self._listed(trial.point) for trial in done]
        values = [math.nan if trial.value is None else -trial.value for trial in done]
        models = [] if self.labelled.objects else [Surrogate(self.space, points, values, result.settings.model)]
        return create_result(points, values, self.space, models=models, history=result.history)

    def _listed(self, point: Mapping[str, Any]) -> list[Any]:
        params = self.labelled.params(point)
        return [params[name] for name in sorted(params)]


#| -- compat.skopt.expected: The least value that the last model of a run predicts anywhere, and where.

DRAWS = 10_000  # random points that the search over a space with categories looks at


def expected_minimum(
    res: OptimizeResult, n_random_starts: int = 20, random_state: Any = None
) -> tuple[list[Any], float]:
    """Find where the last model predicts the least value, and that value.

    It is found by local searches; where there are integers or categories, by looking at random points.

    Parameters
    ----------
    res : OptimizeResult
        A result, whose last model is asked.
    n_random_starts : int, default: 20
        Random points that are climbed down from, besides the best one so far.
    random_state : int, RandomState or None, default: None
        Where the random points come from.

    Returns
    -------
    x : list
        The point.
    fun : float
        The prediction there.
    """
    if not res.space.is_real:
        return expected_minimum_random_sampling(res, DRAWS, random_state)
    model, space = _last(res), res.space
    starts = space.transform([res.x, *space.rvs(n_random_starts, random_state=random_state)])
    bounds = [(0.0, 1.0)] * starts.shape[1]

    def predicted(u: Array) -> float:
        return float(model.predict(np.clip(u, 0.0, 1.0)[None])[0])

    found = [minimize(predicted, u, bounds=bounds, method="L-BFGS-B") for u in starts]
    best = min(found, key=lambda one: float(one.fun))
    return space.inverse_transform(np.clip(best.x, 0.0, 1.0)[None])[0], float(best.fun)


def expected_minimum_random_sampling(
    res: OptimizeResult, n_random_starts: int = 100_000, random_state: Any = None
) -> tuple[list[Any], float]:
    """The random point where the last model predicts the least value, and that value.

    Parameters
    ----------
    res : OptimizeResult
        A result, whose last model is asked.
    n_random_starts : int, default: 100000
        Random points that are looked at.
    random_state : int, RandomState or None, default: None
        Where the random points come from.

    Returns
    -------
    x : list
        The point.
    fun : float
        The prediction there.
    """
    points = res.space.rvs(n_random_starts, random_state=random_state)
    predicted = _last(res).predict(res.space.transform(points))
    row = int(np.argmin(predicted))
    return points[row], float(predicted[row])


def _last(res: OptimizeResult) -> Any:
    if not res.models:
        raise ValueError("the result has no model: the run ended before the first point that a model proposed")
    return res.models[-1]


#| -- compat.skopt.renaming: A run with other names for its parameters, as the labels of a figure.


def renamed(result: Result, names: Mapping[str, str]) -> Result:
    """The same evaluations in the same space, whose parameters have other names where `names` has one."""
    settings = result.settings
    where = getattr(settings.space, "where", ()) or None
    space = NativeSpace({names.get(name, name): given for name, given in settings.space.params.items()}, where=where)
    study = Optimizer(space, sense=settings.sense, seed=settings.seed, n_initial=0, model=_known(settings.model))
    with study.together():
        for trial in result.trials:
            if trial.state in ("done", "failed"):
                point = {names.get(name, name): value for name, value in trial.point.items()}
                study.tell(point, math.nan if trial.value is None else trial.value)
    return study.result()


def _known(model: Any) -> Any:
    return model if callable(model) else None
