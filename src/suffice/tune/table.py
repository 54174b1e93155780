"""The trials of a tuned command on the screen: a row for each as it ends, and below them where the run stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from suffice.progress import Display, duration
from suffice.run.watching import Moment
from suffice.study.trial import Trial
from suffice.tune.command import as_text

HEADER = f"{'trial':>6}  {'value':>12}    {'time':>8}  parameters"


@dataclass
class Table:
    """A watcher that shows a row for every trial that has ended."""

    display: Display
    _headed: bool = False

    def __call__(self, moment: Moment) -> None:
        trial = moment.trial
        if moment.kind != "settled" or trial is None:
            return
        if not self._headed:
            self.display.line(HEADER)
            self._headed = True
        best = moment.optimizer.history.best
        better = best is not None and best.number == trial.number
        self.display.line(row(trial, better))


def row(trial: Trial, best: bool = False) -> str:
    """A trial in a line; a star marks the best so far."""
    value = f"{trial.value:.6g}" if trial.state == "done" else trial.state
    took = "" if trial.seconds is None else _time(trial.seconds)
    said = f"  # {_printable(trial.reason)}" if trial.reason else ""
    return f"{trial.number:>6}  {value:>12} {'*' if best else ' '}  {took:>8}  {shown(trial.point)}{said}"


def shown(point: Mapping[str, Any]) -> str:
    """The values of a point, for a column to be read: floats shortened, and no letter that a terminal would obey."""
    texts = {name: f"{v:.4g}" if isinstance(v, float) else as_text(v) for name, v in point.items()}
    return " ".join(f"{name}={_printable(text)}" for name, text in texts.items())


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else duration(seconds)
