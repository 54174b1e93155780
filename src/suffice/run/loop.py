"""The loop of a run: keep evaluations under way until a limit is reached.

Evaluation is at least once, recording exactly once: a trial is told when its future is done, in the order of the asks
among those that are done. However a run ends, no trial of its own is left pending and no value is lost.
"""

import logging
from collections import deque
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from suffice.errors import Infeasible, NotStored, SpaceExhausted, UnusableFile
from suffice.markup import short_point
from suffice.run.attempts import Attempts
from suffice.run.desk import Desk
from suffice.run.evaluation import Evaluated, in_words
from suffice.run.hope import Hope
from suffice.run.limits import Limits
from suffice.run.live import Line
from suffice.run.watching import Audience, Moment
from suffice.study.failures import failures
from suffice.study.optimizer import Optimizer
from suffice.study.trial import Trial

log = logging.getLogger("suffice")

WAY_OUT = (
    "The executor has lost its workers, and how to make another of its kind is not known. The evaluations that were "
    "under way are the cancelled ones of `.trials`. To go on, take a new executor; an sf.Optimizer learns the values "
    "so far by optimizer.tell(trial.point, trial.value)."
)


@dataclass
class Loop:
    """Keep evaluations under way until a limit is reached, or until there is no hope."""

    optimizer: Optimizer
    attempts: Attempts
    limits: Limits
    raising: bool  # whether an exception of the objective, or the death of its worker, ends the run
    audience: Audience = field(default_factory=Audience)
    waiting: deque[Trial] = field(default_factory=deque)  # asked for before this run: evaluated before any new one
    patient: bool = False  # whether to go on even if the first evaluations all raise
    hope: Hope = field(init=False)
    desk: Desk = field(init=False)  # where evaluations report to

    def __post_init__(self) -> None:
        self.hope = Hope(self.attempts.width, self.limits.n_trials)
        if self.patient or any(t.state == "done" and t.origin != "foreign" for t in self.optimizer.trials):
            self.hope.returned()  # an earlier run of the study has shown that the objective can be evaluated
        self.desk = Desk(self.optimizer)
        if self.attempts.evaluate.live:
            self.attempts.line = lambda number: Line(number, self.desk)
        self.attempts.again = lambda trial, why: self._say("again", trial, why)

    def run(self) -> str:
        """Why the run ended, as a sentence.

        Ctrl-C ends it like any other reason. A second one, while it ends, comes out; so does every other exception,
        with the result so far as `.result` and the trials as `.trials`.
        """
        message = "the run was interrupted"
        try:
            try:
                message = self._run()
            except KeyboardInterrupt:
                message = self._end("interrupted")
        except BaseException as error:
            message = f"the run ended: {in_words(error)}"
            died = isinstance(error, BrokenExecutor)
            with suppress(UnusableFile):  # no longer ours, or full: the first error says what there is to say
                self._end("its worker process died, or that of another" if died else message)
            self._attach(error, message)
            raise
        finally:
            self.attempts.close()
            self.desk.close()
            self.audience.hear(Moment("ended", self.optimizer, self.limits.n_trials, message=message))
        return message

    def _attach(self, error: BaseException, message: str) -> None:
        """Nothing that was evaluated is lost with an exception."""
        with suppress(Exception):  # some exceptions take neither attributes nor notes; the error itself comes first
            error.trials = self.optimizer.trials  # type: ignore[attr-defined]
            error.result = self.optimizer.result(message)  # type: ignore[attr-defined]
            error.add_note("The result so far is attached to this exception as `.result`, its trials as `.trials`.")
            if isinstance(error, BrokenExecutor):
                error.add_note(WAY_OUT)

    def _run(self) -> str:
        while True:
            ended = self._refill()
            if not self.attempts:
                return ended
            if not self.attempts.wait(self.limits.seconds_left()):
                return self._end("the time is up")
            for over in self.attempts.over():
                self._hear(over.trial, over.evaluated)
                reason = self.limits.reached(self.optimizer)
                if reason:
                    return self._end(reason)

    def _refill(self) -> str:
        """Start evaluations until the budget, the width or the time is reached; why there are no more."""
        while not self.attempts.full:
            settled, budget = self.optimizer.history.evaluated, self.limits.n_trials
            if settled + len(self.attempts) >= budget:
                failed = failures(self.optimizer.trials)
                if settled > budget:  # a study that goes on
                    known = f"{settled} trials are done already, and n_trials={budget} adds none"
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
            trial = self.waiting[0] if self.waiting else self.optimizer.ask()
            self.hope.started(trial.number)
            self._say("started", trial)
            self.attempts.start(trial)
            if self.waiting:
                self.waiting.popleft()  # only now it is under way
        except BaseException as error:  # Ctrl-C in the ask or the objective, or an executor that takes no more work
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else f"no value: {in_words(error)}"
            for trial in self.optimizer.trials[asked:]:
                if trial.number not in self.attempts:  # by then it may be under way, or even have its value
                    self._cancel(trial, reason)
            raise

    def _hear(self, trial: Trial, evaluated: Evaluated) -> None:
        """Record an evaluation that is over, and raise its error if the run is to end with it."""
        error = self._settle(trial, evaluated)
        self.attempts.forget(trial)
        if error is None:
            self.hope.returned()
            return
        if evaluated.cause == "timed out":  # the user has set the limit, and waits for what stays within
            return
        self.hope.raised(trial.number)
        if self.raising or self.hope.gone or (evaluated.error is None and self._never_a_number(trial)):
            with suppress(Exception):  # some exceptions take no notes
                gone = self.hope.gone and not self.raising
                why = f"The first {self.hope.first} evaluations all failed, so the run has ended. " if gone else ""
                error.add_note(f"{why}The objective was called with the point {short_point(trial.point)}.")
            raise error

    def _never_a_number(self, trial: Trial) -> bool:
        """Whether a value that is no number speaks for all: no trial is done, and no earlier one is under way."""
        earlier = any(number < trial.number for number in self.attempts)
        return not earlier and not any(trial.state == "done" for trial in self.optimizer.trials)

    def _settle(self, trial: Trial, evaluated: Evaluated) -> Exception | None:
        """Tell the value; or record that there is none, and return why."""
        error = evaluated.error
        if evaluated.trouble:
            log.warning("trial %d could not report, and was not stopped early: %s", trial.number, evaluated.trouble)
        if evaluated.stopped:
            self.optimizer.stop(trial, seconds=evaluated.seconds)
        elif error is not None:
            error = self._failed(trial, evaluated, error)
        else:
            try:
                self.optimizer.tell(trial, evaluated.value, seconds=evaluated.seconds)
            except TypeError as wrong:  # not a number
                error = wrong
                self.optimizer.fail(trial, str(wrong), cause="raised", seconds=evaluated.seconds)
        self._say("settled", self.optimizer.trials[trial.number])
        return error

    def _cancel(self, trial: Trial, reason: str) -> None:
        """Record that a trial of this run will have no value."""
        if self.optimizer.trials[trial.number].state == "pending":
            self._say("settled", self.optimizer.cancel(trial, reason))

    def _say(self, kind: Literal["started", "again", "settled"], trial: Trial, message: str = "") -> None:
        """Tell the audience what happened to a trial."""
        self.audience.hear(Moment(kind, self.optimizer, self.limits.n_trials, trial, message))

    def _failed(self, trial: Trial, evaluated: Evaluated, error: Exception) -> Exception | None:
        """Record why there is no value; a point that the objective says is infeasible is an answer, and no error."""
        if isinstance(error, Infeasible):
            said = in_words(error).removeprefix(f"{type(error).__name__}: ")
            self.optimizer.fail(trial, said, cause="infeasible", seconds=evaluated.seconds)
            return None
        reason = evaluated.words or evaluated.text
        text = evaluated.text or None
        self.optimizer.fail(trial, reason, cause=evaluated.cause, seconds=evaluated.seconds, traceback=text)
        return error

    def _end(self, reason: str) -> str:
        """Record what is over, cancel the rest; if it is interrupted, the next call goes on with it."""
        unfinished = self.attempts.end()
        for over in self.attempts.over():
            if self.optimizer.trials[over.trial.number].state == "pending":  # else settled before the interruption
                with suppress(NotStored):  # it is held in memory, and the next value has to be, too
                    self._settle(over.trial, over.evaluated)
            self.attempts.forget(over.trial)
        for trial in unfinished:
            with suppress(NotStored):
                self._cancel(trial, reason)
            self.attempts.forget(trial)
        return reason
