"""The report that a model-based suggestion carries: how good it is, what was solved, how, and with what effort.

It stores what rebuilds alpha_t, not the model, so that memory stays flat and a run can be examined later.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from suffice.accuracy.certificate import certify
from suffice.accuracy.estimate import DELTA, Estimate, UpperKind, estimate, is_best
from suffice.accuracy.eta import eta, log_eta, relative_gap
from suffice.accuracy.tail import rank
from suffice.gp.fit import Hyper
from suffice.gp.model import Fitted
from suffice.gp.outcome import Outcome
from suffice.types import Domain, Score, Solution, Status


@dataclass(frozen=True)
class Binding:
    """What rebuilds alpha_t: the step, the data known at the ask, and the hyper-parameters."""

    t: int
    n_told: int  # alpha_t knew the first n_told tellings of the run, failures included
    n_refit: int  # of the values among them, how many the last fit knew
    pending: tuple[int, ...]  # and the numbers of these trials, asked and not yet told
    hyper: Hyper
    outcome: Outcome
    constant: float  # the prior mean, model units
    n_cold: int = 0  # Fitted.n_cold, which the next fits depend on


@dataclass(frozen=True)
class SolveReport:
    """How one point was found, and how far its score may be from the best score: `trial.solve`.

    Every number below is about the search for the point, that is about the acquisition function alpha, which the model
    defines. None says how far the point, or the run, is from the optimum of the objective. α* is the largest value of
    alpha; "model units" are those of the transformed outputs, whose deviation is about 1.
    """

    value: float  # alpha at the point, model units
    upper: float | None  # upper limit of α* at level `confidence`; None: the solver's draws determine none
    upper_kind: UpperKind | None  # where it comes from: "tail" | "multistart" | "enumerated"
    relative_gap: float | None  # (α* − value) / (α* − median over uniform draws), α* estimated; in [0, 1]
    gap: float | None  # |h(upper) − h(value)|: what the search may have missed of alpha, put into the objective's
    # units by h; not the regret of the run. None for scores that are no values of the objective
    eta: float | None  # the paper's ratio (value + C) / (α* + C), point estimate: 1 is a perfect search
    eta_lower: float | None  # and its lower limit
    rank: float | None  # with `confidence` at most this share of the space has a larger alpha
    n_evals: int  # of alpha, never of the objective: value rows + (smooth columns + 1) * gradient rows
    n_grads: int  # gradient rows among them
    status: Status
    seconds: dict[str, float]  # by phase: fit, bind, solve, report, certify; they add up to the ask
    width: float | None = None  # w_t = 2 β_t σ_{t−1}(x_t), model units
    inaccuracy: float | None = None  # ĝ_t, the estimate of α* − value, model units
    median: float | None = None  # of alpha over uniform draws, model units
    eta_allowed: float | None = None  # the η that the solver's aim comes to; the next step of inexact GP-TS asks for it
    eta_asked: float | None = None  # η̃_t that inexact GP-TS was widened for; met if eta ≥ eta_asked
    shift: float | None = None  # C of the ratios η; None: the score has none
    beta: float | None = None  # β_t of the score
    kind: str | None = None  # what the step was for, where a run has several kinds of steps
    confidence: float = 1.0 - DELTA  # of `upper`, `eta_lower` and `rank`, each by itself
    upper_certified: float | None = None  # an upper limit of α* that is proven; None if not asked for
    notes: tuple[str, ...] = ()  # what was done about numerical trouble
    binding: Binding | None = field(default=None, repr=False)


def make_binding(t: int, fitted: Fitted, n_told: int, pending: tuple[int, ...]) -> Binding:
    """The binding of a step whose model is `fitted`."""
    constant = fitted.posterior.constant
    return Binding(t, n_told, fitted.n_refit, pending, fitted.hyper, fitted.outcome, constant, fitted.n_cold)


def solve_report(
    alpha: Score,
    solution: Solution,
    domain: Domain,
    outcome: Outcome,
    *,
    binding: Binding,
    notes: tuple[str, ...] = (),
) -> SolveReport:
    """The report of a solve, the same for every solver; its `seconds` are for the caller to fill in."""
    draws, value = solution.draws, solution.value
    # A draw on a finite set has no maximum outside it: only its rank is known.
    own_set = alpha.domain is not None
    found = None if own_set else estimate(draws, solution.starts, solution.x, value, domain)
    widths = alpha.width(solution.x[None])
    width = None if widths is None else float(widths[0])
    median = None if draws is None else draws.median
    shift = alpha.shift(1 if draws is None else draws.n)
    return SolveReport(
        value=value,
        upper=None if found is None else found.upper,
        upper_kind=None if found is None else found.kind,
        relative_gap=None if found is None or median is None else relative_gap(value, found.best, median),
        gap=None if found is None or width is None else _in_units(outcome, found.upper, value),
        eta=None if found is None else _eta(alpha, value, found.best, shift),
        eta_lower=None if found is None else _eta(alpha, value, found.upper, shift),
        rank=_rank(solution, domain, own_set),
        n_evals=solution.n_evals,
        n_grads=solution.n_grads,
        status=solution.status,
        seconds={},
        width=width,
        inaccuracy=None if found is None else found.gap(value),
        median=median,
        eta_allowed=None if found is None else _eta_allowed(alpha, found, solution.allowance, shift),
        eta_asked=alpha.eta_asked,
        shift=shift,
        beta=alpha.beta,
        kind=alpha.kind,
        notes=notes,
        binding=binding,
    )


def _eta(alpha: Score, value: float, maximum: float, shift: float | None) -> float | None:
    if alpha.logarithmic:
        return log_eta(value, maximum)
    return None if shift is None else eta(value, maximum, shift)


def _eta_allowed(alpha: Score, found: Estimate, allowance: float | None, shift: float | None) -> float | None:
    return None if allowance is None else _eta(alpha, found.best - allowance, found.best, shift)


def _in_units(outcome: Outcome, upper: float, value: float) -> float:
    """|h(upper) − h(value)|, h the monotone map back to the objective's units."""
    ends = outcome.inverse(np.array([upper, value]))
    return abs(float(ends[0]) - float(ends[1]))


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


def certified(report: SolveReport, alpha: Score, domain: Domain, seconds: float) -> SolveReport:
    """The report with a proven limit of α, worked on for so many seconds; unchanged if the score offers no bound."""
    if not alpha.bounded:
        return report
    return replace(report, upper_certified=certify(alpha, domain, value=report.value, seconds=seconds).upper)
