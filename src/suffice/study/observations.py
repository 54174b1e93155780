"""From what a user says about an evaluation to an event of the record, and from the event to a line of the log.

What is said is checked before anything changes, and belongs to one trial. Nothing of the log is shown unless the
program sets up `logging`; trouble is logged as WARNING.
"""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.checks import as_seconds
from suffice.errors import DifferentParameter
from suffice.pruning import Field, Outlook, Pruner, best
from suffice.record.arguments import as_point
from suffice.record.history import Chronicle, History
from suffice.record.outputs import as_variances, averaged
from suffice.record.settings import Settings
from suffice.record.table import EXPLORING
from suffice.record.trial import (
    Asked,
    Cancelled,
    Cause,
    Defined,
    Event,
    Failed,
    Stopped,
    Told,
    Trial,
    asked,
    failed,
    observed_value,
    read_only,
    told,
)
from suffice.result.exhausted import purpose
from suffice.result.front import Front, found
from suffice.space import OpenSpace, Parameter, SearchSpace
from suffice.space.parameters import with_when

log = logging.getLogger("suffice")

BORROWED = 4  # degrees of freedom that earlier trials with repeats lend to the variance of one, at most


@dataclass(frozen=True)
class Observation:
    """The outputs of an evaluation, nan where one is missing; they become an event once their trial is known."""

    values: Mapping[str, float]
    noise_var: Any
    seconds: float | None
    settings: Settings
    count: int = 1  # measurements that the values are means of

    @classmethod
    def of(cls, trial: Any, value: Any, noise_var: Any, seconds: Any, settings: Settings) -> "Observation":
        """From what `tell` is given; TypeError or ValueError, by name, where it is none."""
        check_tell(trial, value)
        aims, took = settings.objectives, as_seconds(seconds)
        value, noise_var, repeats = averaged(value, noise_var)
        values = settings.as_values(value)
        return cls(values, as_variances(noise_var, aims, settings.outputs), took, settings, repeats)

    def event(self, number: int, earlier: Chronicle | None = None) -> Told | Failed:
        """What it says about the trial with this number, after what was recorded earlier."""
        noise = self.noise_var
        if self.count > 1 and noise is not None and earlier is not None:
            noise = pooled(noise, self.count, earlier.history.events, self.settings.objective)
        return told(number, self.values, noise, self.seconds, self.settings.constraints, self.count)

    def repeats(self, known: Trial, value: Any) -> bool:
        """Whether a done trial was told just this; ValueError if it was told something else, or stopped early."""
        if known.state == "pruned":
            raise ValueError(
                f"trial {known.number} was pruned: got {value!r}; record a complete evaluation of its point "
                "with tell(trial.point, value)"
            )
        event = self.event(known.number)
        if isinstance(event, Told) and event.values == known.values:
            return True
        raise ValueError(
            f"trial {known.number} already has the value {observed_value(known)!r}: got {value!r}; "
            "record a second measurement of the point with tell(trial.point, value), or withdraw(trial) a wrong value "
            "before you tell the right one"
        )


def pooled(noise: Any, repeats: int, earlier: Iterable[Event], objective: str) -> Any:
    """The variances of means of repeated measurements, with what those of earlier trials tell about them.

    s²   the variance of n measurements, with n − 1 = ν degrees of freedom      P, N   the same of all earlier trials

        n v = (ν s² + ν0 P) / (ν + ν0),   ν0 = min(N, BORROWED)

    Two or three measurements may agree by chance, and the model would take their mean for exact. The noise may differ
    between points, so that many measurements decide for themselves (Smyth 2004: moderated variances).
    """
    single = not isinstance(noise, Mapping)
    own = {objective: noise} if single else dict(noise)
    sums = dict.fromkeys(own, (0, 0.0))  # N and P
    shares: dict[tuple[int, str], tuple[int, float]] = {}  # ν and s² of each trial, by output
    for event in earlier:
        if isinstance(event, Cancelled):  # perhaps it is withdrawn
            for name, (N, P) in sums.items():
                if (event.number, name) in shares:
                    nu, s2 = shares.pop((event.number, name))
                    sums[name] = N - nu, max(0.0, N * P - nu * s2) / (N - nu) if N > nu else 0.0
        if not isinstance(event, Told) or event.repeats < 2:
            continue
        known, n = event.noise_var, event.repeats
        for name, (N, P) in sums.items():
            v = known.get(name) if isinstance(known, Mapping) else known if name == objective else None
            if v is not None:  # it is v that was recorded: back to s²
                borrowed = min(N, BORROWED)
                s2 = max(0.0, n * v * (n - 1 + borrowed) - borrowed * P) / (n - 1)
                sums[name] = N + n - 1, (N * P + (n - 1) * s2) / (N + n - 1)
                shares[event.number, name] = n - 1, s2
    for name, (N, P) in sums.items():
        borrowed = min(N, BORROWED)
        own[name] = ((repeats - 1) * own[name] + borrowed * P / repeats) / (repeats - 1 + borrowed)
    return own[objective] if single else own


def check_tell(trial: Any, value: Any) -> None:
    """Refuse the ways to tell that other libraries have, and show ours."""
    if isinstance(value, Trial):
        raise TypeError("the trial comes first: tell(trial, value)")
    several = isinstance(trial, list | tuple) and any(isinstance(one, Trial | list | tuple | dict) for one in trial)
    if several and isinstance(value, list | tuple | np.ndarray):
        raise TypeError(
            f"tell takes one trial and its value: got {len(trial)} and {len(value)}; write "
            "for trial, value in zip(trials, values): opt.tell(trial, value)"
        )


def present(trial: Any, trials: Sequence[Trial]) -> Trial:
    """The present state of a trial that an optimizer made, which has these trials."""
    if not isinstance(trial, Trial):
        raise TypeError(f"wanted a trial, as ask() returns it: got {trial!r} of type {type(trial).__name__}")
    if 0 <= trial.number < len(trials) and np.array_equal(trials[trial.number].unit, trial.unit):
        return trials[trial.number]
    raise ValueError(
        f"trial {trial.number} is not one of this optimizer's {len(trials)} trials; "
        "record a point evaluated elsewhere with tell(point, value)"
    )


def check_not_done(trial: Trial, what: str) -> None:
    """ValueError if the trial has a value: nothing else can become of it."""
    if trial.state == "done":
        raise ValueError(
            f"trial {trial.number} already has the value {observed_value(trial)!r} and can no longer {what}; "
            "withdraw(trial) a wrong value first"
        )


def withdrawn(trial: Trial, reason: str) -> Cancelled:
    """The event by which a trial loses its value."""
    return Cancelled(trial.number, f"{reason}; the value was {observed_value(trial)!r}")


def pending_at(point: Any, chronicle: Chronicle, space: SearchSpace) -> Trial | Asked:
    """The pending trial at a point, or the event that it came from outside."""
    given = as_point(point, space)
    unit = space.to_unit(given)
    for trial in chronicle.pending:
        if np.array_equal(trial.unit, unit):
            return trial
    return asked(len(chronicle.trials), read_only(given), "foreign", space, at=unit)


def defined(history: History, number: int, asked: Mapping[str, tuple[Parameter, Any]], ended: bool) -> Defined | None:
    """The event of an evaluation that has asked for other parameters than were proposed; None if it has not.

    asked    parameters and their values by name        ended   whether it has come to its end, so that these are all
    """
    if ended and not asked:
        raise TypeError(
            "without a space the objective has to ask for its parameters, and it asked for none: write "
            'x = trial.float("x", 0, 1) in it, or give minimize a space'
        )
    space, trial = history.settings.space, history.trials[number]
    for name, (parameter, _) in asked.items():
        check_same(name, parameter, space.params)
    values = {name: value for name, (_, value) in asked.items()}
    point = values if ended else {**trial.point, **values}
    if set(point) == set(trial.point):
        return None
    parameters = {**space.params, **{name: p for name, (p, _) in asked.items() if name not in space.params}}
    known = [t.point for t in history.trials if t.state == "done" or (t.state == "pruned" and t.reports)]
    found = OpenSpace.of(parameters, [*known, *([point] if ended else [])])
    return Defined(number, point, None if found == space else found)


def check_same(name: str, parameter: Parameter, known: Mapping[str, Parameter]) -> None:
    """DifferentParameter if a parameter of this name is known as another one."""
    before = with_when(known[name], None) if name in known else parameter
    if before != parameter:
        raise DifferentParameter(
            f"the objective asks for {name!r} as {parameter}, and it was {before} before: a parameter has one range in "
            "all trials. Give the other one a name of its own; for a bound that depends on another value ask for a "
            'fraction of it, such as high * trial.float("fraction", 0, 1)'
        )


def stopped(trial: Trial, field: Field, rule: Pruner | None, sign: float, seconds: float | None) -> Stopped | Failed:
    """The event of an evaluation that was ended early, with what finished trials say about the value it would have had.

    field    the learning curves of all trials, larger being better; `sign` turns the user's values into that
    """
    if trial.reports and not math.isfinite(said := trial.reports[-1][1]):
        cause: Cause = "nan" if math.isnan(said) else "inf"
        return failed(trial.number, f"its last report was {said}, and it was pruned", cause, seconds)
    curve, level = field.curves.get(trial.number), best if rule is None else rule.level
    if curve is not None and curve.steps:
        outlook = Outlook.of(level(curve.values), *field.column(level, curve.steps[-1]))
        if outlook is not None and math.isfinite(outlook.variance):
            return Stopped(trial.number, sign * outlook.mean, outlook.variance, seconds)
    return Stopped(trial.number, seconds=seconds)


# ---------------------------------------------------------------------- the log


def narrate(event: Event, chronicle: Chronicle) -> None:
    """Log an event that the record holds already, on the logger "suffice": INFO for evaluations, DEBUG for asks."""
    trials = chronicle.trials
    match event:
        case Asked(number):
            if log.isEnabledFor(logging.DEBUG):
                log.debug("trial %d: %s", number, _proposal(trials[number], chronicle.history))
        case Told(number):
            trial = trials[number]
            what = ", exploring" if trial.solve is not None and trial.solve.kind in EXPLORING else ""
            log.info("trial %d: %r%s%s%s", number, observed_value(trial), what, _best(trial, chronicle), _took(trial))
        case Failed(number, reason, cause):
            log.info("trial %d failed (%s): %s%s", number, cause, reason, _took(trials[number]))
        case Stopped(number):
            trial = trials[number]
            step = f" at step {trial.reports[-1][0]}" if trial.reports else ""
            log.info("trial %d was pruned%s%s", number, step, _took(trial))
        case Cancelled(number, reason):
            log.info("trial %d was cancelled: %s", number, reason)
        case _:
            pass


def _proposal(trial: Trial, history: History) -> str:
    """Where the point comes from; of the model's points, the effort and the accuracy of the search."""
    solve = trial.solve
    if solve is None:
        words = {"design": "of the initial design", "given": "given as x0", "polish": "near the best point"}
        return words.get(trial.origin, "evaluated elsewhere")
    what = purpose(trial, history) or ("" if solve.kind is None else f"step {solve.kind!r}")
    said = ["proposed by the model", *([what] if what else [])]
    said.append(f"{solve.n_evals} evaluations of the acquisition")
    if solve.relative_gap is not None:
        said.append(f"relative gap {solve.relative_gap:.2g}")
    said.append(solve.status.name)
    said += [f"{phase} {1e3 * seconds:.1f} ms" for phase, seconds in solve.seconds.items()]
    return ", ".join(said)


def _best(trial: Trial, chronicle: Chronicle) -> str:
    if trial.origin == "foreign":  # they come by the thousand, and the best is looked for each time
        return ", evaluated elsewhere"
    history, beyond = chronicle.history, "" if trial.feasible else ", infeasible"
    if history.best is not None and history.best.number == trial.number:
        return ", the best so far"
    if history.settings.several and any(one.number == trial.number for one in Front(history).trials):
        return f", one of {found(history)}"
    return f"{beyond}, {found(history)}"


def _took(trial: Trial) -> str:
    return "" if trial.seconds is None else f", {trial.seconds:.3g} s"
