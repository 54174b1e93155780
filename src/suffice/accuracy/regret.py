"""The bound of its regret that a run states about itself: Theorem 1 before its last relaxations, step by step.

g_t   float  α*_t − α_t(x_t), u_t a bound of α*_t   v_t, w_t   α_t(x_t) and its width 2 β_t σ_{t−1}(x_t), model units
R_T   float  cumulative regret over T model steps   h_t        the monotone map from model units to the objective's
B, m  float  bound of the norm of f − m under the unit-variance kernel, so |f − m| ≤ B, where B is known
s, τ  float  prior standard deviation, and noise variance / signal variance
c     a constrained output, larger is better, with the level l_c         x*   the best feasible point
κ     max(1, β_t): |f_c − μ_c| ≤ κ σ_c of every constrained output, as |f − μ| ≤ β_t σ of the objective
S_t   the points with μ_c + κ σ_c ≥ l_c for all c, which may be feasible

While |f − μ| ≤ βσ: f* ≤ α*_t ≤ u_t and f(x_t) ≥ μ − βσ = v_t − w_t, both also within m ± B. So the regret of step t is

    in model units           min(u_t, m + B) − max(v_t − w_t, m − B)         = g_t + w_t where B is not known
    in the objective's       h_t(the former) − h_t(the latter)               = the same times a factor, without a warp

and R_T is at most their sum. No step costs more than 2B, the distance of the largest from the smallest value that f can
have. The mean and the standard deviation of step t are those of the model that chose x_t. The paper's own forms,
Theorems 1 to 4, are in suffice.paper.theorems.

**Constrained outputs** (CONFIG, Xu et al. 2022). α_t is the confined score: inner = μ + β_t σ on S_t, and nowhere
above it. While all bands hold, x* is in every S_t, because l_c ≤ f_c(x*) ≤ μ_c(x*) + κ σ_c(x*). So

    f(x*) ≤ inner(x*) = α_t(x*) ≤ α*_t            f(x_t) ≥ inner(x_t) − w_t ≥ α_t(x_t) − w_t

and a step costs at most g_t + w_t against x*, wherever x_t is. Nothing of g_t enters the violations:

    l_c − f_c(x_t) ≤ l_c − μ_c(x_t) + κ σ_c(x_t),    at most 2 κ σ_c(x_t) where x_t is in S_t.

Each output has its band with probability 1 − δ, all of them together with 1 − (1 + number of constraints) δ.

**Several objectives.** The hypervolume regret Σ_t HV(Y*) − HV(Y_t) is Õ(√T) where every step draws a weight λ uniformly
from the directions of the positive orthant and maximizes the upper confidence bounds scalarised by it, min_j max(0,
y_j/λ_j)^m (Zhang and Golovin 2020, arXiv 2006.04655). `Hypervolume` improves the whole front at once. No such proof
is known for it, so there is no number: only the gaps that a proof would have to close.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from suffice.accuracy.estimate import is_proven
from suffice.accuracy.report import FINDING, Binding, SolveReport
from suffice.gp.kernels import Stationary
from suffice.gp.transform import FARTHEST
from suffice.types import Array

Numbers: TypeAlias = Sequence[float] | Array  # one for each step
Check: TypeAlias = tuple[str, tuple[str, ...]]  # an assumption, and how the premises break it

OBSERVED_RATE = "O(γ_T √T + Σ g_t)"  # with the inaccuracies of the searches as they were


@dataclass(frozen=True)
class Premises:
    """The facts about the model that a bound depends on; `beta_broken` are those about the β schedule."""

    kernel: Stationary
    tau: float  # the largest, where it differs between observations
    dimension: int
    scale: float = 1.0  # s
    B: float | None = None
    R: float | None = None
    delta: float = 0.1
    fitted: bool = False  # hyper-parameters or prior mean were estimated from the data
    warped: bool = False  # outputs were transformed by a warp chosen from the data
    beta_broken: tuple[str, ...] = ()
    ucb: bool = True  # steps that have a width maximized μ + βσ, which Theorem 1 is about
    failed: int = 0  # trials that count as the worst value seen
    left_out: int = 0  # observations that the model does not use
    objectives: int = 1
    limited: tuple[str, ...] = ()  # the names of constrained outputs
    feasible: int | None = None  # how many trials are feasible; None without constraints
    lacking: int = 0  # trials with values of some outputs and not of others

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise ValueError(f"delta is a probability strictly between 0 and 1, got {self.delta!r}; 0.1 is usual")

    @property
    def probability(self) -> float:
        """The probability that all outputs are within their bands, at least; each is with 1 − δ."""
        return max(0.0, 1.0 - self.delta * (self.objectives + len(self.limited)))


@dataclass(frozen=True, repr=False)
class Bound:
    """R_T ≤ value with the stated probability, if every assumption holds: print it for the full statement.

    The regret of a step is how much worse the objective is at its point than at the best point there is, and R_T is
    the sum over the points that the model proposed. As soon as `broken` has a sentence in it, the number is what the
    sum would be at most if the assumption held: a reference value, which the regret may exceed.

    Attributes
    ----------
    value : float or None
        The bound in the objective's units; None if a constant or a step is not known, which `broken` lists.
    rate : str
        How it grows with T, in the paper's notation.
    assumptions : tuple of str
        All assumptions of the bound.
    broken : tuple of str
        Those that are known to fail or not known to hold, as sentences.
    value_model : float or None
        The bound in model units, those of the transformed outputs.
    probability : float
        The probability with which the bound holds at least, if no assumption is broken.
    violations : dict or None
        What the violations of each constraint add up to at most over the same points, in its own units; None: there
        are no constraints, or a step lacks the information.
    about : str
        What is bounded.
    """

    value: float | None
    rate: str
    assumptions: tuple[str, ...]
    broken: tuple[str, ...]
    value_model: float | None = None
    probability: float = 0.9
    violations: dict[str, float] | None = None
    about: str = "the cumulative regret of the points that the model proposed"

    @property
    def statement(self) -> str:
        """The number and its units."""
        return f"R_T ≤ {self._amount}" if self._is_known else "no number"

    def __repr__(self) -> str:
        """The number, its units, and how much is broken."""
        fails = f"{len(self.broken)} of its assumptions fail" if self.broken else "no assumption is known to fail"
        return f"<Bound: {self.statement}; {fails}>"

    def __str__(self) -> str:
        """Sentences: what is bounded, by what, and what it rests on."""
        about, verb = self.about, "is" if not self.broken else "would be"
        if not self._is_known:
            if not self.broken:
                return f"There is no number for {about}; only its rate is known: {self.rate}."
            first = f"There is no bound on {about.rstrip(',')}. These premises are missing or fail:"
            return "\n".join([first, *(f"  - {sentence}" for sentence in self.broken)])
        number = f"{about[0].upper()}{about[1:]} {verb} at most {self._amount}{self._beyond}"
        if not self.broken:
            return f"{number}, with a probability of at least {self.probability:g}."
        first = (
            f"{number}, if all assumptions held. It is a reference value and not a bound, because these fail or are "
            "not known to hold:"
        )
        return "\n".join([first, *(f"  - {sentence}" for sentence in self.broken)])

    @property
    def _is_known(self) -> bool:
        return self.value is not None or self.value_model is not None

    @property
    def _amount(self) -> str:
        if self.value is not None:
            return f"{self.value:.4g} in the objective's units"
        return f"{self.value_model:.4g} in model units"

    @property
    def _beyond(self) -> str:
        """What the violations come to, as the rest of a sentence; "" without limits."""
        if not self.violations:
            return ""
        verb = "add" if not self.broken else "would add"
        return f", and the violations {verb} up to at most " + " and ".join(
            f"{most:.4g} in {name}" for name, most in self.violations.items()
        )

    def of(self, about: str) -> "Bound":
        """The same bound about another quantity."""
        return replace(self, about=about)

    def in_units(self, factor: float | None) -> "Bound":
        """The bound with `value` in the objective's units, `factor` of which are one model unit; None without one."""
        if self.value_model is None:
            return replace(self, value=None)
        if factor is not None:
            return replace(self, value=factor * self.value_model)
        unknown = (
            "the map from the objective's values to the model's changed from step to step, or is a warp: the number is "
            "in model units, and no single factor converts it"
        )
        return replace(self, value=None, broken=(*self.broken, unknown))


def theorem1_observed(premises: Premises, *, inaccuracies: Numbers, betas: Numbers, deviations: Numbers) -> Bound:
    """Inexact GP-UCB before the last relaxations: R_T ≤ Σ min(g_t + 2 β_t σ_{t−1}(x_t), 2B). Every term is observed."""
    g, beta, sigma = columns(inaccuracies=inaccuracies, betas=betas, deviations=deviations)
    most = math.inf if premises.B is None else 2 * premises.B
    value = float(np.minimum(g + 2 * beta * sigma, most).sum())
    checks = (*model_checks(premises), ("no gap α* − α(x_t) is larger than stated", ()))
    return make_bound(value, OBSERVED_RATE, checks, premises)


def model_checks(premises: Premises) -> tuple[Check, ...]:
    """What |f − μ| ≤ β_t σ at all x and t rests on."""
    failed, left_out = premises.failed, premises.left_out
    fitted = "the hyper-parameters were fitted to the same data: the model may be overconfident"
    warped = "the outputs are warped by a map fitted to the data: a norm B would be that of the warped objective"
    return (
        (
            "f − m has a norm of at most B under the kernel",
            said_if(premises.B is None, "B is not known: the objective may vary arbitrarily between the data"),
        ),
        (
            "the noise is conditionally R-sub-Gaussian",
            said_if(premises.R is None, "R is not known: a measured value may be off by any amount"),
        ),
        ("kernel, noise and prior mean were fixed before the data", said_if(premises.fitted, fitted)),
        ("outputs enter the model as they are, up to a fixed scale", said_if(premises.warped, warped)),
        ("|f − μ| ≤ β_t σ at all x and t, with the stated probability", premises.beta_broken),
        (
            "the model uses all measured values, and no others",
            (
                *said_if(
                    failed > 0, f"{failed} failed {_trials(failed)} as the worst observed value, which was not measured"
                ),
                *said_if(left_out > 0, f"the model leaves out {left_out} of the observations (max_points, errors)"),
            ),
        ),
    )


def _trials(count: int) -> str:
    return "trial counts" if count == 1 else "trials count"


def said_if(condition: bool, sentence: str) -> tuple[str, ...]:
    """The sentence, where it is true."""
    return (sentence,) if condition else ()


def make_bound(value: float | None, rate: str, checks: Sequence[Check], premises: Premises) -> Bound:
    """A bound with the assumptions of its checks; where outputs enter the model as they are, its units are theirs."""
    broken = tuple(sentence for _, sentences in checks for sentence in sentences)
    return Bound(value, rate, tuple(text for text, _ in checks), broken, value, premises.probability)


def at_most(value: float | None, premises: Premises, steps: int) -> float | None:
    """No more than 2BT, which every run keeps."""
    return value if value is None or premises.B is None else min(value, 2 * premises.B * steps)


def columns(**sequences: Numbers) -> tuple[Array, ...]:
    """One number for each step, as arrays of one length."""
    arrays = tuple(np.asarray(values, dtype=float) for values in sequences.values())
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(sequences, arrays, strict=True))
        raise ValueError(f"a bound needs one number for each step in every sequence, got shapes {shapes}")
    return arrays


def observed_bound(premises: Premises, reports: Sequence[SolveReport]) -> Bound:
    """R_T ≤ Σ of what each step can have cost; without a number as soon as one step has no limit or no width."""
    checks = (
        *model_checks(premises),
        *run_checks(premises, reports),
        *limited_checks(premises, reports),
        *limit_checks(premises, reports),
    )
    bound = make_bound(None, OBSERVED_RATE, checks, premises)
    if premises.limited:
        about = f"{bound.about}, against the best feasible point,"
        bound = replace(bound, violations=violations(premises, reports), about=about)
    costs = [_cost(report, premises.B) for report in reports]
    known = [cost for cost in costs if cost is not None]
    if not premises.ucb or len(known) < len(costs):
        return bound
    own, model = (math.fsum(cost[i] for cost in known) for i in (0, 1))
    if not math.isfinite(own):
        beyond = "the warp maps the bounds to values beyond float64: the bound is known in model units only"
        return replace(bound, value_model=model, broken=(*bound.broken, beyond))
    return replace(bound, value=own, value_model=model)


@dataclass(frozen=True)
class Limit:
    """An upper limit of α*, model units."""

    upper: float
    proven: bool


def limit(report: SolveReport) -> Limit | None:
    """The limit of α* that counts: a proven one unless it makes the step much dearer; None if there is none."""
    stated, certified = (
        None if upper is None or not math.isfinite(upper) else max(upper, report.value)
        for upper in (report.upper, report.upper_certified)
    )
    least = report.value - (report.width or 0.0)
    # a proof is worth a tenth more than the estimated limit
    if certified is not None and (stated is None or certified - least <= 1.1 * (stated - least)):
        return Limit(certified, True)
    return None if stated is None else Limit(stated, is_proven(report.upper_kind))


def factor(reports: Sequence[SolveReport]) -> float | None:
    """How many of the objective's units one model unit is; None if that differs between steps, or is no factor."""
    maps = {report.binding.outcome for report in reports if report.binding is not None}
    scales = {outcome.scale * outcome.spread * outcome.unit for outcome in maps}
    return scales.pop() if len(scales) == 1 and all(outcome.lam == 1.0 for outcome in maps) else None


def run_checks(premises: Premises, reports: Sequence[SolveReport]) -> tuple[Check, ...]:
    """What no theorem covers: pending points, clipped values, a model that changed."""
    T, known = len(reports), _bindings(reports)
    pending = sum(len(binding.pending) > 0 for binding in known)
    cut = sum(any(one.outcome.floor > -FARTHEST for one in _all(binding)) for binding in known)
    models = len({tuple((one.hyper, one.outcome, one.constant) for one in _all(binding)) for binding in known})
    changed = premises.fitted and models > 1  # what is fixed may still differ in the last digit
    guessed = (
        f"{pending} of {T} steps assumed the predicted values at pending points: the model's standard deviations are "
        "too small there"
    )
    cut_off = f"in {cut} of {T} steps values far worse than all others were clipped: points there cost more"
    several = f"the run refitted its model and had {models} of them: the theorem assumes one model for all steps"
    return (
        ("every value enters the model as it was measured", said_if(cut > 0, cut_off)),
        ("every step uses the values of all steps before it", said_if(pending > 0, guessed)),
        ("kernel, noise, prior mean and scale are the same at all steps", said_if(changed, several)),
    )


def limit_checks(premises: Premises, reports: Sequence[SolveReport]) -> tuple[Check, ...]:
    """What the gaps α* − α(x_t) rest on."""
    T = len(reports)
    finding = sum(report.kind == FINDING for report in reports)  # those are said by themselves
    others = sum(report.width is None for report in reports) - finding if premises.ucb else T
    limits = [limit(report) for report in reports]
    unknown = sum(one is None for one in limits)
    unproven = [
        report.confidence or 0.0
        for report, one in zip(reports, limits, strict=True)
        if one is not None and not one.proven
    ]
    chance = (
        f"in {len(unproven)} of {T} steps the upper bound of α* is not proven: each holds with confidence "
        f"{min(unproven, default=1.0):g}, but not all at once"
    )
    return (
        (
            "x_t was chosen to maximize μ + β_t σ",
            said_if(others > 0, f"Theorem 1 is about UCB; {others} of {T} steps used another acquisition"),
        ),
        (
            "no gap α* − α(x_t) is larger than stated",
            (
                *said_if(unknown > 0, f"{unknown} of {T} steps have no upper bound of α*, so their gaps are unknown"),
                *said_if(len(unproven) > 0, chance),
            ),
        ),
    )


def _bindings(reports: Sequence[SolveReport]) -> list[Binding]:
    return [report.binding for report in reports if report.binding is not None]


def _all(binding: Binding) -> tuple[Binding, ...]:
    """That of the first objective, and those of further outputs."""
    return (binding, *binding.others.values())


def _cost(report: SolveReport, B: float | None) -> tuple[float, float] | None:
    """The most that a step can have cost, in the objective's units and in model units; None if unknown."""
    binding, upper = report.binding, limit(report)
    if binding is None or upper is None or report.width is None:
        return None
    most = math.inf if B is None else B
    high = min(upper.upper, binding.constant + most)
    low = min(high, max(report.value - report.width, binding.constant - most))
    with np.errstate(over="ignore", invalid="ignore"):
        ends = binding.outcome.inverse(np.array([high, low]))
        return float(ends[0] - ends[1]), high - low


def violations(premises: Premises, reports: Sequence[SolveReport]) -> dict[str, float] | None:
    """What the violations of each constraint add up to at most, in its own units; None if a step lacks it."""
    if not premises.limited or any(report.violations is None for report in reports):
        return None
    known = [report.violations or {} for report in reports]
    return {name: math.fsum(each.get(name, math.inf) for each in known) for name in premises.limited}


def limited_checks(premises: Premises, reports: Sequence[SolveReport]) -> tuple[Check, ...]:
    """What the bound rests on besides, if there are constraints."""
    if not premises.limited:
        return ()
    T, lacking = len(reports), premises.lacking
    finding = sum(report.kind == FINDING for report in reports)
    weighing = sum(report.violations is None for report in reports) - finding
    unknown = "no evaluated point is feasible: whether there is one is not known"
    sought = f"{finding} of {T} steps searched for a first feasible point and ignored the objective"
    weighed = (
        f"{weighing} of {T} steps weighted points by their probability of being feasible: nothing bounds their "
        "violations"
    )
    missing = (
        f"{lacking} {'trial lacks' if lacking == 1 else 'trials lack'} an output: κ is derived from the "
        "observations of the objective, and may be too small for an output observed at other points"
    )
    return (
        ("some point is feasible", said_if(premises.feasible == 0, unknown)),
        ("B and R hold for the constrained outputs as well", ()),
        ("every trial with a value has all outputs", said_if(lacking > 0, missing)),
        (
            "every step searched for the best point among those that may be feasible",
            (*said_if(finding > 0, sought), *said_if(weighing > 0, weighed)),
        ),
    )


def front_bound(premises: Premises, reports: Sequence[SolveReport]) -> Bound:
    """No number, and the assumptions that keep it from having one."""
    moved = len({tuple((report.reference or {}).items()) for report in reports}) > 1
    whole = (
        "every step improves the hypervolume of the whole front; a proof exists for steps that each improve one "
        "compromise, with random weights (Zhang and Golovin 2020)"
    )
    found = "the hypervolume is that of the predictions at the points found so far, not of their true values"
    chosen = "the reference point was chosen from the data at every step; reference={...} fixes it"
    checks = (
        *model_checks(premises),
        *run_checks(premises, reports),
        ("x_t maximizes a scalarisation of the upper confidence bounds with random weights", (whole,)),
        ("the hypervolume is that of true values", (found,)),
        ("the reference point is the same at all steps", said_if(moved, chosen)),
    )
    rate = "Õ(√T), by the scalarisations of Zhang and Golovin (2020)"
    return make_bound(None, rate, checks, premises).of("the hypervolume regret of the points that the model proposed")
