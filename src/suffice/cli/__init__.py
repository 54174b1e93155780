"""The command `suffice`."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import suffice
from suffice.aliases import meaning
from suffice.cli.arguments import DONE, FAILED, INTERRUPTED, Parser
from suffice.errors import SufficeError

# Each command and what adds it, which is imported when it is needed: a study is shown without loading the experiments.
COMMANDS = {
    "tune": "tune.add",
    "work": "ask.add_work",
    "ask": "ask.add",
    "import": "studies.add_import",
    "export": "studies.add_export",
    "show": "studies.add_show",
    "report": "studies.add_report",
    "dashboard": "studies.add_dashboard",
    "audit": "audit.add",
    "reproduce": "reproduce.add",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = make_parser(words[:1])
    if words[:1] == ["compare"]:
        parser.error(
            "compare is not installed with the library: in a copy of its repository, python -m research.compare runs "
            "suffice and other optimizers on the same problems"
        )
    given, unknown = parser.parse_known_args(words)
    if unknown:
        given.parser.error(f"unrecognized arguments: {' '.join(unknown)}{_renamed(unknown, given) or given.hint}")
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


def _renamed(unknown: Sequence[str], given: argparse.Namespace) -> str:
    """What an unknown option is called here, if it has a name of another library or is nearly ours; else ""."""
    for word in unknown:
        option = word.partition("=")[0]
        meant = meaning(option.removeprefix("--").replace("-", "_")) if option.startswith("--") else None
        if meant is not None and meant in vars(given):
            return f"; {option} is called --{meant.replace('_', '-')} here"
    near = (given.parser.nearest_option(word.partition("=")[0]) for word in unknown if word.startswith("-"))
    return next(filter(None, near), "")


def make_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of all commands, or of the one that the first word names."""
    about = (suffice.__doc__ or "").partition("\n")[0]
    further = (
        "suffice COMMAND --help describes a command, with its exit codes. STUDY is the file that a run writes with "
        "storage=, or that tune and ask create. In Python: import suffice as sf; help(sf.minimize)."
    )
    parser = Parser(prog="suffice", description=about, epilog=further)
    parser.add_argument("--version", action="version", version=f"suffice {suffice.__version__}")
    parser.set_defaults(hint="")  # what to say of arguments that are not known
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in [word for word in words if word in COMMANDS] or COMMANDS:
        module, _, add = COMMANDS[command].partition(".")
        getattr(import_module(f"suffice.cli.{module}"), add)(commands)
    return parser
