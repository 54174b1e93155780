"""Acquisition functions of torch as functions of NumPy rows, with their gradients, and what their model has observed.

b  int  rows in one call        q  int  points that are judged together        d  int  columns of a point
V  (b, q·d)  rows in the units of the acquisition, which takes tensors (b, q, d) and returns (b,)
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from suffice.types import Array


class Rows:
    """An acquisition function as a function of rows."""

    def __init__(self, module: Any, bounds: Any, q: int = 1) -> None:
        limits = bounds if isinstance(bounds, Tensor) else torch.as_tensor(np.asarray(bounds, dtype=np.float64).T)
        if limits.ndim != 2 or limits.shape[0] != 2:
            raise ValueError(f"bounds must be a tensor of shape (2, d), as in BoTorch: got shape {tuple(limits.shape)}")
        self.module, self.q, self.d = module, q, limits.shape[1]
        self.like = _like(module, limits)
        self.box = limits.detach().cpu().double().numpy()

    @property
    def limits(self) -> list[tuple[float, float]]:
        """(low, high) of each column, for all q points."""
        return [(float(low), float(high)) for low, high in self.box.T] * self.q

    @property
    def logarithmic(self) -> bool:
        """Whether BoTorch says that it is the logarithm of an acquisition."""
        return getattr(self.module, "_log", False) is True

    @property
    def single(self) -> bool:
        """Whether it computes in single precision."""
        return bool(self.like.dtype == torch.float32)

    def tensor(self, V: Array) -> Tensor:
        """Rows as the acquisition takes them, (b, q, d)."""
        return torch.as_tensor(V).to(self.like).reshape(len(V), self.q, self.d)

    def __call__(self, V: Array) -> Any:
        with torch.no_grad():
            return array(self.module(self.tensor(V)))

    def with_grads(self, V: Array) -> tuple[Any, Any]:
        """Values and gradients, from one backward pass for all rows."""
        X = self.tensor(V).requires_grad_(True)
        with torch.enable_grad():
            values = self.module(X)
            if not values.requires_grad:
                raise TypeError(f"{type(self.module).__name__} has no gradient: its value is detached from its input")
            (gradients,) = torch.autograd.grad(values.sum(), X)
        return array(values.detach()), array(gradients).reshape(len(V), -1)


def array(values: Tensor) -> Any:
    """A tensor of any device as an array."""
    return values.cpu().numpy()


def _like(module: Any, limits: Tensor) -> Tensor:
    """A tensor of the kind that the acquisition computes with: that of its observations, else of its bounds."""
    seen = observed_tensor(module)
    return (limits if seen is None else seen).detach()[:0]


def observed_by(module: Any) -> Array:
    """The observations of the model of an acquisition, in its units, (n, d), the best first where it can be told."""
    X = observed_tensor(module)
    if X is None:
        return np.empty((0, 0))
    rows = array(X.detach()).astype(np.float64)
    y = getattr(_first_model(module), "train_targets", None)
    if y is None or y.shape != X.shape[:1]:
        return rows
    order: Array = rows[np.argsort(-array(y.detach()), kind="stable")]
    return order


def observed_tensor(module: Any) -> Tensor | None:
    """The same as a tensor; None where there is no model, or it does not tell."""
    model = _first_model(module)
    # In evaluation a model keeps its inputs transformed, and the original ones under this name.
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


def lengthscales(module: Any, box: Array) -> Array | None:
    """The length-scales of the model, as shares of the ranges, (d,); None where they are not told."""
    model = _first_model(module)
    kernel = getattr(model, "covar_module", None)
    kernel = getattr(kernel, "base_kernel", kernel)
    found = getattr(kernel, "lengthscale", None)
    if not isinstance(found, Tensor) or found.numel() not in (1, box.shape[1]):
        return None
    scales = np.broadcast_to(array(found.detach()).reshape(-1), box.shape[1]).astype(np.float64)
    return scales if hasattr(model, "input_transform") else scales / (box[1] - box[0])
