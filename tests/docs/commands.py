"""Which commands of the pages are not run in the tests and why, and what is checked of them instead."""

import argparse
import contextlib
import io
import re
import shlex
from pathlib import Path

from research.compare import command as compare
from suffice.cli import make_parser

ROOT = Path(__file__).parents[2]

# A block with such a command is not run. A page that needs a new line here says something that nobody has tried.
EXEMPT = {
    r"\bpip install\b|^(\w+ )?apt install\b|^uv |^git clone\b": "it installs",
    r"^python -m research\.|^suffice reproduce\b": "experiments take minutes to days; tests run small ones",
    r"^make\b|^\.venv/bin/": "that is about this repository, and the tests are run by it",
    r"^suffice dashboard\b|^optuna-dashboard\b|^python -m http\.server\b": "a server that ends when somebody ends it",
    r"^dask (scheduler|worker|spec|ssh)\b|^(srun|sbatch|ssh|scp|kubectl)\b": "it needs a cluster",
    r"//user:password@|^suffice work\b": "it needs a database server; the page's own test has one",
    r"^sqlite3\b": "a program that pip does not bring",
}


def commands(code: str) -> list[str]:
    """The commands of a block, each on one line, without variables before them and comments behind them."""
    lines = re.sub(r"\\\n\s*", " ", code).splitlines()
    plain = (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines)
    return [re.sub(r"^(?:[A-Z_]+=\S* )+", "", line) for line in plain if line]


def exempt(code: str) -> str | None:
    """Why a block is not run, or nothing."""
    for command in commands(code):
        for pattern, reason in EXEMPT.items():
            if re.search(pattern, command):
                return reason
    return None


def mistake(command: str) -> str | None:
    """What is wrong with a command that is not run, as far as can be seen."""
    word, *rest = shlex.split(command)
    if word == "suffice":
        return _misunderstood(make_parser(rest[:1]), rest)
    if word == "python" and rest[:1] == ["-m"] and rest[1].startswith("research."):
        module = ROOT / rest[1].replace(".", "/")
        if rest[1] == "research.compare":
            return _misunderstood(compare.make_parser(), rest[2:])
        return None if module.with_suffix(".py").is_file() else f"there is no {rest[1]}"
    if word == "make":
        targets = re.findall(r"^([\w-]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        wrong = [target for target in rest if "=" not in target and target not in targets]
        return f"the Makefile has no {wrong}" if wrong else None
    return None


def _misunderstood(parser: argparse.ArgumentParser, words: list[str]) -> str | None:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            _, unknown = parser.parse_known_args(words)
        except SystemExit:
            return said.getvalue()
    return f"unknown: {unknown}" if unknown else None
