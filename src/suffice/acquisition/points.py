"""Finite stand-ins for the domain, fixed when an acquisition is bound."""

import numpy as np
from numpy.random import Generator

from suffice.types import Array, Domain


def cover(domain: Domain, n: int, rng: Generator) -> Array:
    """At most n distinct points, (≤ n, d): the whole domain if it is that small, else uniform draws."""
    return distinct(domain.enumerate() if domain.size <= n else domain.sample(n, rng))


def distinct(X: Array) -> Array:
    """The rows of X without repetitions, in order of first appearance."""
    if X.shape[1] == 0:  # a domain without columns has one point
        return X[:1]
    first = np.unique(X, axis=0, return_index=True)[1]
    return X[np.sort(first)]
