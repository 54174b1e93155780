"""Audit a run: maximize every alpha_t again with a heavy solver, and compare the result with the reports.

alpha_t is rebuilt from the trials known at the ask and the hyper-parameters of the report, and counts as rebuilt only
if it has the reported value at the suggested point. The reference finds its maximum from below: a true gap is at least
as large as the audited one.

v      float  α_t at the suggested point                 α*   float  the reference: the largest α_t that was found
g_t    float  α* − v, the true inaccuracy; ĝ_t the estimate in the report
w_t    float  2 β_t σ_{t−1}(x_t), the width that the regret bound pays for x_t in any case
η_t    float  (v + C) / (α* + C), with the shift C of the report; M_T = Σ(1 − η_t)
"""

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from suffice.accuracy.estimate import accumulated, eta, log_eta, relative_gap
from suffice.accuracy.report import FORMER_EXPLORATION, Binding, SolveReport
from suffice.accuracy.series import Accuracy
from suffice.acquisition import Acquisition
from suffice.ask.design import new_point
from suffice.ask.models import model_of
from suffice.ask.suggest import Frozen, freeze, solved_again
from suffice.checks import NOTHING, ROUNDING, as_count
from suffice.errors import SpaceExhausted, SufficeError
from suffice.gp.ensemble import Ensemble
from suffice.gp.model import Model
from suffice.gp.posterior import Posterior
from suffice.gp.transform import Outcome
from suffice.record.history import History
from suffice.record.settings import Opaque, Settings
from suffice.result.result import Result
from suffice.solvers import Adaptive, Exhaustive
from suffice.space import OpenSpace, sliced
from suffice.streams import Streams
from suffice.threads import usual_errors
from suffice.types import Array, Purpose, Score, Solution, Solver

MOVED = 0.01  # in the unit cube: closer is the same suggestion

Progress = Callable[[int, int], Any]


class CannotRebuild(SufficeError):
    """The record does not determine alpha_t; the message says why."""


@dataclass(frozen=True)
class AuditedStep:
    """One audited suggestion, next to its `report`.

    All fields after `report` are None if α_t could not be rebuilt.

    Attributes
    ----------
    t : int
        The step.
    number : int
        The number of the trial.
    report : SolveReport
        The report of the step.
    value : float or None
        α_t at the point, rebuilt.
    reference : float or None
        α*, the largest α_t that was found.
    relative_gap : float or None
        (α* − value) / (α* − median of α_t over uniform samples); None: no median is known.
    eta : float or None
        The paper's ratio; None for a sample on a finite set, which has no shift.
    distance : float or None
        The distance in the unit cube to the best point that could have been proposed; 0 if none is better.
    changed : bool or None
        Whether that point is further away than 0.01.
    covered : bool or None
        Whether α* ≤ report.upper.
    reason : str or None
        Why α_t was not rebuilt.
    """

    t: int
    number: int
    report: SolveReport
    value: float | None = None
    reference: float | None = None
    relative_gap: float | None = None
    eta: float | None = None
    distance: float | None = None
    changed: bool | None = None
    covered: bool | None = None
    reason: str | None = None

    @property
    def inaccuracy(self) -> float | None:
        """The true inaccuracy g_t = α* − value, model units."""
        return None if self.reference is None or self.value is None else self.reference - self.value


@dataclass(frozen=True, repr=False)
class Audit:
    """The audited steps of a run: print it for a table.

    Totals, including the reported ones, are over the rebuilt steps.

    Attributes
    ----------
    steps : tuple of AuditedStep
        The audited steps.
    share : float or None
        The fraction of Σ w_t that the solver may miss, if it was Adaptive.
    """

    steps: tuple[AuditedStep, ...]
    share: float | None = None

    @property
    def rebuilt(self) -> tuple[AuditedStep, ...]:
        """The steps whose α_t could be rebuilt."""
        return tuple(step for step in self.steps if step.reason is None)

    @property
    def m_audited(self) -> float:
        """M_T from the audited η_t; nan if a step has none."""
        return accumulated(math.nan if step.eta is None else step.eta for step in self.rebuilt)

    @property
    def m_t(self) -> float:
        """M_T from the reports' lower bounds, the worst case; a step without one adds 1."""
        return accumulated(step.report.eta_lower or 0.0 for step in self.rebuilt)

    @property
    def m_estimated(self) -> float:
        """M_T from the reports' point estimates; nan if a step has none."""
        return accumulated(math.nan if step.report.eta is None else step.report.eta for step in self.rebuilt)

    @property
    def inaccuracy(self) -> float:
        """Σ g_t, model units."""
        return math.fsum(step.inaccuracy or 0.0 for step in self.rebuilt)

    @property
    def inaccuracy_estimated(self) -> float:
        """Σ ĝ_t, model units; a step without an estimate adds nothing."""
        return math.fsum(step.report.inaccuracy or 0.0 for step in self.rebuilt)

    @property
    def inaccuracy_allowed(self) -> float | None:
        """What `Adaptive` may miss, share · Σ w_t, model units; None for other solvers, and without a width."""
        widths = [step.report.width for step in self.rebuilt]
        if self.share is None or None in widths:
            return None
        return self.share * math.fsum(width or 0.0 for width in widths)

    @property
    def coverage(self) -> float | None:
        """The fraction of the reported upper bounds that the reference does not exceed; None without bounds."""
        covered = [step.covered for step in self.rebuilt if step.covered is not None]
        return sum(covered) / len(covered) if covered else None

    @property
    def changed(self) -> int:
        """How many suggestions a perfect solver would have changed."""
        return sum(step.changed is True for step in self.rebuilt)

    @property
    def seconds(self) -> dict[str, float]:
        """The time of the suggestions by phase, over all steps."""
        phases = dict.fromkeys(phase for step in self.steps for phase in step.report.seconds)
        return {phase: math.fsum(step.report.seconds.get(phase, 0.0) for step in self.steps) for phase in phases}

    def __repr__(self) -> str:
        return f"Audit({len(self.rebuilt)} of {len(self.steps)} steps rebuilt, Σ inaccuracy {self.inaccuracy:.3g})"

    def __str__(self) -> str:
        header = (
            f"{'t':>4} {'trial':>5} {'value':>9} {'max':>9}  {'gap':>7} {'est.':>7}  {'rel.gap':>7} {'est.':>7}"
            f"  {'1-eta':>7} {'est.':>7} {'at most':>7}  {'limit':<5} place"
        )
        return "\n".join([header, *map(_row, self.steps), "", *_totals(self)])

    def plain(self) -> dict[str, Any]:
        """Steps and totals as plain JSON values; null where a number is unknown."""
        sums = ("m_audited", "m_estimated", "m_t", "inaccuracy", "inaccuracy_estimated", "inaccuracy_allowed")
        totals = _known({name: getattr(self, name) for name in (*sums, "coverage", "changed", "seconds")})
        return {"steps": [_plain(step) for step in self.steps], "totals": {"rebuilt": len(self.rebuilt), **totals}}


def with_audit(accuracy: Accuracy, found: Audit) -> Accuracy:
    """The accuracy of the audited run, as if its steps had been audited when they were taken."""
    references = {step.t: step.reference for step in found.rebuilt}
    reports = (
        report if report.binding is None else replace(report, audited=references.get(report.binding.t, report.audited))
        for report in accuracy.reports
    )
    return replace(accuracy, reports=tuple(reports))


def _row(step: AuditedStep) -> str:
    if step.reason is not None:
        return f"{step.t:>4} {step.number:>5}  not rebuilt: {step.reason}"
    report = step.report
    short = [step.inaccuracy, report.inaccuracy], [step.relative_gap, report.relative_gap]
    etas = [None if eta is None else 1.0 - eta for eta in (step.eta, report.eta, report.eta_lower)]
    cells = "  ".join(" ".join(map(_number, group)) for group in (*short, etas))
    limit = {True: "holds", False: "below", None: "-"}[step.covered]
    place = "other" if step.changed else "same"
    return f"{step.t:>4} {step.number:>5} {step.value:>9.4g} {step.reference:>9.4g}  {cells}  {limit:<5} {place}"


def _totals(found: Audit) -> list[str]:
    allowed = found.inaccuracy_allowed
    limits = [step for step in found.rebuilt if step.covered is not None]
    held = sum(step.covered is True for step in limits)
    return [
        f"{len(found.rebuilt)} of {len(found.steps)} steps rebuilt",
        f"M_T      {_number(found.m_audited)} audited {_number(found.m_estimated)} estimated"
        f" {_number(found.m_t)} at most",
        f"sum gap  {_number(found.inaccuracy)} audited {_number(found.inaccuracy_estimated)} estimated"
        + (f" {_number(allowed)} allowed, {found.share:g} of the widths" if allowed is not None else ""),
        f"limits   {held} of {len(limits)} hold" + (f", nominally {limits[0].report.confidence:g}" if limits else ""),
        f"places   {found.changed} of {len(found.rebuilt)} suggestions would differ, by more than {MOVED:g}",
        "seconds  " + ("  ".join(f"{phase} {seconds:.3g}" for phase, seconds in found.seconds.items()) or "none"),
    ]


def _number(value: float | None) -> str:
    return f"{'-':>7}" if _unknown(value) else f"{value:>7.2g}"


def _unknown(value: object) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if _unknown(value) else value for name, value in values.items()}


def _plain(step: AuditedStep) -> dict[str, Any]:
    audited = {field.name: getattr(step, field.name) for field in fields(step) if field.name != "report"}
    words = ("relative_gap", "eta", "eta_lower", "upper", "inaccuracy", "width", "n_evals", "seconds")
    reported = {name: getattr(step.report, name) for name in words}
    return {**_known({**audited, "inaccuracy": step.inaccuracy}), "reported": _known(reported)}


def audit(
    result: Result,
    *,
    solver: Solver = Exhaustive(),
    every: int = 1,
    model: Model | None = None,
    acquisition: Acquisition | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Check how well the acquisition function was maximized in a run: maximize it again with far more effort.

    Use it to verify the estimates in `result.accuracy`, or to see the loss from a faster solver. It evaluates only the
    model, never the objective, and does not show how far the best point is from the optimum.

    Parameters
    ----------
    result : Result
        The run, as sf.minimize or sf.load returns it.
    solver : Solver, default: a heavy search
        The solver that searches again; the chosen point itself is always compared too.
    every : int, default: 1
        Audit only each `every`-th step, which is faster.
    model, acquisition : object, default: None
        Only for a loaded result with custom parts.
    executor : Executor or None, default: None
        Audits steps in parallel, over any executor of concurrent.futures.
    progress : callable or None, default: None
        Called as progress(steps done, steps in all).

    Returns
    -------
    Audit
        The audited steps and their totals: print it for a table.

    Examples
    --------
    >>> import suffice as sf
    >>> result = sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], n_trials=8, seed=0)
    >>> len(sf.audit(result, every=4).steps)
    2
    """
    if not isinstance(result, Result):
        raise TypeError(f"audit takes a result, like sf.load('run.json'): got {type(result).__name__}")
    settings = _known_settings(result, model, acquisition)
    history: History = result.history
    asked = [trial.number for trial in history.trials if trial.solve is not None and trial.state != "cancelled"]
    chosen = asked[:: as_count(every, "every", 1)]
    auditor = Auditor(settings, history, solver)
    steps = []
    for step in map(auditor, chosen) if executor is None else executor.map(auditor, chosen):
        steps.append(step)
        if progress is not None:
            progress(len(steps), len(chosen))
    return Audit(tuple(steps), settings.solver.share if isinstance(settings.solver, Adaptive) else None)


def _known_settings(result: Result, model: Model | None, acquisition: Acquisition | None) -> Settings:
    """Those of the run, with the parts that are given by hand; refused where one is only described."""
    settings: Settings = result.settings
    if model is not None:
        settings = replace(settings, model=model)
    if acquisition is not None:
        settings = replace(settings, acquisition=acquisition)
    for word, part in (("model", settings.model), ("acquisition", settings.acquisition)):
        if isinstance(part, Opaque):
            raise CannotRebuild(
                f"the {word} of this run is known only by its description, because it is not a part of the library: "
                f"{part.text}; pass it yourself, audit(result, {word}=…)"
            )
    return settings


@dataclass(frozen=True)
class Auditor:
    """Audits one step after the other; a value, so that it can go to other processes."""

    settings: Settings
    history: History
    solver: Solver

    @usual_errors()
    def __call__(self, number: int) -> AuditedStep:
        trial = self.history.trials[number]
        report = trial.solve
        if report is None or report.binding is None:
            raise ValueError(f"trial {number} was not proposed by a model: it has no report to audit")
        plain = AuditedStep(report.binding.t, number, report)
        try:
            past = known_at(self.history, number, report.binding)
            settings, unit = self.settings, trial.unit
            if isinstance(settings.space, OpenSpace):  # it has grown since, and the objective may have asked for more
                settings = settings.within(past.settings.space)
                unit = settings.space.to_unit(self.history.ask(number).point)
            frozen = refrozen(settings, past, number, report.binding, trial.fixed, report.kind)
            alpha = frozen.alpha
            x, value = located(alpha, unit, report)
            solution, place = self._solved(frozen, settings, past, x, number)
        except (CannotRebuild, SpaceExhausted, np.linalg.LinAlgError) as error:
            return replace(plain, reason=str(error))
        reference = max(value, solution.value)
        median = report.median if solution.draws is None or solution.draws.median is None else solution.draws.median
        slack = NOTHING * (abs(reference) if median is None else reference - median) + ROUNDING * abs(reference)
        better = float(alpha(place[None])[0]) - value > slack
        distance = float(np.linalg.norm(place - x)) if better else 0.0
        return replace(
            plain,
            value=value,
            reference=reference,
            relative_gap=None if median is None else relative_gap(value, reference, median),
            eta=_eta(alpha, value, reference, report),
            distance=distance,
            changed=distance > MOVED,
            covered=None if report.upper is None else reference <= report.upper + slack,
        )

    def _solved(
        self, frozen: Frozen, settings: Settings, past: History, x: Array, number: int
    ) -> tuple[Solution, Array]:
        """The maximum, and the best point that could have been proposed, (d,): a new one where none is repeated."""
        rng = Streams(settings.seed)("audit", number)
        solution = solved_again(frozen, x, self.solver, rng)
        space = sliced(settings.space, self.history.trials[number].fixed)
        return solution, new_point(settings, past, solution.x, frozen.alpha, frozen.domain, rng, space).x


def known_at(history: History, number: int, binding: Binding) -> History:
    """What was known when trial `number` was asked for; CannotRebuild where the record does not tell."""
    past = history.before(number)
    if (past.settled, tuple(trial.number for trial in past.pending)) != (binding.n_told, binding.pending):
        raise CannotRebuild(
            "the file was written by a version that kept only the last outcome of a trial, and a trial had two, the "
            "second after this step; whether it had failed or was cancelled before is not recorded"
        )
    return past


def refrozen(
    settings: Settings,
    past: History,
    number: int,
    binding: Binding,
    fixed: Mapping[str, Any] | None = None,
    kind: str | None = None,
) -> Frozen:
    """alpha_t as it was when trial `number` was asked for with these values, and what the solver knew besides.

    kind    of the report: what the step was for
    """
    if kind == FORMER_EXPLORATION:
        raise CannotRebuild(f"the step is of version 0.1.0 and {kind!r}: this version explores by another rule")
    fits = {name: rebuilt(settings, past, name, binding.of(name)) for name in settings.outputs}
    purpose: Purpose = "explore" if kind == "explore" else "refine" if kind == "refine" else "improve"
    return freeze(settings, past, fits, number=number, space=sliced(settings.space, fixed), purpose=purpose)


class Rebuilt(NamedTuple):
    """The model of one output as it was."""

    posterior: Posterior
    outcome: Outcome
    ensemble: Ensemble | None


def rebuilt(settings: Settings, past: History, name: str, binding: Binding) -> Rebuilt:
    """The model of one output, from what was known of it and the parameters that were found then."""
    data, parameters = past.observations(name), (binding.hyper, binding.outcome, binding.constant, binding.n_refit)
    model, chains = model_of(settings, name), binding.chains
    posterior = model.rebuild(data, settings.space, *parameters)
    ensemble = None
    if chains is not None:
        ensemble = model.with_posteriors(data, settings.space, chains, binding.outcome, binding.n_refit)
    return Rebuilt(posterior, binding.outcome, ensemble)


def located(alpha: Score, x: Array, report: SolveReport) -> tuple[Array, float]:
    """The point and its value, if it is the value that was reported; else CannotRebuild."""
    if alpha.domain is not None:  # defined on its own set only, to the last bit
        x = alpha.domain.snap(x[None])[0]
    value = float(alpha(x[None])[0])
    spread = 0.0 if report.median is None else abs(report.value - report.median)
    if not abs(value - report.value) <= NOTHING * max(abs(report.value), spread) < math.inf:
        raise CannotRebuild(f"alpha_t is {value:.8g} at the point, but {report.value:.8g} in the report")
    return x, value


def _eta(alpha: Score, value: float, reference: float, report: SolveReport) -> float | None:
    if alpha.logarithmic:
        return log_eta(value, reference)
    shift = alpha.shift(report.n_evals) if report.shift is None else report.shift  # an old file may not tell
    return None if shift is None else eta(value, reference, shift)
