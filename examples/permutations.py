"""A space of one's own: the shortest round trip through some cities.

A tour is an order of the cities; where it begins and which way it goes do not matter. What matters is which cities are
next to each other, so that two tours are as far apart as the number of legs that one has and the other has not.
"""

from dataclasses import dataclass

import numpy as np

import suffice as sf


@dataclass(frozen=True)
class Tours(sf.CustomSpace):
    """Tours of n cities: tuples of 0 … n − 1 that begin with city 0."""

    n: int

    def draw(self, rng):
        return canonical(rng.permutation(self.n))

    def neighbour(self, tour, rng):
        """The same tour with a part of it the other way round."""
        first, last = sorted(rng.integers(0, self.n + 1, 2))
        return canonical([*tour[:first], *reversed(tour[first:last]), *tour[last:]])

    def encode(self, tour):
        """The position of every city, from 0 to 1."""
        if sorted(tour) != list(range(self.n)):
            raise ValueError(f"a tour has each of the cities 0 to {self.n - 1} once: got {tour!r}")
        return np.argsort(canonical(tour)) / (self.n - 1)

    def decode(self, row):
        return canonical(np.argsort(row, kind="stable"))


def canonical(tour):
    """The tour from city 0 on, in the direction of the smaller one of its neighbours."""
    start = list(tour).index(0)
    tour = [int(city) for city in (*tour[start:], *tour[:start])]
    return tuple(tour if tour[1] <= tour[-1] else [tour[0], *reversed(tour[1:])])


@dataclass(frozen=True)
class OtherLegs(sf.gp.CustomKernel):
    """The squared distance of two tours: legs that one has and the other has not, as a share of all."""

    lengthscale: float = 1.0

    def distance(self, A, B):
        a, b = legs(A), legs(B)
        return 2.0 - 2.0 * (a @ b.T) / A.shape[1]


def legs(rows):
    """For each row and pair of cities whether they are next to each other, (m, n²)."""
    m, n = rows.shape
    tours = np.argsort(rows, axis=1, kind="stable")
    following = np.roll(tours, -1, axis=1)
    pairs = np.minimum(tours, following) * n + np.maximum(tours, following)
    found = np.zeros((m, n * n))
    found[np.arange(m)[:, None], pairs] = 1.0
    return found


def tour_length(places):
    """The length of a tour through these places, (n, 2)."""
    between = np.linalg.norm(places[:, None] - places, axis=2)

    def length(tour):
        return float(between[list(tour), list(np.roll(tour, -1))].sum())

    return length


if __name__ == "__main__":
    places = np.random.default_rng(0).random((12, 2))
    result = sf.minimize(
        tour_length(places), Tours(12), n_trials=60, seed=0, model=sf.GP(kernel=OtherLegs()), n_initial=10
    )
    print(result)
