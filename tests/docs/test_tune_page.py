"""The page about tuning a program: its line is run, its file is the example, its tables are what the code has."""

import argparse
import re
import tomllib

from suffice.cli.tune import add_aims
from suffice.tune.config import KEYS, LIMITS, described, parameter
from suffice.tune.metric import Aims, of_options

from .pages import ROOT, Page

PAGE = Page("docs/howto/tune.md")
TABLES = Page("docs/howto/tune-options.md")


def test_its_line_prints_what_it_shows(ran):
    (shown, front), (out, again, several, within) = PAGE.code("text"), ran.printed
    assert [form(line) for line in out.splitlines()] == [form(line) for line in shown.splitlines()]
    assert again.startswith("30 trials are done")
    assert "study.html" in again
    assert list(dict.fromkeys(map(form, several.splitlines()))) == list(dict.fromkeys(map(form, front.splitlines())))
    assert re.search(r"best error: .*\n  memory  : .* \(at most 4\)\n  latency : .* \(at most 2\.5\)\n", within)


def form(line):
    """A line without its numbers and options, which another machine may find to be others."""
    numbers = re.sub(r"-?\d[-+\d.e]*|sgd|momentum", "#", line)
    return re.sub(r"[ *]+# ", " # ", numbers)  # the columns of a table


def test_its_file_is_the_example():
    assert tomllib.loads(PAGE.file("study.toml")) == tomllib.loads(
        (ROOT / "examples" / "study.toml").read_text(encoding="utf-8")
    )


def test_every_key_is_in_its_table():
    table = TABLES.text[TABLES.text.index("| key | option |") :].split("\n\n")[0]
    keys = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines()[2:]))
    assert sorted(keys) == sorted(KEYS + LIMITS)


def test_parameters_are_the_same_in_a_file_and_on_a_command_line():
    table = TABLES.text[TABLES.text.index("| in a file | on a command line |") :].split("\n\n")[0]
    rows = [re.findall(r"`(.*?)`", row) for row in table.splitlines()[2:]]
    assert len(rows) >= 5
    for toml, option in rows:
        ((name, table),) = tomllib.loads(toml).items()
        inline_name, inline = described(option.removeprefix("--param "))
        assert name == inline_name
        assert str(parameter(table)) == str(parameter(inline)).replace("'10'", "10")


def test_aims_are_the_same_in_a_file_and_on_a_command_line():
    rows = re.findall(r"\| `((?:objectives|constraints) = .*?)` \| `(--.*?)` \|", PAGE.text)
    assert [toml.split()[0] for toml, _ in rows] == ["objectives", "constraints"]
    options = [option for _, option in rows]
    parser = argparse.ArgumentParser()
    add_aims(parser)
    given = parser.parse_args(" ".join(options).split())
    table = tomllib.loads("\n".join(toml for toml, _ in rows))
    assert Aims.of(of_options(given.aims, given.within)) == Aims.of(table)
