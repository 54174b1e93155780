"""The bound of its regret that a run states about itself: Theorem 1 before its last relaxations, step by step.

u_t   float  limit of α*_t, model units             v_t, w_t   α_t(x_t) and its width 2 β_t σ_{t−1}(x_t), model units
B, m  float  |f − m| ≤ B, where B is known          h_t        the monotone map from model units to the objective's

While |f − μ| ≤ βσ: f* ≤ α*_t ≤ u_t and f(x_t) ≥ μ − βσ = v_t − w_t, both also within m ± B. So the regret of step t is

    in model units           min(u_t, m + B) − max(v_t − w_t, m − B)         = g_t + w_t where B is not known
    in the objective's       h_t(the former) − h_t(the latter)               = the same times a factor, without a warp

and R_T is at most their sum. The mean and the deviation of step t are those of the model that chose x_t. Where other
outputs have limits, α is confined to what they allow, and f* is the best value there (limited.py).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.accuracy.bounds import OBSERVED_RATE, WITHIN, Bound, Check, Premises, make_bound, model_checks, said_if
from suffice.accuracy.limited import limited_checks, violations
from suffice.accuracy.report import FINDING, Binding, SolveReport
from suffice.gp.outcome import FARTHEST

PROVEN = ("enumerated", "certified")  # kinds of limits that hold for certain
DEARER = 1.1  # times the cost of a step with the estimated limit: what a proof is worth


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
        bound = replace(bound, violations=violations(premises, reports)).of(WITHIN)
    costs = [_cost(report, premises.B) for report in reports]
    known = [cost for cost in costs if cost is not None]
    if not premises.ucb or len(known) < len(costs):
        return bound
    own, model = (math.fsum(cost[i] for cost in known) for i in (0, 1))
    if not math.isfinite(own):
        beyond = "the warp turns the limits into values too large for a number: the bound is known in model units only"
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
    if certified is not None and (stated is None or certified - least <= DEARER * (stated - least)):
        return Limit(certified, True)
    return None if stated is None else Limit(stated, report.upper_kind in PROVEN)


def factor(reports: Sequence[SolveReport]) -> float | None:
    """How many of the objective's units one model unit is; None if that differs between steps, or is no factor."""
    maps = {report.binding.outcome for report in reports if report.binding is not None}
    scales = {outcome.scale * outcome.spread * outcome.unit for outcome in maps}
    return scales.pop() if len(scales) == 1 and all(outcome.lam == 1.0 for outcome in maps) else None


def run_checks(premises: Premises, reports: Sequence[SolveReport]) -> tuple[Check, ...]:
    """What happened in a run that no theorem knows: points under way, values cut off, a model that changed."""
    T, known = len(reports), _bindings(reports)
    pending = sum(len(binding.pending) > 0 for binding in known)
    cut = sum(any(one.outcome.floor > -FARTHEST for one in _all(binding)) for binding in known)
    models = len({tuple((one.hyper, one.outcome, one.constant) for one in _all(binding)) for binding in known})
    changed = premises.fitted and models > 1  # what is fixed may still differ in the last digit
    under_way = (
        f"{pending} of {T} steps took points under way for measured, at the value that the model predicts: it is less "
        "certain there than it says"
    )
    cut_off = f"in {cut} of {T} steps values far worse than all others count as just bad: points there cost more"
    several = f"the run had {models} different models, one fit after the other: the theorem is about one for all steps"
    return (
        ("every value that the model knows was measured, and enters as it is", said_if(cut > 0, cut_off)),
        ("every step knows the values of the steps before it", said_if(pending > 0, under_way)),
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
        f"in {len(unproven)} of {T} steps the limit of α* is not proven: it holds with confidence "
        f"{min(unproven, default=1.0):g}, each by itself, not all at once"
    )
    return (
        (
            "x_t was sought as a maximum of μ + β_t σ",
            said_if(others > 0, f"Theorem 1 is about UCB; {others} of {T} steps used another acquisition"),
        ),
        (
            "no gap α* − α(x_t) is larger than stated",
            (
                *said_if(unknown > 0, f"{unknown} of {T} steps have no limit of α*, so that what they left is unknown"),
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
    """The most that a step can have cost, in the objective's units and in model units; None if it does not tell."""
    binding, upper = report.binding, limit(report)
    if binding is None or upper is None or report.width is None:
        return None
    most = math.inf if B is None else B
    high = min(upper.upper, binding.constant + most)
    low = min(high, max(report.value - report.width, binding.constant - most))
    with np.errstate(over="ignore", invalid="ignore"):
        ends = binding.outcome.inverse(np.array([high, low]))
        return float(ends[0] - ends[1]), high - low
