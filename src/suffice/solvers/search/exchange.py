"""Exchange moves: points with one of their discrete values replaced by another.

X   (a, d)  members of the domain                      k   int   a level of an integer, 0 … count − 1

A local search moves smooth columns only, so that it stays in the cell of its start: the integers and options that it
began with. An exchange leads to a neighbouring cell, at the same place in the smooth columns.
"""

import numpy as np

from suffice.space import Shaped, active_coordinates, exchangeable, held
from suffice.types import Array, Coordinate, Domain, Indices, Levels

FEW = 16  # levels that are all tried; of more, those at 1, 2, 4, 8 … steps on both sides
PLACES = 2000  # of the options of a choice that have places: the model tells all of them apart
OPTIONS = 256  # of those that have none: the model sees no difference between options without data


def exchanges(X: Array, domain: Domain) -> tuple[Indices, Array]:
    """The rows of X with one discrete value replaced by each of the others that are worth a look.

    Which row of X each of them comes from, (k,) in order, and the members themselves, (k, d): in a domain that is no
    product with what depends on the value, and none where the domain does not know what that is.
    """
    owner, _, rows = exchanged(X, domain)
    return owner, rows


def exchanged(X: Array, domain: Domain) -> tuple[Indices, Indices, Array]:
    """As `exchanges`, with the coordinate that has another value, (k,), between the two."""
    owners, blocks = [np.empty(0, dtype=np.intp)], [np.empty((0, domain.dim))]
    which = [np.empty(0, dtype=np.intp)]
    discrete = [] if not exchangeable(domain) else [j for j, c in enumerate(domain.coordinates) if not c.smooth]
    most = max(1, held(domain) // max(1, len(X) * len(discrete)))
    active = active_coordinates(domain, X)
    for j in discrete:
        coordinate, there = domain.coordinates[j], np.flatnonzero(active[:, j])  # what is inactive stays where it is
        values = _values(coordinate, X[there, coordinate.columns], most)
        a, k, width = values.shape
        owner = np.repeat(there, k)
        block = X[owner]
        block[:, coordinate.columns] = values.reshape(a * k, width)
        blocks.append(block)
        owners.append(owner)
        which.append(np.full(len(owner), j))
    owner, rows = np.concatenate(owners), np.concatenate(blocks)
    if not domain.product and isinstance(domain, Shaped) and len(rows):
        rows = domain.towards(rows, X[owner])  # all at once: of thirty parameters, one by one is five times slower
    other = np.flatnonzero((rows != X[owner]).any(axis=1))
    order = other[np.argsort(owner[other], kind="stable")]
    return owner[order], np.concatenate(which)[order], rows[order]


def _values(coordinate: Coordinate, here: Array, most: int) -> Array:
    """Values of the coordinate's columns to try instead of those here, (a, w): (a, k, w), k ≤ most."""
    if coordinate.places is not None:
        return np.repeat(coordinate.places.points[None, : min(PLACES, most)], len(here), axis=0)
    if coordinate.levels is not None:
        return coordinate.levels.at(_ladder(coordinate.levels, here[:, 0])[:, :most])[:, :, None]
    width = coordinate.stop - coordinate.start
    return np.repeat(np.eye(min(width, OPTIONS, most), width)[None], len(here), axis=0)


def _ladder(levels: Levels, here: Array) -> Indices:
    """Levels near and far, (a, k); all of few."""
    if levels.count <= FEW:
        return np.repeat(np.arange(levels.count)[None], len(here), axis=0)
    steps = 2 ** np.arange(levels.count.bit_length(), dtype=np.intp)
    reached: Indices = levels.index(here)[:, None] + np.concatenate([-steps, steps])
    return np.clip(reached, 0, levels.count - 1)
