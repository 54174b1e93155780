"""`random_state`, as scikit-learn and scikit-optimize have it: None, a whole number, or a RandomState of NumPy."""

import numbers
from typing import Any

import numpy as np

LARGEST = np.iinfo(np.int32).max  # of a seed that is drawn from a RandomState, on every machine


def as_random_state(given: Any) -> np.random.RandomState:
    """The generator that is meant; None, or `numpy.random` itself, is NumPy's global one, which np.random.seed sets."""
    if given is None or given is np.random:
        return np.random.mtrand._rand
    if isinstance(given, numbers.Integral):
        return np.random.RandomState(int(given))
    if isinstance(given, np.random.RandomState):
        return given
    raise ValueError(
        f"random_state must be None, a whole number or a numpy.random.RandomState: got {given!r} of type "
        f"{type(given).__name__}"
    )


def drawn_seed(rng: np.random.RandomState) -> int:
    """The seed of a study, drawn once: every random choice of the study follows from it."""
    return int(rng.randint(0, LARGEST))
