"""What the commands have in common: exit codes, kinds of arguments, a line to be shown."""

import argparse
import math
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # what a command adds itself to

DONE, FAILED, PARTLY, INTERRUPTED = 0, 1, 3, 130  # and 2, argparse's own


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
