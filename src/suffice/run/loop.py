"""The loop of a run: keep evaluations under way until a limit is reached.

Evaluation is at least once, recording exactly once: a trial is told when its future is done, in the order of the asks
among those that are done. However a run ends, no trial of its own is left pending and no value is lost.
"""

from collections import deque
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from suffice.errors import Infeasible, SpaceExhausted
from suffice.run.evaluation import Evaluated, Evaluation, fault_of_trip, in_words
from suffice.run.failures import failures
from suffice.run.flight import Flight, Task
from suffice.run.hope import Hope
from suffice.run.limits import Limits
from suffice.run.watching import Audience, Moment
from suffice.study.optimizer import Optimizer
from suffice.study.trial import Trial

WAY_OUT = (
    "A worker process died, for lack of memory or by a crash in compiled code, and its pool is of no more use. The "
    "evaluations that were under way are the cancelled ones of `.trials`: try their points one by one to find the one "
    "that does it. To go on, take a new executor; an sf.Optimizer learns the values so far by "
    "optimizer.tell(trial.point, trial.value)."
)
UNSENT = (
    "Another process gets the objective by pickle, which a lambda, a function inside a function or an open file does "
    "not survive. Define it by `def` at the top level of a module, or take a ThreadPoolExecutor."
)


@dataclass
class Loop:
    """Keep evaluations under way until a limit is reached, or until there is no hope."""

    optimizer: Optimizer
    evaluate: Evaluation
    flight: Flight[Trial]
    limits: Limits
    raising: bool  # whether any exception of the objective ends the run
    audience: Audience = field(default_factory=Audience)
    waiting: deque[Trial] = field(default_factory=deque)  # asked for before this run: evaluated before any new one
    hope: Hope = field(init=False)

    def __post_init__(self) -> None:
        self.hope = Hope(self.flight.width, self.limits.n_trials)

    def run(self) -> str:
        """Why the run ended, as a sentence."""
        message = "the run was interrupted"
        try:
            message = self._run_to_an_end()
        except BaseException as error:
            message = f"the run ended: {in_words(error)}"
            raise
        finally:
            self.audience.hear(Moment("ended", self.optimizer, self.limits.n_trials, message=message))
        return message

    def _run_to_an_end(self) -> str:
        """Why the run ended; whatever ends it, no trial that it began is left pending."""
        try:
            return self._run()
        except KeyboardInterrupt:
            return self._end("interrupted")
        except BaseException as error:
            died = isinstance(error, BrokenExecutor)
            self._end("its worker process died, or that of another" if died else f"the run ended: {in_words(error)}")
            with suppress(Exception):  # some exceptions take neither attributes nor notes; the error itself comes first
                error.trials = self.optimizer.trials  # type: ignore[attr-defined]  # nothing evaluated is lost
                error.add_note("The evaluations so far are attached to this exception as `.trials`.")
                if died:
                    error.add_note(WAY_OUT)
                if "pickle" in in_words(error) and fault_of_trip(self.evaluate) is not None:
                    error.add_note(UNSENT)
            raise

    def _run(self) -> str:
        while True:
            ended = self._refill()
            if not self.flight:
                return ended
            if not self.flight.wait(self.limits.seconds_left()):
                return self._end("the time is up")
            for task in self.flight.finished():
                self._hear(task)
                reason = self.limits.reached(self.optimizer)
                if reason:
                    return self._end(reason)

    def _refill(self) -> str:
        """Start evaluations until the budget, the width or the time is reached; why there are no more."""
        while not self.flight.full:
            trials, budget = self.optimizer.trials, self.limits.n_trials
            if sum(trial.state in ("done", "failed") for trial in trials) + len(self.flight) >= budget:
                failed = failures(trials)
                return f"{budget} trials are done, {failed}" if failed else f"all {budget} trials are done"
            if self.limits.seconds_left() == 0.0:
                return "the time is up"
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
            self.flight.start(trial, self.evaluate, trial.point)
            if self.waiting:
                self.waiting.popleft()  # only now it is under way
        except BaseException as error:  # Ctrl-C in the ask or the objective, or an executor that takes no more work
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else f"no value: {in_words(error)}"
            held = {task.what.number for task in self.flight}  # by then it may be under way, or even have its value
            for trial in self.optimizer.trials[asked:]:
                if trial.number not in held:
                    self._cancel(trial, reason)
            raise

    def _hear(self, task: Task[Trial]) -> None:
        """Record an evaluation that is over, and raise its error if the run is to end with it."""
        trial, evaluated = task.what, _evaluated(task)  # raises what the executor itself could not do
        error = self._settle(trial, evaluated)
        self.flight.forget(task)
        if error is None:
            self.hope.returned()
            return
        self.hope.raised(trial.number)
        if self.raising or self.hope.gone or (evaluated.error is None and self._never_a_number(trial)):
            raise error

    def _never_a_number(self, trial: Trial) -> bool:
        """Whether a value that is no number speaks for all: no trial is done, and no earlier one is under way."""
        earlier = any(task.what.number < trial.number for task in self.flight)
        return not earlier and not any(trial.state == "done" for trial in self.optimizer.trials)

    def _settle(self, trial: Trial, evaluated: Evaluated) -> Exception | None:
        """Tell the value; or record that there is none, and return why."""
        error = evaluated.error
        if error is not None:
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

    def _say(self, kind: Literal["started", "settled"], trial: Trial) -> None:
        """Tell the audience what happened to a trial."""
        self.audience.hear(Moment(kind, self.optimizer, self.limits.n_trials, trial))

    def _failed(self, trial: Trial, evaluated: Evaluated, error: Exception) -> Exception | None:
        """Record why there is no value; a point that the objective says is infeasible is an answer, and no error."""
        if isinstance(error, Infeasible):
            said = in_words(error).removeprefix(f"{type(error).__name__}: ")
            self.optimizer.fail(trial, said, cause="infeasible", seconds=evaluated.seconds)
            return None
        reason = evaluated.words or evaluated.text
        self.optimizer.fail(trial, reason, cause="raised", seconds=evaluated.seconds, traceback=evaluated.text)
        return error

    def _end(self, reason: str) -> str:
        """Tell what is done, cancel the rest."""
        for task in self.flight.end():
            if self.optimizer.trials[task.what.number].state != "pending":  # settled before the run was interrupted
                continue
            if task.has_result:
                self._settle(task.what, _evaluated(task))
            else:
                self._cancel(task.what, reason)
        return reason


def _evaluated(task: Task[Trial]) -> Evaluated:
    """What the evaluation gave; an executor that returns something else has failed to evaluate."""
    found = task.result()
    if isinstance(found, Evaluated):
        return found
    text = f"the executor must return what the call returned: got {type(found).__name__} instead"
    return Evaluated(None, 0.0, TypeError(text), text)
