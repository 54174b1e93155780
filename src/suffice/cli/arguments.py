"""What the commands have in common: exit codes, kinds of arguments, what must be installed, a line to be shown."""

import argparse
import math
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias

from suffice.errors import MissingExtra
from suffice.lab.plan import Plan
from suffice.lab.runner import Execution
from suffice.problems import find

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # what a command adds itself to

DONE, FAILED, PARTLY, INTERRUPTED = 0, 1, 3, 130  # and 2, argparse's own

RESTARTABLE = """Stop it at any moment and run it again: finished runs are kept, and not repeated.

exit codes:
  0    every run is done, the report is written
  1    nothing could be done
  2    wrong usage
  3    some runs failed; the report is written from the others
  130  interrupted; what is finished is kept
"""


def count(text: str) -> int:
    """A whole number, at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"wanted a whole number, at least 1: got {text!r}")
    return int(text)


def not_negative(text: str) -> float:
    """A number, at least 0, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"wanted a number, at least 0: got {text!r}")
    return number


def pair(text: str) -> tuple[str, str]:
    """NAME=VALUE, for argparse."""
    name, _, value = text.partition("=")
    if not (name and value):
        raise argparse.ArgumentTypeError(f"wanted NAME=VALUE: got {text!r}")
    return name, value


def spelled(given: argparse.Namespace, *names: str) -> list[str]:
    """These options as they could be typed; those that are not given are left out."""
    words = []
    for name in names:
        value = getattr(given, name)
        if value is not None and value is not False:
            values = [] if value is True else value if isinstance(value, list) else [value]
            words += [f"--{name}", *("=".join(v) if isinstance(v, tuple) else str(v) for v in values)]
    return words


def check_extras(plan: Plan) -> None:
    """Say now, not after all the runs, what is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("plot", "matplotlib", "the report")
    for task in plan.tasks:
        find(task.problem)


def outcome_code(outcome: Execution) -> int:
    """The exit code of an execution; what went wrong goes to stderr."""
    for failure in outcome.failed:
        print(f"suffice: {failure.key} failed: {failure.message}", file=sys.stderr)
    if outcome.interrupted:
        print("suffice: interrupted; run the same command again to go on", file=sys.stderr)
        return INTERRUPTED
    return PARTLY if outcome.failed else DONE
