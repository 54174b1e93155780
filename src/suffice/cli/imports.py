"""suffice import: tell a study what somebody filled in."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from suffice.cli.arguments import DONE, opened
from suffice.errors import UnreadableFile
from suffice.exchange import read
from suffice.exchange.reading import study_named_in
from suffice.store.sqlite import is_database
from suffice.text import visible

if TYPE_CHECKING:
    from suffice.cli.arguments import Commands

EPILOG = """A row with the number of a trial tells that trial; a row without one the pending trial at its point, or a
point of your own. Leave the value empty while it is open; write failed, and a reason, if there is none to come. Of
several outputs all are wanted, or none; where one is beyond its limit, the others may be missing. What the study knows
already is left alone, so the same file can be read again when more of it is filled in. If a row is wrong, nothing is
told.

exit codes:
  0  the file was read
  1  a row is wrong, or a file could not be read or written: nothing was told
  2  wrong usage
"""


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "import",
        help="tell a study the values in a table that was filled in",
        description="Read a table (CSV) or JSON lines, as export writes them, and tell the study what is new in it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="the table that was filled in")
    parser.add_argument(
        "study",
        metavar="STUDY",
        nargs="?",
        help="the file of the study; default: the one that FILE names, in this folder",
    )
    parser.add_argument("--study", metavar="STUDY", dest="option", help="the same")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Read a file, print what became of its rows."""
    if is_database(given.file):
        raise UnreadableFile(
            f"{given.file} is a database: the table comes first, then the study: suffice import results.csv run.db"
        )
    with opened(given.study or given.option or _found(given.file)) as optimizer:
        print(read(given.file, optimizer), flush=True)
    return DONE


def _found(file: str) -> str:
    """The study that a file names: in this folder, or beside the file."""
    name = study_named_in(file)
    if name is None:
        raise UnreadableFile(f"{file} names no study in a column study: say which, suffice import {file} run.db")
    here, beside = Path(name), Path(file).parent / name
    for path in (here, beside):
        if path.is_file():
            return str(path)
    shown = visible(name)
    raise FileNotFoundError(
        f"{file} belongs to the study {shown}, which is neither in this folder nor beside the file: say where it is, "
        f"suffice import {file} path/to/{shown}"
    )
