"""Hyper-parameters by maximum a posteriori (or maximum likelihood), with analytic gradients.

theta = [log ell_g for each group of columns, log s², log tau, lam], those that are free
r     (n,)    z(lam) − m                          v      (n,)    known noise variances, nan: unknown
Kt    (n, n)  k(X, X) + diag(tau_i)               tau_i  = v_i / s² where v_i is known, else tau + q_i / s²
q     (n,)    variances of the rounding of z, 0 where values are not rounded
a     (n,)    Kt^-1 r                             m      the prior mean, profiled: it maximizes the evidence;
                                                         its own prior is that of standardised outputs, N(0, 1)

    log p(y | theta) = −1/2 r'a/s² − 1/2 log det Kt − n/2 log(2π s²) + log |dz/ds|
    Rasmussen and Williams (2006), eqs. 2.30 and 5.9; the last term belongs to the warp.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.optimize import minimize

from suffice.checks import as_float
from suffice.gp.kernels import Stationary
from suffice.gp.transform import FARTHEST, Outcome, lam_slopes, log_slope
from suffice.types import Array

TAU_FLOOR = 1e-8  # of known noise: below, rounding decides
# Of a warp that resolves the neighbourhood of the best value. With 2 it resolves 1/8000 of the spread, digits that no
# one needs, and a model of these digits promised far away what was not there. The rms of z was 5.3 and 2.3 on two times
# 33 functions, with 1.5 it was 0.9 and 1.1; the best values were as good.
STRONGEST = 1.5
FAILED = "the fit of the hyper-parameters failed; the last good ones are kept"  # a note in the report


@dataclass(frozen=True)
class LogNormal:
    """A prior of a positive number: it is probably near `centre`, give or take a factor of exp(sd).

    The fields of sf.gp.Prior. The logarithm of the number is normally distributed about log(centre).

    Parameters
    ----------
    centre : float
        The median of the number.
    sd : float
        The standard deviation of its logarithm: 0.7 is a factor of two up or down.
    """

    centre: float
    sd: float

    def __post_init__(self) -> None:
        if as_float(self.centre, "the centre of a LogNormal") <= 0 or as_float(self.sd, "the sd of a LogNormal") <= 0:
            raise ValueError(
                f"a LogNormal needs centre > 0 and sd > 0, got {self!r}; "
                "centre is the likeliest value itself, not its logarithm; sd is the standard deviation of the logarithm"
            )

    def __call__(self, log_x: float) -> tuple[float, float]:
        """Log density up to a constant, and its derivative in log x."""
        u = (log_x - math.log(self.centre)) / self.sd
        return -0.5 * u * u, -u / self.sd


@dataclass(frozen=True)
class Prior:
    """The prior of the objective: how fast it changes, how much it varies, and its noise.

    Change it if you know the objective, for instance Prior(lengthscale=LogNormal(0.1, 0.5)) for an objective that
    changes within a tenth of the range of its one parameter. Each of the first three is a LogNormal, or None for a flat
    prior within the bounds (maximum likelihood). Equal bounds fix a value.

    Parameters
    ----------
    lengthscale : LogNormal or None, default: LogNormal(0.3, 0.7)
        The distance over which the objective changes, 1 being the whole range of a parameter; the centre is multiplied
        by √d, since distances in d columns grow like that.
    scale : LogNormal or None, default: LogNormal(1.0, 2.0)
        How much it varies: its variance, 1 being the variance of the values.
    tau : LogNormal or None, default: LogNormal(0.01, 3.0)
        The variance of the noise, as a fraction of that of the objective.
    warp : float or None, default: 0.5
        The standard deviation of the prior of the transform of the values, around none.
    lengthscale_bounds, scale_bounds, tau_bounds : pair of float
        The smallest and the largest value that a fit may choose.
    """

    # On the unit cube distances grow with √d, and so should length-scales (Hvarfner et al. 2024, whose 0.2 √d and √3
    # leave more room: with few points very short and very long ones fit as well; measurements/defaults.md).
    lengthscale: LogNormal | None = LogNormal(0.3, 0.7)
    scale: LogNormal | None = LogNormal(1.0, 2.0)
    # Not centred lower: early fits would find no noise. With noise of 5 and 30 % on 11 functions, 90 % limits held 83
    # and 79 % of the next values with the centre 1e-4, 88 and 87 % with 0.01. Not narrower either: LogNormal(0.01, 2)
    # and BoTorch's LogNormal(exp(-4), 1) cost digits where there is no noise.
    tau: LogNormal | None = LogNormal(0.01, 3.0)
    warp: float | None = 0.5

    lengthscale_bounds: tuple[float, float] = (5e-3, 1e2)
    scale_bounds: tuple[float, float] = (1e-2, 1e2)
    tau_bounds: tuple[float, float] = (1e-6, 1e2)

    def __post_init__(self) -> None:
        for name in ("lengthscale", "scale", "tau"):
            density, bounds = getattr(self, name), getattr(self, f"{name}_bounds")
            if not (density is None or isinstance(density, LogNormal)):
                raise TypeError(
                    f"{name} must be a LogNormal, such as LogNormal(0.3, 0.7), or None for a flat prior: "
                    f"got {density!r}; to fix the value give {name}_bounds=(value, value)"
                )
            _check_bounds(bounds, f"{name}_bounds")
        if self.warp is not None and as_float(self.warp, "warp") <= 0:
            raise ValueError(f"warp must be a standard deviation > 0, or None for a flat prior: got {self.warp!r}")


def _check_bounds(bounds: object, what: str) -> None:
    if not (isinstance(bounds, tuple) and len(bounds) == 2):
        raise TypeError(f"{what} must be a tuple (low, high): got {bounds!r}")
    low, high = (as_float(bound, what) for bound in bounds)
    if not 0 < low <= high:
        raise ValueError(f"{what} must be (low, high) with 0 < low ≤ high: got {bounds!r}")


@dataclass(frozen=True)
class Hyper:
    """What a fit decides."""

    lengthscale: tuple[float, ...]  # one for each group
    variance: float = 1.0  # s²
    tau: float = 1e-4
    lam: float = 1.0


@dataclass(frozen=True)
class Evidence:
    """log p(theta | data) and its gradient for a fixed data set: what the fit maximizes."""

    kernel: Stationary
    X: Array
    y: Array
    outcome: Outcome
    noise: Array  # (n,): known variances of z, nan where unknown
    groups: NDArray[np.intp]  # (d,): the group of each column; one length-scale for each group
    prior: Prior
    standardize: bool = True  # False: outputs as they are, prior mean 0
    free_tau: bool = True
    free_lam: bool = True

    def take(self, rows: NDArray[np.intp]) -> "Evidence":
        """Of these data alone."""
        return replace(self, X=self.X[rows], y=self.y[rows], noise=self.noise[rows])

    @property
    def free_variance(self) -> bool:
        """Equal bounds fix the variance."""
        low, high = self.prior.scale_bounds
        return low < high

    def __call__(self, hyper: Hyper) -> tuple[float, dict[str, Array]]:
        """The log posterior density up to a constant, and its gradient in log ell, log s², log tau and lam."""
        n, s2 = len(self.y), hyper.variance
        outcome = self.outcome.with_warp(self.y, hyper.lam) if self.free_lam else self.outcome
        z = outcome(self.y)
        kernel = self.kernel.with_lengthscale(np.asarray(hyper.lengthscale)[self.groups])
        noise, known = self._scaled_noise(outcome), np.isfinite(self.noise)
        scaled = known & (noise > TAU_FLOOR * s2)  # those whose tau moves with s²
        rounding = np.where(known, 0.0, outcome.rounding(self.y) / s2)
        tau = np.where(known, np.maximum(noise / s2, TAU_FLOOR), hyper.tau + rounding)
        moving = np.where(scaled, tau, rounding)  # the part of tau that is a variance over s²

        D = kernel.squared_distance(self.X, self.X)
        own = None if kernel.euclidean else D.copy()
        K, H = kernel.profile_and_slope(D)
        np.fill_diagonal(K, 1.0 + tau)
        L, info = dpotrf(K.T, lower=1, overwrite_a=1)
        if info != 0:
            return -np.inf, {}
        log_det = 2.0 * float(np.log(np.diagonal(L)).sum())
        inverse = dpotri(L, lower=1, overwrite_c=1)[0]  # lower triangle; the upper one is zero
        diagonal = np.diagonal(inverse).copy()
        ones_solved = inverse.sum(axis=0) + inverse.sum(axis=1) - diagonal
        m = float(ones_solved @ z) / (float(ones_solved.sum()) + s2) if self.standardize else 0.0
        r = z - m
        a = inverse @ r + inverse.T @ r - diagonal * r

        value = -0.5 * (float(r @ a) / s2 + log_det + n * math.log(s2)) - 0.5 * m * m
        # 1/2 tr((aa'/s² − Kt^-1) dK), over the lower triangle of the inverse and half of the symmetric aa'
        M = np.multiply.outer(a * (0.5 / s2), a)
        M -= inverse
        M *= H
        if own is None:
            ends = M.sum(axis=0) + M.sum(axis=1)
            squares = ends @ self.X**2 - 2.0 * np.einsum("ij,ij->j", self.X, M @ self.X)
            slopes = -2.0 * squares / np.asarray(kernel.lengthscale) ** 2
        else:  # one length-scale for all columns: dk/dlog ell = −2 h D
            slopes = np.full(len(self.groups), -2.0 * float(np.einsum("ij,ij->", M, own)) / max(1, len(self.groups)))
        trace = 0.5 * (a * a / s2 - diagonal)  # of d Kt_ii
        gradient = {
            "lengthscale": np.bincount(self.groups, slopes, minlength=len(hyper.lengthscale)),
            "variance": np.array([0.5 * (float(r @ a) / s2 - n) - float(trace @ moving)]),
            "tau": np.array([hyper.tau * float(trace[~known].sum())]),
        }
        if self.free_lam:
            jacobian, dz, d_jacobian, d_log = _warp_terms(outcome, self.y, z)
            value += jacobian
            moved = float(2.0 * trace @ (moving * d_log))  # grows with the square of the slope
            gradient["lam"] = np.array([d_jacobian - float(a @ dz) / s2 + moved])
        return self._with_prior(hyper, value, gradient)

    def _scaled_noise(self, outcome: Outcome) -> Array:
        """The known variances of z under another warp: v_i times the square of the ratio of slopes, (n,)."""
        if not self.free_lam or not np.isfinite(self.noise).any():
            return self.noise
        with np.errstate(over="ignore", invalid="ignore"):  # outputs so small that the derivative is infinite
            ratio = outcome.derivative(self.y) / self.outcome.derivative(self.y)
            return np.minimum(self.noise * ratio**2, FARTHEST)

    def _with_prior(self, hyper: Hyper, value: float, gradient: dict[str, Array]) -> tuple[float, dict[str, Array]]:
        prior = self.prior
        if prior.lengthscale is not None:
            centred = LogNormal(prior.lengthscale.centre * math.sqrt(max(1, len(self.groups))), prior.lengthscale.sd)
            terms = [centred(math.log(ell)) for ell in hyper.lengthscale]
            value += sum(term for term, _ in terms)
            gradient["lengthscale"] = gradient["lengthscale"] + np.array([slope for _, slope in terms])
        for name, density, x in (("variance", prior.scale, hyper.variance), ("tau", prior.tau, hyper.tau)):
            if density is not None:
                term, slope = density(math.log(x))
                value += term
                gradient[name] = gradient[name] + slope
        if self.free_lam and prior.warp is not None:
            value -= 0.5 * ((hyper.lam - 1.0) / prior.warp) ** 2
            gradient["lam"] = gradient["lam"] - (hyper.lam - 1.0) / prior.warp**2
        return value, gradient

    def pack(self, hyper: Hyper) -> Array:
        """theta: the free hyper-parameters as L-BFGS-B sees them."""
        theta = [math.log(ell) for ell in hyper.lengthscale]
        theta += [math.log(hyper.variance)] * self.free_variance
        theta += [math.log(hyper.tau)] * self.free_tau
        theta += [hyper.lam] * self.free_lam
        return np.array(theta)

    def unpack(self, theta: Array, fixed: Hyper) -> Hyper:
        """The inverse of `pack`; what is not free comes from `fixed`."""
        values = iter(theta.tolist())
        ell = tuple(math.exp(next(values)) for _ in fixed.lengthscale)
        variance = math.exp(next(values)) if self.free_variance else fixed.variance
        tau = math.exp(next(values)) if self.free_tau else fixed.tau
        return Hyper(ell, variance, tau, next(values) if self.free_lam else fixed.lam)

    def bounds(self, groups: int) -> list[tuple[float, float]]:
        """Bounds of theta."""
        logs = [self.prior.lengthscale_bounds] * groups
        logs += [self.prior.scale_bounds] * self.free_variance
        logs += [self.prior.tau_bounds] * self.free_tau
        strongest = STRONGEST if self.outcome.sharp else 2.0
        return [(math.log(low), math.log(high)) for low, high in logs] + [(0.0, strongest)] * self.free_lam


def fit(evidence: Evidence, starts: list[Hyper], max_iter: int, tol: float = 1e-7) -> tuple[Hyper, str]:
    """The best hyper-parameters found from `starts`, and what to note about it ("" if all went well).

    A start is kept where the search fails: the last good parameters are worth more than none.
    """
    names = ["lengthscale"] + ["variance"] * evidence.free_variance
    names += ["tau"] * evidence.free_tau + ["lam"] * evidence.free_lam
    best, best_value = starts[0], -np.inf
    for start in starts:

        def negative(theta: Array, start: Hyper = start) -> tuple[float, Array]:
            value, gradient = evidence(evidence.unpack(theta, start))
            if not math.isfinite(value):
                return 1e25, np.zeros_like(theta)  # L-BFGS-B steps back from it
            return -value, -np.concatenate([gradient[name] for name in names])

        bounds = evidence.bounds(len(start.lengthscale))
        theta = np.clip(evidence.pack(start), *np.transpose(bounds))
        found = minimize(
            negative, theta, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": max_iter, "ftol": tol}
        )
        if np.all(np.isfinite(found.x)) and found.fun < 1e25 and -found.fun > best_value:
            best, best_value = evidence.unpack(found.x, start), -float(found.fun)
    return best, "" if math.isfinite(best_value) else FAILED


def _warp_terms(outcome: Outcome, y: Array, z: Array) -> tuple[float, Array, float, Array]:
    """log |dz/ds| summed over the data, dz/dlam (n,), the derivative of the former in lam, and its terms (n,)."""
    s = outcome.standard(y)
    du, d_slope = lam_slopes(s, outcome.lam, outcome.top)
    dz = (du - du.mean() - z * (z @ du) / len(z)) / outcome.scale
    log_jacobian = float(log_slope(s, outcome.lam, outcome.top).sum()) - len(z) * math.log(outcome.scale)
    moved = float(z @ du) / outcome.scale
    return log_jacobian, dz, float(d_slope.sum()) - moved, d_slope - moved / len(z)
