"""Acquisition functions of torch as scores on NumPy rows, and the observations of their models.

b  int  rows in one call        q  int  points that are evaluated together     d  int  columns of a point
V  (b, q·d)  rows in the units of the acquisition, which takes tensors (b, q, d) and returns (b,)
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from suffice.exactness.foreign import CHUNK, Foreign, Units, called, looked_at
from suffice.space import Choice, Float, Ordinal, Space
from suffice.streams import Streams
from suffice.types import Array

# Rows of a call if points are judged together: the samples of more do not fit into the cache.
JOINT_CHUNK = 200
SLACK = 1e-9  # tolerance of a constraint in its own units, for rounding
BETWEEN = "suffice supports no constraints between the points of a batch: constrain each point by itself"

Constraint = tuple[Tensor, Tensor, float]
Nonlinear = tuple[Callable[[Tensor], Any], bool]


class Rows:
    """An acquisition function as a function of rows."""

    def __init__(self, module: Any, like: Tensor | None = None, q: int = 1) -> None:
        self.module, self.q = module, q
        seen = observed_tensor(module)
        kind = seen if seen is not None else torch.empty(0, dtype=torch.double) if like is None else like
        self.like = kind.detach()[:0]  # the acquisition's data type and device

    @property
    def logarithmic(self) -> bool:
        """Whether BoTorch marks it as the logarithm of an acquisition."""
        return getattr(self.module, "_log", False) is True

    @property
    def single(self) -> bool:
        """Whether it computes in single precision."""
        return bool(self.like.dtype == torch.float32)

    def tensor(self, V: Array) -> Tensor:
        """Rows as tensors for the acquisition, (b, q, d)."""
        return torch.as_tensor(V).to(self.like).reshape(len(V), self.q, -1)

    def __call__(self, V: Array) -> Any:
        with torch.no_grad():
            values = self.module(self.tensor(V))
        if not isinstance(values, Tensor):
            raise TypeError(f"an acquisition function of torch must return a tensor: got {type(values).__name__}")
        return array(values)

    def has_gradient(self, V: Array) -> bool:
        """Whether torch has gradients of the values."""
        with torch.enable_grad():
            return bool(self.module(self.tensor(V).requires_grad_(True)).requires_grad)

    def with_grads(self, V: Array) -> tuple[Any, Any]:
        """Values and gradients, from one backward pass for all rows."""
        X = self.tensor(V).requires_grad_(True)
        with torch.enable_grad():
            values = self.module(X)
            (gradients,) = torch.autograd.grad(values.sum(), X)
        return array(values.detach()), array(gradients).reshape(len(V), -1)


def array(values: Tensor) -> Any:
    """A tensor on any device as an array."""
    return values.cpu().numpy()


def observed_by(module: Any) -> Array:
    """The observations of the model of an acquisition, in its units, (n, d), best first if possible."""
    X = observed_tensor(module)
    if X is None:
        return np.empty((0, 0))
    rows: Array = array(X.detach()).astype(np.float64)
    y = getattr(_first_model(module), "train_targets", None)
    if y is None or y.shape != X.shape[:1]:
        return rows
    order: Array = rows[np.argsort(-array(y.detach()), kind="stable")]
    return order


def observed_tensor(module: Any) -> Tensor | None:
    """The same as a tensor; None if there is no model or no access to its data."""
    model = _first_model(module)
    # In evaluation mode, a model keeps transformed inputs, and the original ones under this name.
    kept = getattr(model, "_original_train_inputs", None)
    inputs = getattr(model, "train_inputs", None)
    X = kept if isinstance(kept, Tensor) else inputs[0] if inputs else None
    while isinstance(X, Tensor) and X.ndim > 2:  # one set for each member or output: the same for all
        X = X[0]
    return X if isinstance(X, Tensor) and X.ndim == 2 else None


def _first_model(module: Any) -> Any:
    """The model of an acquisition, or the first of its list."""
    model = getattr(module, "model", None)
    several = getattr(model, "models", None)
    return several[0] if several is not None and len(several) else model


def has_pending(module: Any) -> bool:
    """Whether each point is judged together with pending ones."""
    return isinstance(getattr(module, "X_pending", None), Tensor)


def lengthscales(module: Any, space: Space) -> Array | None:
    """The length-scales of the model in the columns of the cube, (dim,); None if not available."""
    model = _first_model(module)
    kernel = getattr(model, "covar_module", None)
    kernel = getattr(kernel, "base_kernel", kernel)
    found = getattr(kernel, "lengthscale", None)
    if not isinstance(found, Tensor) or found.numel() not in (1, len(space.parameters)):
        return None
    scales = np.broadcast_to(array(found.detach()).reshape(-1), len(space.parameters))
    widths = np.ones(space.dim)
    for j, parameter, c in Units(space).columns:
        if isinstance(parameter, Float):  # a model with an input transform usually sees the unit cube
            scaled = hasattr(model, "input_transform")
            widths[c] = scales[j] if scaled else scales[j] / (parameter.high - parameter.low)
    return widths


# ---------------------------------------------------------------------- the domain


def space_of(
    bounds: Tensor,
    fixed: Mapping[int, float | Tensor] | None = None,
    discrete: Mapping[int, Sequence[float]] | None = None,
    categories: Mapping[int, Sequence[float]] | None = None,
) -> Space:
    """The columns as a space: ranges, separate values, and constants."""
    if not isinstance(bounds, Tensor) or bounds.ndim != 2 or bounds.shape[0] != 2:
        raise ValueError(f"bounds must be a tensor of shape (2, d): got {getattr(bounds, 'shape', bounds)}")
    d = bounds.shape[1]
    parameters: list[Any] = []
    for low, high in bounds.detach().cpu().double().T.tolist():
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"bounds must be finite: got {low} to {high} for column {len(parameters)}")
        parameters.append(Choice(low) if low == high else Float(low, high))
    for column, values in (discrete or {}).items():
        parameters[column % d] = Ordinal(*sorted({float(value) for value in values}))
    for column, values in (categories or {}).items():
        parameters[column % d] = Choice(*dict.fromkeys(float(value) for value in values))
    for column, value in (fixed or {}).items():
        if isinstance(value, Tensor) and value.numel() != 1:
            raise NotImplementedError("suffice supports one value for each fixed feature: call it once for each value")
        parameters[column % d] = Choice(float(value))
    return Space.positional(*parameters)


@dataclass(frozen=True)
class Linear:
    """Σ coefficients · x[indices] ≥ rhs."""

    indices: tuple[int, ...]
    coefficients: tuple[float, ...]
    rhs: float

    def __call__(self, point: Any) -> bool:
        total = sum(c * point[i] for i, c in zip(self.indices, self.coefficients, strict=True))
        return bool(total >= self.rhs - SLACK * (1.0 + abs(self.rhs)))


def predicates(linear: list[Constraint] | None, nonlinear: list[Nonlinear] | None) -> list[Any] | None:
    """BoTorch's constraints as constraints of a space."""
    found: list[Any] = []
    for indices, coefficients, rhs in linear or ():
        if indices.ndim > 1:
            raise NotImplementedError(BETWEEN)
        found.append(Linear(tuple(indices.tolist()), tuple(coefficients.tolist()), float(rhs)))
    for function, of_each in nonlinear or ():
        if not of_each:
            raise NotImplementedError(BETWEEN)
        found.append(lambda point, f=function: bool(float(f(torch.as_tensor(point, dtype=torch.double))) >= 0.0))
    return found or None


# ---------------------------------------------------------------------- as a score


def score(
    function: Any, space: Space, starts: Array | None = None, like: Tensor | None = None, q: int = 1
) -> tuple[Foreign, Array]:
    """An acquisition on the cube of the space, and the rows that start runs: observed points and the user's starts."""
    rows, units = Rows(function, like, q), Units(space)
    known = observed_by(function)
    known = np.concatenate([np.roll(known, -shift, axis=0) for shift in range(q)], axis=1)
    V = np.concatenate([part for part in (known, starts) if part is not None and len(part)] or [known])
    X = in_cube(units, V)
    widths = lengthscales(function, space) if q == 1 else None
    chunk = JOINT_CHUNK if q > 1 or has_pending(function) else CHUNK
    alpha = Foreign(rows, units, rows.with_grads, rows.logarithmic, widths=widths, chunk=chunk)
    looks = looked_at(alpha, X)
    if not called(rows.has_gradient, units(space.sample(1, Streams(0)("audit")))):
        alpha = replace(alpha, with_grads=None)
    return replace(alpha, single=looks.single, positive=not rows.logarithmic and looks.positive), X


def in_cube(units: Units, V: Array) -> Array:
    """The members of the space nearest to rows in the acquisition's units, if these are inside the bounds, (k, dim)."""
    space = units.space
    if not V.size:
        return np.empty((0, space.dim))
    X, inside = np.zeros((len(V), space.dim)), np.ones(len(V), dtype=np.bool_)
    for j, parameter, c in units.columns:
        if isinstance(parameter, Float):
            X[:, c] = ((V[:, j] - parameter.low) / (parameter.high - parameter.low))[:, None]
            inside &= (parameter.low <= V[:, j]) & (parameter.high >= V[:, j])
        elif not parameter.constant:
            options = np.array(parameter.options, dtype=np.float64)
            X[:, c] = parameter.members(np.abs(V[:, [j]] - options).argmin(axis=1))
    rows = space.snap(X[inside])
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)]
