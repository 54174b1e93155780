"""The command `suffice`: one file for each of its commands."""

import argparse
import os
import sys
from collections.abc import Sequence

import suffice
from suffice.cli import ask, audit, compare, export, imports, reproduce, show, tune
from suffice.cli.arguments import DONE, FAILED, INTERRUPTED
from suffice.errors import SufficeError

COMMANDS = (tune, ask, imports, export, show, audit, reproduce, compare)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    given = _parser().parse_args(arguments)
    try:
        code: int = given.run(given)
        return code
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (SufficeError, OSError) as error:
        print(f"suffice: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("suffice: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="suffice", description=suffice.__doc__)
    parser.add_argument("--version", action="version", version=f"suffice {suffice.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
