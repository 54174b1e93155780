"""The ask, as a function: from what is known to the next point and a report of how it was found.

Algorithms 1 and 2 of the paper, with an inexact maximizer, are the four lines of `_chosen` that are marked. Everything
that asks uses the same two functions: the optimizer, and the audit, which freezes alpha_t again and solves it better.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.accuracy.calibration import prediction
from suffice.accuracy.certificate import Certificate, certify
from suffice.accuracy.report import SolveReport, make_binding, solve_report
from suffice.acquisition.constraints import p_feasible, to_find_feasible, where_it_is_allowed, worst
from suffice.acquisition.wrappers import where_it_tells
from suffice.ask.models import Fits, Modelled, beliefs_of, best_first, fit_outputs, outlier_notes, where_it_succeeds
from suffice.ask.novelty import as_proposed, check_not_exhausted, new_point
from suffice.belief import Beliefs
from suffice.candidates import sobol
from suffice.checks import short
from suffice.gp.model import FIT_POINTS
from suffice.gp.transform import Outcome
from suffice.record.arguments import as_point
from suffice.record.history import History, rows
from suffice.record.settings import Opaque, Settings
from suffice.record.trial import Origin
from suffice.solvers import Enough, Heavy
from suffice.solvers.batch import Shared
from suffice.solvers.record import late
from suffice.space import Listed, SearchSpace, Slice, UnitCube, active_coordinates, is_constrained, sliced
from suffice.streams import Streams
from suffice.types import Array, Domain, Score, Solution, Solver, Step, as_score

#| -- study.beginning: Where a study begins: the points that the user gave, then a design that is spread over the
#| space.


def given_point(settings: Settings, history: History, space: SearchSpace) -> Any | None:
    """The first of the points to begin with that was not proposed yet; with repeats, each as often as it was given.

    Where some values are fixed, one that has these values.
    """
    if not settings.x0:
        return None
    tally = history.table
    if settings.repeat:
        left = settings.x0[np.count_nonzero(tally.origins("given")) :]
    else:
        known = set(tally.keys_of(np.ones(len(history.trials), bool)))
        left = tuple(point for point in settings.x0 if space.to_unit(point).tobytes() not in known)
    if isinstance(space, Slice):
        left = tuple(point for point in left if space.contains(space.to_unit(point)[None])[0])
    if not left:
        return None
    return as_point(left[0], settings.space)


def wants_design(settings: Settings, history: History) -> bool:
    """Whether the model has too little to go by: no value yet, fewer points than the initial design, or few results.

    Many workers propose the whole design before most of it is evaluated. A model of one or two values has learned
    nothing but where no point is, and would send the next ones into the corners. So the design goes on until as many
    results are in as a plane has coefficients; where each point is evaluated before the next, they always are.
    """
    tally = history.table
    kept = ~tally.states("cancelled")
    proposed = int(np.count_nonzero(kept & ~tally.origins("model")))
    answered = int(np.count_nonzero(kept & ~tally.states("pending")))
    enough = min(settings.n_initial, len(settings.space.coordinates) + 1)
    return not history.done or proposed < settings.n_initial or answered < enough


def design_point(settings: Settings, history: History, space: SearchSpace) -> Array:
    """The next point of one scrambled Sobol sequence that was not proposed before, with options in equal shares."""
    index = int(np.count_nonzero(history.table.origins("design")))
    cube = UnitCube(len(space.coordinates))
    (u,) = sobol(index + 1, cube, design=np.empty((0, cube.dim)), rng=Streams(settings.seed)("design"))[index:]
    x = space.place(in_equal_shares(u, history.table.unit, space)[None])[0]
    return new_point(settings, history, x, None, space, space=space)


def in_equal_shares(u: Array, proposed: Array, space: SearchSpace) -> Array:
    """u, a number for each coordinate, where an option that came up more often than another gives way to the nearest
    of the rarest ones.

    A sequence that fills the interval evenly meets its m equal parts evenly only where m is a power of two: of ten
    options, twelve points of it mostly miss one. Options of a conditional parameter count where it is active. A second
    round is for parameters that stand before those they depend on.
    """
    u, had = u.copy(), active_coordinates(space, proposed)
    listed = [(j, c.columns, space.params.get(c.name)) for j, c in enumerate(space.coordinates)]
    for j, columns, parameter in 2 * listed:
        if isinstance(parameter, Listed) and active_coordinates(space, space.place(u[None]))[0, j]:
            m = len(parameter.options)
            count = np.bincount(parameter.nearest(proposed[had[:, j], columns]), minlength=m)
            k = min(int(u[j] * m), m - 1)
            rarest = np.flatnonzero(count == count.min())
            nearest = int(rarest[np.argmin(np.abs(rarest - k))])  # k itself if it is one of them
            u[j] = u[j] if nearest == k else (nearest + 0.5) / m
    return u


WIDE = 8  # points of one ask, each of which has a search of its own; more of them share one


@dataclass(frozen=True)
class Frozen:
    """alpha_t, where it is to be maximized, and what a solver may know besides."""

    alpha: Score
    domain: Domain
    step: Step
    beliefs: Beliefs


@dataclass(frozen=True, eq=False)
class Suggestion:
    """The next point of a study, in the user's units."""

    point: Any
    origin: Origin
    report: SolveReport | None = None  # None for points that no model proposed
    fitted: Fits | None = None  # the models behind it, by output, from which the next ones go on


class Batch:
    """What the points of one ask have in common: nothing is told in between, so that each goes on from the last."""

    def __init__(self, solver: Any, size: int = 1) -> None:
        self.solver = Shared(solver) if size > WIDE and isinstance(solver, Enough) else solver
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
) -> Suggestion:
    """The next point: one that was given, one of the initial design, or the best by the model.

    previous    the models of an earlier suggestion of this study, which the new ones extend
    deadline    `time.monotonic()` at which the best point so far is wanted; None: no hurry
    fixed       values, by name, that the point has to have; None: none
    batch       what the points before it in the same ask found; None: there is no other one
    """
    batch = Batch(settings.solver) if batch is None else batch
    laps, space = Laps(), sliced(settings.space, fixed)
    given = given_point(settings, history, space)
    if given is not None:
        return Suggestion(given, "given", fitted=previous)
    check_not_exhausted(settings, history, space)
    if wants_design(settings, history):
        return Suggestion(space.from_unit(design_point(settings, history, space)), "design", fitted=previous)
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
    solver = _known("solver", batch.solver)
    if batch.fits is None:
        batch.fits = fit_outputs(settings, history, previous, hurry=_hurry(history, previous, deadline))  # μ, σ
        batch.notes = _notes(history, batch.fits)
    fits = batch.fits
    laps.end("fit")
    frozen = freeze(settings, history, fits, number=number, deadline=deadline, space=space, since=batch.frozen)  # α_t
    batch.frozen = frozen
    laps.end("bind")
    rng = Streams(settings.seed)("solver", number)
    solution = _answer(solver(frozen.alpha, frozen.domain, step=frozen.step, rng=rng), settings)  # x_t ≈ argmax α_t
    new = new_point(settings, history, solution.x, frozen.alpha, frozen.domain, space=space)
    x = as_proposed(new, space, frozen.domain)
    if x is not solution.x:
        attained = None if new is solution.x else solution.value
        solution = replace(solution, x=x, value=float(frozen.alpha(x[None])[0]), attained=attained)
    laps.end("solve")
    proof = _proof(settings, history, frozen, solution.value if solution.attained is None else solution.attained)
    if proof is not None:
        laps.end("certify")
    report = solve_report(
        frozen.alpha,
        solution,
        frozen.domain,
        fits[settings.objective].outcome,
        binding=make_binding(frozen.step.t, fits, history.settled, tuple(trial.number for trial in history.pending)),
        notes=batch.notes,
        proof=proof,
    )  # η_t
    mean, deviation = prediction(fits[settings.objective], x)
    others = {name: prediction(fits[name], x) for name in settings.outputs[1:]} or None
    chance = p_feasible(frozen.beliefs, x)
    report = replace(
        report,
        mean=mean,
        deviation=deviation,
        p_feasible=chance,
        reference=_reference(frozen, settings),
        violations=_violations(frozen, settings, x),
        predicted=others,
        hallucinated=frozen.beliefs.hallucinated,
    )
    laps.end("report")
    if is_audited(frozen.step.t, settings.audit) and not late(deadline):
        again = solved_again(frozen, x, Heavy(), Streams(settings.seed)("audit", number))
        report = replace(report, audited=max(report.value, again.value))
        laps.end("audit")
    return Suggestion(space.from_unit(x), "model", replace(report, seconds=laps.seconds), fits)


def is_audited(t: int, share: float | None) -> bool:
    """Whether step t is one of the share that is audited: they are spread evenly, and depend on nothing else."""
    return share is not None and math.floor(t * share) > math.floor((t - 1) * share)


def solved_again(frozen: Frozen, x: Array, solver: Solver, rng: Generator) -> Solution:
    """alpha_t maximized once more, by a solver that looks at x, (d,), too."""
    step = replace(frozen.step, design=np.vstack([frozen.step.design, x]))
    return solver(frozen.alpha, frozen.domain, step=step, rng=rng)


def freeze(
    settings: Settings,
    history: History,
    fits: Mapping[str, Modelled],
    *,
    number: int,
    deadline: float | None = None,
    space: SearchSpace | None = None,
    since: Frozen | None = None,
) -> Frozen:
    """alpha_t, a pure function of x: what the acquisition makes of the posteriors, pending points and t, as far as
    a point is probably within the limits, weighted by the probability of success where evaluations have failed.

    fits      the model of each output, the first objective first
    number    of the trial, in whose stream of randomness the acquisition draws
    space     where it is to be maximized, if not in the whole space: the slice that was asked for
    since     the same of an earlier point of this ask: points were asked for in between, and nothing was told
    """
    domain = settings.space if space is None else space
    if since is None:
        beliefs = beliefs_of(history, fits)
        step = _step(history, fits, beliefs, domain, deadline)
    else:
        beliefs = since.beliefs.with_pending(rows(history.pending[len(since.beliefs.pending) :], domain.dim))
        step = replace(since.step, t=history.t, ledger=history.ledger, last=history.last)
    if beliefs.feasible is not None and not len(beliefs.feasible):
        alpha: Score = to_find_feasible(beliefs)
    else:
        acquisition = _known("acquisition", settings.acquisition)
        alpha = as_score(acquisition(beliefs, domain, step=step, rng=Streams(settings.seed)("acquisition", number)))
        alpha = alpha if beliefs.feasible is None else where_it_is_allowed(alpha, beliefs)
    alpha = where_it_tells(alpha, beliefs)  # the cap on belief
    if history.failed:
        alpha = where_it_succeeds(alpha, history, fits[settings.objective].posterior)
    return Frozen(alpha, domain if alpha.domain is None else alpha.domain, step, beliefs)


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
    )


def _in_model_units(history: History, outcome: Outcome) -> float:
    """What does not matter to the user, just below the best value."""
    if history.resolution is None or history.best is None:
        return 0.0
    best = history.settings.sign() * (history.best.value or 0.0)
    z = outcome(np.array([best, best - history.resolution]))
    return float(z[0] - z[1])


def _notes(history: History, fits: Fits) -> tuple[str, ...]:
    """What was done about trouble with the outputs, each note once."""
    said = (
        note if len(fits) == 1 else f"{name}: {note}"
        for name, fitted in fits.items()
        for note in fitted.notes + outlier_notes(history.observations(name), fitted.outcome)
    )
    return tuple(dict.fromkeys(said))


def _reference(frozen: Frozen, settings: Settings) -> dict[str, float] | None:
    """The reference point of the hypervolume, in the user's units and senses; None where there is one objective."""
    found = frozen.alpha.reference
    if found is None:
        return None
    return {name: settings.sign(name) * float(r) for name, r in zip(frozen.beliefs.objectives, found, strict=True)}


def _violations(frozen: Frozen, settings: Settings, x: Array) -> dict[str, float] | None:
    """By how much each limited output may be beyond its limit at x, (d,), the user's units; None without a β."""
    alpha, limits = frozen.alpha, settings.constraints
    if not limits or alpha.beta is None or alpha.kind is not None:
        return None
    lowest = worst(frozen.beliefs, x, alpha.beta)
    return {name: max(0.0, limit.sign * limit.limit - lowest[name]) for name, limit in limits.items()}


def _proof(settings: Settings, history: History, frozen: Frozen, value: float) -> Certificate | None:
    """A proven limit of alpha_t, if the user wants one, the score offers bounds, and there is time for it."""
    known, share = history.evaluation_seconds, settings.certify_share
    affordable = 0.0 if known is None or share is None else share * known
    seconds = affordable if settings.certify is None else max(settings.certify, affordable)
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


class Laps:
    """Where the time of an ask goes: each phase ends where the next one begins, so that they add up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def end(self, phase: str) -> None:
        """The phase ends now."""
        now = time.perf_counter()
        self.seconds[phase], self._last = now - self._last, now


def _known(word: str, part: Any) -> Any:
    """A part that can be called; a file may have only its description."""
    if isinstance(part, Opaque):
        raise TypeError(f"the {word} is known by its description only: {part.text}; give it by hand")
    return part


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
