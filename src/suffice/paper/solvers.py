"""The parts of the experiments: the authors' Gaussian process, the paper's restarts, and solvers for comparisons.

u     (p,)         smooth columns in the box's own units, u = low + (high − low) z, z in the unit cube
h     float        SciPy's step of a finite difference
m, p  int          runs, smooth columns
P     (m, p+1, p)  corners of each simplex, best first      F  (m, p+1)  what is minimized there
c     (m, p)       the middle of all corners but the worst  w  (m, p)    the worst one

`Restarts` is the paper's method, as in many programs: ten runs of a SciPy minimizer. SciPy's tolerances and steps are
absolute, so the box is part of the method. Runs start anywhere, use finite differences, and are dropped if SciPy
reports a failure. L-BFGS-B has the box as bounds. The others search everywhere, and alpha is evaluated at the nearest
point of the box. Nelder–Mead is our implementation of SciPy's rules for a batch of runs: ten restarts for the price of
two.

The Gaussian process follows the authors' code where that differs from their text.

D    (n(n−1)/2,)  squared distances of all pairs of points       ell  float  the length-scale
K    (n, n)       k(D / ell²), 1 + tau on the diagonal           a    (n,)   K^-1 z
dK   (n, n)       dK / dlog ell = −2 h D / ell², 0 on the diagonal

Matérn 3/2, one length-scale in the problem's own units, fitted from 1 at every step; prior mean 0, which is the optimum
because outputs are shifted by it; variance 1, noise 1e-4. The length-scale maximizes

    log p(z | ell) = −1/2 z'a − 1/2 log det K,    slope 1/2 a'dKa − 1/2 tr(K^-1 dK)

(Rasmussen and Williams 2006, eqs. 2.30 and 5.9). Everything else is known, so the fit is fast.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.optimize import Bounds, minimize
from scipy.spatial.distance import pdist, squareform

from suffice.accuracy.estimate import KEEP
from suffice.candidates import Local
from suffice.checks import as_float
from suffice.gp.fit import FAILED, TAU_FLOOR, Hyper
from suffice.gp.kernels import Matern, Stationary
from suffice.gp.model import FEWEST, Fitted, Observations, jitter_notes
from suffice.gp.posterior import Factor, Posterior
from suffice.gp.transform import Outcome
from suffice.problems import Problem
from suffice.solvers import Adaptive
from suffice.solvers.multistart import Multistart
from suffice.solvers.record import Work, enumerated, median, ranked, record
from suffice.solvers.search.hills import facts
from suffice.solvers.search.surface import Ascent, Mask, Rows, Surface, numbers
from suffice.types import Array, Domain, Score, Solution, Solver, Status, Step, smooth_columns

BOUNDS = (1e-5, 1e5)  # of the length-scale in the problem's units, as in scikit-learn, which the authors use


@dataclass(frozen=True)
class Surrogate:
    """A model for an optimizer: zero mean, unit variance, known noise, and one length-scale, fitted at every step."""

    sides: tuple[float, ...]  # of the box in the problem's units, one for each column of the cube
    kernel: Stationary = field(default_factory=lambda: Matern(1.5))
    noise: float = 1e-4  # variance, if an evaluation has none of its own

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
        """The model of `data`. The last fit is not used, except with a short deadline, when data are appended to it."""
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
        n_refit: int = 0,  # noqa: ARG002  all observations are used
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
    """log p(z | ell) up to a constant; the kernel is computed once for each pair of points."""

    kernel: Stationary
    D: Array
    z: Array
    tau: Array  # (n,)

    def __call__(self, log_ell: float) -> tuple[float, float]:
        """Its value and its slope in log ell; −inf if K is not positive definite."""
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
    """The length-scale that L-BFGS-B reaches from `start` with SciPy's own settings; None if no value is finite.

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


Method: TypeAlias = Literal["L-BFGS-B", "Nelder-Mead", "CG"]
Batch: TypeAlias = Callable[[Array, Rows], Array]  # f(Z, runs): the values, (a,), at points Z (a, p) of these runs

# ---------------------------------------------------------------------- solvers

STEP = {"L-BFGS-B": 1e-8, "CG": float(np.sqrt(np.finfo(float).eps))}  # h, as SciPy has it


@dataclass(frozen=True)
class Restarts:
    """The best end of `starts` runs of `scipy.optimize.minimize` with finite differences."""

    method: Method = "L-BFGS-B"
    box: tuple[tuple[float, float], ...] | None = None  # (low, high) of each column; None: the unit cube
    starts: int = 10
    tol: float = 0.01  # gtol, or xatol and fatol
    iterations: int = 200  # for each smooth column

    def __post_init__(self) -> None:
        if self.method not in ("L-BFGS-B", "Nelder-Mead", "CG"):
            raise ValueError(f"Restarts supports the methods L-BFGS-B, Nelder-Mead and CG: got {self.method!r}")
        if self.starts < 1 or not self.tol > 0 or self.iterations < 1:
            raise ValueError(f"Restarts needs starts ≥ 1, tol > 0 and iterations ≥ 1: got {self!r}")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:  # noqa: ARG002
        smooth = smooth_columns(domain)
        if domain.size <= self.starts:
            return enumerated(alpha, domain)
        X = domain.sample(self.starts, rng)
        initial = numbers(alpha(X))
        draws, work = ranked(X, initial, iid=True, keep=KEEP), Work(values=len(X))
        if not smooth.any() or not np.isfinite(initial).any():
            return record(alpha, domain, draws.points[0], work, draws=draws)
        box = Box(Surface(alpha, X, smooth), *self._sides(domain.dim)[smooth].T)
        U, kept = self._descend(box)
        ends = domain.snap(box.points(U, np.arange(len(X))))  # SciPy has no such constraints
        values = numbers(alpha(ends))
        kept &= np.isfinite(values)
        best = int(np.argmax(np.where(kept, values, -np.inf) if kept.any() else values))
        lowest = float(initial[np.isfinite(initial)].min())
        starts, looked = facts(alpha, domain, ends, values, spread=max(0.0, float(values[best]) - lowest))
        work += Work(values=box.rows + len(ends)) + looked
        status = Status.DONE if kept.any() else Status.NO_DESCENT
        return record(alpha, domain, ends[best], work, status=status, draws=draws, starts=starts)

    def _sides(self, d: int) -> Array:
        if self.box is not None and len(self.box) != d:
            raise ValueError(f"box needs (low, high) for each of the {d} columns of the space: got {self.box!r}")
        return np.array(((0.0, 1.0),) * d if self.box is None else self.box, dtype=float)

    def _descend(self, box: "Box") -> tuple[Array, Mask]:
        """The ends of the runs, (m, p), and which of them SciPy reports as successful."""
        limit = self.iterations * len(box.low)
        if self.method == "Nelder-Mead":
            return downhill(box.negative, box.starts, xatol=self.tol, fatol=self.tol, limit=limit)
        ends, kept = box.starts.copy(), np.zeros(len(box.starts), dtype=np.bool_)
        inside = self.method == "L-BFGS-B"
        for i, start in enumerate(box.starts):
            found = minimize(
                box.value_and_slopes,
                start,
                args=(i, STEP[self.method], inside),
                jac=True,
                method=self.method,
                bounds=Bounds(box.low, box.high) if inside else None,
                options={"gtol": self.tol, "maxiter": limit},
            )
            ends[i], kept[i] = found.x, found.success
        return ends, kept


class Box:
    """The function for SciPy: −alpha in the box's units, and the number of evaluations."""

    def __init__(self, surface: Surface, low: Array, high: Array) -> None:
        self.surface, self.low, self.high, self.side = surface, low, high, high - low
        self.rows = 0
        self.starts = low + self.side * surface.origin

    def points(self, U: Array, runs: Rows) -> Array:
        """The points of the unit cube nearest to the rows of U, (a, p) -> (a, d)."""
        return self.surface.points(np.minimum(np.maximum((U - self.low) / self.side, 0.0), 1.0), runs)

    def negative(self, U: Array, runs: Rows) -> Array:
        """−alpha, (a,), for points of these runs."""
        self.rows += len(U)
        return -numbers(self.surface.alpha(self.points(U, runs)))

    def value_and_slopes(self, u: Array, run: int, step: float, inside: bool) -> tuple[float, Array]:
        """−alpha and its forward differences, (p,), in one batch; backward ones if these would leave the box."""
        values, slopes = forward(
            lambda U: self.negative(U, np.full(len(U), run)), u[None], step, self.high if inside else np.inf
        )
        return float(values[0]), slopes[0]


def forward(f: Callable[[Array], Array], U: Array, h: float, upper: Array | float = np.inf) -> tuple[Array, Array]:
    """f (m,) and its slopes (m, p) by forward differences, from one call with (p + 1)·m rows.

    If U + h is above `upper`, the column moves back instead. The slope uses the actual step.
    """
    m, p = U.shape
    moved = np.where(U + h > upper, U - h, U + h)
    Z = np.repeat(U[None], p + 1, axis=0)
    columns = np.arange(p)
    Z[columns + 1, :, columns] = moved.T
    values = f(Z.reshape(-1, p)).reshape(p + 1, m)
    return values[0], (values[1:] - values[0]).T / (moved - U)


def downhill(f: Batch, starts: Array, *, xatol: float, fatol: float, limit: int) -> tuple[Array, Mask]:
    """Nelder–Mead by SciPy's rules: the minimizer near each start, (m, p), and which runs converged.

    A trial is z(k) = (1 + k) c − k w: reflection k = 1, expansion k = 2, contraction k = ±1/2; if all fail, the corners
    move half-way to the best one. The first simplex has corners 5 % off the start in each column, 0.00025 where it is
    zero. `limit` applies to evaluations and to iterations.
    """
    m, p = starts.shape
    P = np.repeat(starts[:, None], p + 1, axis=1)
    corners, columns = np.arange(1, p + 1), np.arange(p)
    P[:, corners, columns] = np.where(starts != 0.0, 1.05 * starts, 0.00025)
    live = np.arange(m)
    F = f(P.reshape(-1, p), np.repeat(live, p + 1)).reshape(m, p + 1)
    calls, done = np.full(m, p + 1), np.zeros(m, dtype=np.bool_)
    for _ in range(limit):
        P[live], F[live] = _sorted(P[live], F[live])
        wide = np.abs(P[live, 1:] - P[live, :1]).max(axis=(1, 2)) > xatol
        steep = np.abs(F[live, 1:] - F[live, :1]).max(axis=1) > fatol
        done[live[~(wide | steep)]] = True
        live = live[(wide | steep) & (calls[live] < limit)]
        if not len(live):
            break
        P[live], F[live], used = _step(f, P[live], F[live], live)
        calls[live] += used
    return P[:, 0], done & (calls < limit)


def _sorted(P: Array, F: Array) -> tuple[Array, Array]:
    order = np.argsort(F, axis=1, kind="stable")
    return np.take_along_axis(P, order[:, :, None], axis=1), np.take_along_axis(F, order, axis=1)


def _step(f: Batch, P: Array, F: Array, runs: Rows) -> tuple[Array, Array, Rows]:
    """One iteration of every run: new corners, their values and how many evaluations each run took."""
    p = P.shape[2]
    c, w = P[:, :-1].sum(axis=1) / p, P[:, -1]
    z = 2.0 * c - w
    v = f(z, runs)
    used = np.ones(len(P), dtype=np.intp)
    best, worst = v < F[:, 0], v >= F[:, -1]
    again = np.flatnonzero(best | (v >= F[:, -2]))
    shrink = np.zeros(len(P), dtype=np.bool_)
    if len(again):
        k = np.where(best[again], 2.0, np.where(worst[again], -0.5, 0.5))[:, None]
        second = (1.0 + k) * c[again] - k * w[again]
        value = f(second, runs[again])
        used[again] += 1
        # An expansion has to beat the reflection, an outer contraction to equal it, an inner one to beat the worst.
        better = np.where(best[again] | worst[again], value < np.minimum(v, F[:, -1])[again], value <= v[again])
        shrink[again] = ~better & ~best[again]
        z[again[better]], v[again[better]] = second[better], value[better]
    P, F = P.copy(), F.copy()
    P[~shrink, -1], F[~shrink, -1] = z[~shrink], v[~shrink]
    if shrink.any():
        nearest = P[shrink, :1]
        corners = nearest + 0.5 * (P[shrink, 1:] - nearest)
        P[shrink, 1:], F[shrink, 1:] = corners, f(corners.reshape(-1, p), np.repeat(runs[shrink], p)).reshape(-1, p)
        used[shrink] += p
    return P, F, used


class Run:
    """The function that SciPy minimizes, (alpha(start) − alpha(x)) / scale, and the best evaluated point.

    SciPy's tolerances are absolute, so alpha is scaled to slope 1 at the start.
    """

    def __init__(self, surface: Surface, run: int) -> None:
        self.surface, self.run = surface, np.array([run])
        self.rows = 0
        self.best_x, self.best_v = surface.origin[run], -np.inf
        self.initial, self.scale = -np.inf, 1.0

    def __call__(self, x: Array) -> tuple[float, Array]:
        values, gradients = self.surface.values_and_grads(x[None], self.run)
        v, g = float(values[0]), gradients[0]
        if self.rows == 0:
            slope = float(np.max(np.abs(g)))
            self.initial, self.scale = v, slope if 0.0 < slope < np.inf else 1.0
        self.rows += 1
        if v > self.best_v:
            self.best_x, self.best_v = x.copy(), v
        return (self.initial - v) / self.scale, -g / self.scale


def scipy_lbfgs(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:  # noqa: ARG001
    """One call of `scipy.optimize.minimize` for each start; needs a score with a gradient."""
    options: Any = {"ftol": tol**2, "gtol": tol} | ({} if max_iter is None else {"maxiter": max_iter})
    origin = surface.origin
    runs, cut = [Run(surface, i) for i in range(len(origin))], np.zeros(len(origin), dtype=np.bool_)
    for i, run in enumerate(runs):
        result = minimize(
            run,
            origin[i],
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(0.0, 1.0),
            options=options,
        )
        cut[i] = result.status == 1
    best = np.array([run.best_x for run in runs]).reshape(origin.shape)
    return Ascent(
        surface.points(best, np.arange(len(runs))),
        np.array([run.best_v for run in runs]),
        np.array([run.initial for run in runs]),
        cut,
        Work(grads=sum(run.rows for run in runs)),
    )


class SciPyLBFGSB(Multistart):
    """SciPy's L-BFGS-B, one start after another: the slow reference; at most 15 000 iterations a run."""

    search = staticmethod(scipy_lbfgs)


@dataclass(frozen=True)
class Degraded:
    """A deliberately inexact solver: its relative gap at step t is as close to c t^(−q) as possible.

    It chooses among uniform draws, draws around the maximizer of `inner`, and that maximizer; c = 0 is `inner` itself.
    The sum of the relative gaps over T steps grows like T for q = 0, like √T for q = ½ and like log T for q = 1. The
    paper's ratio η is not used, because its shift makes any point look accurate.
    """

    c: float = 0.5
    q: float = 0.5
    inner: Solver = Adaptive()
    draws: int = 2000  # uniform ones, and as many around the maximizer

    def __post_init__(self) -> None:
        if not (0.0 <= self.c <= 1.0 and self.q >= 0.0):
            raise ValueError(
                f"Degraded got c={self.c!r} and q={self.q!r}; the relative gap c·t^(−q) is a fraction: 0 ≤ c ≤ 1, q ≥ 0"
            )
        if self.draws < 1:
            raise ValueError(f"Degraded got draws={self.draws!r}; it chooses among its samples, so wanted at least 1")

    def target(self, t: int) -> float:
        """1 − c t^(−q), the target accuracy of step t."""
        gap: float = self.c * float(t) ** -self.q
        return 1.0 - gap

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        found = self.inner(alpha, domain, step=step, rng=rng)
        if self.c == 0.0:
            return found
        uniform = domain.sample(self.draws, rng)
        around = Local(scales=(0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4))  # a smooth peak falls quadratically: by 1e-8 at last
        X = np.concatenate([found.x[None], uniform, around(self.draws, domain, design=found.x[None], rng=rng)])
        values = alpha(X)
        at_random = values[1 : 1 + self.draws]
        middle = median(at_random)
        accuracy = _accuracy(values, middle)
        row = int(np.argmin(np.abs(accuracy - self.target(step.t))))
        if row == 0:
            return replace(found, n_evals=found.n_evals + len(X))
        # The tail of the uniform draws estimates α*. The report must not use the inner solver's record, which would
        # call the chosen point the best one. It may be too pessimistic in many dimensions.
        draws = replace(ranked(uniform, at_random, iid=True), median=middle)
        chosen = record(alpha, domain, X[row], Work(values=len(X)), draws=draws)
        return replace(chosen, n_evals=found.n_evals + chosen.n_evals, n_grads=found.n_grads)


def _accuracy(values: Array, middle: float | None) -> Array:
    """(alpha − m) / (α* − m), (n,), m the median over uniform draws, α* the largest value: 1 is exact, 0 a guess.

    −∞ where alpha has no value. On a flat surface every point is exact.
    """
    known = np.where(np.isnan(values), -np.inf, values)
    top = float(known.max())
    if middle is None or not top > middle:
        return np.where(known == top, 1.0, -np.inf)
    accuracy: Array = (known - middle) / (top - middle)
    return accuracy
