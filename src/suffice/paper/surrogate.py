"""The authors' Gaussian process, faithful to their code where it differs from their text.

D    (n(n−1)/2,)  squared distances of all pairs of points       ell  float  the length-scale
K    (n, n)       k(D / ell²), 1 + tau on the diagonal           a    (n,)   K^-1 z
dK   (n, n)       dK / dlog ell = −2 h D / ell², 0 on the diagonal

Matérn 3/2, one length-scale in the problem's own units, fitted from 1 at every step; prior mean 0, which is the optimum
since outputs are shifted by it; variance 1, noise 1e-4. The length-scale maximizes

    log p(z | ell) = −1/2 z'a − 1/2 log det K,    slope 1/2 a'dKa − 1/2 tr(K^-1 dK)

(Rasmussen and Williams 2006, eqs. 2.30 and 5.9), all else being known, so that the fit is fast.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from suffice.checks import as_float
from suffice.gp.factor import Factor
from suffice.gp.fit import FAILED, TAU_FLOOR, Hyper
from suffice.gp.kernels import Matern, Stationary
from suffice.gp.model import FEWEST, Fitted, Observations, jitter_notes
from suffice.gp.posterior import Posterior
from suffice.gp.transform import Outcome
from suffice.problems import Problem
from suffice.types import Array, Domain

BOUNDS = (1e-5, 1e5)  # of the length-scale, in the problem's units: those of scikit-learn, which the authors use


@dataclass(frozen=True)
class Surrogate:
    """A model for an optimizer: zero mean, unit variance, known noise, and one length-scale that is fitted afresh."""

    sides: tuple[float, ...]  # of the box in the problem's units, one for each column of the cube
    kernel: Stationary = field(default_factory=lambda: Matern(1.5))
    noise: float = 1e-4  # variance, where an evaluation does not come with its own

    def __post_init__(self) -> None:
        if not (self.sides and all(as_float(side, "a side") > 0 for side in self.sides)):
            raise ValueError(f"sides must be positive lengths, one for each column of the space; got {self.sides!r}")
        if not isinstance(self.kernel, Stationary):
            raise TypeError(f"kernel must be an object such as Matern(1.5): got {self.kernel!r}")
        if as_float(self.noise, "noise") < 0:
            raise ValueError(f"noise must be a variance ≥ 0 in the objective's units; got {self.noise!r}")

    def __call__(
        self, data: Observations, domain: Domain, previous: Fitted | None = None, *, hurry: bool = False
    ) -> Fitted:
        """The model of `data`; the last fit does not matter, except in a hurry, when it is appended to."""
        if previous is not None and len(data) == previous.n_seen:
            return previous
        if previous is not None and hurry:
            new = data.take(slice(previous.n_seen, None))
            posterior = previous.posterior.append(new.X, new.y, self._tau(new))
            return replace(previous, posterior=posterior, n_seen=len(data))
        hyper, z = Hyper((1.0,), tau=self.noise), data.y
        notes: tuple[str, ...] = ()
        if len(data) >= FEWEST and np.ptp(z) > 0:
            ell = fit_lengthscale(self.kernel, data.X * self._sides(domain), z, self._tau(data), 1.0, BOUNDS)
            if ell is None:
                notes += (FAILED,)
            else:
                hyper = replace(hyper, lengthscale=(ell,))
        posterior = self.rebuild(data, domain, hyper)
        notes += jitter_notes(posterior)
        return Fitted(posterior, Outcome(), hyper, len(data), len(data), len(data), notes)

    def rebuild(
        self,
        data: Observations,
        domain: Domain,
        hyper: Hyper,
        outcome: Outcome = Outcome(),
        constant: float = 0.0,
        n_refit: int = 0,  # noqa: ARG002  all observations are used, whenever they came
    ) -> Posterior:
        """The posterior of `data` with a known length-scale."""
        ell = np.full(domain.dim, hyper.lengthscale[0]) / self._sides(domain)
        factor = Factor.condition(self.kernel.with_lengthscale(ell), data.X, self._tau(data))
        return Posterior(factor, outcome(data.y), math.sqrt(hyper.variance), constant)

    def _tau(self, data: Observations) -> Array:
        noise = np.where(np.isnan(data.noise_var), self.noise, data.noise_var)
        return np.maximum(noise, TAU_FLOOR)

    def _sides(self, domain: Domain) -> Array:
        if len(self.sides) != domain.dim:
            raise ValueError(
                f"sides needs one length for each of the {domain.dim} columns of the space, got {self.sides!r}"
            )
        return np.array(self.sides)


def surrogate(problem: Problem) -> Surrogate:
    """The authors' Gaussian process for a problem."""
    return Surrogate(sides=tuple(high - low for low, high in problem.bounds))


@dataclass(frozen=True)
class Likelihood:
    """log p(z | ell) up to a constant; the kernel is worked out once for each pair of points."""

    kernel: Stationary
    D: Array
    z: Array
    tau: Array  # (n,)

    def __call__(self, log_ell: float) -> tuple[float, float]:
        """Its value and its slope in log ell; −inf where K is not positive definite."""
        D = self.D * math.exp(-2.0 * log_ell)
        k, h = self.kernel.profile_and_slope(D.copy())
        K = squareform(k, checks=False)
        np.fill_diagonal(K, 1.0 + self.tau)
        L, info = dpotrf(K.T, lower=1, overwrite_a=1)
        if info != 0:
            return -math.inf, 0.0
        log_det = 2.0 * float(np.log(np.diagonal(L)).sum())
        inverse = dpotri(L, lower=1, overwrite_c=1)[0]  # lower triangle; the upper one is zero
        a = inverse @ self.z + self.z @ inverse - np.diagonal(inverse) * self.z
        D *= h
        dK = squareform(D, checks=False)  # without its factor −2
        return -0.5 * (float(self.z @ a) + log_det), 2.0 * float(np.vdot(inverse.T, dK)) - float(a @ (dK @ a))


def fit_lengthscale(
    kernel: Stationary, X: Array, z: Array, tau: Array, start: float, bounds: tuple[float, float]
) -> float | None:
    """The length-scale that L-BFGS-B reaches from `start` with SciPy's own settings; None where nothing is finite.

    X (n, d) in units of length-scales, z (n,) in units of the prior standard deviation.
    """
    likelihood = Likelihood(kernel, pdist(X, "sqeuclidean"), z, tau)

    def negative(log_ell: Array) -> tuple[float, Array]:
        value, slope = likelihood(float(log_ell[0]))
        # L-BFGS-B steps back from a large value
        return (-value, np.array([-slope])) if math.isfinite(value) else (1e25, np.zeros(1))

    limits = [(math.log(bounds[0]), math.log(bounds[1]))]
    found = minimize(negative, np.array([math.log(start)]), jac=True, method="L-BFGS-B", bounds=limits)
    return math.exp(float(found.x[0])) if found.fun < 1e25 else None
