"""suffice's solver with the arguments and results of BoTorch's optimizers of acquisition functions.

q  int  points of a batch         d  int  columns of a point        bounds  (2, d)

The points of a batch are found one after another, each with the earlier ones pending, as with BoTorch's
`sequential=True`.

`everywhere` puts it into libraries that call BoTorch's solver, such as Ax and BayBE.
"""

import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from botorch.acquisition.acquisition import OneShotAcquisitionFunction
from botorch.acquisition.analytic import AnalyticAcquisitionFunction
from botorch.optim import optimize_acqf as theirs
from botorch.optim.optimize import optimize_acqf_mixed as theirs_mixed
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating as theirs_alternating
from torch import Tensor

from suffice.accuracy.report import SolveReport, solve_report
from suffice.exactness.foreign import Units
from suffice.exactness.tensors import (
    Constraint,
    Nonlinear,
    has_pending,
    in_cube,
    observed_tensor,
    predicates,
    score,
    space_of,
)
from suffice.solvers import Adaptive
from suffice.solvers.search.mixed import ascend
from suffice.space import Space
from suffice.types import Array, Step

# The cost of a miss is unknown here, so the search is more thorough than the default. It may leave a third as much, and
# draws five times as many points, because a thousand rows in torch cost little more than one.
ALONE = Adaptive(share=0.03, draws=1000)
# With pending points a row costs several times as much.
BESIDE_PENDING = Adaptive(share=0.03, draws=500)
SEEDS = 2**31

Reports = list[SolveReport]


@dataclass(frozen=True)
class Where:
    """The domain and the settings that all solves of one call share."""

    bounds: Tensor
    space: Space
    post: Callable[[Tensor], Tensor] | None
    starts: Array  # (k, d): the caller's starts, besides the observations
    seconds: float | None  # for each solve
    seed: int | None
    reports: Reports | None

    def inside(self, V: Array) -> Tensor:
        """Points, (k, d), as a tensor inside the bounds in the bounds' precision."""
        return torch.minimum(torch.maximum(torch.as_tensor(V).to(self.bounds), self.bounds[:1]), self.bounds[1:])

    def candidate(self, row: Array) -> Tensor:
        """A row of the cube as a candidate, (1, d)."""
        found = self.inside(Units(self.space)(row[None]))
        return found if self.post is None else self.post(found)


def optimize_acqf(
    acq_function: Any,
    bounds: Tensor,
    q: int = 1,
    num_restarts: int | None = None,  # noqa: ARG001
    raw_samples: int | None = None,  # noqa: ARG001
    options: Mapping[str, Any] | None = None,
    inequality_constraints: list[Constraint] | None = None,
    equality_constraints: list[Constraint] | None = None,
    nonlinear_inequality_constraints: list[Nonlinear] | None = None,
    fixed_features: Mapping[int, float | Tensor] | None = None,
    post_processing_func: Callable[[Tensor], Tensor] | None = None,
    batch_initial_conditions: Tensor | None = None,
    return_best_only: bool = True,
    gen_candidates: Any = None,
    sequential: bool = False,
    acq_function_sequence: Sequence[Any] | None = None,
    *,
    ic_generator: Any = None,
    timeout_sec: float | None = None,
    return_acq_values: bool = True,
    return_full_tree: bool = False,
    retry_on_optimization_warning: bool = True,  # noqa: ARG001
    discrete_dims: Mapping[int, Sequence[float]] | None = None,
    cat_dims: Mapping[int, Sequence[float]] | None = None,
    reports: Reports | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Maximize an acquisition function of BoTorch with suffice's solver, in place of `botorch.optim.optimize_acqf`.

    Arguments and return values are BoTorch's, so you change only one import line. The search chooses its own starts and
    stops when it is accurate enough: `num_restarts`, `raw_samples` and all `options` except `seed` have no effect. The
    points of a batch are found one after another. With `sequential=True`, their values are returned. Without it, a
    joint search follows, and the value is that of the batch. Unsupported arguments raise an error.

    Further arguments are `discrete_dims` and `cat_dims`, the ordered and unordered values of columns as in BoTorch's
    `optimize_acqf_mixed_alternating`, and `reports`, a list that receives a SolveReport for each solve.
    """
    _refuse(equality_constraints, "equality_constraints", "eliminate a column instead")
    _refuse(gen_candidates, "gen_candidates", "the solver needs no options; leave it out")
    _refuse(ic_generator, "ic_generator", "further starts are batch_initial_conditions")
    _refuse(not return_best_only, "return_best_only=False", "there is only one solution")
    _refuse(return_full_tree, "return_full_tree", "one-shot acquisitions need BoTorch's own optimizer")
    functions = _functions(acq_function, acq_function_sequence, q)
    space = space_of(bounds, fixed_features, discrete_dims, cat_dims)
    where = Where(
        bounds,
        space.with_where(predicates(inequality_constraints, nonlinear_inequality_constraints)),
        post_processing_func,
        _starts(batch_initial_conditions, bounds.shape[1]),
        None if timeout_sec is None else timeout_sec / q,
        (options or {}).get("seed"),
        reports,
    )
    candidates, values = _greedy(functions, where)
    if not return_acq_values:
        return candidates, None
    if sequential and q > 1:
        return candidates, torch.stack(values)
    return (candidates, values[0]) if q == 1 else _together(functions[0], candidates, where)


def optimize_acqf_mixed(
    acq_function: Any,
    bounds: Tensor,
    q: int,
    num_restarts: int | None = None,
    fixed_features_list: Sequence[Mapping[int, float]] = (),
    raw_samples: int | None = None,
    **arguments: Any,
) -> tuple[Tensor, Tensor | None]:
    """BoTorch's `optimize_acqf_mixed`: the best over a list of fixed features.

    If the list has every combination of some values, as for categories, one search covers all of them.

    Parameters
    ----------
    acq_function : AcquisitionFunction
        The acquisition function.
    bounds : Tensor
        Lower and upper bounds, (2, d).
    q : int
        The number of points, found one after another.
    num_restarts, raw_samples : int or None, default: None
        Without effect.
    fixed_features_list : sequence of dict
        Values of columns; each candidate has the values of one entry.
    **arguments
        As in `optimize_acqf`.

    Returns
    -------
    tuple of Tensor
        The candidates, (q, d), and the value of the batch.
    """
    if not fixed_features_list:
        raise ValueError("fixed_features_list is empty: give at least one dict of column and value")
    d = bounds.shape[1]
    listed = [{column % d: float(value) for column, value in given.items()} for given in fixed_features_list]
    given: dict[str, Any] = {"num_restarts": num_restarts, "raw_samples": raw_samples, **arguments}
    categories = _product(listed)
    if categories is not None:
        return optimize_acqf(acq_function, bounds, q, cat_dims=categories, **given)
    if q > 1:
        raise NotImplementedError(
            "suffice's optimize_acqf_mixed supports q > 1 only if fixed_features_list has every combination of the "
            "values of the same columns; ask for one point at a time, with the others as X_pending"
        )
    several = [optimize_acqf(acq_function, bounds, 1, fixed_features=fixed, **given) for fixed in listed]
    heights = [float(_value(acq_function, candidate)) for candidate, _ in several]
    return several[int(np.argmax(heights))]


def optimize_acqf_mixed_alternating(
    acq_function: Any,
    bounds: Tensor,
    discrete_dims: Mapping[int, Sequence[float]] | None = None,
    cat_dims: Mapping[int, Sequence[float]] | None = None,
    options: Mapping[str, Any] | None = None,
    q: int = 1,
    raw_samples: int | None = None,
    num_restarts: int | None = None,
    post_processing_func: Callable[[Tensor], Tensor] | None = None,
    sequential: bool = True,
    **arguments: Any,
) -> tuple[Tensor, Tensor | None]:
    """BoTorch's `optimize_acqf_mixed_alternating`: some columns have discrete values, ordered or unordered.

    Parameters
    ----------
    acq_function : AcquisitionFunction
        The acquisition function.
    bounds : Tensor
        Lower and upper bounds, (2, d).
    discrete_dims, cat_dims : dict or None, default: None
        The ordered and unordered values of columns.
    options : dict or None, default: None
        Only `seed` has an effect.
    q : int, default: 1
        The number of points, found one after another.
    raw_samples, num_restarts : int or None, default: None
        Without effect.
    post_processing_func : callable or None, default: None
        Changes each candidate.
    sequential : bool, default: True
        As in `optimize_acqf`.
    **arguments
        As in `optimize_acqf`.

    Returns
    -------
    tuple of Tensor
        The candidates, (q, d), and their values.
    """
    given: dict[str, Any] = {"num_restarts": num_restarts, "raw_samples": raw_samples, "options": options, **arguments}
    given |= {"discrete_dims": discrete_dims, "cat_dims": cat_dims, "sequential": sequential}
    return optimize_acqf(acq_function, bounds, q, post_processing_func=post_processing_func, **given)


# ---------------------------------------------------------------------- the arguments


def _refuse(given: Any, name: str, instead: str) -> None:
    if given is not None and given is not False:
        raise NotImplementedError(f"suffice's optimize_acqf does not support {name}: {instead}")


def _functions(acq_function: Any, several: Sequence[Any] | None, q: int) -> list[Any]:
    """The acquisition of each point of the batch."""
    if several is not None and len(several) != q:
        raise ValueError(f"acq_function_sequence must have q={q} acquisition functions: got {len(several)}")
    functions = [acq_function] * q if several is None else list(several)
    for function in functions:
        if not callable(function):
            raise TypeError(f"optimize_acqf takes an acquisition function, a callable of tensors: got {function!r}")
        if isinstance(function, OneShotAcquisitionFunction):
            _refuse(True, type(function).__name__, "a one-shot acquisition needs BoTorch's own optimizer")
        if q > 1 and isinstance(function, AnalyticAcquisitionFunction):
            raise NotImplementedError(
                f"{type(function).__name__} is analytic and does not support pending points: for q={q} take its "
                "Monte-Carlo form, such as qLogExpectedImprovement"
            )
        if q > 1 and not hasattr(function, "set_X_pending"):
            raise NotImplementedError(
                f"{type(function).__name__} has no set_X_pending, so q={q} points cannot be chosen one after the "
                "other; use an acquisition function of BoTorch"
            )
    return functions


def _starts(given: Tensor | None, d: int) -> Array:
    return np.empty((0, d)) if given is None else given.detach().cpu().double().numpy().reshape(-1, d)


def _product(listed: list[dict[int, float]]) -> dict[int, list[float]] | None:
    """The values of each column if the list has every combination of them; otherwise None."""
    if any(given.keys() != listed[0].keys() for given in listed):
        return None
    values = {column: list(dict.fromkeys(given[column] for given in listed)) for column in listed[0]}
    every = set(itertools.product(*values.values()))
    return values if every == {tuple(given[column] for column in values) for given in listed} else None


# ---------------------------------------------------------------------- the search


def _greedy(functions: list[Any], where: Where) -> tuple[Tensor, list[Tensor]]:
    """The points one after another, each with the earlier ones pending, and their values."""
    if len(functions) == 1:
        candidate, value = _solved(functions[0], where)
        return candidate, [value]
    before = [function.X_pending for function in functions]
    found: list[Tensor] = []
    values: list[Tensor] = []
    try:
        for function, pending in zip(functions, before, strict=True):
            if found:
                so_far = torch.cat(found, dim=-2)
                function.set_X_pending(so_far if pending is None else torch.cat([pending, so_far], dim=-2))
            candidate, value = _solved(function, where)
            found.append(candidate)
            values.append(value)
    finally:
        for function, pending in zip(functions, before, strict=True):
            function.set_X_pending(pending)
    return torch.cat(found, dim=-2), values


def _together(function: Any, candidates: Tensor, where: Where) -> tuple[Tensor, Tensor]:
    """The batch and its value, after a joint search over all points if there are no constraints."""
    space = where.space
    if not space.where and where.post is None and space.dim:
        joint = Space.positional(*space.parameters * len(candidates))
        alpha, _ = score(function, joint, like=where.bounds, q=len(candidates))
        start = in_cube(alpha.units, candidates.detach().cpu().double().numpy().reshape(1, -1))
        ascent = ascend(alpha, joint, start)
        ends = Units(joint)(ascent.points).reshape(len(candidates), -1)
        candidates = where.inside(ends)
    return candidates, _value(function, candidates)


def _value(function: Any, candidates: Tensor) -> Tensor:
    """A number with the data type of the candidates, whatever the model's type is."""
    seen = observed_tensor(function)
    with torch.no_grad():
        X = candidates if seen is None else candidates.to(seen)
        value: Tensor = function(X.unsqueeze(0)).squeeze().to(candidates)
        return value


def _solved(function: Any, where: Where) -> tuple[Tensor, Tensor]:
    """The best point of one acquisition, (1, d), and its value, a number."""
    start = time.perf_counter()
    space = where.space
    if space.dim == 0:
        candidate = where.candidate(np.empty(0))
    else:
        alpha, known = score(function, space, where.starts, where.bounds)
        rng = np.random.default_rng(int(torch.randint(SEEDS, (1,))) if where.seed is None else where.seed)
        deadline = None if where.seconds is None else time.monotonic() + where.seconds
        step = Step(t=1, design=known, deadline=deadline)
        solver = BESIDE_PENDING if has_pending(function) else ALONE
        solution = solver(alpha, space, step=step, rng=rng)
        candidate = where.candidate(solution.x)
        if where.reports is not None:
            report = solve_report(alpha, solution, space)
            where.reports.append(replace(report, seconds={"solve": time.perf_counter() - start}))
    return candidate, _value(function, candidate)


EXCHANGED: tuple[tuple[str, Any, Any], ...] = (
    ("optimize_acqf", theirs, optimize_acqf),
    ("optimize_acqf_mixed", theirs_mixed, optimize_acqf_mixed),
    ("optimize_acqf_mixed_alternating", theirs_alternating, optimize_acqf_mixed_alternating),
)


# ---------------------------------------------------------------------- in other libraries


@contextmanager
def everywhere() -> Iterator[list[SolveReport]]:
    """Inside this context, every library that calls BoTorch's optimize_acqf calls suffice's instead.

    It replaces the function in all imported modules and restores it afterwards. Unsupported arguments, such as equality
    constraints, raise an error.

    Yields
    ------
    list of SolveReport
        One for each solve, in order.
    """
    reports: list[SolveReport] = []
    changed = []
    ours = [(word, before, partial(after, reports=reports)) for word, before, after in EXCHANGED]
    for module in list(sys.modules.values()):
        for word, before, after in ours:
            if getattr(module, "__dict__", {}).get(word) is before:
                setattr(module, word, after)
                changed.append((module, word, before))
    try:
        yield reports
    finally:
        for module, word, before in changed:
            setattr(module, word, before)
