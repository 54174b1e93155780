"""The internals of other libraries; no other file uses them.

An entry names the function that maximizes the library's acquisition. A reader extracts the acquisition, the domain and
the chosen point from the arguments and the result of a call. A new library needs an entry in LIBRARIES and a reader.

alpha   Score  the acquisition on the unit cube of the domain       x      (d,)    the chosen row
known   (k, d) rows beside which peaks may be narrow                point  the chosen point in the library's format
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from suffice.exactness.foreign import Foreign, Units, looked_at
from suffice.exactness.meter import row_of, rows_of
from suffice.space import Choice, Float, Int, Ordinal, Space
from suffice.types import Array, Domain, Score


class Seen(NamedTuple):
    """One solve of a library."""

    acquisition: str
    alpha: Score
    domain: Domain
    x: Array
    known: Array
    point: Any
    seconds: float | None = None  # None: those of the call


@dataclass(frozen=True)
class Seam:
    """A function inside a library, and the reader of its calls; None if the call maximized nothing."""

    module: str
    name: str
    read: Callable[[tuple[Any, ...], dict[str, Any], Any], Seen | None]
    owner: str = ""  # the class that has it
    since: str = ""  # the solve begins when this function of the module is called; "": with the call


@dataclass(frozen=True)
class Library:
    """A library, the tested versions, and the functions that solve."""

    package: str
    tried: tuple[str, ...]
    seams: tuple[Seam, ...]


def as_seen(name: str, function: Any, space: Space, point: Any, known: Any, logarithmic: bool = False) -> Seen:
    """A solve of an acquisition without gradients, in the library's own search units."""
    alpha, rows = Foreign(function, Units(space), logarithmic=logarithmic), rows_of(space, known)
    looked_at(alpha, rows)
    return Seen(name, alpha, space, row_of(space, point), rows, point)


def by_botorch(args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> Seen:
    """`_optimize_acqf_batch(opt_inputs)`: each point of a sequential batch, and a joint batch as a whole."""
    from suffice.exactness.tensors import array, in_cube, predicates, score, space_of

    given = args[0] if args else kwargs["opt_inputs"]
    candidates, values = found
    if given.equality_constraints:
        raise NotImplementedError("equality constraints leave no box to search")
    if candidates.ndim == 3:  # of all restarts
        candidates = candidates[0] if values is None else candidates[values.argmax()]
    fixed = {j: float(v) for j, v in (given.fixed_features or {}).items()}
    space, q = space_of(given.bounds, fixed), len(candidates)
    if q > 1:
        space = Space.positional(*space.parameters * q)
    space = space.with_where(
        predicates(given.inequality_constraints, given.nonlinear_inequality_constraints) if q == 1 else None
    )
    alpha, known = score(given.acq_function, space, like=given.bounds, q=q)
    point = array(candidates.detach()).astype(np.float64).reshape(-1)
    x = in_cube(alpha.units, _inside(point, array(given.bounds.detach()), q)[None])[0]
    return Seen(type(given.acq_function).__name__, alpha, space, x, known, point)


def _inside(point: Array, bounds: Array, q: int) -> Array:
    """Clip a point that rounding, or a library, put slightly outside."""
    inside: Array = np.clip(point, np.tile(bounds[0], q), np.tile(bounds[1], q))
    return inside


def by_optuna(args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> Seen:
    """`GPSampler._optimize_acqf(acqf, best_params)`, in its normalized parameters."""
    from suffice.exactness.tensors import score

    acqf = args[1] if len(args) > 1 else kwargs["acqf"]
    space, discrete = acqf.search_space, iter(acqf.search_space.get_choices_of_discrete_params())
    parameters: list[Any] = [Float(0.0, 1.0)] * space.dim
    for j in np.flatnonzero(space._steps > 0).tolist():
        values = next(discrete).tolist()
        parameters[j] = Choice(*values) if space.is_categorical[j] else Ordinal(*values)
    own = Space.positional(*parameters)
    gpr = getattr(acqf, "_gpr", None)
    observed = np.empty((0, space.dim)) if gpr is None else gpr._X_train.detach().numpy()
    alpha, known = score(lambda X: acqf.eval_acqf(X[:, 0, :]), own, observed)
    name, point = type(acqf).__name__, np.asarray(found, dtype=np.float64)
    alpha = Foreign(alpha.function, alpha.units, alpha.with_grads, "Log" in name, positive=False)
    return Seen(name, alpha, own, row_of(own, point), known, point)


def by_skopt(args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> Seen | None:  # noqa: ARG001
    """`Optimizer._tell(x, y, fit)`: of several acquisitions, the one with the proposed point."""
    from importlib import import_module

    optimizer = args[0]
    fit = kwargs.get("fit", args[3] if len(args) > 3 else True)
    if not fit or optimizer._n_initial_points > 0 or not optimizer.models or optimizer.base_estimator_ is None:
        return None
    score = import_module("skopt.optimizer.optimizer")._gaussian_acquisition
    space, model, least = optimizer.space, optimizer.models[-1], np.min(optimizer.yi)
    same = [space.inverse_transform(x.reshape((1, -1)))[0] == optimizer._next_x for x in optimizer.next_xs_]
    i = same.index(True) if True in same else 0
    name = optimizer.cand_acq_funcs_[i]

    def alpha(V: Array) -> Array:
        return -np.asarray(score(V, model, least, acq_func=name, acq_func_kwargs=optimizer.acq_func_kwargs))

    bounds = [(float(low), float(high)) for low, high in space.transformed_bounds]
    return as_seen(name, alpha, Space.positional(*bounds), optimizer.next_xs_[i], space.transform(optimizer.Xi))


def by_bayes_opt(args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> Seen:
    """`AcquisitionFunction._acq_min(acq, space, ...)`, which minimizes."""
    acquisition, acq, target = args[0], *(args[1:3] if len(args) > 2 else (kwargs["acq"], kwargs["space"]))
    parameters: list[Any] = []
    for (low, high), smooth in zip(target.bounds.tolist(), target.continuous_dimensions.tolist(), strict=True):
        whole = not smooth and float(low).is_integer() and float(high).is_integer()
        parameters.append(Int(int(low), int(high)) if whole and high > low else Float(low, high))
    if len(parameters) != len(target.keys):
        raise NotImplementedError("categorical parameters are one-hot columns")
    name = type(acquisition).__name__
    point = np.asarray(found, dtype=np.float64).reshape(-1)
    return as_seen(name, lambda V: -np.asarray(acq(V)), Space.positional(*parameters), point, target.params)


def by_suffice(args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> Seen | None:  # noqa: ARG001
    """`_chosen(settings, history, space, previous, deadline, laps, batch)`, in the unit cube."""
    frozen, report = args[6].frozen, found.report
    if report is None or report.taken:  # the best point was known already, so another one was proposed
        return None
    alpha, row = frozen.alpha, found.unit
    row = row if alpha.domain is None else alpha.domain.snap(row[None])[0]
    name = type(alpha).__name__ if report.kind is None else report.kind
    return Seen(name, alpha, frozen.domain, row, frozen.step.design, found.point, report.seconds.get("solve"))


BOTORCH = Library(
    "botorch", ("0.16", "0.17", "0.18"), (Seam("botorch.optim.optimize", "_optimize_acqf_batch", by_botorch),)
)
LIBRARIES: dict[str, Library] = {
    "botorch": BOTORCH,
    "ax": BOTORCH,
    "baybe": BOTORCH,
    "optuna": Library(
        "optuna", ("5.0",), (Seam("optuna.samplers._gp.sampler", "_optimize_acqf", by_optuna, owner="GPSampler"),)
    ),
    "skopt": Library(
        "scikit-optimize",
        ("0.10",),
        (Seam("skopt.optimizer.optimizer", "_tell", by_skopt, owner="Optimizer", since="_gaussian_acquisition"),),
    ),
    "bayes_opt": Library(
        "bayesian-optimization",
        ("3.4",),
        (Seam("bayes_opt.acquisition", "_acq_min", by_bayes_opt, owner="AcquisitionFunction"),),
    ),
    "suffice": Library("suffice", (), (Seam("suffice.ask.suggest", "_chosen", by_suffice),)),
}
