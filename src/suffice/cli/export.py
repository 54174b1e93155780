"""suffice export: the trials of a study as a table or as JSON lines."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from suffice.cli.arguments import (
    DONE,
    PARTLY,
    STUDY,
    TABLE,
    add_output,
    history_of,
    put_out,
)
from suffice.exchange.writing import keep_what_is_new
from suffice.record.history import History
from suffice.record.recovery import salvage

if TYPE_CHECKING:
    from suffice.cli.arguments import Commands

EPILOG = f"""{TABLE}
Numbers have all their digits, so that what is read back is what was there.

exit codes:
  0  the trials are written
  1  the study could not be read, or the file not written
  2  wrong usage
  3  the study is damaged; what is whole is written, and what is lost is said (--salvage)
"""


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "export",
        help="the trials of a study as a table (CSV) or as JSON lines",
        description="Write the trials of a study, all of them or those that wait for their values. A study can be "
        "exported while it runs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", metavar="STUDY", help=STUDY)
    parser.add_argument("--pending", action="store_true", help="only trials that wait for their values")
    parser.add_argument("--salvage", action="store_true", help="bring out what is whole in a damaged study")
    add_output(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the trials of a study."""
    found = salvage(given.study) if given.salvage else None
    history = history_of(given.study) if found is None else found
    trials = [trial for trial in history.trials if trial.state == "pending" or not given.pending]
    if given.output and isinstance(history, History):
        keep_what_is_new(given.output, history, Path(given.study).name)
    put_out(trials, history.settings, Path(given.study).name, given)
    if found is None or not found.lost:
        return DONE
    for sentence in found.lost:
        print(f"suffice: {sentence}", file=sys.stderr)
    return PARTLY
