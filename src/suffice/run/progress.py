"""The progress of many runs, or of the trials of one run, with the estimated remaining time.

The program calls `progress(event)` after every change. `display` creates `progress`: a bar, a line that changes, or
lines. An `Onlooker` turns the moments of one run into events.
"""

import io
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from importlib.util import find_spec
from typing import Any, Protocol, TextIO, TypeAlias

from suffice.result.front import found
from suffice.run.loop import Moment


@dataclass(frozen=True)
class Event:
    """The present state of the work."""

    total: int  # requested …
    done: int  # … made in this run,
    skipped: int = 0  # made before,
    failed: int = 0  # not possible
    running: tuple[str, ...] = ()  # names of those that run now
    seconds: float | None = None  # estimated until the end; None: unknown
    unit: str = "runs"  # what is counted
    best: str = ""  # the best value so far
    found: str = ""  # shown without a best value, such as "a front of 5 trials"
    deciding: float | None = None  # the fraction of the time for choosing points; None: unknown
    ended: bool = False  # whether the work has ended, for any reason

    @property
    def over(self) -> bool:
        return self.ended or self.settled == self.total

    @property
    def settled(self) -> int:
        return self.skipped + self.done + self.failed

    def __str__(self) -> str:
        parts = [f"{self.settled} of {self.total} {self.unit}"]
        if self.best:
            parts.append(f"best {self.best}")
        if self.found:
            parts.append(self.found)
        if self.skipped:
            parts.append(f"{self.skipped} done before")
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.deciding is not None:
            parts.append(f"{share(self.deciding)} of the time spent choosing points")
        if self.seconds is not None and not self.over:
            parts.append(f"about {duration(self.seconds)} left")
        if self.running:
            parts.append("running " + ", ".join(self.running))
        return "; ".join(parts)


Progress: TypeAlias = Callable[[Event], object]


def duration(seconds: float) -> str:
    """Seconds as text: 45 s, 12 min, 3 h 20 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def share(part: float) -> str:
    """A fraction as text: 0.4 %, 12 %."""
    return f"{100 * part:.1f} %" if part < 0.0995 else f"{100 * part:.0f} %"


class Display(Protocol):
    """Shows the progress, and lines of text that stay."""

    def __call__(self, event: Event, /) -> None:
        """Show the present state."""

    def line(self, text: str, /) -> None:
        """Show a line that stays."""


def display(stream: TextIO | None = None) -> "Shown":
    """A bar on a terminal if rich is installed, otherwise text: `with display() as progress`.

    A notebook also gets a bar. Everything else, such as a log, gets a line every few seconds. If the stream is closed
    or its disk is full, nothing is shown, and the run goes on.
    """
    stream = stream or sys.stderr or io.StringIO()  # None in a program without a console
    if stream.isatty() and find_spec("rich") is not None:
        return Shown(Bar(stream))
    if type(stream).__module__.partition(".")[0] == "ipykernel":
        from IPython import get_ipython  # a kernel has it

        return Shown(Line(stream) if get_ipython() is None else Cell())
    return Shown(Lines(stream))


@dataclass(frozen=True)
class Shown:
    """A display for a `with` block that tolerates a closed screen."""

    display: Display

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *error: object) -> None:  # some errors cannot pass through a context made from a generator
        if isinstance(self.display, Bar):
            with suppress(OSError):
                self.display.bar.stop()

    def __call__(self, event: Event, /) -> None:
        with suppress(OSError):
            self.display(event)

    def line(self, text: str, /) -> None:
        with suppress(OSError):
            self.display.line(text)


@dataclass
class Lines:
    """A line of text for an event every so many seconds, and for the last one."""

    stream: TextIO
    every: float = 5.0
    _next: float = -1.0
    _shown: str | int = ""

    def __call__(self, event: Event, /) -> None:
        now, text = time.monotonic(), str(event)
        shown = event.settled if event.over else text  # the last one comes twice, with another share of the time
        if (event.over or now >= self._next) and shown != self._shown:
            self._next, self._shown = now + self.every, shown
            self.line(text)

    def line(self, text: str, /) -> None:
        print(text, file=self.stream, flush=True)


@dataclass
class Line:
    """One line of text that is overwritten."""

    stream: TextIO
    _shown: str = ""
    _last: int = -1

    def __call__(self, event: Event, /) -> None:
        text = str(event)
        if not event.over:
            self._write(text, "")
        elif event.settled != self._last:  # the last one comes twice
            self._last = event.settled
            self._write(text, "\n")

    def line(self, text: str, /) -> None:
        shown = self._shown
        self._write(text, "\n")
        self._write(shown, "")

    def _write(self, text: str, end: str) -> None:
        blank = " " * max(0, len(self._shown) - len(text))  # to overwrite a longer line
        print(f"\r{text}{blank}", end=end, file=self.stream, flush=True)
        self._shown = "" if end else text


class Cell:
    """A bar in the output of a notebook's cell, with the event beside it; only the event without HTML."""

    def __init__(self) -> None:
        from IPython.display import display

        show: Callable[..., Any] = display  # which has no types
        self.handle = show({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, event: Event, /) -> None:
        text = str(event)
        bar = f'<progress value="{event.settled}" max="{event.total}"></progress> {escape(text)}'
        self.handle.update({"text/html": bar, "text/plain": text}, raw=True)

    def line(self, text: str, /) -> None:
        print(text)


class Bar:
    """A bar by rich with the event beside it."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self.bar = Progress(
            BarColumn(20, table_column=Column(min_width=20)),
            TextColumn("{task.description}", markup=False, table_column=rest),
            console=Console(file=stream),
            auto_refresh=False,  # drawn after each report, not by a separate thread
            transient=True,
            expand=True,
        )
        self.task = self.bar.add_task("", total=None)
        with suppress(OSError):  # the terminal is gone
            self.bar.start()

    def __call__(self, event: Event, /) -> None:
        self.bar.update(self.task, total=event.total, completed=event.settled, description=str(event), refresh=True)

    def line(self, text: str, /) -> None:
        self.bar.console.print(text, markup=False, highlight=False, no_wrap=True, overflow="ellipsis", crop=True)


@dataclass
class Onlooker:
    """A watcher that turns the moments of a run into events for a display."""

    show: Callable[[Event], object]
    _before: int | None = None  # evaluations that were made before this run, …
    _lost: int = 0  # … that had failed
    _start: float = field(default_factory=lambda: time.monotonic())
    _own: set[int] = field(default_factory=set)  # numbers of the trials that were started in this run
    _running: int = 0

    def __call__(self, moment: Moment) -> None:
        """Show the progress of the run."""
        if self._before is None:
            self._before = moment.optimizer.history.evaluated
            self._lost = len(moment.optimizer.history.failed)
        if moment.kind == "started" and moment.trial is not None:
            self._own.add(moment.trial.number)
            self._running += 1
        elif moment.kind == "settled":
            self._running -= 1
        self.show(self._event(moment, self._before))

    def _event(self, moment: Moment, before: int) -> Event:
        trials, history = moment.optimizer.trials, moment.optimizer.history
        settled = history.evaluated
        failed = len(history.failed)  # of the whole study, as in its message at the end
        elapsed = time.monotonic() - self._start
        reports = (trials[number].solve for number in self._own)
        deciding = sum(sum(report.seconds.values()) for report in reports if report is not None)
        best = history.best
        return Event(
            moment.budget,
            done=settled - before - (failed - self._lost),
            skipped=before - self._lost,
            failed=failed,
            seconds=self._left(moment.seconds_left, moment.budget - settled, settled - before, elapsed),
            unit="trials",
            best="" if best is None else f"{best.value:.6g}",
            found=found(history) if best is None and history.done else "",
            deciding=min(1.0, deciding / elapsed) if elapsed > 0 and settled > before else None,
            ended=moment.kind == "ended",
        )

    def _left(self, by_clock: float | None, to_come: int, settled: int, elapsed: float) -> float | None:
        """Seconds until the end, by the pace so far and by the timeout; None if unknown yet."""
        if settled < 1:
            return by_clock
        half_done = 0.5 * max(0, self._running - 1)  # of several running ones; one has just begun
        by_pace = elapsed * (to_come - half_done) / (settled + half_done)
        return max(0.0, by_pace if by_clock is None else min(by_pace, by_clock))
