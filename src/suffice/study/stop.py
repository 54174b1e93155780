"""When a run has done enough: rules that look at the optimizer after each evaluation.

`RegretBelow` bounds how far the recommended point may be from the optimum, by a model of its own:

r      (d,)   the recommended point, a row of the unit cube     unit  float  the objective's units in a model unit
α(x)   (m,)   μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]), the lead that x may have (acquisition/ucb.py)

    f* − f(r) ≤ unit · max α,     as far as f(x) − f(r) is nowhere more than β standard deviations above its mean

The model is the study's own, but cautious: unwarped, so that its units are the objective's up to a factor, and less
sure of what was not seen than the fit that suggests points. The bound has to hold for its likeliest hyper-parameters
and for MEMBERS more that are drawn from their posterior: the data rarely tell short length-scales from noise.
"""

import math
from dataclasses import dataclass
from itertools import dropwhile
from typing import Protocol

import numpy as np

from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, KG, LogEI, LookAround
from suffice.acquisition.ucb import Beta, Constant, Lead, as_beta
from suffice.checks import as_bool, as_count, as_real, short
from suffice.gp.model import GP, drawn, unwarped
from suffice.gp.posterior import Posterior
from suffice.record.history import History
from suffice.record.settings import Settings, points_to_fit
from suffice.record.trial import Trial
from suffice.result.coverage import Unexplored, unexplored
from suffice.result.exhausted import MANY, exhausted
from suffice.result.front import Front
from suffice.result.predict import recommend
from suffice.solvers import Exhaustive
from suffice.space import SearchSpace
from suffice.streams import Streams
from suffice.study.optimizer import Optimizer
from suffice.threads import one_thread
from suffice.types import Array, Step

SCREEN = 500  # samples that show most bounds to be too large, without a search
NOISE = 1 / 3  # of the tolerance: noise with a smaller standard deviation makes no best value lucky enough to matter
MEMBERS = 4  # drawn beside the fit: without them four times as many stops were wrong (measurements/stopping.md)
SLACK = 1e-3  # of the tolerance: what is left to a proof for the rounding of its bounds


class Stop(Protocol):
    """A stopping rule.

    One that cannot judge every study may have a method `check(settings)`, which is called before anything is evaluated
    and raises ValueError with a remedy.
    """

    def __call__(self, optimizer: Optimizer) -> str | None:
        """Why to stop now, as a sentence; None to go on."""


@dataclass(frozen=True)
class Target:
    """Stop once the best value is at least as good as `value`.

    With constraints it is the best feasible value. Several objectives are not supported.

    Parameters
    ----------
    value : float
        The value to reach, in the objective's units and sign.

    Examples
    --------
    >>> import suffice as sf
    >>> result = sf.minimize(lambda x: x[0] ** 2, [(-1, 1)], stop=sf.Target(0.1), seed=0)
    >>> result.nfev < 50
    True
    """

    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(as_real(self.value, "Target: value")):
            raise ValueError(f"Target needs a finite value: got {self.value!r}")

    def check(self, settings: Settings) -> None:
        """Refuse a study of several objectives.

        Parameters
        ----------
        settings : Settings
            Of the study that the rule is to end.
        """
        if settings.several:
            raise ValueError(
                f"sf.Target({self.value:g}) supports one objective only: with several there is no best value; use "
                "sf.NoImprovement(n), which follows the front, or a custom rule"
            )

    def __call__(self, optimizer: Optimizer) -> str | None:
        self.check(optimizer.settings)
        best = max(_values(optimizer), default=-math.inf)
        return f"the target {self.value:g} was reached" if best >= optimizer.settings.sign() * self.value else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop after `n` finished trials in a row without a better value.

    With constraints only feasible values count, and counting starts with the first one. With several objectives a trial
    counts as better if it raises the hypervolume of the front.

    Parameters
    ----------
    n : int
        The number of trials to wait for a better value.
    """

    n: int

    def __post_init__(self) -> None:
        as_count(self.n, "NoImprovement: n", 1)

    def __call__(self, optimizer: Optimizer) -> str | None:
        since = _since_the_front(optimizer.history) if optimizer.settings.several else _since_the_best(optimizer)
        return f"no improvement in the last {self.n} trials" if since >= self.n else None


def _since_the_best(optimizer: Optimizer) -> int:
    """How many values came after the first of the best ones."""
    values = _values(optimizer)
    return len(values) - 1 - values.index(max(values)) if values else 0


def _since_the_front(history: History) -> int:
    """How many trials came after the last one that raised the hypervolume of the front; 0 before any did.

    That one is on the front still: what dominates it would have raised the hypervolume later.
    """
    front = Front(history)
    numbers = {trial.number for trial in front.counted}
    places = [place for place, trial in enumerate(history.done) if trial.number in numbers]
    return len(history.done) - 1 - places[-1] if places else 0


def _chosen(history: History) -> int:
    """How many finished trials the model has chosen: with few it does not know how rough the objective is."""
    return sum(trial.origin == "model" for trial in history.done)


def _values(optimizer: Optimizer) -> list[float]:
    """The values in the order they came, larger being better, from the first feasible one on; others count as −∞."""
    sign, done = optimizer.settings.sign(), optimizer.history.done
    values = (sign * trial.value if trial.feasible and trial.value is not None else -math.inf for trial in done)
    return list(dropwhile(math.isinf, values))


@dataclass(frozen=True)
class Exhausted:
    """Stop once no improvement above the resolution is expected, and `explorations` since then have found none.

    It fits no model of its own, because the default acquisition records the expected improvement. Use it if you want
    the best point rather than a fixed number of trials. It supports one objective and acquisitions that improve and
    explore: the default, or `sf.acquisition.LookAround` with EI, LogEI or KG. It waits until the model of the run has
    chosen 2 (parameters + 1) points itself.

    Parameters
    ----------
    explorations : int, default: 3
        The number of trials outside the known basins to wait for, in case the model is wrong; 0 waits for none.

    Examples
    --------
    >>> import suffice as sf
    >>> result = sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], n_trials=60, stop=sf.Exhausted(), seed=0)
    >>> result.nfev < 60, result.exhausted.in_vain
    (True, 3)
    """

    explorations: int = MANY

    def __post_init__(self) -> None:
        as_count(self.explorations, "Exhausted: explorations", 0)

    def check(self, settings: Settings) -> None:
        """Reject several objectives, and acquisition functions without an expected improvement.

        Parameters
        ----------
        settings : Settings
            Of the study that the rule is to end.
        """
        if settings.several:
            raise ValueError(
                "sf.Exhausted supports one objective only: with several no expected improvement is recorded; use "
                "sf.NoImprovement(n), which follows the front"
            )
        acquisition = settings.acquisition
        if not (isinstance(acquisition, LookAround) and isinstance(acquisition.improve, EI | LogEI | KG)):
            raise ValueError(
                "sf.Exhausted needs an acquisition that records whether an improvement is expected: the default, or "
                f"sf.acquisition.LookAround(improve=…) with EI, LogEI or KG; got {short(acquisition)}; use "
                "sf.NoImprovement(n) or sf.RegretBelow(tolerance)"
            )

    def __call__(self, optimizer: Optimizer) -> str | None:
        self.check(optimizer.settings)
        history, n = optimizer.history, self.explorations
        found = exhausted(history)
        if _chosen(history) < points_to_fit(history.settings.space):
            return None
        if found is None or found.in_vain < n or history.idle == 0:  # after an improvement the model is asked again
            return None
        expected = f"no improvement above {found.resolution:.2g} is expected"
        waited = "exploration" if n == 1 else f"{n} explorations"
        return f"{expected}, and the last {waited} found none" if n else f"{expected} since trial {found.since}"


@dataclass(frozen=True)
class Limit:
    """What the regret of a point can be at most, by a cautious model."""

    regret: float  # in the objective's units: the largest that was found, at most the tolerance
    trial: Trial  # the point
    noisy: bool  # it is the one with the best posterior mean, not the one with the best value
    proven: bool  # no point has a lead above the tolerance; else a search found none
    beta: float
    theoretical: bool  # no assumption behind β is known to be broken
    vague: float  # share of the space of which the model knows little


def regret_limit(history: History, beta: Beta, tolerance: float, seconds: float | None = None) -> Limit | None:
    """A limit of the regret of the recommended point that is not above the tolerance; None where there is none.

    seconds    for a proof that no lead is above the tolerance; None: none that a search finds is
    """
    settings, data, model = history.settings, history.observations(), history.settings.model
    if not np.ptp(data.y) > 0:  # equal values say nothing about how much others may differ
        return None
    space, rng = settings.space, Streams(settings.seed)("stop", len(data))
    plain, fitted = unwarped(model if isinstance(model, GP) else GP(), data, space)
    unit = fitted.outcome.scale * fitted.outcome.spread * fitted.outcome.unit
    posterior = fitted.posterior
    noisy = unit * _noise(posterior) > NOISE * tolerance
    step = Step(history.t, posterior.X[np.argsort(-posterior.z, kind="stable")])
    draws, enough = space.sample(SCREEN, rng), tolerance / unit

    # The fit is cheap, and most limits are too large for it alone; then the members; the result's own model is last.
    seen = step.design[posterior.mean(step.design).argmax() if noisy else 0]
    if _largest(Lead(posterior, beta(step, posterior), seen), draws) > enough:
        return None
    posteriors = (posterior, *drawn(plain, fitted, data, space, MEMBERS, rng))
    betas = [beta(step, each) for each in posteriors]
    if any(_largest(Lead(each, b, seen), draws) > enough for each, b in zip(posteriors, betas, strict=True)):
        return None
    trial = _recommended(history, noisy)
    found, search = 0.0, Exhaustive(draws=2000, near=500, starts=8)
    leads = [Lead(each, b, trial.unit) for each, b in zip(posteriors, betas, strict=True)]
    for alpha in leads:  # observed points are polished: within 1e-8 of the largest lead
        found = max(found, _largest(alpha, draws), search(alpha, space, step=step, rng=rng).value)
        if not found <= enough:
            return None
    if seconds is not None and not all(_proven(alpha, space, enough, seconds / len(leads)) for alpha in leads):
        return None
    return Limit(
        unit * found,
        trial,
        noisy,
        seconds is not None,
        max(betas),
        not any(beta.broken(each) for each in posteriors),
        float(np.mean(posterior.predict(draws)[1] > 0.5 * posterior.scale)),  # where more is left, little is known
    )


def _proven(alpha: Lead, space: SearchSpace, enough: float, seconds: float) -> bool:
    """Whether branch and bound shows that no lead is above `enough`; boxes that are SLACK below are not split."""
    return all(
        certify(side, space, value=value + (1.0 - SLACK) * enough, seconds=seconds / 2).upper <= value + enough
        for side, value in alpha.sides
    )


def _noise(posterior: Posterior) -> float:
    """The standard deviation of the noise in a usual value, model units."""
    return posterior.scale * math.sqrt(float(np.median(posterior.factor.tau)))


def _largest(alpha: Lead, X: Array) -> float:
    return float(alpha(X).max(initial=0.0))  # 0 is the lead of the point over itself


def _recommended(history: History, noisy: bool) -> Trial:
    """What a result names: without noise `x`, with noise `x_recommended`."""
    erroneous = history.best is not None and history.best.number in history.aside().tolist()
    found = recommend(history) if noisy or erroneous else None
    trial = history.best if found is None else found.trial
    if trial is None:
        raise ValueError("a bound on the regret needs a trial with a value: got none")
    return trial


@dataclass(frozen=True)
class RegretBelow:
    """Stop once the recommended point is, by a model, within a tolerance of the optimum.

    Use it if you know the acceptable regret, and an evaluation costs much more than the hundredths of a second that the
    rule takes. It is as reliable as its model; docs/howto/stopping.md reports how often it was wrong. It supports one
    objective without constraints.

    The point is `result.x`, or `result.x_recommended` if the noise is not small compared with the tolerance; the
    message names it. The rule fits its own model, without a warp, and the bound must hold for the most probable
    parameters and for four sets sampled from their posterior. The rule waits until the model of the run has chosen 2
    (parameters + 1) points, and each option of a choice was tried at least max(1, 2k − 1) times in a space with k
    numeric parameters.

    Parameters
    ----------
    tolerance : float
        The acceptable regret, in the objective's units.
    beta : Constant, SqrtLog, Theory, float or callable, default: Constant(3.0)
        The number of standard deviations by which a point may be better than predicted.
    certified : bool, default: False
        Whether the bound must be proven instead of estimated.
    seconds : float, default: 1.0
        Seconds for each proof.

    Notes
    -----
    The regret is at most the largest μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]) over all x and sets, r the point.
    """

    tolerance: float
    beta: Beta = Constant(3.0)  # chosen on runs with other seeds than those reported (measurements/stopping.md)
    certified: bool = False
    seconds: float = 1.0

    def __post_init__(self) -> None:
        try:
            as_beta(self.beta)
        except (TypeError, ValueError) as error:
            raise type(error)(f"RegretBelow: beta: {error}") from None
        if not 0 < as_real(self.tolerance, "RegretBelow: tolerance") < math.inf:
            raise ValueError(f"RegretBelow needs a tolerance > 0 in the objective's units: got {self.tolerance!r}")
        as_bool(self.certified, "RegretBelow: certified")
        if not 0 < as_real(self.seconds, "RegretBelow: seconds") < math.inf:
            raise ValueError(f"RegretBelow needs finite seconds > 0 for each proof: got {self.seconds!r}")

    def check(self, settings: Settings) -> None:
        """Raise ValueError for several objectives or constraints, which the rule does not support.

        Parameters
        ----------
        settings : Settings
            Of the study that the rule is to end.
        """
        why = "several objectives" if settings.several else "constraints" if settings.constraints else ""
        if why:
            raise ValueError(
                f"sf.RegretBelow supports one objective without constraints: this study has {why}; use "
                "sf.NoImprovement(n) or a custom rule"
            )

    def __call__(self, optimizer: Optimizer) -> str | None:
        return self.judge(optimizer.history)

    def judge(self, history: History) -> str | None:
        """Return the reason to stop after a history.

        Parameters
        ----------
        history : History
            The record of a run, as `result.history` has it.

        Returns
        -------
        str or None
            The reason as a sentence; None to continue.
        """
        self.check(history.settings)
        if _chosen(history) < points_to_fit(history.settings.space):
            return None
        left = unexplored(history)
        if not all(choice.related for choice in left):
            return None
        with one_thread(history.model_rows):
            seconds = self.seconds if self.certified else None
            limit = regret_limit(history, as_beta(self.beta), self.tolerance, seconds)
        return None if limit is None else self._message(limit, left)

    def _message(self, limit: Limit, left: tuple[Unexplored, ...]) -> str:
        """What is claimed, about which point, and what it rests on."""
        point = "result.x_recommended" if limit.noisy else "result.x"
        size = f"the tolerance {self.tolerance:g}" if limit.proven else f"{limit.regret:.3g} ≤ {self.tolerance:g}"
        grounds = [
            f"the regret of {point} is at most {size}, as long as no point is more than "
            f"{limit.beta:.3g} standard deviations better than a cautious model expects",
            "this is proven for that model" if limit.proven else "the bound was estimated, not proven",
            f"beta is {'theoretical' if limit.theoretical else 'not theoretical'}",
        ]
        if limit.vague >= 0.01:
            grounds.append(f"that model knows little about {limit.vague:.0%} of the space")
        grounds += [f"its predictions for {choice} are extrapolated from related options" for choice in left]
        return "; ".join(grounds)
