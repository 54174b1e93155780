"""The command `python -m research.compare`: head to head with other optimizers."""

import argparse
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from research.compare import contest as contests
from research.compare.contest import Cap, CappedPlan, Contest, left_out, within_reach
from research.compare.entrant import TIMEOUT, entrant
from research.compare.report import as_text, write_report
from research.compare.standings import by_family, overall, units
from research.compare.systems import SUFFICE, SYSTEMS, Installed, System, look, own_system
from suffice.cli.arguments import (
    DONE,
    FAILED,
    INTERRUPTED,
    check_extras,
    count,
    not_negative,
    outcome_code,
    pair,
    spelled,
)
from suffice.errors import SufficeError
from suffice.lab.runner import carry_out
from suffice.run.progress import display

PEERS = "peers"  # in place of a system's name: all but suffice
OURS = [name for name, system in SYSTEMS.items() if system.packages == SUFFICE.packages]
OPTIONS = ("quick", "systems", "problems", "budget", "seeds", "noise", "cap", "python", "adapter", "timeout", "jobs")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    given = make_parser().parse_args(arguments)
    try:
        return run(given)
    except (SufficeError, OSError) as error:
        print(f"suffice: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("suffice: interrupted", file=sys.stderr)
        return INTERRUPTED


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m research.compare",
        description="Run suffice and other optimizers on the same problems, initial designs and seeds, each in a "
        "process of its own, and write standings, figures and one HTML report. pip install --group compare "
        "installs the others, HEBO excepted, which wants an older NumPy and so an environment of its own.",
        epilog="""Stop it at any moment and run it again: finished runs are kept, and not repeated.

exit codes:
  0    every run is done, the report is written
  1    nothing could be done
  2    wrong usage
  3    some runs failed; the report is written from the others
  130  interrupted; what is finished is kept
""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    several: dict[str, Any] = {"nargs": "+", "action": "extend"}
    option = parser.add_argument
    option("--list", action="store_true", help="list the systems, what is installed of them and what not, and stop")
    option("--quick", action="store_true", help="a few minutes: four problems, two seeds, 15 iterations")
    option("--systems", **several, metavar="NAME", help="only these (default: all that are installed)")
    option(
        "--problems",
        **several,
        metavar="NAME",
        help="only these, by name; functions and places are groups of them (default: both, and AutoML)",
    )
    option("--budget", type=count, metavar="N", help="iterations after the initial design, on every problem")
    option("--seeds", type=count, metavar="N", help="runs for each cell, as far as no cap applies (default: 10)")
    noise = "add noise whose deviation is this share of the range of the initial values"
    option("--noise", type=not_negative, metavar="SHARE", help=noise)
    cap = "no more than so many of a slow system; NAME=none lifts its limit"
    option("--cap", **several, type=pair, metavar="NAME=SEEDSxITERATIONS", help=cap)
    python = "the Python that has a system; NAME may be peers: all but suffice"
    option("--python", **several, type=pair, metavar="NAME=PATH", help=python)
    option("--adapter", **several, type=pair, metavar="NAME=FILE", help="a system of your own, behind an adapter")
    option("--timeout", type=not_negative, metavar="S", help=f"seconds for a suggestion (default: {TIMEOUT:g})")
    option("--jobs", type=count, metavar="N", help="processes (default: one for each core; fewer for exact times)")
    option("--out", type=Path, metavar="DIR", help="where to write (default: comparison/full, or /quick)")
    return parser


def run(given: argparse.Namespace) -> int:
    """Run a comparison to the end, print the standings, write the report."""
    found = look(wanted(given), interpreters(given))
    if given.list:
        print(listing(found))
        return DONE
    contest = chosen(given, found)
    check_extras(contest.plan)
    if skipped := left_out(contest):
        print(f"suffice: {skipped}", file=sys.stderr)
    out: Path = given.out or Path("comparison") / contest.plan.name
    with display() as progress:
        outcome, runs = carry_out(contest.plan, out / "results.db", workers=given.jobs, progress=progress)
    if runs:
        absent = [system for system in found if system.why_not]
        known = units(contest.plan)
        print(as_text(contest.plan, overall(runs, known), by_family(runs, known)))
        print(write_report(out, contest, runs, absent, command=_command(given)))
    return outcome_code(outcome)


def wanted(given: argparse.Namespace) -> list[System]:
    """The systems that are asked for, those of the user's own among them."""
    own = {name: own_system(name, Path(file)) for name, file in given.adapter or ()}
    known = SYSTEMS | own
    names = given.systems or list(known)
    for name in names:
        if name not in known:
            raise SufficeError(f"no system is called {name!r}; there are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]


def interpreters(given: argparse.Namespace) -> dict[str, str]:
    """The interpreter of each system that has another one."""
    named = dict(given.python or ())
    own = [name for name, _ in given.adapter or ()]
    for name in named:
        if name not in (PEERS, *SYSTEMS, *own):
            raise SufficeError(f"--python {name}=…: no system is called {name!r}; there are {', '.join(SYSTEMS)}")
    paths = {name: _interpreter(path) for name, path in named.items()}
    everywhere = paths.pop(PEERS, None)
    peers = {name: everywhere for name in (*SYSTEMS, *own) if everywhere and name not in OURS}
    return {**peers, **paths}


def listing(found: Sequence[Installed]) -> str:
    """The systems, a line each."""
    width = max(len(system.system.name) for system in found)
    return "\n".join(
        f"{system.system.name:{width}}  {system.why_not or f'{system.version:10}  {system.system.about}'}"
        for system in found
    )


def chosen(given: argparse.Namespace, found: Sequence[Installed]) -> Contest:
    """The comparison, as far as it is wanted and possible."""
    missing = [system for system in found if system.why_not]
    if given.systems and missing:
        raise SufficeError("; ".join(f"{system.system.name} cannot be used: {system.why_not}" for system in missing))
    noise = given.noise or 0.0
    timeout = TIMEOUT if given.timeout is None else given.timeout
    entrants = [entrant(system, noise, timeout) for system in found if not system.why_not]
    contest = contests.quick(entrants) if given.quick else contests.full(entrants)
    plan = contest.plan
    if given.problems:
        plan = _on(plan, given.problems, contests.QUICK_ITERATIONS if given.quick else None)
    if given.budget is not None:
        plan = replace(plan, tasks=tuple(replace(task, iterations=given.budget) for task in plan.tasks))
    plan = replace(
        plan,
        name=plan.name + (f"-noise-{noise:g}" if noise else ""),
        reps=given.seeds or plan.reps,
        caps={**plan.caps, **caps(given.cap or (), [system.system.name for system in found])},
    )
    return within_reach(replace(contest, plan=plan))


def caps(given: Sequence[tuple[str, str]], known: Sequence[str]) -> dict[str, Cap]:
    """ "NAME=3", "NAME=3x100" or "NAME=none": what a system takes part in, instead of the plan's cap."""
    found = {}
    for name, text in given:
        read = re.fullmatch(r"none|([1-9][0-9]*)(?:x([1-9][0-9]*))?", text)
        if name not in known or read is None:
            raise SufficeError(
                f"--cap {name}={text}: wanted a system that takes part and seeds, seedsxiterations or none, "
                f"such as {known[0]}=3x100; there are {', '.join(known)}"
            )
        seeds, iterations = (int(number) if number else None for number in read.groups())
        found[name] = Cap(seeds, iterations)
    return found


def _interpreter(path: str) -> str:
    """Where it is: systems run in folders of their own. A link is kept: in a virtual environment the place decides."""
    found = shutil.which(path)
    if found is None:
        raise SufficeError(f"{path} is no Python interpreter; wanted --python NAME=PATH, such as hebo=env/bin/python")
    return os.path.abspath(found)


def _on(plan: CappedPlan, names: Sequence[str], iterations: int | None) -> CappedPlan:
    """The same on these problems, in all of which every system takes part."""
    try:
        tasks = tuple(contests.task(name, iterations) for name in contests.problems(names))
    except ValueError as error:
        raise SufficeError(str(error)) from error
    return replace(plan, tasks=tasks, caps={name: replace(cap, problems=None) for name, cap in plan.caps.items()})


def _command(given: argparse.Namespace) -> str:
    return shlex.join(["python", "-m", "research.compare", *spelled(given, *OPTIONS)])
