"""The page about reports: its examples run, its command prints what it shows, its table has the sections there are."""

import re
import shlex
from pathlib import Path

import pytest

from suffice.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "report.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """A folder in which the examples were run, and what their names stand for."""
    folder, names = tmp_path_factory.mktemp("page"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for example in blocks("python"):
            exec(example, names)
    return folder, names


def test_its_examples_write_a_page_and_read_it_again(there):
    folder, names = there
    assert (folder / "report.html").is_file()
    data, result = names["data"], names["result"]
    assert dict(zip(data["columns"], names["best"], strict=True))["value"] == result.fun
    shown = re.search(r'data\["columns"\]  # (.*)', PAGE).group(1)
    assert [word for word in data["columns"] if word not in result.x] == [
        word for word in shown.split(", ") if " " not in word
    ]


def test_its_command_prints_what_it_shows(there, monkeypatch, capsys):
    monkeypatch.chdir(there[0])
    (line,), (shown,) = blocks("sh"), blocks("text")
    program, *arguments = shlex.split(line)
    assert program == "suffice"
    assert main(arguments) == 0
    assert capsys.readouterr().out == shown


def test_every_section_of_a_page_is_in_its_table(there):
    text = (there[0] / "report.html").read_text(encoding="utf-8")
    table = PAGE[PAGE.index("| section |") :].split("\n\n")[0]
    named = ", ".join(row.split("|")[1].strip() for row in table.splitlines()[2:]).split(", ")
    sections = re.findall(r"<h2>(.*?)</h2>", text)
    assert len(sections) > 6
    assert set(sections) <= set(named)
    assert set(named) - set(sections) == {"verdict", "Failures"}


def test_its_picture_is_there_and_small():
    (name,) = re.findall(r"\((../figures/.*?\.png)\)", PAGE)
    assert (ROOT / "docs" / "howto" / name).stat().st_size < 200_000
