"""The trials of a tuned command on the screen: a row for each as it ends, and below them where the run stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suffice.progress import Display, duration
from suffice.run.watching import Moment
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.trial import Trial
from suffice.tune.aims import Aims
from suffice.tune.command import as_text

WIDTH = 12  # of a column of values, or as much as its name takes
BEST, BEYOND = "*", "!"  # the best so far, or one of the front; beyond a limit


@dataclass
class Table:
    """A watcher that shows a row for every trial that has ended."""

    display: Display
    aims: Aims
    _headed: bool = False

    def __call__(self, moment: Moment) -> None:
        trial = moment.trial
        if moment.kind != "settled" or trial is None:
            return
        names = ("value",) if self.aims.plain else self.aims.outputs
        if not self._headed:
            self.display.line(header(names))
            self._headed = True
        self.display.line(row(trial, names, _mark(trial, moment.optimizer.history)))


def header(names: Sequence[str]) -> str:
    """The names of the columns; `names` are those of the values."""
    return f"{'trial':>6}  {_cells(names, names)}    {'time':>8}  parameters"


def row(trial: Trial, names: Sequence[str], mark: str = " ") -> str:
    """A trial in a line; a mark says that it is the best so far, or one of the front, or beyond a limit."""
    values = trial.values
    if trial.state == "done":
        texts = [f"{values[name]:.6g}" if name in values else "-" for name in names]
    else:
        texts = [trial.state, *("" for _ in names[1:])]
    took = "" if trial.seconds is None else _time(trial.seconds)
    said = f"  # {_printable(trial.reason)}" if trial.reason else ""
    if trial.state == "stopped" and trial.reports:
        said = f"  # at step {trial.reports[-1][0]}: {trial.reports[-1][1]:.6g}"
    return f"{trial.number:>6}  {_cells(texts, names)} {mark}  {took:>8}  {shown(trial.point)}{said}"


def shown(point: Mapping[str, Any]) -> str:
    """The values of a point, for a column to be read: floats shortened, and no letter that a terminal would obey."""
    texts = {name: f"{v:.4g}" if isinstance(v, float) else as_text(v) for name, v in point.items()}
    return " ".join(f"{name}={_printable(text)}" for name, text in texts.items())


def _mark(trial: Trial, history: History) -> str:
    """What is to be said of a trial that has just ended."""
    if trial.feasible is False:
        return BEYOND
    best = Front(history).trials if history.settings.several else (history.best,)
    return BEST if any(other is not None and other.number == trial.number for other in best) else " "


def _cells(texts: Sequence[str], names: Sequence[str]) -> str:
    return "  ".join(f"{text:>{max(WIDTH, len(name))}}" for text, name in zip(texts, names, strict=True))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else duration(seconds)
