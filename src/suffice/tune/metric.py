"""What a tuned command is to reach, and its values, from what it prints.

A line has a `Metric` if it is a JSON object with the name as a key, {"loss": 0.25, "epoch": 3}, or if the name and a
number stand in it: loss=0.25 or loss: 0.25. Of several lines the last one counts: what a program prints while it trains
is followed by what it prints at the end. A carriage return ends a line too, as progress bars have it.

The `Aims` are metrics to make small or large, and limits on further ones:

    minimize = "loss"                                                  --minimize loss
    objectives = { loss = "minimize", speed = "maximize" }             --minimize loss --maximize speed
    constraints = { ms = { at_most = 50 }, recall = { at_least = 0.9 } }    --at-most ms=50 --at-least recall=0.9

A `Follower` reads the output while the command runs. Lines with the metric and a step are reports, once they have an
end: step=3 loss=0.25, or {"step": 3, "loss": 0.25}.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, get_args

from suffice.checks import as_float, short
from suffice.record.options import Direction
from suffice.record.outputs import AtLeast, AtMost, Limit, is_violated
from suffice.run.live_trial import LiveTrial
from suffice.tune.command import near

BLOCK = 1 << 20  # bytes that are read at a time
LONGEST = BLOCK  # bytes of a line that are looked at, the last ones: a line without an end must not fill the memory
TAIL = 4 * BLOCK  # bytes that the last lines of an output are looked for in: they are for people
# The words of a configuration for constraints.
BOUNDS: dict[str, type[AtMost] | type[AtLeast]] = {"at_most": AtMost, "at_least": AtLeast}


@dataclass(frozen=True)
class Metric:
    """What to look for in the output."""

    name: str

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable():
            raise ValueError(f"the metric needs a name, such as loss: got {short(self.name)}")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The name as a word of its own: neither val_loss nor --loss is loss. What follows the number ends it: 12ms,
        1.2.3 and 1,234 are no numbers. No digit is given back (`++`), or a long number would take quadratic time."""
        real = r"(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+"
        name, number = re.escape(self.name), rf"[+-]?(?:{real}|(?i:nan|inf(?:inity)?))"
        return re.compile(rf"""(?:^|[\s,;|(\[{{])(["']?){name}\1\s*[=:]\s*({number})(?!\w|\.\d|,\d)""", re.ASCII)

    @cached_property
    def _hint(self) -> re.Pattern[bytes]:
        """What a block of lines has if one of them may have a value: most output has none, and is not taken apart."""
        name, number = re.escape(self.name.encode()), rb"[-+]?(?:\.?\d|(?i:nan|inf))"
        return re.compile(name + rb"""["']?\s*+[=:]\s*+""" + number + rb"|[{\x1b]")  # JSON, or a line with colours

    def of_line(self, line: str) -> float | None:
        """The value in a line, the last if there are several; None if there is none. ValueError: it is no number."""
        text = _plain(line).strip()
        if self.name not in text:
            return None
        if text.startswith("{") and text.endswith("}"):
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):  # it only looks like JSON
                found = {}
            if self.name in found:
                return _number(found[self.name], self.name)
        values = [float(match[2]) for match in self._pattern.finditer(text)]
        return values[-1] if values else None

    def of_file(self, path: Path) -> float | None:
        """The value in a file: that of the last line that has one; None if there is none."""
        with path.open("rb") as file:
            for line in backwards(file, self._hint):
                value = self.of_line(line)
                if value is not None:
                    return value
        return None


def tail(path: Path, lines: int = 3, letters: int = 200, between: str = " | ") -> str:
    """The last lines of a file that are not empty; "" if there are none. Only its last TAIL bytes are read."""
    found: list[str] = []
    with path.open("rb") as file:
        for line in backwards(file, most=TAIL):
            text = _plain(line).rstrip()
            if text.strip():
                found.insert(0, printable(text))
            if len(found) == lines:
                break
    shown = between.join(found)
    return shown if len(shown) <= letters else "..." + shown[3 - letters :]


def printable(text: str) -> str:
    """A text with no letter that a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text)


def backwards(file: BinaryIO, hint: re.Pattern[bytes] | None = None, most: int | None = None) -> Iterator[str]:
    """The lines of a file from the last to the first.

    hint    blocks of lines without it are left out
    most    how many bytes are read, from the end
    """
    position, rest = file.seek(0, 2), b""
    start = 0 if most is None else max(0, position - most)
    while position > start:
        size = min(BLOCK, position - start)
        position -= size
        file.seek(position)
        block = file.read(size) + rest
        if hint is None or hint.search(block):
            first, *others = _split(block)
            yield from map(_decoded, reversed(others))
        else:
            first = block[: _first_end(block)]
        rest = first[-LONGEST:]
    yield _decoded(rest)


def _first_end(block: bytes) -> int:
    """Where the first line of a block ends."""
    found = re.search(rb"[\r\n]", block)
    return found.start() if found else len(block)


def _split(block: bytes) -> list[bytes]:
    return re.split(rb"[\r\n]", block)


def _decoded(line: bytes) -> str:
    return line[-LONGEST:].decode("utf-8", errors="replace")


def _plain(line: str) -> str:
    """A line without the codes that colour a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*+[A-Za-z]", "", line) if "\x1b" in line else line


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the output says that {name} is {short(value)}: wanted a number")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


@dataclass(frozen=True)
class Aims:
    """The metrics that a command prints, by their role."""

    objectives: dict[str, Direction]
    constraints: dict[str, Limit] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> "Aims":
        """What a TOML file says."""
        aims = cls(_objectives(table), constraints_of(table.get("constraints", {})))
        for name in aims.constraints:
            if name in aims.objectives:
                raise ValueError(
                    f"the metric {name!r} is an objective and a constraint: it can be only one of them; to constrain "
                    "an objective, print it a second time under another name"
                )
        return aims

    @property
    def plain(self) -> bool:
        """Whether there is one metric, which is the value of a trial."""
        return not self.several and not self.constraints

    @property
    def several(self) -> bool:
        """Whether there are several objectives, so that a front is looked for."""
        return len(self.objectives) > 1

    @property
    def objective(self) -> str:
        """The name of the only objective, or of the first one."""
        return next(iter(self.objectives))

    @property
    def outputs(self) -> tuple[str, ...]:
        """All metrics: the objectives, then the limited ones."""
        return (*self.objectives, *self.constraints)

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """What to look for in the output."""
        return tuple(Metric(name) for name in self.outputs)

    @property
    def words(self) -> dict[str, Any]:
        """The words of a study; one metric alone is its value, whatever it is called."""
        if self.plain:
            return {"direction": self.objectives[self.objective]}
        return {"objectives": self.objectives, "constraints": self.constraints}

    def are_known(self, values: Mapping[str, float]) -> bool:
        """Whether nothing is missing; an infeasible trial needs no further metrics."""
        return len(values) == len(self.outputs) or is_violated(values, self.constraints)

    def to_plain(self) -> dict[str, Any]:
        """As a TOML file would have it."""
        words = {kind: word for word, kind in BOUNDS.items()}
        limits = {name: {words[type(limit)]: limit.limit} for name, limit in self.constraints.items()}
        return {"objectives": dict(self.objectives)} | ({"constraints": limits} if limits else {})


def of_options(
    aims: Sequence[tuple[Direction, str]], limits: Sequence[tuple[str, tuple[str, float]]]
) -> dict[str, Any]:
    """The same as a TOML file would have it, from (direction, name) and (at_most or at_least, (name, limit))."""
    table: dict[str, Any] = dict.fromkeys(get_args(Direction))
    directions: dict[str, Direction] = {}
    for direction, name in aims:
        if name in directions:
            raise ValueError(f"--{direction} {name}: there is --{directions[name]} {name} already")
        directions[name] = direction
    if len(directions) == 1:
        table.update((direction, name) for name, direction in directions.items())
    elif directions:
        table["objectives"] = directions
    for word, (name, limit) in limits:
        known = table.setdefault("constraints", {})
        if name in known:
            raise ValueError(
                f"--{word.replace('_', '-')} {name}: {name} already has a constraint, and can have only one; print "
                "the output a second time under another name"
            )
        known[name] = {word: limit}
    return table


def _objectives(table: Mapping[str, Any]) -> dict[str, Direction]:
    alone = [(direction, table[direction]) for direction in get_args(Direction) if table.get(direction) is not None]
    given = table.get("objectives")
    if len(alone) + (given is not None) != 1:
        got = " and ".join([*(direction for direction, _ in alone), *(["objectives"] if given is not None else [])])
        raise ValueError(
            'wanted one of minimize = "NAME" and maximize = "NAME", the metric that is printed, or a table of several, '
            f'objectives = {{ NAME = "minimize", OTHER = "maximize" }}: got {got or "none of them"}'
        )
    if given is None:
        ((direction, name),) = alone
        if not isinstance(name, str):
            raise TypeError(f"{direction}: wanted the name of a metric: got {short(name)}")
        given = {name: direction}
    if not isinstance(given, Mapping) or not given:
        raise TypeError(f'objectives: wanted a table such as {{ loss = "minimize" }}: got {short(given)}')
    for name, direction in given.items():
        Metric(name)
        if direction not in get_args(Direction):
            raise ValueError(f'objectives: {name} must be "minimize" or "maximize": got {short(direction)}')
    return dict(given)


def constraints_of(given: Any) -> dict[str, Limit]:
    """Limits by the names of the outputs, as a TOML file has them."""
    example = "{ at_most = 50 }"
    if not isinstance(given, Mapping):
        raise TypeError(f"constraints: wanted a table such as {{ latency = {example} }}: got {short(given)}")
    found: dict[str, Limit] = {}
    for name, table in given.items():
        Metric(name)
        if not isinstance(table, Mapping) or len(table) != 1:
            raise TypeError(f"constraints: {name}: wanted one bound such as {example}: got {short(table)}")
        ((word, limit),) = table.items()
        if word not in BOUNDS:
            raise ValueError(f"constraints: {name}: the key {word!r} is not known: {near(word, BOUNDS)}")
        found[name] = BOUNDS[word](as_float(limit, f"constraints: {name}: {word}"))
    return found


@dataclass
class Follower:
    """Follows the output of one command, and passes its reports on."""

    path: Path
    metric: Metric
    step: Metric  # by the same forms: the name of what counts the steps
    trial: LiveTrial
    _read: int = 0  # bytes of the file
    _rest: bytes = b""  # a line that has no end yet
    _last: int = -1  # the last step: one that comes again, as in a summary at the end, is no report

    def look(self) -> bool:
        """Take in what was printed since the last look; whether to stop the command."""
        return any(self._report(line) and self.trial.should_prune() for line in self._lines())

    def finish(self) -> None:
        """Take in what is left, once the command has ended by itself."""
        while lines := self._lines():
            for line in lines:
                self._report(line)

    def _lines(self) -> list[str]:
        with self.path.open("rb") as file:
            file.seek(self._read)
            block = file.read(BLOCK)
        self._read += len(block)
        *lines, self._rest = _split(self._rest[-LONGEST:] + block)
        return list(map(_decoded, lines))

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
