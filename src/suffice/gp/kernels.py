"""Stationary kernels of unit variance, k(x, x) = 1.

A, B   (n, d), (m, d)   points                 ell    (d,) or float   length-scales
D      (n, m)           squared scaled distance, sum_j (A_ij - B_kj)^2 / ell_j^2
r      (n, m)           sqrt(D)
k(D)   the profile, a function of D alone;     h(D) = dk/dD, its slope, never positive

Everything else follows from these two:
    dk/dx_j        =  2 h (x_j - y_j) / ell_j^2
    dk/dlog ell_j  = -2 h (x_j - y_j)^2 / ell_j^2
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from numbers import Real
from typing import Self, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import gammaln, kve

from suffice.types import Array

Lengthscale: TypeAlias = float | tuple[float, ...]  # one for all columns, or one for each

CANCELLED = 1e-10  # fraction of |a|² + |b|² below which |a|² + |b|² − 2ab has too few digits left
FEW = 8  # rows or columns: with so few the time of a matrix product is that of the calls
LARGEST_NU = 50.0  # beyond, K_ν overflows where k is not yet 1; k is within 0.5 % of RBF


class Stationary(ABC):
    """k(x, y) = profile(D): a kernel is a profile, its slope, its spectrum and its length-scales.

    A subclass is a frozen dataclass with a field `lengthscale` and the three methods marked abstract.
    """

    lengthscale: Lengthscale
    euclidean = True  # D is the one above; False: a custom distance, with one length-scale (CustomKernel)
    twice = False  # whether `profile_and_slopes` exists: functions of the kernel have second derivatives everywhere

    @abstractmethod
    def profile(self, D: NDArray[np.floating]) -> NDArray[np.floating]:
        """k(D), in the precision of D; D may be overwritten."""

    @abstractmethod
    def profile_and_slope(self, D: Array) -> tuple[Array, Array]:
        """k(D) and h(D) = dk/dD; D may be overwritten. Where D = 0 and h is infinite, h is 0."""

    def profile_and_slopes(self, D: Array) -> tuple[Array, Array, Array]:
        """k(D), h(D) and dh/dD, if the kernel can be differentiated twice; D may be overwritten."""
        raise NotImplementedError(f"{type(self).__name__} has no second derivative: check `twice` first")

    @abstractmethod
    def frequencies(self, m: int, d: int, rng: Generator) -> Array:
        """m samples from the spectral density of the kernel with length-scale 1, (m, d)."""

    def __post_init__(self) -> None:
        try:
            ell = np.atleast_1d(np.asarray(self.lengthscale, dtype=float))
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"lengthscale must be a number, or one for each column: got {self.lengthscale!r}"
            ) from error
        if ell.ndim != 1 or not np.all(np.isfinite(ell) & (ell > 0)):  # none for a space of constants
            raise ValueError(f"lengthscale must be positive and finite, got {self.lengthscale!r}")

    def __call__(self, A: Array, B: Array) -> Array:
        """k(A, B), (n, m)."""
        return np.asarray(self.profile(self.squared_distance(A, B)))

    def squared_distance(self, A: Array, B: Array) -> Array:
        """D, (n, m), by one matrix product, ``|a|² + |b|² − 2ab``; with all digits where points nearly meet."""
        if len(B) <= FEW:  # not worth a matrix product
            a, b = A / self.lengthscale, B / self.lengthscale
            difference = a - b if len(B) == 1 else a[:, None] - b
            squares: Array = np.einsum("...j,...j->...", difference, difference)
            return squares.reshape(len(A), len(B))
        left, right = self._augmented(A), self._augmented(B)
        right[:, :-2] *= -2.0
        D: Array = left @ right[:, [*range(A.shape[1]), -1, -2]].T
        # A small D is all rounding, and a rough kernel takes its root: those few come from the differences.
        rounded = CANCELLED * (left[:, -2].max(initial=0.0) + right[:, -2].max(initial=0.0))
        near = np.flatnonzero(rounded >= D)
        if len(near):
            rows, columns = np.divmod(near, len(B))
            difference = (A[rows] - B[columns]) / self.lengthscale
            D.flat[near] = np.einsum("ij,ij->i", difference, difference)
        return D

    def _augmented(self, A: Array) -> Array:
        """[a, |a|², 1], (n, d + 2), a scaled and measured from the middle of the cube: little cancels in the sum."""
        n, d = A.shape
        out = np.ones((n, d + 2))
        out[:, :d] = scaled = (A - 0.5) / self.lengthscale
        out[:, d] = np.einsum("ij,ij->i", scaled, scaled)
        return out

    def with_lengthscale(self, lengthscale: Array) -> Self:
        """The same kernel with other length-scales, (d,)."""
        changed: Self = replace(self, lengthscale=tuple(float(v) for v in lengthscale))  # type: ignore[type-var]
        return changed  # every subclass is a dataclass, which the abstract class cannot say


class SquaredExponential(Stationary):
    """k = exp(−D/2), whatever the distance is."""

    def profile(self, D: NDArray[np.floating]) -> NDArray[np.floating]:
        D *= -0.5
        np.exp(D, out=D)
        return D

    def profile_and_slope(self, D: Array) -> tuple[Array, Array]:
        k = np.exp(-0.5 * D)
        return k, -0.5 * k


@dataclass(frozen=True)
class RBF(SquaredExponential):
    """Squared exponential, for very smooth functions: k = exp(−r²/2).

    Parameters
    ----------
    lengthscale : float or tuple of float, default: 1.0
        For a kernel used by itself; in an sf.GP it stays 1, since length-scales are fitted.
    """

    lengthscale: Lengthscale = 1.0
    twice = True

    def profile_and_slopes(self, D: Array) -> tuple[Array, Array, Array]:
        k = np.exp(-0.5 * D)
        return k, -0.5 * k, 0.25 * k

    def frequencies(self, m: int, d: int, rng: Generator) -> Array:
        return rng.standard_normal((m, d))


@dataclass(frozen=True)
class Matern(Stationary):
    """Matérn: functions with smoothness `nu`.

    Parameters
    ----------
    nu : float, default: 2.5
        Functions have as many derivatives as there are positive whole numbers below it: 0.5 is rough, 2.5 the default.
    lengthscale : float or tuple of float, default: 1.0
        For a kernel used by itself; in an sf.GP it stays 1, since length-scales are fitted.

    Notes
    -----
    k = 2^(1−ν)/Γ(ν) u^ν K_ν(u), u = √(2ν) r; closed forms for ν = 1/2, 3/2 and 5/2. Rasmussen and Williams (2006),
    eqs. 4.14 to 4.17.
    """

    nu: float = 2.5
    lengthscale: Lengthscale = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.nu, bool) or not isinstance(self.nu, Real):
            raise TypeError(f"nu must be a number, such as 2.5: got {self.nu!r}")
        if not 0 < self.nu <= LARGEST_NU:
            raise ValueError(f"nu must be in (0, {LARGEST_NU:g}], got {self.nu!r}; the limit ν → ∞ is RBF()")

    def profile(self, D: NDArray[np.floating]) -> NDArray[np.floating]:
        match self.nu:
            case 0.5:  # exp(−r)
                np.sqrt(D, out=D)
                D *= -1.0
                np.exp(D, out=D)
            case 1.5:  # (1 + √3 r) exp(−√3 r)
                D *= 3.0
                np.sqrt(D, out=D)
                decay = np.exp(-D)
                D += 1.0
                D *= decay
            case 2.5:  # (1 + √5 r + 5r²/3) exp(−√5 r)
                D *= 5.0
                u = np.sqrt(D)
                D *= 1.0 / 3.0
                D += u
                D += 1.0
                np.negative(u, out=u)
                D *= np.exp(u, out=u)
            case _:
                return self._bessel(D.astype(float))[0].astype(D.dtype)
        return D

    def profile_and_slope(self, D: Array) -> tuple[Array, Array]:
        match self.nu:
            case 0.5:
                r = np.sqrt(D)
                k = np.exp(-r)
                return k, np.divide(k, -2.0 * r, out=np.zeros_like(k), where=r > 0)
            case 1.5:
                u = np.sqrt(3.0 * D)
                e = np.exp(-u)
                return (1.0 + u) * e, -1.5 * e
            case 2.5:
                D *= 5.0
                u = np.sqrt(D)
                e = np.negative(u)  # in place from here on: a fresh large array costs more than the arithmetic
                np.exp(e, out=e)
                u += 1.0
                D *= 1.0 / 3.0
                D += u
                D *= e
                u *= e
                u *= -5.0 / 6.0
                return D, u
        return self._bessel(D)

    @property
    def twice(self) -> bool:  # type: ignore[override]
        """Of the closed forms: of others the second derivative is not worth its Bessel function."""
        return self.nu == 2.5

    def profile_and_slopes(self, D: Array) -> tuple[Array, Array, Array]:
        if not self.twice:
            return super().profile_and_slopes(D)
        u = np.sqrt(5.0 * D)
        e = np.exp(-u)
        slope = (1.0 + u) * e
        k = slope + (5.0 / 3.0) * D * e
        return k, (-5.0 / 6.0) * slope, (25.0 / 12.0) * e

    def frequencies(self, m: int, d: int, rng: Generator) -> Array:
        # The spectral density is a Student t with 2ν degrees of freedom.
        return rng.standard_normal((m, d)) * np.sqrt(self.nu / rng.gamma(self.nu, size=(m, 1)))

    def _bessel(self, D: Array) -> tuple[Array, Array]:
        """Any ν: k as above and h = −ν 2^(1−ν)/Γ(ν) u^(ν−1) K_(ν−1)(u), in logarithms against overflow."""
        nu, log_c = self.nu, (1 - self.nu) * math.log(2) - gammaln(self.nu)
        u = np.sqrt(2 * nu * D)
        # h(0) = −ν/(2(ν−1)) for ν > 1; below, the slope at 0 is infinite and 0 by convention (x − y = 0 there).
        at_zero = -nu / (2 * (nu - 1)) if nu > 1 else 0.0
        k, h = np.ones_like(u), np.full_like(u, at_zero)
        with np.errstate(over="ignore"):
            bessel, bessel_less = kve(nu, u), kve(nu - 1, u)
        # K_ν overflows at u → 0, where k = 1 + h(0) D to the last digit if ν > 1; below, 1 − k falls as slowly as u^2ν.
        far = (u > (1e-8 if nu > 1 else 0.0)) & np.isfinite(bessel) & np.isfinite(bessel_less)
        k[~far] += at_zero * D[~far]
        v, log_u = u[far], np.log(u[far])
        k[far] = np.exp(log_c + nu * log_u + np.log(bessel[far]) - v)
        h[far] = -nu * np.exp(log_c + (nu - 1) * log_u + np.log(bessel_less[far]) - v)
        return np.minimum(k, 1.0), h


class CustomKernel(SquaredExponential):
    """A kernel from a custom distance; a subclass is a frozen dataclass with the method `distance`.

    It works on spaces without smooth columns: pools, choices and custom spaces. It has no gradient, no bounds over
    boxes and no spectrum, so there is no certificate, and Thompson sampling is sf.acquisition.Thompson(exact=True).

    Notes
    -----
    k = exp(−D/2), D the squared distances divided by ℓ². That is positive definite wherever the distance is that of two
    points in some Euclidean space, of any dimension: the number of pairs in another order, of positions with another
    letter, of edges that one graph has and the other has not. For a kernel c with c(x, x) = 1 the squared distance is
    2 − 2c; then k = exp((c − 1)/ℓ²).
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

    def frequencies(self, m: int, d: int, rng: Generator) -> Array:  # noqa: ARG002
        raise TypeError(
            f"{type(self).__name__} has no spectrum, from which sample paths are drawn; "
            "sf.acquisition.Thompson(exact=True) needs none"
        )
