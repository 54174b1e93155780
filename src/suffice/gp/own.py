"""A kernel of one's own: a squared distance of any two rows, and the library does the rest.

A, B   (n, d), (m, d)   rows                D   (n, m)   squared distances, divided by ℓ²

    k(A, B) = exp(−D/2)

That is positive definite wherever the distance is that of two points in some Euclidean space, however many dimensions
it has: the number of pairs in another order, of positions with another letter, of edges that one graph has and the
other has not. Of a kernel c with c(x, x) = 1 the squared distance is 2 − 2c; then k = exp((c − 1)/ℓ²).
"""

from abc import abstractmethod

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.gp.kernels import Lengthscale, Stationary
from suffice.types import Array


class OwnKernel(Stationary):
    """A kernel by a distance of your own; a subclass is a frozen dataclass with the method `distance`.

    It works on spaces without smooth columns: pools, choices and spaces of one's own. It has no gradient, no bounds
    over boxes and no spectrum, so there is no certificate, and Thompson sampling is sf.Thompson(exact=True).
    """

    lengthscale: Lengthscale = 1.0
    euclidean = False

    @abstractmethod
    def distance(self, A: Array, B: Array) -> Array:
        """Squared distances of the rows of A and B: 0 for equal rows, of the order of 1 or of d for others.

        Parameters
        ----------
        A, B : ndarray
            Rows of the unit cube, (n, d) and (m, d), as the space encodes its points.

        Returns
        -------
        ndarray
            The distances, (n, m).
        """

    def squared_distance(self, A: Array, B: Array) -> Array:
        ell = float(np.ravel(self.lengthscale)[0])
        D = np.array(self.distance(A, B), dtype=np.float64)
        if D.shape != (len(A), len(B)):
            raise ValueError(
                f"{type(self).__name__}.distance must return one number for each pair of rows, shape "
                f"{(len(A), len(B))}: got shape {D.shape}"
            )
        D /= ell**2
        return np.maximum(D, 0.0, out=D)

    def profile(self, D: NDArray[np.floating]) -> NDArray[np.floating]:
        D *= -0.5
        np.exp(D, out=D)
        return D

    def profile_and_slope(self, D: Array) -> tuple[Array, Array]:
        k = np.exp(-0.5 * D)
        return k, -0.5 * k

    def frequencies(self, m: int, d: int, rng: Generator) -> Array:  # noqa: ARG002
        raise TypeError(
            f"{type(self).__name__} has no spectrum, from which paths are made; sf.Thompson(exact=True) draws without"
        )
