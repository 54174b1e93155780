"""The surrogate: from observations to a posterior, refitted when it pays, appended to in between.

X  (n, d)  observed points, in the order they were observed       y  (n,)  their values, user's units, larger is better
"""

import math
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.checks import as_bool, as_count, as_float
from suffice.gp.ensemble import FIRST_STEP, SETTLE, Chains, Density, Ensemble, Mixture, moved, resampled
from suffice.gp.fit import TAU_FLOOR, Evidence, Hyper, Prior, fit
from suffice.gp.kernels import Matern, Stationary
from suffice.gp.posterior import FIRST_TAU, Factor, Posterior
from suffice.gp.selection import Values, by_history, chosen, judged, kept_rows, surprising
from suffice.gp.transform import FARTHEST, Outcome, rounded_to, standardised
from suffice.types import Array, Domain, Indices

FIT_POINTS = 500  # that the hyper-parameters are fitted to, the cost of one evaluation growing with the cube
COLD_POINTS = 128  # of a search from the prior's centre: fewer points lead to the same optimum
FEWEST = 3  # observations worth a fit; below, the prior's centre is as good as any
COLD_ITERATIONS, WARM_ITERATIONS = 60, 20  # of L-BFGS-B: from the prior's centre, and from the last fit
# That a warp has to be likelier than none. Without it one-step limits of 90 % held 71 % of noisy values and 85 % of
# others, with it 74 % and 88 %; with noise the recommended point was better by a quarter, without as good.
NATS = 3.0


@dataclass(frozen=True)
class Refit:
    """How often the model's parameters are refitted, which is the expensive part of an ask.

    Between two fits new values are added to the model, so it always uses all of them; only its length-scales, scale and
    noise stay the same.

    Parameters
    ----------
    growth : float, default: 0.1
        Refit once the number of observations has grown by this fraction. Choose 0 to fit at every step, as in the
        paper, if evaluations take long anyway; a larger value if asks have to be fast.
    surprise : float, default: 3.0
        Also refit when a value is more than this many standard deviations from its prediction.
    """

    growth: float = 0.1
    surprise: float = 3.0

    def __post_init__(self) -> None:
        for word in ("growth", "surprise"):
            if getattr(self, word) != math.inf:  # which is never
                as_float(getattr(self, word), word)
        if not (self.growth >= 0 and self.surprise > 0):
            raise ValueError(f"Refit needs growth ≥ 0 and surprise > 0, got {self.growth!r} and {self.surprise!r}")


@dataclass(frozen=True)
class Observations:
    """What has been observed, in order, larger is better; a later set extends an earlier one."""

    X: Array
    y: Array
    noise_var: Array  # (n,): known variance of the noise in y, nan where unknown

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        return f"<Observations: {len(self)} values in {self.X.shape[1]} columns>"

    def kept(self, outcome: Outcome) -> "Observations":
        """Without the gross errors that a fit has set aside."""
        return self.take(kept_rows(len(self), outcome.aside)) if outcome.aside else self

    def take(self, rows: NDArray[np.intp] | slice) -> "Observations":
        return Observations(self.X[rows], self.y[rows], self.noise_var[rows])


@dataclass(frozen=True)
class Fitted:
    """A posterior with all that rebuilds it and all that decides when to fit again."""

    posterior: Posterior
    outcome: Outcome
    hyper: Hyper
    n_seen: int  # observations known, those left out of a subset included
    n_refit: int  # observations known at the last fit
    n_cold: int  # of these in the posterior, at the last fit that also started from the prior's centre; 0: none did
    notes: tuple[str, ...] = ()  # what was done about numerical trouble
    ensemble: Ensemble | None = None  # of members besides the fit; None: the fit alone

    def mixture(self, X: Array, *, noise: bool = False) -> Mixture:
        """What the members predict of the output at m points, model units; of one fit it has one part.

        noise    of a measurement of it, whose noise is as it was in the observations: in the median, where it is known
                 to differ between them
        """
        if self.ensemble is None:
            mean, std = _predicted(self.posterior, X, self.hyper, noise)
            return Mixture(np.ones(1), mean[None], std[None])
        pairs = zip(self.ensemble.posteriors, self.ensemble.chains.hypers, strict=True)
        each = [_predicted(posterior, X, hyper, noise) for posterior, hyper in pairs]
        means, stds = (np.array(part) for part in zip(*each, strict=True))
        return Mixture(np.array(self.ensemble.chains.weights), means, stds)

    def predict(self, X: Array, *, noise: bool = False) -> tuple[Array, Array]:
        """Mean and standard deviation of the output, (m,) each, model units: of the average over the members."""
        mixture = self.mixture(X, noise=noise)
        return mixture.mean, mixture.std

    def mean(self, X: Array) -> Array:
        """The mean alone, (m,), which takes less work."""
        if self.ensemble is None:
            return self.posterior.mean(X)
        pairs = zip(self.ensemble.chains.weights, self.ensemble.posteriors, strict=True)
        return np.asarray(sum(w * posterior.mean(X) for w, posterior in pairs))

    def prediction(self, x: Array, rescaled: float = 1.0) -> tuple[float, float]:
        """Mean and sd of the next output at x, (d,), model units: its noise included, without pending points."""
        mean, deviation = self.predict(x[None], noise=True)
        return float(mean[0]), rescaled * float(deviation[0])


def _predicted(posterior: Posterior, X: Array, hyper: Hyper, noise: bool) -> tuple[Array, Array]:
    mean, std = posterior.predict(X)
    if not noise:
        return mean, std
    tau = float(np.median(posterior.factor.tau)) if posterior.n else hyper.tau
    noisy: Array = np.hypot(std, posterior.scale * math.sqrt(tau))
    return mean, noisy


class Model(Protocol):
    """What a study needs of a surrogate; a frozen dataclass with these two methods is one."""

    def __call__(
        self, data: Observations, domain: Domain, previous: Fitted | None = None, *, hurry: bool = False
    ) -> Fitted:
        """The model of `data`, which extends the data of `previous`; in a hurry, no parameters are fitted."""

    def rebuild(
        self, data: Observations, domain: Domain, hyper: Hyper, outcome: Outcome, constant: float, n_refit: int
    ) -> Posterior:
        """The posterior of `data` with known parameters, whose last fit knew the first n_refit observations."""


@dataclass(frozen=True)
class GP:
    """The model of the objective: a Gaussian process, which predicts a value and its uncertainty.

    Change its fields if you know something about the objective. The length-scales are fitted: the prior and its bounds
    influence them, and the kernel only sets the smoothness.

    Parameters
    ----------
    kernel : Matern, RBF or CustomKernel, default: Matern(2.5)
        RBF() if the objective is very smooth, Matern(1.5) if it is rough.
    ard : bool, default: True
        Whether each parameter has a length-scale of its own; False: one for all.
    noise : float or None, default: None
        The variance of your measurements, in the objective's units squared; None: fitted.
    warp : bool, default: True
        Whether the likelihood chooses a monotone transform of the values; False if they need none.
    standardize : bool, default: True
        Whether the values are shifted and scaled; False: outputs in their own units, prior mean 0.
    prior : Prior, default: Prior()
        The prior of the length-scales, the variance and the noise.
    refit : Refit, default: Refit()
        How often the parameters are refitted.
    max_points : int, default: 1000
        With more observations than this a subset is used: the best, those around the best regions, and some of the
        rest. The time of an ask grows with the square of it, that of a fit with the cube.
    sharp : bool, default: True
        Whether the transform of the values (`warp`) may magnify differences near the best one. Otherwise it only pulls
        in long tails: several objectives and constrained outputs are always modelled like that.
    members : int, default: 4
        The number of parameter sets, sampled from their posterior, over which predictions, the acquisitions EI, LogEI,
        PI, MES and KG, and probabilities of feasibility are averaged while there are few observations. With 1 the model
        uses the most probable set alone, which is faster but overconfident.
    robust : bool, default: True
        Whether values that all others contradict, by many standard deviations, are set aside as errors. It takes a
        warp, and noise that is not known.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.GP(noise=0.01, kernel=sf.gp.Matern(1.5))
    >>> sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], 8, seed=0, model=model).success
    True
    """

    kernel: Stationary = field(default_factory=Matern)
    ard: bool = True
    noise: float | None = None
    warp: bool = True
    standardize: bool = True
    prior: Prior = field(default_factory=Prior)
    refit: Refit = field(default_factory=Refit)
    max_points: int = 1000  # with half of 2000 observations nothing is lost (measurements/many-observations.md)
    sharp: bool = True
    members: int = 4  # eight decided no better (measurements/gate.md)
    robust: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Stationary):
            raise TypeError(f"kernel must be an object such as Matern(2.5) or RBF(): got {self.kernel!r}")
        if not np.array_equal(self.kernel.lengthscale, 1.0):
            raise ValueError(
                f"kernel must not set length-scales, because they are fitted: got {self.kernel!r}; to influence them, "
                "in units of the unit cube, set a prior: prior=Prior(lengthscale_bounds=(low, high))"
            )
        for word in ("ard", "warp", "standardize", "sharp", "robust"):
            as_bool(getattr(self, word), word)
        if self.noise is not None and as_float(self.noise, "noise") < 0:
            raise ValueError(f"noise must be a variance ≥ 0 in the objective's units, or None; got {self.noise!r}")
        for word, kind in (("prior", Prior), ("refit", Refit)):
            if not isinstance(getattr(self, word), kind):
                raise TypeError(
                    f"{word} must be a {kind.__name__}, such as {kind.__name__}(): got {getattr(self, word)!r}"
                )
        as_count(self.max_points, "max_points", 10)
        as_count(self.members, "members", 1)

    def __call__(
        self, data: Observations, domain: Domain, previous: Fitted | None = None, *, hurry: bool = False
    ) -> Fitted:
        """The model of `data`, which extends the data of `previous`; in a hurry, no parameters are fitted."""
        if previous is None or (not hurry and self._due(data, previous)):
            return self._fit(data, domain, previous)
        if len(data) == previous.n_seen:
            return previous
        hyper, outcome, n_refit = previous.hyper, previous.outcome, previous.n_refit
        if self._offered(len(data), n_refit) == self._offered(previous.n_seen, n_refit):
            new = data.take(slice(previous.n_seen, None))
            posterior = previous.posterior.append(new.X, outcome(new.y), self._tau(new, outcome, hyper))
        else:
            posterior = self.rebuild(data, domain, hyper, outcome, previous.posterior.constant, n_refit)
        return replace(previous, posterior=posterior, n_seen=len(data))

    def rebuild(
        self, data: Observations, domain: Domain, hyper: Hyper, outcome: Outcome, constant: float, n_refit: int
    ) -> Posterior:
        """The posterior of `data` with known parameters, whose last fit knew the first n_refit observations."""
        return replace(self._conditioned(data, domain, hyper, outcome, n_refit), constant=constant)

    def _conditioned(
        self, data: Observations, domain: Domain, hyper: Hyper, outcome: Outcome, n_refit: int
    ) -> Posterior:
        used = self._used(data, outcome.aside, n_refit)
        return self._posterior(used, outcome, hyper, self._groups(domain))

    def _used(self, data: Observations, aside: tuple[int, ...], n_refit: int) -> Observations:
        """What a posterior is made of: not the values set aside, and of many others a subset."""
        offered, rows = self._offered(len(data), n_refit), kept_rows(len(data), aside)
        old = rows[rows < offered]
        if self.max_points < len(old) and offered <= len(data):
            old = old[chosen(data.X[old], data.y[old], self.max_points)]
        elif len(rows) == len(data):
            return data
        return data.take(np.concatenate([old, rows[rows >= offered]]))

    def with_members(
        self,
        data: Observations,
        domain: Domain,
        fitted: Fitted,
        previous: Fitted | None,
        rng: Generator | None,
        *,
        hurry: bool = False,
    ) -> Fitted:
        """The fit to `data` with members besides, which continue from those of `previous`; in a hurry, none moves."""
        if self.members < 2 or not FEWEST <= len(data) <= 2 * COLD_POINTS or self.is_fixed(data):
            return replace(fitted, ensemble=None)
        known = None if previous is None else previous.ensemble
        if known is not None and previous is not None:
            if len(data) == previous.n_seen:
                return replace(fitted, ensemble=known)
            new = data.take(_among(previous.n_seen, len(data), fitted.outcome))
            taus = tuple(self._tau(new, previous.outcome, hyper) for hyper in known.chains.hypers)
            known = known.observed(new.X, previous.outcome(new.y), taus)
            # Twice as often as the parameters are fitted: a move takes a fraction of a fit.
            grown = len(data) - known.chains.n_moved >= max(1.0, 0.5 * self.refit.growth * known.chains.n_moved)
            few = known.chains.effective < 0.5 * self.members
            if previous.n_refit == fitted.n_refit and (hurry or not (grown or few)):
                return replace(fitted, ensemble=known)
        assert rng is not None, "members move at random"
        groups = self._groups(domain)
        sample = data.kept(fitted.outcome)
        sample = sample if len(sample) <= COLD_POINTS else sample.take(by_history(sample.y, COLD_POINTS))
        density = Density.of(self._evidence(sample, fitted.outcome, groups))
        if known is None:
            hypers, step, times = (fitted.hyper,) * self.members, FIRST_STEP, SETTLE
        else:
            hypers = tuple(replace(hyper, lam=fitted.hyper.lam) for hyper in resampled(known.chains, rng))
            step, times = known.chains.step, 1
        hypers, step = moved(density, hypers, step, rng, times)
        chains = Chains(hypers, (1.0 / self.members,) * self.members, len(data), step)
        return replace(fitted, ensemble=self.with_posteriors(data, domain, chains, fitted.outcome, fitted.n_refit))

    def with_posteriors(
        self, data: Observations, domain: Domain, chains: Chains, outcome: Outcome, n_refit: int
    ) -> Ensemble:
        """The members with the posteriors of these data; the prior means are those of their last move."""
        then, posteriors = data.take(slice(chains.n_moved)), []
        for hyper in chains.hypers:
            posterior = self._conditioned(data, domain, hyper, outcome, n_refit)
            if len(then) < len(data):
                constant = self._conditioned(then, domain, hyper, outcome, n_refit).constant
                posterior = replace(posterior, constant=constant)
            posteriors.append(posterior)
        return Ensemble(chains, tuple(posteriors))

    def _groups(self, domain: Domain) -> NDArray[np.intp]:
        own = not self.kernel.euclidean
        if own and any(coordinate.smooth for coordinate in domain.coordinates):
            raise TypeError(
                f"{self.kernel!r} has a custom distance without gradients: it works only on spaces without real "
                "parameters, such as a pool or a custom space"
            )
        return _groups(domain, self.ard and not own)

    def is_fixed(self, data: Observations) -> bool:
        """Whether nothing is estimated from the data: outputs as they are, a known noise, equal bounds for the rest."""
        prior = self.prior
        noise_known = self.noise is not None or not np.isnan(data.noise_var).any()
        bounds = [prior.lengthscale_bounds, prior.scale_bounds, *([] if noise_known else [prior.tau_bounds])]
        return not self.standardize and all(low == high for low, high in bounds)

    def _offered(self, n: int, n_refit: int) -> int:
        """Of the first n observations, how many the posterior's max_points are chosen from; the later ones are all in.

        Those known at the last fit are, until the later ones are so many that a fit is due. If it is put off by hurry,
        the choice is made again each time that so many have come: the posterior stays small, and two numbers tell
        which points are in it.
        """
        first = max(n_refit, self.max_points)
        step = max(1, math.ceil(min(self.refit.growth * self.max_points, n + 1)))
        return first + max(0, n - first) // step * step

    def _due(self, data: Observations, previous: Fitted) -> bool:
        """Whether the new observations require a fit: too many, too far off, or far outside the fitted range."""
        new = data.take(slice(previous.n_seen, None))
        if not len(new) or len(data) < FEWEST:
            return bool(len(new))
        if previous.hyper.lam != 1.0 and np.isfinite(data.noise_var).all():
            return True  # no warp from now on: see _evidence
        n_fit = min(previous.n_refit, self.max_points)
        if len(data) - previous.n_refit >= self.refit.growth * n_fit or n_fit < FEWEST:
            return True
        z, known = previous.outcome(new.y), previous.posterior.z
        margin = np.ptp(known)
        if z.max() > known.max() + margin or z.min() < known.min() - margin:
            return True
        mean, std = previous.posterior.predict(new.X)
        tau = self._tau(new, previous.outcome, previous.hyper)
        deviation = np.hypot(std, previous.posterior.scale * np.sqrt(tau))
        return bool(np.any(np.abs(z - mean) > self.refit.surprise * deviation))

    def _fit(self, data: Observations, domain: Domain, previous: Fitted | None) -> Fitted:
        aside = () if previous is None else previous.outcome.aside
        again = previous is None or min(len(data) - len(aside), self.max_points) >= 2 * previous.n_cold
        unknown = np.isnan(data.noise_var)
        # Without a warp the values of a function that spans orders of magnitude look like errors.
        judges = self.robust and self.standardize and self.warp and self.noise is None and bool(unknown.any())
        judges = judges and len(data) <= self.max_points  # the evidence is that of all values
        # Now and then all values have another chance. A fit that errors have bent is no place to start from.
        start = () if again and judges else aside
        first = self._fit_without(start, data, domain, previous, cold=again or len(aside) > 0)
        if not judges:
            return first
        values = Values(data.X, data.y, unknown)
        return judged(
            first,
            values,
            lambda rows: self._fit_without(rows, data, domain, first, cold=True),
            lambda fitted: self._log_density(data, domain, fitted),
            () if previous is None else (*aside, *surprising(previous, values, previous.n_seen)),
        )

    def _fit_without(
        self, aside: tuple[int, ...], data: Observations, domain: Domain, previous: Fitted | None, cold: bool
    ) -> Fitted:
        """The fit to all values but the rows set aside; cold: it starts from the prior's centre, too."""
        notes: tuple[str, ...] = ()
        used = self._used(data, aside, len(data))
        if len(used) < len(data) - len(aside):
            notes += (f"the model uses {self.max_points} of the observations (max_points)",)
        outcome = replace(self._outcome(used), aside=aside)
        groups = self._groups(domain)
        hyper, n_cold = self._start(groups), 0
        if len(used) >= FEWEST and np.ptp(outcome(used.y)) > 0:
            sample = used if len(used) <= FIT_POINTS else used.take(by_history(used.y, FIT_POINTS))
            evidence = self._evidence(sample, outcome, groups)
            n_cold = len(used) if cold or previous is None else previous.n_cold
            hyper, note = self._warped(evidence, sample, hyper, previous, cold)
            notes += (note,) if note else ()
            outcome = outcome.with_warp(sample.y, hyper.lam) if self.standardize else outcome
        posterior = self._posterior(used, outcome, hyper, groups)
        notes += jitter_notes(posterior)
        return Fitted(posterior, outcome, hyper, len(data), len(data), n_cold, notes)

    def _log_density(self, data: Observations, domain: Domain, fitted: Fitted) -> float:
        """log p(y | theta) + log p(theta) of a fit and the values that it has not set aside, in the user's units."""
        kept = data.kept(fitted.outcome)
        evidence = replace(self._evidence(kept, fitted.outcome, self._groups(domain)), free_lam=False)
        with np.errstate(divide="ignore"):
            return evidence(fitted.hyper)[0] + float(np.log(fitted.outcome.derivative(kept.y)).sum())

    def noise_gain(self, data: Observations, domain: Domain, fitted: Fitted) -> float:
        """By how many nats a fit is likelier than the best one without noise; 0 where the noise is known."""
        low, high = self.prior.tau_bounds
        if low == high or self.noise is not None:
            return 0.0
        exact = replace(self, robust=False, prior=replace(self.prior, tau_bounds=(low, low)))
        other = exact._fit_without(fitted.outcome.aside, data, domain, None, cold=True)
        free = replace(self, prior=replace(self.prior, tau=None))  # neither pays for its noise
        return free._log_density(data, domain, fitted) - free._log_density(data, domain, other)

    def _outcome(self, data: Observations) -> Outcome:
        """The map of the values without a warp, and whether they are rounded; known noise includes its rounding."""
        if not self.standardize:
            return Outcome()
        outcome = standardised(data.y, sharp=self.sharp)
        low, high = self.prior.tau_bounds
        if low == high or self.noise is not None:
            return outcome
        unknown = np.isnan(data.noise_var)
        apart = np.unique(np.column_stack([data.X, data.y])[unknown], axis=0)  # a repeated value of a point is no tie
        s = outcome.standard(apart[:, -1])
        step = rounded_to(s[s > outcome.floor])
        # Differences below the step mean nothing, so there is nothing near the best value that a warp could resolve.
        return replace(outcome, step=step, sharp=False).with_warp(data.y, 1.0) if step else outcome

    def _warped(
        self, evidence: Evidence, sample: Observations, centre: Hyper, previous: Fitted | None, cold: bool
    ) -> tuple[Hyper, str]:
        """The likeliest parameters, with a warp only where it is much likelier than none.

        Few or noisy values look a little like warped ones by chance, and a warp is sure where it spreads the best.
        """
        found = self._search(evidence, sample, centre, None if previous is None else previous.hyper, cold)
        if not evidence.free_lam or found[0].lam == 1.0:
            return found
        outcome = evidence.outcome.with_warp(evidence.y, 1.0)
        plain = self._search(replace(evidence, outcome=outcome, free_lam=False), sample, centre, found[0], cold)
        return found if evidence(found[0])[0] >= evidence(plain[0])[0] + NATS else plain

    def _search(
        self, evidence: Evidence, sample: Observations, centre: Hyper, last: Hyper | None, cold: bool
    ) -> tuple[Hyper, str]:
        """From the last parameters and, where it is cold, from the prior's centre too."""
        starts = [] if last is None else [last if evidence.free_lam else replace(last, lam=1.0)]
        if not cold:
            return fit(evidence, starts, WARM_ITERATIONS)
        if len(sample) <= COLD_POINTS:
            return fit(evidence, starts + self._cold_starts(evidence, centre), COLD_ITERATIONS)
        few = evidence.take(by_history(sample.y, COLD_POINTS))
        starts += [fit(few, [start], COLD_ITERATIONS)[0] for start in self._cold_starts(few, centre)]
        values = [np.nan_to_num(evidence(start)[0], nan=-np.inf, neginf=-np.inf) for start in starts]
        return fit(evidence, [starts[int(np.argmax(values))]], WARM_ITERATIONS)

    def _posterior(self, data: Observations, outcome: Outcome, hyper: Hyper, groups: NDArray[np.intp]) -> Posterior:
        kernel = self.kernel.with_lengthscale(np.asarray(hyper.lengthscale)[groups])
        factor = Factor.condition(kernel, data.X, self._tau(data, outcome, hyper))
        z, constant = outcome(data.y), 0.0
        if self.standardize and len(z):
            weights = factor.solve(np.ones(len(z)))  # the prior mean that maximizes the evidence, as in the fit
            constant = float(weights @ z) / (float(weights.sum()) + hyper.variance)
        return Posterior(factor, z, math.sqrt(hyper.variance), constant)

    def _evidence(self, data: Observations, outcome: Outcome, groups: NDArray[np.intp]) -> Evidence:
        noise = self._known_noise(data, outcome)
        unknown = np.isnan(noise)
        return Evidence(
            self.kernel,
            data.X,
            data.y,
            outcome,
            noise,
            groups,
            self.prior,
            standardize=self.standardize,
            free_tau=bool(unknown.any()),
            # Noise that is all known is known in the objective's units; warped, it would depend on the value. Where
            # only some of it is known, as of stopped trials, it is scaled by the slope of the warp: without a warp
            # these runs ended 1.4 times as far from the best value (research/measurements/early-stopping.md).
            free_lam=self.warp and self.standardize and bool(unknown.any()),
        )

    def _known_noise(self, data: Observations, outcome: Outcome) -> Array:
        """Known noise variances in model units, (n,); nan where the noise is to be fitted."""
        default = math.nan if self.noise is None else self.noise
        deviation = np.sqrt(np.where(np.isnan(data.noise_var), default, data.noise_var))
        with np.errstate(over="ignore", invalid="ignore"):  # outputs so small that the derivative is infinite
            known = np.minimum((deviation * outcome.derivative(data.y)) ** 2, FARTHEST)
        return np.where(deviation == 0, 0.0, known)

    def _tau(self, data: Observations, outcome: Outcome, hyper: Hyper) -> Array:
        known = self._known_noise(data, outcome) / hyper.variance
        fitted = hyper.tau + outcome.rounding(data.y) / hyper.variance
        return np.where(np.isnan(known), fitted, np.maximum(known, TAU_FLOOR))

    def _start(self, groups: NDArray[np.intp]) -> Hyper:
        """The prior's centre, within its bounds, which fix a value also before there are data enough for a fit."""
        prior, d = self.prior, max(1, len(groups))
        ell = prior.lengthscale.centre * math.sqrt(d) if prior.lengthscale is not None else 1.0
        tau = FIRST_TAU if prior.tau is None else prior.tau.centre
        count = int(groups.max(initial=-1)) + 1
        ell, variance, tau = (
            float(np.clip(value, *bounds))
            for value, bounds in ((ell, prior.lengthscale_bounds), (1.0, prior.scale_bounds), (tau, prior.tau_bounds))
        )
        return Hyper((ell,) * count, variance, tau)

    def _cold_starts(self, evidence: Evidence, centre: Hyper) -> list[Hyper]:
        """The prior's centre, and smooth with noise, each with the warp that the evidence likes best there.

        Without the second start noise of the signal's size is taken for a short length-scale.
        """
        smooth = replace(
            centre,
            lengthscale=tuple(4.0 * ell for ell in centre.lengthscale),
            tau=1.0 if evidence.free_tau else centre.tau,
        )
        warps = (0.0, 0.5, 1.0, 1.5) if evidence.free_lam else (1.0,)
        return [
            max((replace(start, lam=lam) for lam in warps), key=lambda hyper: evidence(hyper)[0])
            for start in (centre, smooth)
        ]


def _among(start: int, stop: int, outcome: Outcome) -> Indices:
    """The rows from start to stop that are not set aside."""
    rows = kept_rows(stop, outcome.aside)
    return rows[rows >= start]


def jitter_notes(posterior: Posterior) -> tuple[str, ...]:
    """A word about what was added to the kernel matrix, if anything was."""
    jitter = posterior.factor.jitter
    return (f"{jitter:g} was added to the kernel matrix's diagonal (jitter)",) if jitter > 0 else ()


def _groups(domain: Domain, ard: bool) -> NDArray[np.intp]:
    """The length-scale of each column, (d,): one for all, or one for each parameter.

    The columns of a choice share it, but options that have something in common have one for each kind of it.
    """
    groups = np.zeros(domain.dim, dtype=np.intp)
    if ard:
        g = 0
        for coordinate in domain.coordinates:
            own = np.zeros(1, dtype=np.intp) if coordinate.places is None else coordinate.places.groups
            groups[coordinate.columns] = g + own
            g += int(own.max()) + 1
    return groups


def unwarped(model: GP, data: Observations, domain: Domain) -> tuple[GP, Fitted]:
    """A model that is not overconfident about unobserved points, and its fit from scratch.

    The points of a run pile up at its best point. The likeliest fit to such data is right there, but overconfident
    elsewhere: the pile is smooth, and its values differ little. So there is no warp, because one that spreads the
    values near the best leaves no room above it; and s² is at least the variance of the values. See `drawn`, too.
    """
    low, high = model.prior.scale_bounds
    seen = 1.0 if model.standardize else float(np.var(data.y))  # standardised values have the variance 1
    floor = min(max(low, seen), high)  # bounds that fix the variance are knowledge
    plain = replace(model, warp=False, prior=replace(model.prior, scale_bounds=(floor, high)))
    return plain, plain(data, domain)


def drawn(
    model: GP, fitted: Fitted, data: Observations, domain: Domain, k: int, rng: Generator
) -> tuple[Posterior, ...]:
    """k posteriors whose hyper-parameters are drawn from theirs, of however many observations; none if all are known.

    Unlike the members of a run, they depend on the data and the stream alone, not on earlier ones.
    """
    if model.is_fixed(data):
        return ()
    sample = data.kept(fitted.outcome)
    sample = sample if len(sample) <= COLD_POINTS else sample.take(by_history(sample.y, COLD_POINTS))
    density = Density.of(model._evidence(sample, fitted.outcome, model._groups(domain)))
    hypers, step = moved(density, (fitted.hyper,) * k, FIRST_STEP, rng, SETTLE)
    chains = Chains(hypers, (1.0 / k,) * k, len(data), step)
    return model.with_posteriors(data, domain, chains, fitted.outcome, fitted.n_refit).posteriors
