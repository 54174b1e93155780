"""suffice dashboard: studies while they run, in a browser."""

import argparse
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from suffice.cli.arguments import DONE
from suffice.errors import MissingExtra
from suffice.text import visible

if TYPE_CHECKING:
    from suffice.cli.arguments import Commands

PACKAGES = ("starlette", "uvicorn")  # of the extra
EXIT_CODES = """exit codes:
  0  it was ended by Ctrl-C
  1  there is no such folder or file, or the port cannot be used
  2  wrong usage
"""


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "dashboard",
        help="studies while they run, in a browser: values, accuracy, failures, parameters, slices",
        description="Follow a study, or all studies in a folder and its subfolders, on a page that a browser opens: "
        "the best values, how they came about, the accuracy of each search, failures, parameters, and what the model "
        "says. Files are only read, and may be written meanwhile. Ctrl-C ends it.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "path", metavar="DIR_OR_STORE", help="a folder, the file of a study (store=), or a saved result (JSON)"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address or name to listen on; by default this machine alone can open the page. Elsewhere the address "
        "that is printed has a token, without which nothing is shown; what goes over the network is not encrypted",
    )
    parser.add_argument("--port", type=_port, default=8765, help="the port, 0 for any that is free; default: 8765")
    parser.add_argument(
        "--token", action="store_true", help="want the token on this machine, too: other users of it can open the page"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Serve the page till somebody ends it."""
    path = Path(given.path).expanduser()
    if not path.exists():
        raise FileNotFoundError(
            f"there is no {given.path}: wanted a folder of studies, the file of a study (store=) or a saved result; a "
            "folder may be empty, and shows the studies that appear in it"
        )
    try:
        from suffice.dashboard.serving import bind, serve
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in PACKAGES:
            raise
        raise MissingExtra("dashboard", package, "suffice dashboard") from error
    address = bind(given.host, given.port, given.token)

    def started() -> None:
        print(f"The dashboard of {visible(given.path, 200)} is at {address.url}")
        if address.here != address.url:
            print(f"and on this machine at {address.here}")
        print("Ctrl-C ends it.", flush=True)
        if given.open:  # a browser may take its time
            threading.Thread(target=webbrowser.open, args=(address.once(),), daemon=True).start()

    serve(path, address, started)
    return DONE


def _port(text: str) -> int:
    """A port, for argparse."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"wanted a whole number from 0 to 65535: got {text!r}")
    return int(text)
