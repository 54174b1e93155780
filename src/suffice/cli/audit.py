"""suffice audit: check how accurate the searches of a saved run were."""

import argparse
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict

from suffice.accuracy.regret import Bound
from suffice.cli.arguments import DONE, PARTLY, Commands, add_command, count
from suffice.paper.theorems import Quantities, bounds, quantities
from suffice.result.coverage import coverage
from suffice.result.findings import Finding, remedies
from suffice.result.result import load
from suffice.run.progress import Event, display
from suffice.study.audit import Audit, audit, with_audit
from suffice.text import counted


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "audit",
        run,
        help="check how accurately a saved run chose its points",
        description="Maximize the acquisition function of every step of a saved run again, with far more effort. The "
        "output begins with what this means for the run. A table compares the optimality gap of each step with the "
        "reported one. The paper's accuracies eta and M_T and its regret bounds come last.",
        codes={
            0: "every step was rebuilt and audited",
            1: "the file could not be read or audited",
            3: "some steps could not be rebuilt; the table lists which and why",
        },
    )
    parser.add_argument("file", metavar="FILE", help="a saved result (JSON) or the file of a study (storage=)")
    parser.add_argument("--every", type=count, default=1, metavar="N", help="audit each N-th step only")
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="audit in N processes")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(given: argparse.Namespace) -> int:
    """Audit a file, print what was found."""
    result = load(given.file)
    with _pool(given.jobs) as executor, _progress() as progress:
        found = audit(result, every=given.every, executor=executor, progress=progress)
    premises = result.accuracy.premises
    taken = quantities(result, grids=premises is not None and premises.B is not None)
    stated = bounds(result, taken)
    judged = with_audit(result.accuracy, found)
    advice = remedies(result.settings, judged)
    if given.json:
        plain = {name: _plain(bound) for name, bound in stated.items()}
        looked = [asdict(finding) for finding in coverage(result.history)]
        said = {"verdict": judged.verdict, "remedies": [asdict(finding) for finding in advice]}
        print(json.dumps({**said, **found.plain(), "bounds": plain, "coverage": looked}, allow_nan=False), flush=True)
    else:
        lines = (*_meant(found), str(judged), *map(str, advice), *_looked(coverage(result.history)), "", str(found))
        lines += (*_stated(stated, taken),)
        print("\n".join(lines), flush=True)
    return DONE if len(found.rebuilt) == len(found.steps) else PARTLY


def _meant(found: Audit) -> Iterator[str]:
    """What the audit means for the run, in a sentence."""
    if n := len(found.rebuilt):
        yield f"A far longer search would have chosen the same points in {n - found.changed} of {counted(n, 'step')}.\n"


def _plain(bound: Bound) -> dict[str, object]:
    words = {"value": bound.value, "value_model": bound.value_model, "rate": bound.rate}
    return {**words, "probability": bound.probability, "broken": list(bound.broken)}


def _stated(stated: dict[str, Bound], taken: Quantities) -> Iterator[str]:
    """The paper's bounds, a line each, what they are made of, and what they rest on in vain, each assumption once."""
    if not stated:
        return
    if all(bound.value is None for bound in stated.values()):
        yield "\nThe paper's regret bounds give no number for this run; --json lists the assumptions that fail."
        return
    yield "\nThe paper's bounds on the cumulative regret R_T of these steps:"
    for name, bound in stated.items():
        yield f"  {name:<19}  {bound.statement:<41}  {bound.rate}"
    yield "They are computed from:"
    yield from (f"  {line}" for line in str(taken).splitlines())
    broken = dict.fromkeys(sentence for bound in stated.values() for sentence in bound.broken)
    if broken:
        yield "They hold with the stated probability only under assumptions. These fail or are not known to hold:"
        yield from (f"  - {sentence}" for sentence in broken)


def _looked(findings: tuple[Finding, ...]) -> Iterator[str]:
    """Where the run looked and where it did not, if there is something to say."""
    if findings:
        yield "\nExplored parts of the space:"
        yield from map(str, findings)


@contextmanager
def _pool(jobs: int) -> Iterator[Executor | None]:
    if jobs == 1:
        yield None
        return
    # A forked copy of a process with threads, such as those of a BLAS, may hang.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(cancel_futures=True)
            raise


@contextmanager
def _progress() -> Iterator[Callable[[int, int], object] | None]:
    """On a terminal, how far it is; else nothing, since an audit is short."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with display() as show:
        yield lambda done, total: show(Event(total, done, unit="steps"))
