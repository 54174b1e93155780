"""What the commands have in common: their parsers, exit codes, kinds of arguments, and the files that they use."""

import argparse
import difflib
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from suffice.errors import MissingExtra, UnreadableFile, UnusableFile
from suffice.exchange.columns import Format, as_text, format_of
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.record.study_file import read_events
from suffice.record.trial import Trial
from suffice.result.display import overview
from suffice.result.result import Result, accuracy_of, load, make_result
from suffice.result.saved import read
from suffice.store.files import replace_file
from suffice.store.postgres import Address, is_address
from suffice.store.sqlite import is_database
from suffice.study.optimizer import Optimizer
from suffice.text import counted, visible

if TYPE_CHECKING:  # a study is shown without loading the experiments
    from suffice.lab.plan import Plan
    from suffice.lab.runner import Execution

Commands: TypeAlias = Any  # what a command adds itself to; argparse has no public name for it

# Exit codes. Those of wrong usage and of an interruption are the ones of argparse and of shells.
DONE, FAILED, USAGE, PARTLY, INTERRUPTED = 0, 1, 2, 3, 130


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage of half a page before it."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, with the nearest word that is known, and end the program."""
        wrong = re.search(r"invalid choice: '(.*?)'", message)
        choices = [str(word) for action in self._actions for word in action.choices or ()]
        near = nearest(wrong[1], choices) if wrong else ""
        self.exit(USAGE, f"{self.prog}: error: {message}{near}; see {self.prog} --help\n")

    def nearest_option(self, word: str) -> str:
        """What was meant by an option that is not known; "" if none is like it."""
        return nearest(word, [option for action in self._actions for option in action.option_strings])


def nearest(word: str, known: Iterable[str]) -> str:
    """A question about a word that is not known; "" if nothing is like it."""
    found = difflib.get_close_matches(word, known, 1, 0.7)  # of the letters are the same
    return f"; did you mean {found[0]}?" if found else ""


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    help: str,
    description: str,
    more: str = "",
    codes: Mapping[int, str],
    usage: str | None = None,
) -> Parser:
    """Add a command: what it is for, in a line and in a few; more about it, and what its exit codes mean."""
    codes = dict(sorted({USAGE: "wrong usage", **codes}.items()))
    width = max(len(str(code)) for code in codes)
    lines = "".join(f"  {code:<{width}}  {meaning}\n" for code, meaning in codes.items())
    parser: Parser = commands.add_parser(
        name,
        help=help,
        description=description,
        usage=usage,
        epilog=f"{more}{chr(10) * 2 if more else ''}exit codes:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_many(parser: argparse.ArgumentParser, option: str, metavar: str, help: str, **words: Any) -> None:
    """An option that may be given several times."""
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=help, **words)


def add_when(parser: argparse.ArgumentParser) -> None:
    """The condition of a parameter."""
    add_many(
        parser,
        "--when",
        "NAME:OTHER=VALUE",
        "the parameter NAME is active only if OTHER has the value, or one of several values separated by commas",
    )


def add_study(parser: argparse.ArgumentParser) -> None:
    """The word STUDY."""
    parser.add_argument(
        "study", metavar="STUDY", help="the file or address of a study (storage=), or a saved result (JSON)"
    )


def count(text: str) -> int:
    """A whole number, at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"wanted a whole number, at least 1: got {text!r}")
    return int(text)


def not_negative(text: str) -> float:
    """A number, at least 0, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"wanted a number, at least 0: got {text!r}")
    return number


def number_pair(text: str) -> tuple[str, float]:
    """NAME=V with a number V, for argparse."""
    wanted = "NAME=V with a number V"
    name, value = pair(text, wanted)
    try:
        return name, float(value)
    except ValueError:
        hint = ", which is written with a point, such as 0.5" if "," in value else ""
        raise argparse.ArgumentTypeError(f"wanted {wanted}{hint}: got {text!r}") from None


def pair(text: str, wanted: str = "NAME=VALUE") -> tuple[str, str]:
    """NAME=VALUE, for argparse; a name may have an equals sign, too."""
    name, _, value = text.rpartition("=")
    if not (name and value):
        raise argparse.ArgumentTypeError(f"wanted {wanted}: got {text!r}")
    return name, value


def add_limits(parser: argparse.ArgumentParser, what: str) -> None:
    """--at-most and --at-least, in the order of the command line; `what` is limited by them."""
    for word, beyond in (("at_most", "above"), ("at_least", "below")):
        option, about = f"--{word.replace('_', '-')}", f"{what}, infeasible {beyond} V"
        add_many(parser, option, "NAME=V", about, dest="within", type=partial(_limit, word))


def _limit(word: str, text: str) -> tuple[str, tuple[str, float]]:
    return word, number_pair(text)


def spelled(given: argparse.Namespace, *names: str) -> list[str]:
    """These options as they could be typed; those that are not given are left out."""
    words = []
    for name in names:
        value = getattr(given, name)
        if value is not None and value is not False:
            values = [] if value is True else value if isinstance(value, list) else [value]
            words += [f"--{name}", *("=".join(v) if isinstance(v, tuple) else str(v) for v in values)]
    return words


# ---------------------------------------------------------------------- the files of studies


def is_study(path: str) -> bool:
    """Whether this is a study that may go on, in a file or on a server, and not a saved result."""
    return is_address(path) or is_database(path)


def name_of(path: str) -> str:
    """What a study is called in tables and on pages."""
    return Address.of(path).study if is_address(path) else Path(path).name


def shown(path: str) -> str:
    """Where a study is, to be printed: without a password."""
    return visible(Address.of(path).shown if is_address(path) else path, 200)


def history_of(path: str) -> History:
    """All that is in a file, whoever is writing it meanwhile."""
    return History.of(read_events(path) if is_study(path) else read(path).events)


def result_of(path: str) -> Result:
    """What is in a file as a result, whoever is writing it meanwhile; the model of its last ask is not made again."""
    if not is_study(path):
        return load(path)
    history = history_of(path)
    return make_result(history, "the study so far", accuracy_of(history, None))


def summary(study: str, history: History) -> str:
    """A study in lines of text, with the command that chooses from its front."""
    example = f"{next(iter(history.settings.objectives))}=VALUE"
    choose = f"suffice show {shown(study)} --pick {example}, or --knee for a compromise; suffice export --front for all"
    return f"{shown(study)}\n\n{overview(history, accuracy_of(history, None), choose)}"


def opened(path: str) -> Optimizer:
    """A study that can be changed, which no other program is changing; to be closed by the caller."""
    try:
        if not is_study(path):
            read(path)  # whatever is wrong with it is said
            raise UnreadableFile(
                f"{path} is a saved result, which is final: name the file of a study, as sf.Optimizer(space, "
                "storage=…) creates it"
            )
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"no study at {path}: create one with sf.Optimizer(space, storage={path!r}), or with suffice ask "
            f"{path} --param …"
        ) from error
    return Optimizer.resume(path)


def about_tables() -> str:
    """The columns of a table of trials, for the help of commands that write one."""
    return """A table has the columns number, state, one for each parameter, value, noise_var, seconds, reason, cause,
origin and study. A parameter with such a name has the column parameter:NAME. With several outputs, each objective and
each constrained output has a column by its name instead of value."""


def add_output(parser: argparse.ArgumentParser) -> None:
    """The options of a command that writes trials."""
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write; without it, standard output")
    parser.add_argument(
        "--format", choices=("csv", "jsonl"), help="a table or JSON lines; default: by the suffix of FILE, else a table"
    )
    parser.add_argument(
        "--decimal-comma", action="store_true", help="for spreadsheets that write 0,5: columns separated by semicolons"
    )


def put_out(trials: list[Trial], settings: Settings, study: str, given: argparse.Namespace, waiting: int = 0) -> None:
    """Write trials where the options say; `waiting` of them were in the file before."""
    format: Format = given.format or (format_of(given.output) if given.output else "csv")
    text = as_text(trials, settings, format, study, "," if given.decimal_comma else ".")
    if given.output:
        replace_file(given.output, text)
        before = f", {waiting} of them still pending from before" if waiting else ""
        print(f"{counted(len(trials), 'trial')} written to {given.output}{before}", file=sys.stderr)
    elif sys.stdout is None:  # closed by who called
        raise UnusableFile("there is no standard output to write to: name a file, -o FILE")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))  # whatever the terminal's code page is
        sys.stdout.buffer.flush()


# ---------------------------------------------------------------------- experiments


def check_extras(plan: "Plan") -> None:
    """Say now, not after all the runs, what is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("plot", "matplotlib", "the report")
    from suffice.problems import find

    for task in plan.tasks:
        find(task.problem)


def outcome_code(outcome: "Execution") -> int:
    """The exit code of an execution; what went wrong goes to stderr."""
    for failure in outcome.failed:
        print(f"suffice: {failure.key} failed: {failure.message}", file=sys.stderr)
    if outcome.interrupted:
        print("suffice: interrupted; run the same command again to resume", file=sys.stderr)
        return INTERRUPTED
    return PARTLY if outcome.failed else DONE
