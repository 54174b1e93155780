"""Numbers in the documentation: a table of measured numbers says which command made it, and with which version."""

import re
from pathlib import Path

import pytest

from research.benchmarks import figures, reproduction_figures
from research.benchmarks.figures import rewritten, with_version
from research.benchmarks.inventory import MADE, ROOT, Made
from research.benchmarks.markers import Block, blocks, exchanged, measured_tables, taken
from research.benchmarks.timing import markdown_table, plain_table

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [page for page in figures.pages() if page != ROOT / "README.md" or "<!-- made by:" in README]
BY_COMMAND = {made.command: made for made in MADE}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_table_of_measured_numbers_stands_between_markers(path):
    page = read(path)
    spans = [block.span for block in blocks(page)]
    bare = [head for at, head in measured_tables(page) if not any(begin <= at < end for begin, end in spans)]
    assert not bare, (
        "put <!-- made by: COMMAND --> and <!-- end --> around it, COMMAND as in research/benchmarks/inventory.py"
    )


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_what_make_figures_does_not_make_says_with_which_version_it_was_made(path):
    for block in blocks(read(path)):
        made = BY_COMMAND.get(block.command)
        assert made is not None, f"{block.command!r} is not in research/benchmarks/inventory.py"
        assert made.cheap or (block.said and block.said[2] == block.command), block.command


def test_every_command_of_the_inventory_exists_and_has_its_own_name():
    assert len({made.name for made in MADE}) == len(BY_COMMAND) == len(MADE)
    for made in MADE:
        program = made.command.split()
        if program[0] == "python":
            module = ROOT / program[2].replace(".", "/")
            source = module / "__main__.py" if module.is_dir() else module.with_suffix(".py")
            assert 'if __name__ == "__main__":' in read(source), made.command
        else:
            assert program[:2] == ["suffice", "reproduce"], made.command


def test_every_table_that_the_inventory_makes_has_a_place_in_a_page():
    placed = {block.command for path in PAGES for block in blocks(read(path))}
    placed |= {made.command for made in MADE if f"\n{made.command}\n" in README}  # shown above its table
    draws = {made.command for made in MADE if made.figures or made.name.rstrip("s").endswith("_figure")}
    assert not BY_COMMAND.keys() - placed - draws, (
        "research/benchmarks/inventory.py has commands whose tables are in no page"
    )


def test_every_picture_of_a_page_exists_and_a_script_draws_it():
    claimed = {path for made in MADE for pattern in made.figures for path in ROOT.glob(pattern)}
    scripts = "".join(read(path) for path in (ROOT / "research" / "benchmarks").glob("*.py"))
    for page in PAGES:
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", read(page)):
            picture = (page.parent / target).resolve()
            assert picture.is_file(), f"{named(page)}: {target}"
            assert picture in claimed or picture.stem in scripts, f"{named(page)}: no script makes {target}"


def test_the_tables_of_the_reproduction_are_those_of_the_numbers_kept_beside_them(monkeypatch, capsys):
    monkeypatch.setenv("SUFFICE_TABLES", "markdown")
    reproduction_figures.tables()
    printed = capsys.readouterr().out
    command = "python -m research.benchmarks.reproduction_figures"
    shown = [block for path in PAGES for block in blocks(read(path)) if block.command == command]
    assert len(shown) == 6
    assert [block.text for block in shown] == [taken(printed, block.table) for block in shown]


TABLE = ["method", "regret"], [["ours", "0.1"], ["theirs", "0.2 | 3"]]
OUTPUT = (
    f"\n{markdown_table('First, 3 seeds', *TABLE)}\n\n{markdown_table('Second', ['a'], [['1']])}\n\n  A sentence.\n"
)


def test_a_block_takes_one_table_of_an_output_or_all_of_it():
    assert taken(OUTPUT, "Second") == "| a |\n| --- |\n| 1 |"
    assert taken(OUTPUT, "First").splitlines()[-1] == r"| theirs | 0.2 \| 3 |"
    assert taken(OUTPUT, None).startswith("**First, 3 seeds**")
    assert taken(OUTPUT, None).endswith("A sentence.")
    with pytest.raises(ValueError, match=r"0 tables .* 'Third'; wanted one of .*'Second'"):
        taken(OUTPUT, "Third")


def test_a_page_changes_between_its_markers_only_and_not_twice():
    cheap, long = Made("a", "python -m a", 1, cheap=True), Made("b", "python -m b", 1)
    page = "# T\n\n<!-- made by: python -m a; table: Second -->\n| old |\n<!-- end -->\n\ntext | a\n"
    page += "<!-- made by: python -m b -->\n<!-- end -->\nend\n"
    once = rewritten(rewritten(page, cheap, OUTPUT), long, OUTPUT)
    assert rewritten(rewritten(once, cheap, OUTPUT), long, OUTPUT) == once
    first, second = blocks(once)
    assert first.text == taken(OUTPUT, "Second")
    assert second.text == with_version(taken(OUTPUT, None), "python -m b")
    assert second.said[2] == "python -m b"
    assert exchanged(once, lambda _: "") == exchanged(page, lambda _: "")


def test_an_output_is_kept_for_the_same_code_and_made_again_for_another(monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "KEPT", tmp_path)
    clock = Made("clock", "python -c 'import time; print(time.time_ns())'", 1)
    first = figures.output(clock, "a", again=False)
    assert figures.output(clock, "a", again=False) == first
    assert figures.output(clock, "a", again=True) != first
    assert figures.output(clock, "b", again=False) != first


def test_a_command_that_fails_is_said_and_leaves_the_pages(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(figures, "KEPT", tmp_path)
    before = figures.contents()
    assert figures.run([Made("broken", "python -c 'raise SystemExit(\"no luck\")'", 1)], again=False, jobs=1) == 1
    assert "broken: python -c" in capsys.readouterr().out
    assert figures.contents() == before


def test_what_is_missing_is_said_and_the_place_left_as_it_is(capsys):
    assert figures.run([Made("absent", "python -c 1", 1, needs=("no_such_module",))], again=False, jobs=1) == 0
    assert "absent: left as it is, for want of no_such_module" in capsys.readouterr().out


def test_a_marker_that_is_not_closed_or_misspelled_is_refused():
    with pytest.raises(ValueError, match="not closed"):
        blocks("<!-- made by: python -m a -->\n| 1 |\n<!-- made by: python -m b -->\n<!-- end -->")
    with pytest.raises(ValueError, match="no marker"):
        blocks("<!--made by python -m a -->\n<!-- end -->")


def test_tables_of_words_need_no_marker_and_tables_of_numbers_do():
    words = "| code | |\n| --- | --- |\n| 0 | all went well |\n| 1 | it failed |\n"
    plain = f"```text\n{plain_table('T', *TABLE)}\n```\n"
    assert measured_tables(words) == []
    assert measured_tables(f"text\n{words}") == []
    assert [head for _, head in measured_tables(f"{words}\n{OUTPUT}")] == ["| method | regret |"]
    assert len(measured_tables(plain)) == 1
    assert measured_tables("```text\n| a | b |\n| --- | --- |\n| c | 1 |\n```\n") == []


def test_a_block_knows_what_it_says_of_its_version():
    assert Block("c", None, with_version("| 1 |", "c"), (0, 0)).said is not None
    assert Block("c", None, "| 1 |", (0, 0)).said is None
