"""suffice work: evaluate trials of a shared study, beside others that do the same."""

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from suffice.cli.arguments import DONE, FAILED, INTERRUPTED, USAGE, Commands, add_command, count, not_negative, shown
from suffice.result.display import overview
from suffice.result.result import accuracy_of
from suffice.run.interrupts import Rescued
from suffice.run.minimize import run
from suffice.store.postgres import is_address
from suffice.study.optimizer import Optimizer


def add(commands: Commands) -> None:
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
        result = run(optimizer, f, given.trials, n_parallel=given.jobs, timeout=given.timeout)
        print(
            f"{shown(given.study)}\n\n{overview(optimizer.history, accuracy_of(optimizer.history, None))}", flush=True
        )
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
