"""The time between evaluations, ours and theirs: python -m research.benchmarks.overhead [NAME=PATH …] [--asks N]

On Hartmann6, from 60 observations to 260, and with 800: mean and median milliseconds of an ask and the telling of its
value, refits included, the objective and the first ask not. One system after the other, each in a process of its own
with one thread. NAME=PATH is a system's interpreter, as of `python -m research.compare --python`; peers=PATH that of
all others.
`python -m research.benchmarks.latency` takes our own time apart.
"""

import argparse
import statistics
from collections.abc import Iterator

from research.benchmarks.timing import print_table
from research.compare.command import interpreters
from research.compare.entrant import Entrant, compete, entrant
from research.compare.systems import SYSTEMS, look
from suffice.cli.arguments import pair
from suffice.lab.plan import Job, Task

NAMES = ("suffice", "optuna_gp", "botorch_logei")
TIMEOUT = 600.0


def seconds(system: Entrant, task: Task) -> list[float]:
    """Of each suggestion but the first."""
    trace = compete(system, Job("overhead", task, system.method, 0))
    return [row.fit + row.solve for row in trace.rows[1:]]


def rows(systems: list[Entrant], task: Task) -> Iterator[tuple[str, ...]]:
    """A line for each system; the first one, ours, is what the others are compared with."""
    ours = 0.0
    for system in systems:
        spent = seconds(system, task)
        mean, median = statistics.fmean(spent), statistics.median(spent)
        ours = mean if system.system.name == "suffice" else ours
        times = f"{mean / ours:.1f}" if ours else ""
        yield system.system.label, f"{1e3 * mean:.1f}", f"{1e3 * median:.1f}", times


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("python", nargs="*", type=pair, metavar="NAME=PATH")
    parser.add_argument("--asks", type=int, default=10, help="at 800 observations (default: 10)")
    parser.set_defaults(adapter=None)
    given = parser.parse_args()
    found = look([SYSTEMS[name] for name in NAMES], interpreters(given))
    for system in found:
        if system.why_not:
            print(f"{system.system.name}: {system.why_not}")
    systems = [entrant(system, 0.0, TIMEOUT) for system in found if not system.why_not]
    head = ("system", "mean ms", "median ms", "times ours")
    print_table("Hartmann6, 60 to 260 observations", head, list(rows(systems, Task("hartmann6", 60, 200))))
    print_table("Hartmann6, 800 observations", head, list(rows(systems, Task("hartmann6", 800, given.asks + 1))))


if __name__ == "__main__":
    main()
