"""suffice tune: find the best parameters of a command line."""

import argparse
import json
import logging
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from suffice.cli.arguments import (
    DONE,
    FAILED,
    INTERRUPTED,
    USAGE,
    Commands,
    add_command,
    add_limits,
    add_many,
    add_when,
    count,
    not_negative,
)
from suffice.errors import DifferentStudy
from suffice.run.progress import Display, display
from suffice.tune.command import variable
from suffice.tune.config import LIMITS, RULES, Tuning, of_arguments, of_file
from suffice.tune.metric import of_options
from suffice.tune.program import Program, check_program
from suffice.tune.session import Outcome, check_command, from_here, is_found, lines, to_plain, tune, why_not


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "tune",
        run,
        help="find the best parameters of a command line",
        usage="suffice tune [options] STUDY.toml\n       suffice tune [options] --minimize NAME --param … -- COMMAND …",
        description="Run a command with different parameters, and find those that minimize or maximize a number it "
        "prints, under constraints on other numbers; or find the best compromises between several.",
        more="""A parameter is NAME=float:LOW:HIGH or NAME=int:LOW:HIGH, followed by :log or :step=S, NAME=choice:A,B,C,
NAME=ordinal:A,B,C or NAME=const:VALUE. The value replaces {NAME} in the arguments and is the
environment variable SUFFICE_PARAM_NAME. No shell is involved. It prints the metrics: loss=0.25, or {"loss": 0.25};
the last one counts. With --pruner, lines such as step=3 loss=0.5 are intermediate reports. A TOML file has the
same; docs/howto/tune.md describes it.

  suffice tune --minimize loss --param lr=float:1e-5:1:log --param depth=int:1:10 -- \\
      python train.py --lr {lr} --depth {depth}
  suffice tune --minimize loss --maximize speed --at-most latency=50 --param … -- COMMAND …

Stop it at any time, and run the same line again to resume: every trial is stored.""",
        codes={
            0: "the run ended normally, and at least one trial has a feasible value",
            1: "no trial has a feasible value, or the study cannot be used",
            2: "wrong usage; nothing was run",
            130: "interrupted; finished trials are kept",
        },
    )
    parser.add_argument("words", nargs="*", metavar="STUDY.toml | -- COMMAND …", help="what to tune")
    add_aims(parser)
    add_many(parser, "--param", "NAME=TYPE:…", "a parameter; see below")
    add_when(parser)
    parser.add_argument("-n", "--trials", type=count, metavar="N", help="how many trials, including earlier ones (50)")
    parser.add_argument("-j", "--jobs", type=count, metavar="N", help="how many trials at a time (1)")
    parser.add_argument("--timeout", type=not_negative, metavar="S", help="seconds after which the run ends")
    parser.add_argument("--trial-timeout", type=not_negative, metavar="S", help="seconds after which a trial is killed")
    parser.add_argument("--target", type=float, metavar="V", help="end once the metric is as good as this")
    parser.add_argument(
        "--keep-going", action="store_true", default=None, help="continue even if the first trials all fail"
    )
    parser.add_argument("--pruner", choices=tuple(RULES), help="prune trials by reports such as step=3 loss=0.25")
    parser.add_argument("--step", metavar="NAME", help="the name of the step in these lines (step)")
    parser.add_argument("--seed", type=int, metavar="N", help="the seed, for reproducible suggestions")
    parser.add_argument(
        "--storage", metavar="FILE", help="the file of the study, or postgresql://…; by default named after the command"
    )
    parser.add_argument("--accept-command", action="store_true", help="continue even if the command has changed")
    parser.add_argument("--quiet", action="store_true", help="print no table during the run")
    parser.add_argument("--json", action="store_true", help="print the best trial as JSON")
    parser.set_defaults(hint="; the command to be tuned comes after --")


def add_aims(parser: argparse.ArgumentParser) -> None:
    """What is asked of metrics; their order is that of the command line."""
    for direction in ("minimize", "maximize"):
        about = f"a metric to {direction}; several metrics give a front of compromises"
        add_many(parser, f"--{direction}", "NAME", about, dest="aims", type=partial(_aim, direction))
    add_limits(parser, "a metric")


def _aim(direction: str, name: str) -> tuple[str, str]:
    return direction, name


def run(given: argparse.Namespace) -> int:
    """Tune, show the best."""
    try:
        tuning = _tuning(given)
        check_program(tuning)
        check_command(tuning, given.accept_command)
    except (ValueError, TypeError) as error:
        return _refused(error)
    program = Program(tuning)
    with ExitStack() as stack:
        show = None if given.quiet else stack.enter_context(display())
        if show is not None:
            stack.enter_context(_Warnings(show))
            show.line(f"the study is {_where(tuning)}, the output of its trials is in {from_here(tuning.outputs)}")
            for name in _without_place(tuning):
                show.line(f"the command has no place {{{name}}}: it gets {name} as the variable {variable(name)} alone")
        try:
            outcome = tune(program, show)
        except DifferentStudy as error:
            return _refused(error)
    return _report(program, outcome, given.json)


def _where(tuning: Tuning) -> str:
    return from_here(tuning.storage) if isinstance(tuning.storage, Path) else tuning.place


def _without_place(tuning: Tuning) -> list[str]:
    """Parameters that are searched and in no argument: forgotten, or meant for the environment."""
    there = {name for argument in tuning.template.arguments for name in argument.names}
    return [name for name, parameter in tuning.space.params.items() if name not in there and not parameter.constant]


def _refused(error: Exception) -> int:
    print(f"suffice tune: {error}", file=sys.stderr)
    return USAGE


class _Warnings(logging.Handler):
    """What the library warns of, as lines of the display: else they would be written over its last line."""

    def __init__(self, show: Display) -> None:
        super().__init__(logging.WARNING)
        self.show = show

    def __enter__(self) -> None:
        logging.getLogger("suffice").addHandler(self)

    def __exit__(self, *error: object) -> None:
        logging.getLogger("suffice").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.show.line(f"suffice: {self.format(record)}")


def _tuning(given: argparse.Namespace) -> Tuning:
    limits = {name: getattr(given, name) for name in LIMITS}
    if given.step is not None:
        limits["step"] = given.step
    inline = given.param or given.when or given.aims or given.within
    if not inline and len(given.words) == 1:
        return of_file(Path(given.words[0]), limits)
    if len(given.words) == 1 and given.words[0].endswith(".toml"):
        raise ValueError(
            f"{given.words[0]} defines what to tune: write --minimize, --maximize, --at-most, --at-least, --param and "
            "--when into it"
        )
    if not given.words or not inline:
        raise ValueError(
            "wanted a TOML file, or --minimize NAME (or --maximize NAME), --param NAME=TYPE:… and a command after --; "
            "see suffice tune --help"
        )
    return of_arguments(given.param, given.when, given.words, of_options(given.aims, given.within), limits)


def _report(program: Program, outcome: Outcome, as_json: bool) -> int:
    """Say what was found, on stdout, and what went wrong, on stderr; the exit code."""
    result = outcome.result
    said = [json.dumps(to_plain(program, result), allow_nan=False)] if as_json else lines(program, result)
    if said:
        print("\n".join(said), flush=True)
    if not is_found(result):
        print(f"suffice tune: {why_not(result)}", file=sys.stderr)
        print(f"suffice tune: the output of each trial is in {from_here(program.tuning.outputs)}", file=sys.stderr)
    if outcome.interrupted:
        print("suffice tune: interrupted; run the same line again to resume", file=sys.stderr)
        return INTERRUPTED
    return DONE if is_found(result) else FAILED
