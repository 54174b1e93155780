"""The page about tuning a program: its line is run, its file is the example, its tables are what the code has."""

import os
import re
import shlex
import sys
import tomllib

from suffice.cli import main
from suffice.tune.parameters import described, parameter
from suffice.tune.spec import KEYS, LIMITS

from .pages import ROOT, Page

PAGE = Page("docs/howto/tune.md")


def test_its_line_is_run_and_prints_what_it_shows(tmp_path, monkeypatch, capfd):
    (tmp_path / "train.py").write_text((ROOT / "examples" / "train.py").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    (line,), (shown,) = PAGE.code("sh"), PAGE.code("text")
    program, *arguments = shlex.split(line.replace("\\\n", ""))
    assert program == "suffice"
    assert main(arguments) == 0
    out = capfd.readouterr().out
    assert [form(line) for line in out.splitlines()[1:]] == [form(line) for line in shown.splitlines()[1:]]
    assert out.splitlines()[0].startswith(("12 trials are done", "all 12 trials are done"))


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
