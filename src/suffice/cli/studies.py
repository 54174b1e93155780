"""Commands that read a study or write to one: show, report, dashboard, export and import."""

import argparse
import sys
import threading
import webbrowser
from pathlib import Path

from suffice.cli.arguments import (
    DONE,
    PARTLY,
    Commands,
    about_tables,
    add_command,
    add_many,
    add_output,
    add_study,
    history_of,
    name_of,
    number_pair,
    opened,
    put_out,
    result_of,
    shown,
    summary,
)
from suffice.errors import MissingExtra, UnreadableFile, UnusableFile
from suffice.exchange import read
from suffice.exchange.rows import study_named_in
from suffice.exchange.writing import keep_what_is_new
from suffice.record.history import History
from suffice.record.outputs import in_words
from suffice.record.recovery import salvage
from suffice.record.trial import Trial, point_rows
from suffice.result.front import Front
from suffice.store.postgres import is_address
from suffice.store.sqlite import is_database
from suffice.text import visible

# ---------------------------------------------------------------------- show


def add_show(commands: Commands) -> None:
    """Add suffice show: what is in a study."""
    parser = add_command(
        commands,
        "show",
        show,
        help="summarize a study: best points, trials, failures, space, settings",
        description="Show the best point, what to look at, the numbers of trials, the best points, pending trials, "
        "failures, the space and the settings. The study may still be running.",
        codes={0: "the summary was printed", 1: "the file could not be read, or no trial is as good as --pick asks"},
    )
    parser.set_defaults(refuse=parser.error)
    add_study(parser)
    add_many(
        parser,
        "--pick",
        "NAME=VALUE",
        "print the trial of the front that is at least this good in the objective NAME, and the best compromise of the "
        "other objectives (of all, if each one has a VALUE)",
        type=number_pair,
    )
    parser.add_argument("--knee", action="store_true", help="print the trial of the front that is the best compromise")


def show(given: argparse.Namespace) -> int:
    """Print the overview of a study, or one trial of its front."""
    if given.pick and given.knee:
        given.refuse("--knee and --pick each choose a trial: give one of them")
    history = history_of(given.study)
    if given.pick or given.knee:
        trial = _chosen(history, given)
        point = (f"  {visible(name)} = {visible(value)}" for name, value in point_rows(trial.point))
        print("\n".join([f"trial {trial.number}: {in_words(trial.values)}", *point]), flush=True)
    else:
        print(summary(given.study, history), flush=True)
    return DONE


def _chosen(history: History, given: argparse.Namespace) -> Trial:
    """The trial of the front that is asked for."""
    if not history.settings.several:
        raise UnusableFile(f"{given.study} has one objective, and no front to choose from: leave out --pick and --knee")
    try:
        return Front(history).pick(dict(given.pick))
    except ValueError as error:
        raise UnusableFile(f"--pick: {error}") from None


# ---------------------------------------------------------------------- report


def add_report(commands: Commands) -> None:
    """Add suffice report: a study as one page, to be looked at, sent and printed."""
    parser = add_command(
        commands,
        "report",
        report,
        help="write a report of a study as one HTML page",
        description="Write one self-contained HTML file: the result, whether to trust it and what to do next, the "
        "best points, checks with remedies, figures, parameters, failures, accuracy, settings, and the "
        "data of the trials as JSON. The study may still be running. The same study gives the same page.",
        codes={0: "the page is written", 1: "the study could not be read, or the page not written"},
    )
    add_study(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write; default: next to the study, with the suffix .html. An older report is replaced; any "
        "other file is left alone",
    )


def report(given: argparse.Namespace) -> int:
    """Write the page of a study and print where it is."""
    from suffice.report.charts import check_drawable
    from suffice.report.page import check_writable, write

    output = given.output or str(
        Path(name_of(given.study) if is_address(given.study) else given.study).with_suffix(".html")
    )
    check_drawable()
    check_writable(output)
    write(result_of(given.study), output, name=name_of(given.study))
    print(f"The report of {shown(given.study)} is in {visible(output, 200)}", flush=True)
    return DONE


# ---------------------------------------------------------------------- dashboard


def add_dashboard(commands: Commands) -> None:
    """Add suffice dashboard: studies while they run, in a browser."""
    parser = add_command(
        commands,
        "dashboard",
        dashboard,
        help="follow studies in a browser: values, accuracy, failures, parameters, slices",
        description="Follow a study, or all studies in a folder and its subfolders, in a browser: "
        "best values, convergence, accuracy of each search, failures, parameters, and predictions. "
        "Files are only read, while runs may write them. Ctrl-C stops the server.",
        codes={0: "stopped by Ctrl-C", 1: "the folder or file does not exist, or the port cannot be used"},
    )
    parser.add_argument(
        "path",
        metavar="DIR_OR_STORE",
        help="a folder, the file or address of a study (storage=), or a saved result (JSON)",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address or name to listen on; by default only this machine can open the page. With another address, "
        "the printed link has a token, which is required; the connection is not encrypted",
    )
    parser.add_argument("--port", type=_port, default=8765, help="the port, 0 for any free one; default: 8765")
    parser.add_argument(
        "--token",
        action="store_true",
        help="require the token on this machine, too, because other users of it can open the page",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def dashboard(given: argparse.Namespace) -> int:
    """Serve the page till somebody ends it."""
    path = Path(given.path).expanduser()
    if not is_address(given.path) and not path.exists():
        raise FileNotFoundError(
            f"{given.path} does not exist: wanted a folder of studies, the file of a study (storage=) or a saved "
            "result; a folder may be empty, and shows the studies that appear in it"
        )
    try:
        from suffice.dashboard.serving import bind, serve
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn"):
            raise
        raise MissingExtra("dashboard", package, "suffice dashboard") from error
    address = bind(given.host, given.port, given.token)

    def started() -> None:
        print(f"The dashboard of {shown(given.path)} is at {address.url}")
        if address.here != address.url:
            print(f"and on this machine at {address.here}")
        print("Ctrl-C ends it.", flush=True)
        if given.open:  # a browser may take its time
            threading.Thread(target=webbrowser.open, args=(address.once(),), daemon=True).start()

    if is_address(given.path):
        from suffice.dashboard.follow import mirrored

        with mirrored(given.path) as file:
            serve(file, address, started)
    else:
        serve(path, address, started)
    return DONE


def _port(text: str) -> int:
    """A port, for argparse."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"wanted a whole number from 0 to 65535: got {text!r}")
    return int(text)


# ---------------------------------------------------------------------- export


def add_export(commands: Commands) -> None:
    """Add suffice export: the trials of a study as a table or as JSON lines."""
    parser = add_command(
        commands,
        "export",
        export,
        help="export the trials of a study as a table (CSV) or as JSON lines",
        description="Write all trials of a study, or only the pending ones. The study may still be running.",
        more=f"{about_tables()}\nNumbers are written in full precision, so importing them restores the same values.",
        codes={
            0: "the trials are written",
            1: "the study could not be read, or the file not written",
            3: "the study is damaged; intact events are written, and lost ones are listed (--salvage)",
        },
    )
    add_study(parser)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--pending", action="store_true", help="only pending trials")
    only.add_argument("--front", action="store_true", help="only the trials of the front, for several objectives")
    parser.add_argument("--salvage", action="store_true", help="export what is intact in a damaged study")
    add_output(parser)


def export(given: argparse.Namespace) -> int:
    """Write the trials of a study."""
    found = salvage(given.study) if given.salvage else None
    history = history_of(given.study) if found is None else found
    trials = [trial for trial in history.trials if trial.state == "pending" or not given.pending]
    if given.front:
        if not isinstance(history, History) or not history.settings.several:
            raise UnusableFile(f"{given.study} has no front: --front is for intact studies with several objectives")
        trials = list(Front(history).trials)
    if given.output and isinstance(history, History):
        keep_what_is_new(given.output, history, name_of(given.study))
    put_out(trials, history.settings, name_of(given.study), given)
    if found is None or not found.lost:
        return DONE
    for sentence in found.lost:
        print(f"suffice: {sentence}", file=sys.stderr)
    return PARTLY


# ---------------------------------------------------------------------- import


def add_import(commands: Commands) -> None:
    """Add suffice import: tell a study what somebody filled in."""
    parser = add_command(
        commands,
        "import",
        import_table,
        help="import the values of a filled-in table into a study",
        description="Read a table (CSV) or JSON lines, as export writes them, and record the new values in the study.",
        more="""A row with a number belongs to that trial; a row without one to the pending trial at its point, or it
is a new point. Leave the value empty while the trial is pending; write failed, and a reason, if the evaluation failed.
With several outputs, fill in all or none; where one violates its constraint, the others may be missing. You can
import the same file again when more of it is filled in; known values do not change without --correct. If a row is
wrong, nothing is imported.""",
        codes={
            0: "the file was read",
            1: "a row is wrong, or a file could not be read or written: nothing was imported",
        },
    )
    parser.add_argument("file", metavar="FILE", help="the table that was filled in")
    parser.add_argument(
        "study",
        metavar="STUDY",
        nargs="?",
        help="the file of the study; default: the one that FILE names, in this folder",
    )
    parser.add_argument("--study", metavar="STUDY", dest="option", help="the same")
    parser.add_argument(
        "--correct",
        action="store_true",
        help="withdraw wrong values: where a row with a number contradicts the study, the row replaces its value",
    )


def import_table(given: argparse.Namespace) -> int:
    """Read a file, print what became of its rows."""
    if is_database(given.file):
        raise UnreadableFile(
            f"{given.file} is a database: give the table first, then the study: suffice import results.csv run.db"
        )
    with opened(given.study or given.option or _found(given.file)) as optimizer:
        found = read(given.file, optimizer, correct=given.correct)
        elsewhere = len(optimizer.pending) - found.pending
        print(f"{found}{f'; pending in other tables {elsewhere}' if elsewhere > 0 else ''}", flush=True)
    return DONE


def _found(file: str) -> str:
    """The study that a file names: in this folder, or beside the file."""
    name = study_named_in(file)
    if name is None:
        raise UnreadableFile(f"{file} has no column study: name the study, suffice import {file} run.db")
    for path in (Path(name), Path(file).parent / name):
        if path.is_file():
            return str(path)
    shown = visible(name)
    raise FileNotFoundError(
        f"{file} belongs to the study {shown}, which is neither in this folder nor next to the file: give its path, "
        f"suffice import {file} path/to/{shown}"
    )
