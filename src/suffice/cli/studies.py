"""What the word STUDY stands for on a command line: the file of a study, or a result that was saved as JSON."""

import argparse
import sys

from suffice.errors import UnreadableFile, UnusableFile
from suffice.exchange.study import as_text
from suffice.exchange.table import Format, format_of
from suffice.store.files import replace_file
from suffice.store.sqlite import is_database
from suffice.study.concluding import accuracy_of, load, make_result
from suffice.study.file_journal import read_events
from suffice.study.history import History
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result
from suffice.study.saving import read
from suffice.study.settings import Settings
from suffice.study.trial import Trial

STUDY = "the file of a study (store=) or a saved result (JSON)"
TABLE = """A table has the columns number, state, one for each parameter, value, noise_var, seconds, reason, cause,
origin and study. A parameter with such a name has the column parameter:NAME. Of several outputs, objectives and limited
ones, each has a column by its name in the place of value."""


def history_of(path: str) -> History:
    """All that is in a file, whoever is writing it meanwhile."""
    return History.of(read_events(path) if is_database(path) else read(path).events)


def result_of(path: str) -> Result:
    """What is in a file as a result, whoever is writing it meanwhile; the model of its last ask is not made again."""
    if not is_database(path):
        return load(path)
    history = history_of(path)
    return make_result(history, "the study so far", accuracy_of(history, None))


def opened(path: str) -> Optimizer:
    """A study that can be changed, which no other program is changing; to be closed by the caller."""
    try:
        if not is_database(path):
            read(path)  # whatever is wrong with it is said
            raise UnreadableFile(
                f"{path} is a saved result, which does not change any more: name the file of a study, as "
                "sf.Optimizer(space, store=…) makes it"
            )
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"there is no study {path}: make one with sf.Optimizer(space, store={path!r}), or with suffice ask {path} "
            "--param …"
        ) from error
    return Optimizer.resume(path)


def add_output(parser: argparse.ArgumentParser) -> None:
    """The options of a command that writes trials."""
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write; without it, standard output")
    parser.add_argument(
        "--format", choices=("csv", "jsonl"), help="a table or JSON lines; default: what FILE ends in, else a table"
    )
    parser.add_argument(
        "--decimal-comma", action="store_true", help="for spreadsheets that write 0,5: columns separated by semicolons"
    )


def put_out(trials: list[Trial], settings: Settings, study: str, given: argparse.Namespace) -> None:
    """Write trials where the options say."""
    format: Format = given.format or (format_of(given.output) if given.output else "csv")
    text = as_text(trials, settings, format, study, "," if given.decimal_comma else ".")
    if given.output:
        replace_file(given.output, text)
        print(f"{len(trials)} trial{'s' if len(trials) != 1 else ''} written to {given.output}", file=sys.stderr)
    elif sys.stdout is None:  # closed by who called
        raise UnusableFile("there is no standard output to write to: name a file, -o FILE")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))  # whatever the terminal's code page is
        sys.stdout.buffer.flush()
