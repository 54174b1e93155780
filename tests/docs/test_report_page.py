"""The page about reports: its examples run, its command prints what it shows, its table has the sections there are."""

import re

from .pages import ROOT, Page

PAGE = Page("docs/howto/report.md")


def test_its_examples_write_a_page_and_read_it_again(ran):
    assert (ran.folder / "report.html").is_file()
    data, result = ran["data"], ran["result"]
    assert dict(zip(data["columns"], ran["best"], strict=True))["value"] == result.fun
    shown = re.search(r'data\["columns"\]  # (.*)', PAGE.text).group(1)
    assert [word for word in data["columns"] if word not in result.x] == [
        word for word in shown.split(", ") if " " not in word
    ]


def test_its_command_prints_what_it_shows(ran):
    assert ran.printed == PAGE.code("text")


def test_every_section_of_a_page_is_in_its_table(ran):
    text = (ran.folder / "report.html").read_text(encoding="utf-8")
    table = PAGE.text[PAGE.text.index("| section |") :].split("\n\n")[0]
    named = ", ".join(row.split("|")[1].strip() for row in table.splitlines()[2:]).split(", ")
    sections = re.findall(r"<h2>(.*?)</h2>", text)
    assert len(sections) > 6
    assert set(sections) <= set(named)
    assert set(named) - set(sections) == {"verdict", "Failures"}


def test_its_picture_is_there_and_small():
    (name,) = re.findall(r"\((../figures/.*?\.png)\)", PAGE.text)
    assert (ROOT / "docs" / "howto" / name).stat().st_size < 200_000
