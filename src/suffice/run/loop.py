"""The loop of a run: keep the workers busy until a limit is reached.

`Limits` end a run as planned, `Hope` ends a run if all its first evaluations fail, and `Loop` asks, evaluates and
tells. A trial is evaluated at least once and recorded exactly once, as soon as its value is available. Values that
arrive together are recorded in the order of the asks. However a run ends, no trial stays pending and no value is lost.

Watchers are functions of a `Moment`. The thread of the run calls them between two steps, so they see a consistent
optimizer and should be fast. A watcher that raises an exception is not called again, and the run goes on. Ctrl-C in a
watcher ends the run.
"""

import inspect
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from suffice.acquisition import LookAround
from suffice.ask.polish import check_polish, why_not
from suffice.checks import as_bool, as_count, short
from suffice.errors import DifferentParameter, Infeasible, NotStored, SpaceExhausted, UnusableFile
from suffice.record.settings import Settings
from suffice.record.trial import EVALUATED, Trial
from suffice.result.findings import failures
from suffice.result.front import found
from suffice.result.result import INTERRUPTED, Result
from suffice.run.attempts import Attempts
from suffice.run.evaluation import Evaluated, in_words, name_of, takes_one
from suffice.run.live_trial import Desk, Draws, Line
from suffice.run.options import RunOptions, as_seconds
from suffice.run.processes import HOPELESS
from suffice.run.shift import Shift
from suffice.space import OpenSpace, is_unknown
from suffice.study.optimizer import Optimizer
from suffice.study.stop import Stop
from suffice.text import short_point

log = logging.getLogger("suffice")

POLISHED = 0.1  # of the trials: with a fifth, runs in curved valleys ended at worse values

# If so many first evaluations have no value (such as nan), the run ends: if four of five points fail, one run of a
# hundred begins like this.
IN_VAIN = 20


@dataclass(frozen=True)
class Limits:
    """When to start no more evaluations. Made at the beginning of the run, because its clock starts there."""

    n_trials: int
    deadline: float | None = None  # monotonic seconds
    polished: int = 0  # the number of last trials that refine the best point
    rules: tuple[Stop, ...] = ()
    callbacks: tuple[Callable[[Result], Any], ...] = ()

    def reached(self, optimizer: Optimizer) -> str | None:
        """Why to stop after the evaluation just recorded, or None."""
        for rule in self.rules:
            reason = rule(optimizer)
            if reason:
                return reason if isinstance(reason, str) else f"stopped by the rule {_named(rule)}"
        for callback in self.callbacks:
            try:
                said = callback(optimizer.result())
                if said:  # `file.write` returns a number, for example: the message shows the reason
                    means_it = isinstance(said, bool | np.bool_)
                    return f"stopped by the callback{'' if means_it else f', which returned {short(said)}'}"
            except StopIteration:
                return "stopped by the callback"
        return None

    def seconds_left(self) -> float | None:
        """Until the deadline; None if there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


def as_limits(n_trials: int, options: RunOptions, settings: Settings | None = None) -> Limits:
    """The limits of a run that begins now, checked, also against the settings of its study."""
    count, rules, callbacks = as_budget(n_trials), _as_rules(options["stop"]), _as_callbacks(options["callback"])
    for rule in rules:
        check = getattr(rule, "check", None)  # the user's own rules need not have it
        if callable(check) and settings is not None:
            check(settings)
    seconds = as_seconds(options["timeout"], "timeout must be seconds ≥ 0 or None")
    until = None
    if seconds is not None:
        import_module("scipy.stats.qmc")  # which the first ask needs: loading it may take a second
        until = time.monotonic() + seconds
    return Limits(count, until, rules=rules, callbacks=callbacks)


def as_polished(given: object, optimizer: Optimizer, n_trials: int) -> int:
    """The number of last trials that refine the best point; ValueError if that is requested but impossible.

    It is a fraction of the trials that this study makes itself, so a resumed run has the same ones.
    """
    if given is not None and as_bool(given, "polish"):
        check_polish(optimizer.settings)
    # If the user chooses another acquisition, all points come from it; regret bounds cover only such points.
    wanted = isinstance(optimizer.settings.acquisition, LookAround) if given is None else given
    if not wanted or why_not(optimizer.settings):
        return 0
    known = sum(trial.origin == "foreign" and trial.state in EVALUATED for trial in optimizer.trials)
    return round(POLISHED * max(0, n_trials - known))


def as_budget(n_trials: object) -> int:
    """The number of evaluations; 50.0, a result of arithmetic, counts as 50."""
    whole = isinstance(n_trials, float | np.floating) and float(n_trials).is_integer()
    return as_count(int(n_trials) if whole else n_trials, "n_trials", 1)  # type: ignore[call-overload]


def _as_callbacks(callback: object) -> tuple[Callable[[Result], Any], ...]:
    """One callback, or several."""
    if callback is None:
        return ()
    several = tuple(callback) if isinstance(callback, list | tuple) else (callback,)
    for one in several:
        if isinstance(one, type) or not callable(one):
            raise TypeError(f"callback takes a function, or a list of them: got {one!r}")
        if not takes_one(one):
            raise TypeError(
                "a callback is called with one argument, the result so far, such as result.fun and result.trials: got "
                f"{name_of(one)}{inspect.signature(one)}"
            )
    return several


def _as_rules(stop: object) -> tuple[Stop, ...]:
    rules = tuple(stop) if isinstance(stop, Sequence) else (stop,)
    for rule in rules:
        if isinstance(rule, type):
            name = rule.__name__
            raise TypeError(f"stop takes rules: got the class {name}; create an instance, as in sf.{name}(10)")
        if not callable(rule):
            raise TypeError(f"stop takes rules such as sf.Target(v), one or a list of them: got {rule!r}")
    return rules


def _named(rule: Stop) -> str:
    """The name of a rule for the message; a function is described by the string that it returns."""
    if not inspect.isroutine(rule):
        return repr(rule)
    name = "you gave" if rule.__name__ == "<lambda>" else f"{rule.__name__}()"
    return f"{name}; a rule that returns a sentence instead of True gives the reason"


@dataclass
class Hope:
    """It is gone when the first evaluations have all raised, and no other has returned a value.

    The first ones are as many as run at a time, but at least three (or the whole budget). They count by their start and
    not by their end, because failures are often faster than successes.

    An objective returns nan if it fails at a point, and most of a space may fail. So hope lasts longer with nan: it is
    gone when the first IN_VAIN evaluations, or as many as run at a time, have all returned nan or raised.
    """

    width: int  # evaluations that run at a time
    budget: int
    _started: int = 0
    _awaited: set[int] = field(default_factory=set)  # numbers of the first ones that have not raised
    _proven: bool = False
    _without: int = 0  # evaluations that have ended without a value

    @property
    def first(self) -> int:
        """The number of evaluations that decide."""
        return min(max(HOPELESS, self.width), self.budget)

    @property
    def gone(self) -> bool:
        """Whether the run should end."""
        return not self._proven and self._started >= self.first and not self._awaited

    @property
    def vain(self) -> str:
        """Why to end a run without any value; "" while there is hope."""
        if self._proven or self._without < max(IN_VAIN, self.width):
            return ""
        return f"the first {self._without} evaluations have all failed, and there is no value to learn from"

    def started(self, number: int) -> None:
        """An evaluation begins."""
        if self._started < self.first:
            self._awaited.add(number)
        self._started += 1

    def raised(self, number: int) -> None:
        """An evaluation ended with an exception, or with a value that is no number."""
        self._awaited.discard(number)
        self._without += 1

    def returned(self, has_value: bool = True) -> None:
        """An evaluation ended with a number; without a value, that is nan or infinite."""
        self._proven = self._proven or has_value
        self._without += not has_value


Kind: TypeAlias = Literal["started", "again", "settled", "ended"]


@dataclass(frozen=True)
class Moment:
    """An event of the run.

    kind          "started": `trial` is to be evaluated; "again": it is evaluated once more; "settled": it is
                  done, failed, stopped or cancelled, as its state says; "ended": the run is over
    trial         the trial that it is about, as it is now; None at the end
    budget        how many evaluations the run may make
    message       why: for "again" and "ended"
    seconds_left  until the timeout of the run; None: it has none
    """

    kind: Kind
    optimizer: Optimizer
    budget: int
    trial: Trial | None = None
    message: str = ""
    seconds_left: float | None = None


Watcher: TypeAlias = Callable[[Moment], None]


def opening(optimizer: Optimizer, budget: int, width: int) -> str:
    """The first line, such as "minimize 3 parameters in 50 trials, seed 0, 4 at a time; 12 trials are known"."""
    known, count = len(optimizer.trials), len(optimizer.space.names)
    what = f"{count} parameter{'s' * (count != 1)}"
    if is_unknown(optimizer.space):
        what = "the parameters that the objective asks for"
    return (
        f"{optimizer.settings.aims} {what} in {budget} trials, seed {optimizer.seed}, "
        f"{width} at a time{f'; {known} trials are already known' if known else ''}"
    )


def closing(moment: Moment) -> None:
    """A watcher that logs the end of a run: the reason and the best value."""
    if moment.kind == "ended" and log.isEnabledFor(logging.INFO):
        log.info("run ended: %s; %s", moment.message, found(moment.optimizer.history))


@dataclass
class Loop:
    """Keep the workers busy until a limit is reached, or until there is no hope."""

    optimizer: Optimizer
    attempts: Attempts
    limits: Limits
    raising: bool  # whether an exception of the objective, or the death of its worker, ends the run
    watchers: Iterable[Watcher] = ()
    waiting: deque[Trial] = field(default_factory=deque)  # pending trials from before this run: evaluated first
    patient: bool = False  # whether to continue even if the first evaluations all raise
    shift: Shift | None = None  # for a worker of a shared study: the source of its trials
    hope: Hope = field(init=False)
    desk: Desk = field(init=False)  # receives the reports of evaluations

    def __post_init__(self) -> None:
        self.watchers = list(self.watchers)
        self.hope = Hope(self.attempts.width, self.limits.n_trials)
        if self.patient or any(t.state == "done" and t.origin != "foreign" for t in self.optimizer.trials):
            self.hope.returned()  # the objective worked in an earlier run of the study
        self.desk = Desk(self.optimizer)
        if self.attempts.evaluate.live or isinstance(self.optimizer.space, OpenSpace):
            self.attempts.line = self._line
        self.attempts.again = lambda trial, why: self._say("again", trial, why)

    def _line(self, number: int) -> tuple[Any, ...]:
        """The line for an evaluation's reports, with the data that a define-by-run trial needs."""
        line, settings = Line(number, self.desk), self.optimizer.settings
        return (
            (line, Draws(settings.seed, dict(settings.space.params)))
            if isinstance(settings.space, OpenSpace)
            else (line,)
        )

    def run(self) -> str:
        """Why the run ended, as a sentence.

        Ctrl-C ends the run like any other reason. A second Ctrl-C during the end is raised, as are all other
        exceptions, with the result so far as `.result` and the trials as `.trials`.
        """
        message = "the run was interrupted"
        try:
            try:
                message = self._run()
            except KeyboardInterrupt:
                message = self._end(INTERRUPTED)
        except BaseException as error:
            message = f"the run ended: {in_words(error)}"
            died = isinstance(error, BrokenExecutor)
            with suppress(UnusableFile):  # the file is no longer ours, or full: the first error is enough
                self._end("its worker process died, or that of another" if died else message)
            self._attach(error, message)
            raise
        finally:
            self.attempts.close()
            self.desk.close()
            if self.shift is not None:
                self.shift.close()
            self._say("ended", None, message)
        return message

    def _attach(self, error: BaseException, message: str) -> None:
        """Attach the result to an exception, so that no value is lost."""
        with suppress(Exception):  # some exceptions accept neither attributes nor notes; the error itself matters more
            error.trials = self.optimizer.trials  # type: ignore[attr-defined]
            error.result = self.optimizer.result(message)  # type: ignore[attr-defined]
            error.add_note("The result so far is attached to this exception as `.result`, its trials as `.trials`.")
            if isinstance(error, BrokenExecutor):
                error.add_note(
                    "The executor has lost its workers and cannot be replaced automatically. The trials "
                    "that were pending are the cancelled ones of `.trials`. To resume, use a new executor; pass the "
                    "values so far to an sf.Optimizer with optimizer.tell(trial.point, trial.value)."
                )

    def _run(self) -> str:
        enough = self._enough_before()
        if enough:
            return enough
        while True:
            ended = self._refill() if self.shift is None else self._join(self.shift)
            if not self.attempts and ended:
                return ended
            if not self._wait():
                if self.limits.seconds_left() == 0.0:
                    return self._end("the time is up")
                reason = None if self.shift is None else self.shift.news(self.limits.reached)
                if reason:
                    return self._end(reason)
                continue
            for trial, evaluated in self.attempts.over():
                self._hear(trial, evaluated)
                reason = self.limits.reached(self.optimizer) or self.hope.vain
                if reason:
                    return self._end(reason)

    def _enough_before(self) -> str | None:
        """Why an earlier run of the study with the same arguments ended: this one evaluates nothing more."""
        if self.waiting or not any(t.state in EVALUATED and t.origin != "foreign" for t in self.optimizer.trials):
            return None
        return self.limits.reached(self.optimizer) if self.shift is None else self.shift.news(self.limits.reached)

    def _wait(self) -> bool:
        """Wait until an evaluation is over, or for new trials in a shared study; whether an evaluation is over."""
        left = self.limits.seconds_left()
        if self.shift is None:
            return self.attempts.wait(left)
        if self.attempts:
            return self.attempts.wait(self.shift.pulse if left is None else min(left, self.shift.pulse))
        self.shift.wait(left)
        return False

    def _join(self, shift: Shift) -> str:
        """Start evaluations of unclaimed or newly proposed trials; why there will be no more."""
        while not self.attempts.full:
            if self.limits.seconds_left() == 0.0:
                return "the time is up"
            self.attempts.receive(self.limits.seconds_left())
            try:
                trial = shift.next(tuple(self.attempts), self.attempts.width - len(self.attempts))
            except SpaceExhausted as error:
                return str(error)
            if trial is None:
                break
            self._begin(trial)
        return shift.ended()

    def _begin(self, trial: Trial) -> None:
        """Start the evaluation of a trial that was claimed; if that goes wrong, it is given back."""
        try:
            self.hope.started(trial.number)
            self._say("started", trial)
            self.attempts.start(trial)
        except BaseException as error:
            if trial.number not in self.attempts:
                self._cancel(trial, "interrupted" if isinstance(error, KeyboardInterrupt) else "not started")
            raise

    def _refill(self) -> str:
        """Start evaluations up to the budget, the width or the timeout; why there will be no more."""
        while not self.attempts.full:
            settled, budget = self.optimizer.history.evaluated, self.limits.n_trials
            if settled + len(self.attempts) >= budget:
                failed = failures(self.optimizer.trials)
                if settled > budget:  # a resumed study
                    known = f"{settled} trials are already done, and n_trials={budget} adds none"
                    return f"{known}; {failed}" if failed else known
                return f"{budget} trials are done, {failed}" if failed else f"all {budget} trials are done"
            if self.limits.seconds_left() == 0.0:
                return "the time is up"
            self.attempts.receive(self.limits.seconds_left())
            try:
                self._start()
            except SpaceExhausted as error:
                return str(error)
        return ""

    def _start(self) -> None:
        """Ask for a trial and start its evaluation; if that goes wrong, no trial is left pending."""
        asked = len(self.optimizer.trials)
        try:
            trial = self.waiting[0] if self.waiting else self._ask()
            self.hope.started(trial.number)
            self._say("started", trial)
            self.attempts.start(trial)
            if self.waiting:
                self.waiting.popleft()  # only now it is started
        except BaseException as error:  # Ctrl-C in the ask or the objective, or an executor that accepts no more work
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else f"no value: {in_words(error)}"
            for trial in self.optimizer.trials[asked:]:
                if trial.number not in self.attempts:  # by then it may be started, or even have its value
                    self._cancel(trial, reason)
            raise

    def _ask(self) -> Trial:
        """The next point; in the last trials one beside the best."""
        left = self.limits.n_trials - self.optimizer.history.evaluated - len(self.attempts)
        polished = left <= self.limits.polished and not why_not(self.optimizer.settings)
        return self.optimizer.ask(polish=True) if polished else self.optimizer.ask()

    def _hear(self, trial: Trial, evaluated: Evaluated) -> None:
        """Record a finished evaluation, and raise its error if it ends the run."""
        error = self._settle(trial, evaluated)
        self.attempts.forget(trial)
        if error is None:
            self.hope.returned(self.optimizer.trials[trial.number].cause not in ("nan", "inf"))
            return
        if evaluated.cause == "timed out":  # the user set the timeout and expects failures
            return
        self.hope.raised(trial.number)
        changed = isinstance(error, DifferentParameter)  # the mistake would repeat in every trial
        if self.raising or self.hope.gone or changed or (evaluated.error is None and self._never_a_number(trial)):
            with suppress(Exception):  # some exceptions accept no notes
                gone = self.hope.gone and not self.raising
                why = f"The first {self.hope.first} evaluations all failed, so the run has ended. " if gone else ""
                error.add_note(f"{why}The objective was called with the point {short_point(trial.point)}.")
            raise error

    def _never_a_number(self, trial: Trial) -> bool:
        """Whether a value that is no number decides for all: no trial is done, and no earlier one is pending."""
        earlier = any(number < trial.number for number in self.attempts)
        return not earlier and not any(trial.state == "done" for trial in self.optimizer.trials)

    def _settle(self, trial: Trial, evaluated: Evaluated) -> Exception | None:
        """Tell the value, or record the failure and return its cause."""
        try:
            return self._recorded(trial, evaluated)
        except ValueError:
            if self.shift is None or self.optimizer.trials[trial.number].state == "pending":
                raise
            log.warning(
                "trial %d already has an outcome from another worker; this one came too late: %r",
                trial.number,
                evaluated,
            )
            return None

    def _recorded(self, trial: Trial, evaluated: Evaluated) -> Exception | None:
        error, ended = evaluated.error, not evaluated.stopped and evaluated.error is None
        if evaluated.asked is not None:
            try:
                reported = evaluated.stopped and bool(self.optimizer.trials[trial.number].reports)
                self.optimizer.define(trial, evaluated.asked, ended or reported)
            except (TypeError, DifferentParameter) as wrong:
                evaluated, error = replace(evaluated, stopped=False, words=str(wrong)), wrong
        trial = self.optimizer.trials[trial.number]  # the trial as it is now, in the present space
        if evaluated.trouble:
            log.warning("trial %d could not report and was not pruned: %s", trial.number, evaluated.trouble)
        if evaluated.stopped:
            self.optimizer.prune(trial, seconds=evaluated.seconds)
        elif error is not None:
            error = self._failed(trial, evaluated, error)
        else:
            try:
                self.optimizer.settings.as_values(evaluated.value)  # a list is a mistake here
                self.optimizer.settings.check_complete(evaluated.value)
                self.optimizer.tell(trial, evaluated.value, seconds=evaluated.seconds)
            except TypeError as wrong:  # not a number
                error = wrong
                self.optimizer.fail(trial, str(wrong), cause="raised", seconds=evaluated.seconds)
        self._say("settled", self.optimizer.trials[trial.number])
        return error

    def _cancel(self, trial: Trial, reason: str) -> None:
        """Record that a trial of this run will have no value."""
        if self.shift is not None:
            self.shift.release(trial)
        elif self.optimizer.trials[trial.number].state == "pending":
            self._say("settled", self.optimizer.cancel(self.optimizer.trials[trial.number], reason))

    def _say(self, kind: Kind, trial: Trial | None, message: str = "") -> None:
        """Call every watcher with an event."""
        moment = Moment(kind, self.optimizer, self.limits.n_trials, trial, message, self.limits.seconds_left())
        for watcher in tuple(self.watchers):
            try:
                watcher(moment)
            except Exception:
                self.watchers = [other for other in self.watchers if other is not watcher]
                log.warning("%r raised an exception and is disabled for this run", watcher, exc_info=True)

    def _failed(self, trial: Trial, evaluated: Evaluated, error: Exception) -> Exception | None:
        """Record why there is no value. An infeasible point is a result, not an error."""
        if isinstance(error, Infeasible):
            said = in_words(error).removeprefix(f"{type(error).__name__}: ")
            self.optimizer.fail(trial, said, cause="infeasible", seconds=evaluated.seconds)
            return None
        reason = evaluated.words or evaluated.text
        text = evaluated.text or None
        self.optimizer.fail(trial, reason, cause=evaluated.cause, seconds=evaluated.seconds, traceback=text)
        return error

    def _end(self, reason: str) -> str:
        """Record finished trials and cancel the others. If it is interrupted, the next call continues."""
        unfinished = self.attempts.end()
        for trial, evaluated in self.attempts.over():
            if self.optimizer.trials[trial.number].state == "pending":  # else settled before the interruption
                with suppress(NotStored):  # it stays in memory, and so must the next value
                    self._settle(trial, evaluated)
            self.attempts.forget(trial)
        for trial in unfinished:
            with suppress(NotStored):
                self._cancel(trial, reason)
            self.attempts.forget(trial)
        return reason
