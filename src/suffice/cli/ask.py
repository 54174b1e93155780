"""suffice ask, the next points for an experiment by hand; suffice work, evaluating trials of a shared study."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from suffice.cli.arguments import (
    DONE,
    FAILED,
    INTERRUPTED,
    USAGE,
    Commands,
    about_tables,
    add_command,
    add_limits,
    add_many,
    add_output,
    add_when,
    count,
    history_of,
    name_of,
    not_negative,
    number_pair,
    opened,
    pair,
    put_out,
    summary,
)
from suffice.errors import SufficeError, UnusableFile
from suffice.exchange.columns import Columns
from suffice.exchange.writing import keep_what_is_new
from suffice.record.arguments import as_fixed
from suffice.record.trial import Trial
from suffice.run import minimize
from suffice.run.interrupts import Rescued
from suffice.space import Space, sliced
from suffice.space.constraints import Inequality
from suffice.store.postgres import is_address
from suffice.study.optimizer import Optimizer
from suffice.text import counted
from suffice.tune.config import parameter, tables_of
from suffice.tune.metric import constraints_of, of_options


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "ask",
        run,
        help="the next points of a study, for experiments by hand",
        description="Ask a study for the next points and write them as a table to fill in. A new study is created if "
        "the file does not exist: --param defines its space.",
        more=f"{about_tables()}\nFill in the values and record them with: suffice import FILE STUDY. Rows of FILE "
        "that are still pending stay in it when it is written again.",
        codes={
            0: "the points are written, and stored as pending trials",
            1: "the study could not be used, or the file not written",
        },
    )
    parser.add_argument("study", metavar="STUDY", help="the file of a study (storage=)")
    parser.add_argument("-n", type=count, default=1, metavar="N", help="how many different points (default: 1)")
    add_many(
        parser,
        "--fix",
        "NAME=VALUE",
        "a fixed value for all points, such as acid=HCl; the other parameters are suggested",
    )
    _add_new(parser)
    add_output(parser)
    parser.set_defaults(refuse=parser.error)


def _add_new(parser: argparse.ArgumentParser) -> None:
    """The options that define a new study."""
    add_many(
        parser,
        "--param",
        "NAME=KIND:…",
        "a parameter of a new study: T=float:20:80, rate=float:1e-5:1:log, n=int:1:9, acid=choice:HCl,HNO3",
    )
    add_when(parser)
    add_many(
        parser,
        "--where",
        "INEQUALITY",
        "a constraint on the parameters of a new study, such as 'concentration * time <= 8'",
    )
    parser.add_argument("--maximize", action="store_true", help="maximize the value; the default is to minimize it")
    add_many(
        parser,
        "--objective",
        "NAME=SENSE",
        "an objective of a new study that has several, error=minimize or yield=maximize",
        type=partial(pair, wanted="NAME=SENSE"),
    )
    add_limits(parser, "a further output of a new study")
    add_many(
        parser,
        "--reference",
        "NAME=V",
        "the worst value of the objective NAME that still counts, of a new study with several; default: by the front",
        type=number_pair,
    )
    parser.add_argument("--seed", type=int, help="the seed of a new study, for reproducible suggestions")
    parser.add_argument(
        "--initial",
        type=count,
        metavar="N",
        help="the size of the initial design of a new study; default: by the number of parameters",
    )


def run(given: argparse.Namespace) -> int:
    """Ask, and write the new trials. If there are none, a new study is removed: its settings can still be wrong."""
    new = not (is_address(given.study) or Path(given.study).exists())
    try:
        return _ask(given)
    except BaseException:
        known = history_of(given.study).trials if new and Path(given.study).is_file() else None
        if known is not None and all(trial.state == "cancelled" for trial in known):
            Path(given.study).unlink()
        raise


def _ask(given: argparse.Namespace) -> int:
    with _study(given) as optimizer:
        fixed = _fixed(given, optimizer)
        waiting: tuple[Trial, ...] = ()
        if given.output:  # before anything is asked
            waiting = keep_what_is_new(given.output, optimizer.history, name_of(given.study))
        try:
            trials = optimizer.ask(given.n, fixed=fixed)
        except (TypeError, ValueError) as error:  # a part of which the file has a description
            raise UnusableFile(f"{given.study}: {error}; ask in Python, where you can pass it again") from error
        if len(trials) < given.n:
            few = counted(len(trials), "point")
            print(f"suffice: only {few}, not {given.n}: every other point was already proposed", file=sys.stderr)
        try:
            put_out([*waiting, *trials], optimizer.settings, name_of(given.study), given, len(waiting))
        except OSError:
            if given.output:  # nobody has seen the points
                for trial in trials:
                    optimizer.cancel(trial, "its table could not be written")
            raise
    return DONE


def _study(given: argparse.Namespace) -> Optimizer:
    """The study, which is made or compared with what is given where that says what is searched."""
    if not given.param:
        if given.when or given.where or given.objective or given.within or given.reference or given.initial:
            given.refuse(
                "--when, --where, --objective, --at-most, --at-least, --reference and --initial apply only to a new "
                "study: define its parameters with --param …"
            )
        return opened(given.study)
    try:
        options = _aims(given)
        parameters = {name: parameter(words) for name, words in tables_of(given.param, given.when).items()}
        for _, (name, _) in given.within:
            _check_output(name, parameters)
        space = Space(parameters, where=given.where) if given.where else parameters
        return Optimizer(space, storage=given.study, seed=given.seed, **options)
    except (ValueError, TypeError) as error:
        if isinstance(error, SufficeError):
            raise
        given.refuse(str(error))
        raise


def _aims(given: argparse.Namespace) -> dict[str, Any]:
    """What is to be reached, in the words of an Optimizer."""
    if given.objective and given.maximize:
        raise ValueError("--maximize is for one objective, the value: write --objective NAME=maximize instead")
    options: dict[str, Any] = {"direction": "maximize"} if given.maximize else {}
    if given.initial:
        options["n_initial"] = given.initial
    if given.objective:
        options["objectives"] = dict(given.objective)
    if given.reference:
        options["reference"] = dict(given.reference)
    if given.within:
        options["constraints"] = constraints_of(of_options((), given.within)["constraints"])
    return options


def _check_output(name: str, parameters: Mapping[str, Any]) -> None:
    """Refuse an expression of parameters as the name of an output: it is known before the experiment."""
    try:
        known = Inequality(f"{name} <= 0").names
    except ValueError:  # a name, and no expression
        return
    if set(known) <= set(parameters):
        raise ValueError(
            f"{name!r} depends on parameters only: write --where '{name} <= …'; --at-most and --at-least limit outputs "
            "that you measure"
        )


def _fixed(given: argparse.Namespace, optimizer: Optimizer) -> dict[str, Any] | None:
    """The values of --fix, read as the cells of a table are."""
    columns, fixed = Columns(optimizer.settings).by_name, {}
    try:
        for text in given.fix:
            name, equals, cell = text.partition("=")
            if not equals:
                raise ValueError(f"wanted NAME=VALUE: got {text!r}")
            fixed[name] = columns[name].read(cell, False) if name in columns else cell
        found = as_fixed(fixed or None, optimizer.space)
        sliced(optimizer.space, found)
        return found
    except (ValueError, TypeError) as error:
        given.refuse(f"--fix: {error}")
        raise


# ---------------------------------------------------------------------- work


def add_work(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "work",
        work,
        help="evaluate trials of a shared study, together with other workers",
        description="Evaluate a Python function for a study on a PostgreSQL server until it has N trials in all. "
        "Start as many workers as you like, on any machine, and stop them at any time: another worker takes over a "
        "running trial.",
        codes={
            0: "the study has all its trials",
            1: "no trial has a value, or the study cannot be used",
            2: "wrong usage; nothing was evaluated",
            130: "interrupted; another worker takes over the running trial",
        },
    )
    parser.add_argument(
        "study", metavar="ADDRESS", help="postgresql://user@host/database?study=NAME; the study must exist"
    )
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="the objective, from this folder or installed")
    parser.add_argument("-n", "--trials", type=count, required=True, metavar="N", help="the number of trials in all")
    parser.add_argument("-j", "--jobs", type=count, metavar="N", help="the number of processes of this worker (1)")
    parser.add_argument("--timeout", type=not_negative, metavar="S", help="seconds after which this worker stops")


def work(given: argparse.Namespace) -> int:
    """Work until there is nothing to do."""
    try:
        if not is_address(given.study):
            raise ValueError(f"wanted the address of a study, postgresql://…: got {given.study!r}")
        f = _function(given.function)
    except (ValueError, ImportError, AttributeError) as error:
        print(f"suffice work: {error}", file=sys.stderr)
        return USAGE
    with Rescued(Optimizer.resume(given.study)) as optimizer:
        result = minimize.run(optimizer, f, given.trials, n_parallel=given.jobs, timeout=given.timeout)
        print(summary(given.study, optimizer.history), flush=True)
    if result.message == "interrupted":
        return INTERRUPTED
    return DONE if optimizer.history.done else FAILED


def _function(given: str) -> Callable[[Any], Any]:
    """The function that a word names."""
    module, separator, name = given.partition(":")
    if not (module and separator and name):
        raise ValueError(f"wanted MODULE:FUNCTION, such as tune:loss: got {given!r}")
    sys.path.insert(0, os.getcwd())
    found = getattr(import_module(module), name)
    if not callable(found):
        raise ValueError(f"{given} is no function: got {found!r}")
    return found  # type: ignore[no-any-return]
