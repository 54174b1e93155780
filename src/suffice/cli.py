"""The command `suffice`: what a terminal can ask of a saved run."""

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec

import suffice
from suffice.audit import audit
from suffice.errors import SufficeError
from suffice.result import load

DONE, FAILED, PARTLY, INTERRUPTED = 0, 1, 3, 130  # and 2, argparse's own

EXIT_CODES = """exit codes:
  0  every step was rebuilt and audited
  1  the file could not be read or audited
  2  wrong usage
  3  some steps could not be rebuilt; the table says which and why
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    given = _parser().parse_args(arguments)
    try:
        return _audit(given)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (SufficeError, OSError) as error:
        print(f"suffice: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("suffice: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="suffice", description=suffice.__doc__)
    parser.add_argument("--version", action="version", version=f"suffice {suffice.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    looks_back = commands.add_parser(
        "audit",
        help="how good the suggestions of a saved run really were",
        description="Solve every acquisition function of a saved run again, with a heavy solver: the true gaps, eta "
        "and M_T beside those that were reported.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    looks_back.add_argument("file", metavar="FILE", help="written by result.save(FILE)")
    looks_back.add_argument("--every", type=_count, default=1, metavar="N", help="audit each N-th step only")
    looks_back.add_argument("--jobs", type=_count, default=1, metavar="N", help="audit in N processes")
    looks_back.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"wanted a whole number, at least 1: got {text!r}")
    return int(text)


def _audit(given: argparse.Namespace) -> int:
    result = load(given.file)
    with _pool(given.jobs) as executor, _progress() as progress:
        found = audit(result, every=given.every, executor=executor, progress=progress)
    print(json.dumps(found.plain(), allow_nan=False) if given.json else found, flush=True)
    return DONE if len(found.rebuilt) == len(found.steps) else PARTLY


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
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, where rich is installed; else nothing."""
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("audit", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
