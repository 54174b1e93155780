"""What the commands that run experiments have in common: what must be installed, and how it ended."""

import sys
from importlib.util import find_spec

from suffice.cli.arguments import DONE, INTERRUPTED, PARTLY
from suffice.errors import MissingExtra
from suffice.lab.plan import Plan
from suffice.lab.runner import Execution
from suffice.problems import find

RESTARTABLE = """Stop it at any moment and run it again: finished runs are kept, and not repeated.

exit codes:
  0    every run is done, the report is written
  1    nothing could be done
  2    wrong usage
  3    some runs failed; the report is written from the others
  130  interrupted; what is finished is kept
"""


def check_extras(plan: Plan) -> None:
    """Say now, not after all the runs, what is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("plot", "matplotlib", "the report")
    for task in plan.tasks:
        find(task.problem)


def outcome_code(outcome: Execution) -> int:
    """The exit code of an execution; what went wrong goes to stderr."""
    for failure in outcome.failed:
        print(f"suffice: {failure.key} failed: {failure.message}", file=sys.stderr)
    if outcome.interrupted:
        print("suffice: interrupted; run the same command again to go on", file=sys.stderr)
        return INTERRUPTED
    return PARTLY if outcome.failed else DONE
