"""`base_estimator`: which model of the objective is meant, and why some are refused."""

from typing import Any

from suffice.compat.skopt.surrogate import Surrogate
from suffice.gp.model import GP

TREES = (
    "forests and boosted trees are not here: the one model is a Gaussian process, which takes integers and categories "
    "as well; take base_estimator='GP', or gp_minimize"
)
REGRESSOR = (
    "a regressor of scikit-learn cannot be the model here, because the search needs more of it than predictions; take "
    "'GP', or a model of this library, such as sf.GP(kernel=sf.RBF(), noise=0.01)"
)


def model_of(base_estimator: Any, noise: Any = "gaussian") -> Any:
    """The model, or None for random points.

    noise    "gaussian": its variance is fitted; or the variance itself, in the objective's units
    """
    if isinstance(base_estimator, str):
        word = base_estimator.upper()
        if word in ("RF", "ET", "GBRT"):
            raise NotImplementedError(f"base_estimator={base_estimator!r}: {TREES}")
        if word not in ("GP", "DUMMY"):
            raise ValueError(f"base_estimator must be 'GP', 'dummy' or a model such as sf.GP(): got {base_estimator!r}")
        return None if word == "DUMMY" else gaussian_process(noise)
    if base_estimator is None:
        return gaussian_process(noise)
    if isinstance(base_estimator, Surrogate):  # of an earlier run: its data come along as x0 and y0
        return base_estimator.model
    if not isinstance(base_estimator, type) and callable(base_estimator) and hasattr(base_estimator, "rebuild"):
        return base_estimator
    if hasattr(base_estimator, "fit") and hasattr(base_estimator, "predict"):
        raise NotImplementedError(f"base_estimator={type(base_estimator).__name__}: {REGRESSOR}")
    raise ValueError(f"base_estimator must be 'GP', 'dummy' or a model such as sf.GP(): got {base_estimator!r}")


def gaussian_process(noise: Any) -> GP:
    """The Gaussian process with noise that is fitted, or known."""
    if noise == "gaussian":
        return GP()
    if isinstance(noise, str) or noise is None:
        raise ValueError(f"noise must be 'gaussian' or a variance in the objective's units: got {noise!r}")
    return GP(noise=float(noise))
