"""suffice report: a study as one page, to be looked at, sent and printed."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from suffice.cli.arguments import DONE, STUDY, result_of
from suffice.report.charts import check_drawable
from suffice.report.page import check_writable, write
from suffice.text import visible

if TYPE_CHECKING:
    from suffice.cli.arguments import Commands

EXIT_CODES = """exit codes:
  0  the page is written
  1  the study could not be read, or the page not written
  2  wrong usage
"""


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "report",
        help="a study as one page: verdict, best points, checks, figures, parameters, accuracy",
        description="Write one HTML file that needs nothing else: what was found, whether it can be trusted and what "
        "to do next, the best points, checks with remedies, figures, parameters, failures, accuracy, settings, and the "
        "data of the trials as JSON. A report can be made while the study runs; the same study gives the same page.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", metavar="STUDY", help=STUDY)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write; default: beside the study, with .html at the end. An older report is replaced, "
        "anything else is left alone",
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the page of a study and say where it is."""
    output = given.output or str(Path(given.study).with_suffix(".html"))
    check_drawable()
    check_writable(output)
    result = result_of(given.study)
    write(result, output, name=Path(given.study).name)
    print(f"The report of {visible(given.study, 200)} is in {visible(output, 200)}", flush=True)
    return DONE
