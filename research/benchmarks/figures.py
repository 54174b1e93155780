"""Every table and figure of the documentation that is cheap, made again: python -m research.benchmarks.figures [--list]

Each command of `research.benchmarks.inventory` runs in a process of its own with one BLAS thread, two at a time, those
that measure times alone and last. What it prints takes the place of the text between its markers in the pages. Outputs
are kept in build/figures, so that a run that was interrupted goes on where it was, as long as the code is the same.

    python -m research.benchmarks.figures --only orders     # one of them, also one that is not cheap: minutes to hours
    python -m research.benchmarks.figures --again           # do not take what was kept

At the end stands what has changed. Scores, regrets and counts are the same for the same code and libraries on one
machine; times are not, and neither is what a time limit decides, such as proofs.
"""

import argparse
import hashlib
import importlib.util
import math
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Lock

from research.benchmarks.inventory import MADE, ROOT, Made
from research.benchmarks.markers import Block, blocks, exchanged, taken
from suffice import __version__

KEPT = ROOT / "build" / "figures"
FOLDERS = (ROOT / "docs", ROOT / "research" / "measurements", ROOT / "research" / "comparison")  # of pages
WRITING = Lock()  # of pages


def pages() -> list[Path]:
    """Every page that may have tables."""
    return [*sorted(path for folder in FOLDERS for path in folder.rglob("*.md")), ROOT / "README.md"]


def fingerprint() -> str:
    """Of all code that can change a number."""
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "research").rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def missing(made: Made) -> list[str]:
    """What the command needs and is not here."""
    return [
        need
        for need in made.needs
        if not (Path(need).exists() if need.startswith("/") else importlib.util.find_spec(need))
    ]


def output(made: Made, code: str, again: bool) -> str:
    """What the command prints, from an earlier run of the same code if there is one."""
    kept = KEPT / f"{made.name}.md"
    seal = f"<!-- {code} -->\n"
    if not again and kept.exists() and kept.read_text(encoding="utf-8").startswith(seal):
        return kept.read_text(encoding="utf-8").removeprefix(seal)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    _, *words = shlex.split(made.command)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, **threads, "SUFFICE_TABLES": "markdown", "MPLBACKEND": "agg", "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{made.command} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(seal + done.stdout, encoding="utf-8")
    return done.stdout


def with_version(text: str, command: str) -> str:
    """The text, and the line that says with which version it was made."""
    version = __version__.rstrip("0123456789") if "dev" in __version__ else __version__
    return f"{text}\n\nMade with version {version} ({date.today():%B %Y}): `{command}`."


def rewritten(page: str, made: Made, printed: str) -> str:
    """The page with this output in all of its places."""

    def text(block: Block) -> str | None:
        if block.command != made.command:
            return None
        new = taken(printed, block.table)
        return new if made.cheap else with_version(new, made.command)

    return exchanged(page, text)


def say(line: str) -> None:
    """A line in one piece, whatever the other thread says."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def took(made: Made) -> str:
    return "not measured" if made.minutes is None else f"about {made.minutes:g} min"


def make(made: Made, code: str, again: bool) -> str | None:
    """Run one command and put what it prints into the pages; a sentence if something went wrong."""
    began = time.monotonic()
    say(f"{made.name}: begun, {took(made)}")
    try:
        printed = output(made, code, again)
        with WRITING:
            for path in [] if made.by_hand else pages():
                page = path.read_text(encoding="utf-8")
                path.write_text(rewritten(page, made, printed), encoding="utf-8")
    except (RuntimeError, ValueError) as problem:
        say(f"{made.name}: failed")
        return f"{made.name}: {problem}"
    say(f"{made.name}: done in {time.monotonic() - began:.0f} s")
    if made.by_hand:
        print(
            f"{made.name}: the page's table was put together by hand; what was printed is in {KEPT.relative_to(ROOT)}"
        )
    return None


def contents() -> dict[Path, bytes]:
    """All that this command can change, to be compared with what it was."""
    found = [path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in [*found, ROOT / "README.md"]}


def run(chosen: Sequence[Made], again: bool, jobs: int) -> int:
    """Make all of them, those that measure times alone and last; the number of failures."""
    before, code, problems = contents(), fingerprint(), list[str]()
    ready = [made for made in chosen if not missing(made)]
    minutes = sum(made.minutes or 0.0 for made in ready)
    say(f"{len(ready)} commands, about {minutes:.0f} minutes of one core; those that measure times are the last")
    order = sorted(ready, key=lambda made: -(made.minutes or math.inf))
    for some, at_a_time in (([m for m in order if not m.timed], jobs), ([m for m in order if m.timed], 1)):
        with ThreadPoolExecutor(at_a_time) as threads:
            problems += filter(None, threads.map(lambda made: make(made, code, again), some))
    after = contents()
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    print("\nChanged: " + (", ".join(str(path.relative_to(ROOT)) for path in changed) or "nothing"))
    for made in chosen:
        if lacking := missing(made):
            print(f"{made.name}: left as it is, for want of {', '.join(lacking)}")
    print("\n".join(problems))
    return len(problems)


def listed(chosen: Iterable[Made]) -> str:
    """One line for each: its name, what it takes, whether it is cheap, and where it goes to."""
    places: dict[str, list[str]] = {}
    for path in pages():
        for block in blocks(path.read_text(encoding="utf-8")):
            places.setdefault(block.command, []).append(str(path.relative_to(ROOT)))
    lines = []
    for made in chosen:
        where = ", ".join(dict.fromkeys([*places.get(made.command, []), *made.figures]))
        kind = "cheap" if made.cheap else "by hand" if made.by_hand else "long"
        lines.append(f"{made.name:<20} {took(made):<17} {kind:<8} {made.command}  →  {where}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="what there is, what makes it, and how long that takes")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[made.name for made in MADE])
    parser.add_argument("--again", action="store_true", help="make also what was made with the same code before")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    words = parser.parse_args()
    if words.list:
        print(listed(MADE))
        return
    chosen = [made for made in MADE if (made.name in words.only if words.only else made.cheap)]
    sys.exit(1 if run(chosen, words.again, words.jobs) else 0)


if __name__ == "__main__":
    main()
