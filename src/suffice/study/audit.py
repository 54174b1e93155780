"""Look back at a run: solve every alpha_t again with a heavy solver, and compare what is true with what was reported.

alpha_t is rebuilt from the trials known at the ask and the hyper-parameters of the report, and counts as rebuilt only
if it has the reported value at the suggested point. The reference finds its maximum from below: a true gap is at least
as large as the audited one.
"""

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from suffice.accuracy.eta import eta, log_eta, relative_gap
from suffice.accuracy.report import Binding, SolveReport
from suffice.acquisition import Acquisition
from suffice.checks import as_count
from suffice.errors import SpaceExhausted, SufficeError
from suffice.gp.model import Model
from suffice.gp.outcome import Outcome
from suffice.gp.posterior import Posterior
from suffice.solvers import Enough, Heavy
from suffice.space import sliced
from suffice.streams import Streams
from suffice.study.audited import MOVED, Audit, AuditedStep
from suffice.study.history import History
from suffice.study.modelling import model_of
from suffice.study.novelty import new_point
from suffice.study.result import Result
from suffice.study.settings import Opaque, Settings
from suffice.study.suggest import Frozen, freeze, solved_again
from suffice.types import Array, Score, Solution, Solver

RESOLUTION = 1e-6  # of the spread α* − median, or of the value: finer differences of a rebuilt score say nothing

ROUNDING = 1e-10  # of the value: where the score is flat, what two ways to one number may differ by

Progress = Callable[[int, int], Any]


class CannotRebuild(SufficeError):
    """The record does not determine alpha_t; the message says why."""


def audit(
    result: Result,
    *,
    solver: Solver = Heavy(),
    every: int = 1,
    model: Model | None = None,
    acquisition: Acquisition | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Check afterwards how well a run searched for its points: solve each search again, with far more effort.

    Use it to see whether the estimates in `result.accuracy` were right, or what a faster solver cost. It evaluates the
    model only, never the objective, and says nothing about how far the best point is from the optimum.

    Parameters
    ----------
    result : Result
        The run, as sf.minimize or sf.load returns it.
    solver : Solver, default: a heavy search
        What searches again; the point itself is always looked at too.
    every : int, default: 1
        Look at each `every`-th step only, which is faster.
    model, acquisition : object, default: None
        Only for a loaded result whose own ones are not parts of the library.
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
    return Audit(tuple(steps), settings.solver.share if isinstance(settings.solver, Enough) else None)


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
                f"the {word} of this run is known by its description only, because it is not a part of the library: "
                f"{part.text}; pass it by hand, audit(result, {word}=…)"
            )
    return settings


@dataclass(frozen=True)
class Auditor:
    """Audits one step after the other; a value, so that it can go to other processes."""

    settings: Settings
    history: History
    solver: Solver

    def __call__(self, number: int) -> AuditedStep:
        trial = self.history.trials[number]
        report = trial.solve
        if report is None or report.binding is None:
            raise ValueError(f"trial {number} has no report with a binding: no model proposed it")
        plain = AuditedStep(report.binding.t, number, report)
        try:
            past = known_at(self.history, number, report.binding)
            frozen = refrozen(self.settings, past, number, report.binding, trial.fixed)
            alpha = frozen.alpha
            x, value = located(alpha, trial.unit, report)
            solution, place = self._solved(frozen, past, x, number)
        except (CannotRebuild, SpaceExhausted, np.linalg.LinAlgError) as error:
            return replace(plain, reason=str(error))
        reference = max(value, solution.value)
        median = report.median if solution.draws is None or solution.draws.median is None else solution.draws.median
        slack = RESOLUTION * (abs(reference) if median is None else reference - median) + ROUNDING * abs(reference)
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

    def _solved(self, frozen: Frozen, past: History, x: Array, number: int) -> tuple[Solution, Array]:
        """The maximum, and the best point that could have been proposed, (d,): a new one where none is repeated."""
        rng = Streams(self.settings.seed)("audit", number)
        solution = solved_again(frozen, x, self.solver, rng)
        space = sliced(self.settings.space, self.history.trials[number].fixed)
        return solution, new_point(self.settings, past, solution.x, frozen.alpha, frozen.domain, rng, space)


def known_at(history: History, number: int, binding: Binding) -> History:
    """What was known when trial `number` was asked for; CannotRebuild where the record does not tell."""
    past = history.before(number)
    if (past.settled, tuple(trial.number for trial in past.pending)) != (binding.n_told, binding.pending):
        raise CannotRebuild(
            "the file is of a version that kept only the last settlement of a trial, and a trial was settled twice, "
            "the second time after this step; what it was at the time, failed or cancelled, is not recorded"
        )
    return past


def refrozen(
    settings: Settings, past: History, number: int, binding: Binding, fixed: Mapping[str, Any] | None = None
) -> Frozen:
    """alpha_t as it was when trial `number` was asked for with these values, and what the solver knew besides."""
    fits = {name: rebuilt(settings, past, name, binding.of(name)) for name in settings.outputs}
    return freeze(settings, past, fits, number=number, space=sliced(settings.space, fixed))


class Rebuilt(NamedTuple):
    """The model of one output as it was."""

    posterior: Posterior
    outcome: Outcome


def rebuilt(settings: Settings, past: History, name: str, binding: Binding) -> Rebuilt:
    """The model of one output, from what was known of it and the parameters that were found then."""
    data, parameters = past.observations(name), (binding.hyper, binding.outcome, binding.constant, binding.n_refit)
    return Rebuilt(model_of(settings, name).rebuild(data, settings.space, *parameters), binding.outcome)


def located(alpha: Score, x: Array, report: SolveReport) -> tuple[Array, float]:
    """The point and its value, if it is the value that was reported; else CannotRebuild."""
    if alpha.domain is not None:  # defined on its own set only, to the last bit
        x = alpha.domain.snap(x[None])[0]
    value = float(alpha(x[None])[0])
    spread = 0.0 if report.median is None else abs(report.value - report.median)
    if not abs(value - report.value) <= RESOLUTION * max(abs(report.value), spread) < math.inf:
        raise CannotRebuild(f"alpha_t is {value:.8g} at the point, the report says {report.value:.8g}")
    return x, value


def _eta(alpha: Score, value: float, reference: float, report: SolveReport) -> float | None:
    if alpha.logarithmic:
        return log_eta(value, reference)
    shift = alpha.shift(report.n_evals) if report.shift is None else report.shift  # an old file may not tell
    return None if shift is None else eta(value, reference, shift)
