"""suffice reproduce: the paper's experiments, compared with what was published."""

import argparse
import shlex
from dataclasses import replace
from pathlib import Path

from suffice.cli.arguments import DONE, Commands, add_command, check_extras, count, outcome_code, spelled
from suffice.errors import SufficeError
from suffice.lab.plan import Plan
from suffice.lab.runner import carry_out
from suffice.paper.known import known_runs, told
from suffice.paper.presets import PRESETS, quick
from suffice.paper.report import write_report
from suffice.run.progress import display


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "reproduce",
        run,
        help="the paper's experiments, compared with what was published",
        description="Run an experiment of the paper, or one of ours, and write figures, tables and one HTML report.",
        more="Stop it at any moment and run it again: finished runs are kept, and not repeated.",
        codes={
            0: "every run is done, the report is written",
            1: "nothing could be run",
            3: "some runs failed; the report covers the others",
            130: "interrupted; finished runs are kept",
        },
    )
    parser.add_argument("preset", nargs="?", default="main", choices=PRESETS, help="which experiment (default: main)")
    parser.add_argument("--list", action="store_true", help="list the experiments and stop")
    parser.add_argument("--quick", action="store_true", help="fewer seeds, for a few minutes")
    parser.add_argument("--reps", type=count, metavar="N", help="seeds for each cell")
    parser.add_argument("--jobs", type=count, metavar="N", help="processes (default: one for each core)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to write (default: reproduction/PRESET, or PRESET-quick)"
    )
    parser.add_argument("--problems", nargs="+", metavar="NAME", help="only these problems")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="only these methods")


def run(given: argparse.Namespace) -> int:
    """Run a preset to the end, write its report."""
    if given.list:
        print(listing())
        return DONE
    plan = chosen(given)
    check_extras(plan)
    out: Path = given.out or Path("reproduction") / plan.name
    with display() as progress:
        outcome, runs = carry_out(plan, out / "results.db", workers=given.jobs, progress=progress)
    if runs:
        known = known_runs()
        print(told(known))
        print(write_report(out, plan, runs, command=_command(given), known=known))
    return outcome_code(outcome)


def listing() -> str:
    """The presets, a line each."""
    width = max(map(len, PRESETS))
    return "\n".join(f"{name:{width}}  {plan.title}" for name, plan in PRESETS.items())


def chosen(given: argparse.Namespace) -> Plan:
    """The preset, as far as it is wanted."""
    plan = PRESETS[given.preset]
    plan = quick(plan) if given.quick else plan
    if given.reps is not None:
        plan = replace(plan, reps=given.reps)
    if given.problems:
        _check("problem", given.problems, [task.problem for task in plan.tasks], plan)
        plan = replace(plan, tasks=tuple(task for task in plan.tasks if task.problem in given.problems))
    if given.methods:
        _check("method", given.methods, [method.name for method in plan.methods], plan)
        plan = replace(plan, methods=tuple(method for method in plan.methods if method.name in given.methods))
    return plan


def _check(word: str, given: list[str], known: list[str], plan: Plan) -> None:
    for name in given:
        if name not in known:
            raise SufficeError(f"{plan.name} has no {word} {name!r}; it has {', '.join(known)}")


def _command(given: argparse.Namespace) -> str:
    options = spelled(given, "quick", "reps", "jobs", "out", "problems", "methods")
    return shlex.join(["suffice", "reproduce", given.preset, *options])
