"""What the commands have in common: their exit codes, and whole numbers as arguments."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # what a command adds itself to

DONE, FAILED, PARTLY, INTERRUPTED = 0, 1, 3, 130  # and 2, argparse's own


def count(text: str) -> int:
    """A whole number, at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"wanted a whole number, at least 1: got {text!r}")
    return int(text)
