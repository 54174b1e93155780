"""Gaussian processes: kernels, posterior, fit, output transform, sample paths."""

from collections.abc import Callable
from functools import partial

from suffice.gp.fit import LogNormal, Prior
from suffice.gp.kernels import RBF, CustomKernel, Matern, Stationary
from suffice.gp.model import GP, Model, Refit
from suffice.gp.posterior import Posterior

# All of the library, with their defaults; the contract is tested with each, and files may name their classes.
KERNELS: dict[str, Callable[[], Stationary]] = {
    "rbf": RBF,
    "matern12": partial(Matern, 0.5),
    "matern32": partial(Matern, 1.5),
    "matern52": partial(Matern, 2.5),
    "matern": partial(Matern, 1.0),  # any other ν: by Bessel functions
}

__all__ = ["GP", "KERNELS", "RBF", "CustomKernel", "LogNormal", "Matern", "Model", "Posterior", "Prior", "Refit"]
