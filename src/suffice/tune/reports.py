"""What a command reports while it runs: lines of its output that have the metric and a step.

    step=3 loss=0.25        or        {"step": 3, "loss": 0.25}

The output goes into a file (process.py), which is followed. A line counts once it has an end; a carriage return is one,
as progress bars have it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from suffice.run.live import LiveTrial
from suffice.tune.metric import LONGEST, Metric

BLOCK = 1 << 20  # bytes that are read at a time: a program that prints more is heard a little later
ENDS = re.compile(rb"[\r\n]")


@dataclass
class Follower:
    """Follows the output of one command, and passes its reports on."""

    path: Path
    metric: Metric
    step: Metric  # by the same forms: the name of what counts the steps
    trial: LiveTrial
    _read: int = 0  # bytes of the file
    _rest: bytes = b""  # a line that has no end yet
    _last: int = field(default=-1)  # the last step: one that comes again, as in a summary at the end, is no report

    def look(self) -> bool:
        """Take in what was printed since the last look; whether to stop the command."""
        return any(self._report(line) and self.trial.should_stop() for line in self._lines())

    def finish(self) -> None:
        """Take in what is left, once the command has ended by itself."""
        lines = list(self._lines())
        while lines:
            for line in lines:
                self._report(line)
            lines = list(self._lines())

    def _lines(self) -> list[str]:
        with self.path.open("rb") as file:
            file.seek(self._read)
            block = file.read(BLOCK)
        self._read += len(block)
        *lines, rest = ENDS.split(self._rest + block)
        self._rest = rest[-LONGEST:]
        return [line[-LONGEST:].decode("utf-8", errors="replace") for line in lines]

    def _report(self, line: str) -> bool:
        """Whether the line is a report; it is passed on then."""
        try:
            step, value = self.step.of_line(line), self.metric.of_line(line)
        except ValueError:  # a JSON line whose entry is no number
            return False
        if step is None or value is None or not float(step).is_integer() or step <= self._last:
            return False
        self._last = int(step)
        self.trial.report(value, self._last)
        return True
