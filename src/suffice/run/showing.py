"""A run on the screen: how many evaluations are done, the best value or the front, and how the time is spent."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from suffice.progress import Event, display
from suffice.run.watching import Moment, Watcher
from suffice.study.front import found
from suffice.study.optimizer import Optimizer


@dataclass
class Onlooker:
    """A watcher that turns what happens in a run into events for a display."""

    show: Callable[[Event], object]
    before: int  # evaluations that were made before this run
    seconds_left: Callable[[], float | None]  # until the time is up
    _start: float = field(default_factory=lambda: time.monotonic())
    _own: set[int] = field(default_factory=set)  # numbers of the trials that were started in this run
    _running: int = 0

    def __call__(self, moment: Moment) -> None:
        """Show where the run stands."""
        if moment.kind == "started" and moment.trial is not None:
            self._own.add(moment.trial.number)
            self._running += 1
        elif moment.kind == "settled":
            self._running -= 1
        self.show(self.event(moment))

    def event(self, moment: Moment) -> Event:
        """Where the run stands."""
        trials = moment.optimizer.trials
        settled = evaluated(moment.optimizer)
        failed = sum(trials[number].state == "failed" for number in self._own)
        elapsed = time.monotonic() - self._start
        reports = (trials[number].solve for number in self._own)
        deciding = sum(sum(report.seconds.values()) for report in reports if report is not None)
        history = moment.optimizer.history
        best = history.best
        return Event(
            moment.budget,
            done=settled - self.before - failed,
            skipped=self.before,
            failed=failed,
            seconds=self._left(moment.budget - settled, settled - self.before, elapsed),
            unit="trials",
            best="" if best is None else f"{best.value:.6g}",
            found=found(history) if best is None and history.done else "",
            deciding=min(1.0, deciding / elapsed) if elapsed > 0 and settled > self.before else None,
            ended=moment.kind == "ended",
        )

    def _left(self, to_come: int, settled: int, elapsed: float) -> float | None:
        """Seconds till the end, by the pace so far and by the clock; None: no way to know yet."""
        by_clock = self.seconds_left()
        if settled < 1:
            return by_clock
        half_done = 0.5 * max(0, self._running - 1)  # of several under way; one has just begun
        by_pace = elapsed * (to_come - half_done) / (settled + half_done)
        return max(0.0, by_pace if by_clock is None else min(by_pace, by_clock))


@dataclass
class Showing:
    """The watchers that show a run, while it goes on: one if it is wanted, else none."""

    wanted: bool
    optimizer: Optimizer
    seconds_left: Callable[[], float | None]
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> tuple[Watcher, ...]:
        if not self.wanted:
            return ()
        show = self._stack.enter_context(display())
        return (Onlooker(show, evaluated(self.optimizer), self.seconds_left),)

    def __exit__(self, *error: object) -> None:
        self._stack.close()  # the error is none of its business: there are some that no generator can pass on


def evaluated(optimizer: Optimizer) -> int:
    """How many evaluations an optimizer knows."""
    return optimizer.history.evaluated
