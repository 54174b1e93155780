"""Results with scikit-optimize's fields, files of them, and what else it keeps in `utils`.

Xt          (m, transformed_n_dims)   rows as `space.transform` makes them
mean, std   (m,)                      predictions in the objective's units

`dump` and `load` use pickle, and a pickle can do anything when it is loaded: load only files that you trust.
`result.suffice.save("run.json")` writes a file from which nothing is run.
"""

import bz2
import copy
import functools
import gzip
import lzma
import os
import pickle
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np
import scipy.optimize
from scipy.optimize import minimize

import suffice.result.result as native
from suffice.compat.skopt.arguments import Border, check_x_in_space, explained, is_2d_listlike, is_listlike
from suffice.compat.skopt.sampler import cook_initial_point_generator
from suffice.compat.skopt.space import Dimension, Space
from suffice.gp.model import GP
from suffice.record.history import History
from suffice.result.result import Result
from suffice.store.files import FilePath, replace_bytes
from suffice.study.optimizer import Optimizer
from suffice.types import Array

__all__ = [
    "OptimizeResult",
    "check_x_in_space",
    "cook_estimator",
    "cook_initial_point_generator",
    "create_result",
    "dimensions_aslist",
    "dump",
    "eval_callbacks",
    "expected_minimum",
    "expected_minimum_random_sampling",
    "is_2Dlistlike",
    "is_listlike",
    "load",
    "normalize_dimensions",
    "point_asdict",
    "point_aslist",
    "use_named_args",
]

# Why a regressor is not taken, where scikit-optimize takes one.
REGRESSOR = (
    "a scikit-learn regressor cannot be the model, because the search needs more than predictions; use 'GP', or a "
    "model of this library, such as sf.GP(kernel=sf.gp.RBF(), noise=0.01)"
)
LEVEL = 3  # of compression where none is said: joblib's

is_2Dlistlike = is_2d_listlike  # noqa: N816


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
        The models of the objective, one for each evaluation that a model proposed.
    random_state : RandomState
        The random state of the run.
    specs : dict
        The function that was called and its arguments.
    """

    @property
    def suffice(self) -> Result:
        """The same run as this library has it: `result.suffice.accuracy`, `.diagnose()`, `.importance()`, `.plot()`."""
        history = self.__dict__.get("_history")
        if history is not None:
            return native.make_result(history, "the run so far", native.accuracy_of(history, None))
        if self.space is None:
            raise ValueError("a result created from points and values alone needs a space: create_result(…, space)")
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


def study_of(border: Border, Xi: list[Any], yi: list[Any], **options: Any) -> Optimizer:
    """A study of this library that was told some evaluations."""
    study = Optimizer(border.inside, n_initial=0, **options)
    with study.together():
        for point, value in zip(Xi, yi, strict=True):
            study.tell(border.inward(point), value)
    return study


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
        """The standard deviation of the values."""
        return float(np.nanstd(self.y_train_))

    @cached_property
    def suffice(self) -> Result:
        """The same evaluations as a result of this library."""
        Xi, yi = self._Xi[: self._n], self._yi[: self._n]
        return study_of(Border.of(self.space), Xi, yi, seed=0, model=self.model, acquisition=self.rule).result()

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The objective without noise at rows of the transformed space; with return_std its standard deviation, too.

        It is the posterior median, which is the mean where the model has not bent the values.
        """
        border = Border.of(self.space)
        points = [border.inward(point) for point in self.space.inverse_transform(np.atleast_2d(X))]
        mean, std = self.suffice.predict(points)
        return (mean, std) if return_std else mean


@explained(n_random_starts="The number of random starts of local searches, besides the best point so far.")
def expected_minimum(
    res: OptimizeResult, n_random_starts: int = 20, random_state: Any = None
) -> tuple[list[Any], float]:
    """Find where the last model predicts the least value, and that value.

    It uses local searches, or random points if there are integers or categories.

    Returns
    -------
    x : list
        The point.
    fun : float
        The prediction there.
    """
    if not res.space.is_real:
        return expected_minimum_random_sampling(res, 10_000, random_state)
    model, space = _last(res), res.space
    starts = space.transform([res.x, *space.rvs(n_random_starts, random_state=random_state)])
    bounds = [(0.0, 1.0)] * starts.shape[1]

    def predicted(u: Array) -> float:
        return float(model.predict(np.clip(u, 0.0, 1.0)[None])[0])

    found = [minimize(predicted, u, bounds=bounds, method="L-BFGS-B") for u in starts]
    best = min(found, key=lambda one: float(one.fun))
    return space.inverse_transform(np.clip(best.x, 0.0, 1.0)[None])[0], float(best.fun)


@explained(n_random_starts="The number of random points to compare.")
def expected_minimum_random_sampling(
    res: OptimizeResult, n_random_starts: int = 100_000, random_state: Any = None
) -> tuple[list[Any], float]:
    """The random point where the last model predicts the least value, and that value.

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
        raise ValueError("the result has no model: the run ended before the model proposed a point")
    return res.models[-1]


class Codec(NamedTuple):
    """A way to compress, how to undo it, how such a file begins, and the ending of its name."""

    compress: Callable[[bytes, int], bytes]
    decompress: Callable[[bytes], bytes]
    beginning: bytes
    ending: str


# By joblib's words for them.
CODECS = {
    "zlib": Codec(lambda data, level: zlib.compress(data, level), zlib.decompress, b"\x78", ".z"),
    "gzip": Codec(lambda data, level: gzip.compress(data, level, mtime=0), gzip.decompress, b"\x1f\x8b", ".gz"),
    "bz2": Codec(lambda data, level: bz2.compress(data, max(level, 1)), bz2.decompress, b"BZh", ".bz2"),
    "xz": Codec(lambda data, level: lzma.compress(data, preset=level), lzma.decompress, b"\xfd7zXZ", ".xz"),
    "lzma": Codec(
        lambda data, level: lzma.compress(data, lzma.FORMAT_ALONE, preset=level), lzma.decompress, b"\x5d\x00", ".lzma"
    ),
}


@explained(
    res="The result to write.",
    filename=(
        "path or file",
        "A path, whose suffix .z, .gz, .bz2, .xz or .lzma selects the compression; or a file opened for writing.",
    ),
    store_objective="False leaves out the objective, which then need not be picklable.",
    compress=(
        "int, str or tuple",
        'A level from 0 to 9, or a method, or both, as joblib has it: 9, "gzip", ("bz2", 9).',
    ),
    protocol="The pickle protocol; None takes Python's default.",
    others=("object", "Only cache_size, which has no effect; any other raises TypeError."),
)
def dump(
    res: OptimizeResult,
    filename: FilePath | IO[bytes],
    store_objective: bool = True,
    *,
    compress: Any = 0,
    protocol: int | None = None,
    **others: Any,
) -> None:
    """Write a result to a file, which `load` reads; an older file is replaced atomically."""
    others.pop("cache_size", None)  # of joblib: it has had no effect there for long
    if others:
        raise TypeError(f"dump has no keyword argument {next(iter(others))!r}: it takes compress and protocol")
    if not store_objective and (specs := res.get("specs")):
        arguments = {name: value for name, value in specs.get("args", {}).items() if name != "func"}
        res = copy.copy(res)
        res["specs"] = {**specs, "args": arguments}
    data = pickle.dumps(res, protocol)
    if isinstance(filename, str | os.PathLike):
        method, level = _method(os.fspath(filename), compress)
        replace_bytes(filename, data if method is None else CODECS[method].compress(data, level))
    else:
        filename.write(data)


@explained(
    filename=("path or file", "A path, or a file opened for reading."),
    others=("object", "Only mmap_mode, which has no effect; any other raises TypeError."),
    returns=("OptimizeResult", "The result."),
)
def load(filename: FilePath | IO[bytes], **others: Any) -> Any:
    """Read the result in a file that `dump` wrote. Load only files that you trust: a pickle can execute code."""
    others.pop("mmap_mode", None)  # of joblib, for arrays that are larger than those of a result
    if others:
        raise TypeError(f"load has no keyword argument {next(iter(others))!r}")
    data = Path(filename).read_bytes() if isinstance(filename, str | os.PathLike) else filename.read()
    codec = next((codec for codec in CODECS.values() if data.startswith(codec.beginning)), None)
    data = data if codec is None else codec.decompress(data)
    if b"skopt.space" in data and b"suffice.compat" not in data:
        raise ValueError(
            f"{filename} was written by scikit-optimize and contains its objects: load it with scikit-optimize once, "
            "and continue with its points and values, gp_minimize(..., x0=result.x_iters, y0=result.func_vals)"
        )
    return pickle.loads(data)


def _method(path: str, compress: Any) -> tuple[str | None, int]:
    """How to compress, and how much: the ending of the name decides, unless a method is said."""
    by_name = next((name for name, codec in CODECS.items() if path.endswith(codec.ending)), None)
    method, level = compress if isinstance(compress, tuple) else (None, compress)
    if isinstance(level, str):
        method, level = level, LEVEL
    level = LEVEL if level is True else level
    if not (isinstance(level, int) and 0 <= level <= 9):
        raise ValueError(f"compress must be a level from 0 to 9, a method, or a pair of both: got {compress!r}")
    if method is not None and method not in CODECS:
        raise ValueError(f"compress supports the methods {', '.join(CODECS)}: got {method!r}")
    if method is None and by_name is None and not level:
        return None, 0
    return method or by_name or "zlib", level or LEVEL


def eval_callbacks(callbacks: list[Any] | None, result: OptimizeResult) -> bool:
    """Call all of them with the result so far: whether any said that it is enough."""
    decisions = [callback(result) for callback in callbacks or []]
    return any(decisions)


def normalize_dimensions(dimensions: Any) -> Space:
    """The space of these dimensions with the transform that a model gets; the dimensions stay as they are."""
    return Space(dimensions).normalized()


def cook_estimator(base_estimator: Any, space: Any = None, **kwargs: Any) -> NoReturn:
    """Not here: the model is no regressor of scikit-learn."""
    raise NotImplementedError(f"cook_estimator: {REGRESSOR}")


@explained(
    dimensions=("list", "Real, Integer and Categorical, with names."),
    returns=("callable", "A decorator that turns a function of named values into a function of a point, a list."),
)
def use_named_args(dimensions: Sequence[Dimension]) -> Callable[[Callable[..., Any]], Callable[[Sequence[Any]], Any]]:
    """A decorator: the objective gets its values by the names of the dimensions, all of which must have one.

    Examples
    --------
    >>> from suffice.compat.skopt.space import Integer, Real
    >>> from suffice.compat.skopt.utils import use_named_args
    >>> @use_named_args([Real(0, 1, name="rate"), Integer(1, 9, name="depth")])
    ... def objective(rate, depth):
    ...     return rate * depth
    >>> objective([0.5, 4])
    2.0
    """

    def decorator(func: Callable[..., Any]) -> Callable[[Sequence[Any]], Any]:
        for dimension in dimensions:
            if not isinstance(dimension, Dimension):
                raise ValueError(f"use_named_args takes Real, Integer and Categorical, with names: got {dimension!r}")
            if dimension.name is None:
                raise ValueError(f"use_named_args needs a name for every dimension: {dimension!r} has none")

        @functools.wraps(func)
        def wrapper(x: Sequence[Any]) -> Any:
            if len(x) != len(dimensions):
                raise ValueError(f"the point must have {len(dimensions)} values, one for each dimension: got {len(x)}")
            return func(**{str(dimension.name): value for dimension, value in zip(dimensions, x, strict=True)})

        return wrapper

    return decorator


@explained(returns=("list", "The dimensions."))
def dimensions_aslist(search_space: Mapping[str, Any]) -> list[Any]:
    """The dimensions of a dict in the order of their names."""
    return [search_space[name] for name in sorted(search_space)]


@explained(returns=("OrderedDict", "The values by name."))
def point_asdict(search_space: Mapping[str, Any], point_as_list: Sequence[Any]) -> "OrderedDict[str, Any]":
    """Name the values of a point."""
    return OrderedDict(zip(sorted(search_space), point_as_list, strict=False))


@explained(returns=("list", "The values."))
def point_aslist(search_space: Mapping[str, Any], point_as_dict: Mapping[str, Any]) -> list[Any]:
    """List the values of a point in the order of their names."""
    return [point_as_dict[name] for name in sorted(search_space)]
