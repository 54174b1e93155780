"""The report that a model-based suggestion carries: how good it is, what was solved, how, and with what effort.

`Diagnostics` are the checks that a user asks for, `SolveReport` has what came of them and what is known without them.

It stores what rebuilds alpha_t, not the model, so that memory stays flat and a run can be examined later.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.accuracy.certificate import Certificate
from suffice.accuracy.estimate import (
    DELTA,
    Estimate,
    UpperKind,
    estimate,
    eta,
    is_best,
    is_proven,
    log_eta,
    relative_gap,
    with_proof,
)
from suffice.aliases import of_report
from suffice.checks import as_number, converted
from suffice.gp.ensemble import Chains
from suffice.gp.fit import Hyper
from suffice.gp.model import Fitted
from suffice.gp.transform import Outcome
from suffice.types import Domain, Score, Solution, Status

FINDING = "find a feasible point"  # the kind of a step while no feasible point is known
FORMER_EXPLORATION = "look elsewhere"  # the kind of a step of version 0.1.0 that explored
# The kinds of steps that expect no improvement of the best point, in words.
IN_WORDS = {"explore": "exploring", "refine": "refining the best point", FORMER_EXPLORATION: "exploring"}


def _fraction(given: object) -> float | None:
    return as_number(
        given,
        "Diagnostics: audit",
        "a fraction of the points, above 0 and at most 1, or None for no audit",
        lambda fraction: 0 < fraction <= 1,
        "; 0.1 audits every tenth",
    )


_more_than_zero = partial(as_number, allowed=lambda number: number > 0)
_proof_seconds = partial(
    _more_than_zero, what="Diagnostics: proof_seconds", wanted="seconds > 0 for each proof, or None for no proof"
)
_proof_fraction = partial(
    _more_than_zero,
    what="Diagnostics: proof_fraction",
    wanted="a fraction > 0 of the time of an evaluation, or None for no proof",
    hint="; 0.02 spends two percent of it",
)


@dataclass(frozen=True)
class Diagnostics:
    """Extra checks of how well the acquisition function was maximized, made after each point is chosen.

    They change no point, and are statements about the acquisition maximization, not about the objective. The accuracy
    numbers of each point are estimated without them, too.

    Parameters
    ----------
    proof_seconds : float or None, default: None
        Seconds to spend for each point on a proof of how high the acquisition function can be anywhere
        (`trial.solve.upper_certified`; not with Thompson and KG). In up to three dimensions a tenth of a second is
        mostly enough; the other accuracy numbers then rest on the proof. None makes no proof.
    proof_fraction : float or None, default: None
        The same, with the seconds as a fraction of the median time of an evaluation, where that is known: 0.02 spends
        two percent of it. The larger of the two counts.
    audit : float or None, default: None
        The fraction of the points, above 0 and at most 1, for which the acquisition function is maximized a second
        time, with far more effort, to see whether the first search missed something (`result.accuracy.audited`). It
        takes tens of milliseconds for each audited point (seconds with Thompson and KG). None makes no audit;
        sf.audit(result) makes one afterwards.

    Examples
    --------
    >>> import suffice as sf
    >>> checks = sf.solvers.Diagnostics(proof_seconds=0.1)
    >>> result = sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], n_trials=6, seed=0, diagnostics=checks)
    >>> result.trials[-1].solve.upper_certified is None
    False
    """

    proof_seconds: float | None = converted(_proof_seconds, None)
    proof_fraction: float | None = converted(_proof_fraction, None)
    audit: float | None = converted(_fraction, None)

    def seconds(self, evaluation_seconds: float | None) -> float:
        """How long a proof may take, where an evaluation takes so long; 0: none is wanted."""
        known = evaluation_seconds is not None and self.proof_fraction is not None
        affordable = self.proof_fraction * evaluation_seconds if known else 0.0  # type: ignore[operator]
        return max(self.proof_seconds or 0.0, affordable)

    def audits(self, t: int) -> bool:
        """Whether step t is audited: such steps are spread evenly, and depend on nothing else."""
        return self.audit is not None and math.floor(t * self.audit) > math.floor((t - 1) * self.audit)


@dataclass(frozen=True)
class Binding:
    """What rebuilds alpha_t: the step, the data known at the ask, and the hyper-parameters."""

    t: int
    n_told: int  # alpha_t knew the first n_told observations of the run, failures included
    n_refit: int  # of the values among them, how many the last fit knew
    pending: tuple[int, ...]  # and the numbers of these trials, asked and not yet observed
    hyper: Hyper
    outcome: Outcome
    constant: float  # the prior mean, model units
    n_cold: int = 0  # Fitted.n_cold, which the next fits depend on
    notes: tuple[str, ...] = ()  # Fitted.notes, which stay until the next fit
    others: "Mapping[str, Binding]" = field(default_factory=dict)  # of further outputs, by name
    n_seen: int | None = None  # values that the model knew of; None in files of earlier versions
    n_used: int | None = None  # of these, how many it was made of
    chains: Chains | None = None  # of the members of the model; None: it has one

    def of(self, name: str) -> "Binding":
        """What rebuilds the model of one output; that of the first objective has no name here."""
        return self.others.get(name, self)


@dataclass(frozen=True)
class SolveReport:
    """How one point was found, and how far its acquisition value may be from the largest: `trial.solve`.

    All numbers describe the maximization of the acquisition function α, which the model defines. None measures the
    distance to the optimum of the objective. α* is the largest value of α; "model units" are those of the transformed
    outputs, whose standard deviation is about 1. docs/ideas/accuracy.md explains how they are computed.

    Attributes
    ----------
    value : float
        α at the point, model units.
    upper : float or None
        Upper bound of α* with this `confidence`; None if the solver cannot provide one.
    upper_kind : {'multistart', 'enumerated', 'certified'} or None
        Origin of the bound.
    relative_gap : float or None
        (α* − value) / (α* − median), α* estimated and the median taken over uniform samples; from 0, a perfect
        search, to 1, no better than a random point.
    gap : float or None
        A bound on the missed acquisition value, at level `confidence`, in the objective's units: of the optimistic
        value (UCB, Thompson) or of the expected improvement (EI, LogEI); with several objectives, as a fraction of the
        hypervolume so far; None for other acquisition functions. It is not the regret of the run.
    eta : float or None
        The paper's ratio (value + C) / (α* + C), point estimate: 1 is a perfect search.
    eta_lower : float or None
        A lower bound of eta.
    rank : float or None
        With `confidence`, at most this fraction of the space has a larger α.
    n_evals : int
        Evaluations of α, never of the objective: one for a value, p + 1 for a gradient in p smooth columns and
        (p + 1)(p + 2)/2 for a Hessian, as by differences.
    n_grads : int
        Gradients among them, those with a Hessian included.
    status : Status
        How the search ended.
    seconds : dict
        By phase: fit, bind, solve, report, certify, audit; they add up to the ask.
    width : float or None
        w_t = 2 β_t σ_{t−1}(x_t), model units.
    inaccuracy : float or None
        ĝ_t, the estimate of α* − value, model units.
    median : float or None
        Of α over uniform samples, model units.
    eta_allowed : float or None
        The η that corresponds to the solver's target; the next step of inexact GP-TS requires it.
    eta_asked : float or None
        The η̃_t for which inexact GP-TS was widened; met if eta ≥ eta_asked.
    shift : float or None
        The constant C of the ratios η; None if α has none.
    beta : float or None
        β_t of α.
    kind : str or None
        The kind of the step, if the acquisition has several.
    confidence : float or None
        The confidence of `upper`, `gap`, `eta_lower`, else of `rank`; 1 is certain; None without a bound.
    upper_certified : float or None
        A proven bound of α*, which `upper` never exceeds; None if not requested.
    notes : tuple of str
        Notes about numerical problems and how they were handled.
    binding : Binding or None
        The data from which an audit rebuilds α.
    allowance : float or None
        The miss that the solver accepted, model units.
    mean : float or None
        The predicted mean at the point without pending points, model units.
    deviation : float or None
        The predicted standard deviation, including noise.
    attained : float or None
        α at the best point found, if that one was proposed before; else None.
    audited : float or None
        The largest α that a much longer search found; None without an audit.
    p_feasible : float or None
        The predicted probability that the point is feasible; None without constraints.
    reference : dict or None
        With several objectives, the reference point of the hypervolume that α improves, in their units and signs.
    violations : dict or None
        For each constrained output, its violation at the point, in its own units, if it is
        κ = max(1, beta) standard deviations worse than predicted; None: α has no beta.
    predicted : dict or None
        For each further output, by name, its `mean` and `deviation`; None without further outputs.
    pending_information : float or None
        The information expected from the pending points, in nats: C = 1/2 log det of their covariance in units of the
        noise, given the data; 0 without any; None where it is not known, as in older files. A confidence
        bound of the model with pending points is valid if its width is multiplied by exp(C).
    rescaled : dict or None
        By output, the factor in its standard deviation that corrects earlier predictions; None without one.
    expected_improvement : float or None
        The largest expected improvement of any point when this one was chosen, averaged over the models, in the
        objective's units; below the resolution the step explores or refines. None if the acquisition function is not an
        expected improvement, and in files of 0.1.0. An exploration after a refinement without success repeats the
        earlier value.
    """

    value: float
    upper: float | None
    upper_kind: UpperKind | None
    relative_gap: float | None
    gap: float | None
    eta: float | None
    eta_lower: float | None
    rank: float | None
    n_evals: int
    n_grads: int
    status: Status
    seconds: dict[str, float]
    width: float | None = None
    inaccuracy: float | None = None
    median: float | None = None
    eta_allowed: float | None = None
    eta_asked: float | None = None
    shift: float | None = None
    beta: float | None = None
    kind: str | None = None
    confidence: float | None = 1.0 - DELTA
    upper_certified: float | None = None
    notes: tuple[str, ...] = ()
    binding: Binding | None = field(default=None, repr=False)
    allowance: float | None = None
    mean: float | None = None
    deviation: float | None = None
    attained: float | None = None
    audited: float | None = None
    p_feasible: float | None = None
    reference: dict[str, float] | None = None
    violations: dict[str, float] | None = None
    predicted: dict[str, tuple[float, float]] | None = None
    pending_information: float | None = None
    rescaled: dict[str, float] | None = None
    expected_improvement: float | None = None

    def __repr__(self) -> str:
        """What a person looks at; every number is an attribute."""
        numbers = {"relative_gap": self.relative_gap, "eta": self.eta, "eta_lower": self.eta_lower, "gap": self.gap}
        words: dict[str, float | str | None] = {**numbers, "rank": self.rank, "upper_kind": self.upper_kind}
        words |= {"kind": self.kind, "expected_improvement": self.expected_improvement, "p_feasible": self.p_feasible}
        said = [f"{w}={v:.3g}" if isinstance(v, float) else f"{w}={v!r}" for w, v in words.items() if v is not None]
        said += [f"n_evals={self.n_evals}", f"seconds={math.fsum(self.seconds.values()):.3g}"]
        if self.n_seen is not None and self.n_used is not None and self.n_used < self.n_seen:
            said.append(f"used {self.n_used} of {self.n_seen} observations")
        return f"<SolveReport: {', '.join(said)}>"

    if not TYPE_CHECKING:  # a checker is to find them itself

        def __getattr__(self, name):
            """An error that names what a missing part is called here."""
            if hasattr(type(self), name):  # it is there, and lacks something itself: that is the error to show
                return object.__getattribute__(self, name)
            raise AttributeError(f"a solve report has no {name!r}: {of_report(name, self.__dataclass_fields__)}")

    @property
    def purpose(self) -> str:
        """The purpose of the step in words, with the expected improvement; "" without a kind."""
        said = IN_WORDS.get(self.kind or "", self.kind or "")
        if self.expected_improvement is None or self.kind not in IN_WORDS:
            return said
        return f"{said}: the expected improvement was only {self.expected_improvement:.2g}"

    @property
    def n_seen(self) -> int | None:
        """How many values of the objective were known when the point was chosen; None in files of earlier versions."""
        return None if self.binding is None else self.binding.n_seen

    @property
    def n_used(self) -> int | None:
        """How many of them the model used: all, up to `GP.max_points`, else the most relevant ones."""
        return None if self.binding is None else self.binding.n_used

    @property
    def taken(self) -> bool:
        """Whether the best point found was proposed before, so that this is the best new one."""
        return self.attained is not None

    def expected(self, name: str | None = None) -> tuple[float, float, Outcome] | None:
        """The predicted mean and standard deviation of an output, and its model units; None if unknown.

        Parameters
        ----------
        name : str or None, default: None
            The name of a further output; None takes the first objective.

        Returns
        -------
        tuple or None
            The two numbers in the units of the `Outcome`, and the `Outcome`.
        """
        first = self.mean, self.deviation
        mean, deviation = first if name is None else (self.predicted or {}).get(name, (None, None))
        if mean is None or deviation is None or self.binding is None:
            return None
        return mean, deviation, (self.binding if name is None else self.binding.of(name)).outcome

    @property
    def missed(self) -> float | None:
        """The expected miss of the search, model units."""
        if self.inaccuracy is None or self.attained is None:
            return self.inaccuracy
        return max(0.0, self.inaccuracy - (self.attained - self.value))


def make_binding(t: int, fits: Mapping[str, Fitted], n_told: int, pending: tuple[int, ...]) -> Binding:
    """The binding of a step whose models are `fits`, by output, the first objective first."""

    def bound(fitted: Fitted) -> Binding:
        constant, n_cold, notes = fitted.posterior.constant, fitted.n_cold, fitted.notes
        made = Binding(t, n_told, fitted.n_refit, pending, fitted.hyper, fitted.outcome, constant, n_cold, notes)
        chains = None if fitted.ensemble is None else fitted.ensemble.chains
        return replace(made, n_seen=fitted.n_seen, n_used=fitted.posterior.n, chains=chains)

    first, *others = fits
    return replace(bound(fits[first]), others={name: bound(fits[name]) for name in others})


def solve_report(
    alpha: Score,
    solution: Solution,
    domain: Domain,
    outcome: Outcome | None = None,
    *,
    binding: Binding | None = None,
    notes: tuple[str, ...] = (),
    proof: Certificate | None = None,
    **more: Any,
) -> SolveReport:
    """The report of a solve, the same for every solver; its `seconds` are for the caller to fill in.

    outcome    what the units of the model are; None: the acquisition is of a model of others
    more       further fields of the report
    """
    draws, value = solution.draws, solution.value
    # A draw on a finite set has no maximum outside it: only its rank is known.
    own_set = alpha.domain is not None
    facts = draws, solution.starts, solution.x, value, domain
    found = None if own_set else estimate(*facts, attained=solution.attained, logarithmic=alpha.logarithmic)
    found = found if proof is None else with_proof(found, proof)
    found = found if found is None or alpha.ceiling is None else found.below(alpha.ceiling)
    limit = None if found is None else found.upper
    widths = alpha.width(solution.x[None])
    median = None if draws is None else draws.median
    shift = alpha.shift(1 if draws is None else draws.n)
    share = _rank(solution, domain, own_set)
    return SolveReport(
        value=value,
        upper=limit,
        upper_kind=None if found is None else found.kind,
        relative_gap=None if found is None or median is None else relative_gap(value, found.best, median),
        gap=None if limit is None or outcome is None else _in_units(alpha, outcome, limit, value),
        eta=None if found is None else _eta(alpha, value, found.best, shift),
        eta_lower=None if limit is None else _eta(alpha, value, limit, shift),
        rank=share,
        n_evals=solution.n_evals,
        n_grads=solution.n_grads,
        status=solution.status,
        seconds={},
        width=None if widths is None else float(widths[0]),
        inaccuracy=None if found is None else found.gap(value),
        median=median,
        eta_allowed=None if found is None else _eta_allowed(alpha, found, solution.allowance, shift),
        eta_asked=alpha.eta_asked,
        shift=shift,
        beta=alpha.beta,
        kind=alpha.kind,
        confidence=_confidence(found, share),
        upper_certified=None if proof is None else proof.upper,
        notes=notes,
        binding=binding,
        allowance=solution.allowance,
        attained=solution.attained,
        **more,
    )


def _confidence(found: Estimate | None, share: float | None) -> float | None:
    """The confidence of the bounds of a report: 1 for a proof or an enumeration."""
    if found is not None and is_proven(found.kind):
        return 1.0
    limited = share is not None or (found is not None and found.upper is not None)
    return 1.0 - DELTA if limited else None


def _eta(alpha: Score, value: float, maximum: float, shift: float | None) -> float | None:
    if alpha.logarithmic:
        return log_eta(value, maximum)
    return None if shift is None else eta(value, maximum, shift)


def _eta_allowed(alpha: Score, found: Estimate, allowance: float | None, shift: float | None) -> float | None:
    return None if allowance is None else _eta(alpha, found.best - allowance, found.best, shift)


def _in_units(alpha: Score, outcome: Outcome, upper: float, value: float) -> float | None:
    """What upper − value comes to in the objective's units, by the monotone map back, h; None for other scores.

    A value that is held possible: |h(upper) − h(value)|, whatever the warp, since quantiles go along. An expected
    improvement: what raises the best point by as much, |h(b + upper − value) − h(b)|; exact where h is linear above b,
    as it is without a warp and with the logarithm of the shortfall, and else to first order.
    """
    with np.errstate(over="ignore"):
        rise = float(np.exp(upper) - np.exp(value)) if alpha.logarithmic else upper - value
    if alpha.logarithmic and not math.isfinite(rise):
        return None
    if alpha.unit is not None:
        return alpha.unit * abs(rise)
    if alpha.base is not None:
        ends = np.array([alpha.base + rise, alpha.base])
    elif alpha.beta is not None and not alpha.logarithmic and alpha.kind is None:
        ends = np.array([upper, value])
    else:
        return None
    with np.errstate(over="ignore"):
        high, low = outcome.inverse(ends)
    gap = abs(float(high) - float(low))
    return gap if math.isfinite(gap) else None


def _rank(solution: Solution, domain: Domain, own_set: bool) -> float | None:
    """From the draws alone: the point is at least as good as the best of them.

    The N points of a score's own set are draws from the space. The best of n draws from these N is in the top share q
    of the space unless they all miss the K ~ Bin(N, q) points there, with a probability of at most
    E exp(−nK/N) = (1 − q (1 − e^(−n/N)))^N; setting it to δ gives q.
    """
    draws = solution.draws
    if draws is None or not math.isfinite(solution.value) or not is_best(draws, solution.x, solution.value):
        return None
    if not draws.iid:
        exact = draws.n >= domain.size
        return (rank(int(domain.size), DELTA) if own_set else 0.0) if exact else None
    if own_set:
        return min(1.0, rank(int(domain.size), DELTA, draws.looks) / -math.expm1(-draws.n / domain.size))
    return rank(draws.n, DELTA, draws.looks)


def rank(n: int, delta: float = 0.1, looks: int = 1) -> float:
    """With confidence 1 − δ the best of n draws is in this top fraction of the sampling measure: 1 − (δ/looks)^(1/n).

    Valid for any alpha and any domain. `looks`: how often the question was asked before the answer was liked.
    """
    if not 0 < delta < 1 or looks < 1:
        raise ValueError(f"rank needs 0 < delta < 1 and looks >= 1, got delta={delta!r} and looks={looks!r}")
    return -math.expm1(math.log(delta / looks) / n) if n > 0 else 1.0
