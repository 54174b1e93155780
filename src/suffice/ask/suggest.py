"""The ask, as a function: from what is known to the next point and a report of how it was found.

Algorithms 1 and 2 of the paper, with an inexact maximizer, are the four lines of `_chosen` that are marked. Everything
that asks uses the same two functions: the optimizer, and the audit, which freezes alpha_t again and solves it better.

A study begins without a model (`suffice.ask.design`); after that the model chooses.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.accuracy.certificate import Certificate, certify
from suffice.accuracy.report import FINDING, SolveReport, make_binding, solve_report
from suffice.acquisition.constraints import among_feasible, p_feasible, to_find_feasible, worst
from suffice.acquisition.exploration import LookAround
from suffice.acquisition.wrappers import LogWeighted, where_it_tells
from suffice.ask.design import (
    Candidate,
    as_proposed,
    check_not_exhausted,
    design_point,
    given_point,
    new_point,
    wants_design,
)
from suffice.ask.models import (
    HOPEFUL,
    SAFE,
    WARY,
    Fits,
    Modelled,
    beliefs_of,
    best_first,
    fit_outputs,
    outlier_notes,
    where_it_succeeds,
)
from suffice.ask.polish import polish_point
from suffice.belief import Beliefs
from suffice.checks import NOTHING, short
from suffice.gp.model import FIT_POINTS
from suffice.gp.transform import Outcome
from suffice.record.history import History, rows
from suffice.record.settings import Settings, at_hand
from suffice.record.trial import Origin
from suffice.solvers import Exhaustive
from suffice.solvers.record import late
from suffice.space import SearchSpace, Slice, is_constrained, is_unknown, sliced
from suffice.streams import Streams
from suffice.types import Array, BatchSolver, Domain, Purpose, Score, Solution, Solver, Step, as_score


@dataclass(frozen=True, eq=False)
class Suggestion:
    """The next point of a study, in the user's units."""

    point: Any
    origin: Origin
    unit: Array | None = None  # its place in the cube, (d,), where it is known already
    report: SolveReport | None = None  # None for points that no model proposed
    fitted: Fits | None = None  # the models behind it, by output, from which the next fits start


@dataclass(frozen=True)
class Frozen:
    """alpha_t, where it is to be maximized, and what a solver may know besides."""

    alpha: Score
    domain: Domain
    step: Step
    beliefs: Beliefs
    base: float | None  # what alpha is an expected excess over, weighted by probabilities; None: it is none

    def expected(self, x: Array, value: float) -> float | None:
        """The expected improvement in model units at x, (d,), where alpha has a value; None where alpha is none."""
        if self.base is None:
            return None
        if isinstance(self.alpha, LogWeighted):
            value += self.alpha.discounted(x, HOPEFUL)
        return math.exp(min(value, 700.0)) if self.alpha.logarithmic else value  # the exponential of more is no float

    def purpose(self, acquisition: Any, expected: float | None) -> Purpose:
        """What the step is for, once it is known how much improvement is expected."""
        if not isinstance(acquisition, LookAround) or self.alpha.kind == FINDING:
            return "improve"
        if np.ptp(self.beliefs.objective.z) == 0.0:
            return "explore"  # of equal values none is the best, which could be improved
        return acquisition.purpose(expected, self.step)


class Batch:
    """What the points of one ask have in common: nothing is observed in between, so each continues from the last."""

    def __init__(self, solver: Any, size: int = 1) -> None:
        self.solver = solver.for_batch(size) if isinstance(solver, BatchSolver) else solver
        self.fits: Fits | None = None  # of the first point; None before it
        self.frozen: Frozen | None = None  # of the last point
        self.notes: tuple[str, ...] = ()


def suggest(
    settings: Settings,
    history: History,
    previous: Fits | None = None,
    *,
    deadline: float | None = None,
    fixed: Mapping[str, Any] | None = None,
    batch: Batch | None = None,
    polish: bool = False,
) -> Suggestion:
    """The next point: one that was given, one of the initial design, or the best by the model.

    previous    the models of an earlier suggestion of this study, which the new ones extend
    deadline    `time.monotonic()` at which the best point so far is wanted; None: no hurry
    fixed       values, by name, that the point has to have; None: none
    batch       what the points before it in the same ask found; None: there is no other one
    polish      whether to refine the best point by a local search, if there are enough values
    """
    batch = Batch(settings.solver) if batch is None else batch
    laps, space = Laps(), sliced(settings.space, fixed)
    given = given_point(settings, history, space)
    if given is not None:
        return Suggestion(given, "given", fitted=previous)
    if is_unknown(space):  # the objective has not asked for any parameter yet
        return Suggestion({}, "design", np.empty(0), fitted=previous)
    check_not_exhausted(settings, history, space)
    if wants_design(settings, history):
        design = design_point(settings, history, space)
        return Suggestion(design.point, "design", design.unit, fitted=previous)
    x = polish_point(history, None if previous is None else previous[settings.objective]) if polish else None
    if x is not None:
        found = Candidate.of(x, space)
        return Suggestion(found.point, "polish", found.unit, fitted=previous)
    return _chosen(settings, history, space, previous, deadline, laps, batch)


def _chosen(
    settings: Settings,
    history: History,
    space: SearchSpace,
    previous: Fits | None,
    deadline: float | None,
    laps: "Laps",
    batch: Batch,
) -> Suggestion:
    """Model-based: fit, freeze alpha_t, solve it, say how well (paper, Alg. 1 and 2)."""
    number = len(history.trials)
    solver = at_hand("solver", batch.solver)
    if batch.fits is None:
        batch.fits = fit_outputs(settings, history, previous, hurry=_hurry(history, previous, deadline))  # μ, σ
        batch.notes = _notes(history, batch.fits)
    fits = batch.fits
    laps.end("fit")
    known: Any = {"number": number, "deadline": deadline, "space": space}
    last = _last_if_explores(settings, history, space)
    frozen = freeze(
        settings, history, fits, since=batch.frozen, purpose="explore" if last else "improve", **known
    )  # α_t
    laps.end("bind")
    rng = Streams(settings.seed)("solver", number)
    solution = _answer(solver(frozen.alpha, frozen.domain, step=frozen.step, rng=rng), settings)  # x_t ≈ argmax α_t
    if last:
        purpose, improvement = frozen.step.purpose, last.expected_improvement
    else:
        expected = frozen.expected(solution.x, solution.value)
        purpose = frozen.purpose(settings.acquisition, expected)
        improvement = _in_objective_units(expected, frozen.base, fits[settings.objective].outcome)
    if frozen.step.purpose != purpose and (purpose == "explore" or history.failed):  # another α_t
        frozen = freeze(settings, history, fits, since=frozen, purpose=purpose, **known)
        solution = _answer(solver(frozen.alpha, frozen.domain, step=frozen.step, rng=rng), settings)
    batch.frozen = frozen
    new = new_point(settings, history, solution.x, frozen.alpha, frozen.domain, space=space)
    chosen = as_proposed(new, space, frozen.domain)
    if chosen.x is not solution.x:
        attained = None if new.x is solution.x else solution.value
        solution = replace(solution, x=chosen.x, value=float(frozen.alpha(chosen.x[None])[0]), attained=attained)
    laps.end("solve")
    proof = _proof(settings, history, frozen, solution.value if solution.attained is None else solution.attained)
    if proof is not None:
        laps.end("certify")
    audited = None
    if settings.diagnostics.audits(frozen.step.t) and not late(deadline):
        again = solved_again(frozen, solution.x, Exhaustive(), Streams(settings.seed)("audit", number))
        audited = max(solution.value, again.value)
        laps.end("audit")
    report = _report(settings, history, frozen, fits, solution, proof, batch.notes, audited)  # η_t
    laps.end("report")
    kind = report.kind if purpose == "improve" else purpose
    report = replace(report, kind=kind, expected_improvement=improvement, seconds=laps.seconds)
    return Suggestion(chosen.point, "model", chosen.unit, report, fits)


def _last_if_explores(settings: Settings, history: History, space: SearchSpace) -> SolveReport | None:
    """The report of the last step, if it expected so little that this one explores without asking again.

    It refined the best point, its value is known and brought nothing. So what may be gained need not be searched for
    once more, which would take as long as the exploration.
    """
    last, acquisition = history.last, settings.acquisition
    if not isinstance(acquisition, LookAround) or last is None or last.kind != "refine" or space is not settings.space:
        return None
    asked_again = last.expected_improvement is None or history.pending or not history.idle
    return None if asked_again or not acquisition.due(history.since_explored, history.in_vain) else last


def _report(
    settings: Settings,
    history: History,
    frozen: Frozen,
    fits: Fits,
    solution: Solution,
    proof: Certificate | None,
    notes: tuple[str, ...],
    audited: float | None,
) -> SolveReport:
    """How well alpha_t was solved, and what the models expect at the point."""
    x, objective, rescaled = solution.x, fits[settings.objective], history.rescaled
    predicted = {name: fitted.prediction(x, rescaled[name]) for name, fitted in fits.items()}
    mean, deviation = predicted.pop(settings.objective)
    return solve_report(
        frozen.alpha,
        solution,
        frozen.domain,
        objective.outcome,
        binding=make_binding(frozen.step.t, fits, history.settled, tuple(trial.number for trial in history.pending)),
        notes=notes,
        proof=proof,
        mean=mean,
        deviation=deviation,
        p_feasible=p_feasible(frozen.beliefs, x) if settings.constraints else None,
        reference=_reference(frozen, settings),
        violations=_violations(frozen, settings, x),
        predicted=predicted or None,
        rescaled={name: factor for name, factor in rescaled.items() if factor != 1.0} or None,
        pending_information=frozen.beliefs.pending_information,
        audited=audited,
    )


def solved_again(frozen: Frozen, x: Array, solver: Solver, rng: Generator) -> Solution:
    """alpha_t maximized once more, by a solver that looks at x, (d,), too."""
    step = replace(frozen.step, design=np.vstack([frozen.step.design, x]))
    return solver(frozen.alpha, frozen.domain, step=step, rng=rng)


# ---------------------------------------------------------------------- alpha_t


def freeze(
    settings: Settings,
    history: History,
    fits: Mapping[str, Modelled],
    *,
    number: int,
    deadline: float | None = None,
    space: SearchSpace | None = None,
    since: Frozen | None = None,
    purpose: Purpose = "improve",
) -> Frozen:
    """alpha_t, a pure function of x: what the acquisition makes of the posteriors, pending points and t, as far as
    a point is probably feasible, weighted by the probability of success where evaluations have failed.

    fits      the model of each output, the first objective first
    number    of the trial, in whose stream of randomness the acquisition draws
    space     where it is to be maximized, if not in the whole space: the slice that was asked for
    since     the same of an earlier point of this ask: points were asked for in between, and nothing was observed
    purpose   of the step, where no improvement is expected any more
    """
    domain = settings.space if space is None else space
    if since is None:
        beliefs = beliefs_of(history, fits)
        step = _step(history, fits, beliefs, domain, deadline)
    else:
        beliefs = since.beliefs.with_pending(rows(history.pending[len(since.beliefs.pending) :], domain.dim))
        step = replace(since.step, t=history.t, ledger=history.ledger, last=history.last, **_explorations(history))
    step = replace(step, purpose=purpose)
    base = None
    if beliefs.feasible is not None and not len(beliefs.feasible):
        alpha: Score = to_find_feasible(beliefs)
    else:
        acquisition = at_hand("acquisition", settings.acquisition)
        alpha = as_score(acquisition(beliefs, domain, step=step, rng=Streams(settings.seed)("acquisition", number)))
        base = alpha.base
        alpha = alpha if beliefs.feasible is None else among_feasible(alpha, beliefs)
    if len(beliefs.pending):
        alpha = where_it_tells(alpha, beliefs)  # the cap on belief
    if history.failed:
        wary = WARY if purpose == "improve" else SAFE
        alpha = where_it_succeeds(alpha, history, fits[settings.objective].posterior, wary)
    return Frozen(alpha, domain if alpha.domain is None else alpha.domain, step, beliefs, base)


def _step(
    history: History, fits: Mapping[str, Modelled], beliefs: Beliefs, domain: Domain, deadline: float | None
) -> Step:
    """What an acquisition and a solver may know about the run."""
    design = best_first(beliefs)
    if isinstance(domain, Slice) or is_constrained(domain):  # a solver starts from members
        design = domain.snap(design)
    return Step(
        t=history.t,
        design=design,
        ledger=history.ledger,
        deadline=deadline,
        evaluation_seconds=history.evaluation_seconds,
        last=history.last,
        idle=history.idle,
        trail=history.trail,
        resolution=_in_model_units(history, fits[history.settings.objective].outcome),
        **_explorations(history),
    )


def _explorations(history: History) -> dict[str, Any]:
    """What a step may know of the explorations so far."""
    duds = history.duds
    return {
        "duds": duds if len(duds) else None,
        "since_explored": history.since_explored,
        "in_vain": history.in_vain,
    }


def _in_model_units(history: History, outcome: Outcome) -> float:
    """What does not matter to the user, just below the best value."""
    if history.resolution is None or history.best is None:
        return 0.0
    best = history.settings.sign() * (history.best.value or 0.0)
    z = outcome(np.array([best, best - history.resolution]))
    return float(z[0] - z[1])


# ---------------------------------------------------------------------- the report


def _in_objective_units(rise: float | None, base: float | None, outcome: Outcome) -> float | None:
    """An expected rise above the base, model units, in those of the objective: |h(base + rise) − h(base)|."""
    if rise is None or base is None or not math.isfinite(rise):
        return None
    with np.errstate(over="ignore"):
        high, low = outcome.inverse(np.array([base + rise, base]))
        found = abs(float(high - low)) if rise > NOTHING else rise / float(outcome.derivative(low[None])[0])
    return found if math.isfinite(found) else None


def _notes(history: History, fits: Fits) -> tuple[str, ...]:
    """What was done about trouble with the outputs, each note once."""
    said = (
        note if len(fits) == 1 else f"{name}: {note}"
        for name, fitted in fits.items()
        for note in fitted.notes + outlier_notes(history.observations(name), fitted.outcome)
    )
    return tuple(dict.fromkeys(said))


def _reference(frozen: Frozen, settings: Settings) -> dict[str, float] | None:
    """The reference point of the hypervolume, in the user's units and signs; None where there is one objective."""
    found = frozen.alpha.reference
    if found is None:
        return None
    return {name: settings.sign(name) * float(r) for name, r in zip(frozen.beliefs.objectives, found, strict=True)}


def _violations(frozen: Frozen, settings: Settings, x: Array) -> dict[str, float] | None:
    """By how much each constrained output may violate its constraint at x, (d,), the user's units; None without a β."""
    alpha, limits = frozen.alpha, settings.constraints
    if not limits or alpha.beta is None or alpha.kind is not None:
        return None
    lowest = worst(frozen.beliefs, x, alpha.beta)
    return {name: max(0.0, limit.sign * limit.limit - lowest[name]) for name, limit in limits.items()}


def _proof(settings: Settings, history: History, frozen: Frozen, value: float) -> Certificate | None:
    """A proven limit of alpha_t, if the user wants one, the score offers bounds, and there is time for it."""
    seconds = settings.diagnostics.seconds(history.evaluation_seconds)
    if frozen.step.deadline is not None:
        seconds = min(seconds, frozen.step.deadline - time.monotonic())
    if not seconds > 0.0 or not frozen.alpha.bounded:
        return None
    return certify(frozen.alpha, frozen.domain, value=value, seconds=seconds)


def _answer(solution: Any, settings: Settings) -> Solution:
    """The solution, if it is one: a solver of the user's own may return anything."""
    dim, solver = settings.space.dim, settings.solver
    if not isinstance(solution, Solution):
        raise TypeError(f"a solver returns a suffice.types.Solution: got {short(solution)} from {solver!r}")
    x = solution.x
    if not (isinstance(x, np.ndarray) and x.shape == (dim,) and np.all((x >= 0.0) & (x <= 1.0))):
        raise ValueError(f"a solver's x is an array of {dim} numbers in [0, 1]: got {short(x)} from {solver!r}")
    return solution


def _hurry(history: History, previous: Fits | None, deadline: float | None) -> bool:
    """Whether a fit to all observations would take more than half of the time that is left, judged by the last fit."""
    if deadline is None or previous is None:
        return False
    refit = previous[history.settings.objective].n_refit
    fits = [r for r in history.reports if r.binding is not None and r.binding.n_refit == refit]
    if not fits:
        return False
    now, then = (min(n, FIT_POINTS) for n in (len(history.done), max(refit, 1)))
    return deadline - time.monotonic() < 2.0 * fits[0].seconds["fit"] * (now / then) ** 3  # it grows with the cube


class Laps:
    """Where the time of an ask goes: each phase ends where the next one begins, so that they add up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def end(self, phase: str) -> None:
        """The phase ends now."""
        now = time.perf_counter()
        self.seconds[phase], self._last = now - self._last, now
