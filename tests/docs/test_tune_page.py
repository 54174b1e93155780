"""The page about tuning a program: its line is run, its file is the example, its tables are what the code has."""

import re
import tomllib

from suffice.tune.parameters import described, parameter
from suffice.tune.spec import KEYS, LIMITS

from .pages import ROOT, Page

PAGE = Page("docs/howto/tune.md")


def test_its_line_prints_what_it_shows(ran):
    (shown,), (out, again) = PAGE.code("text"), ran.printed
    assert [form(line) for line in out.splitlines()] == [form(line) for line in shown.splitlines()]
    assert again.startswith("30 trials are done")
    assert "study.html" in again


def form(line):
    """A line without its numbers and options, which another machine may find to be others."""
    return re.sub(r"-?\d[-+\d.e]*|sgd|momentum", "#", line)


def test_its_file_is_the_example():
    (toml,) = PAGE.code("toml")
    assert tomllib.loads(toml) == tomllib.loads((ROOT / "examples" / "study.toml").read_text(encoding="utf-8"))


def test_every_key_is_in_its_table():
    table = PAGE.text[PAGE.text.index("| key | option |") :].split("\n\n")[0]
    keys = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines()[2:]))
    assert sorted(keys) == sorted(KEYS + LIMITS)


def test_parameters_are_the_same_in_a_file_and_on_a_command_line():
    table = PAGE.text[PAGE.text.index("| in a file | on a command line |") :].split("\n\n")[0]
    rows = [re.findall(r"`(.*?)`", row) for row in table.splitlines()[2:]]
    assert len(rows) >= 5
    for toml, option in rows:
        ((name, table),) = tomllib.loads(toml).items()
        inline_name, inline = described(option.removeprefix("--param "))
        assert name == inline_name
        assert str(parameter(table)) == str(parameter(inline)).replace("'10'", "10")
