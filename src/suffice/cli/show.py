"""suffice show: what is in a study."""

import argparse
from typing import TYPE_CHECKING

from suffice.cli.arguments import DONE, STUDY, history_of
from suffice.result.display import overview
from suffice.result.result import accuracy_of
from suffice.text import visible

if TYPE_CHECKING:
    from suffice.cli.arguments import Commands

EXIT_CODES = """exit codes:
  0  it was shown
  1  the file could not be read
  2  wrong usage
"""


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "show",
        help="what is in a study: space, settings, trials, best points, failures, accuracy",
        description="Show what is searched, how many trials there are and what became of them, the best points, those "
        "that wait for their values, and how far the search and the model can be trusted. A study can be looked at "
        "while it runs.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", metavar="STUDY", help=STUDY)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the overview of a study."""
    history = history_of(given.study)
    print(f"{visible(given.study, 200)}\n\n{overview(history, accuracy_of(history, None))}", flush=True)
    return DONE
